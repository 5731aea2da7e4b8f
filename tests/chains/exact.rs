//! What of floats is exact whatever the order it is computed in, so that a device's bits are the twin's.

use wavelane::{DType, ReduceOp, ScanOp};
use wavelane_reference::{self as reference, Element, Values};

use super::data::element;

/// Whole numbers up to this, and all sums of such that stay below it, are exact in what elements are added up in.
fn limit(values: &Values) -> f64 {
    if values.element() == Element::F64 { 2f64.powi(53) } else { 2f64.powi(24) }
}

/// The elements, if all are whole numbers and none is -0, whose sign a sum that begins with +0 loses.
fn whole(values: &Values) -> Option<Vec<f64>> {
    let numbers = values.to_f64();
    let is_whole = |x: &f64| x.fract() == 0.0 && !is_negative_zero(*x);
    numbers.iter().all(is_whole).then_some(numbers)
}

fn is_negative_zero(x: f64) -> bool {
    x == 0.0 && x.is_sign_negative()
}

/// Whether all sums of some of the elements are exact.
fn sums(values: &Values) -> bool {
    let sum = |numbers: Vec<f64>| numbers.iter().map(|x| x.abs()).sum::<f64>();
    !values.element().is_float() || whole(values).is_some_and(|numbers| sum(numbers) <= limit(values))
}

/// Whether all products of some of the elements are exact. No zero beside negative numbers, as that is a -0, which not every device tells from +0.
fn products(values: &Values) -> bool {
    let product = |numbers: &[f64]| numbers.iter().map(|x| x.abs().max(1.0)).product::<f64>();
    let signs = |numbers: &[f64]| numbers.iter().all(|&x| x >= 0.0) || numbers.iter().all(|&x| x != 0.0);
    !values.element().is_float() || whole(values).is_some_and(|numbers| product(&numbers) <= limit(values) && signs(&numbers))
}

/// Whether a scan of the elements, or of some of them, is exact.
pub fn scan(op: ScanOp, values: &Values) -> bool {
    match op {
        ScanOp::Sum => sums(values),
        ScanOp::Prod => products(values),
        _ => true,
    }
}

/// Whether a reduction of the elements, or of some of them, is exact.
pub fn reduction(op: ReduceOp, values: &Values) -> bool {
    match op {
        ReduceOp::Sum => sums(values),
        ReduceOp::Prod => products(values),
        _ => true,
    }
}

/// What an operator that rounds gave in f64, in the elements' type, if that loses nothing.
pub fn in_type(dtype: DType, results: &Values) -> Option<Values> {
    let narrow = reference::convert(results, element(dtype));
    let back = reference::convert(&narrow, results.element());
    let plain = results.to_f64().iter().all(|x| x.is_finite() && !is_negative_zero(*x));
    (plain && back == *results).then_some(narrow)
}
