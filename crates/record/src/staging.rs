//! Uploads through a ring of host memory that never grows.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use wavelane_device::{Buffer, BufferDescription, Device, MemoryUse};

use crate::access::Access;
use crate::check;
use crate::completion::{Completion, Status};
use crate::error::Error;
use crate::range::BufferRange;
use crate::recorder::Recorder;

/// Where parts start: good for copies of texels of every size, and for the host's vector stores.
const ALIGNMENT: u64 = 16;

/// Who holds the oldest bytes of a [`StagingRing`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StagingHolder {
    /// The very recording that asks for more: what it stages does not fit the ring at once.
    ThisRecording,
    /// Another recording that was not submitted yet.
    Unsubmitted,
    /// A submission that the device is not done with.
    InFlight,
}

impl fmt::Display for StagingHolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ThisRecording => "this recording itself",
            Self::Unsubmitted => "another recording that was not submitted yet",
            Self::InFlight => "a submission in flight",
        })
    }
}

/// How [`StagingRing::write_idle`] brought bytes to their place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Upload {
    /// The host wrote them. Submissions from now on see them without a barrier.
    Direct,
    /// A copy was recorded, which needs a barrier after it.
    Staged,
}

impl Upload {
    /// The access that wrote the bytes: what a barrier after it is from.
    pub const fn access(self) -> Access {
        match self {
            Self::Direct => Access::HostWrite,
            Self::Staged => Access::TransferWrite,
        }
    }
}

/// One host buffer of fixed size, through which data of any amount is brought to the device in parts.
///
/// [`StagingRing::stage`] copies bytes into the ring and records a copy from there. The room is taken back when the recording that reads it is done or
/// was abandoned, in the order of staging. When there is none, staging waits for the oldest submission: the ring never grows.
///
/// What one recording stages must fit the ring together. Data that is larger goes in parts, each in a recording of its own; with two recorders
/// and parts of at most half of the ring, the host fills one half while the device reads the other:
///
/// ```no_run
/// # use std::time::Duration;
/// # use wavelane_device::{Buffer, Device};
/// # use wavelane_record::{BufferRange, Error, Recorder, StagingRing};
/// # fn example(device: &std::sync::Arc<Device>, target: &Buffer, bytes: &[u8]) -> Result<(), Error> {
/// let patience = Duration::from_secs(10);
/// let mut ring = StagingRing::new(device, 1 << 20)?;
/// let mut recorders = [Recorder::new(device)?, Recorder::new(device)?];
/// let part = ring.capacity() as usize / 2;
/// for (index, bytes) in bytes.chunks(part).enumerate() {
///     let recorder = &mut recorders[index % 2];
///     if index >= 2 {
///         recorder.completion().wait(patience)?;
///         recorder.reset()?;
///     }
///     let target = BufferRange::new(target, (index * part) as u64, bytes.len() as u64)?;
///     ring.stage(recorder, target, bytes, patience)?;
///     recorder.submit()?;
/// }
/// # Ok(())
/// # }
/// ```
///
/// Once its list of recordings has grown, staging allocates nothing. (A [`Recorder::reset`] allocates a few bytes where the ring still
/// knows of the recording before; [`StagingRing::reclaim`] before it avoids even that.)
#[derive(Debug)]
pub struct StagingRing {
    buffer: Buffer,
    alignment: u64,
    /// Positions count on and on; modulo the capacity they are offsets. Between them lies what is held.
    tail: u64,
    head: u64,
    /// Who holds what, the oldest first.
    held: VecDeque<Held>,
    waits: u64,
}

#[derive(Debug)]
struct Held {
    completion: Completion,
    /// Where its part ends and the next one's starts.
    end: u64,
}

impl StagingRing {
    /// A ring of this many bytes, rounded up to the parts' alignment.
    ///
    /// # Errors
    ///
    /// As [`Buffer::new`].
    pub fn new(device: &Arc<Device>, capacity: u64) -> Result<Self, Error> {
        // Parts that share an atom with what the device reads would be flushed with it.
        let atom = device.capabilities().limits.non_coherent_atom_size.max(1);
        let size = capacity.max(1).checked_next_multiple_of(atom.max(ALIGNMENT)).unwrap_or(capacity);
        let buffer = Buffer::new(device, &BufferDescription { size, memory: MemoryUse::Upload, name: "staging ring" })?;
        let alignment = if buffer.is_coherent() { ALIGNMENT } else { atom.max(ALIGNMENT) };
        Ok(Self { buffer, alignment, tail: 0, head: 0, held: VecDeque::with_capacity(64), waits: 0 })
    }

    /// Bytes of the ring.
    pub fn capacity(&self) -> u64 {
        self.buffer.size()
    }

    /// Bytes that recordings hold, gaps included, as far as it is known: [`StagingRing::reclaim`] looks.
    pub fn held_bytes(&self) -> u64 {
        self.head - self.tail
    }

    /// How often staging had to wait for the device so far.
    pub fn waits(&self) -> u64 {
        self.waits
    }

    /// The host buffer, for reports.
    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// Copies bytes into the ring and records a copy to `target`, as [`Access::TransferWrite`]. Waits for room for at most `timeout`, asleep in the driver.
    ///
    /// # Errors
    ///
    /// [`Error::StagingTooLarge`]; [`Error::StagingFull`] where the oldest part is held by a recording that was not submitted, so that waiting would
    /// never end; [`Error::Timeout`]; [`Error::NotOnce`] for a recording that can be submitted more than once; [`Error::CopySizes`] where `target`
    /// is not as long as `bytes`; device loss; what [`Recorder::copy`] says. Nothing was recorded then.
    pub fn stage(&mut self, recorder: &mut Recorder, target: BufferRange<'_>, bytes: &[u8], timeout: Duration) -> Result<(), Error> {
        self.stage_within(recorder, target, bytes, Some(timeout))
    }

    /// [`StagingRing::stage`] without waiting.
    ///
    /// # Errors
    ///
    /// As there; [`Error::StagingFull`] whenever there is no room.
    pub fn try_stage(&mut self, recorder: &mut Recorder, target: BufferRange<'_>, bytes: &[u8]) -> Result<(), Error> {
        self.stage_within(recorder, target, bytes, None)
    }

    /// Copies bytes into the ring, and gives the range where they lie, to be read by commands of this recording: by a copy to an image, for one. It starts at a
    /// multiple of 16. Waits as [`StagingRing::stage`] does.
    ///
    /// # Errors
    ///
    /// As [`StagingRing::stage`].
    pub fn place(&mut self, recorder: &Recorder, bytes: &[u8], timeout: Duration) -> Result<BufferRange<'_>, Error> {
        let offset = self.place_within(recorder, bytes, Some(timeout))?;
        BufferRange::new(&self.buffer, offset, bytes.len() as u64)
    }

    /// Brings bytes to a range that the device does not use: at once where the host can reach it, as on unified memory, else as
    /// [`StagingRing::stage`].
    ///
    /// Right where all submitted work that reads or writes the range is done, and nothing recorded so far, in whatever recorder, is meant to
    /// see what the range held before: a direct write happens now, so before everything that is not yet submitted. That holds for a new buffer, for data loaded once, and
    /// for one of several buffers in turn. It does not for a buffer that frames in flight still read: there the copy must wait its turn on the device, and
    /// [`StagingRing::stage`] with its barriers is right also on unified memory.
    ///
    /// The barrier that follows is from [`Upload::access`]; after a direct write none is needed.
    ///
    /// # Errors
    ///
    /// As [`StagingRing::stage`].
    pub fn write_idle(
        &mut self,
        recorder: &mut Recorder,
        target: BufferRange<'_>,
        bytes: &[u8],
        timeout: Duration,
    ) -> Result<Upload, Error> {
        if !target.buffer().is_mapped() {
            return self.stage(recorder, target, bytes, timeout).map(|()| Upload::Staged);
        }
        same_size(&target, bytes)?;
        target.buffer().write(target.offset(), bytes)?;
        Ok(Upload::Direct)
    }

    /// Takes back all that is done with or was abandoned. Staging takes back by itself as much as it needs.
    ///
    /// # Errors
    ///
    /// [`Error::DeviceLost`], or what Vulkan returned.
    pub fn reclaim(&mut self) -> Result<(), Error> {
        while self.reclaim_oldest()? {}
        Ok(())
    }

    /// Takes back the oldest part, if it is done with.
    fn reclaim_oldest(&mut self) -> Result<bool, Error> {
        let Some(oldest) = self.held.front() else { return Ok(false) };
        match oldest.completion.status()? {
            Status::Done | Status::Abandoned => self.tail = oldest.end,
            Status::Recording | Status::InFlight => return Ok(false),
        }
        self.held.pop_front();
        if self.held.is_empty() {
            // An empty ring starts over, so that whatever fits it finds room in one piece.
            (self.tail, self.head) = (0, 0);
        }
        Ok(true)
    }

    fn stage_within(
        &mut self,
        recorder: &mut Recorder,
        target: BufferRange<'_>,
        bytes: &[u8],
        timeout: Option<Duration>,
    ) -> Result<(), Error> {
        same_size(&target, bytes)?;
        let offset = self.place_within(recorder, bytes, timeout)?;
        recorder.copy(BufferRange::new(&self.buffer, offset, bytes.len() as u64)?, target)
    }

    /// Where the bytes were put.
    fn place_within(&mut self, recorder: &Recorder, bytes: &[u8], timeout: Option<Duration>) -> Result<u64, Error> {
        recorder.check_once("stage data")?;
        check::owner(recorder.device(), &self.buffer)?;
        let asked = bytes.len() as u64;
        if asked > self.capacity() {
            return Err(Error::StagingTooLarge { asked, capacity: self.capacity() });
        }
        if bytes.is_empty() {
            return Ok(0);
        }
        let completion = recorder.completion();
        let (start, end) = self.room(asked, &completion, timeout)?;
        let offset = start % self.capacity();
        self.buffer.write(offset, bytes)?;
        self.head = end;
        match self.held.back_mut() {
            Some(last) if last.completion.is_same(&completion) => last.end = end,
            _ => self.held.push_back(Held { completion, end }),
        }
        Ok(offset)
    }

    /// Waits until so many bytes are free in one piece: from one position to another.
    fn room(&mut self, asked: u64, completion: &Completion, timeout: Option<Duration>) -> Result<(u64, u64), Error> {
        // Without an end where the time-out is too long for the clock.
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        loop {
            // The device is asked only for as much as is needed.
            if let Some(found) = piece(self.tail, self.head, self.capacity(), asked.next_multiple_of(self.alignment)) {
                return Ok(found);
            }
            if self.reclaim_oldest()? {
                continue;
            }
            // A ring without room holds something: an empty one has room for all that fits.
            let Some(oldest) = self.held.front() else { return Err(Error::StagingTooLarge { asked, capacity: self.capacity() }) };
            let by = match oldest.completion.status()? {
                Status::Done | Status::Abandoned => continue,
                Status::InFlight => StagingHolder::InFlight,
                Status::Recording if oldest.completion.is_same(completion) => StagingHolder::ThisRecording,
                Status::Recording => StagingHolder::Unsubmitted,
            };
            let (Some(timeout), StagingHolder::InFlight) = (timeout, by) else {
                return Err(Error::StagingFull { asked, capacity: self.capacity(), held: self.held_bytes(), by });
            };
            self.waits += 1;
            let left = deadline.map_or(Duration::MAX, |deadline| deadline.saturating_duration_since(Instant::now()));
            oldest.completion.wait(left).map_err(|error| match error {
                Error::Timeout { .. } => Error::Timeout { waited: timeout },
                error => error,
            })?;
        }
    }
}

fn same_size(target: &BufferRange<'_>, bytes: &[u8]) -> Result<(), Error> {
    let from = bytes.len() as u64;
    if target.size() == from { Ok(()) } else { Err(Error::CopySizes { from, to: target.size() }) }
}

/// Where so many bytes find room in one piece behind `head`, if they do. A piece does not run over the ring's end: what is left there is skipped.
fn piece(tail: u64, head: u64, capacity: u64, size: u64) -> Option<(u64, u64)> {
    let to_the_end = capacity - head % capacity;
    let start = if size > to_the_end { head + to_the_end } else { head };
    (start + size - tail <= capacity).then_some((start, start + size))
}

#[cfg(test)]
mod tests {
    use super::piece;

    #[test]
    fn pieces_follow_each_other_and_skip_the_end() {
        assert_eq!(piece(0, 0, 100, 100), Some((0, 100)));
        assert_eq!(piece(0, 0, 100, 101), None);
        assert_eq!(piece(0, 60, 100, 40), Some((60, 100)));
        assert_eq!(piece(0, 60, 100, 48), None, "what is at the start is held");
        assert_eq!(piece(50, 60, 100, 48), Some((100, 148)), "the start is free again");
        assert_eq!(piece(40, 60, 100, 41), None, "in one piece there is not enough");
        assert_eq!(piece(160, 190, 100, 60), Some((200, 260)));
        assert_eq!(piece(160, 260, 100, 16), None, "a full ring");
        assert_eq!(piece(200, 200, 100, 100), Some((200, 300)));
    }

    /// Every piece lies within the ring, in one piece, and overlaps none that is held.
    #[test]
    fn no_piece_overlaps_another() {
        let capacity = 97 * 16;
        let (mut tail, mut head, mut held) = (0u64, 0u64, std::collections::VecDeque::new());
        let mut seed = 1u64;
        for _ in 0..20_000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let size = ((seed >> 33) % 40 + 1) * 16;
            match piece(tail, head, capacity, size) {
                Some((start, end)) => {
                    assert_eq!(end - start, size);
                    assert!(start % capacity + size <= capacity);
                    let overlaps = |&(other, length): &(u64, u64)| other < start % capacity + size && start % capacity < other + length;
                    assert!(!held.iter().map(|&(offset, length, _)| (offset, length)).any(|part| overlaps(&part)));
                    held.push_back((start % capacity, size, end));
                    head = end;
                }
                None => tail = held.pop_front().map_or(head, |(_, _, end)| end),
            }
        }
    }
}
