//! One submission for data in host memory: buffers made or used again, uploads, the recording, downloads.

use wavelane_device::{Buffer, BufferDescription, MemoryUse};
use wavelane_record::{Access, BufferBarrier, BufferRange, Recorder};

use super::transfer::Transfers;
use super::{Context, KEPT_BYTES, Kept, Outcome, PATIENCE};
use crate::kernel::{Kernel, Plan};
use crate::schedule::{BufferUse, MOST_BUFFERS};
use crate::{DType, Error, Tensor};

/// A buffer that a submission needs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct HostBuffer<'a> {
    pub(super) name: &'static str,
    /// Nothing is made where there are none.
    pub(super) bytes: u64,
    /// What is in it at first.
    pub(super) upload: Option<&'a [u8]>,
    /// How the recording writes it last, if it is to be read afterwards.
    pub(super) written: Option<Access>,
}

/// Buffers that the device is done with.
pub(crate) struct Downloads<'a> {
    context: &'a Context,
    kept: &'a mut Kept,
    buffers: &'a [Option<Buffer>; MOST_BUFFERS],
    needs: &'a [HostBuffer<'a>; MOST_BUFFERS],
}

impl Downloads<'_> {
    /// The first `count` bytes of a buffer that the recording wrote.
    pub(crate) fn bytes(&mut self, buffer: usize, count: u64) -> Result<Vec<u8>, Error> {
        let mut bytes = vec![0; count as usize];
        let Some(buffer) = &self.buffers[buffer] else { return Ok(bytes) };
        if buffer.is_mapped() {
            buffer.read(0, &mut bytes)?;
        } else {
            self.context.transfers(self.kept)?.download(buffer, &mut bytes)?;
        }
        Ok(bytes)
    }

    /// All of a buffer's u32 that the plan asks for.
    pub(crate) fn words(&mut self, buffer: usize) -> Result<Tensor, Error> {
        let bytes = self.bytes(buffer, self.needs[buffer].bytes)?;
        Tensor::new(DType::U32, vec![bytes.len() / 4], bytes)
    }

    /// The u32 at the start of a buffer.
    pub(crate) fn word(&mut self, buffer: usize) -> Result<u32, Error> {
        Ok(bytemuck::pod_read_unaligned(&self.bytes(buffer, 4)?))
    }
}

impl Context {
    /// Makes the buffers, uploads, records, submits, waits, and has `read` fetch what is wanted. Gives the time on the device in nanoseconds, where it has usable
    /// timestamps.
    pub(super) fn execute<T>(
        &self,
        name: &str,
        needs: &[HostBuffer<'_>; MOST_BUFFERS],
        record: impl FnOnce(&mut Recorder, &[Option<BufferRange<'_>>; MOST_BUFFERS]) -> Result<(), Error>,
        read: impl FnOnce(&mut Downloads<'_>) -> Result<T, Error>,
    ) -> Result<(T, Option<f64>), Error> {
        // A call beside this one, or after one that failed, starts from nothing.
        let mut kept = self.take_kept();
        let mut buffers: [Option<Buffer>; MOST_BUFFERS] = Default::default();
        for ((need, buffer), old) in needs.iter().zip(&mut buffers).zip(0..) {
            if need.bytes == 0 {
                continue;
            }
            let made = self.buffer(&mut kept.buffers[old], &format!("{name} {}", need.name), need.bytes)?;
            if let Some(bytes) = need.upload {
                self.upload(&mut kept, &made, bytes)?;
            }
            *buffer = Some(made);
        }
        let mut recorder = match kept.recorder.take() {
            Some(mut recorder) => {
                recorder.reset()?;
                recorder
            }
            None => Recorder::new(&self.device)?,
        };
        let mut ranges = [None; MOST_BUFFERS];
        for ((range, buffer), need) in ranges.iter_mut().zip(&buffers).zip(needs) {
            *range = buffer.as_ref().map(|buffer| BufferRange::new(buffer, 0, need.bytes)).transpose()?;
        }
        recorder.begin_timing(name)?;
        record(&mut recorder, &ranges)?;
        recorder.end_timing()?;
        for (range, need) in ranges.iter().zip(needs) {
            if let (Some(range), Some(written)) = (range, need.written) {
                let to = if range.buffer().is_mapped() { Access::HostRead } else { Access::TransferRead };
                recorder.barrier(&[BufferBarrier::new(*range, written, to)])?;
            }
        }
        let submission = recorder.submit()?;
        submission.wait(PATIENCE)?;
        let gpu_time_ns = submission.timings().first().and_then(|timing| timing.nanoseconds);
        let result = read(&mut Downloads { context: self, kept: &mut kept, buffers: &buffers, needs })?;
        // A recorder holds the buffers that it used until it is reset.
        let all_small = buffers.iter().flatten().all(|buffer| buffer.size() <= KEPT_BYTES);
        kept.recorder = all_small.then_some(recorder);
        if let Some(transfers) = &mut kept.transfers {
            transfers.settle()?;
        }
        for (old, buffer) in kept.buffers.iter_mut().zip(buffers) {
            *old = buffer.filter(|buffer| buffer.size() <= KEPT_BYTES).or(old.take());
        }
        self.keep(kept);
        Ok((result, gpu_time_ns))
    }

    /// Runs a kernel on arrays of the host: `uploads` gives bytes for some of the schedule's buffers, and `read` fetches the results.
    pub(crate) fn run<K: Kernel, T>(
        &self,
        kernel: &K,
        uploads: &[(usize, &[u8])],
        read: impl FnOnce(&mut Downloads<'_>) -> Result<T, Error>,
    ) -> Result<Outcome<Plan<K>, T>, Error> {
        let plan = kernel.plan_with(&self.pipelines, self.path)?;
        let schedule = plan.schedule();
        let mut needs = [HostBuffer::default(); MOST_BUFFERS];
        for (index, (slot, need)) in needs.iter_mut().zip(&schedule.buffers).enumerate() {
            // Scratch is nobody's to read.
            let written = (need.usage != BufferUse::Scratch).then(|| schedule.written_by(index)).flatten();
            let upload = uploads.iter().find(|(of, _)| *of == index).map(|(_, bytes)| *bytes);
            *slot = HostBuffer { name: need.name, bytes: need.bytes, upload, written };
        }
        let bytes_moved = schedule.bytes_moved;
        let record = |recorder: &mut Recorder, ranges: &[Option<BufferRange<'_>>; MOST_BUFFERS]| plan.record_ranges(recorder, ranges);
        let (tensor, gpu_time_ns) = self.execute(schedule.kernel, &needs, record, read)?;
        Ok(Outcome { tensor, plan, gpu_time_ns, bytes_moved })
    }

    /// The buffer that was kept, where it is large enough, or a new one.
    fn buffer(&self, kept: &mut Option<Buffer>, name: &str, size: u64) -> Result<Buffer, Error> {
        match kept.take() {
            Some(buffer) if buffer.size() >= size => Ok(buffer),
            _ => Ok(Buffer::new(&self.device, &BufferDescription { size, memory: MemoryUse::Device, name })?),
        }
    }

    /// Copies `bytes` to the beginning of a buffer that nothing uses, ready for reading by compute shaders and copies.
    fn upload(&self, kept: &mut Kept, buffer: &Buffer, bytes: &[u8]) -> Result<(), Error> {
        if buffer.is_mapped() {
            // What the host writes before a submission is visible to it.
            return Ok(buffer.write(0, bytes)?);
        }
        self.transfers(kept)?.upload(buffer, bytes)
    }

    fn transfers<'a>(&self, kept: &'a mut Kept) -> Result<&'a mut Transfers, Error> {
        let transfers = kept.transfers.take().map_or_else(|| Transfers::new(&self.device, self.staging_bytes), Ok)?;
        Ok(kept.transfers.insert(transfers))
    }
}

/// Refuses an array that is not what a kernel describes.
pub(crate) fn check_input(expected: (crate::DType, &[usize]), input: &Tensor) -> Result<(), Error> {
    let found = (input.dtype(), input.shape());
    if found == expected {
        return Ok(());
    }
    let text = |(dtype, shape): (crate::DType, &[usize])| format!("{dtype} {shape:?}");
    Err(Error::InputMismatch { expected: text(expected), found: text(found) })
}
