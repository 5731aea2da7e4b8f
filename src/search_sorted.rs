//! Searches in sorted arrays. See `docs/kernels/search_sorted.md`.

mod host;
mod search;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use wavelane_device::{Capabilities, Quirk};
use wavelane_record::BufferRange;

use crate::compact::width::{Kind, Width};
use crate::elementwise::Elementwise;
use crate::kernel::{Bindings, Kernel};
use crate::layout::Layout;
use crate::schedule::{BufferNeed, BufferUse, COUNT_BYTES, MOST_BUFFERS, Place, Schedule, ScheduleParts, StepAction, StepRange};
use crate::{DType, Error, Path, Tuning};

pub(crate) use search::{Counts, Search};

/// The schedule's buffers, in their order.
const ARRAY: usize = 0;
const VALUES: usize = 1;
const OUTPUT: usize = 2;
const SCRATCH: usize = 3;
const COUNT: usize = 4;
const ARRAY_COUNT: usize = 5;

/// Where a value goes among elements that are equal to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SearchSide {
    /// Before all of them: its position is how many elements come before the value.
    #[default]
    Left,
    /// Behind all of them.
    Right,
}

/// For each of some values the position in a sorted array where it would be put in so that the array stays sorted: as `np.searchsorted` has it. The order is that of [`crate::Sort`]: NaN come last, and all are
/// one; -0 and +0 are one.
///
/// ```
/// use wavelane::{DType, SearchSorted};
///
/// // A 50 by 20 array of values among 1000 elements.
/// let search = SearchSorted::new(DType::F32, 1000, &[50, 20]).right();
/// // Each row of 20 values in 1000 elements of its own.
/// let rows = SearchSorted::new(DType::F32, 1000, &[50, 20]).in_rows(20);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SearchSorted {
    /// Type of elements and values.
    pub dtype: DType,
    /// Elements of the sorted array; of each row of it, if values are in rows.
    pub len: usize,
    /// Lengths of the axes of the values.
    pub values: Vec<usize>,
    /// Where a value goes among elements that are equal to it.
    pub side: SearchSide,
    /// Whether the array is sorted with the largest element first, and NaN before it.
    pub descending: bool,
    /// Values of a row, if each row of values is searched for in a row of the array.
    pub row_length: Option<usize>,
    /// Whether the number of values, of each row, is read on the device, when the work runs; the shape has the most it can be then. Results of others are not written.
    pub counted: bool,
    /// The same of the elements of the array, or of each row of it.
    pub counted_array: bool,
}

impl SearchSorted {
    /// The first position of each value among `len` ascending elements.
    pub fn new(dtype: DType, len: usize, values: &[usize]) -> Self {
        Self {
            dtype,
            len,
            values: values.to_vec(),
            side: SearchSide::Left,
            descending: false,
            row_length: None,
            counted: false,
            counted_array: false,
        }
    }

    /// The position behind elements that are equal to the value.
    pub fn right(mut self) -> Self {
        self.side = SearchSide::Right;
        self
    }

    /// In an array that has the largest element first.
    pub fn descending(mut self) -> Self {
        self.descending = true;
        self
    }

    /// Takes the values as rows of so many, each of which is searched for in `len` sorted elements of its own: the array has a row for each row of values.
    pub fn in_rows(mut self, row_length: usize) -> Self {
        self.row_length = Some(row_length);
        self
    }

    /// Takes the number of values from a buffer of the device when the work runs ([`SearchSortedBindings::count`]).
    pub fn counted(mut self) -> Self {
        self.counted = true;
        self
    }

    /// Takes the number of sorted elements from a buffer of the device when the work runs ([`SearchSortedBindings::array_count`]).
    pub fn counted_array(mut self) -> Self {
        self.counted_array = true;
        self
    }

    /// Values in all, values of a row, and elements of all rows of the array.
    fn sizes(&self) -> Result<[u64; 3], Error> {
        let values = Layout::of(&self.values, None)?.elements();
        let row_values = self.row_length.map_or(values, |length| length as u64);
        let rows = match values.checked_rem(row_values) {
            Some(0) => values / row_values,
            None if values == 0 => 0,
            _ => return Err(Error::RowLength { length: values, row_length: row_values }),
        };
        let rows = if self.row_length.is_some() { rows } else { 1 };
        let elements = Layout::of(&[rows as usize, self.len], None)?.elements();
        Ok([values, row_values, elements])
    }

    fn title(&self) -> String {
        let Self { dtype, len, values, side, descending, row_length, counted, counted_array } = self;
        let side = if *side == SearchSide::Left { "before" } else { "behind" };
        let order = if *descending { ", the largest first" } else { "" };
        let rows = row_length.map_or_else(String::new, |length| format!(", in rows of {length}"));
        let count = match (counted, counted_array) {
            (false, false) => "",
            (true, false) => ", values counted by the device",
            (false, true) => ", elements counted by the device",
            (true, true) => ", values and elements counted by the device",
        };
        format!("positions of {values:?} {dtype} among {len} sorted ones, {side} equal ones{order}{rows}{count}")
    }
}

impl Kernel for SearchSorted {
    type Bindings<'a> = SearchSortedBindings<'a>;

    fn schedule_tuned(
        &self,
        capabilities: &Capabilities,
        _quirks: &[&'static Quirk],
        tuning: &Tuning,
        path: Option<Path>,
    ) -> Result<Schedule, Error> {
        let [values, row_values, elements] = self.sizes()?;
        let elements = if values == 0 { 0 } else { elements };
        let device = Elementwise::new(capabilities, tuning, path);
        let width = Width::of(self.dtype);
        // What is empty has no count that matters.
        let (counted, counted_array) = (self.counted && values > 0, self.counted_array && elements > 0);
        let mut actions = Vec::new();
        for (word, buffer, used) in [(0, ARRAY_COUNT, counted_array), (1, COUNT, counted)] {
            let range = StepRange { offset: word * COUNT_BYTES, size: COUNT_BYTES };
            actions.extend(used.then_some(StepAction::Copy { from: buffer, from_offset: 0, to: SCRATCH, range }));
        }
        let search = Search {
            width,
            kind: Kind::of(self.dtype),
            side: self.side,
            descending: self.descending,
            row_length: self.len as u64,
            row_values,
            elements,
            values,
            array: Place::start(ARRAY),
            values_at: Place::start(VALUES),
            output: Place::start(OUTPUT),
            counts: (counted || counted_array).then_some(Counts {
                place: Place::start(SCRATCH),
                array: counted_array.then_some(0),
                values: counted.then_some(1),
            }),
        };
        let pieces = search.record(&device, &mut actions)?;
        let need = |name, usage, count, size| device.need(name, usage, count, size);
        let count = |name, used: bool| BufferNeed { alignment: COUNT_BYTES, ..need(name, BufferUse::Input, u64::from(used), COUNT_BYTES) };
        let scratch = if counted || counted_array { 2 } else { 0 };
        let parts = ScheduleParts {
            kernel: "search_sorted",
            title: self.title(),
            strategy: match pieces {
                0 => "there are no values".into(),
                1 => "a binary search for each value".into(),
                _ => format!("a binary search for each value in each of {pieces} pieces of the array that its row has a part of"),
            },
            buffers: vec![
                need("array", BufferUse::Input, elements, width.bytes()),
                need("values", BufferUse::Input, values, width.bytes()),
                need("output", BufferUse::Output, values, search::POSITION_BYTES),
                need("scratch", BufferUse::Scratch, scratch, COUNT_BYTES),
                count("count", counted),
                count("array count", counted_array),
            ],
            bytes_moved: search.bytes_moved(),
            choice: device.choice,
            actions,
        };
        Schedule::new(parts, device.limits)
    }
}

/// The buffers of one recording of a [`SearchSorted`].
#[derive(Clone, Copy, Debug)]
pub struct SearchSortedBindings<'a> {
    /// The sorted elements, row after row.
    pub array: BufferRange<'a>,
    /// The values.
    pub values: BufferRange<'a>,
    /// Where the position of each value goes, as u32.
    pub output: BufferRange<'a>,
    /// Temporary memory; may be left out where nothing is counted.
    pub scratch: Option<BufferRange<'a>>,
    /// The 4 bytes of the count of values, where it is the device's.
    pub count: Option<BufferRange<'a>>,
    /// The 4 bytes of the count of sorted elements, where it is the device's.
    pub array_count: Option<BufferRange<'a>>,
}

impl<'a> Bindings<'a> for SearchSortedBindings<'a> {
    fn ranges(&self) -> [Option<BufferRange<'a>>; MOST_BUFFERS] {
        let mut ranges = [None; MOST_BUFFERS];
        ranges[ARRAY] = Some(self.array);
        ranges[VALUES] = Some(self.values);
        ranges[OUTPUT] = Some(self.output);
        ranges[SCRATCH] = self.scratch;
        ranges[COUNT] = self.count;
        ranges[ARRAY_COUNT] = self.array_count;
        ranges
    }
}
