//! A queue whose work is not done before the host lets it.

#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use libtest_mimic::Failed;
use wavelane_device::{Buffer, Device, MemoryUse, QueueRole, Version, ash, vk};
use wavelane_record::{
    Access, BindingDescription, BufferRange, ComputePipeline, ComputePipelineDescription, Recorder, RecorderOptions, Submission,
};

use crate::multiply_add::{buffer, spirv};

/// Reads of each workgroup of the shader that waits for the host, at most. Some drivers end a loop after 65535 rounds.
const READS: u32 = 60_000;
/// So many, at a few nanoseconds a read, that they take longer than a test; once the gate is open they are gone at once.
const WORKGROUPS: [u32; 3] = [60_000, 1, 1];

/// Keeps submissions from being done until it is opened. It opens when it is dropped.
pub struct Gate {
    device: Arc<Device>,
    kind: Kind,
}

enum Kind {
    /// The queue waits for a value that the host sets.
    Semaphore(vk::Semaphore),
    /// Without timeline semaphores, which alone can be waited for before they are signalled, a shader reads a word until the host has written it.
    Shader { flag: Buffer, _submission: Submission },
}

impl Gate {
    /// Keeps everything that is submitted to this queue from here on from being done.
    pub fn closed(device: &Arc<Device>, role: QueueRole) -> Result<Arc<Self>, Failed> {
        let kind = if device.capabilities().features.timeline_semaphore { semaphore(device, role)? } else { shader(device, role)? };
        Ok(Arc::new(Self { device: Arc::clone(device), kind }))
    }

    /// Lets everything through. Only once.
    pub fn open(&self) -> Result<(), Failed> {
        match &self.kind {
            Kind::Semaphore(semaphore) => signal(&self.device, *semaphore, 1),
            Kind::Shader { flag, .. } => Ok(flag.write(0, &1u32.to_ne_bytes())?),
        }
    }

    /// Opens it a little later, while the caller does something that waits for the device.
    pub fn open_soon(self: &Arc<Self>) -> JoinHandle<bool> {
        let gate = Arc::clone(self);
        thread::spawn(move || {
            thread::sleep(Duration::from_millis(50));
            gate.open().is_ok()
        })
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        if let Kind::Semaphore(semaphore) = self.kind {
            if value(&self.device, semaphore).is_ok_and(|value| value == 0) {
                let _ = self.open();
            }
            // Nothing waits for it after this, but for what a failed test left.
            let _ = self.device.wait_idle();
            // SAFETY: the queue is idle, so nothing waits for the semaphore.
            unsafe { self.device.raw().destroy_semaphore(semaphore, None) };
        }
    }
}

fn semaphore(device: &Arc<Device>, role: QueueRole) -> Result<Kind, Failed> {
    let semaphore = timeline_semaphore(device, 0)?;
    let (semaphores, values, stages) = ([semaphore], [1], [vk::PipelineStageFlags::ALL_COMMANDS]);
    let mut next = vk::TimelineSemaphoreSubmitInfo::default().wait_semaphore_values(&values);
    // What is submitted later waits with it.
    let info = vk::SubmitInfo::default().wait_semaphores(&semaphores).wait_dst_stage_mask(&stages).push_next(&mut next);
    // SAFETY: the queue is locked, the semaphore a timeline of the device that goes when the queue is idle.
    device.queue(role).locked(|raw| unsafe { device.raw().queue_submit(raw, &[info], vk::Fence::null()) })?;
    Ok(Kind::Semaphore(semaphore))
}

fn shader(device: &Arc<Device>, role: QueueRole) -> Result<Kind, Failed> {
    let description = ComputePipelineDescription {
        name: "wait_for_host",
        spirv: &spirv(include_bytes!("../data/shaders/wait_for_host.spv")),
        bindings: &[BindingDescription::storage_buffer(Access::ComputeRead), BindingDescription::storage_buffer(Access::ComputeReadWrite)],
        push_constant_bytes: 4,
        specialization: &[],
        required_subgroup_size: None,
        full_subgroups: false,
        dispatch_base: false,
    };
    // SAFETY: the module is valid, and the description is of it.
    let pipeline = unsafe { ComputePipeline::new(device, &description) }?;
    let (flag, reads) = (buffer(device, 1, MemoryUse::Shared)?, buffer(device, 1, MemoryUse::Device)?);
    flag.write(0, &0u32.to_ne_bytes())?;
    let mut recorder = Recorder::with_options(device, &RecorderOptions { queue: role, ..RecorderOptions::default() })?;
    let bindings = [&flag, &reads].map(|buffer| BufferRange::whole(buffer).into());
    // SAFETY: the shader reads a word and writes one, and ends after so many reads.
    unsafe { recorder.dispatch(&pipeline, &bindings, &READS.to_ne_bytes(), WORKGROUPS) }?;
    Ok(Kind::Shader { flag, _submission: recorder.submit()? })
}

/// A caller's timeline semaphore; the device must have the feature.
pub fn timeline_semaphore(device: &Device, value: u64) -> Result<vk::Semaphore, Failed> {
    let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE).initial_value(value);
    // SAFETY: the device is alive and has timeline semaphores.
    Ok(unsafe { device.raw().create_semaphore(&vk::SemaphoreCreateInfo::default().push_next(&mut kind), None) }?)
}

/// The extension's functions, where they are not core's.
fn extension(device: &Device) -> Option<ash::khr::timeline_semaphore::Device> {
    let core = device.capabilities().api_version.min(device.instance().api_version()) >= Version::new(1, 2, 0);
    (!core).then(|| ash::khr::timeline_semaphore::Device::new(device.instance().raw(), device.raw()))
}

/// Sets a timeline semaphore from the host; the value must be larger than its own.
pub fn signal(device: &Device, semaphore: vk::Semaphore, value: u64) -> Result<(), Failed> {
    let info = vk::SemaphoreSignalInfo::default().semaphore(semaphore).value(value);
    // SAFETY: the semaphore is a timeline of the device.
    Ok(unsafe {
        match extension(device) {
            Some(functions) => functions.signal_semaphore(&info),
            None => device.raw().signal_semaphore(&info),
        }
    }?)
}

/// What a timeline semaphore is at.
pub fn value(device: &Device, semaphore: vk::Semaphore) -> Result<u64, Failed> {
    // SAFETY: the semaphore is a timeline of the device.
    Ok(unsafe {
        match extension(device) {
            Some(functions) => functions.get_semaphore_counter_value(semaphore),
            None => device.raw().get_semaphore_counter_value(semaphore),
        }
    }?)
}
