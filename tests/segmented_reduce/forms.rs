//! Segments that flags tell, and segments of one length.

use libtest_mimic::Failed;
use wavelane::device::Profile;
use wavelane::{Context, DType, Error, Kernel, Path, ReduceOp, SegmentedReduce, Tensor};
use wavelane_reference::{self as reference, Element, Nan, Op, Segments};

use super::data::{Pattern, values};
use super::harness::Case;
use super::harness::gpu::ensure;
use super::segments::{Division, flags};
use super::{context, data, twin};

pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for path in Path::ALL {
        cases.push(
            Case::new(format!("flags::{path}"), move |_| by_flags(&context(Some(path), None)?))
                .without_subgroups(path == Path::SharedMemory),
        );
        cases.push(
            Case::new(format!("one_length::{path}"), move |_| of_one_length(&context(Some(path), None)?))
                .without_subgroups(path == Path::SharedMemory),
        );
    }
    cases.push(Case::new("flags::as_minimal", |_| by_flags(&context(None, Some(Profile::named("minimal")?))?)).narrowed());
    cases.push(Case::new("one_length::in_pieces", |_| {
        let mut capabilities = context(None, None)?.device().capabilities().clone();
        capabilities.limits.max_storage_buffer_range = 20 << 10;
        let profile = Profile { name: "narrow".into(), source: "a limit lowered by a test".into(), capabilities };
        of_one_length(&context(None, Some(profile))?)
    }));
    cases.push(Case::new("forms_that_cannot_be", |_| refusals(&context(None, None)?)));
    cases
}

/// Operators whose states are a word, one that is rounded, and one of several words that knows positions.
const OPERATORS: [(ReduceOp, Op, DType); 3] =
    [(ReduceOp::Sum, Op::Sum, DType::U32), (ReduceOp::Var, Op::Var, DType::F32), (ReduceOp::ArgMax, Op::ArgMax, DType::U8)];

fn check(context: &Context, reduce: &SegmentedReduce, op: Op, told: Option<&Tensor>, segments: &Segments) -> Result<(), Failed> {
    let input = values(reduce.dtype, reduce.length, Pattern::Random, false, 1);
    let outcome = context.segmented_reduce(reduce, &data::tensor(reduce.dtype, &[reduce.length], &input)?, told)?;
    let right = reference::segmented_reduce(op, &input, segments, Nan::Propagate, false)?;
    let bounds = reference::segmented_reduce_bound(op, &input, segments, Nan::Propagate, Element::F32)?;
    twin::compare(&outcome.tensor, &right, &bounds).map_err(|why| format!("{reduce:?}: {why}\n{}", outcome.plan.explain()).into())
}

fn by_flags(context: &Context) -> Result<(), Failed> {
    for (op, twin_op, dtype) in OPERATORS {
        for length in [0, 1, 2, 257, 2049, 10_007] {
            for division in [Division::Whole, Division::Even(1), Division::Even(16), Division::Random, Division::Huge, Division::Within] {
                let flags = flags(&division.offsets(length, 7), length);
                let told = Tensor::from_slice(&flags, &[length])?;
                check(context, &SegmentedReduce::by_flags(op, dtype, length), twin_op, Some(&told), &Segments::Flags(&flags))?;
            }
        }
    }
    Ok(())
}

fn of_one_length(context: &Context) -> Result<(), Failed> {
    for (op, twin_op, dtype) in OPERATORS {
        for length in [0, 1, 2, 257, 2049, 40_003] {
            for each in [1, 3, 16, 1000, 50_000] {
                // Results must be in reach of one binding.
                if length / each < 4000 {
                    check(context, &SegmentedReduce::of_length(op, dtype, length, each), twin_op, None, &Segments::Length(each))?;
                }
            }
        }
    }
    Ok(())
}

fn refusals(context: &Context) -> Result<(), Failed> {
    let refused = |reduce: &SegmentedReduce, text: &str| match reduce.plan(context.device(), None) {
        Ok(_) => Err(Failed::from(format!("{reduce:?} was planned"))),
        Err(error) => ensure(error.to_string() == text && !error.advice().is_empty(), || error.to_string()),
    };
    let sixteen = SegmentedReduce::of_length(ReduceOp::Sum, DType::U32, 100, 16);
    refused(&SegmentedReduce { segments: 6, ..sixteen }, "6 segments of 16 elements were asked for in an array of 100")?;
    refused(&SegmentedReduce::of_length(ReduceOp::Sum, DType::U32, 100, 0), "segments were asked for of 0 elements each")?;
    let by_flags = SegmentedReduce::by_flags(ReduceOp::Sum, DType::U32, 4);
    let input = Tensor::from_slice(&[1u32; 4], &[4])?;
    let error = context.segmented_reduce(&by_flags, &input, None).err();
    ensure(matches!(error, Some(Error::BindingTooSmall { binding: "flags", .. })), || format!("no flags: {error:?}"))?;
    let error = context.segmented_reduce(&by_flags, &input, &Tensor::from_slice(&[1u32; 3], &[3])?).err();
    ensure(matches!(error, Some(Error::InputMismatch { .. })), || format!("short flags: {error:?}"))
}
