//! Where segments begin in what is scanned.

use crate::limits::DeviceLimits;
use crate::schedule::StepRange;
use crate::{DType, Error};

/// What tells where segments begin (`HEADS_*` in `glsl/scan/interface.glsl`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heads {
    /// There are none.
    None,
    /// Rows of the same length.
    Rows,
    /// A u32 for each element, not zero where a segment begins.
    Flags,
    /// A bit for each element.
    Bits,
    /// A key for each element, 2, 4 or 8 bytes wide.
    Keys(DType),
}

impl Heads {
    pub(super) fn number(self) -> u32 {
        match self {
            Self::None => 0,
            Self::Rows => 1,
            Self::Flags => 2,
            Self::Bits => 3,
            Self::Keys(key) => match key.size() {
                4 => 4,
                8 => 5,
                _ => 6,
            },
        }
    }

    pub(super) fn is_some(self) -> bool {
        self != Self::None
    }

    /// Bits in the buffer for each element.
    fn bits(self) -> u64 {
        match self {
            Self::None | Self::Rows => 0,
            Self::Flags => 32,
            Self::Bits => 1,
            Self::Keys(key) => 8 * key.size(),
        }
    }

    /// Bytes of the buffer for so many elements.
    pub(super) fn bytes(self, elements: u64) -> u64 {
        (elements * self.bits()).div_ceil(32) * 4
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

    /// Refuses keys that the shaders do not compare.
    pub(crate) fn check(self) -> Result<Self, Error> {
        match self {
            Self::Keys(key) if key.size() == 1 => Err(Error::KeyType { dtype: key }),
            _ => Ok(self),
        }
    }
}
