//! Where segments start that flags tell: the positions of the flags that are not 0, and of the first. A part of kernels on segments.

use wavelane_device::{Capabilities, Quirk};

use super::pass::{self, Flags, Keep, Pass};
use super::planner::{INPUT, OUTPUT, Planner, SCRATCH, SELECTED};
use super::width::Width;
use crate::schedule::{Place, StepAction};
use crate::{Error, Path, Tuning};

/// The steps, on buffers of which there are as many: the flags, u32; the positions, room for as many; scratch; nothing; the number of segments.
pub(crate) struct SegmentStarts {
    pub(crate) actions: Vec<StepAction>,
    pub(crate) scratch_bytes: u64,
    pub(crate) bytes_moved: u64,
    pub(crate) strategy: String,
}

impl SegmentStarts {
    /// Of `len` flags, of which there is at least one.
    pub(crate) fn of(
        len: u64,
        capabilities: &Capabilities,
        quirks: &[&'static Quirk],
        tuning: &Tuning,
        path: Option<Path>,
    ) -> Result<Self, Error> {
        let width = Width::W32;
        let mut planner = Planner::new(&[width], capabilities, quirks, tuning, path)?;
        let pass = Pass {
            width,
            len,
            counted: false,
            flags: Flags::Starts,
            keep: Keep::Positions,
            numbered: false,
            input: Place::start(INPUT),
            mask: Place::start(INPUT),
            output: Place::start(OUTPUT),
            strategy: None,
            rows: None,
        };
        let layout = pass.layout(&planner)?;
        let scratch = planner.take_scratch(layout.scratch_bytes());
        debug_assert_eq!(scratch, Place::start(SCRATCH));
        pass.record(&layout, scratch, &mut planner)?;
        planner.copy_word(pass::total_of(scratch), Place::start(SELECTED));
        let bytes_moved = 4 * len * (layout.reads() + 1);
        Ok(Self { actions: planner.actions, scratch_bytes: planner.scratch_bytes, bytes_moved, strategy: layout.words() })
    }
}
