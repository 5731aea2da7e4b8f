//! The CPU twin of the scan: what a reduction would give of everything up to each element, along each line, with numpy's meaning.
//!
//! - Integers of 8 and 16 bits are scanned as, and give, integers of 32 bits.
//! - Integers wrap in the element's type, as `np.cumsum(a, axis, dtype=a.dtype)` does; sums of 32-bit integers in 64 bits if a wide result is asked for.
//! - Sums and products of floats come in `f64`, sums compensated, so that a device's result can be judged by them. Zeros that they begin with are +0.
//! - Minima and maxima keep the element's type. As with `np.minimum.accumulate`, everything from the first NaN on is NaN. -0 is less than +0.
//! - `last` keeps the element's type, and gives +0 until there was an element that is not zero.

use crate::convert::convert;
use crate::error::Error;
use crate::lines::{Line, Lines};
use crate::number::{Integer, Number, one};
use crate::sum::Sum;
use crate::values::{Element, Values, each_type};

/// How a scan combines what it has with the next element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScanOp {
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
    /// The last element that is not zero, as filling forward does. NaN is not zero. What comes first matters.
    Last,
}

impl ScanOp {
    /// Every operation.
    pub const ALL: [ScanOp; 8] = [ScanOp::Sum, ScanOp::Prod, ScanOp::Min, ScanOp::Max, ScanOp::And, ScanOp::Or, ScanOp::Xor, ScanOp::Last];

    /// Short name: `sum`, `last`, …
    pub fn name(self) -> &'static str {
        match self {
            ScanOp::Sum => "sum",
            ScanOp::Prod => "prod",
            ScanOp::Min => "min",
            ScanOp::Max => "max",
            ScanOp::And => "and",
            ScanOp::Or => "or",
            ScanOp::Xor => "xor",
            ScanOp::Last => "last",
        }
    }
}

/// Which elements a scan combines, and what it begins with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScanOptions {
    /// Leave each element out of its own result.
    pub exclusive: bool,
    /// Begin at the end of each line.
    pub reverse: bool,
    /// What stands before each line: one element of the input's type. Without it, the operation's identity.
    pub initial: Option<Values>,
    /// Give sums of 32-bit integers in 64 bits.
    pub wide: bool,
}

/// Scans `input`, of the given shape (the last axis is contiguous), along `axis`, or flattened. The result has the input's shape.
pub fn scan(op: ScanOp, input: &Values, shape: &[usize], axis: Option<usize>, options: &ScanOptions) -> Result<Values, Error> {
    let lines = Lines::new(input.len(), shape, axis)?;
    scan_lines(op, input, lines.each(), options)
}

/// Scans each of these lines, and leaves 0 elsewhere.
pub(crate) fn scan_lines(op: ScanOp, input: &Values, lines: impl Iterator<Item = Line>, options: &ScanOptions) -> Result<Values, Error> {
    check(op, input, options)?;
    match input {
        Values::U32(data) if options.wide => wide_sums(data, lines, options),
        Values::I32(data) if options.wide => wide_sums(data, lines, options),
        Values::U8(_) | Values::U16(_) => {
            let initial = options.initial.as_ref().map(|initial| convert(initial, Element::U32));
            scan_lines(op, &convert(input, Element::U32), lines, &ScanOptions { initial, ..options.clone() })
        }
        Values::I8(_) | Values::I16(_) => {
            let initial = options.initial.as_ref().map(|initial| convert(initial, Element::I32));
            scan_lines(op, &convert(input, Element::I32), lines, &ScanOptions { initial, ..options.clone() })
        }
        Values::U32(data) => integers(op, data, lines, options),
        Values::I32(data) => integers(op, data, lines, options),
        Values::U64(data) => integers(op, data, lines, options),
        Values::I64(data) => integers(op, data, lines, options),
        Values::F32(data) => floats(op, data, lines, options),
        Values::F64(data) => floats(op, data, lines, options),
        Values::F16(data) => floats(op, data, lines, options),
    }
}

/// Whether there is such a scan.
pub(crate) fn check(op: ScanOp, input: &Values, options: &ScanOptions) -> Result<(), Error> {
    let element = input.element();
    if element.is_float() && matches!(op, ScanOp::And | ScanOp::Or | ScanOp::Xor) {
        return Err(Error::Undefined { operation: op.name(), element });
    }
    if options.wide && !(op == ScanOp::Sum && !element.is_float() && element.size() <= 4) {
        return Err(Error::Wide { op, element });
    }
    each_type!(input, data => initial(data, options).map(|_| ()))
}

/// What stands before each line of `data`, if it was given.
pub(crate) fn initial<T: Number>(_data: &[T], options: &ScanOptions) -> Result<Option<T>, Error> {
    options.initial.as_ref().map(|values| one("initial", values)).transpose()
}

/// What `read` gives of the state before (exclusive) or after each element, where `step` takes the state on from one element to the next.
pub(crate) fn running<T: Copy, S: Copy, R: Clone + Default>(
    data: &[T],
    lines: impl Iterator<Item = Line>,
    options: &ScanOptions,
    start: S,
    step: impl Fn(S, T) -> S,
    read: impl Fn(S) -> R,
) -> Vec<R> {
    let mut results = vec![R::default(); data.len()];
    // Lines without elements may be many.
    for line in lines.take_while(|_| !data.is_empty()) {
        let mut state = start;
        for k in 0..line.length {
            let at = line.at(if options.reverse { line.length - 1 - k } else { k });
            let before = state;
            state = step(state, data[at]);
            results[at] = read(if options.exclusive { before } else { state });
        }
    }
    results
}

fn wide_sums<T: Integer>(data: &[T], lines: impl Iterator<Item = Line>, options: &ScanOptions) -> Result<Values, Error> {
    let start = initial(data, options)?.unwrap_or(T::ZERO).widen();
    Ok(Number::values(running(data, lines, options, start, |a, b| a.add(b.widen()), |a| a)))
}

fn integers<T: Integer>(op: ScanOp, data: &[T], lines: impl Iterator<Item = Line>, options: &ScanOptions) -> Result<Values, Error> {
    let (identity, combine): (T, fn(T, T) -> T) = match op {
        ScanOp::Sum => (T::ZERO, T::add),
        ScanOp::Prod => (T::ONE, T::mul),
        ScanOp::Min => (T::GREATEST, T::least),
        ScanOp::Max => (T::LEAST, T::greatest),
        ScanOp::And => (T::ALL_ONES, T::and),
        ScanOp::Or => (T::ZERO, T::or),
        ScanOp::Xor => (T::ZERO, T::xor),
        ScanOp::Last => (T::ZERO, last),
    };
    let start = initial(data, options)?.unwrap_or(identity);
    Ok(T::values(running(data, lines, options, start, combine, |a| a)))
}

fn floats<T: Number>(op: ScanOp, data: &[T], lines: impl Iterator<Item = Line>, options: &ScanOptions) -> Result<Values, Error> {
    let initial = initial(data, options)?;
    let selected =
        |identity, combine: fn(T, T) -> T, lines| Ok(T::values(running(data, lines, options, initial.unwrap_or(identity), combine, |a| a)));
    match op {
        ScanOp::Sum => {
            let start = Sum::default().add(initial.map_or(0.0, T::to_f64));
            Ok(Values::F64(running(data, lines, options, start, |sum, x| sum.add(x.to_f64()), Sum::total)))
        }
        ScanOp::Prod => Ok(Values::F64(running(data, lines, options, initial.map_or(1.0, T::to_f64), |a, x| a * x.to_f64(), |a| a))),
        ScanOp::Min => selected(T::GREATEST, T::least, lines),
        ScanOp::Max => selected(T::LEAST, T::greatest, lines),
        ScanOp::Last => selected(T::ZERO, last, lines),
        ScanOp::And | ScanOp::Or | ScanOp::Xor => Err(Error::Undefined { operation: op.name(), element: T::ELEMENT }),
    }
}

fn last<T: Number>(a: T, b: T) -> T {
    if b.is_zero() { a } else { b }
}
