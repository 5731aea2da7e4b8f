//! Where segments begin in what is scanned.

use super::work::{HEADS, Planner, SCRATCH};
use crate::limits::DeviceLimits;
use crate::schedule::{StepAction, StepRange, dispatch};
use crate::split::blocks;
use crate::{DType, Error};

/// Offsets of a dispatch: the numbers of their invocations fit 32 bits, the padding of folded workgroups included.
const MOST_ITEMS: u64 = 1 << 31;

/// What tells where segments begin (`HEADS_*` in `glsl/scan/interface.glsl`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heads {
    /// There are none.
    None,
    /// Rows of the same length.
    Rows,
    /// A u32 for each element, not zero where a segment begins.
    Flags,
    /// So many u32 offsets of segments, of which the device first makes a bit for each element, in scratch.
    Offsets(u64),
    /// A key for each element, of 1 to 8 bytes.
    Keys(DType),
    /// None is needed: each segment has so many elements.
    Length(u64),
}

impl Heads {
    pub(super) fn number(self) -> u32 {
        match self {
            Self::None => 0,
            Self::Rows => 1,
            Self::Flags => 2,
            Self::Offsets(_) => 3,
            Self::Keys(key) => match key.size() {
                4 => 4,
                8 => 5,
                2 => 6,
                _ => 7,
            },
            Self::Length(_) => 8,
        }
    }

    pub(super) fn is_some(self) -> bool {
        self != Self::None
    }

    /// Whether several keys stand in one word.
    pub(super) fn is_packed(self) -> bool {
        matches!(self, Self::Keys(key) if key.size() < 4)
    }

    /// Bits for each element, in the buffer that the scan reads.
    fn bits(self) -> u64 {
        match self {
            Self::None | Self::Rows | Self::Length(_) => 0,
            Self::Flags => 32,
            Self::Offsets(_) => 1,
            Self::Keys(key) => 8 * key.size(),
        }
    }

    /// Whether a buffer tells of them.
    pub(super) fn has_buffer(self) -> bool {
        self.bits() > 0
    }

    /// Elements of a segment, where all have as many.
    pub(super) fn segment_length(self) -> u64 {
        if let Self::Length(length) = self { length } else { 1 }
    }

    /// Bytes that the scan reads for so many elements.
    pub(super) fn bytes(self, elements: u64) -> u64 {
        (elements * self.bits()).div_ceil(32) * 4
    }

    /// The buffer of the caller's that tells where segments begin: its name, and bytes for so many elements.
    pub(super) fn input(self, elements: u64) -> Option<(&'static str, u64)> {
        match self {
            Self::None | Self::Rows | Self::Length(_) => None,
            Self::Flags => Some(("flags", self.bytes(elements))),
            Self::Keys(_) => Some(("keys", self.bytes(elements))),
            Self::Offsets(count) => Some(("offsets", 4 * count)),
        }
    }

    /// Bytes of scratch that the scan reads, where segments are not told element by element.
    pub(super) fn scratch_bytes(self, elements: u64) -> u64 {
        if matches!(self, Self::Offsets(_)) { self.bytes(elements) } else { 0 }
    }

    /// Elements whose heads a descriptor reaches, with one on either side.
    pub(super) fn capacity(self, limits: &DeviceLimits<'_>) -> u64 {
        let bytes = limits.reach().saturating_sub(2 * limits.alignment());
        (8 * bytes).checked_div(self.bits()).map_or(u64::MAX, |elements| elements.saturating_sub(2))
    }

    /// The bytes for elements `first..first + count` of `total` and one on either side, and the first element whose head they hold.
    pub(super) fn range(self, first: u64, count: u64, total: u64, limits: &DeviceLimits<'_>) -> (StepRange, u64) {
        let bits = self.bits();
        let begin = first.saturating_sub(1) * bits / 8;
        let offset = begin - begin % limits.alignment();
        let end = self.bytes((first + count + 1).min(total));
        (StepRange { offset, size: end - offset }, 8 * offset / bits)
    }
}

impl Planner<'_> {
    /// Where segments are told by their offsets: makes a bit for each element, behind the words of scratch.
    pub(super) fn make_heads(&mut self) -> Result<(), Error> {
        let Heads::Offsets(count) = self.work.heads else { return Ok(()) };
        let elements = self.work.layout.elements();
        let alignment = self.limits.alignment();
        self.heads_at = (4 * self.scratch_words).next_multiple_of(alignment);
        let all = StepRange { offset: self.heads_at, size: self.work.heads.bytes(elements) };
        self.actions.push(StepAction::Fill { buffer: SCRATCH, range: all, word: 0 });
        let at_once = self.limits.capacity(count, 4).min(MOST_ITEMS);
        // Bits that a descriptor reaches, from an aligned byte on.
        let reach = 8 * (self.limits.reach() - self.limits.reach() % alignment);
        for (first, elements) in blocks(elements, reach) {
            let bits = StepRange { offset: self.heads_at + first / 8, size: self.work.heads.bytes(elements) };
            for (offset, offsets) in blocks(count, at_once) {
                let (range, base) = self.limits.range(offset, offsets, 4);
                let action = dispatch!(
                    scan::offsets,
                    "default".into(),
                    shader::SpecializationConstants { workgroup_size: self.choice.workgroup_size },
                    shader::PushConstants { offsets: offsets as u32, offset_base: base, first: first as u32, elements: elements as u32 },
                    self.limits.fold(offsets.div_ceil(u64::from(self.choice.workgroup_size)))?,
                    vec![(HEADS, range), (SCRATCH, bits)]
                );
                self.actions.push(action);
            }
        }
        Ok(())
    }
}
