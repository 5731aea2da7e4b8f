//! One submission behind another, on one queue and on several.

use std::sync::Arc;

use libtest_mimic::Failed;
use wavelane_device::{Buffer, Device, MemoryUse, QueueRole, vk};
use wavelane_record::{
    Access, BufferBarrier, BufferRange, ComputePipeline, HazardMode, OwnershipTransfer, Recorder, RecorderOptions, TransferHalf,
};

use crate::gate::Gate;
use crate::harness::gpu::ensure;
use crate::multiply_add::{PATIENCE, buffer, counted, dispatch, holds, pipeline, says, written};

const COUNT: u32 = 1000;

/// A recording of one dispatch, without a barrier.
fn one(device: &Arc<Device>, pipeline: &ComputePipeline, from: &Buffer, to: &Buffer) -> Result<Recorder, Failed> {
    let mut recorder = Recorder::new(device)?;
    dispatch(&mut recorder, pipeline, BufferRange::whole(from), BufferRange::whole(to), 3)?;
    Ok(recorder)
}

fn to_host(device: &Arc<Device>, buffer: &Buffer) -> Result<Recorder, Failed> {
    let mut recorder = Recorder::new(device)?;
    recorder.barrier(&[written(buffer, Access::HostRead)])?;
    Ok(recorder)
}

/// No barrier stands between the dispatches: following another submission is enough, also for what it wrote.
pub fn after(device: &Arc<Device>) -> Result<(), Failed> {
    let pipeline = pipeline(device, 1)?;
    let (from, between, to) =
        (counted(device, COUNT)?, buffer(device, COUNT, MemoryUse::Device)?, buffer(device, COUNT, MemoryUse::Shared)?);
    let first = one(device, &pipeline, &from, &between)?.submit()?;
    let second = one(device, &pipeline, &between, &to)?.submit_after(&[first.sync_point()])?;
    // Twice the same, and one that is long done.
    let points = [second.sync_point(), first.sync_point(), second.sync_point()];
    let last = to_host(device, &to)?.submit_after(&points)?;
    last.wait(PATIENCE)?;
    ensure(device.last_submitted(QueueRole::Compute) == Some(last.sync_point()), || "another point was the last".to_owned())?;
    holds(&to, |i| (i * 3 + 1) * 3 + 1)
}

/// The same without the order, for a canary.
pub fn unordered(device: &Arc<Device>) -> Result<(), Failed> {
    let pipeline = pipeline(device, 1)?;
    let (from, between, to) =
        (counted(device, COUNT)?, buffer(device, COUNT, MemoryUse::Device)?, buffer(device, COUNT, MemoryUse::Shared)?);
    let first = one(device, &pipeline, &from, &between)?.submit()?;
    let second = one(device, &pipeline, &between, &to)?.submit()?;
    first.wait(PATIENCE)?;
    Ok(second.wait(PATIENCE)?)
}

/// A change of owner where the families differ, and a plain barrier where not.
fn owner(device: &Device, from: QueueRole, to: QueueRole, half: TransferHalf) -> OwnershipTransfer {
    OwnershipTransfer { from_family: device.queue(from).family(), to_family: device.queue(to).family(), half }
}

/// Computed on one queue, copied on another, computed on again on a third: each only behind the one before. Where the device has one queue, roles share it.
pub fn across_queues(device: &Arc<Device>) -> Result<(), Failed> {
    let pipeline = pipeline(device, 1)?;
    let (from, between) = (counted(device, COUNT)?, buffer(device, COUNT, MemoryUse::Device)?);
    let (copied, to) = (buffer(device, COUNT, MemoryUse::Device)?, buffer(device, COUNT, MemoryUse::Shared)?);
    let [all_between, all_copied] = [&between, &copied].map(BufferRange::whole);
    let options = |queue| RecorderOptions { queue, name: "across queues", ..RecorderOptions::default() };
    let (compute, transfer, beside) = (QueueRole::Compute, QueueRole::Transfer, QueueRole::AsyncCompute);
    let give = |range, from, to, half, before, then| BufferBarrier::new(range, before, then).with_transfer(owner(device, from, to, half));

    let mut first = Recorder::with_options(device, &options(compute))?;
    dispatch(&mut first, &pipeline, BufferRange::whole(&from), all_between, 3)?;
    let (wrote, read) = (Access::ComputeWrite, Access::TransferRead);
    first.barrier(&[give(all_between, compute, transfer, TransferHalf::Release, wrote, read)])?;
    let mut second = Recorder::with_options(device, &options(transfer))?;
    second.barrier(&[give(all_between, compute, transfer, TransferHalf::Acquire, wrote, read)])?;
    second.copy(all_between, all_copied)?;
    let (wrote, read) = (Access::TransferWrite, Access::ComputeRead);
    second.barrier(&[give(all_copied, transfer, beside, TransferHalf::Release, wrote, read)])?;
    let mut third = Recorder::with_options(device, &options(beside))?;
    third.barrier(&[give(all_copied, transfer, beside, TransferHalf::Acquire, wrote, read)])?;
    dispatch(&mut third, &pipeline, all_copied, BufferRange::whole(&to), 3)?;
    third.barrier(&[written(&to, Access::HostRead)])?;

    let first = first.submit()?;
    let gate = Gate::closed(device, transfer)?;
    let second = second.submit_after(&[first.sync_point()])?;
    let third = third.submit_after(&[first.sync_point(), second.sync_point()])?;
    first.wait(PATIENCE)?;
    ensure(!second.is_done()? && !third.is_done()?, || "a submission did not wait for the one before it".to_owned())?;
    gate.open()?;
    third.wait(PATIENCE)?;
    holds(&to, |i| (i * 3 + 1) * 3 + 1)?;
    let queues = [compute, transfer, beside].map(|role| device.queue(role).raw());
    let own = [compute, transfer, beside].map(|role| device.has_own_queue(role));
    let alone = |index: usize| queues.iter().filter(|&&queue| queue == queues[index]).count() == 1;
    ensure((0..3).all(|index| own[index] == alone(index)), || format!("{queues:?} are their roles' own: {own:?}"))
}

/// Both halves recorded on one family: Vulkan sees plain barriers, and validation has nothing to say.
pub fn ownership(device: &Arc<Device>) -> Result<(), Failed> {
    let pipeline = pipeline(device, 1)?;
    let (from, to) = (counted(device, COUNT)?, buffer(device, COUNT, MemoryUse::Shared)?);
    let role = QueueRole::Compute;
    let mut giving = one(device, &pipeline, &from, &to)?;
    let half = |half| written(&to, Access::HostRead).with_transfer(owner(device, role, role, half));
    giving.barrier(&[half(TransferHalf::Release)])?;
    let mut taking = Recorder::new(device)?;
    taking.barrier(&[half(TransferHalf::Acquire)])?;
    let given = giving.submit()?;
    taking.submit_after(&[given.sync_point()])?.wait(PATIENCE)?;
    holds(&to, |i| i * 3 + 1)
}

/// One half is all there is to do where nothing changes hands: code that does not ask whether families differ is right.
pub fn within_a_family(device: &Arc<Device>) -> Result<(), Failed> {
    let (from, between, to) =
        (counted(device, COUNT)?, buffer(device, COUNT, MemoryUse::Device)?, buffer(device, COUNT, MemoryUse::Shared)?);
    let role = QueueRole::Compute;
    for half in [TransferHalf::Release, TransferHalf::Acquire] {
        let mut recorder = Recorder::new(device)?;
        recorder.copy(BufferRange::whole(&from), BufferRange::whole(&between))?;
        let given = BufferBarrier::new(BufferRange::whole(&between), Access::TransferWrite, Access::TransferRead);
        recorder.barrier(&[given.with_transfer(owner(device, role, role, half))])?;
        recorder.copy(BufferRange::whole(&between), BufferRange::whole(&to))?;
        recorder.barrier(&[BufferBarrier::new(BufferRange::whole(&to), Access::TransferWrite, Access::HostRead)])?;
        recorder.submit()?.wait(PATIENCE)?;
        holds(&to, |i| i)?;
    }
    Ok(())
}

/// What was given to another family is not this one's to use, whatever the barrier says it was given for.
pub fn given_away(device: &Arc<Device>) -> Result<(), Failed> {
    let (from, given, to) = (counted(device, COUNT)?, buffer(device, COUNT, MemoryUse::Device)?, buffer(device, COUNT, MemoryUse::Shared)?);
    let options = RecorderOptions { hazards: HazardMode::Checked, ..RecorderOptions::default() };
    let mut recorder = Recorder::with_options(device, &options)?;
    recorder.copy(BufferRange::whole(&from), BufferRange::whole(&given))?;
    let barrier = BufferBarrier::new(BufferRange::whole(&given), Access::TransferWrite, Access::TransferRead);
    let family = device.queue(QueueRole::Compute).family();
    let half = TransferHalf::Release;
    recorder.barrier(&[barrier.with_transfer(OwnershipTransfer { from_family: family, to_family: vk::QUEUE_FAMILY_EXTERNAL, half })])?;
    let used = recorder.copy(BufferRange::whole(&given), BufferRange::whole(&to));
    says(used, "that the release of ownership by barrier call 0 wrote")?;
    // It is not recorded, and so validation has nothing to say.
    Ok(recorder.submit()?.wait(PATIENCE)?)
}

/// In one call, in order; the barrier in the second is about what the first did.
pub fn together(device: &Arc<Device>) -> Result<(), Failed> {
    let pipeline = pipeline(device, 1)?;
    let (from, between, to) =
        (counted(device, COUNT)?, buffer(device, COUNT, MemoryUse::Device)?, buffer(device, COUNT, MemoryUse::Shared)?);
    let mut first = one(device, &pipeline, &from, &between)?;
    let mut second = Recorder::new(device)?;
    second.barrier(&[written(&between, Access::ComputeRead)])?;
    dispatch(&mut second, &pipeline, BufferRange::whole(&between), BufferRange::whole(&to), 3)?;
    second.barrier(&[written(&to, Access::HostRead)])?;
    let completions = [first.completion(), second.completion()];
    let before = device.last_submitted(QueueRole::Compute);
    let submissions = Recorder::submit_together(&mut [&mut first, &mut second], &[])?;
    ensure(submissions.len() == 2, || format!("{submissions:?}"))?;
    let point = submissions[0].sync_point();
    ensure(submissions[1].sync_point() == point && device.last_submitted(QueueRole::Compute) == Some(point), || "two points".to_owned())?;
    ensure(point.value() == before.map_or(0, |point| point.value()) + 1, || format!("{point:?} after {before:?}"))?;
    completions[1].wait(PATIENCE)?;
    completions[0].wait(PATIENCE)?;
    holds(&to, |i| (i * 3 + 1) * 3 + 1)?;

    // Nothing is submitted where one of them cannot be.
    let mut fresh = one(device, &pipeline, &from, &between)?;
    says(Recorder::submit_together(&mut [&mut fresh, &mut first], &[]), "can record again only after a reset")?;
    let mut elsewhere = Recorder::with_options(device, &RecorderOptions { queue: QueueRole::Transfer, ..RecorderOptions::default() })?;
    let differ = "recorders for different queues cannot be submitted together";
    says(Recorder::submit_together(&mut [&mut fresh, &mut elsewhere], &[]), differ)?;
    ensure(device.last_submitted(QueueRole::Compute) == Some(point), || "something was submitted".to_owned())?;
    ensure(Recorder::submit_together(&mut [], &[])?.is_empty(), || "submissions of nothing".to_owned())?;
    // They are still recording, and can be submitted by themselves, behind another.
    Recorder::submit_together(&mut [&mut fresh], &[point])?;
    Ok(device.wait_idle()?)
}
