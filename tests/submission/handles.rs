//! Which handle stands for what, and for how long it is needed.

use std::sync::Arc;

use libtest_mimic::Failed;
use wavelane_device::{Buffer, Device, ForeignBuffer, MemoryUse};
use wavelane_record::{Access, BufferRange, HazardMode, Recorder, RecorderOptions};

use crate::harness::gpu::ensure;
use crate::multiply_add::{PATIENCE, buffer, says};

/// The barrier that is inserted for it names a buffer that no command uses, and whose handle goes before the recording is submitted.
pub fn handed_over(device: &Arc<Device>) -> Result<(), Failed> {
    let before = device.memory_statistics().allocations;
    for hazards in [HazardMode::Automatic, HazardMode::Checked] {
        let mut recorder = Recorder::with_options(device, &RecorderOptions { hazards, ..RecorderOptions::default() })?;
        let written = buffer(device, 64, MemoryUse::Shared)?;
        recorder.assume(BufferRange::whole(&written), Access::ComputeWrite);
        match hazards {
            HazardMode::Automatic => recorder.hand_over(BufferRange::whole(&written), Access::HostRead)?,
            _ => says(recorder.hand_over(BufferRange::whole(&written), Access::HostRead), "that the work before this recording")?,
        }
        drop(written);
        ensure(device.memory_statistics().allocations == before + 1, || "the recorder does not keep the buffer".to_owned())?;
        recorder.submit()?.wait(PATIENCE)?;
    }
    ensure(device.memory_statistics().allocations == before, || "a buffer is kept for ever".to_owned())
}

/// A copy onto itself is one, whatever handles it is asked for with.
pub fn aliased(device: &Arc<Device>) -> Result<(), Failed> {
    let own = buffer(device, 64, MemoryUse::Device)?;
    let handle = |name| {
        let foreign = ForeignBuffer { size: own.size(), usage: own.usage(), name, keep: Some(Arc::new(own.clone())) };
        // SAFETY: the buffer is the device's own, of this size and usage, and is kept.
        unsafe { Buffer::from_raw(device, own.raw(), &foreign) }
    };
    let (one, other) = (handle("one")?, handle("other")?);
    let mut recorder = Recorder::new(device)?;
    for to in [&one, &other, &own] {
        says(recorder.copy(BufferRange::new(&one, 0, 64)?, BufferRange::new(to, 32, 64)?), "overlaps itself")?;
    }
    recorder.copy(BufferRange::new(&one, 0, 64)?, BufferRange::new(&other, 64, 64)?)?;
    Ok(recorder.submit()?.wait(PATIENCE)?)
}
