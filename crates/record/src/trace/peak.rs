//! The rate that a device copies at: what a kernel's rate is compared with.

use std::sync::Arc;
use std::time::Duration;

use wavelane_device::{Buffer, BufferDescription, Device, MemoryUse};

use crate::access::Access;
use crate::barrier::BufferBarrier;
use crate::error::Error;
use crate::range::BufferRange;
use crate::recorder::Recorder;

const PATIENCE: Duration = Duration::from_secs(60);
/// Times that the copy is measured; the best counts, as clocks rise and others use the memory meanwhile.
const ROUNDS: usize = 8;

/// Measures how fast the device copies within its own memory: GB/s, reads and writes together, the best of a few. `None` where it has no
/// usable clock. Takes two buffers of `bytes` each for the while; those of at least 64 MiB are larger than most devices' caches.
///
/// # Errors
///
/// No memory, or what Vulkan returned.
pub fn measure_copy_rate(device: &Arc<Device>, bytes: u64) -> Result<Option<f64>, Error> {
    let size = bytes.next_multiple_of(4);
    let buffer = |name| Buffer::new(device, &BufferDescription { size, memory: MemoryUse::Device, name });
    let (from, to) = (buffer("copied from")?, buffer("copied to")?);
    let mut recorder = Recorder::new(device)?;
    let (from, to) = (BufferRange::whole(&from), BufferRange::whole(&to));
    recorder.fill(from, 1)?;
    recorder.barrier(&[BufferBarrier::new(from, Access::TransferWrite, Access::TransferRead)])?;
    for _ in 0..ROUNDS {
        recorder.begin_timing("copy")?;
        recorder.copy(from, to)?;
        recorder.end_timing()?;
        recorder.barrier(&[BufferBarrier::new(to, Access::TransferWrite, Access::TransferWrite)])?;
    }
    let submission = recorder.submit()?;
    submission.wait(PATIENCE)?;
    let best = submission.timings().into_iter().filter_map(|timing| timing.nanoseconds).filter(|&ns| ns > 0.0).min_by(f64::total_cmp);
    Ok(best.map(|nanoseconds| 2.0 * size as f64 / nanoseconds))
}
