//! Reductions whose length the device counts, against the twin of as many elements.

use std::time::Duration;

use libtest_mimic::Failed;
use wavelane::device::{Buffer, BufferDescription, Capabilities, MemoryUse, Profile, Quirk};
use wavelane::record::{Access, BufferBarrier, BufferRange, Recorder};
use wavelane::{Context, DType, Error, Path, Pipelines, Reduce, ReduceBindings, ReduceOp, ReducePlan, ScratchState, Tensor};
use wavelane_reference::{self as reference, Nan, Values};

use super::check::{compare, has_types, operator};
use super::data::{Pattern, element, values};
use super::harness::Case;
use super::harness::gpu::{FORBIDS, ensure};
use super::{context, data, is_left_out, turn_of};

const PATIENCE: Duration = Duration::from_secs(120);

/// Rows and columns that one invocation, a few, a workgroup and several workgroups share.
const SHAPES: [(&[usize], Option<usize>); 9] = [
    (&[1031], None),
    (&[515, 19], Some(0)),
    (&[65_537], None),
    (&[1], None),
    (&[9], None),
    (&[700, 13], Some(1)),
    (&[19, 515], Some(1)),
    (&[40_003, 3], Some(0)),
    (&[7, 130, 5], Some(1)),
];

/// How many of them every type is tried on; the rest is for two types.
const FOR_EVERY_TYPE: usize = 2;

pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for op in ReduceOp::ALL {
        for path in Path::ALL {
            cases.push(
                Case::new(format!("counted::{op}::{path}"), move |_| operator_of(&context(Some(path), None)?, op))
                    .without_subgroups(path == Path::SharedMemory)
                    .by_turns(turn_of(op, path)),
            );
        }
    }
    for op in [ReduceOp::Sum, ReduceOp::Mean, ReduceOp::Var, ReduceOp::ArgMin] {
        cases.push(
            Case::new(format!("counted::{op}::as_minimal"), move |_| operator_of(&context(None, Some(Profile::named("minimal")?))?, op))
                .narrowed(),
        );
    }
    cases.push(Case::new("counted::in_pieces", |_| in_pieces()));
    cases.push(Case::new("counted::two_dispatches", |_| two_dispatches()));
    cases.push(Case::new("counted::a_missing_count_is_refused", |_| refusals()));
    cases.push(Case::new("counted::a_context_takes_all_of_its_array", |_| whole_arrays()));
    cases
}

fn operator_of(context: &Context, op: ReduceOp) -> Result<(), Failed> {
    let mut ran = 0;
    for dtype in DType::ALL {
        if is_left_out(context, op, dtype) {
            continue;
        }
        let shapes = if matches!(dtype, DType::U32 | DType::F32) { SHAPES.len() } else { FOR_EVERY_TYPE };
        for (shape, axis) in SHAPES.into_iter().take(shapes) {
            let reduce = Reduce { axis, ..Reduce::new(op, dtype, shape) }.counted();
            // A product of thousands of factors leaves f16 and f32 behind, and the bound with it.
            let calm = op == ReduceOp::Prod && dtype.is_float();
            if !(calm && shape.iter().any(|&length| length > 2049)) {
                ran += usize::from(check(context, &reduce, &[])?);
            }
            // Without elements, and with nothing but NaN among few, the same.
            if dtype.is_float() && shape == [1031] {
                ran += usize::from(check(context, &reduce.ignoring_nan(), &[])?);
            }
        }
    }
    // 32-bit types exist everywhere, so that a run which checks nothing is impossible.
    ensure(ran >= SHAPES.len(), || format!("only {ran} reductions ran"))
}

/// Whether it ran: the device may lack the type.
fn check(context: &Context, reduce: &Reduce, quirks: &[&'static Quirk]) -> Result<bool, Failed> {
    let capabilities = context.device().capabilities();
    let schedule = match reduce.schedule(capabilities, quirks, context.path()) {
        Ok(schedule) => schedule,
        Err(Error::TypeUnsupported { .. }) if !has_types(capabilities, reduce) => return Ok(false),
        Err(Error::OperatorType { .. }) if reduce.op.is_bitwise() && reduce.dtype.is_float() => return Ok(false),
        Err(error) => return Err(format!("{reduce:?}: {error}").into()),
    };
    let plan = ReducePlan::new(schedule, &Pipelines::new(context.device()))?;
    let elements = reduce.shape.iter().product();
    let pattern = if reduce.dtype.is_float() && reduce.nan == wavelane::NanPolicy::Ignore { Pattern::Nan } else { Pattern::Random };
    let input = values(reduce.dtype, elements, pattern, reduce.op == ReduceOp::Prod, 31);
    let most = reduce.axis.map_or(elements, |axis| reduce.shape[axis]) as u32;
    // The first is there again at the end, for the same bits.
    let counts = [most / 3, 0, 1, 2, 8, 9, most / 2 + 1, most - 1, most, most + 1, u32::MAX, most / 3];
    let got = run(context, &plan, &input, &counts)?;
    for (&counted, got) in counts.iter().zip(&got) {
        check_one(reduce, &input, counted.min(most) as usize, got)
            .map_err(|why| Failed::from(format!("{reduce:?} of {counted} on {:?}: {why}\n{}", context.path(), plan.explain())))?;
    }
    ensure(got.first().map(Tensor::bytes) == got.last().map(Tensor::bytes), || format!("{reduce:?} has other bits the second time"))?;
    Ok(true)
}

/// One recording that reduces by one count after the other, with the same scratch.
fn run(context: &Context, plan: &ReducePlan, input: &Values, counts: &[u32]) -> Result<Vec<Tensor>, Failed> {
    let schedule = plan.schedule();
    let buffer = |name, size| Buffer::new(context.device(), &BufferDescription { size, memory: MemoryUse::Shared, name });
    let stride = schedule.output_bytes.next_multiple_of(schedule.binding_alignment);
    let source = buffer("input", schedule.input_bytes)?;
    let output = buffer("outputs", stride * counts.len() as u64)?;
    let scratch = buffer("scratch", schedule.scratch_bytes)?;
    let counted = buffer("counts", 4 * counts.len() as u64)?;
    source.write(0, &input.to_bytes())?;
    counted.write(0, bytemuck::cast_slice(counts))?;
    let mut recorder = Recorder::new(context.device())?;
    for index in 0..counts.len() as u64 {
        let range = BufferRange::whole(&scratch);
        let bindings = ReduceBindings {
            input: BufferRange::whole(&source),
            output: BufferRange::whole(&output).slice(index * stride, schedule.output_bytes)?,
            scratch: Some(range),
            scratch_state: if index == 0 { ScratchState::Unknown } else { ScratchState::Zeroed },
            count: Some(BufferRange::whole(&counted).slice(4 * index, 4)?),
        };
        if index > 0 {
            let after = |to| BufferBarrier::new(range, Access::ComputeReadWrite, to);
            recorder.barrier(&[after(Access::ComputeReadWrite), after(Access::TransferWrite)])?;
        }
        plan.record(&mut recorder, &bindings)?;
    }
    recorder.barrier(&[BufferBarrier::new(BufferRange::whole(&output), Access::ComputeWrite, Access::HostRead)])?;
    recorder.submit()?.wait(PATIENCE)?;
    let read = |index| -> Result<Tensor, Failed> {
        let mut bytes = vec![0; schedule.output_bytes as usize];
        output.read(index * stride, &mut bytes)?;
        Ok(Tensor::new(schedule.result_dtype, schedule.result_shape.clone(), bytes)?)
    };
    (0..counts.len() as u64).map(read).collect()
}

/// The result of the first `count` elements along the axis.
fn check_one(reduce: &Reduce, input: &Values, count: usize, got: &Tensor) -> Result<(), String> {
    let (outer, length, inner) = match reduce.axis {
        None => (1, input.len(), 1),
        Some(axis) => (reduce.shape[..axis].iter().product(), reduce.shape[axis], reduce.shape[axis + 1..].iter().product()),
    };
    let line = inner * reduce.dtype.size() as usize;
    let bytes = input.to_bytes();
    let kept = (0..outer).flat_map(|slab| &bytes[slab * length * line..][..count * line]).copied().collect::<Vec<u8>>();
    let kept = Values::from_bytes(element(reduce.dtype), &kept).ok_or("bytes do not fit the type")?;
    let twin = Reduce { shape: vec![outer, count, inner], axis: Some(1), ..reduce.clone() };
    let nan = if reduce.nan == wavelane::NanPolicy::Ignore { Nan::Ignore } else { Nan::Propagate };
    match reference::reduce(operator(reduce.op), &kept, &twin.shape, twin.axis, nan, reduce.wide) {
        Ok(expected) => compare(&twin, &kept, nan, got, &expected),
        Err(reference::Error::Empty { .. }) if count == 0 => of_nothing(reduce, got),
        Err(reference::Error::AllNan { .. }) => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}

/// What the extremes of no elements are said to be.
fn of_nothing(reduce: &Reduce, got: &Tensor) -> Result<(), String> {
    let got = Values::from_bytes(element(got.dtype()), got.bytes()).ok_or("bytes do not fit the type")?;
    let least = reduce.op == ReduceOp::Min;
    let position = matches!(reduce.op, ReduceOp::ArgMin | ReduceOp::ArgMax);
    let right = match &got {
        Values::U32(got) => got.iter().all(|&x| x == if least || position { u32::MAX } else { 0 }),
        Values::I32(got) => got.iter().all(|&x| x == if least { i32::MAX } else { i32::MIN }),
        Values::U64(got) => got.iter().all(|&x| x == if least { u64::MAX } else { 0 }),
        Values::I64(got) => got.iter().all(|&x| x == if least { i64::MAX } else { i64::MIN }),
        floats => floats.to_f64().iter().all(|x| x.is_nan()),
    };
    if right { Ok(()) } else { Err(format!("of no elements it is {:?}", got.to_f64())) }
}

/// Descriptors that reach 4 KiB: the axis is cut, and the count ends in any of the pieces.
fn in_pieces() -> Result<(), Failed> {
    let mut capabilities: Capabilities = context(None, None)?.device().capabilities().clone();
    capabilities.limits.max_storage_buffer_range = 4096;
    let profile = Profile { name: "narrow".into(), source: "a limit lowered by a test".into(), capabilities };
    for path in Path::ALL {
        let context = context(Some(path), Some(profile.clone()))?;
        for (op, dtype) in
            [(ReduceOp::Sum, DType::U32), (ReduceOp::Var, DType::F32), (ReduceOp::Mean, DType::I32), (ReduceOp::ArgMax, DType::F16)]
        {
            for (shape, axis) in [(vec![20_011], None), (vec![3, 5000], Some(1)), (vec![5003, 3], Some(0)), (vec![3, 5000], Some(0))] {
                let reduce = Reduce { axis, ..Reduce::new(op, dtype, &shape) }.counted();
                ensure(check(&context, &reduce, &[])?, || format!("{reduce:?} did not run"))?;
            }
        }
    }
    Ok(())
}

/// Where another dispatch combines, it divides by what was counted.
fn two_dispatches() -> Result<(), Failed> {
    for path in Path::ALL {
        let context = context(Some(path), None)?;
        for op in [ReduceOp::Sum, ReduceOp::Mean, ReduceOp::Var, ReduceOp::Min] {
            for (shape, axis) in [(vec![100_003], None), (vec![40_003, 2], Some(0))] {
                let reduce = Reduce { axis, ..Reduce::new(op, DType::I32, &shape) }.counted();
                ensure(check(&context, &reduce, &[&FORBIDS])?, || format!("{reduce:?} did not run"))?;
            }
        }
    }
    Ok(())
}

fn refusals() -> Result<(), Failed> {
    let context = context(None, None)?;
    let plan = Reduce::new(ReduceOp::Sum, DType::U32, &[1000]).counted().plan(context.device(), None)?;
    ensure(plan.explain().contains("its length counted by the device"), || plan.explain())?;
    let buffer = Buffer::new(context.device(), &BufferDescription { size: 1 << 16, memory: MemoryUse::Shared, name: "all" })?;
    let all = BufferRange::whole(&buffer);
    let good = ReduceBindings {
        input: all.slice(0, 4000)?,
        output: all.slice(4096, 4)?,
        scratch: Some(all.slice(8192, 4096)?),
        scratch_state: ScratchState::Unknown,
        count: Some(all.slice(20_000, 8)?),
    };
    let refuse = |bindings: ReduceBindings, text: &str| -> Result<(), Failed> {
        let mut recorder = Recorder::new(context.device())?;
        let said = plan.record(&mut recorder, &bindings).err().map(|error| error.to_string());
        ensure(said.as_deref() == Some(text) && recorder.dispatches() == 0, || format!("{said:?} and not {text}"))
    };
    refuse(ReduceBindings { count: None, ..good }, "the count binding has 0 bytes, and the plan needs 4")?;
    refuse(ReduceBindings { count: Some(all.slice(20_000, 3)?), ..good }, "the count binding has 3 bytes, and the plan needs 4")?;
    refuse(
        ReduceBindings { count: Some(all.slice(20_002, 4)?), ..good },
        "the count binding starts at byte 20002, which is not a multiple of 4",
    )?;
    refuse(ReduceBindings { scratch: None, ..good }, "the scratch binding has 0 bytes, and the plan needs 4")?;
    let mut recorder = Recorder::new(context.device())?;
    plan.record(&mut recorder, &good)?;
    ensure(recorder.dispatches() == 1, || "the good bindings were not recorded".into())
}

fn whole_arrays() -> Result<(), Failed> {
    let input = data::tensor(DType::U32, &[3], &Values::U32(vec![4, 5, 6]))?;
    let sum: u32 = context(None, None)?.reduce(&Reduce::new(ReduceOp::Sum, DType::U32, &[3]).counted(), &input)?.tensor.to_scalar()?;
    ensure(sum == 15, || format!("{sum} and not 15"))
}
