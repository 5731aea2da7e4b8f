//! What is computed of elements.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::DType;

/// What is computed of each element, or of each pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TransformOp {
    /// Negative; of unsigned integers, too.
    Neg,
    /// Magnitude; that of the least integer is itself.
    Abs,
    /// Square root, of floats.
    Sqrt,
    /// Exponential, of floats.
    Exp,
    /// Natural logarithm, of floats.
    Log,
    /// Nearest integer below.
    Floor,
    /// Nearest integer above.
    Ceil,
    /// All bits the other way, of integers.
    Not,
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Quotient; of integers rounded down, and 0 where the divisor is.
    Div,
    /// The lesser of two; the first NaN if there is one.
    Min,
    /// The greater of two; the first NaN if there is one.
    Max,
    /// Bits that both have, of integers.
    And,
    /// Bits that either has, of integers.
    Or,
    /// Bits that one has, of integers.
    Xor,
    /// Bits moved up, of integers; 0 where that is by as many as there are.
    Shl,
    /// Bits moved down, of integers; signed ones keep their sign.
    Shr,
    /// Whether two are equal: 1 or 0, as u32.
    Eq,
    /// Whether they are not.
    Ne,
    /// Whether the first is less.
    Lt,
    /// Whether it is less, or they are equal.
    Le,
    /// Whether it is greater.
    Gt,
    /// Whether it is greater, or they are equal.
    Ge,
}

impl TransformOp {
    /// Every operator, in the order of their numbers in `glsl/transform/operators.glsl`.
    pub const ALL: [Self; 25] = [
        Self::Neg,
        Self::Abs,
        Self::Sqrt,
        Self::Exp,
        Self::Log,
        Self::Floor,
        Self::Ceil,
        Self::Not,
        Self::Add,
        Self::Sub,
        Self::Mul,
        Self::Div,
        Self::Min,
        Self::Max,
        Self::And,
        Self::Or,
        Self::Xor,
        Self::Shl,
        Self::Shr,
        Self::Eq,
        Self::Ne,
        Self::Lt,
        Self::Le,
        Self::Gt,
        Self::Ge,
    ];

    /// Short name: `add`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Neg => "neg",
            Self::Abs => "abs",
            Self::Sqrt => "sqrt",
            Self::Exp => "exp",
            Self::Log => "log",
            Self::Floor => "floor",
            Self::Ceil => "ceil",
            Self::Not => "not",
            Self::Add => "add",
            Self::Sub => "sub",
            Self::Mul => "mul",
            Self::Div => "div",
            Self::Min => "min",
            Self::Max => "max",
            Self::And => "and",
            Self::Or => "or",
            Self::Xor => "xor",
            Self::Shl => "shl",
            Self::Shr => "shr",
            Self::Eq => "eq",
            Self::Ne => "ne",
            Self::Lt => "lt",
            Self::Le => "le",
            Self::Gt => "gt",
            Self::Ge => "ge",
        }
    }

    /// How many operands it takes.
    pub const fn operands(self) -> usize {
        if (self as usize) < Self::Add as usize { 1 } else { 2 }
    }

    /// Whether results are truth values: 1 or 0, as u32.
    pub const fn compares(self) -> bool {
        self as usize >= Self::Eq as usize
    }

    /// Whether it is defined for integers alone.
    pub const fn needs_integers(self) -> bool {
        matches!(self, Self::Not | Self::And | Self::Or | Self::Xor | Self::Shl | Self::Shr)
    }

    /// Whether it is defined for floats alone.
    pub const fn needs_floats(self) -> bool {
        matches!(self, Self::Sqrt | Self::Exp | Self::Log)
    }

    /// Whether it is defined for a type.
    pub const fn takes(self, dtype: DType) -> bool {
        if dtype.is_float() { !self.needs_integers() } else { !self.needs_floats() }
    }

    /// Type of the results for operands of a type.
    pub const fn result_dtype(self, dtype: DType) -> DType {
        if self.compares() { DType::U32 } else { dtype }
    }
}

impl fmt::Display for TransformOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_follow_the_list() {
        for (number, op) in TransformOp::ALL.into_iter().enumerate() {
            assert_eq!(op as usize, number, "{op}");
            assert!(op.takes(DType::F32) || op.takes(DType::U8), "{op}");
        }
        assert_eq!(TransformOp::Ge as u32, 24);
        assert_eq!((TransformOp::Not.operands(), TransformOp::Add.operands()), (1, 2));
    }
}
