//! Sizes that depend on specialization constants.

/// A 32-bit value computed from specialization constants; booleans are 0 and 1, signed integers are two's complement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    /// A value known already.
    Literal(u32),
    /// The value of the specialization constant with this id.
    Constant(u32),
    /// An operation on other values.
    Apply(Operation, Vec<Expression>),
}

/// What SPIR-V allows on specialization constants of 32 bits, and what adding up sizes needs.
///
/// Division by zero and shifts of 32 or more have no value in SPIR-V; they give 0 here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Operation {
    Add,
    Subtract,
    Multiply,
    DivideUnsigned,
    DivideSigned,
    RemainderUnsigned,
    /// The sign of the dividend.
    RemainderSigned,
    /// The sign of the divisor.
    ModuloSigned,
    Negate,
    Not,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRightLogical,
    ShiftRightArithmetic,
    Equal,
    NotEqual,
    LessUnsigned,
    LessSigned,
    LessEqualUnsigned,
    LessEqualSigned,
    LogicalAnd,
    LogicalOr,
    LogicalNot,
    /// The second value if the first is not 0, else the third.
    Select,
    /// Adds sizes: stops at the largest value instead of wrapping.
    AddSizes,
    /// Multiplies sizes: stops at the largest value instead of wrapping.
    MultiplySizes,
    /// Rounds the first value up to a multiple of the second; stops at the largest value.
    RoundUp,
}

impl Operation {
    /// How many values it takes.
    pub fn operands(self) -> usize {
        match self {
            Operation::Negate | Operation::Not | Operation::LogicalNot => 1,
            Operation::Select => 3,
            _ => 2,
        }
    }
}

impl Expression {
    /// Applies an operation, at once where all values are known.
    pub fn apply(operation: Operation, operands: Vec<Expression>) -> Expression {
        match (operation, operands.as_slice()) {
            (Operation::AddSizes, [Expression::Literal(0), other] | [other, Expression::Literal(0)]) => other.clone(),
            (Operation::MultiplySizes | Operation::RoundUp, [other, Expression::Literal(1)]) => other.clone(),
            (Operation::MultiplySizes, [Expression::Literal(1), other]) => other.clone(),
            (Operation::RoundUp, [product, Expression::Literal(to)]) if product.is_multiple_of(*to) => product.clone(),
            _ if operands.iter().all(|operand| matches!(operand, Expression::Literal(_))) => {
                let known = Expression::Apply(operation, operands);
                Expression::Literal(known.evaluate(&|_| 0))
            }
            _ => Expression::Apply(operation, operands),
        }
    }

    /// `true` for a size that is known to be a multiple, or the largest value.
    fn is_multiple_of(&self, number: u32) -> bool {
        match self {
            Expression::Apply(Operation::MultiplySizes, factors) => factors.iter().any(|factor| factor.is_multiple_of(number)),
            Expression::Literal(value) => value.is_multiple_of(number),
            _ => false,
        }
    }

    /// The ids of all specialization constants in it, each once and in order.
    pub fn constants(&self) -> Vec<u32> {
        let mut ids = Vec::new();
        self.collect(&mut ids);
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    fn collect(&self, ids: &mut Vec<u32>) {
        match self {
            Expression::Literal(_) => {}
            Expression::Constant(id) => ids.push(*id),
            Expression::Apply(_, operands) => operands.iter().for_each(|operand| operand.collect(ids)),
        }
    }

    /// Its value, given those of the specialization constants.
    pub fn evaluate(&self, constant: &dyn Fn(u32) -> u32) -> u32 {
        match self {
            Expression::Literal(value) => *value,
            Expression::Constant(id) => constant(*id),
            Expression::Apply(operation, operands) => {
                let value = |index: usize| operands.get(index).map_or(0, |operand| operand.evaluate(constant));
                compute(*operation, value(0), value(1), value(2))
            }
        }
    }

    /// Rust that computes it as a `u32`. `constant` gives the Rust for a constant, as a `u32`.
    pub fn to_rust(&self, constant: &dyn Fn(u32) -> String) -> String {
        match self {
            Expression::Literal(value) => format!("{value}u32"),
            Expression::Constant(id) => constant(*id),
            Expression::Apply(operation, operands) => {
                let text = |index: usize| operands.get(index).map_or("0u32".into(), |operand| operand.to_rust(constant));
                rust(*operation, &text(0), &text(1), &text(2))
            }
        }
    }
}

fn compute(operation: Operation, a: u32, b: u32, c: u32) -> u32 {
    let (signed_a, signed_b) = (a.cast_signed(), b.cast_signed());
    match operation {
        Operation::Add => a.wrapping_add(b),
        Operation::Subtract => a.wrapping_sub(b),
        Operation::Multiply => a.wrapping_mul(b),
        Operation::DivideUnsigned => a.checked_div(b).unwrap_or(0),
        Operation::DivideSigned => signed_a.checked_div(signed_b).unwrap_or(0).cast_unsigned(),
        Operation::RemainderUnsigned => a.checked_rem(b).unwrap_or(0),
        Operation::RemainderSigned => signed_a.checked_rem(signed_b).unwrap_or(0).cast_unsigned(),
        Operation::ModuloSigned => {
            signed_a.checked_rem(signed_b).unwrap_or(0).wrapping_add(signed_b).checked_rem(signed_b).unwrap_or(0).cast_unsigned()
        }
        Operation::Negate => a.wrapping_neg(),
        Operation::Not => !a,
        Operation::And => a & b,
        Operation::Or => a | b,
        Operation::Xor => a ^ b,
        Operation::ShiftLeft => a.checked_shl(b).unwrap_or(0),
        Operation::ShiftRightLogical => a.checked_shr(b).unwrap_or(0),
        Operation::ShiftRightArithmetic => signed_a.checked_shr(b).unwrap_or(0).cast_unsigned(),
        Operation::Equal => u32::from(a == b),
        Operation::NotEqual => u32::from(a != b),
        Operation::LessUnsigned => u32::from(a < b),
        Operation::LessSigned => u32::from(signed_a < signed_b),
        Operation::LessEqualUnsigned => u32::from(a <= b),
        Operation::LessEqualSigned => u32::from(signed_a <= signed_b),
        Operation::LogicalAnd => u32::from(a != 0 && b != 0),
        Operation::LogicalOr => u32::from(a != 0 || b != 0),
        Operation::LogicalNot => u32::from(a == 0),
        Operation::Select => {
            if a != 0 {
                b
            } else {
                c
            }
        }
        Operation::AddSizes => a.saturating_add(b),
        Operation::MultiplySizes => a.saturating_mul(b),
        Operation::RoundUp => a.checked_next_multiple_of(b).unwrap_or(u32::MAX),
    }
}

/// The same as [`compute`], as text; every operand is an expression that a method can be called on.
fn rust(operation: Operation, a: &str, b: &str, c: &str) -> String {
    let method = |name: &str| format!("{a}.{name}({b})");
    let checked = |name: &str| format!("{a}.{name}({b}).unwrap_or(0)");
    let signed = |name: &str| format!("{a}.cast_signed().{name}({b}.cast_signed()).unwrap_or(0).cast_unsigned()");
    let test = |condition: String| format!("u32::from({condition})");
    match operation {
        Operation::Add => method("wrapping_add"),
        Operation::Subtract => method("wrapping_sub"),
        Operation::Multiply => method("wrapping_mul"),
        Operation::DivideUnsigned => checked("checked_div"),
        Operation::DivideSigned => signed("checked_div"),
        Operation::RemainderUnsigned => checked("checked_rem"),
        Operation::RemainderSigned => signed("checked_rem"),
        Operation::ModuloSigned => {
            let b = format!("{b}.cast_signed()");
            let remainder = format!("{a}.cast_signed().checked_rem({b}).unwrap_or(0)");
            format!("{remainder}.wrapping_add({b}).checked_rem({b}).unwrap_or(0).cast_unsigned()")
        }
        Operation::Negate => format!("{a}.wrapping_neg()"),
        Operation::Not => format!("(!{a})"),
        Operation::And => format!("({a} & {b})"),
        Operation::Or => format!("({a} | {b})"),
        Operation::Xor => format!("({a} ^ {b})"),
        Operation::ShiftLeft => checked("checked_shl"),
        Operation::ShiftRightLogical => checked("checked_shr"),
        Operation::ShiftRightArithmetic => format!("{a}.cast_signed().checked_shr({b}).unwrap_or(0).cast_unsigned()"),
        Operation::Equal => test(format!("{a} == {b}")),
        Operation::NotEqual => test(format!("{a} != {b}")),
        Operation::LessUnsigned => test(format!("{a} < {b}")),
        Operation::LessSigned => test(format!("{a}.cast_signed() < {b}.cast_signed()")),
        Operation::LessEqualUnsigned => test(format!("{a} <= {b}")),
        Operation::LessEqualSigned => test(format!("{a}.cast_signed() <= {b}.cast_signed()")),
        Operation::LogicalAnd => test(format!("{a} != 0 && {b} != 0")),
        Operation::LogicalOr => test(format!("{a} != 0 || {b} != 0")),
        Operation::LogicalNot => test(format!("{a} == 0")),
        Operation::Select => format!("(if {a} != 0 {{ {b} }} else {{ {c} }})"),
        Operation::AddSizes => method("saturating_add"),
        Operation::MultiplySizes => method("saturating_mul"),
        Operation::RoundUp => format!("{a}.checked_next_multiple_of({b}).unwrap_or(u32::MAX)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn literal(value: u32) -> Expression {
        Expression::Literal(value)
    }

    #[test]
    fn known_values_are_folded() {
        let sum = Expression::apply(Operation::Add, vec![literal(u32::MAX), literal(2)]);
        assert_eq!(sum, literal(1));
        assert_eq!(Expression::apply(Operation::AddSizes, vec![literal(u32::MAX), literal(2)]), literal(u32::MAX));
        assert_eq!(Expression::apply(Operation::RoundUp, vec![literal(13), literal(4)]), literal(16));
        assert_eq!(Expression::apply(Operation::DivideUnsigned, vec![literal(13), literal(0)]), literal(0));
        let minus_seven = literal((-7i32).cast_unsigned());
        assert_eq!(Expression::apply(Operation::DivideSigned, vec![minus_seven.clone(), literal(2)]), literal((-3i32).cast_unsigned()));
        assert_eq!(Expression::apply(Operation::ModuloSigned, vec![minus_seven, literal(3)]), literal(2));
        let minus_three = literal((-3i32).cast_unsigned());
        assert_eq!(Expression::apply(Operation::ModuloSigned, vec![literal(7), minus_three]), literal((-2i32).cast_unsigned()));
    }

    #[test]
    fn constants_stay_open_until_they_have_values() {
        let length = Expression::apply(Operation::DivideUnsigned, vec![Expression::Constant(4), literal(2)]);
        let bytes = Expression::apply(Operation::MultiplySizes, vec![length, literal(16)]);
        assert_eq!(bytes.constants(), [4]);
        assert_eq!(bytes.evaluate(&|_| 65), 512);
        assert_eq!(bytes.evaluate(&|_| u32::MAX), u32::MAX);
        assert_eq!(bytes.to_rust(&|id| format!("c.constant_{id}")), "c.constant_4.checked_div(2u32).unwrap_or(0).saturating_mul(16u32)");
    }
}
