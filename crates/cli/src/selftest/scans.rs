//! Scans and reductions of segments against their CPU twins.

use wavelane::{Context, Error, Kernel, Outcome, Path, Plan, Scan, ScanOp, SegmentedReduce, Tensor};
use wavelane_reference::{self as reference, Element, Nan, Op, ScanOptions, Segments, Values};

use super::compare::compare;
use super::data::{Case, Pattern, values};
use super::is_fatal;
use super::progress::Progress;
use super::table::{Finding, Row};
use crate::convert;
use crate::report::Failure;

/// Operators of all of them together.
pub const OPERATORS: usize = ScanOp::ALL.len() + Op::ALL.len();

const QUICK_LENGTHS: [usize; 1] = [20_003];
const LENGTHS: [usize; 10] = [0, 1, 255, 257, 2047, 2049, 4097, 65_537, 100_003, 1_000_003];

/// Factors of a product of floats.
const MOST_FACTORS: usize = 2049;

pub fn check(context: &mut Context, paths: &[Path], quick: bool, progress: &mut Progress) -> Result<Vec<Row>, Failure> {
    let lengths: &[usize] = if quick { &QUICK_LENGTHS } else { &LENGTHS };
    let mut rows = Vec::new();
    for element in Element::ALL {
        for op in ScanOp::ALL {
            progress.step(&format!("scan {} {}", op.name(), element.name()));
            if !(op.is_bitwise() && element.is_float()) {
                rows.extend(by_path(context, paths, ("scan", op.name(), element), |context| scans(context, op, element, lengths))?);
            }
        }
        // Their pipelines take drivers that run on the CPU long to make.
        for op in Op::ALL.into_iter().filter(|_| !quick) {
            progress.step(&format!("segreduce {} {}", op.name(), element.name()));
            if !(matches!(op, Op::And | Op::Or | Op::Xor) && element.is_float()) {
                let what = ("segreduce", op.name(), element);
                rows.extend(by_path(context, paths, what, |context| segments(context, op, element, lengths))?);
            }
        }
    }
    Ok(rows)
}

/// What ends the checks of a row, or of everything.
enum Trouble {
    Cannot(String),
    Wrong(String),
    Fatal(Error),
}

/// A row for each path. Only what ends everything is an error.
fn by_path(
    context: &mut Context,
    paths: &[Path],
    (kernel, op, element): (&'static str, &'static str, Element),
    check: impl Fn(&Context) -> Result<usize, Trouble>,
) -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    for &path in paths {
        context.set_path(Some(path));
        let finding = match check(context) {
            Ok(checks) => Finding::Ok { checks },
            Err(Trouble::Cannot(reason)) => Finding::Skipped { reason },
            Err(Trouble::Wrong(detail)) => Finding::Failed { detail },
            Err(Trouble::Fatal(error)) => return Err(convert::failure(error)),
        };
        rows.push(Row { kernel, path: path.name(), op, element, finding });
    }
    Ok(rows)
}

fn trouble(error: Error) -> Trouble {
    match error {
        Error::PathUnavailable { missing, .. } => Trouble::Cannot(missing),
        Error::TypeUnsupported { feature, .. } => Trouble::Cannot(format!("the device has no {feature}")),
        error if is_fatal(&error) => Trouble::Fatal(error),
        error => Trouble::Wrong(error.to_string()),
    }
}

fn elements(op: Op, element: Element, shape: &[usize]) -> Values {
    let case = Case { shape: shape.to_vec(), axis: None, pattern: Pattern::Random, nan: Nan::Propagate, wide: false };
    values(&case, op, element)
}

/// The results, for which `bounds` are asked once their type is known.
fn judge<K: Kernel>(
    outcome: Result<Outcome<Plan<K>>, Error>,
    want: &Values,
    bounds: impl Fn(Element) -> Result<Vec<f64>, reference::Error>,
    label: &str,
) -> Result<(), Trouble> {
    let got = outcome.map_err(trouble)?.tensor;
    let element = convert::element(got.dtype());
    let wrong = |text: String| Trouble::Wrong(format!("{label}: {text}"));
    let values = Values::from_bytes(element, got.bytes()).ok_or_else(|| wrong("bytes of half an element".to_owned()))?;
    let result = if element == Element::F64 { Element::F64 } else { Element::F32 };
    let bounds = bounds(result).map_err(|error| wrong(error.to_string()))?;
    compare(&values, want, &bounds).map_err(wrong)
}

/// Arrays whole and along each axis, forwards and backwards, with and without the own element.
fn scans(context: &Context, op: ScanOp, element: Element, lengths: &[usize]) -> Result<usize, Trouble> {
    let twin = reference::ScanOp::ALL.into_iter().find(|twin| twin.name() == op.name()).unwrap_or(reference::ScanOp::Sum);
    // Values that sums and products can bear.
    let like = if op == ScanOp::Prod { Op::Prod } else { Op::Sum };
    // A product of thousands of factors leaves f16 and f32 behind.
    let most = if op == ScanOp::Prod && element.is_float() { MOST_FACTORS } else { usize::MAX };
    let whole = lengths.iter().map(|&length| (vec![length.min(most)], None));
    // Few lengths are for a quick look.
    let axes = if lengths.len() == 1 { 0..0 } else { 0..3 };
    let shapes = whole.chain(axes.map(|axis| (vec![7, 33, 65], Some(axis))));
    let mut checks = 0;
    for (turn, (shape, axis)) in shapes.enumerate() {
        let input = elements(like, element, &shape);
        let options = ScanOptions { exclusive: turn % 3 == 2, reverse: turn % 2 == 1, ..ScanOptions::default() };
        let dtype = convert::dtype(element);
        let scan = Scan { axis, exclusive: options.exclusive, reverse: options.reverse, ..Scan::new(op, dtype, &shape) };
        let tensor = Tensor::new(dtype, shape.clone(), input.to_bytes()).map_err(trouble)?;
        let want = reference::scan(twin, &input, &shape, axis, &options).map_err(|error| Trouble::Wrong(error.to_string()))?;
        let bounds = |result| reference::scan_bound(twin, &input, &shape, axis, &options, result);
        judge(context.scan(&scan, &tensor), &want, bounds, &format!("{scan:?}"))?;
        checks += 1;
    }
    Ok(checks)
}

/// Segments of 0 to 4 elements, of some hundred, and one of all.
fn segments(context: &Context, op: Op, element: Element, lengths: &[usize]) -> Result<usize, Trouble> {
    let mut checks = 0;
    let most = if op == Op::Prod && element.is_float() { MOST_FACTORS } else { usize::MAX };
    for length in lengths.iter().map(|&length| length.min(most)) {
        let input = elements(op, element, &[length]);
        let dtype = convert::dtype(element);
        let tensor = Tensor::new(dtype, vec![length], input.to_bytes()).map_err(trouble)?;
        for step in [3, 300, length.max(1)] {
            // Some are empty, the last among them.
            let begins = (0..length).step_by(step).flat_map(|at| [at; 2].into_iter().take(1 + usize::from(at % 7 == 0)));
            let offsets: Vec<u32> = begins.chain([length; 2]).map(|at| at as u32).collect();
            let reduce = SegmentedReduce::new(convert::reduce_op(op), dtype, length, offsets.len() - 1);
            let at = Tensor::from_slice(&offsets, &[offsets.len()]).map_err(trouble)?;
            let twin = Segments::Offsets(&offsets);
            let want =
                reference::segmented_reduce(op, &input, &twin, Nan::Propagate, false).map_err(|error| Trouble::Wrong(error.to_string()))?;
            let bounds = |result| reference::segmented_reduce_bound(op, &input, &twin, Nan::Propagate, result);
            judge(context.segmented_reduce(&reduce, &tensor, &at), &want, bounds, &format!("{reduce:?} by {step}"))?;
            checks += 1;
        }
    }
    Ok(checks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operator_has_its_twin() {
        for op in ScanOp::ALL {
            assert!(reference::ScanOp::ALL.iter().any(|twin| twin.name() == op.name()), "{op}");
        }
        assert_eq!(elements(Op::Sum, Element::F16, &[5]).len(), 5);
    }
}
