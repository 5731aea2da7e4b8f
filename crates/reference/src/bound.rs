//! How far a device's floating-point result may lie from its CPU twin's.

use crate::error::Error;
use crate::lines::{Line, Lines};
use crate::reduce::{Nan, Op};
use crate::scan::{ScanOp, ScanOptions, check, running};
use crate::segmented::{Segments, segment_bounds, segment_lines};
use crate::sum::sum;
use crate::values::{Element, Values};

/// Roundings that a device's sum may show: it adds in a tree, whose depth grows with the logarithm of the count, or carries what it loses.
const ROUNDINGS: f64 = 16.0;

/// The same of a scan, whose results stand at the end of two trees: that of a block, and that of the blocks before it.
const SCAN_ROUNDINGS: f64 = 64.0;

/// The greatest absolute difference allowed between a device's result and [`reduce`](crate::reduce()), one for each result. 0 where results must
/// be equal. `result` is the float type of the device's result, [`Element::F32`] or [`Element::F64`]; it has a unit roundoff u (2^-24 or 2^-53).
///
/// - sum, norm1: 16 u Σ|x|; a mean has a count-th of that. With 2^-24 this is 9.6e-7, below the 1e-6 that Wavelane states.
/// - prod: (n + 1) u |Πx|, as every multiplication rounds.
/// - norm2: 16 u times itself.
/// - var: 16 u (v + 2 s m) + (16 u m)², where v is the variance, s its root, m the largest |x|: values are rounded to the type first, and a
///   difference from the mean carries the mean's error, which is within 16 u m.
///
/// Where a device may flush subnormal numbers to zero, the type's smallest normal number is added.
pub fn reduce_bound(op: Op, input: &Values, shape: &[usize], axis: Option<usize>, nan: Nan, result: Element) -> Result<Vec<f64>, Error> {
    let (unit, smallest) = precision(result);
    let float_result = match op {
        Op::Sum | Op::Prod => input.element().is_float(),
        Op::Mean | Op::Var | Op::Norm1 | Op::Norm2 => true,
        _ => false,
    };
    let data = input.to_f64();
    let lines = Lines::new(data.len(), shape, axis)?;
    Ok(lines.map(&data, |line| {
        if !float_result {
            return 0.0;
        }
        let line: Vec<f64> = line.iter().copied().filter(|x| nan == Nan::Propagate || !x.is_nan()).collect();
        let count = (line.len() as f64).max(1.0);
        let magnitude = sum(line.iter().map(|x| x.abs()));
        let bound = match op {
            Op::Prod => (count + 1.0) * unit * line.iter().product::<f64>().abs(),
            Op::Mean => ROUNDINGS * unit * magnitude / count,
            Op::Norm2 => ROUNDINGS * unit * sum(line.iter().map(|x| x * x)).sqrt(),
            Op::Var => {
                let mean = sum(line.iter().copied()) / count;
                let variance = sum(line.iter().map(|x| (x - mean) * (x - mean))) / count;
                let largest = line.iter().fold(0.0f64, |a, x| a.max(x.abs()));
                ROUNDINGS * unit * (variance + 2.0 * variance.sqrt() * largest) + (ROUNDINGS * unit * largest).powi(2)
            }
            _ => ROUNDINGS * unit * magnitude,
        };
        // Not a number where the result is not finite: such results must be equal.
        if bound.is_finite() { bound + smallest } else { 0.0 }
    }))
}

/// The greatest absolute difference allowed between a device's result and [`scan`](crate::scan()), one for each result. 0 where results must be
/// equal. `result` is the float type of the device's result, as in [`reduce_bound`].
///
/// - sum: 64 u Σ|x| of what was added so far, the initial value included.
/// - prod: (n + 1) u |Πx| of the n factors so far.
///
/// Where a device may flush subnormal numbers to zero, the type's smallest normal number is added.
pub fn scan_bound(
    op: ScanOp,
    input: &Values,
    shape: &[usize],
    axis: Option<usize>,
    options: &ScanOptions,
    result: Element,
) -> Result<Vec<f64>, Error> {
    let lines = Lines::new(input.len(), shape, axis)?;
    scan_lines_bound(op, input, lines.each(), options, result)
}

/// [`scan_bound`] of [`segmented_scan`](crate::segmented_scan()).
pub fn segmented_scan_bound(
    op: ScanOp,
    input: &Values,
    segments: &Segments,
    options: &ScanOptions,
    result: Element,
) -> Result<Vec<f64>, Error> {
    scan_lines_bound(op, input, segment_lines(segments, input.len())?, options, result)
}

/// [`reduce_bound`] of [`segmented_reduce`](crate::segmented_reduce()), one for each segment.
pub fn segmented_reduce_bound(op: Op, input: &Values, segments: &Segments, nan: Nan, result: Element) -> Result<Vec<f64>, Error> {
    let bounds = segment_bounds(segments, input.len())?;
    let mut results = Vec::with_capacity(bounds.len());
    for (begin, end) in bounds {
        results.extend(reduce_bound(op, &input.take(begin..end), &[end - begin], None, nan, result)?);
    }
    Ok(results)
}

fn scan_lines_bound(
    op: ScanOp,
    input: &Values,
    lines: impl Iterator<Item = Line>,
    options: &ScanOptions,
    result: Element,
) -> Result<Vec<f64>, Error> {
    check(op, input, options)?;
    let (unit, smallest) = precision(result);
    let bound = |bound: f64| if bound.is_finite() { bound + smallest } else { 0.0 };
    let data = input.to_f64();
    let initial = options.initial.as_ref().and_then(|initial| initial.to_f64().first().copied());
    Ok(match op {
        ScanOp::Sum if input.element().is_float() => {
            let start = initial.unwrap_or(0.0).abs();
            running(&data, lines, options, start, |sum, x| sum + x.abs(), |sum| bound(SCAN_ROUNDINGS * unit * sum))
        }
        ScanOp::Prod if input.element().is_float() => {
            let start = initial.map_or((0.0, 1.0), |initial| (1.0, initial));
            let step = |(count, product): (f64, f64), x| (count + 1.0, product * x);
            running(&data, lines, options, start, step, |(count, product)| bound((count + 1.0) * unit * product.abs()))
        }
        _ => vec![0.0; data.len()],
    })
}

/// The unit roundoff and the smallest normal number of a result's type.
fn precision(result: Element) -> (f64, f64) {
    match result {
        Element::F64 => (2f64.powi(-53), f64::MIN_POSITIVE),
        _ => (2f64.powi(-24), f64::from(f32::MIN_POSITIVE)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_results_have_no_bound() {
        let input = Values::I32(vec![1, 2, 3]);
        for op in [Op::Sum, Op::Prod, Op::Min, Op::Any, Op::ArgMax] {
            assert_eq!(reduce_bound(op, &input, &[3], None, Nan::Propagate, Element::F32), Ok(vec![0.0]));
        }
    }

    #[test]
    fn sums_are_bound_by_magnitude() {
        let input = Values::F32(vec![1e6, -1e6, 1.0]);
        let bound = reduce_bound(Op::Sum, &input, &[3], None, Nan::Propagate, Element::F32).unwrap()[0];
        assert!(bound > 1.9 && bound < 2.0, "{bound}");
        let bound = reduce_bound(Op::Sum, &input, &[3], None, Nan::Propagate, Element::F64).unwrap()[0];
        assert!(bound < 1e-8, "{bound}");
    }

    #[test]
    fn nan_and_infinity_must_be_equal() {
        let input = Values::F32(vec![f32::NAN, 1.0, f32::INFINITY, 2.0]);
        let bound = reduce_bound(Op::Sum, &input, &[2, 2], Some(1), Nan::Propagate, Element::F32).unwrap();
        assert_eq!(bound, [0.0, 0.0]);
        let bound = reduce_bound(Op::Sum, &input, &[2, 2], Some(1), Nan::Ignore, Element::F32).unwrap();
        assert!(bound[0] > 0.0 && bound[1] == 0.0);
    }
}
