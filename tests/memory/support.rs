//! What the cases share: buffers, bytes, a gate that holds the device up, and a count of allocations.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use libtest_mimic::Failed;
use wavelane_device::{Buffer, BufferDescription, Device, MemoryUse, SemaphoreWait, Version, ash, vk};
use wavelane_record::{Access, BufferBarrier, BufferRange, Error, Readbacks, ReadbacksDescription, Recorder, Submission, SubmitOptions};

use crate::harness::gpu::ensure;

pub const PATIENCE: Duration = Duration::from_secs(60);

/// The system's allocator, counting what this thread allocates.
pub struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: everything is passed on to the system's allocator; the counter allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // A thread that ends may allocate after its counter is gone.
        let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// Allocations of this thread so far.
pub fn allocations() -> u64 {
    ALLOCATIONS.with(Cell::get)
}

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

pub fn says<T>(result: Result<T, Error>, text: &str) -> Result<(), Failed> {
    let Err(error) = result else { return Err(format!("no error, where {text:?} was due").into()) };
    ensure(error.to_string().contains(text), || format!("{error:?} reads {error}, not {text:?}"))?;
    let lines = [error.to_string(), error.advice()];
    ensure(lines.iter().all(|line| !line.is_empty() && !line.contains('\n')), || format!("not two lines: {lines:?}"))
}

/// Holds a submission up until the host opens it. That takes a timeline semaphore: without them nothing may be done to work that was submitted, and the gate
/// stands open.
pub struct Gate {
    device: Arc<Device>,
    semaphore: Option<vk::Semaphore>,
}

impl Gate {
    pub fn new(device: &Arc<Device>) -> Result<Self, Failed> {
        let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
        let timeline = device.capabilities().features.timeline_semaphore;
        // SAFETY: the device is alive and has timeline semaphores enabled.
        let semaphore = timeline.then(|| unsafe { device.raw().create_semaphore(&info, None) }).transpose()?;
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
        let info = vk::SemaphoreSignalInfo::default().semaphore(semaphore).value(1);
        // SAFETY: the semaphore is a timeline that is alive. Drivers with the feature are of Vulkan 1.2, or have the extension under its own name.
        Ok(unsafe {
            match self.device.capabilities().api_version >= Version::new(1, 2, 0) {
                true => self.device.raw().signal_semaphore(&info),
                false => ash::khr::timeline_semaphore::Device::new(self.device.instance().raw(), self.device.raw()).signal_semaphore(&info),
            }
        }?)
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        let Some(semaphore) = self.semaphore else { return };
        // A failed case must not leave the device waiting for ever; and a value is signalled once.
        // SAFETY: as in `open`; the semaphore is destroyed when the device is idle.
        unsafe {
            if self.device.raw().get_semaphore_counter_value(semaphore) == Ok(0) {
                let _ = self.open();
            }
            let _ = self.device.wait_idle();
            self.device.raw().destroy_semaphore(semaphore, None);
        }
    }
}
