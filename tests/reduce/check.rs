//! A device's reduction against its CPU twin.

use libtest_mimic::Failed;
use wavelane::device::Capabilities;
use wavelane::{Context, DType, Error, FloatResult, NanPolicy, Reduce, ReduceOp, Tensor};
use wavelane_reference::{self as reference, Element, Nan, Op, Values};

use super::data;
use super::harness::gpu::ensure;

/// What came of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checked {
    /// The device's results are the twin's.
    Equal,
    /// The device lacks the type, or there is no result to be had: the right error came.
    RightError,
}

pub fn operator(op: ReduceOp) -> Op {
    match op {
        ReduceOp::Sum => Op::Sum,
        ReduceOp::Prod => Op::Prod,
        ReduceOp::Min => Op::Min,
        ReduceOp::Max => Op::Max,
        ReduceOp::And => Op::And,
        ReduceOp::Or => Op::Or,
        ReduceOp::Xor => Op::Xor,
        ReduceOp::Any => Op::Any,
        ReduceOp::All => Op::All,
        ReduceOp::Mean => Op::Mean,
        ReduceOp::Var => Op::Var,
        ReduceOp::Norm1 => Op::Norm1,
        ReduceOp::Norm2 => Op::Norm2,
        ReduceOp::ArgMin => Op::ArgMin,
        ReduceOp::ArgMax => Op::ArgMax,
    }
}

/// Whether the device has what a type and its float result need. Written down apart from the library's own judgement.
pub fn has_types(capabilities: &Capabilities, reduce: &Reduce) -> bool {
    let features = &capabilities.features;
    let float_result = matches!(reduce.op, ReduceOp::Mean | ReduceOp::Var | ReduceOp::Norm1 | ReduceOp::Norm2);
    let integer = !reduce.dtype.is_float();
    let double = reduce.dtype == DType::F64 || (integer && float_result && reduce.float_result == FloatResult::F64);
    let keyed = matches!(reduce.op, ReduceOp::Min | ReduceOp::Max);
    let wide = matches!(reduce.dtype, DType::U64 | DType::I64) || (reduce.dtype == DType::F64 && keyed);
    (!double || features.shader_float64) && (!wide || features.shader_int64)
}

/// Runs `reduce` on `values`, and compares.
pub fn check(context: &Context, reduce: &Reduce, values: &Values) -> Result<Checked, Failed> {
    let label = || format!("{reduce:?} on {:?}", context.path());
    let input = data::tensor(reduce.dtype, &reduce.shape, values)?;
    let nan = if reduce.nan == NanPolicy::Ignore { Nan::Ignore } else { Nan::Propagate };
    let expected = reference::reduce(operator(reduce.op), values, &reduce.shape, reduce.axis, nan, reduce.wide);
    let outcome = match context.reduce(reduce, &input) {
        Ok(outcome) => outcome,
        Err(Error::TypeUnsupported { .. }) if !has_types(context.device().capabilities(), reduce) => return Ok(Checked::RightError),
        Err(Error::OperatorType { .. }) if reduce.op.is_bitwise() && reduce.dtype.is_float() => return Ok(Checked::RightError),
        Err(Error::EmptyReduction { .. }) if matches!(expected, Err(reference::Error::Empty { .. })) => return Ok(Checked::RightError),
        Err(error) => return Err(format!("{}: {error}", label()).into()),
    };
    ensure(has_types(context.device().capabilities(), reduce), || format!("{}: ran without the features it needs", label()))?;
    let expected = match expected {
        Ok(expected) => expected,
        // The device has no errors: a position that is none says the same.
        Err(reference::Error::AllNan { .. }) => return Ok(Checked::RightError),
        Err(error) => return Err(format!("{}: the twin says {error}, and the device gave a result", label()).into()),
    };
    ensure(outcome.tensor.shape() == reduce.result_shape(false)?.as_slice(), || {
        format!("{}: shape {:?}", label(), outcome.tensor.shape())
    })?;
    compare(reduce, values, nan, &outcome.tensor, &expected).map_err(|why| {
        let report = outcome.plan.explain();
        Failed::from(format!("{}: {why}\n{report}", label()))
    })?;
    Ok(Checked::Equal)
}

/// A result against the twin's, exactly for integers and within the bound for floats.
pub fn compare(reduce: &Reduce, values: &Values, nan: Nan, got: &Tensor, expected: &Values) -> Result<(), String> {
    let got_values = Values::from_bytes(data::element(got.dtype()), got.bytes()).ok_or("bytes do not fit the type")?;
    if got_values.len() != expected.len() {
        return Err(format!("{} results, and {} are right", got_values.len(), expected.len()));
    }
    // 64-bit integers do not fit f64: those are compared as they are.
    match (&got_values, expected) {
        (Values::U64(got), Values::U64(want)) => return exactly(got, want),
        (Values::I64(got), Values::I64(want)) => return exactly(got, want),
        _ => {}
    }
    let result = if got.dtype() == DType::F64 { Element::F64 } else { Element::F32 };
    let bounds =
        reference::reduce_bound(operator(reduce.op), values, &reduce.shape, reduce.axis, nan, result).map_err(|error| error.to_string())?;
    for (index, ((got, want), bound)) in got_values.to_f64().iter().zip(expected.to_f64()).zip(bounds).enumerate() {
        let equal = *got == want || (got.is_nan() && want.is_nan()) || (got - want).abs() <= bound;
        if !equal {
            return Err(format!("result {index} is {got:e}, and {want:e} is right (bound {bound:e})"));
        }
    }
    Ok(())
}

fn exactly<T: PartialEq + std::fmt::Debug>(got: &[T], want: &[T]) -> Result<(), String> {
    match got.iter().zip(want).position(|(got, want)| got != want) {
        Some(index) => Err(format!("result {index} is {:?}, and {:?} is right", got[index], want[index])),
        None => Ok(()),
    }
}
