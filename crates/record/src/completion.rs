//! How far a recording has come, for those who depend on it: readbacks, staging memory, a caller's own.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use wavelane_device::{Device, QueueRole, SyncPoint};

use crate::error::Error;
use crate::readback::Waiter;

/// How far a recording has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It is being recorded, or was not submitted yet.
    Recording,
    /// It was submitted, and the device is not done.
    InFlight,
    /// The device is done.
    Done,
    /// It was reset or dropped without being submitted: it will never be done.
    Abandoned,
}

/// How far a recording has come, from [`Recorder::completion`](crate::Recorder::completion). Cloning gives another handle to the same.
///
/// **Threads.** Any thread may ask and wait, while another records, submits and resets.
#[derive(Clone)]
pub struct Completion {
    inner: Arc<Inner>,
}

struct Inner {
    device: Arc<Device>,
    queue: QueueRole,
    /// [`RECORDING`], [`ABANDONED`], [`DONE`], or the value of the last submission.
    state: AtomicU64,
    /// Threads that wait for it to be submitted or abandoned, for neither of which Vulkan can be asked.
    watchers: Mutex<Vec<Arc<Waiter>>>,
    /// The pipeline dispatched last, by name: what the device may have died of.
    last_dispatch: Mutex<Option<Arc<str>>>,
}

const RECORDING: u64 = 0;
const ABANDONED: u64 = u64::MAX;
/// A caller's command buffer that the caller says is done.
const DONE: u64 = u64::MAX - 1;

impl fmt::Debug for Completion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Completion").field("status", &self.status()).finish_non_exhaustive()
    }
}

impl Completion {
    pub(crate) fn new(device: &Arc<Device>, queue: QueueRole) -> Self {
        let (device, state) = (Arc::clone(device), AtomicU64::new(RECORDING));
        Self { inner: Arc::new(Inner { device, queue, state, watchers: Mutex::default(), last_dispatch: Mutex::default() }) }
    }

    /// How far it has come, without waiting.
    ///
    /// # Errors
    ///
    /// [`Error::DeviceLost`], or what Vulkan returned.
    pub fn status(&self) -> Result<Status, Error> {
        match self.inner.state.load(Ordering::Acquire) {
            RECORDING => Ok(Status::Recording),
            ABANDONED => Ok(Status::Abandoned),
            DONE => Ok(Status::Done),
            _ => match self.sync_point() {
                Some(point) if !self.inner.device.is_done(point).map_err(|error| self.named(error))? => Ok(Status::InFlight),
                _ => Ok(Status::Done),
            },
        }
    }

    /// Waits until the device is done with it.
    ///
    /// # Errors
    ///
    /// [`Error::NotSubmitted`] and [`Error::Abandoned`] where waiting would never end, [`Error::Timeout`], [`Error::DeviceLost`], or what Vulkan returned.
    pub fn wait(&self, timeout: Duration) -> Result<(), Error> {
        match self.inner.state.load(Ordering::Acquire) {
            RECORDING => Err(Error::NotSubmitted),
            ABANDONED => Err(Error::Abandoned),
            DONE => Ok(()),
            _ => match self.sync_point() {
                Some(point) => self.inner.device.wait(point, timeout).map_err(|error| self.named(error)),
                None => Ok(()),
            },
        }
    }

    /// The point at which it is done; `None` until it is submitted. Of a recording submitted more than once, that of the last submission.
    pub fn sync_point(&self) -> Option<SyncPoint> {
        match self.inner.state.load(Ordering::Acquire) {
            RECORDING | ABANDONED | DONE => None,
            value => self.inner.device.sync_point(self.inner.queue, value),
        }
    }

    /// The device it is recorded for.
    pub fn device(&self) -> &Arc<Device> {
        &self.inner.device
    }

    /// Whether both are of the same recording.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    /// Tells a waiting thread when it is submitted or abandoned.
    pub(crate) fn watch(&self, waiter: &Arc<Waiter>) {
        let mut watchers = self.inner.watchers.lock().unwrap_or_else(PoisonError::into_inner);
        if !watchers.iter().any(|known| Arc::ptr_eq(known, waiter)) {
            watchers.push(Arc::clone(waiter));
        }
    }

    fn tell(&self) {
        let watchers = std::mem::take(&mut *self.inner.watchers.lock().unwrap_or_else(PoisonError::into_inner));
        watchers.iter().for_each(|waiter| waiter.look());
    }

    /// The device's error; its loss named after the last dispatch.
    fn named(&self, error: wavelane_device::Error) -> Error {
        let last = self.inner.last_dispatch.lock().unwrap_or_else(PoisonError::into_inner);
        Error::from(error).after(last.as_deref())
    }

    pub(crate) fn submitted(&self, point: SyncPoint, last_dispatch: Option<&Arc<str>>) {
        *self.inner.last_dispatch.lock().unwrap_or_else(PoisonError::into_inner) = last_dispatch.cloned();
        self.inner.state.store(point.value(), Ordering::Release);
        self.tell();
    }

    pub(crate) fn done(&self) {
        self.inner.state.store(DONE, Ordering::Release);
        self.tell();
    }

    /// Ends it if it was never submitted, and gives one for the next recording: the same, where nobody else holds it.
    pub(crate) fn renew(&mut self) {
        if Arc::strong_count(&self.inner) == 1 {
            self.inner.state.store(RECORDING, Ordering::Release);
            return;
        }
        self.abandon();
        *self = Self::new(&self.inner.device, self.inner.queue);
    }

    pub(crate) fn abandon(&self) {
        // Whoever holds it may look at the same time; only an unsubmitted one changes.
        let _ = self.inner.state.compare_exchange(RECORDING, ABANDONED, Ordering::AcqRel, Ordering::Acquire);
        self.tell();
    }
}
