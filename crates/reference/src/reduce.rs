//! The CPU twin of the reduction: one value for an array, or one for each line along an axis, with numpy's meaning.
//!
//! - Integers of 8 and 16 bits are reduced as, and give, integers of 32 bits.
//! - Integer sums and products wrap in the element's type, as `a.sum(dtype=a.dtype)` does, or in 64 bits if a wide result is asked for.
//! - Sums and products of floats come in `f64`, sums compensated, so that a device's result can be judged by them.
//! - mean, var (of the population), norm1 and norm2 come in `f64`; means and norms of integers come from exact sums.
//! - Minima and maxima keep the element's type.
//! - any and all give 0 or 1, argmin and argmax an index, all as `u32`. The first of equals wins.

use crate::convert::convert;
use crate::error::Error;
use crate::lines::Lines;
use crate::number::{Integer, Number};
use crate::sum::sum;
use crate::values::{Element, Values};

/// What to compute of each line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// Sum.
    Sum,
    /// Product.
    Prod,
    /// Smallest value.
    Min,
    /// Largest value.
    Max,
    /// Bitwise and, of integers.
    And,
    /// Bitwise or, of integers.
    Or,
    /// Bitwise exclusive or, of integers.
    Xor,
    /// Whether any value is not zero.
    Any,
    /// Whether no value is zero.
    All,
    /// Mean.
    Mean,
    /// Variance of the population (`ddof=0`).
    Var,
    /// Sum of absolute values.
    Norm1,
    /// Root of the sum of squares.
    Norm2,
    /// Index of the smallest value.
    ArgMin,
    /// Index of the largest value.
    ArgMax,
}

impl Op {
    /// Every operation.
    pub const ALL: [Op; 15] = [
        Op::Sum,
        Op::Prod,
        Op::Min,
        Op::Max,
        Op::And,
        Op::Or,
        Op::Xor,
        Op::Any,
        Op::All,
        Op::Mean,
        Op::Var,
        Op::Norm1,
        Op::Norm2,
        Op::ArgMin,
        Op::ArgMax,
    ];

    /// Short name: `sum`, `argmax`, …
    pub fn name(self) -> &'static str {
        match self {
            Op::Sum => "sum",
            Op::Prod => "prod",
            Op::Min => "min",
            Op::Max => "max",
            Op::And => "and",
            Op::Or => "or",
            Op::Xor => "xor",
            Op::Any => "any",
            Op::All => "all",
            Op::Mean => "mean",
            Op::Var => "var",
            Op::Norm1 => "norm1",
            Op::Norm2 => "norm2",
            Op::ArgMin => "argmin",
            Op::ArgMax => "argmax",
        }
    }
}

/// What NaN means to a reduction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Nan {
    /// As numpy does by default: NaN comes through. The first NaN is the smallest and the largest value; to any and all it is not zero.
    #[default]
    Propagate,
    /// As numpy's `nansum`, `nanmin` and so on do: NaN is skipped.
    Ignore,
}

/// Reduces `input`, of the given shape (the last axis is contiguous), along `axis` or whole. `wide` makes sums and products of 32-bit
/// integers 64 bits wide. The result has the shape without the axis.
pub fn reduce(op: Op, input: &Values, shape: &[usize], axis: Option<usize>, nan: Nan, wide: bool) -> Result<Values, Error> {
    let lines = Lines::new(input.len(), shape, axis)?;
    if lines.length == 0 && matches!(op, Op::Min | Op::Max | Op::ArgMin | Op::ArgMax) {
        return Err(Error::Empty { op });
    }
    match input {
        Values::U32(data) if wide => integers_wide(op, data, lines, Values::U64, Values::U32),
        Values::I32(data) if wide => integers_wide(op, data, lines, Values::I64, Values::I32),
        Values::U8(_) | Values::U16(_) => reduce(op, &convert(input, Element::U32), shape, axis, nan, wide),
        Values::I8(_) | Values::I16(_) => reduce(op, &convert(input, Element::I32), shape, axis, nan, wide),
        Values::U32(data) => integers_in_type(op, data, lines, Values::U32),
        Values::I32(data) => integers_in_type(op, data, lines, Values::I32),
        Values::U64(data) => integers_in_type(op, data, lines, Values::U64),
        Values::I64(data) => integers_in_type(op, data, lines, Values::I64),
        Values::F32(data) => floats(op, data, lines, nan, input.element(), Values::F32),
        Values::F64(data) => floats(op, data, lines, nan, input.element(), Values::F64),
        Values::F16(data) => floats(op, data, lines, nan, input.element(), Values::F16),
    }
}

fn integers_in_type<T: Integer>(op: Op, data: &[T], lines: Lines, values: fn(Vec<T>) -> Values) -> Result<Values, Error> {
    Ok(match op {
        Op::Sum => values(lines.map(data, |line| line.iter().fold(T::ZERO, |a, &b| a.add(b)))),
        Op::Prod => values(lines.map(data, |line| line.iter().fold(T::ONE, |a, &b| a.mul(b)))),
        Op::And => values(lines.map(data, |line| line.iter().fold(T::ALL_ONES, |a, &b| a.and(b)))),
        Op::Or => values(lines.map(data, |line| line.iter().fold(T::ZERO, |a, &b| a.or(b)))),
        Op::Xor => values(lines.map(data, |line| line.iter().fold(T::ZERO, |a, &b| a.xor(b)))),
        Op::Mean => Values::F64(lines.map(data, |line| match line.len() {
            0 => f64::NAN,
            n => quotient(line.iter().map(|x| x.exact()).sum(), n as i128),
        })),
        Op::Norm1 => Values::F64(lines.map(data, |line| line.iter().map(|x| x.exact().unsigned_abs()).sum::<u128>() as f64)),
        Op::Min | Op::Max | Op::Any | Op::All | Op::Var | Op::Norm2 | Op::ArgMin | Op::ArgMax => return any_type(op, data, lines, values),
    })
}

fn integers_wide<T: Integer>(
    op: Op,
    data: &[T],
    lines: Lines,
    wide: fn(Vec<T::Wide>) -> Values,
    values: fn(Vec<T>) -> Values,
) -> Result<Values, Error> {
    match op {
        Op::Sum | Op::Prod => {
            let data: Vec<T::Wide> = data.iter().map(|x| x.widen()).collect();
            integers_in_type(op, &data, lines, wide)
        }
        _ => integers_in_type(op, data, lines, values),
    }
}

fn floats<T: Number>(op: Op, data: &[T], lines: Lines, nan: Nan, element: Element, values: fn(Vec<T>) -> Values) -> Result<Values, Error> {
    if nan == Nan::Ignore && matches!(op, Op::ArgMin | Op::ArgMax) {
        let results = lines.map(data, |line| extreme_ignoring_nan(op, line).map(|at| at as u32));
        return results.into_iter().collect::<Option<Vec<u32>>>().map(Values::U32).ok_or(Error::AllNan { op });
    }
    let kept = |line: &[T]| -> Vec<f64> { line.iter().map(|x| x.to_f64()).filter(|x| nan == Nan::Propagate || !x.is_nan()).collect() };
    Ok(match op {
        Op::And | Op::Or | Op::Xor => return Err(Error::Type { op, element }),
        Op::Sum => Values::F64(lines.map(data, |line| sum(kept(line)))),
        Op::Prod => Values::F64(lines.map(data, |line| kept(line).iter().product())),
        Op::Mean => Values::F64(lines.map(data, |line| mean(&kept(line)))),
        Op::Var => Values::F64(lines.map(data, |line| variance(&kept(line)))),
        Op::Norm1 => Values::F64(lines.map(data, |line| sum(kept(line).iter().map(|x| x.abs())))),
        Op::Norm2 => Values::F64(lines.map(data, |line| sum(kept(line).iter().map(|x| x * x)).sqrt())),
        Op::Any => flags(lines.map(data, |line| kept(line).iter().any(|&x| x != 0.0))),
        Op::All => flags(lines.map(data, |line| kept(line).iter().all(|&x| x != 0.0))),
        // Of only NaN, the smallest and largest value that are left are NaN.
        Op::Min | Op::Max if nan == Nan::Ignore => values(lines.map(data, |line| line[extreme_ignoring_nan(op, line).unwrap_or(0)])),
        Op::Min | Op::Max | Op::ArgMin | Op::ArgMax => return any_type(op, data, lines, values),
    })
}

/// Operations that read the same for integers and floats, with NaN coming through.
fn any_type<T: Number>(op: Op, data: &[T], lines: Lines, values: fn(Vec<T>) -> Values) -> Result<Values, Error> {
    Ok(match op {
        Op::Any => flags(lines.map(data, |line| line.iter().any(|x| !x.is_zero()))),
        Op::All => flags(lines.map(data, |line| line.iter().all(|x| !x.is_zero()))),
        Op::Var => Values::F64(lines.map(data, |line| variance(&line.iter().map(|x| x.to_f64()).collect::<Vec<_>>()))),
        Op::Norm2 => Values::F64(lines.map(data, |line| sum(line.iter().map(|x| x.to_f64() * x.to_f64())).sqrt())),
        Op::ArgMin | Op::ArgMax => Values::U32(lines.map(data, |line| extreme(op, line) as u32)),
        _ => values(lines.map(data, |line| line[extreme(op, line)])),
    })
}

/// Index of the first NaN, else of the first of the extreme values. The line is not empty.
fn extreme<T: Number>(op: Op, line: &[T]) -> usize {
    match line.iter().position(|x| x.is_nan()) {
        Some(at) => at,
        None => extreme_ignoring_nan(op, line).unwrap_or(0),
    }
}

/// Index of the first of the extreme values that are not NaN. To min and max -0 is less than +0, and to argmin and argmax they are equal.
fn extreme_ignoring_nan<T: Number>(op: Op, line: &[T]) -> Option<usize> {
    let less = |x: T, y: T| x < y || (matches!(op, Op::Min | Op::Max) && x == y && x.is_negative_zero() && !y.is_negative_zero());
    let smallest = matches!(op, Op::Min | Op::ArgMin);
    let mut best: Option<usize> = None;
    for (at, &x) in line.iter().enumerate().filter(|(_, x)| !x.is_nan()) {
        if best.is_none_or(|b| if smallest { less(x, line[b]) } else { less(line[b], x) }) {
            best = Some(at);
        }
    }
    best
}

fn flags(flags: Vec<bool>) -> Values {
    Values::U32(flags.into_iter().map(u32::from).collect())
}

/// `sum / count`, correctly rounded for sums below 2^53 and within two roundings for others.
fn quotient(sum: i128, count: i128) -> f64 {
    sum as f64 / count as f64
}

fn mean(line: &[f64]) -> f64 {
    sum(line.iter().copied()) / line.len() as f64
}

fn variance(line: &[f64]) -> f64 {
    let mean = mean(line);
    sum(line.iter().map(|x| (x - mean) * (x - mean))) / line.len() as f64
}
