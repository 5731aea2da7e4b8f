//! Arrays within the buffers of a schedule, so that one kernel's steps can be part of another's.

use super::{StepAction, StepRange};

/// Where an array begins: which of the schedule's buffers, and at which of its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) buffer: usize,
    pub(crate) offset: u64,
}

impl Place {
    pub(crate) const fn start(buffer: usize) -> Self {
        Self { buffer, offset: 0 }
    }

    /// Some bytes of the array, as a binding.
    pub(crate) fn bytes(self, range: StepRange) -> (usize, StepRange) {
        (self.buffer, StepRange { offset: self.offset + range.offset, size: range.size })
    }
}

impl StepAction {
    /// A step of a part's schedule, with that one's buffers at these places of the whole's.
    pub(crate) fn placed(self, places: &[Place]) -> Self {
        let bytes = |(buffer, range): (usize, StepRange)| places[buffer].bytes(range);
        match self {
            Self::Fill { buffer, range, word } => {
                let (buffer, range) = bytes((buffer, range));
                Self::Fill { buffer, range, word }
            }
            Self::Copy { from, from_offset, to, range } => {
                let (from, read) = bytes((from, StepRange { offset: from_offset, size: range.size }));
                let (to, range) = bytes((to, range));
                Self::Copy { from, from_offset: read.offset, to, range }
            }
            Self::Dispatch(mut dispatch) => {
                dispatch.bindings = dispatch.bindings.into_iter().map(bytes).collect();
                Self::Dispatch(dispatch)
            }
        }
    }
}
