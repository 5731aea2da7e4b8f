//! Bytes between the host and device memory that it does not reach.

use std::collections::VecDeque;
use std::sync::Arc;

use wavelane_device::{Buffer, Device};
use wavelane_record::{Access, BufferBarrier, BufferRange, Readback, Readbacks, ReadbacksDescription, Recorder, StagingRing};

use super::PATIENCE;
use crate::Error;

/// The least bytes of a part.
const LEAST: u64 = 256;

/// Uploads and downloads in parts, two at a time: the host copies one while the device copies the other.
#[derive(Debug)]
pub(super) struct Transfers {
    recorders: [Recorder; 2],
    ring: Option<StagingRing>,
    readbacks: Readbacks,
    /// The most bytes of a part.
    part: u64,
}

impl Transfers {
    /// Takes at most about `bytes` of host memory each way.
    pub(super) fn new(device: &Arc<Device>, bytes: u64) -> Result<Self, Error> {
        let half = (bytes / 2).max(LEAST);
        // A power of two, as the buffers of a pool are.
        let part = 1 << half.ilog2();
        let description = ReadbacksDescription { name: "readback", limit: 2 * part };
        let readbacks = Readbacks::new(device, &description);
        Ok(Self { recorders: [Recorder::new(device)?, Recorder::new(device)?], ring: None, readbacks, part })
    }

    /// Copies `bytes` to the beginning of a buffer that the device does not use, for later submissions to do anything with.
    pub(super) fn upload(&mut self, target: &Buffer, bytes: &[u8]) -> Result<(), Error> {
        let mut ring = self.ring(target.device(), bytes.len() as u64)?;
        let mut offset = 0;
        for (turn, part) in bytes.chunks(self.part as usize).enumerate() {
            let target = BufferRange::new(target, offset, part.len() as u64)?;
            let recorder = self.next(turn)?;
            ring.stage(recorder, target, part, PATIENCE)?;
            recorder.barrier(&[BufferBarrier::new(target, Access::TransferWrite, Access::Anything)])?;
            recorder.submit()?;
            offset += target.size();
        }
        self.ring = Some(ring);
        Ok(())
    }

    /// Copies the beginning of a buffer, which is ready to be read by copies, to `into`.
    pub(super) fn download(&mut self, source: &Buffer, into: &mut [u8]) -> Result<(), Error> {
        let mut pending: VecDeque<(Readback, &mut [u8])> = VecDeque::with_capacity(2);
        let mut offset = 0;
        for (turn, part) in into.chunks_mut(self.part as usize).enumerate() {
            if pending.len() == 2 {
                pending.pop_front().map_or(Ok(()), arrive)?;
            }
            let source = BufferRange::new(source, offset, part.len() as u64)?;
            let readbacks = self.readbacks.clone();
            let recorder = self.next(turn)?;
            let readback = readbacks.read(recorder, source)?;
            recorder.submit()?;
            pending.push_back((readback, part));
            offset += source.size();
        }
        pending.into_iter().try_for_each(arrive)
    }

    /// Lets go of the buffers that were copied to and from.
    pub(super) fn settle(&mut self) -> Result<(), Error> {
        (0..2).try_for_each(|turn| self.next(turn).map(|_| ()))
    }

    /// One of the recorders, when the device is done with what it recorded last.
    fn next(&mut self, turn: usize) -> Result<&mut Recorder, Error> {
        let recorder = &mut self.recorders[turn % 2];
        let completion = recorder.completion();
        if completion.sync_point().is_some() {
            completion.wait(PATIENCE)?;
            recorder.reset()?;
        }
        Ok(recorder)
    }

    /// The ring, and a larger one where it is too small for what two parts of so many bytes in all take.
    fn ring(&mut self, device: &Arc<Device>, bytes: u64) -> Result<StagingRing, Error> {
        let wanted = bytes.max(LEAST).next_power_of_two().min(2 * self.part);
        match self.ring.take() {
            Some(ring) if ring.capacity() >= wanted => Ok(ring),
            _ => Ok(StagingRing::new(device, wanted)?),
        }
    }
}

fn arrive((readback, part): (Readback, &mut [u8])) -> Result<(), Error> {
    part.copy_from_slice(&readback.wait(PATIENCE)?);
    Ok(())
}
