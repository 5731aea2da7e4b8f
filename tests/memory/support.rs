//! What the cases share: buffers, bytes, a gate that holds the device up, and a count of allocations.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use libtest_mimic::Failed;
use wavelane_device::{Buffer, BufferDescription, Device, MemoryUse, vk};
use wavelane_record::{Access, BufferBarrier, BufferRange, Error, Readbacks, ReadbacksDescription, Recorder};

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

/// Holds the device up in the middle of a recording, until the host opens it.
pub struct Gate {
    device: Arc<Device>,
    event: vk::Event,
}

impl Gate {
    pub fn new(device: &Arc<Device>) -> Result<Self, Failed> {
        // SAFETY: the device is alive.
        let event = unsafe { device.raw().create_event(&vk::EventCreateInfo::default(), None) }?;
        Ok(Self { device: Arc::clone(device), event })
    }

    /// What is recorded after this is done only once the gate is open.
    pub fn hold(&self, recorder: &Recorder) {
        let commands = recorder.command_buffer();
        let all = vk::PipelineStageFlags::ALL_COMMANDS;
        // SAFETY: the command buffer is being recorded, and the gate outlives its execution.
        unsafe { self.device.raw().cmd_wait_events(commands, &[self.event], vk::PipelineStageFlags::HOST, all, &[], &[], &[]) };
    }

    pub fn open(&self) -> Result<(), Failed> {
        // SAFETY: the event is alive.
        Ok(unsafe { self.device.raw().set_event(self.event) }?)
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        // A failed case must not leave the device waiting for ever.
        let _ = self.open();
        let _ = self.device.wait_idle();
        // SAFETY: the device is idle.
        unsafe { self.device.raw().destroy_event(self.event, None) };
    }
}
