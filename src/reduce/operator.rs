//! The operators of a reduction.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a reduction computes. numpy is the referee for every meaning; integer sums and products wrap in the element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReduceOp {
    /// Sum; 0 for no elements.
    Sum,
    /// Product; 1 for no elements.
    Prod,
    /// Least element.
    Min,
    /// Greatest element.
    Max,
    /// Bitwise and; all ones for no elements.
    And,
    /// Bitwise or; 0 for no elements.
    Or,
    /// Bitwise exclusive or; 0 for no elements.
    Xor,
    /// Whether any element is not zero (NaN is not zero).
    Any,
    /// Whether all elements are not zero; true for no elements.
    All,
    /// Mean; NaN for no elements.
    Mean,
    /// Variance with divisor n; NaN for no elements.
    Var,
    /// Sum of magnitudes.
    Norm1,
    /// Square root of the sum of squares.
    Norm2,
    /// Position of the first least element.
    ArgMin,
    /// Position of the first greatest element.
    ArgMax,
}

impl ReduceOp {
    /// Every operator.
    pub const ALL: [Self; 15] = [
        Self::Sum,
        Self::Prod,
        Self::Min,
        Self::Max,
        Self::And,
        Self::Or,
        Self::Xor,
        Self::Any,
        Self::All,
        Self::Mean,
        Self::Var,
        Self::Norm1,
        Self::Norm2,
        Self::ArgMin,
        Self::ArgMax,
    ];

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
            Self::Any => "any",
            Self::All => "all",
            Self::Mean => "mean",
            Self::Var => "var",
            Self::Norm1 => "norm1",
            Self::Norm2 => "norm2",
            Self::ArgMin => "argmin",
            Self::ArgMax => "argmax",
        }
    }

    /// Its number in the shaders (`OPERATOR_*` in `glsl/reduce/interface.glsl`).
    pub(crate) const fn shader_number(self) -> u32 {
        self as u32
    }

    /// Whether it combines bits, which floats do not have.
    pub const fn is_bitwise(self) -> bool {
        matches!(self, Self::And | Self::Or | Self::Xor)
    }

    /// Whether it has no value for no elements.
    pub const fn needs_elements(self) -> bool {
        matches!(self, Self::Min | Self::Max | Self::ArgMin | Self::ArgMax)
    }
}

impl fmt::Display for ReduceOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl std::str::FromStr for ReduceOp {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|op| op.name() == text).ok_or_else(|| {
            let known: Vec<_> = Self::ALL.iter().map(|op| op.name()).collect();
            format!("unknown operator `{text}`; known: {}", known.join(", "))
        })
    }
}
