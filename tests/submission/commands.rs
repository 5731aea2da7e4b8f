//! Dispatches from a base and with counts from a buffer, updates and fills.

use std::sync::Arc;

use libtest_mimic::Failed;
use wavelane_device::{Buffer, Device, ForeignBuffer, MemoryUse, vk};
use wavelane_record::{Access, BufferBarrier, BufferRange, ComputePipeline, Error, Recorder};

use crate::harness::gpu::ensure;
use crate::multiply_add::{PATIENCE, WORKGROUP, buffer, counted, dispatch, holds, pipeline, push_constants, says, written};

const COUNT: u32 = 1000;

/// Makes all of a buffer the host's to read, and waits.
fn finish(recorder: &mut Recorder, buffer: &Buffer, from: Access) -> Result<(), Failed> {
    recorder.barrier(&[BufferBarrier::new(BufferRange::whole(buffer), from, Access::HostRead)])?;
    Ok(recorder.submit()?.wait(PATIENCE)?)
}

/// Only the workgroups from the base on write.
pub fn base(device: &Arc<Device>) -> Result<(), Failed> {
    let pipeline = pipeline(device, 1)?;
    let (from, to) = (counted(device, COUNT)?, buffer(device, COUNT, MemoryUse::Shared)?);
    let bindings = [BufferRange::whole(&from).into(), BufferRange::whole(&to).into()];
    let constants = push_constants(COUNT, 3);
    let mut recorder = Recorder::new(device)?;
    recorder.fill(BufferRange::whole(&to), 0)?;
    recorder.barrier(&[BufferBarrier::new(BufferRange::whole(&to), Access::TransferWrite, Access::ComputeWrite)])?;
    let groups = COUNT.div_ceil(WORKGROUP);
    // SAFETY: the shader keeps to the elements that are bound.
    unsafe {
        recorder.dispatch_base(&pipeline, &bindings, &constants, [5, 0, 0], [groups - 5, 1, 1])?;
        // Nothing is dispatched.
        recorder.dispatch_base(&pipeline, &bindings, &constants, [2, 0, 0], [1, 0, 1])?;
        let most = device.capabilities().limits.max_compute_work_group_count;
        let over = recorder.dispatch_base(&pipeline, &bindings, &constants, [0, most[1], 0], [1, 1, 1]);
        says(over, &format!("workgroups in y, and the device's maxComputeWorkGroupCount is {}", most[1]))?;
        let wraps = recorder.dispatch_base(&pipeline, &bindings, &constants, [u32::MAX, 0, 0], [2, 1, 1]);
        // Where the limit is all of u32, a driver that takes so many is not asked to.
        if most[0] < u32::MAX {
            says(wraps, &format!("needs {} workgroups in x", u32::MAX))?;
        }
    }
    ensure(recorder.dispatches() == 1, || format!("{recorder:?}"))?;
    finish(&mut recorder, &to, Access::ComputeWrite)?;
    holds(&to, |i| if i < 5 * WORKGROUP { 0 } else { i * 3 + 1 })
}

/// Counts that the host put into the command buffer, counts that the device computed, and none.
pub fn indirect(device: &Arc<Device>) -> Result<(), Failed> {
    let pipeline = pipeline(device, 1)?;
    let (from, to) = (counted(device, COUNT)?, buffer(device, COUNT, MemoryUse::Shared)?);
    let (half, arguments) = (counted(device, 3)?, buffer(device, 64, MemoryUse::Device)?);
    half.write(0, bytes_of(&[3, 0, 0]).as_slice())?;
    let whole = BufferRange::whole(&arguments);
    let [updated, none] = [whole.slice(4, 12)?, whole.slice(16, 12)?];
    let computed = buffer(device, 3, MemoryUse::Device)?;

    let mut recorder = Recorder::new(device)?;
    recorder.update(whole.slice(4, 24)?, &bytes_of(&[2, 1, 1, 0, 1, 1]))?;
    recorder.fill(BufferRange::whole(&to), 9)?;
    // (3, 0, 0) becomes (7, 1, 1).
    dispatch(&mut recorder, &pipeline, BufferRange::whole(&half), BufferRange::whole(&computed), 2)?;
    recorder.barrier(&[
        BufferBarrier::new(whole, Access::TransferWrite, Access::IndirectRead),
        BufferBarrier::new(BufferRange::whole(&to), Access::TransferWrite, Access::ComputeWrite),
        BufferBarrier::new(BufferRange::whole(&computed), Access::ComputeWrite, Access::IndirectRead),
    ])?;
    let to_part =
        |part: u64| -> Result<[BufferRange<'_>; 2], Error> { Ok([BufferRange::whole(&from), BufferRange::new(&to, part * 2048, 1952)?]) };
    indirectly(&mut recorder, &pipeline, to_part(0)?, updated)?;
    recorder.barrier(&[BufferBarrier::new(to_part(0)?[1], Access::ComputeWrite, Access::ComputeWrite)])?;
    indirectly(&mut recorder, &pipeline, to_part(0)?, none)?;
    indirectly(&mut recorder, &pipeline, to_part(1)?, BufferRange::whole(&computed))?;
    ensure(recorder.dispatches() == 4, || format!("{recorder:?}"))?;
    finish(&mut recorder, &to, Access::ComputeWrite)?;
    // Two workgroups in the first part, seven in the second.
    holds(&to, |i| match i {
        0..128 => i * 3 + 1,
        512..960 => (i - 512) * 3 + 1,
        _ => 9,
    })?;

    let mut recorder = Recorder::new(device)?;
    let ranges = to_part(0)?;
    let text = |size, offset| format!("{size} bytes at offset {offset} of buffer `tested` cannot hold the 12 bytes of indirect arguments");
    says(indirectly(&mut recorder, &pipeline, ranges, whole.slice(8, 8)?), &text(8, 8))?;
    says(indirectly(&mut recorder, &pipeline, ranges, whole.slice(2, 16)?), &text(16, 2))?;
    let described = ForeignBuffer { size: 64, usage: vk::BufferUsageFlags::STORAGE_BUFFER, name: "no arguments", keep: None };
    // SAFETY: the buffer is not used.
    let other = unsafe { Buffer::from_raw(device, arguments.raw(), &described) }?;
    let lacks = "buffer `no arguments` was not created with usage INDIRECT_BUFFER";
    says(indirectly(&mut recorder, &pipeline, ranges, BufferRange::whole(&other)), lacks)?;
    ensure(recorder.dispatches() == 0, || format!("{recorder:?}"))
}

fn indirectly(
    recorder: &mut Recorder,
    pipeline: &ComputePipeline,
    [from, to]: [BufferRange<'_>; 2],
    arguments: BufferRange<'_>,
) -> Result<(), Error> {
    let constants = push_constants((to.size() / 4) as u32, 3);
    // SAFETY: the shader keeps to the elements of the smaller range, and the counts are within the limits.
    unsafe { recorder.dispatch_indirect(pipeline, &[from.into(), to.into()], &constants, arguments) }
}

fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().copied().flat_map(u32::to_ne_bytes).collect()
}

/// Of more bytes than one command takes, at an offset.
pub fn update(device: &Arc<Device>) -> Result<(), Failed> {
    let words = 40_000;
    let to = buffer(device, words, MemoryUse::Shared)?;
    let whole = BufferRange::whole(&to);
    let bytes = bytes_of(&(0..words - 10).map(|i| i.wrapping_mul(2_654_435_761)).collect::<Vec<_>>());
    let mut recorder = Recorder::new(device)?;
    recorder.fill(whole, 7)?;
    recorder.barrier(&[BufferBarrier::new(whole, Access::TransferWrite, Access::TransferWrite)])?;
    recorder.update(whole.slice(20, bytes.len() as u64)?, &bytes)?;
    recorder.update(whole.slice(8, 0)?, &[])?;
    says(recorder.update(whole.slice(0, 8)?, &[0; 4]), "8")?;
    says(recorder.update(whole.slice(2, 4)?, &[0; 4]), "4 bytes at offset 2")?;
    says(recorder.update(whole.slice(4, 3)?, &[0; 3]), "3 bytes at offset 4")?;
    finish(&mut recorder, &to, Access::TransferWrite)?;
    holds(&to, |i| if (5..words - 5).contains(&i) { (i - 5).wrapping_mul(2_654_435_761) } else { 7 })
}

/// Two ranges in one batch of barriers, and a copy within one buffer.
pub fn fill(device: &Arc<Device>) -> Result<(), Failed> {
    let to = buffer(device, 48, MemoryUse::Shared)?;
    let whole = BufferRange::whole(&to);
    let [first, second, third] = [whole.slice(0, 64)?, whole.slice(64, 64)?, whole.slice(128, 64)?];
    let mut recorder = Recorder::new(device)?;
    recorder.fill(first, 1)?;
    recorder.fill(second, 2)?;
    recorder.fill(whole.slice(128, 0)?, 5)?;
    recorder.barrier(&[
        BufferBarrier::new(first, Access::TransferWrite, Access::TransferRead),
        BufferBarrier::new(whole.slice(32, 0)?, Access::TransferWrite, Access::HostRead),
    ])?;
    recorder.copy(first, third)?;
    recorder.copy(whole.slice(4, 0)?, whole.slice(4, 0)?)?;
    ensure((recorder.barriers(), recorder.dispatches()) == (1, 0), || format!("{recorder:?}"))?;
    finish(&mut recorder, &to, Access::TransferWrite)?;
    holds(&to, |i| [1, 2, 1][i as usize / 16])?;
    says(recorder.barrier(&[written(&to, Access::HostRead)]), "can record again only after a reset")
}
