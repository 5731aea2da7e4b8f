//! Work that an engine would record by itself: dispatches, images, a sequence submitted again, a recorder used again, a fence of its own, several recordings in
//! one submission, a device adopted.

use std::sync::Arc;
use std::time::Duration;

use wavelane::device::{
    AdoptedDevice, AdoptedInstance, AdoptedQueue, Buffer, BufferDescription, Device, DeviceOptions, Image, ImageDescription, Instance,
    MemoryUse, QueueRole, vk,
};
use wavelane::record::{
    Access, Binding, BufferBarrier, BufferRange, ComputePipeline, HazardMode, ImageBarrier, Recorder, RecorderOptions, Reuse, Sequence,
    Status, SubmitOptions,
};
use wavelane::{Context, Error, device, record};

use crate::multiply_add;

const PATIENCE: Duration = Duration::from_secs(60);

/// Texels of the image, and elements of the buffers.
const SIDE: u32 = 16;
const COUNT: u32 = SIDE * SIDE;

/// More than the first descriptor pool has sets for.
const DISPATCHES: usize = 20;

/// All of it; what is wrong with the results, if anything is.
pub fn recordings(context: &Context) -> Result<Option<String>, Error> {
    let device = context.device();
    let mut work = Objects::new(device)?;
    let sequence = work.sequence()?;
    for round in 0..2 {
        let submission = sequence.submit()?;
        if round == 1 {
            // Once waited for and once asked for, so that each of a job's calls is made in every run.
            device.wait_idle()?;
            if sequence.completion().status()? != Status::Done {
                return Err(record::Error::Timeout { waited: Duration::ZERO }.into());
            }
        }
        submission.wait(PATIENCE)?;
        let (got, expected) = (words(&work.texels)?, chained());
        if got != expected {
            return Ok(Some(format!("round {round}: {got:?} and not {expected:?}")));
        }
    }
    work.again(sequence)?;
    let (got, expected) = (words(&work.first)?, vec![7; COUNT as usize]);
    if got != expected {
        return Ok(Some(format!("recorded again: {got:?} and not {expected:?}")));
    }
    work.together()?;
    let expected: Vec<u32> = (0..COUNT).map(|index| if index < COUNT / 2 { 11 } else { 12 }).collect();
    if words(&work.second)? != expected {
        return Ok(Some("recordings submitted together".to_owned()));
    }
    let got = words(&on_adopted(device)?)?;
    Ok((got != vec![13; COUNT as usize]).then(|| format!("on the device adopted: {got:?}")))
}

/// A buffer that was filled on a second device over the same handles, adopted as if they were a caller's.
fn on_adopted(device: &Arc<Device>) -> Result<Buffer, Error> {
    let instance = device.instance();
    let extensions: &[_] = if instance.debug_utils() { &[device::ash::ext::debug_utils::NAME] } else { &[] };
    let api_version = instance.api_version().to_raw();
    let lent = AdoptedInstance { entry: instance.entry(), instance: instance.raw(), api_version, extensions, keep: None };
    // SAFETY: it was made so, and outlives what is made of it, since the context does.
    let instance = unsafe { Instance::adopt(lent) }?;
    let queue = device.queue(QueueRole::Compute);
    let timeline = vk::Bool32::from(device.capabilities().features.timeline_semaphore);
    let mut timeline = vk::PhysicalDeviceTimelineSemaphoreFeatures { timeline_semaphore: timeline, ..Default::default() };
    let features = vk::PhysicalDeviceFeatures2::default().push_next(&mut timeline);
    let adopted = AdoptedQueue { queue: queue.raw(), family: queue.family(), index: queue.index(), role: QueueRole::Compute, lock: None };
    let lent = AdoptedDevice {
        instance: &instance,
        physical_device: device.physical_device(),
        device: device.raw(),
        extensions: &[],
        features: &features,
        queues: &[adopted],
        keep: None,
    };
    // SAFETY: as above; nobody else submits meanwhile.
    let adopted = unsafe { Device::adopt(lent, &DeviceOptions::default()) }?;
    let buffer = Buffer::new(&adopted, &BufferDescription { size: u64::from(COUNT) * 4, memory: MemoryUse::Readback, name: "adopted" })?;
    let mut recorder = Recorder::new(&adopted)?;
    fill(&mut recorder, BufferRange::whole(&buffer), 13)?;
    recorder.submit()?.wait(PATIENCE)?;
    Ok(buffer)
}

/// What the dispatches leave of the numbers from 0.
fn chained() -> Vec<u32> {
    (0..COUNT).map(|start| (0..DISPATCHES).fold(start, |value, _| value.wrapping_mul(3).wrapping_add(1))).collect()
}

fn words(buffer: &Buffer) -> Result<Vec<u32>, Error> {
    let mut bytes = vec![0; buffer.size() as usize];
    buffer.read(0, &mut bytes)?;
    Ok(bytemuck::pod_collect_to_vec(&bytes))
}

struct Objects {
    device: Arc<Device>,
    pipeline: ComputePipeline,
    first: Buffer,
    second: Buffer,
    texels: Buffer,
    image: Image,
}

impl Objects {
    fn new(device: &Arc<Device>) -> Result<Self, Error> {
        let buffer =
            |name, memory| Buffer::new(device, &BufferDescription { size: u64::from(COUNT) * 4, memory, name }).map_err(Error::Device);
        Ok(Self {
            device: Arc::clone(device),
            pipeline: multiply_add::pipeline(device, 1)?,
            first: buffer("first", MemoryUse::Shared)?,
            second: buffer("second", MemoryUse::Shared)?,
            texels: buffer("texels", MemoryUse::Readback)?,
            image: Image::new(device, &ImageDescription { extent: [SIDE, SIDE, 1], format: vk::Format::R32_UINT, name: "image" })?,
        })
    }

    /// Dispatches to and fro between two buffers, and the result through an image.
    fn sequence(&self) -> Result<Sequence, Error> {
        let options = RecorderOptions { name: "sequence", reuse: Reuse::Many, hazards: HazardMode::Automatic, ..Default::default() };
        let mut recorder = Recorder::with_options(&self.device, &options)?;
        recorder.begin_timing("sequence")?;
        let numbers: Vec<u32> = (0..COUNT).collect();
        recorder.update(BufferRange::whole(&self.first), bytemuck::cast_slice(&numbers))?;
        let buffers = [&self.first, &self.second];
        for step in 0..DISPATCHES {
            let bindings = [buffers[step % 2], buffers[(step + 1) % 2]].map(|buffer| Binding::Buffer(BufferRange::whole(buffer)));
            // SAFETY: the buffers have as many elements as the push constants say.
            unsafe { recorder.dispatch(&self.pipeline, &bindings, bytemuck::cast_slice(&[COUNT, 3]), [COUNT / 64, 1, 1])? };
        }
        recorder.barriers_of(&[], &[ImageBarrier::discard(&self.image, Access::TransferWrite)])?;
        recorder.copy_to_image(BufferRange::whole(&self.first), &self.image)?;
        recorder.copy_from_image(&self.image, BufferRange::whole(&self.texels))?;
        recorder.barrier(&[BufferBarrier::new(BufferRange::whole(&self.texels), Access::TransferWrite, Access::HostRead)])?;
        recorder.end_timing()?;
        Ok(recorder.finish()?)
    }

    /// The sequence's recorder records something else, and a fence of our own is signalled after it.
    fn again(&mut self, sequence: Sequence) -> Result<(), Error> {
        let mut recorder = sequence.into_recorder();
        recorder.reset()?;
        let fence = Fence::new(&self.device)?;
        let raw = fence.raw;
        recorder.keep(fence);
        fill(&mut recorder, BufferRange::whole(&self.first), 7)?;
        // SAFETY: the recorder keeps the fence until the work is done, and it is signalled once.
        let submission = unsafe { recorder.submit_with(&SubmitOptions { fence: raw, ..SubmitOptions::default() })? };
        // SAFETY: the fence is of this device and alive.
        unsafe { self.device.raw().wait_for_fences(&[raw], true, PATIENCE.as_nanos() as u64) }.map_err(|result| match result {
            vk::Result::TIMEOUT => Error::Record(record::Error::Timeout { waited: PATIENCE }),
            result => Error::Device(device::Error::vulkan("vkWaitForFences", result)),
        })?;
        Ok(submission.wait(PATIENCE)?)
    }

    /// Each half of a buffer filled by a recording of its own.
    fn together(&self) -> Result<(), Error> {
        let mut recorders = [Recorder::new(&self.device)?, Recorder::new(&self.device)?];
        let half = u64::from(COUNT) * 2;
        for (index, recorder) in recorders.iter_mut().enumerate() {
            fill(recorder, BufferRange::new(&self.second, index as u64 * half, half)?, 11 + index as u32)?;
        }
        let after: Vec<_> = self.device.last_submitted(Default::default()).into_iter().collect();
        let [one, two] = &mut recorders;
        for submission in Recorder::submit_together(&mut [one, two], &after)? {
            submission.wait(PATIENCE)?;
        }
        Ok(())
    }
}

fn fill(recorder: &mut Recorder, range: BufferRange<'_>, value: u32) -> Result<(), Error> {
    recorder.fill(range, value)?;
    Ok(recorder.barrier(&[BufferBarrier::new(range, Access::TransferWrite, Access::HostRead)])?)
}

/// A fence of the caller's, which a recorder can keep.
struct Fence {
    device: Arc<Device>,
    raw: vk::Fence,
}

impl Fence {
    fn new(device: &Arc<Device>) -> Result<Arc<Self>, Error> {
        // SAFETY: the device is alive.
        let raw = unsafe { device.raw().create_fence(&vk::FenceCreateInfo::default(), None) }
            .map_err(|result| device::Error::vulkan("vkCreateFence", result))?;
        Ok(Arc::new(Self { device: Arc::clone(device), raw }))
    }
}

impl Drop for Fence {
    fn drop(&mut self) {
        // SAFETY: who keeps the fence lets go of it when the work that signals it is done.
        unsafe { self.device.raw().destroy_fence(self.raw, None) };
    }
}
