//! The buffers that readbacks arrive in.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use wavelane_device::{Buffer, BufferDescription, Device, MemoryUse};

use super::{NOT_SEEN, Readback, Slot, Waiter};
use crate::access::Access;
use crate::barrier::BufferBarrier;
use crate::check;
use crate::completion::{Completion, Status};
use crate::error::Error;
use crate::range::BufferRange;
use crate::recorder::Recorder;

/// The least bytes of a buffer.
const LEAST: u64 = 256;
/// Up to here sizes are powers of two, above they are multiples of it.
const STEP: u64 = 1 << 20;

/// How to make [`Readbacks`].
#[derive(Clone, Copy, Debug)]
pub struct ReadbacksDescription<'a> {
    /// Name of the buffers, for reports.
    pub name: &'a str,
    /// The most bytes that the pool's buffers may have together. When they are all in use, [`Readbacks::read`] is an error.
    pub limit: u64,
}

impl Default for ReadbacksDescription<'_> {
    fn default() -> Self {
        Self { name: "readback", limit: 64 << 20 }
    }
}

/// What the buffers of [`Readbacks`] take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadbackStatistics {
    /// Bytes of the pool's buffers.
    pub live_bytes: u64,
    /// The most there were.
    pub peak_bytes: u64,
    /// Bytes of those buffers that handles hold, or that the device still writes.
    pub in_use_bytes: u64,
    /// The pool's buffers.
    pub buffers: usize,
}

/// A pool of host buffers, cached where the device has such memory, for results that the host reads when they are ready instead of waiting for them.
///
/// ```no_run
/// # use std::time::Duration;
/// # use wavelane_record::{Access, BufferBarrier, BufferRange, Error, Readbacks, Recorder};
/// # fn example(readbacks: &Readbacks, recorder: &mut Recorder, output: BufferRange<'_>) -> Result<(), Error> {
/// // After the dispatches that wrote `output`:
/// recorder.barrier(&[BufferBarrier::new(output, Access::ComputeWrite, Access::TransferRead)])?;
/// let readback = readbacks.read(recorder, output)?;
/// recorder.submit()?;
/// // In this frame or a later one:
/// if let Some(bytes) = readback.poll()? {
///     println!("{} bytes, {} frames later", bytes.len(), readback.latency_frames());
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Readbacks {
    pool: Arc<Pool>,
}

impl fmt::Debug for Readbacks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Readbacks").field("statistics", &self.statistics()).finish_non_exhaustive()
    }
}

pub(super) struct Pool {
    device: Arc<Device>,
    name: String,
    limit: u64,
    frame: AtomicU64,
    lists: Mutex<Lists>,
    waiter: Arc<Waiter>,
}

#[derive(Default)]
struct Lists {
    free: Vec<Buffer>,
    /// Let go by their handles, and perhaps still written by the device.
    returning: Vec<(Buffer, Completion)>,
    live: u64,
    peak: u64,
    count: usize,
}

impl Readbacks {
    /// A pool, empty so far.
    pub fn new(device: &Arc<Device>, description: &ReadbacksDescription<'_>) -> Self {
        let &ReadbacksDescription { name, limit } = description;
        let pool = Pool {
            device: Arc::clone(device),
            name: name.to_owned(),
            limit,
            frame: AtomicU64::new(0),
            lists: Mutex::default(),
            waiter: Arc::default(),
        };
        Self { pool: Arc::new(pool) }
    }

    /// Records a copy of a range into a buffer of the pool and the barrier after it, and gives a handle to what arrives there.
    ///
    /// The range must be visible to [`Access::TransferRead`] (a barrier from what wrote it, before this), and is read as that: what writes it later needs a
    /// barrier from [`Access::TransferRead`]. The bytes are a snapshot of that moment, whatever is done with the range afterwards. The recorder
    /// keeps the range's buffer alive.
    ///
    /// # Errors
    ///
    /// [`Error::ReadbacksFull`] where the limit is reached; [`Error::NotOnce`] for a recording that can be submitted more than once; out of memory; what
    /// [`Recorder::copy`] says. Nothing was recorded then.
    pub fn read(&self, recorder: &mut Recorder, range: BufferRange<'_>) -> Result<Readback, Error> {
        recorder.check_once("read data back")?;
        let buffer = self.pool.take(range.size())?;
        let to = BufferRange::new(&buffer, 0, range.size())?;
        let barrier = BufferBarrier::new(to, Access::TransferWrite, Access::HostRead);
        if let Err(error) = recorder.copy(range, to).and_then(|()| recorder.barrier(&[barrier])) {
            self.pool.give_back(&buffer, &recorder.completion());
            return Err(error);
        }
        Ok(self.handle(recorder, buffer, 0, range.size(), true))
    }

    /// A handle to a mapped range itself, to be read where it lies, without a copy: for unified memory, and for buffers in the host's memory. Records nothing.
    ///
    /// The range must be visible to [`Access::HostRead`] at the end of the recording.
    ///
    /// It must be asked for, because it is not the same as a copy: a copy is a snapshot, and this is the buffer, which the next frame may write before anyone
    /// has looked. And it is not always quicker: memory that the device likes best may be uncached for the host, and slow to read there.
    ///
    /// # Errors
    ///
    /// [`NotMapped`](wavelane_device::Error::NotMapped) for a buffer that the host does not reach, [`Error::OtherDevice`], [`Error::NotOnce`].
    ///
    /// # Safety
    ///
    /// From the moment the recording is done until the handle and all [`ReadbackBytes`](crate::ReadbackBytes) of it are gone, nobody may write the
    /// range: neither the device nor the host, through whatever handle.
    pub unsafe fn read_in_place(&self, recorder: &Recorder, range: BufferRange<'_>) -> Result<Readback, Error> {
        recorder.check_once("read data back")?;
        check::owner(recorder.device(), range.buffer())?;
        if !range.buffer().is_mapped() {
            return Err(wavelane_device::Error::NotMapped { name: range.buffer().name().to_owned() }.into());
        }
        Ok(self.handle(recorder, range.buffer().clone(), range.offset(), range.size(), false))
    }

    fn handle(&self, recorder: &Recorder, buffer: Buffer, offset: u64, size: u64, pooled: bool) -> Readback {
        let slot = Slot {
            pool: Arc::clone(&self.pool),
            buffer,
            offset,
            // It is mapped, and so fits the address space.
            size: size as usize,
            completion: recorder.completion(),
            pooled,
            recorded_in: self.pool.frame(),
            seen_in: AtomicU64::new(NOT_SEEN),
        };
        Readback { slot: Arc::new(slot), awaited: None }
    }

    /// Begins the next frame, for [`Readback::latency_frames`], and gives its number.
    pub fn next_frame(&self) -> u64 {
        self.pool.frame.fetch_add(1, Ordering::AcqRel) + 1
    }

    /// What the buffers take.
    pub fn statistics(&self) -> ReadbackStatistics {
        let mut lists = self.pool.lists();
        lists.sweep();
        ReadbackStatistics {
            live_bytes: lists.live,
            peak_bytes: lists.peak,
            in_use_bytes: lists.live - lists.free_bytes(),
            buffers: lists.count,
        }
    }

    /// Frees the buffers that nothing uses.
    pub fn trim(&self) {
        let mut lists = self.pool.lists();
        lists.sweep();
        lists.drop_free();
    }
}

impl Pool {
    fn lists(&self) -> MutexGuard<'_, Lists> {
        self.lists.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn frame(&self) -> u64 {
        self.frame.load(Ordering::Acquire)
    }

    pub(super) fn waiter(&self) -> &Arc<Waiter> {
        &self.waiter
    }

    /// A buffer of at least so many bytes that nothing uses.
    fn take(&self, size: u64) -> Result<Buffer, Error> {
        let mut lists = self.lists();
        lists.sweep();
        let wanted = class(size).min(self.limit.max(size));
        // A buffer that is much too large is left for what needs it, as long as there is room for another.
        if let Some(buffer) = lists.take_free(size, wanted.saturating_mul(2)) {
            return Ok(buffer);
        }
        let fits = |live: u64| live.checked_add(wanted).is_some_and(|sum| sum <= self.limit);
        if !fits(lists.live) {
            if let Some(buffer) = lists.take_free(size, u64::MAX) {
                return Ok(buffer);
            }
            let in_use = lists.live - lists.free_bytes();
            if !fits(in_use) {
                return Err(Error::ReadbacksFull { asked: size, in_use, limit: self.limit });
            }
            lists.drop_free();
        }
        let description = BufferDescription { size: wanted, memory: MemoryUse::Readback, name: &self.name };
        let buffer = Buffer::new(&self.device, &description)?;
        lists.live += wanted;
        lists.peak = lists.peak.max(lists.live);
        lists.count += 1;
        Ok(buffer)
    }

    pub(super) fn give_back(&self, buffer: &Buffer, completion: &Completion) {
        self.lists().returning.push((buffer.clone(), completion.clone()));
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.waiter.settle();
    }
}

impl Lists {
    /// Frees what the device is done with, or will never touch. Of a lost device nothing is used again.
    fn sweep(&mut self) {
        let mut index = 0;
        while let Some((_, completion)) = self.returning.get(index) {
            match completion.status() {
                Ok(Status::Recording | Status::InFlight) => index += 1,
                Ok(Status::Done | Status::Abandoned) => {
                    let (buffer, _) = self.returning.swap_remove(index);
                    self.free.push(buffer);
                }
                Err(_) => {
                    let (buffer, _) = self.returning.swap_remove(index);
                    self.forget(&buffer);
                }
            }
        }
    }

    /// The smallest of so many bytes, and not of more than `most`.
    fn take_free(&mut self, size: u64, most: u64) -> Option<Buffer> {
        let suits = |buffer: &Buffer| (size..=most).contains(&buffer.size());
        let smallest = (0..self.free.len()).filter(|&index| suits(&self.free[index])).min_by_key(|&index| self.free[index].size())?;
        Some(self.free.swap_remove(smallest))
    }

    fn free_bytes(&self) -> u64 {
        self.free.iter().map(Buffer::size).sum()
    }

    fn drop_free(&mut self) {
        while let Some(buffer) = self.free.pop() {
            self.forget(&buffer);
        }
    }

    fn forget(&mut self, buffer: &Buffer) {
        self.live -= buffer.size();
        self.count -= 1;
    }
}

/// Bytes of the buffer for so many: few different sizes, so that buffers serve again.
fn class(size: u64) -> u64 {
    match size {
        0..=STEP => size.max(LEAST).next_power_of_two(),
        larger => larger.checked_next_multiple_of(STEP).unwrap_or(larger),
    }
}

#[cfg(test)]
mod tests {
    use super::class;

    #[test]
    fn sizes_fall_into_few_classes() {
        assert_eq!([0, 1, 256, 257, 4096, 100_000].map(class), [256, 256, 256, 512, 4096, 131_072]);
        assert_eq!([1 << 20, (1 << 20) + 1, (5 << 20) - 3].map(class), [1 << 20, 2 << 20, 5 << 20]);
        assert_eq!(class(u64::MAX), u64::MAX);
    }
}
