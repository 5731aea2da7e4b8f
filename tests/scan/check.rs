//! A device's scan against its CPU twin.

use libtest_mimic::Failed;
use wavelane::device::Capabilities;
use wavelane::{Context, DType, Error, Scan, ScanOp, ScanStrategy};
use wavelane_reference::{self as reference, Element, Values};

use super::harness::gpu::ensure;
use super::{data, twin};

/// What came of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checked {
    /// The device's results are the twin's.
    Equal,
    /// The device lacks the type, or the operator is not for it: the right error came.
    RightError,
}

/// The twin's options, with an initial value of the elements' type.
pub fn options(scan: &Scan) -> reference::ScanOptions {
    let initial = scan.initial.and_then(twin::value);
    reference::ScanOptions { exclusive: scan.exclusive, reverse: scan.reverse, initial, wide: scan.wide }
}

/// Whether the device has what a type and operator need. Written down apart from the library's own judgement.
pub fn has_type(capabilities: &Capabilities, op: ScanOp, dtype: DType) -> bool {
    let features = &capabilities.features;
    let keyed = matches!(op, ScanOp::Min | ScanOp::Max | ScanOp::Last);
    match dtype {
        DType::U64 | DType::I64 => features.shader_int64,
        DType::F64 => features.shader_float64 && (!keyed || features.shader_int64),
        _ => true,
    }
}

/// Whether a strategy can be taken for a scan, on a device without quirks.
pub fn is_possible(scan: &Scan) -> bool {
    let float_sum = scan.dtype.is_float() && matches!(scan.op, ScanOp::Sum | ScanOp::Prod);
    let contiguous = scan.axis.is_none_or(|axis| scan.shape[axis + 1..].iter().product::<usize>() == 1);
    scan.strategy != Some(ScanStrategy::SinglePass) || !contiguous || !(scan.in_place || float_sum)
}

/// Runs `scan` on `values`, and compares.
pub fn check(context: &Context, scan: &Scan, values: &Values) -> Result<Checked, Failed> {
    let label = || format!("{scan:?} on {:?}", context.path());
    let input = data::tensor(scan.dtype, &scan.shape, values)?;
    let has_type = has_type(context.device().capabilities(), scan.op, scan.dtype);
    let outcome = match context.scan(scan, &input) {
        Ok(outcome) => outcome,
        Err(Error::TypeUnsupported { .. }) if !has_type => return Ok(Checked::RightError),
        Err(Error::OperatorType { .. }) if scan.op.is_bitwise() && scan.dtype.is_float() => return Ok(Checked::RightError),
        Err(Error::InPlaceSize { .. }) if scan.in_place && scan.dtype.computed() != scan.dtype => return Ok(Checked::RightError),
        Err(Error::StrategyUnavailable { .. }) if !is_possible(scan) => return Ok(Checked::RightError),
        Err(error) => return Err(format!("{}: {error}", label()).into()),
    };
    ensure(has_type, || format!("{}: ran without the features it needs", label()))?;
    let op = twin::scan_operator(scan.op);
    let (shape, options) = (scan.shape.as_slice(), options(scan));
    let expected =
        reference::scan(op, values, shape, scan.axis, &options).map_err(|error| format!("{}: the twin says {error}", label()))?;
    ensure(outcome.tensor.shape() == shape, || format!("{}: shape {:?}", label(), outcome.tensor.shape()))?;
    let result = if outcome.tensor.dtype() == DType::F64 { Element::F64 } else { Element::F32 };
    let bounds = reference::scan_bound(op, values, shape, scan.axis, &options, result).map_err(|error| error.to_string())?;
    twin::compare(&outcome.tensor, &expected, &bounds).map_err(|why| format!("{}: {why}\n{}", label(), outcome.plan.explain()))?;
    Ok(Checked::Equal)
}
