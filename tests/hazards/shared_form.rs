//! Kernels of the shared form, each of whose buffers is one of its own.

use std::sync::Arc;

use libtest_mimic::Failed;
use wavelane::device::{Buffer, BufferDescription, Device, MemoryUse};
use wavelane::record::{Access, BufferBarrier, BufferRange, Recorder};
use wavelane::{BufferUse, Error, Kernel as Description, MOST_BUFFERS, Path, Pipelines, Plan};

use super::Kernel;

/// A kernel with buffers of zeros, on a device whose bindings reach less far if `narrow`; none where the device does not have the path. `bind` makes the bindings of ranges in the
/// order of the schedule's buffers.
pub fn kernel<K: Description + 'static>(
    device: &Arc<Device>,
    description: &K,
    path: Path,
    narrow: bool,
    bind: impl for<'a> Fn([Option<BufferRange<'a>>; MOST_BUFFERS]) -> Option<K::Bindings<'a>> + 'static,
) -> Result<Option<Kernel>, Failed> {
    made(device, description, path, narrow, None, bind)
}

/// [`kernel`] on whatever path, whose shaders read a count that the device makes beforehand.
pub fn counted<K: Description + 'static>(
    device: &Arc<Device>,
    description: &K,
    narrow: bool,
    bind: impl for<'a> Fn([Option<BufferRange<'a>>; MOST_BUFFERS]) -> Option<K::Bindings<'a>> + 'static,
) -> Result<Option<Kernel>, Failed> {
    made(device, description, Path::SharedMemory, narrow, Some(77), bind)
}

fn made<K: Description + 'static>(
    device: &Arc<Device>,
    description: &K,
    path: Path,
    narrow: bool,
    count: Option<u32>,
    bind: impl for<'a> Fn([Option<BufferRange<'a>>; MOST_BUFFERS]) -> Option<K::Bindings<'a>> + 'static,
) -> Result<Option<Kernel>, Failed> {
    let mut capabilities = device.capabilities().clone();
    if narrow {
        capabilities.limits.max_storage_buffer_range = 1 << 17;
    }
    let schedule = match description.schedule(&capabilities, device.quirks(), Some(path)) {
        Err(Error::PathUnavailable { .. }) => return Ok(None),
        schedule => schedule?,
    };
    let name = format!("{} {} by {path}, {} dispatches", schedule.kernel, schedule.title, schedule.dispatches().count());
    let buffer = |size: u64, name| Buffer::new(device, &BufferDescription { size: size.max(4), memory: MemoryUse::Shared, name });
    let mut buffers = Vec::new();
    let mut result = None;
    for need in &schedule.buffers {
        let made = if need.bytes > 0 { Some(buffer(need.bytes, need.name)?) } else { None };
        if let Some(made) = &made {
            made.write(0, &vec![0; need.bytes as usize])?;
            if matches!(need.usage, BufferUse::Output | BufferUse::InPlace) && result.is_none() {
                result = Some(made.clone());
            }
        }
        buffers.push(made);
    }
    let result = result.ok_or("the kernel has no output")?;
    let counter = schedule.buffers.iter().position(|need| need.name == "count");
    let plan = Plan::new(description.clone(), schedule, &Pipelines::new(device))?;
    let record = move |recorder: &mut Recorder| {
        let mut ranges = [None; MOST_BUFFERS];
        for (range, buffer) in ranges.iter_mut().zip(&buffers) {
            *range = buffer.as_ref().map(BufferRange::whole);
        }
        if let (Some(count), Some(range)) = (count, counter.and_then(|counter| ranges[counter])) {
            recorder.fill(range, count)?;
            recorder.barrier(&[BufferBarrier::new(range, Access::TransferWrite, Access::ComputeRead)])?;
        }
        // Every buffer that is needed was made.
        bind(ranges).map_or(Ok(()), |bindings| plan.record(recorder, &bindings))
    };
    Ok(Some(Kernel { name, record: Box::new(record), result }))
}
