//! The buffers of a merge.

use wavelane_record::BufferRange;

use crate::kernel::Bindings;
use crate::schedule::MOST_BUFFERS;

/// The schedule's buffers, in their order.
pub(super) const FIRST: usize = 0;
pub(super) const SECOND: usize = 1;
pub(super) const OUTPUT: usize = 2;
pub(super) const SCRATCH: usize = 3;
pub(super) const FIRST_COUNT: usize = 4;
pub(super) const SECOND_COUNT: usize = 5;
pub(super) const FIRST_VALUES: usize = 6;
pub(super) const SECOND_VALUES: usize = 7;
pub(super) const OUTPUT_VALUES: usize = 8;

/// The buffers of one recording of a [`super::Merge`].
#[derive(Clone, Copy, Debug)]
pub struct MergeBindings<'a> {
    /// The keys of the first array.
    pub first: BufferRange<'a>,
    /// Those of the second.
    pub second: BufferRange<'a>,
    /// Where the merged keys go, if they are wanted.
    pub output: Option<BufferRange<'a>>,
    /// Temporary memory; may be left out where none is needed.
    pub scratch: Option<BufferRange<'a>>,
    /// The 4 bytes of the count of the first array's keys, where it is the device's.
    pub first_count: Option<BufferRange<'a>>,
    /// The same of the second array's.
    pub second_count: Option<BufferRange<'a>>,
    /// A value for each key of the first array, where values go with them.
    pub first_values: Option<BufferRange<'a>>,
    /// A value for each key of the second array, where values go with them.
    pub second_values: Option<BufferRange<'a>>,
    /// Where values or positions go.
    pub output_values: Option<BufferRange<'a>>,
}

impl<'a> Bindings<'a> for MergeBindings<'a> {
    fn ranges(&self) -> [Option<BufferRange<'a>>; MOST_BUFFERS] {
        let mut ranges = [None; MOST_BUFFERS];
        ranges[FIRST] = Some(self.first);
        ranges[SECOND] = Some(self.second);
        ranges[OUTPUT] = self.output;
        ranges[SCRATCH] = self.scratch;
        ranges[FIRST_COUNT] = self.first_count;
        ranges[SECOND_COUNT] = self.second_count;
        ranges[FIRST_VALUES] = self.first_values;
        ranges[SECOND_VALUES] = self.second_values;
        ranges[OUTPUT_VALUES] = self.output_values;
        ranges
    }
}
