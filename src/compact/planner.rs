//! What the schedules of compactions have in common: the path, the steps, and how scratch is shared out.

use wavelane_device::{Capabilities, Quirk, QuirkEffect};

use super::width::Width;
use crate::limits::DeviceLimits;
use crate::scan::exchange::{Exchange, SLOTS_EACH};
use crate::schedule::{BufferNeed, BufferUse, COUNT_BYTES, Place, Schedule, ScheduleParts, StepAction, StepRange};
use crate::{Error, Path, PathChoice, PathNeeds, Tuning, select};

/// The schedules' first buffers, in their order.
pub(super) const INPUT: usize = 0;
pub(super) const OUTPUT: usize = 1;
pub(super) const SCRATCH: usize = 2;
pub(super) const COUNT: usize = 3;
pub(super) const SELECTED: usize = 4;

/// A schedule in the making.
pub(super) struct Planner<'a> {
    pub(super) limits: DeviceLimits<'a>,
    pub(super) tuning: &'a Tuning,
    pub(super) choice: PathChoice,
    /// Whether a workgroup may rely on what others wrote in the same dispatch.
    pub(super) may_look_back: bool,
    pub(super) actions: Vec<StepAction>,
    /// How the work is shared, in words.
    pub(super) strategy: String,
    /// Bytes of scratch that are given out.
    pub(super) scratch_bytes: u64,
    pub(super) bytes_moved: u64,
}

/// The exchange of counts.
pub(super) const EXCHANGE: Exchange =
    Exchange { state_words: 1, slots_each: SLOTS_EACH, has_heads: false, has_arithmetic: true, wide: false };

impl<'a> Planner<'a> {
    /// For elements of a width, or of several: the widest staging counts.
    pub(super) fn new(
        widths: &[Width],
        capabilities: &'a Capabilities,
        quirks: &[&'static Quirk],
        tuning: &'a Tuning,
        path: Option<Path>,
    ) -> Result<Self, Error> {
        let staging = widths.iter().map(|width| width.staging_words()).max().unwrap_or(0);
        let exchange = EXCHANGE.needs();
        let needs = PathNeeds { shared_words: exchange.shared_words + staging, ..exchange };
        Ok(Self {
            limits: DeviceLimits { capabilities },
            tuning,
            choice: select(capabilities, quirks, tuning, &needs, path)?,
            may_look_back: !quirks.iter().any(|quirk| quirk.effect == QuirkEffect::ForbidLastWorkgroupDone),
            actions: Vec::new(),
            strategy: "there are no elements".into(),
            scratch_bytes: 0,
            bytes_moved: 0,
        })
    }

    /// So many bytes of scratch, beginning where a binding may.
    pub(super) fn take_scratch(&mut self, bytes: u64) -> Place {
        let offset = self.scratch_bytes.next_multiple_of(self.limits.alignment());
        self.scratch_bytes = offset + bytes.next_multiple_of(4);
        Place { buffer: SCRATCH, offset }
    }

    /// A copy of one word.
    pub(super) fn copy_word(&mut self, from: Place, to: Place) {
        self.copy_words(from, to, 1);
    }

    /// A copy of words.
    pub(super) fn copy_words(&mut self, from: Place, to: Place, words: u64) {
        let range = StepRange { offset: to.offset, size: 4 * words };
        self.actions.push(StepAction::Copy { from: from.buffer, from_offset: from.offset, to: to.buffer, range });
    }

    /// Writes 0 to a word.
    pub(super) fn clear_word(&mut self, to: Place) {
        let range = StepRange { offset: to.offset, size: COUNT_BYTES };
        self.actions.push(StepAction::Fill { buffer: to.buffer, range, word: 0 });
    }

    /// A buffer among the bindings.
    pub(super) fn need(&self, name: &'static str, usage: BufferUse, bytes: u64) -> BufferNeed {
        BufferNeed { name, usage, bytes: bytes.next_multiple_of(4), alignment: self.limits.alignment() }
    }

    /// A buffer of one word, which is only copied.
    pub(super) fn need_word(name: &'static str, usage: BufferUse, used: bool) -> BufferNeed {
        BufferNeed { name, usage, bytes: if used { COUNT_BYTES } else { 0 }, alignment: COUNT_BYTES }
    }

    pub(super) fn finish(self, kernel: &'static str, title: String, buffers: Vec<BufferNeed>) -> Result<Schedule, Error> {
        let Self { limits, choice, actions, strategy, bytes_moved, .. } = self;
        Schedule::new(ScheduleParts { kernel, title, choice, strategy, buffers, actions, bytes_moved }, limits)
    }
}
