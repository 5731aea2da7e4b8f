//! Recorded once, submitted again.

use std::sync::Arc;

use libtest_mimic::Failed;
use wavelane_device::{Buffer, Device, QueueRole};
use wavelane_record::{Access, BufferBarrier, BufferRange, ComputePipeline, Error, Recorder, RecorderOptions, Reuse};

use crate::gate::Gate;
use crate::harness::gpu::ensure;
use crate::multiply_add::{PATIENCE, counted, dispatch, holds, pipeline, says, written};

const COUNT: u32 = 1000;

fn recorder(device: &Arc<Device>, reuse: Reuse) -> Result<Recorder, Error> {
    Recorder::with_options(device, &RecorderOptions { name: "a sequence", reuse, ..RecorderOptions::default() })
}

/// `value = value * 3 + 1` in place, behind whatever was done with the buffer before.
fn step(recorder: &mut Recorder, pipeline: &ComputePipeline, buffer: &Buffer) -> Result<(), Error> {
    let whole = BufferRange::whole(buffer);
    recorder.barrier(&[BufferBarrier::new(whole, Access::ComputeWrite, Access::ComputeReadWrite)])?;
    dispatch(recorder, pipeline, whole, whole, 3)?;
    recorder.barrier(&[written(buffer, Access::HostRead)])
}

fn times(count: u32) -> impl Fn(u32) -> u32 {
    move |i| (0..count).fold(i, |value, _| value.wrapping_mul(3).wrapping_add(1))
}

pub fn once(device: &Arc<Device>) -> Result<(), Failed> {
    let (pipeline, buffer) = (pipeline(device, 1)?, counted(device, COUNT)?);
    let mut recorder = recorder(device, Reuse::Once)?;
    step(&mut recorder, &pipeline, &buffer)?;
    let sequence = recorder.finish()?;
    ensure((sequence.dispatches(), sequence.barriers()) == (1, 2), || format!("{sequence:?}"))?;
    sequence.submit()?.wait(PATIENCE)?;
    holds(&buffer, times(1))?;
    says(sequence.submit(), "the sequence was recorded to be submitted once, and was submitted")?;
    device.wait_idle()?;
    holds(&buffer, times(1))
}

pub fn many(device: &Arc<Device>) -> Result<(), Failed> {
    let (pipeline, buffer) = (pipeline(device, 1)?, counted(device, COUNT)?);
    let mut recorder = recorder(device, Reuse::Many)?;
    step(&mut recorder, &pipeline, &buffer)?;
    let sequence = recorder.finish()?;
    let gate = Gate::closed(device, QueueRole::Compute)?;
    let first = sequence.submit()?;
    says(sequence.submit(), "the last submission is still in flight")?;
    gate.open()?;
    first.wait(PATIENCE)?;
    for count in 2..20 {
        let submission = sequence.submit()?;
        ensure(submission.sync_point().value() > first.sync_point().value(), || "points do not grow".to_owned())?;
        submission.wait(PATIENCE)?;
        holds(&buffer, times(count))?;
    }
    ensure(first.is_done()?, || "the first is no longer done".to_owned())
}

pub fn simultaneous(device: &Arc<Device>) -> Result<(), Failed> {
    let (pipeline, buffer) = (pipeline(device, 1)?, counted(device, COUNT)?);
    let mut recorder = recorder(device, Reuse::Simultaneous)?;
    step(&mut recorder, &pipeline, &buffer)?;
    let sequence = recorder.finish()?;
    let gate = Gate::closed(device, QueueRole::Compute)?;
    let submissions = (0..8).map(|_| sequence.submit()).collect::<Result<Vec<_>, _>>()?;
    ensure(submissions.iter().all(|submission| matches!(submission.is_done(), Ok(false))), || "done behind a closed gate".to_owned())?;
    gate.open()?;
    for submission in submissions.iter().rev() {
        submission.wait(PATIENCE)?;
    }
    ensure(submissions.iter().all(|submission| matches!(submission.is_done(), Ok(true))), || {
        "the last is done, and another is not".to_owned()
    })?;
    holds(&buffer, times(8))
}

/// A sequence becomes a recorder again, whose recording can be of another length.
pub fn anew(device: &Arc<Device>) -> Result<(), Failed> {
    let (pipeline, buffer) = (pipeline(device, 1)?, counted(device, COUNT)?);
    let mut recorder = recorder(device, Reuse::Many)?;
    step(&mut recorder, &pipeline, &buffer)?;
    let sequence = recorder.finish()?;
    let submission = sequence.submit()?;
    let mut recorder = sequence.into_recorder();
    says(recorder.fill(BufferRange::whole(&buffer), 0), "can record again only after a reset")?;
    submission.wait(PATIENCE)?;
    recorder.reset()?;
    step(&mut recorder, &pipeline, &buffer)?;
    step(&mut recorder, &pipeline, &buffer)?;
    let sequence = recorder.finish()?;
    for _ in 0..2 {
        sequence.submit()?.wait(PATIENCE)?;
    }
    holds(&buffer, times(5))
}

/// Submitted by several threads at once, it is as far as the last of their submissions, whichever thread was told first.
pub fn last(device: &Arc<Device>) -> Result<(), Failed> {
    let (pipeline, buffer) = (pipeline(device, 1)?, counted(device, COUNT)?);
    let mut recorder = recorder(device, Reuse::Simultaneous)?;
    step(&mut recorder, &pipeline, &buffer)?;
    let sequence = recorder.finish()?;
    for round in 0..500 {
        let submit = || sequence.submit().map(|submission| submission.sync_point().value());
        let values = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(submit)).collect();
            threads.into_iter().filter_map(|thread| thread.join().ok()).collect::<Result<Vec<_>, _>>()
        })?;
        let last = sequence.completion().sync_point().map(|point| point.value());
        ensure(last == values.iter().copied().max(), || format!("round {round}: {last:?} of {values:?}"))?;
    }
    Ok(sequence.completion().wait(PATIENCE)?)
}
