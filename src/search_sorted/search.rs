//! A search as steps of a schedule, its own or another kernel's: `glsl/search_sorted/find.comp`.

use super::SearchSide;
use crate::Error;
use crate::compact::width::{Kind, Width};
use crate::elementwise::{Elementwise, piece_range};
use crate::schedule::{Place, StepAction, StepRange, dispatch};
use crate::split::blocks;

/// Bytes of a result.
pub(crate) const POSITION_BYTES: u64 = 4;

/// The most dispatches, of which each has a piece of the values and one of the array.
const MOST_DISPATCHES: u64 = 1 << 14;

/// Bits of `options` (`OPTION_*`).
const RIGHT: u32 = 1;
const DESCENDING: u32 = 2;
const COUNTED_ARRAY: u32 = 4;
const COUNTED_VALUES: u32 = 8;
pub(super) const ADDS: u32 = 16;
const KIND_SHIFT: u32 = 8;

/// Words that the device counted, and which of them is the number of elements of a row, and of values of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counts {
    pub(crate) place: Place,
    pub(crate) array: Option<u32>,
    pub(crate) values: Option<u32>,
}

impl Counts {
    /// Bytes of the words.
    pub(crate) fn bytes(self) -> u64 {
        4 * (1 + u64::from(self.array.unwrap_or(0).max(self.values.unwrap_or(0))))
    }
}

/// Values, the sorted array that they are searched for in, and where their positions go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Search {
    pub(crate) width: Width,
    pub(crate) kind: Kind,
    pub(crate) side: SearchSide,
    pub(crate) descending: bool,
    /// Elements of a row of the array, and of all rows.
    pub(crate) row_length: u64,
    pub(crate) elements: u64,
    /// Values of a row, and of all rows.
    pub(crate) row_values: u64,
    pub(crate) values: u64,
    pub(crate) array: Place,
    pub(crate) values_at: Place,
    /// A u32 for each value.
    pub(crate) output: Place,
    pub(crate) counts: Option<Counts>,
}

impl Search {
    /// Adds the dispatches, and says in how many pieces the array is at most.
    pub(crate) fn record(&self, device: &Elementwise<'_>, actions: &mut Vec<StepAction>) -> Result<u64, Error> {
        let size = self.width.bytes();
        let what = "a search in a sorted array";
        device.limits.check_reach(what, self.elements * size)?;
        let reach = device.limits.capacity(self.elements, size);
        let mut most = 0;
        let before = actions.len() as u64;
        for (first, count) in device.pieces(what, self.values, size.max(POSITION_BYTES), 1)? {
            // The rows of these values; of an array that no binding reaches across, the pieces that have a part of them.
            let (row, last_row) = (first / self.row_values, (first + count - 1) / self.row_values);
            let (begin, end) = (row * self.row_length, (last_row + 1) * self.row_length);
            let mut number = 0;
            for (piece_first, length) in blocks(self.elements, reach).filter(|&(at, length)| at < end && at + length > begin) {
                if actions.len() as u64 - before >= MOST_DISPATCHES {
                    let dispatches = format!("a search for {} values in {} sorted elements", self.values, self.elements);
                    return Err(device.limits.out_of_reach(dispatches));
                }
                actions.push(self.step(device, (first, count), Some((piece_first, length)), number > 0)?);
                number += 1;
            }
            if number == 0 {
                // Where there is nothing to search, every position is 0.
                actions.push(self.step(device, (first, count), None, false)?);
                number = 1;
            }
            most = most.max(number);
        }
        Ok(most)
    }

    /// One dispatch: values, and the elements that they are compared with.
    fn step(
        &self,
        device: &Elementwise<'_>,
        (first, count): (u64, u64),
        piece: Option<(u64, u64)>,
        adds: bool,
    ) -> Result<StepAction, Error> {
        let size = self.width.bytes();
        let workgroup_size = device.choice.workgroup_size;
        let values = self.values_at.bytes(piece_range(first, count, size));
        let (array, array_base, piece_first, piece_end) = match piece {
            Some((first, length)) => {
                let (range, base) = device.limits.range(first, length, size);
                (self.array.bytes(range), first - u64::from(base), first, first + length)
            }
            None => (values, 0, 0, 0),
        };
        let counts = self.counts.map_or(values, |counts| counts.place.bytes(StepRange::first(counts.bytes())));
        let (array_count, value_count) = self.counts.map_or((None, None), |counts| (counts.array, counts.values));
        let mut options = (self.kind as u32) << KIND_SHIFT;
        for (option, is_set) in [
            (RIGHT, self.side == SearchSide::Right),
            (DESCENDING, self.descending),
            (COUNTED_ARRAY, array_count.is_some()),
            (COUNTED_VALUES, value_count.is_some()),
            (ADDS, adds),
        ] {
            options |= if is_set { option } else { 0 };
        }
        Ok(dispatch!(
            search_sorted::find,
            self.width.name().into(),
            shader::SpecializationConstants { workgroup_size },
            shader::PushConstants {
                elements: count as u32,
                first: first as u32,
                row_values: self.row_values as u32,
                row_length: self.row_length as u32,
                piece_first: piece_first as u32,
                piece_end: piece_end as u32,
                array_base: array_base as u32,
                array_count: array_count.unwrap_or(0),
                value_count: value_count.unwrap_or(0),
                options,
            },
            device.groups(count)?,
            vec![array, values, self.output.bytes(piece_range(first, count, POSITION_BYTES)), counts]
        ))
    }

    /// Values, positions, and the elements looked at, each at most once.
    pub(crate) fn bytes_moved(&self) -> u64 {
        let size = self.width.bytes();
        let rounds = u64::from(u64::BITS - self.row_length.leading_zeros());
        self.values * (size + POSITION_BYTES) + size * self.elements.min(self.values.saturating_mul(rounds))
    }
}
