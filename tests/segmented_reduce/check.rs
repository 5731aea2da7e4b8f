//! A device's reduction of segments against its CPU twin.

use libtest_mimic::Failed;
use wavelane::{Context, DType, Error, FloatResult, NanPolicy, ReduceOp, SegmentedReduce, Tensor};
use wavelane_reference::{self as reference, Element, Nan, Op, Segments, Values};

use super::data;
use super::harness::gpu::ensure;

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
    let twin = |error: reference::Error| format!("{}: the twin says {error}", label());
    let expected = reference::segmented_reduce(op, values, &segments, nan, reduce.wide).map_err(twin)?;
    let result = if outcome.tensor.dtype() == DType::F64 { Element::F64 } else { Element::F32 };
    let bounds = reference::segmented_reduce_bound(op, values, &segments, nan, result).map_err(twin)?;
    compare(&outcome.tensor, &expected, &bounds).map_err(|why| format!("{}: {why}\n{}", label(), outcome.plan.explain()))?;
    Ok(Checked::Equal)
}

/// Results against the twin's, exactly for integers and within the bounds for floats.
pub fn compare(got: &Tensor, expected: &Values, bounds: &[f64]) -> Result<(), String> {
    let got = Values::from_bytes(data::element(got.dtype()), got.bytes()).ok_or("bytes do not fit the type")?;
    if got.len() != expected.len() {
        return Err(format!("{} results, and {} are right", got.len(), expected.len()));
    }
    // 64-bit integers do not fit f64: those are compared as they are.
    if matches!(got, Values::U64(_) | Values::I64(_)) && got.bits() != expected.bits() {
        let (got, want) = (got.bits(), expected.bits());
        let index = (0..got.len()).find(|&index| got[index] != want[index]).unwrap_or_default();
        return Err(format!("result {index} is {:#x}, and {:#x} is right", got[index], want[index]));
    }
    for (index, ((got, want), bound)) in got.to_f64().iter().zip(expected.to_f64()).zip(bounds).enumerate() {
        let equal = *got == want || (got.is_nan() && want.is_nan()) || (got - want).abs() <= *bound;
        if !equal {
            return Err(format!("result {index} is {got:e}, and {want:e} is right (bound {bound:e})"));
        }
    }
    Ok(())
}
