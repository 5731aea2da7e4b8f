//! The buffers of a sort.

use wavelane_record::BufferRange;

use crate::kernel::Bindings;
use crate::schedule::MOST_BUFFERS;

/// The schedule's buffers, in their order.
pub(super) const INPUT: usize = 0;
pub(super) const OUTPUT: usize = 1;
pub(super) const SCRATCH: usize = 2;
pub(super) const COUNT: usize = 3;
pub(super) const VALUES: usize = 4;
pub(super) const OUTPUT_VALUES: usize = 5;
pub(super) const OFFSETS: usize = 6;

/// The buffers of one recording of a [`super::Sort`].
#[derive(Clone, Copy, Debug, Default)]
pub struct SortBindings<'a> {
    /// The keys; not with a sort in place.
    pub input: Option<BufferRange<'a>>,
    /// Where the sorted keys go, if they are wanted; the keys themselves with a sort in place, and the second buffer with a double-buffered one.
    pub output: Option<BufferRange<'a>>,
    /// Temporary memory; may be left out where there are no keys.
    pub scratch: Option<BufferRange<'a>>,
    /// The 4 bytes of the count of a counted sort.
    pub count: Option<BufferRange<'a>>,
    /// A value for each key, where values move with them; not with a sort in place. A double-buffered sort of positions has its first buffer here.
    pub values: Option<BufferRange<'a>>,
    /// Where values or positions go; the values themselves with a sort in place, and the second buffer with a double-buffered one.
    pub output_values: Option<BufferRange<'a>>,
    /// The offsets of segments, one more than there are, u32, ascending. Whatever they are, nothing beside the keys is touched.
    pub offsets: Option<BufferRange<'a>>,
}

impl<'a> Bindings<'a> for SortBindings<'a> {
    fn ranges(&self) -> [Option<BufferRange<'a>>; MOST_BUFFERS] {
        let mut ranges = [None; MOST_BUFFERS];
        ranges[INPUT] = self.input;
        ranges[OUTPUT] = self.output;
        ranges[SCRATCH] = self.scratch;
        ranges[COUNT] = self.count;
        ranges[VALUES] = self.values;
        ranges[OUTPUT_VALUES] = self.output_values;
        ranges[OFFSETS] = self.offsets;
        ranges
    }
}
