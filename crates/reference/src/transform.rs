//! The CPU twins of operations on each element, or on each pair of two arrays, with numpy's meaning.
//!
//! - What is exact keeps the element's type, and integers wrap in it.
//! - What is not exact is computed in `f64` and comes in `f64`, so that a device's result can be judged by it.

use crate::error::Error;
use crate::lines::Lines;
use crate::number::{Integer, Number, Scalar, same};
use crate::values::Values;

/// What to compute of each element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// Negative; of unsigned integers too.
    Neg,
    /// Absolute value; that of the least integer is itself.
    Abs,
    /// Bitwise not, of integers.
    Not,
    /// Nearest integer below, in the element's type.
    Floor,
    /// Nearest integer above, in the element's type.
    Ceil,
    /// Square root, in `f64`.
    Sqrt,
    /// Exponential, in `f64`.
    Exp,
    /// Natural logarithm, in `f64`.
    Log,
    /// Sine, in `f64`.
    Sin,
    /// Cosine, in `f64`.
    Cos,
    /// Hyperbolic tangent, in `f64`.
    Tanh,
}

impl UnaryOp {
    /// Every operation.
    pub const ALL: [UnaryOp; 11] = [
        UnaryOp::Neg,
        UnaryOp::Abs,
        UnaryOp::Not,
        UnaryOp::Floor,
        UnaryOp::Ceil,
        UnaryOp::Sqrt,
        UnaryOp::Exp,
        UnaryOp::Log,
        UnaryOp::Sin,
        UnaryOp::Cos,
        UnaryOp::Tanh,
    ];

    /// Short name: `neg`, `sqrt`, …
    pub fn name(self) -> &'static str {
        match self {
            UnaryOp::Neg => "neg",
            UnaryOp::Abs => "abs",
            UnaryOp::Not => "not",
            UnaryOp::Floor => "floor",
            UnaryOp::Ceil => "ceil",
            UnaryOp::Sqrt => "sqrt",
            UnaryOp::Exp => "exp",
            UnaryOp::Log => "log",
            UnaryOp::Sin => "sin",
            UnaryOp::Cos => "cos",
            UnaryOp::Tanh => "tanh",
        }
    }

    /// The operation on reals.
    fn real(self) -> Option<fn(f64) -> f64> {
        Some(match self {
            UnaryOp::Neg => |x| -x,
            UnaryOp::Abs => f64::abs,
            UnaryOp::Not => return None,
            UnaryOp::Floor => f64::floor,
            UnaryOp::Ceil => f64::ceil,
            UnaryOp::Sqrt => f64::sqrt,
            UnaryOp::Exp => f64::exp,
            UnaryOp::Log => f64::ln,
            UnaryOp::Sin => f64::sin,
            UnaryOp::Cos => f64::cos,
            UnaryOp::Tanh => f64::tanh,
        })
    }

    /// Whether a result is exact in the type of its element.
    fn is_exact(self) -> bool {
        matches!(self, UnaryOp::Neg | UnaryOp::Abs | UnaryOp::Not | UnaryOp::Floor | UnaryOp::Ceil)
    }
}

/// What to compute of each pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// Sum; of floats in `f64`.
    Add,
    /// Difference; of floats in `f64`.
    Sub,
    /// Product; of floats in `f64`.
    Mul,
    /// Quotient; of floats in `f64`, of integers rounded down as `//` does, and 0 where the divisor is.
    Div,
    /// The lesser, where -0 is less than +0; the first NaN if there is one.
    Min,
    /// The greater, where -0 is less than +0; the first NaN if there is one.
    Max,
    /// Bitwise and, of integers.
    And,
    /// Bitwise or, of integers.
    Or,
    /// Bitwise exclusive or, of integers.
    Xor,
    /// Bits moved up, of integers: by as many as there are, or by a negative number, nothing is left.
    Shl,
    /// Bits moved down, of integers: by as many as there are, or by a negative number, the sign is left.
    Shr,
    /// Whether two are equal: 1 or 0, as `u32`.
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

impl BinaryOp {
    /// Every operation.
    pub const ALL: [BinaryOp; 17] = [
        BinaryOp::Add,
        BinaryOp::Sub,
        BinaryOp::Mul,
        BinaryOp::Div,
        BinaryOp::Min,
        BinaryOp::Max,
        BinaryOp::And,
        BinaryOp::Or,
        BinaryOp::Xor,
        BinaryOp::Shl,
        BinaryOp::Shr,
        BinaryOp::Eq,
        BinaryOp::Ne,
        BinaryOp::Lt,
        BinaryOp::Le,
        BinaryOp::Gt,
        BinaryOp::Ge,
    ];

    /// Short name: `add`, `xor`, …
    pub fn name(self) -> &'static str {
        match self {
            BinaryOp::Add => "add",
            BinaryOp::Sub => "sub",
            BinaryOp::Mul => "mul",
            BinaryOp::Div => "div",
            BinaryOp::Min => "min",
            BinaryOp::Max => "max",
            BinaryOp::And => "and",
            BinaryOp::Or => "or",
            BinaryOp::Xor => "xor",
            BinaryOp::Shl => "shl",
            BinaryOp::Shr => "shr",
            BinaryOp::Eq => "eq",
            BinaryOp::Ne => "ne",
            BinaryOp::Lt => "lt",
            BinaryOp::Le => "le",
            BinaryOp::Gt => "gt",
            BinaryOp::Ge => "ge",
        }
    }
}

/// Computes `op` of each element.
pub fn transform_unary(op: UnaryOp, input: &Values) -> Result<Values, Error> {
    match input {
        Values::U8(data) => unary_integers(op, data),
        Values::U16(data) => unary_integers(op, data),
        Values::I8(data) => unary_integers(op, data),
        Values::I16(data) => unary_integers(op, data),
        Values::U32(data) => unary_integers(op, data),
        Values::I32(data) => unary_integers(op, data),
        Values::U64(data) => unary_integers(op, data),
        Values::I64(data) => unary_integers(op, data),
        Values::F32(data) => unary_floats(op, data),
        Values::F64(data) => unary_floats(op, data),
        Values::F16(data) => unary_floats(op, data),
    }
}

fn unary_integers<T: Integer>(op: UnaryOp, data: &[T]) -> Result<Values, Error> {
    let exact = |result: fn(T) -> T| Ok(T::values(data.iter().map(|&x| result(x)).collect()));
    match op {
        UnaryOp::Neg => exact(negative),
        UnaryOp::Abs => exact(|x| if x < T::ZERO { negative(x) } else { x }),
        UnaryOp::Not => exact(|x| x.xor(T::ALL_ONES)),
        UnaryOp::Floor | UnaryOp::Ceil => exact(|x| x),
        _ => unary_floats(op, data),
    }
}

fn negative<T: Integer>(x: T) -> T {
    x.mul(T::ALL_ONES)
}

fn unary_floats<T: Number>(op: UnaryOp, data: &[T]) -> Result<Values, Error> {
    let real = op.real().ok_or(Error::Undefined { operation: op.name(), element: T::ELEMENT })?;
    let results: Vec<f64> = data.iter().map(|x| real(x.to_f64())).collect();
    Ok(if op.is_exact() { crate::convert(&Values::F64(results), T::ELEMENT) } else { Values::F64(results) })
}

/// Computes `op` of each pair of two arrays of one type, whose shapes broadcast as numpy's do, and gives the shape of the result with it.
pub fn transform_binary(op: BinaryOp, a: &Values, a_shape: &[usize], b: &Values, b_shape: &[usize]) -> Result<(Values, Vec<usize>), Error> {
    let shape = broadcast(a_shape, b_shape)?;
    Lines::new(a.len(), a_shape, None)?;
    Lines::new(b.len(), b_shape, None)?;
    a.check_type("the second array", b)?;
    let (a, b) = (a.take(stretched(a_shape, &shape)), b.take(stretched(b_shape, &shape)));
    let results = match &a {
        Values::U8(a) => binary_integers(op, a, &b),
        Values::U16(a) => binary_integers(op, a, &b),
        Values::I8(a) => binary_integers(op, a, &b),
        Values::I16(a) => binary_integers(op, a, &b),
        Values::U32(a) => binary_integers(op, a, &b),
        Values::I32(a) => binary_integers(op, a, &b),
        Values::U64(a) => binary_integers(op, a, &b),
        Values::I64(a) => binary_integers(op, a, &b),
        Values::F32(a) => binary_floats(op, a, &b),
        Values::F64(a) => binary_floats(op, a, &b),
        Values::F16(a) => binary_floats(op, a, &b),
    };
    Ok((results?, shape))
}

fn binary_integers<T: Integer>(op: BinaryOp, a: &[T], b: &Values) -> Result<Values, Error> {
    let combine: fn(T, T) -> T = match op {
        BinaryOp::Add => T::add,
        BinaryOp::Sub => |a, b| a.add(negative(b)),
        BinaryOp::Mul => T::mul,
        BinaryOp::Div => |a, b| T::from_scalar(Scalar::Integer(quotient(a.exact(), b.exact()))),
        BinaryOp::Min => T::least,
        BinaryOp::Max => T::greatest,
        BinaryOp::And => T::and,
        BinaryOp::Or => T::or,
        BinaryOp::Xor => T::xor,
        BinaryOp::Shl => |a, b| T::from_bits(shifted(b, size_of::<T>()).map_or(0, |by| a.bits() << by)),
        BinaryOp::Shr => |a, b| T::from_scalar(Scalar::Integer(a.exact() >> shifted(b, size_of::<T>()).unwrap_or(64))),
        _ => return Ok(truths(op, a, same("the second array", b)?)),
    };
    Ok(T::values(a.iter().zip(same("the second array", b)?).map(|(&a, &b)| combine(a, b)).collect()))
}

/// By how many bits to shift a number of so many bytes, unless that is by all of them.
fn shifted<T: Integer>(by: T, bytes: usize) -> Option<u32> {
    u32::try_from(by.exact()).ok().filter(|&by| by < 8 * bytes as u32)
}

/// Comparisons, as Rust has them: NaN is unequal to all, and neither less nor greater.
fn truths<T: Number>(op: BinaryOp, a: &[T], b: &[T]) -> Values {
    let holds: fn(T, T) -> bool = match op {
        BinaryOp::Eq => |a, b| a == b,
        BinaryOp::Ne => |a, b| a != b,
        BinaryOp::Lt => |a, b| a < b,
        BinaryOp::Le => |a, b| a <= b,
        BinaryOp::Gt => |a, b| a > b,
        _ => |a, b| a >= b,
    };
    Values::U32(a.iter().zip(b).map(|(&a, &b)| u32::from(holds(a, b))).collect())
}

/// The quotient rounded down, and 0 where there is none.
fn quotient(a: i128, b: i128) -> i128 {
    match (a.checked_div(b), a.checked_rem(b)) {
        (Some(quotient), Some(rest)) if rest != 0 && (rest < 0) != (b < 0) => quotient - 1,
        (quotient, _) => quotient.unwrap_or(0),
    }
}

fn binary_floats<T: Number>(op: BinaryOp, a: &[T], b: &Values) -> Result<Values, Error> {
    let pairs = a.iter().copied().zip(same::<T>("the second array", b)?.iter().copied());
    let real: fn(f64, f64) -> f64 = match op {
        BinaryOp::Add => |a, b| a + b,
        BinaryOp::Sub => |a, b| a - b,
        BinaryOp::Mul => |a, b| a * b,
        BinaryOp::Div => |a, b| a / b,
        BinaryOp::Min => return Ok(T::values(pairs.map(|(a, b)| a.least(b)).collect())),
        BinaryOp::Max => return Ok(T::values(pairs.map(|(a, b)| a.greatest(b)).collect())),
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Shl | BinaryOp::Shr => {
            return Err(Error::Undefined { operation: op.name(), element: T::ELEMENT });
        }
        _ => return Ok(truths(op, a, same("the second array", b)?)),
    };
    Ok(Values::F64(pairs.map(|(a, b)| real(a.to_f64(), b.to_f64())).collect()))
}

/// The shape that both are stretched to: aligned at the last axis, an extent of 1 takes the other's.
fn broadcast(a: &[usize], b: &[usize]) -> Result<Vec<usize>, Error> {
    let error = || Error::Broadcast { a: a.to_vec(), b: b.to_vec() };
    let rank = a.len().max(b.len());
    let shape = (0..rank)
        .map(|axis| match (extent(a, axis, rank), extent(b, axis, rank)) {
            (a, b) if a == b => Ok(a),
            (1, extent) | (extent, 1) => Ok(extent),
            _ => Err(error()),
        })
        .collect::<Result<Vec<usize>, Error>>()?;
    // So that positions within the result can be counted.
    shape.iter().try_fold(1usize, |product, &extent| product.checked_mul(extent)).ok_or_else(error)?;
    Ok(shape)
}

/// The extent along an axis of a shape with as many axes of 1 in front as make `rank`.
fn extent(shape: &[usize], axis: usize, rank: usize) -> usize {
    (axis + shape.len()).checked_sub(rank).map_or(1, |axis| shape[axis])
}

/// For each element of `shape`, the position of the element that is stretched to there from an array of the shape `from`.
fn stretched(from: &[usize], shape: &[usize]) -> impl Iterator<Item = usize> {
    let count = shape.iter().product();
    (0..count).map(move |at| {
        let (mut rest, mut position, mut stride) = (at, 0, 1);
        for axis in (0..shape.len()).rev() {
            let here = extent(from, axis, shape.len());
            position += if here == 1 { 0 } else { rest % shape[axis] * stride };
            stride *= here;
            rest /= shape[axis];
        }
        position
    })
}
