//! Reductions of segments on every driver and path, against the CPU twin.

#[path = "segmented_reduce/check.rs"]
mod check;
#[path = "segmented_reduce/counted.rs"]
mod counted;
#[allow(dead_code, reason = "shared with other tests, which use the rest")]
#[path = "reduce/data.rs"]
mod data;
#[path = "segmented_reduce/forms.rs"]
mod forms;
mod guarded;
mod harness;
#[path = "segmented_reduce/limits.rs"]
mod limits;
#[allow(dead_code, reason = "shared with other tests, which use the rest")]
mod segments;
mod twin;

use std::process::ExitCode;

use check::{Checked, check};
use data::{Pattern, values};
use harness::Case;
use harness::gpu::ensure;
use libtest_mimic::Failed;
use segments::Division;
use wavelane::device::{Profile, Validation};
use wavelane::{Context, ContextOptions, DType, FloatResult, NanPolicy, Path, ReduceOp, SegmentedReduce, Tensor};

/// Lengths around everything that is a size somewhere.
const LENGTHS: [usize; 17] = [0, 1, 2, 3, 5, 31, 33, 127, 129, 255, 257, 1021, 2047, 2049, 4099, 10_007, 40_003];

fn main() -> ExitCode {
    let mut cases = Vec::new();
    for (third, path) in Path::ALL.into_iter().enumerate() {
        cases.push(
            Case::new(format!("divisions::{path}"), move |_| divisions(&context(Some(path), None)?))
                .without_subgroups(path == Path::SharedMemory),
        );
        cases.push(
            Case::new(format!("operators::{path}"), move |_| operators(&context(Some(path), None)?, third))
                .without_subgroups(path == Path::SharedMemory)
                .by_turns(third),
        );
    }
    cases.push(Case::new("divisions::as_minimal", |_| divisions(&context(None, Some(Profile::named("minimal")?))?)).narrowed());
    cases.push(Case::new("operators::as_minimal", |_| operators(&context(None, Some(Profile::named("minimal")?))?, 1)).narrowed());
    cases.push(Case::new("patterns", |_| patterns(&context(None, None)?)));
    cases.push(Case::new("floats_are_the_same_on_every_run", |_| repeated(&context(None, None)?)));
    cases.push(Case::new("what_is_refused", |_| refusals(&context(None, None)?)));
    cases.extend(counted::cases());
    cases.extend(forms::cases());
    cases.extend(limits::cases());
    harness::main(cases)
}

/// The driver's device, with a path forced, and as another device.
pub fn context(path: Option<Path>, profile: Option<Profile>) -> Result<Context, Failed> {
    Ok(Context::new(&ContextOptions { path, profile, validation: Validation::On, ..Default::default() })?)
}

/// A state that knows its elements, and one that is compared exactly and counts positions: all lengths and divisions.
fn divisions(context: &Context) -> Result<(), Failed> {
    for (op, dtype) in [(ReduceOp::Sum, DType::U32), (ReduceOp::ArgMin, DType::F16), (ReduceOp::Var, DType::F32)] {
        for (turn, length) in LENGTHS.into_iter().enumerate() {
            for (number, division) in Division::ALL.into_iter().enumerate() {
                // Large arrays of a few kinds with each operator, and all kinds in all.
                if length > 5000 && (turn + number) % 3 != op as usize % 3 && !harness::every() {
                    continue;
                }
                one(context, SegmentedReduce::new(op, dtype, length, 0), division, Pattern::Random)?;
            }
        }
    }
    Ok(())
}

fn one(context: &Context, reduce: SegmentedReduce, division: Division, pattern: Pattern) -> Result<Checked, Failed> {
    // A product of thousands of factors leaves floats' range behind, and the bound with it.
    let calm = reduce.op == ReduceOp::Prod;
    let input = values(reduce.dtype, reduce.length, pattern, calm, 1);
    check(context, &reduce, &input, &division.offsets(reduce.length, 7))
        .map_err(|failed| format!("{division:?}: {}", failed.message().unwrap_or_default()).into())
}

/// A third of all pairs of operators and types: pipelines are what costs time, and each path takes another third. Every kind of state is in each.
fn operators(context: &Context, third: usize) -> Result<(), Failed> {
    let mut equal = 0;
    let double = context.device().capabilities().features.shader_float64;
    for (row, op) in ReduceOp::ALL.into_iter().enumerate() {
        for dtype in
            DType::ALL.into_iter().enumerate().filter(|(column, _)| (row + column) % 3 == third || harness::every()).map(|(_, dtype)| dtype)
        {
            let divisions = match op {
                ReduceOp::Prod => [Division::Even(16), Division::Random],
                _ => [Division::Huge, Division::Empty],
            };
            for (number, division) in divisions.into_iter().enumerate() {
                // No pipeline more: the options go with the type.
                let wide = op == ReduceOp::Sum && matches!(dtype, DType::I32 | DType::U16);
                let float_result = if double && matches!(dtype, DType::U32 | DType::U8) { FloatResult::F64 } else { FloatResult::F32 };
                let nan = if dtype == DType::F16 { NanPolicy::Ignore } else { NanPolicy::Propagate };
                let pattern = if number == 1 && dtype.is_float() { Pattern::Nan } else { Pattern::Random };
                let reduce = SegmentedReduce { wide, float_result, nan, ..SegmentedReduce::new(op, dtype, 9_011, 0) };
                equal += usize::from(one(context, reduce, division, pattern)? == Checked::Equal);
            }
        }
    }
    // 32-bit types exist everywhere, so that a run which checks nothing is impossible.
    ensure(equal > 20, || format!("only {equal} results were compared"))
}

/// Ties, NaN and infinities.
fn patterns(context: &Context) -> Result<(), Failed> {
    for op in [ReduceOp::Min, ReduceOp::ArgMax, ReduceOp::Mean, ReduceOp::Var, ReduceOp::Norm2] {
        for nan in [NanPolicy::Propagate, NanPolicy::Ignore] {
            for pattern in [Pattern::Equal, Pattern::Ties, Pattern::Nan, Pattern::Infinite] {
                for division in [Division::Random, Division::Even(3), Division::Whole] {
                    one(context, SegmentedReduce { nan, ..SegmentedReduce::new(op, DType::F32, 9_001, 0) }, division, pattern)?;
                }
            }
        }
    }
    Ok(())
}

/// Fifty runs of reductions of floats.
fn repeated(context: &Context) -> Result<(), Failed> {
    const LENGTH: usize = 100_021;
    let input = data::tensor(DType::F32, &[LENGTH], &values(DType::F32, LENGTH, Pattern::Random, false, 3))?;
    for op in [ReduceOp::Sum, ReduceOp::Var] {
        for division in [Division::Whole, Division::Random, Division::Huge] {
            let offsets = division.offsets(LENGTH, 5);
            let reduce = SegmentedReduce::new(op, DType::F32, LENGTH, offsets.len() - 1);
            let offsets = Tensor::from_slice(&offsets, &[offsets.len()])?;
            let first = context.segmented_reduce(&reduce, &input, &offsets)?;
            for run in 1..50 {
                let again = context.segmented_reduce(&reduce, &input, &offsets)?;
                ensure(again.tensor.bytes() == first.tensor.bytes(), || format!("run {run} differs"))?;
            }
        }
    }
    Ok(())
}

fn refusals(context: &Context) -> Result<(), Failed> {
    let refuse = |reduce: &SegmentedReduce, offsets: &[u32], text: &str| -> Result<(), Failed> {
        let input = match reduce.dtype {
            DType::F32 => Tensor::from_slice(&[1f32; 8], &[8])?,
            _ => Tensor::from_slice(&[1u32; 8], &[8])?,
        };
        match context.segmented_reduce(reduce, &input, &Tensor::from_slice(offsets, &[offsets.len()])?) {
            Ok(_) => Err(format!("{reduce:?} of {offsets:?} was done").into()),
            Err(error) => {
                ensure(!error.advice().is_empty(), || "no advice".into())?;
                ensure(error.to_string() == text, || format!("`{error}` instead of `{text}`"))
            }
        }
    };
    let two = SegmentedReduce::new(ReduceOp::Sum, DType::U32, 8, 2);
    refuse(&two, &[0, 5, 4], "offset 2 is 4; of the offsets of segments none is less than the one before")?;
    refuse(&two, &[0, 5, 9], "offset 2 is 9; of the offsets of segments none is greater than the number of elements")?;
    refuse(&two, &[0, 8], "the plan is for u32 [3], and the array is u32 [2]")?;
    refuse(&SegmentedReduce { length: 9, ..two.clone() }, &[0, 5, 8], "the plan is for u32 [9], and the array is u32 [8]")?;
    let bits = SegmentedReduce::new(ReduceOp::Xor, DType::F32, 8, 1);
    refuse(&bits, &[0, 8], "xor is not defined for f32: it combines the bits of integers")?;
    let wide = SegmentedReduce::new(ReduceOp::Max, DType::U32, 8, 1).wide();
    refuse(&wide, &[0, 8], "a wide accumulator was asked for max of u32; there is one for sum of u32 and i32")
}
