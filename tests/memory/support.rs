//! What the cases share: buffers, bytes, and a gate that holds one submission up.

use std::sync::Arc;

use libtest_mimic::Failed;
use wavelane_device::{Buffer, BufferDescription, Device, MemoryUse, SemaphoreWait, vk};
use wavelane_record::{Access, BufferBarrier, BufferRange, Readbacks, ReadbacksDescription, Recorder, Submission, SubmitOptions};

use crate::gate::{signal, timeline_semaphore, value};
use crate::multiply_add::PATIENCE;

pub fn buffer(device: &Arc<Device>, size: u64, memory: MemoryUse) -> Result<Buffer, Failed> {
    Ok(Buffer::new(device, &BufferDescription { size, memory, name: "tested" })?)
}

pub fn readbacks(device: &Arc<Device>, limit: u64) -> Readbacks {
    Readbacks::new(device, &ReadbacksDescription { name: "tested readback", limit })
}

/// Bytes without a short period, so that a shift or a gap shows.
pub fn pattern(start: u64, length: usize) -> Vec<u8> {
    (start..start + length as u64).map(|i| ((i as u32).wrapping_mul(2_654_435_761) >> 24) as u8).collect()
}

/// All of a buffer, after work that left it at `from`.
pub fn contents(device: &Arc<Device>, buffer: &Buffer, from: Access) -> Result<Vec<u8>, Failed> {
    let whole = BufferRange::whole(buffer);
    let mut recorder = Recorder::new(device)?;
    recorder.barrier(&[BufferBarrier::new(whole, from, Access::TransferRead)])?;
    let readback = readbacks(device, 64 << 20).read(&mut recorder, whole)?;
    recorder.submit()?;
    Ok(readback.wait(PATIENCE)?.to_vec())
}

/// Holds a submission up until the host opens it. That takes a timeline semaphore: without them nothing may be done to work that was submitted, and the gate
/// stands open.
pub struct Gate {
    device: Arc<Device>,
    semaphore: Option<vk::Semaphore>,
}

impl Gate {
    pub fn new(device: &Arc<Device>) -> Result<Self, Failed> {
        let timeline = device.capabilities().features.timeline_semaphore;
        let semaphore = timeline.then(|| timeline_semaphore(device, 0)).transpose()?;
        Ok(Self { device: Arc::clone(device), semaphore })
    }

    /// Whether it really holds anything up.
    pub fn closes(&self) -> bool {
        self.semaphore.is_some()
    }

    /// Submits behind the gate.
    pub fn submit(&self, recorder: &mut Recorder) -> Result<Submission, Failed> {
        let stages = vk::PipelineStageFlags::ALL_COMMANDS;
        let waits: Vec<_> = self.semaphore.into_iter().map(|semaphore| SemaphoreWait { semaphore, value: 1, stages }).collect();
        // SAFETY: the gate is of the same device, is opened at last, and outlives the work.
        Ok(unsafe { recorder.submit_with(&SubmitOptions { waits: &waits, ..SubmitOptions::default() }) }?)
    }

    pub fn open(&self) -> Result<(), Failed> {
        let Some(semaphore) = self.semaphore else { return Ok(()) };
        signal(&self.device, semaphore, 1)
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        let Some(semaphore) = self.semaphore else { return };
        // A failed case must not leave the device waiting for ever; and a value is signalled once.
        if value(&self.device, semaphore).is_ok_and(|value| value == 0) {
            let _ = self.open();
        }
        let _ = self.device.wait_idle();
        // SAFETY: the device is idle, so nothing waits for the semaphore.
        unsafe { self.device.raw().destroy_semaphore(semaphore, None) };
    }
}
