//! Element types.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The type of an array's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DType {
    /// Unsigned 8-bit integers. Read four to a word and computed in u32, so no 8-bit feature of the device is needed.
    U8,
    /// Unsigned 16-bit integers. Read two to a word and computed in u32, so no 16-bit feature of the device is needed.
    U16,
    /// Signed 8-bit integers. Read four to a word and computed in i32, so no 8-bit feature of the device is needed.
    I8,
    /// Signed 16-bit integers. Read two to a word and computed in i32, so no 16-bit feature of the device is needed.
    I16,
    /// Unsigned 32-bit integers.
    U32,
    /// Signed 32-bit integers.
    I32,
    /// 32-bit floats.
    F32,
    /// 16-bit floats. Read two to a word and computed in f32, so no 16-bit feature of the device is needed.
    F16,
    /// Unsigned 64-bit integers; needs `shaderInt64`.
    U64,
    /// Signed 64-bit integers; needs `shaderInt64`.
    I64,
    /// 64-bit floats; needs `shaderFloat64`, and `shaderInt64` for minima and maxima.
    F64,
}

impl DType {
    /// Every type.
    pub const ALL: [Self; 11] =
        [Self::U8, Self::U16, Self::I8, Self::I16, Self::U32, Self::I32, Self::F32, Self::F16, Self::U64, Self::I64, Self::F64];

    /// Bytes of one element.
    pub const fn size(self) -> u64 {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 | Self::F16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 | Self::I64 | Self::F64 => 8,
        }
    }

    /// What elements are in registers, and what comes of combining them: f32 for f16, u32 for u8 and u16, i32 for i8 and i16, else the type itself.
    pub const fn computed(self) -> Self {
        match self {
            Self::U8 | Self::U16 => Self::U32,
            Self::I8 | Self::I16 => Self::I32,
            Self::F16 => Self::F32,
            dtype => dtype,
        }
    }

    /// Elements of a wide load: of 16 bytes, and of 8 where elements are bytes, so that an invocation does not get too many of those (`ELEMENTS_PER_QUAD` in the shaders).
    pub(crate) const fn per_wide_load(self) -> u64 {
        per_wide_load(self.size())
    }

    /// What the shaders take elements for when they compute with them: small integers have one module for both sizes, signed and unsigned, told apart by constants.
    pub(crate) const fn element_module(self) -> &'static str {
        match self {
            Self::U8 | Self::U16 | Self::I8 | Self::I16 => "small",
            _ => self.name(),
        }
    }

    /// Bits of an element, for that constant (`ELEMENT_BITS` in `glsl/include/element/small.glsl`).
    pub(crate) const fn bits(self) -> u32 {
        8 * self.size() as u32
    }

    /// Whether their uppermost bit is the sign, for the other constant (`ELEMENT_SIGNED` there).
    pub(crate) const fn signed_constant(self) -> u32 {
        self.is_signed_integer() as u32
    }

    /// Short name: `f32`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::U32 => "u32",
            Self::I32 => "i32",
            Self::F32 => "f32",
            Self::F16 => "f16",
            Self::U64 => "u64",
            Self::I64 => "i64",
            Self::F64 => "f64",
        }
    }

    /// Whether elements are floats.
    pub const fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::F32 | Self::F64)
    }

    /// Whether elements are signed integers.
    pub const fn is_signed_integer(self) -> bool {
        matches!(self, Self::I8 | Self::I16 | Self::I32 | Self::I64)
    }
}

/// Elements of so many bytes in a wide load.
pub(crate) const fn per_wide_load(bytes: u64) -> u64 {
    if bytes == 1 { 8 } else { 16 / bytes }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl std::str::FromStr for DType {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|dtype| dtype.name() == text).ok_or_else(|| {
            let known: Vec<_> = Self::ALL.iter().map(|dtype| dtype.name()).collect();
            format!("unknown element type `{text}`; known: {}", known.join(", "))
        })
    }
}

/// A Rust type that is an array's element.
pub trait Element: bytemuck::Pod {
    /// The type it is.
    const DTYPE: DType;
}

macro_rules! elements {
    ($($rust:ty => $dtype:ident),*) => { $(impl Element for $rust { const DTYPE: DType = DType::$dtype; })* };
}
elements!(u8 => U8, u16 => U16, i8 => I8, i16 => I16, u32 => U32, i32 => I32, f32 => F32, half::f16 => F16, u64 => U64, i64 => I64, f64 => F64);
