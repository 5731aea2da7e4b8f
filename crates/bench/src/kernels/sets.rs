//! Sets of buffers: what is in them at first, and what is read back.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use wavelane::device::{Buffer, BufferDescription, Device, MemoryUse};
use wavelane::record::{Access, BufferBarrier, BufferRange, HazardMode, Recorder, RecorderOptions};
use wavelane_reference::{Element, Values};

use super::case::{Need, Ranges, Work};

/// How long a submission may take: software drivers need minutes for the largest sizes.
pub const PATIENCE: Duration = Duration::from_secs(600);
/// What is in buffers whose contents must not matter.
const POISON: u32 = 0xa5a5_a5a5;
/// The most bytes that the host writes or reads at once.
const PART: u64 = 64 << 20;

/// Sets of the buffers that a kernel needs, all with the same data.
pub struct Sets {
    device: Arc<Device>,
    sets: Vec<Vec<(&'static str, Buffer)>>,
}

impl Sets {
    pub fn new(device: &Arc<Device>, work: &dyn Work, inputs: &[(&'static str, Values)], count: usize) -> Result<Self> {
        let needs = work.needs();
        let buffer = |need: &Need| -> Result<_> {
            let description = BufferDescription { size: need.bytes, memory: MemoryUse::Device, name: need.name };
            Ok((need.name, Buffer::new(device, &description)?))
        };
        let sets = (0..count).map(|_| needs.iter().map(buffer).collect()).collect::<Result<Vec<Vec<_>>>>()?;
        let all = Self { device: device.clone(), sets };
        let mut recorder = recorder(device)?;
        for (at, need) in needs.iter().enumerate() {
            let word = if need.zeroed { 0 } else { POISON };
            for set in &all.sets {
                recorder.fill(BufferRange::whole(&set[at].1), word)?;
            }
        }
        finish(&mut recorder)?;
        for (name, values) in inputs {
            let at = needs.iter().position(|need| need.name == *name).with_context(|| format!("the schedule has no buffer `{name}`"))?;
            all.upload(at, &bytes(values)).with_context(|| format!("filling `{name}`"))?;
        }
        Ok(all)
    }

    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// Sets that there are.
    pub fn count(&self) -> usize {
        self.sets.len()
    }

    /// The buffers of a set; there is one of any number, as they take turns.
    pub fn ranges(&self, turn: usize) -> Ranges<'_> {
        Ranges(self.sets[turn % self.sets.len()].iter().map(|(name, buffer)| (*name, BufferRange::whole(buffer))).collect())
    }

    /// The elements at the beginning of a buffer of the first set.
    pub fn download(&self, name: &str, element: Element, count: usize) -> Result<Values> {
        let range = self.ranges(0).get(name).with_context(|| format!("the schedule has no buffer `{name}`"))?;
        let mut bytes = vec![0; count * element.size()];
        if bytes.len() as u64 > range.size() {
            bail!("`{name}` has no room for {count} results");
        }
        let length = (bytes.len() as u64).next_multiple_of(4).clamp(4, PART);
        let host = Buffer::new(&self.device, &BufferDescription { size: length, memory: MemoryUse::Readback, name: "readback" })?;
        let mut recorder = recorder(&self.device)?;
        for (part, into) in bytes.chunks_mut(PART as usize).enumerate() {
            let size = (into.len() as u64).next_multiple_of(4);
            let to = BufferRange::new(&host, 0, size)?;
            recorder.copy(range.slice(part as u64 * PART, size)?, to)?;
            recorder.barrier(&[BufferBarrier::new(to, Access::TransferWrite, Access::HostRead)])?;
            finish(&mut recorder)?;
            host.read(0, into)?;
        }
        Values::from_bytes(element, &bytes).context("results of half an element")
    }

    /// Writes bytes to the beginning of one buffer of each set.
    fn upload(&self, at: usize, bytes: &[u8]) -> Result<()> {
        let size = (bytes.len() as u64).next_multiple_of(4).clamp(4, PART);
        let host = Buffer::new(&self.device, &BufferDescription { size, memory: MemoryUse::Upload, name: "upload" })?;
        let mut recorder = recorder(&self.device)?;
        for (part, from) in bytes.chunks(PART as usize).enumerate() {
            host.write(0, from)?;
            for set in &self.sets {
                let to = BufferRange::new(&set[at].1, part as u64 * PART, from.len() as u64)?;
                recorder.copy(BufferRange::new(&host, 0, from.len() as u64)?, to)?;
            }
            finish(&mut recorder)?;
        }
        Ok(())
    }
}

/// A recorder that only records: all barriers are there.
pub fn recorder(device: &Arc<Device>) -> Result<Recorder> {
    Ok(Recorder::with_options(device, &RecorderOptions { hazards: HazardMode::Off, ..RecorderOptions::default() })?)
}

/// Has everything before done, and seen by everything behind.
pub fn full_barrier(recorder: &mut Recorder, ranges: &Ranges<'_>) -> Result<()> {
    let barriers: Vec<_> = ranges.0.iter().map(|(_, range)| BufferBarrier::new(*range, Access::Anything, Access::Anything)).collect();
    Ok(recorder.barrier(&barriers)?)
}

/// Submits, waits, and begins anew.
fn finish(recorder: &mut Recorder) -> Result<()> {
    recorder.submit()?.wait(PATIENCE)?;
    Ok(recorder.reset()?)
}

/// The elements as they lie in memory.
fn bytes(values: &Values) -> Cow<'_, [u8]> {
    match values {
        Values::U8(data) => Cow::Borrowed(data),
        Values::U32(data) => Cow::Borrowed(bytemuck::cast_slice(data)),
        Values::U64(data) => Cow::Borrowed(bytemuck::cast_slice(data)),
        Values::F32(data) => Cow::Borrowed(bytemuck::cast_slice(data)),
        other => Cow::Owned(other.to_bytes()),
    }
}
