//! The caller's semaphores and fences.

use std::sync::Arc;
use std::time::Duration;

use libtest_mimic::Failed;
use wavelane_device::{Buffer, Device, MemoryUse, QueueRole, SemaphoreSignal, SemaphoreWait, vk};
use wavelane_record::{Access, BufferRange, ComputePipeline, Error, Recorder, RecorderOptions, Reuse, SubmitOptions};

use crate::gate::{Gate, signal, timeline_semaphore, value};
use crate::harness::gpu::ensure;
use crate::multiply_add::{PATIENCE, buffer, counted, dispatch, holds, pipeline, says, written};

const COUNT: u32 = 1000;
const STAGES: vk::PipelineStageFlags = vk::PipelineStageFlags::COMPUTE_SHADER;

fn recording(device: &Arc<Device>, pipeline: &ComputePipeline, from: &Buffer, to: &Buffer) -> Result<Recorder, Failed> {
    let mut recorder = Recorder::new(device)?;
    dispatch(&mut recorder, pipeline, BufferRange::whole(from), BufferRange::whole(to), 3)?;
    recorder.barrier(&[written(to, Access::HostRead)])?;
    Ok(recorder)
}

/// One submission signals, the next one waits.
pub fn binary(device: &Arc<Device>) -> Result<(), Failed> {
    let pipeline = pipeline(device, 1)?;
    let (from, between, to) =
        (counted(device, COUNT)?, buffer(device, COUNT, MemoryUse::Device)?, buffer(device, COUNT, MemoryUse::Shared)?);
    // SAFETY: the device is alive; the semaphore is signalled once and then waited for once, and destroyed when the work is done.
    unsafe {
        let semaphore = device.raw().create_semaphore(&vk::SemaphoreCreateInfo::default(), None)?;
        let signals = [SemaphoreSignal { semaphore, value: 0 }];
        let waits = [SemaphoreWait { semaphore, value: 0, stages: STAGES }];
        let first = recording(device, &pipeline, &from, &between)?;
        let second = recording(device, &pipeline, &between, &to)?;
        let (mut first, mut second) = (first, second);
        first.submit_with(&SubmitOptions { signals: &signals, ..SubmitOptions::default() })?;
        second.submit_with(&SubmitOptions { waits: &waits, ..SubmitOptions::default() })?.wait(PATIENCE)?;
        device.wait_idle()?;
        device.raw().destroy_semaphore(semaphore, None);
    }
    holds(&to, |i| (i * 3 + 1) * 3 + 1)
}

/// A caller's value goes up with each submission of a sequence, which waits for the one before; and the queue's own can be waited for beside it.
pub fn timeline(device: &Arc<Device>) -> Result<(), Failed> {
    let own = device.queue(QueueRole::Compute).timeline_semaphore();
    if !device.capabilities().features.timeline_semaphore {
        return ensure(own == vk::Semaphore::null(), || "a timeline semaphore without the feature".to_owned());
    }
    let (pipeline, buffer) = (pipeline(device, 1)?, counted(device, COUNT)?);
    let semaphore = timeline_semaphore(device, 5)?;
    let mut recorder = Recorder::with_options(device, &RecorderOptions { reuse: Reuse::Simultaneous, ..RecorderOptions::default() })?;
    let whole = BufferRange::whole(&buffer);
    dispatch(&mut recorder, &pipeline, whole, whole, 3)?;
    let sequence = recorder.finish()?;
    let mut last = None;
    for before in 5..9 {
        let signals = [SemaphoreSignal { semaphore, value: before + 1 }];
        let waits = [SemaphoreWait { semaphore, value: before, stages: STAGES }];
        // SAFETY: the semaphore outlives the submissions, and its value grows.
        last = Some(unsafe { sequence.submit_with(&SubmitOptions { waits: &waits, signals: &signals, ..SubmitOptions::default() }) }?);
    }
    let mut reader = Recorder::new(device)?;
    reader.barrier(&[written(&buffer, Access::HostRead)])?;
    let point = last.map(|last| last.sync_point()).ok_or("nothing was submitted")?;
    let waits = [SemaphoreWait { semaphore: own, value: point.value(), stages: STAGES }];
    // SAFETY: the queue's semaphore lives as long as the device.
    unsafe { reader.submit_with(&SubmitOptions { waits: &waits, ..SubmitOptions::default() }) }?.wait(PATIENCE)?;
    ensure(value(device, semaphore)? == 9, || "the caller's semaphore is not at its last value".to_owned())?;
    ensure(value(device, own)? == point.value() + 1, || "the queue's semaphore is not at its last value".to_owned())?;
    // A software queue of Mesa's lets go of a semaphore only some time after what waited for it is done.
    device.wait_idle()?;
    // SAFETY: the queue is idle.
    unsafe { device.raw().destroy_semaphore(semaphore, None) };
    holds(&buffer, |i| (0..4).fold(i, |value, _| value.wrapping_mul(3).wrapping_add(1)))
}

/// The caller's fence tells the same as the submission, also where that has a fence of its own.
pub fn fence(device: &Arc<Device>) -> Result<(), Failed> {
    let (pipeline, from, to) = (pipeline(device, 1)?, counted(device, COUNT)?, buffer(device, COUNT, MemoryUse::Shared)?);
    let gate = Gate::closed(device, QueueRole::Compute)?;
    let mut recorder = Recorder::new(device)?;
    // SAFETY: the device is alive; the fence is used again only once it is reset, and destroyed when the work is done.
    unsafe {
        let fence = device.raw().create_fence(&vk::FenceCreateInfo::default(), None)?;
        let options = SubmitOptions { fence, ..SubmitOptions::default() };
        dispatch(&mut recorder, &pipeline, BufferRange::whole(&from), BufferRange::whole(&to), 3)?;
        recorder.barrier(&[written(&to, Access::HostRead)])?;
        let submission = recorder.submit_with(&options)?;
        ensure(!device.raw().get_fence_status(fence)?, || "signalled behind a closed gate".to_owned())?;
        ensure(!submission.is_done()?, || "done behind a closed gate".to_owned())?;
        gate.open()?;
        device.raw().wait_for_fences(&[fence], true, PATIENCE.as_nanos() as u64)?;
        holds(&to, |i| i * 3 + 1)?;
        // Ours may be signalled a moment behind the caller's.
        submission.wait(PATIENCE)?;
        for _ in 0..3 {
            device.raw().reset_fences(&[fence])?;
            recorder.reset()?;
            recorder.fill(BufferRange::whole(&to), 7)?;
            recorder.submit_with(&options)?.wait(PATIENCE)?;
            // It may be a moment behind where it came with a submission of its own.
            device.raw().wait_for_fences(&[fence], true, PATIENCE.as_nanos() as u64)?;
        }
        device.raw().destroy_fence(fence, None);
    }
    Ok(())
}

/// The host signals what a submission waits for after a first wait for it has timed out.
pub fn host_signals_late(device: &Arc<Device>) -> Result<(), Failed> {
    if !device.capabilities().features.timeline_semaphore {
        return Ok(());
    }
    let (pipeline, from, to) = (pipeline(device, 1)?, counted(device, COUNT)?, buffer(device, COUNT, MemoryUse::Shared)?);
    let semaphore = timeline_semaphore(device, 0)?;
    let mut recorder = recording(device, &pipeline, &from, &to)?;
    let waits = [SemaphoreWait { semaphore, value: 3, stages: STAGES }];
    // SAFETY: the semaphore outlives the submission.
    let submission = unsafe { recorder.submit_with(&SubmitOptions { waits: &waits, ..SubmitOptions::default() }) }?;
    for waited in [0, 10, 1].map(Duration::from_millis) {
        ensure(submission.wait(waited) == Err(Error::Timeout { waited }), || "no time-out".to_owned())?;
    }
    says(submission.wait(Duration::from_millis(2)), "the device was not done after 2ms")?;
    says(recorder.reset(), "the last submission is still in flight")?;
    signal(device, semaphore, 2)?;
    ensure(!submission.is_done()?, || "done at an earlier value".to_owned())?;
    signal(device, semaphore, 3)?;
    submission.wait(PATIENCE)?;
    holds(&to, |i| i * 3 + 1)?;
    recorder.reset()?;
    device.wait_idle()?;
    // SAFETY: the queue is idle.
    unsafe { device.raw().destroy_semaphore(semaphore, None) };
    Ok(())
}
