//! A device's reduction by key against its CPU twin.

use libtest_mimic::Failed;
use wavelane::{Context, DType, Error, ReduceByKey, ReduceOp};
use wavelane_reference::{self as reference, Element, Nan, Op, Segments, Values};

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

/// Runs `reduce` of `values` beside `keys`, and compares.
pub fn check(context: &Context, reduce: &ReduceByKey, keys: &Values, values: &Values) -> Result<Checked, Failed> {
    let label = || format!("{reduce:?} on {:?}", context.path());
    let features = &context.device().capabilities().features;
    let keyed = matches!(reduce.op, ReduceOp::Min | ReduceOp::Max);
    let has_type = match reduce.dtype {
        DType::U64 | DType::I64 => features.shader_int64,
        DType::F64 => features.shader_float64 && (!keyed || features.shader_int64),
        _ => true,
    };
    let [given, input] = [(reduce.key, keys), (reduce.dtype, values)].map(|(dtype, values)| data::tensor(dtype, &[reduce.length], values));
    let outcome = match context.reduce_by_key(reduce, &given?, &input?) {
        Ok(outcome) => outcome,
        Err(Error::TypeUnsupported { .. }) if !has_type => return Ok(Checked::RightError),
        Err(Error::OperatorType { .. }) if reduce.op.is_bitwise() && reduce.dtype.is_float() => return Ok(Checked::RightError),
        Err(error) => return Err(format!("{}: {error}", label()).into()),
    };
    ensure(has_type, || format!("{}: ran without the features it needs", label()))?;
    let op = Op::ALL.into_iter().find(|op| op.name() == reduce.op.name()).unwrap_or(Op::Sum);
    let wrong = |error: reference::Error| format!("{}: the twin says {error}", label());
    let (want_keys, want) = reference::reduce_by_key(op, keys, values, Nan::Propagate, reduce.wide).map_err(wrong)?;
    let got = &outcome.tensor;
    let explain = || outcome.plan.explain();
    ensure(got.keys.bytes() == want_keys.to_bytes(), || {
        format!("{}: {} keys are not the {} right ones\n{}", label(), got.keys.shape()[0], want_keys.len(), explain())
    })?;
    let result = if got.values.dtype() == DType::F64 { Element::F64 } else { Element::F32 };
    let bounds = reference::segmented_reduce_bound(op, values, &Segments::Keys(keys), Nan::Propagate, result).map_err(wrong)?;
    // A scan's order of additions stands behind these results.
    let bounds: Vec<f64> = bounds.iter().map(|bound| 4.0 * bound).collect();
    twin::compare(&got.values, &want, &bounds).map_err(|why| format!("{}: {why}\n{}", label(), explain()))?;
    Ok(Checked::Equal)
}
