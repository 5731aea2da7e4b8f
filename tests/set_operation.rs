//! Set operations of sorted arrays on every driver and path, against the CPU twin: bit for bit, so that it shows which of equal elements is the result.

#[allow(dead_code, reason = "not every test takes all patterns")]
#[path = "reduce/data.rs"]
mod data;
mod guarded;
mod harness;
#[path = "sort/keys.rs"]
mod keys;
#[path = "set_operation/recording.rs"]
mod recording;
#[path = "select/support.rs"]
mod support;

use std::process::ExitCode;

use data::tensor;
use harness::Case;
use harness::gpu::ensure;
use keys::Keys;
use libtest_mimic::Failed;
use support::{context, difference, on_each_path, on_narrow_devices};
use wavelane::{Context, DType, Error, Kernel, SetOp, SetOperation, Tensor};
use wavelane_reference::{self as reference, Values};

/// Lengths around words, an invocation's results, workgroups of them, and primes.
const LENGTHS: [usize; 10] = [0, 1, 2, 5, 16, 17, 257, 2047, 2049, 20_011];

fn main() -> ExitCode {
    let mut cases = on_each_path("types", types);
    cases.push(Case::new("lengths", |_| lengths(&context(None, None)?)));
    cases.push(Case::new("repeats", |_| repeats(&context(None, None)?)));
    cases.push(Case::new("refusals", |_| refusals(&context(None, None)?)));
    cases.extend(on_narrow_devices(narrow));
    cases.extend(harness::gpu::restricted(|profile| restricted(&context(None, Some(profile))?)));
    cases.extend(recording::cases());
    harness::main(cases)
}

/// The twin's word for an operation.
fn twin(op: SetOp) -> reference::SetOp {
    match op {
        SetOp::Union => reference::SetOp::Union,
        SetOp::Intersection => reference::SetOp::Intersection,
        SetOp::Difference => reference::SetOp::Difference,
        SetOp::SymmetricDifference => reference::SetOp::SymmetricDifference,
    }
}

fn sorted(keys: &Values) -> Result<Values, Failed> {
    Ok(keys.take(reference::sort_places(keys, &[keys.len()], None, &Default::default())?))
}

/// One operation on the host's arrays, which are put in order first.
fn check(context: &Context, operation: &SetOperation, first: &Values, second: &Values) -> Result<(), Failed> {
    let (a, b) = (sorted(first)?, sorted(second)?);
    let want = reference::set_operation(twin(operation.op), &a, &b)?.to_bytes();
    let (a, b) = (tensor(operation.dtype, &[a.len()], &a)?, tensor(operation.dtype, &[b.len()], &b)?);
    let outcome = context.set_operation(operation, &a, &b)?;
    match difference(outcome.tensor.bytes(), &want, operation.dtype.size() as usize) {
        None => Ok(()),
        Some(why) => Err(format!("{operation:?}: {why}\n{}", outcome.plan.explain()).into()),
    }
}

/// Every type and operation, with arrays that have much, little and nothing in common.
fn types(context: &Context) -> Result<(), Failed> {
    for dtype in DType::ALL {
        for op in SetOp::ALL {
            let operation = SetOperation::new(op, dtype, 1511, 1009);
            for keys in Keys::of(dtype) {
                check(context, &operation, &keys.values(dtype, 1511, 1), &keys.values(dtype, 1009, 2))?;
            }
            let some = Keys::Random.values(dtype, 1511, 3);
            check(context, &operation, &some, &some.take((0..1009).map(|at| at * 3 % 1511)))?;
        }
    }
    Ok(())
}

fn lengths(context: &Context) -> Result<(), Failed> {
    for (turn, first) in LENGTHS.into_iter().enumerate() {
        for (other, second) in LENGTHS.into_iter().enumerate() {
            for op in SetOp::ALL {
                let dtype = [DType::U32, DType::U8, DType::F16, DType::I64][(turn + other) % 4];
                let keys = if other % 2 == 0 { Keys::Few } else { Keys::Sparse };
                check(
                    context,
                    &SetOperation::new(op, dtype, first, second),
                    &keys.values(dtype, first, 3),
                    &keys.values(dtype, second, 4),
                )?;
            }
        }
    }
    Ok(())
}

/// Each operation, with elements of one word, of half a one and of two.
fn restricted(context: &Context) -> Result<(), Failed> {
    for dtype in [DType::U32, DType::F16, DType::I64] {
        for op in SetOp::ALL {
            let operation = SetOperation::new(op, dtype, 3011, 2003);
            check(context, &operation, &Keys::Few.values(dtype, 3011, 9), &Keys::Sparse.values(dtype, 2003, 10))?;
        }
    }
    Ok(())
}

/// Limits of the device lowered, so that arrays and results go in pieces.
fn narrow(context: &Context) -> Result<(), Failed> {
    for dtype in [DType::U8, DType::F16, DType::I32, DType::F64] {
        for (first, second) in [(30, 7), (9001, 12_007)] {
            for op in SetOp::ALL {
                let operation = SetOperation::new(op, dtype, first, second);
                check(context, &operation, &Keys::Few.values(dtype, first, 7), &Keys::Few.values(dtype, second, 8))?;
                let some = Keys::Random.values(dtype, second, 7);
                check(context, &operation, &some.take((0..first).map(|at| at * 5 % second)), &some)?;
            }
        }
    }
    Ok(())
}

fn repeats(context: &Context) -> Result<(), Failed> {
    for op in SetOp::ALL {
        let operation = SetOperation::new(op, DType::F32, 20_011, 9001);
        let [a, b] = [(20_011, 8), (9001, 9)].map(|(count, seed)| sorted(&Keys::Nan.values(DType::F32, count, seed)));
        let (a, b) = (tensor(DType::F32, &[20_011], &a?)?, tensor(DType::F32, &[9001], &b?)?);
        let first = context.set_operation(&operation, &a, &b)?.tensor;
        for run in 1..25 {
            let again = context.set_operation(&operation, &a, &b)?.tensor;
            // NaN differ from themselves.
            ensure(again.bytes() == first.bytes(), || format!("run {run} of {op:?} has other bits"))?;
        }
    }
    Ok(())
}

fn refusals(context: &Context) -> Result<(), Failed> {
    let (three, two) = (Tensor::from_slice(&[1u32, 2, 3], &[3])?, Tensor::from_slice(&[1u32, 2], &[2])?);
    let refuse = |operation: SetOperation, text: &str| -> Result<(), Failed> {
        match context.set_operation(&operation, &three, &two) {
            Ok(_) => Err(format!("{operation:?} was done").into()),
            Err(error) => {
                ensure(!error.advice().is_empty(), || "no advice".into())?;
                ensure(error.to_string().contains(text), || format!("`{error}` without `{text}`"))
            }
        }
    };
    refuse(SetOperation::new(SetOp::Union, DType::F32, 3, 2), "f32")?;
    refuse(SetOperation::new(SetOp::Union, DType::U32, 2, 2), "u32 [2]")?;
    refuse(SetOperation::new(SetOp::Union, DType::U32, 3, 3), "u32 [3]")?;
    let many = SetOperation::new(SetOp::Union, DType::U8, 1 << 31, 1 << 31);
    let error = many.schedule(context.device().capabilities(), &[], None).err();
    ensure(matches!(error, Some(Error::TooManyElements { .. })), || format!("{error:?}"))
}
