//! Elements as bits: all types of a width share their shader modules.

use crate::dtype::per_wide_load;
use crate::{DType, Path};

/// Bits of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    W8,
    W16,
    W32,
    W64,
}

/// What comparisons take elements for (`KEY_*` in `glsl/include/key.glsl`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Unsigned = 0,
    Signed = 1,
    Float = 2,
}

impl Width {
    pub(crate) fn of(dtype: DType) -> Self {
        match dtype.size() {
            1 => Self::W8,
            2 => Self::W16,
            4 => Self::W32,
            _ => Self::W64,
        }
    }

    /// Bytes of an element.
    pub(crate) fn bytes(self) -> u64 {
        match self {
            Self::W8 => 1,
            Self::W16 => 2,
            Self::W32 => 4,
            Self::W64 => 8,
        }
    }

    /// Elements of a wide load (`PER_QUAD`): of 16 bytes, and of 8 where elements are bytes.
    pub(crate) fn per_wide_load(self) -> u64 {
        per_wide_load(self.bytes())
    }

    /// Words of shared memory that the elements of an invocation's wide load take, or their positions (`STAGING_SLOTS`).
    pub(crate) fn staging_words(self) -> u32 {
        self.per_wide_load().max(4) as u32
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::W8 => "w8",
            Self::W16 => "w16",
            Self::W32 => "w32",
            Self::W64 => "w64",
        }
    }

    /// Name of a shader module.
    pub(crate) fn module(self, path: Path) -> String {
        format!("{}.{}", self.name(), path.module_name())
    }

    /// An element's bits as the shaders have them: 8 and 16 bits in the upper part of a word.
    pub(crate) fn words(self, bits: u64) -> [u32; 2] {
        match self {
            Self::W8 => [(bits as u32) << 24, 0],
            Self::W16 => [(bits as u32) << 16, 0],
            _ => [bits as u32, (bits >> 32) as u32],
        }
    }
}

impl Kind {
    pub(crate) fn of(dtype: DType) -> Self {
        match dtype {
            _ if dtype.is_float() => Self::Float,
            _ if dtype.is_signed_integer() => Self::Signed,
            _ => Self::Unsigned,
        }
    }
}
