//! Which elements a selection keeps.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::pass::Flags;
use super::width::{Kind, Width};
use crate::{DType, Error, Scalar};

/// How an element is compared with a value. Floats compare as IEEE 754 says: with NaN nothing holds but [`Compare::Ne`], and -0 equals +0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Compare {
    /// Less.
    Lt,
    /// Less or equal.
    Le,
    /// Greater.
    Gt,
    /// Greater or equal.
    Ge,
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
}

impl Compare {
    /// Every comparison.
    pub const ALL: [Self; 6] = [Self::Lt, Self::Le, Self::Gt, Self::Ge, Self::Eq, Self::Ne];

    /// Name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lt => "lt",
            Self::Le => "le",
            Self::Gt => "gt",
            Self::Ge => "ge",
            Self::Eq => "eq",
            Self::Ne => "ne",
        }
    }

    /// What the comparison may come to (`COMPARED_*` in `glsl/compact/width.glsl`).
    pub(super) const fn wanted(self) -> u32 {
        const LESS: u32 = 1;
        const EQUAL: u32 = 2;
        const GREATER: u32 = 4;
        const UNORDERED: u32 = 8;
        match self {
            Self::Lt => LESS,
            Self::Le => LESS | EQUAL,
            Self::Gt => GREATER,
            Self::Ge => GREATER | EQUAL,
            Self::Eq => EQUAL,
            Self::Ne => LESS | GREATER | UNORDERED,
        }
    }
}

impl fmt::Display for Compare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// How a mask lies in its buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MaskForm {
    /// A u32 for each element.
    Words,
    /// A byte for each element, as truth values of Rust and numpy are. The buffer is read by words: its size is a multiple of 4.
    Bytes,
}

impl MaskForm {
    /// Bytes for each element.
    pub(super) const fn size(self) -> u64 {
        match self {
            Self::Words => 4,
            Self::Bytes => 1,
        }
    }
}

/// Which elements are selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Condition {
    /// Those that compare so with a value of their type.
    Compare(Compare, Scalar),
    /// Those whose entry in a mask is not zero.
    Mask(MaskForm),
}

impl Condition {
    pub(super) fn flags(self, dtype: DType) -> Result<Flags, Error> {
        match self {
            Self::Compare(_, value) if value.dtype() != dtype => Err(Error::ElementType { asked: value.dtype(), found: dtype }),
            Self::Compare(compare, value) => {
                Ok(Flags::Compare { wanted: compare.wanted(), kind: Kind::of(dtype), value: Width::of(dtype).words(value.bits()) })
            }
            Self::Mask(form) => Ok(Flags::Mask(form)),
        }
    }

    /// Bytes of the mask of so many elements; 0 where there is none.
    pub(super) fn mask_bytes(self, len: u64) -> u64 {
        match self {
            Self::Compare(..) => 0,
            Self::Mask(form) => (len * form.size()).next_multiple_of(4),
        }
    }

    pub(super) fn words(self) -> String {
        match self {
            Self::Compare(compare, value) => format!("{compare} {}", shown(value)),
            Self::Mask(MaskForm::Words) => "set in a mask of words".into(),
            Self::Mask(MaskForm::Bytes) => "set in a mask of bytes".into(),
        }
    }
}

/// A value as text.
fn shown(value: Scalar) -> String {
    let bits = value.bits();
    match value.dtype() {
        DType::U8 | DType::U16 | DType::U32 | DType::U64 => bits.to_string(),
        DType::I8 => (bits as u8 as i8).to_string(),
        DType::I16 => (bits as u16 as i16).to_string(),
        DType::I32 => (bits as u32 as i32).to_string(),
        DType::I64 => (bits as i64).to_string(),
        DType::F16 => half::f16::from_bits(bits as u16).to_string(),
        DType::F32 => f32::from_bits(bits as u32).to_string(),
        DType::F64 => f64::from_bits(bits).to_string(),
    }
}
