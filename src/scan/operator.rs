//! The operators of a scan.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a scan combines elements by. Integer sums and products wrap in the element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScanOp {
    /// Sum; begins with 0.
    Sum,
    /// Product; begins with 1.
    Prod,
    /// Least element; begins with the greatest value of the type.
    Min,
    /// Greatest element; begins with the least value of the type.
    Max,
    /// Bitwise and; begins with all ones.
    And,
    /// Bitwise or; begins with 0.
    Or,
    /// Bitwise exclusive or; begins with 0.
    Xor,
    /// The last element that is not zero, carried forward; begins with 0. Not commutative.
    Last,
}

impl ScanOp {
    /// Every operator.
    pub const ALL: [Self; 8] = [Self::Sum, Self::Prod, Self::Min, Self::Max, Self::And, Self::Or, Self::Xor, Self::Last];

    /// Name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Prod => "prod",
            Self::Min => "min",
            Self::Max => "max",
            Self::And => "and",
            Self::Or => "or",
            Self::Xor => "xor",
            Self::Last => "last",
        }
    }

    /// Its number in the shaders (`glsl/include/operators.glsl`).
    pub(crate) const fn shader_number(self) -> u32 {
        match self {
            Self::Last => 15,
            _ => self as u32,
        }
    }

    /// Whether it combines bits, which floats do not have.
    pub const fn is_bitwise(self) -> bool {
        matches!(self, Self::And | Self::Or | Self::Xor)
    }

    /// Whether subgroup arithmetic knows it (`CARRY_HAS_ARITHMETIC` in the shaders).
    pub(crate) const fn has_arithmetic(self) -> bool {
        !matches!(self, Self::Last)
    }
}

impl fmt::Display for ScanOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
