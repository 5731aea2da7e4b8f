//! Work that the device cannot finish before the host lets it.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use libtest_mimic::Failed;
use wavelane_device::{Device, vk};
use wavelane_record::Recorder;

/// An event that recorded work waits for. Every Vulkan 1.1 device has them.
pub struct Gate {
    device: Arc<Device>,
    event: vk::Event,
}

impl Gate {
    /// A closed gate.
    pub fn new(device: &Arc<Device>) -> Result<Arc<Self>, Failed> {
        // SAFETY: the device is alive.
        let event = unsafe { device.raw().create_event(&vk::EventCreateInfo::default(), None) }?;
        Ok(Arc::new(Self { device: Arc::clone(device), event }))
    }

    /// What is recorded from here on waits until the gate is open.
    pub fn record(self: &Arc<Self>, recorder: &mut Recorder) {
        let stages = vk::PipelineStageFlags::ALL_COMMANDS;
        let memory = [vk::MemoryBarrier::default()];
        // SAFETY: the command buffer is being recorded, and the recorder keeps the event.
        unsafe {
            self.device.raw().cmd_wait_events(
                recorder.command_buffer(),
                &[self.event],
                vk::PipelineStageFlags::HOST,
                stages,
                &memory,
                &[],
                &[],
            );
        }
        recorder.keep(Arc::clone(self) as _);
    }

    /// Lets everything through, now and later.
    pub fn open(&self) -> Result<(), Failed> {
        // SAFETY: the event is alive, and set by this thread alone.
        Ok(unsafe { self.device.raw().set_event(self.event) }?)
    }

    /// Opens it a little later, while the caller does something that waits for the device.
    pub fn open_soon(self: &Arc<Self>) -> thread::JoinHandle<bool> {
        let gate = Arc::clone(self);
        thread::spawn(move || {
            thread::sleep(Duration::from_millis(50));
            gate.open().is_ok()
        })
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        // SAFETY: recorders and submissions that wait for the event keep it.
        unsafe { self.device.raw().destroy_event(self.event, None) };
    }
}
