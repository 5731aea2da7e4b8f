//! The buffers of the first keys of rows.

use wavelane_record::BufferRange;

use crate::kernel::Bindings;
use crate::schedule::MOST_BUFFERS;

/// The schedule's buffers, in their order.
pub(super) const INPUT: usize = 0;
pub(super) const OUTPUT: usize = 1;
pub(super) const SCRATCH: usize = 2;
pub(super) const POSITIONS: usize = 3;

/// The buffers of one recording of a [`super::TopK`].
#[derive(Clone, Copy, Debug)]
pub struct TopKBindings<'a> {
    /// The keys.
    pub input: BufferRange<'a>,
    /// Where the k keys of each row go, if they are wanted.
    pub output: Option<BufferRange<'a>>,
    /// Temporary memory; may be left out where nothing is to be found.
    pub scratch: Option<BufferRange<'a>>,
    /// Where the positions of the k keys of each row go, if they are wanted.
    pub positions: Option<BufferRange<'a>>,
}

impl<'a> Bindings<'a> for TopKBindings<'a> {
    fn ranges(&self) -> [Option<BufferRange<'a>>; MOST_BUFFERS] {
        let mut ranges = [None; MOST_BUFFERS];
        ranges[INPUT] = Some(self.input);
        ranges[OUTPUT] = self.output;
        ranges[SCRATCH] = self.scratch;
        ranges[POSITIONS] = self.positions;
        ranges
    }
}
