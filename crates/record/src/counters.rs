//! Counters that shaders raise while they run.

use std::sync::Arc;

use wavelane_device::{Buffer, BufferDescription, Device, MemoryUse};

use crate::access::Access;
use crate::barrier::BufferBarrier;
use crate::error::Error;
use crate::range::BufferRange;
use crate::recorder::Recorder;

/// Bytes of a counter: two words, the low one first.
const COUNTER_BYTES: usize = 8;

/// Named counters of 64 bits that shaders add to by `counter_add` of `glsl/include/counters.glsl`.
///
/// ```no_run
/// # use std::time::Duration;
/// # use wavelane_record::{Error, Recorder, ShaderCounters};
/// # fn example(recorder: &mut Recorder) -> Result<(), Error> {
/// let counters = ShaderCounters::new(recorder.device(), &["elements seen", "elements passed over"])?;
/// counters.record_reset(recorder)?;
/// // … a dispatch that binds `counters.range()` …
/// counters.record_readback(recorder)?;
/// recorder.submit()?.wait(Duration::from_secs(10))?;
/// for (name, count) in counters.read()? {
///     println!("{name}: {count}");
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct ShaderCounters {
    names: Vec<String>,
    words: Buffer,
    // Apart from the words, since adding to memory of the host is slow, and reading the device's may be impossible.
    readback: Buffer,
}

impl ShaderCounters {
    /// Counters with these names: number 0, 1, … in the shader. They must be reset before their first use.
    ///
    /// # Errors
    ///
    /// No names, or no memory.
    pub fn new(device: &Arc<Device>, names: &[&str]) -> Result<Self, Error> {
        let size = (names.len() * COUNTER_BYTES) as u64;
        let buffer = |memory, name| Buffer::new(device, &BufferDescription { size, memory, name });
        Ok(Self {
            names: names.iter().map(|&name| name.to_owned()).collect(),
            words: buffer(MemoryUse::Device, "shader counters")?,
            readback: buffer(MemoryUse::Readback, "shader counters, read back")?,
        })
    }

    /// Their names.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// What to bind as the storage buffer `COUNTERS_BINDING`. A dispatch accesses it as [`Access::ComputeReadWrite`], so that a barrier stands
    /// between two that count into the same.
    pub fn range(&self) -> BufferRange<'_> {
        BufferRange::whole(&self.words)
    }

    /// Records that all are 0. On entry earlier accesses must be visible to [`Access::TransferWrite`]; on exit the counters are visible to
    /// [`Access::ComputeReadWrite`].
    ///
    /// # Errors
    ///
    /// As [`Recorder::fill`].
    pub fn record_reset(&self, recorder: &mut Recorder) -> Result<(), Error> {
        recorder.fill(self.range(), 0)?;
        recorder.barrier(&[BufferBarrier::new(self.range(), Access::TransferWrite, Access::ComputeReadWrite)])
    }

    /// Records the copy that [`ShaderCounters::read`] reads. On entry the last access was [`Access::ComputeReadWrite`]; on exit the counters were
    /// accessed as [`Access::TransferRead`].
    ///
    /// # Errors
    ///
    /// As [`Recorder::copy`].
    pub fn record_readback(&self, recorder: &mut Recorder) -> Result<(), Error> {
        let readback = BufferRange::whole(&self.readback);
        recorder.barrier(&[BufferBarrier::new(self.range(), Access::ComputeReadWrite, Access::TransferRead)])?;
        recorder.copy(self.range(), readback)?;
        recorder.barrier(&[BufferBarrier::new(readback, Access::TransferWrite, Access::HostRead)])
    }

    /// Names and counts, as the last [`ShaderCounters::record_readback`] whose submission is done left them.
    ///
    /// # Errors
    ///
    /// What Vulkan returned.
    pub fn read(&self) -> Result<Vec<(&str, u64)>, Error> {
        let mut bytes = vec![0; self.names.len() * COUNTER_BYTES];
        self.readback.read(0, &mut bytes)?;
        Ok(self.names.iter().map(String::as_str).zip(counts(&bytes)).collect())
    }
}

fn counts(bytes: &[u8]) -> impl Iterator<Item = u64> {
    let word = |bytes: &[u8]| bytes.try_into().map_or(0, u32::from_ne_bytes);
    bytes.chunks_exact(COUNTER_BYTES).map(move |counter| u64::from(word(&counter[..4])) | u64::from(word(&counter[4..])) << 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_low_word_comes_first() {
        let bytes: Vec<u8> = [7u32, 0, u32::MAX, 3].into_iter().flat_map(u32::to_ne_bytes).collect();
        assert_eq!(counts(&bytes).collect::<Vec<_>>(), [7, (4 << 32) - 1]);
    }
}
