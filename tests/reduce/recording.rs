//! Plans in command buffers of the caller: offsets, repetition, two dispatches, and what is refused.

use std::time::Duration;

use libtest_mimic::Failed;
use wavelane::device::{Buffer, BufferDescription, MemoryUse};
use wavelane::record::{Access, BufferBarrier, BufferRange, Recorder};
use wavelane::{Context, DType, Error, Pipelines, Reduce, ReduceBindings, ReduceOp, ReducePlan, ScratchState};

use super::context;
use super::harness::Case;
use super::harness::gpu::{FORBIDS, ensure};

const PATIENCE: Duration = Duration::from_secs(60);

pub fn cases() -> Vec<Case> {
    vec![
        Case::new("recording::offsets_and_repetition", |_| repetition()),
        Case::new("recording::two_dispatches_where_the_last_workgroup_may_not_combine", |_| two_dispatches()),
        Case::new("recording::bindings_that_do_not_fit_are_refused", |_| refusals()),
    ]
}

fn shared(context: &Context, name: &str, size: u64) -> Result<Buffer, Failed> {
    Ok(Buffer::new(context.device(), &BufferDescription { size, memory: MemoryUse::Shared, name })?)
}

/// A split reduction recorded three times into one command buffer, every binding at an offset, the fill of the counters the first time only.
fn repetition() -> Result<(), Failed> {
    let context = context(None, None)?;
    let reduce = Reduce::new(ReduceOp::Sum, DType::U32, &[100_003]);
    let plan = reduce.plan(context.device(), None)?;
    let schedule = plan.schedule();
    ensure(schedule.counter_bytes > 0 && schedule.steps.len() == 1, || format!("this should be one dispatch:\n{}", plan.explain()))?;
    let offset = schedule.binding_alignment * 3;
    let elements: Vec<u32> = (0..100_003u32).map(|index| index.wrapping_mul(77)).collect();
    let input = shared(&context, "input", offset + schedule.input_bytes)?;
    let output = shared(&context, "output", 3 * offset + 4)?;
    let scratch = shared(&context, "scratch", offset + schedule.scratch_bytes)?;
    input.write(offset, bytemuck::cast_slice(&elements))?;
    let mut recorder = Recorder::new(context.device())?;
    for round in 0..3 {
        let bindings = ReduceBindings {
            input: BufferRange::new(&input, offset, schedule.input_bytes)?,
            output: BufferRange::new(&output, offset * (round + 1), 4)?,
            scratch: Some(BufferRange::new(&scratch, offset, schedule.scratch_bytes)?),
            scratch_state: if round == 0 { ScratchState::Unknown } else { ScratchState::Zeroed },
            count: None,
        };
        if round > 0 {
            let range = BufferRange::whole(&scratch);
            recorder.barrier(&[BufferBarrier::new(range, Access::ComputeReadWrite, Access::ComputeReadWrite)])?;
        }
        plan.record(&mut recorder, &bindings)?;
    }
    let range = BufferRange::whole(&output);
    recorder.barrier(&[BufferBarrier::new(range, Access::ComputeWrite, Access::HostRead)])?;
    recorder.submit()?.wait(PATIENCE)?;
    let expected = elements.iter().fold(0u32, |sum, &x| sum.wrapping_add(x));
    for round in 0..3 {
        let mut bytes = [0; 4];
        output.read(offset * (round + 1), &mut bytes)?;
        ensure(u32::from_ne_bytes(bytes) == expected, || format!("round {round}: {} and not {expected}", u32::from_ne_bytes(bytes)))?;
    }
    Ok(())
}

/// Where a quirk forbids that the last workgroup combines, a second dispatch does.
fn two_dispatches() -> Result<(), Failed> {
    for path in wavelane::Path::ALL {
        let context = context(Some(path), None)?;
        for (reduce, expected) in [
            (Reduce::new(ReduceOp::Sum, DType::U32, &[100_003]), vec![(0..100_003u32).fold(0u32, |sum, x| sum.wrapping_add(x))]),
            (Reduce::new(ReduceOp::Max, DType::U32, &[40_000, 2]).along(0), vec![79_998, 79_999]),
            (Reduce::new(ReduceOp::ArgMax, DType::U32, &[40_000, 2]).along(0), vec![39_999, 39_999]),
        ] {
            let schedule = reduce.schedule(context.device().capabilities(), &[&FORBIDS], Some(path))?;
            ensure(schedule.steps.len() == 2 && !schedule.last_arrival, || {
                format!("this should be two dispatches:\n{}", schedule.explain())
            })?;
            let (input_bytes, output_bytes, scratch_bytes) = (schedule.input_bytes, schedule.output_bytes, schedule.scratch_bytes);
            let plan = ReducePlan::new(schedule, &Pipelines::new(context.device()))?;
            let input = shared(&context, "input", input_bytes)?;
            let output = shared(&context, "output", output_bytes)?;
            let scratch = shared(&context, "scratch", scratch_bytes)?;
            let elements: Vec<u32> = (0..input_bytes as u32 / 4).collect();
            input.write(0, bytemuck::cast_slice(&elements))?;
            let bindings = ReduceBindings {
                input: BufferRange::whole(&input),
                output: BufferRange::whole(&output),
                scratch: Some(BufferRange::whole(&scratch)),
                scratch_state: ScratchState::Unknown,
                count: None,
            };
            let mut recorder = Recorder::new(context.device())?;
            plan.record(&mut recorder, &bindings)?;
            recorder.barrier(&[BufferBarrier::new(bindings.output, Access::ComputeWrite, Access::HostRead)])?;
            recorder.submit()?.wait(PATIENCE)?;
            let mut bytes = vec![0; output_bytes as usize];
            output.read(0, &mut bytes)?;
            let got: Vec<u32> = bytemuck::pod_collect_to_vec(&bytes);
            ensure(got == expected, || format!("{got:?} and not {expected:?}:\n{}", plan.explain()))?;
        }
    }
    Ok(())
}

/// Buffers that are too small or at the wrong offset: an error that says which, and nothing recorded.
fn refusals() -> Result<(), Failed> {
    let context = context(None, None)?;
    let plan = Reduce::new(ReduceOp::Sum, DType::U32, &[100_003]).plan(context.device(), None)?;
    let schedule = plan.schedule();
    let (input_bytes, scratch_bytes, alignment) = (schedule.input_bytes, schedule.scratch_bytes, schedule.binding_alignment);
    let buffer = shared(&context, "all", input_bytes + scratch_bytes + 4 * alignment)?;
    let good = ReduceBindings {
        input: BufferRange::new(&buffer, 0, input_bytes)?,
        output: BufferRange::new(&buffer, input_bytes.next_multiple_of(alignment), 4)?,
        scratch: Some(BufferRange::new(&buffer, input_bytes.next_multiple_of(alignment) + alignment, scratch_bytes)?),
        scratch_state: ScratchState::Unknown,
        count: None,
    };
    let refuse = |bindings: ReduceBindings<'_>, binding: &'static str| -> Result<(), Failed> {
        let mut recorder = Recorder::new(context.device())?;
        let error = plan.record(&mut recorder, &bindings);
        let right = match &error {
            Err(Error::BindingTooSmall { binding: found, .. } | Error::BindingMisaligned { binding: found, .. }) => *found == binding,
            Err(Error::BindingsOverlap { first, second }) => binding.split(' ').eq([*first, *second]),
            _ => false,
        };
        ensure(right && recorder.dispatches() == 0, || format!("{binding}: {error:?} after {} dispatches", recorder.dispatches()))
    };
    refuse(ReduceBindings { input: good.input.slice(0, input_bytes - 4)?, ..good }, "input")?;
    refuse(ReduceBindings { input: BufferRange::new(&buffer, 4, input_bytes)?, ..good }, "input")?;
    refuse(ReduceBindings { output: good.output.slice(0, 0)?, ..good }, "output")?;
    refuse(ReduceBindings { output: good.input.slice(0, 4)?, ..good }, "input output")?;
    refuse(ReduceBindings { scratch: Some(good.input), ..good }, "input scratch")?;
    refuse(ReduceBindings { scratch: None, ..good }, "scratch")?;
    let mut recorder = Recorder::new(context.device())?;
    plan.record(&mut recorder, &good)?;
    ensure(recorder.dispatches() == 1, || "the good bindings were not recorded".into())
}
