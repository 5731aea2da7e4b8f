//! Results that come back while the host goes on.

mod pool;
mod waiter;

use std::fmt;
use std::future::Future;
use std::ops::Deref;
use std::pin::Pin;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use wavelane_device::Buffer;

use crate::completion::{Completion, Status};
use crate::error::Error;
use pool::Pool;

pub use pool::{ReadbackStatistics, Readbacks, ReadbacksDescription};
pub(crate) use waiter::Waiter;

/// The frame of a readback that was not seen ready yet.
const NOT_SEEN: u64 = u64::MAX;

/// Bytes on their way from the device to the host, from [`Readbacks::read`].
///
/// It can be polled, waited for, or awaited. Dropping it at any time is fine: its buffer goes back to the pool when neither this handle nor
/// [`ReadbackBytes`] of it are left and the device is done.
///
/// # Awaiting
///
/// The future wakes by itself, under any executor. For that a thread is started when a future is first polled before its bytes are there. It sleeps in
/// the driver until the next submission is done (a few milliseconds at a time, to learn of new futures) or on a condition variable until the
/// recording is submitted, so it takes no processor time to speak of, and ends a second after the last future that waits is gone. One thread serves all handles of a pool.
pub struct Readback {
    slot: Arc<Slot>,
    /// By which the waking thread knows this handle; it was never awaited if there is none.
    awaited: Option<u64>,
}

/// Bytes that have come back, as they lie in mapped memory. Cloning gives another handle to the same.
#[derive(Clone)]
pub struct ReadbackBytes {
    bytes: NonNull<[u8]>,
    _slot: Arc<Slot>,
}

/// Where the bytes arrive.
struct Slot {
    pool: Arc<Pool>,
    buffer: Buffer,
    offset: u64,
    size: usize,
    completion: Completion,
    /// The pool's buffer, or the caller's own.
    pooled: bool,
    recorded_in: u64,
    seen_in: AtomicU64,
}

// SAFETY: the bytes lie in mapped memory that the slot keeps, which any thread may reach; nobody writes them any more.
unsafe impl Send for ReadbackBytes {}
// SAFETY: as above.
unsafe impl Sync for ReadbackBytes {}

impl fmt::Debug for Readback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Readback").field("size", &self.slot.size).field("completion", &self.slot.completion).finish_non_exhaustive()
    }
}

impl fmt::Debug for ReadbackBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadbackBytes").field("size", &self.len()).finish_non_exhaustive()
    }
}

impl Deref for ReadbackBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: the slot keeps the memory; the device is done writing it, and its buffer is used for nothing else while the slot lives.
        unsafe { self.bytes.as_ref() }
    }
}

impl AsRef<[u8]> for ReadbackBytes {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl Readback {
    /// The bytes, if they are there; `None` while they are not, be it that the device works on them or that the recording was not submitted. Never
    /// waits. Can be called again.
    ///
    /// # Errors
    ///
    /// [`Error::Abandoned`] where the recording was reset or dropped without being submitted (for a caller's command buffer: without
    /// [`Recorder::foreign_done`](crate::Recorder::foreign_done)), device loss, or what Vulkan returned.
    pub fn poll(&self) -> Result<Option<ReadbackBytes>, Error> {
        let slot = &self.slot;
        if slot.seen_in.load(Ordering::Acquire) == NOT_SEEN {
            match slot.completion.status()? {
                Status::Recording | Status::InFlight => return Ok(None),
                Status::Abandoned => return Err(Error::Abandoned),
                Status::Done => slot.seen(),
            }
        }
        self.bytes().map(Some)
    }

    /// Waits for the bytes, asleep in the driver. After a time-out it can be waited for again.
    ///
    /// # Errors
    ///
    /// As [`Readback::poll`]; [`Error::Timeout`]; [`Error::NotSubmitted`] where waiting would never end.
    pub fn wait(&self, timeout: Duration) -> Result<ReadbackBytes, Error> {
        if self.slot.seen_in.load(Ordering::Acquire) == NOT_SEEN {
            self.slot.completion.wait(timeout)?;
            self.slot.seen();
        }
        self.bytes()
    }

    /// How many bytes it is about.
    pub fn size(&self) -> usize {
        self.slot.size
    }

    /// How far the recording has come that the bytes come from.
    pub fn completion(&self) -> &Completion {
        &self.slot.completion
    }

    /// Calls of [`Readbacks::next_frame`] between recording it and the first poll or wait that had the bytes, or until now while none had.
    pub fn latency_frames(&self) -> u64 {
        let until = match self.slot.seen_in.load(Ordering::Acquire) {
            NOT_SEEN => self.slot.pool.frame(),
            frame => frame,
        };
        until.saturating_sub(self.slot.recorded_in)
    }

    fn bytes(&self) -> Result<ReadbackBytes, Error> {
        let slot = &self.slot;
        // SAFETY: the work is done and ended with a barrier to the host. A buffer of the pool is used by nobody else until the slot goes, and its recording is
        // submitted once; of any other the caller of `read_in_place` has promised the same.
        let bytes = unsafe { slot.buffer.mapped_bytes(slot.offset, slot.size) }?;
        Ok(ReadbackBytes { bytes: NonNull::from(bytes), _slot: Arc::clone(slot) })
    }
}

/// Gives the bytes, or the error that [`Readback::poll`] would. Can be polled again after that, and gives the same.
impl Future for Readback {
    type Output = Result<ReadbackBytes, Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        let answer = match Self::poll(this) {
            Ok(None) => {
                let waiter = this.slot.pool.waiter();
                let id = *this.awaited.get_or_insert_with(|| waiter.new_id());
                match waiter.register(id, &this.slot.completion, context.waker()) {
                    Ok(()) => return Poll::Pending,
                    Err(error) => Err(error),
                }
            }
            Ok(Some(bytes)) => Ok(bytes),
            Err(error) => Err(error),
        };
        Poll::Ready(answer)
    }
}

impl Drop for Readback {
    fn drop(&mut self) {
        if let Some(id) = self.awaited {
            self.slot.pool.waiter().forget(id);
        }
    }
}

impl Slot {
    /// The bytes are there, and the frame is remembered in which that was first noticed.
    fn seen(&self) {
        let _ = self.seen_in.compare_exchange(NOT_SEEN, self.pool.frame(), Ordering::AcqRel, Ordering::Acquire);
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        if self.pooled {
            self.pool.give_back(&self.buffer, &self.completion);
        }
    }
}
