//! A device's reduction of segments against its CPU twin.

use libtest_mimic::Failed;
use wavelane::{Context, DType, Error, FloatResult, NanPolicy, ReduceOp, SegmentedReduce, Tensor};
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

fn operator(op: ReduceOp) -> Op {
    Op::ALL.into_iter().find(|known| known.name() == op.name()).unwrap_or(Op::Sum)
}

/// Runs `reduce` of `values` in the segments of `offsets`, and compares.
pub fn check(context: &Context, reduce: &SegmentedReduce, values: &Values, offsets: &[u32]) -> Result<Checked, Failed> {
    let reduce = &SegmentedReduce { segments: offsets.len() - 1, ..reduce.clone() };
    let label = || format!("{reduce:?} on {:?}", context.path());
    let features = &context.device().capabilities().features;
    let float_result = matches!(reduce.op, ReduceOp::Mean | ReduceOp::Var | ReduceOp::Norm1 | ReduceOp::Norm2);
    let integer = !reduce.dtype.is_float();
    let double = reduce.dtype == DType::F64 || (integer && float_result && reduce.float_result == FloatResult::F64);
    let keyed = matches!(reduce.op, ReduceOp::Min | ReduceOp::Max);
    let wide = matches!(reduce.dtype, DType::U64 | DType::I64) || (reduce.dtype == DType::F64 && keyed);
    let has_types = (!double || features.shader_float64) && (!wide || features.shader_int64);
    let input = data::tensor(reduce.dtype, &[reduce.length], values)?;
    let outcome = match context.segmented_reduce(reduce, &input, &Tensor::from_slice(offsets, &[offsets.len()])?) {
        Ok(outcome) => outcome,
        Err(Error::TypeUnsupported { .. }) if !has_types => return Ok(Checked::RightError),
        Err(Error::OperatorType { .. }) if reduce.op.is_bitwise() && !integer => return Ok(Checked::RightError),
        Err(error) => return Err(format!("{}: {error}", label()).into()),
    };
    ensure(has_types, || format!("{}: ran without the features it needs", label()))?;
    let nan = if reduce.nan == NanPolicy::Ignore { Nan::Ignore } else { Nan::Propagate };
    let (op, segments) = (operator(reduce.op), Segments::Offsets(offsets));
    let wrong = |error: reference::Error| format!("{}: the twin says {error}", label());
    let expected = reference::segmented_reduce(op, values, &segments, nan, reduce.wide).map_err(wrong)?;
    let result = if outcome.tensor.dtype() == DType::F64 { Element::F64 } else { Element::F32 };
    let bounds = reference::segmented_reduce_bound(op, values, &segments, nan, result).map_err(wrong)?;
    twin::compare(&outcome.tensor, &expected, &bounds).map_err(|why| format!("{}: {why}\n{}", label(), outcome.plan.explain()))?;
    Ok(Checked::Equal)
}
