//! Arrays in rows, each of which is treated by itself.

use crate::schedule::{BufferNeed, BufferUse, COUNT_BYTES};
use crate::{Error, Tensor};

/// The rows of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rows {
    /// Elements of each; at least 1 where there is a row.
    pub(super) length: u64,
    pub(super) count: u64,
}

impl Rows {
    /// The rows of an array of `len` elements, if it is to be taken in rows.
    pub(super) fn of(len: u64, row_length: Option<usize>) -> Result<Option<Self>, Error> {
        let Some(length) = row_length.map(|length| length as u64) else { return Ok(None) };
        match len.checked_rem(length) {
            Some(0) => Ok(Some(Self { length, count: len / length })),
            None if len == 0 => Ok(Some(Self { length, count: 0 })),
            _ => Err(Error::RowLength { length: len, row_length: length }),
        }
    }

    /// Where each row's results begin, and where the last one's end.
    pub(super) fn offsets(self) -> u64 {
        self.count + 1
    }

    /// The row behind the last that has one of the elements up to `end`.
    pub(super) fn end_of(self, end: u64) -> u64 {
        end.next_multiple_of(self.length)
    }

    /// Where the row of an element begins.
    pub(super) fn begin_of(self, element: u64) -> u64 {
        element - element % self.length
    }

    /// The binding of the offsets, which are only copied to.
    pub(super) fn need(rows: Option<Self>) -> BufferNeed {
        let bytes = rows.map_or(0, |rows| 4 * rows.offsets());
        BufferNeed { name: "offsets", usage: BufferUse::Output, bytes, alignment: COUNT_BYTES }
    }

    /// What a title says of them.
    pub(super) fn words(rows: Option<Self>) -> String {
        rows.map(|rows| format!(", in rows of {}", rows.length)).unwrap_or_default()
    }
}

/// The results of an array in rows, those of one row behind those of the other.
#[derive(Clone, Debug, PartialEq)]
pub struct InRows<T = Tensor> {
    /// Those of all rows.
    pub results: T,
    /// Where each row's begin, and where the last one's end: a u32 more than there are rows.
    pub offsets: Tensor,
}
