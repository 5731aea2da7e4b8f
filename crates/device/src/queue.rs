//! The queues that work is submitted to.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use ash::vk;

use crate::timeline::Timeline;

/// What a queue is used for. A device has a queue of its own for a role only where its hardware has one to spare; the others share that of
/// [`QueueRole::Compute`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum QueueRole {
    /// Compute and copies: the queue that every device has.
    #[default]
    Compute,
    /// Compute beside the first queue, of the same family where it has several queues.
    AsyncCompute,
    /// Copies beside both.
    Transfer,
}

/// A lock of the caller's around a queue that Wavelane shares with the caller.
///
/// An engine with a mutex of its own implements this for what holds it; `std::sync::Mutex<()>` has it already.
pub trait QueueLock: Send + Sync {
    /// Runs `action` while nobody else uses the queue.
    fn run_locked(&self, action: &mut dyn FnMut());
}

impl QueueLock for Mutex<()> {
    fn run_locked(&self, action: &mut dyn FnMut()) {
        let _held = self.lock().unwrap_or_else(PoisonError::into_inner);
        action();
    }
}

/// A queue, and how to find it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QueuePlace {
    pub(crate) raw: vk::Queue,
    pub(crate) family: u32,
    pub(crate) index: u32,
    pub(crate) flags: vk::QueueFlags,
    pub(crate) timestamp_valid_bits: u32,
}

/// A queue of a device. Vulkan wants one thread at a time on it, so whoever calls Vulkan with it does so within [`Queue::locked`].
pub struct Queue {
    place: QueuePlace,
    lock: Mutex<()>,
    shared: Option<Arc<dyn QueueLock>>,
    timeline: Timeline,
}

impl fmt::Debug for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Queue").field("place", &self.place).field("shared", &self.shared.is_some()).finish_non_exhaustive()
    }
}

impl Queue {
    pub(crate) fn new(place: QueuePlace, shared: Option<Arc<dyn QueueLock>>, timeline: Timeline) -> Self {
        Self { place, lock: Mutex::new(()), shared, timeline }
    }

    /// Vulkan's handle. Calls that need it externally synchronised stand within [`Queue::locked`].
    pub fn raw(&self) -> vk::Queue {
        self.place.raw
    }

    /// Index of its family.
    pub fn family(&self) -> u32 {
        self.place.family
    }

    /// Its index within the family.
    pub fn index(&self) -> u32 {
        self.place.index
    }

    /// What it can do.
    pub fn flags(&self) -> vk::QueueFlags {
        self.place.flags
    }

    /// Bits of its timestamps that count; 0 where it has none.
    pub fn timestamp_valid_bits(&self) -> u32 {
        self.place.timestamp_valid_bits
    }

    /// The timeline semaphore that counts this queue's submissions, to be waited for by a caller's own submissions at a
    /// [`SyncPoint::value`](crate::SyncPoint::value). Null where the device has no timeline semaphores.
    pub fn timeline_semaphore(&self) -> vk::Semaphore {
        self.timeline.semaphore()
    }

    pub(crate) fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    /// Destroys the timeline. Nothing may be in flight.
    pub(crate) fn destroy(&mut self, device: &ash::Device) {
        self.timeline.destroy(device);
    }

    /// Runs `action` with exclusive use of the queue: no other thread is within this function, and the caller's own lock is held where the
    /// queue is shared under one. Must not be called from within `action`.
    pub fn locked<T>(&self, action: impl FnOnce(vk::Queue) -> T) -> T {
        let _held = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(shared) = &self.shared else { return action(self.place.raw) };
        let mut action = Some(action);
        let mut result = None;
        shared.run_locked(&mut || {
            if let Some(action) = action.take() {
                result = Some(action(self.place.raw));
            }
        });
        match (result, action) {
            (Some(result), _) => result,
            // A lock that does not run what it is given would lose a submission: running it late is the lesser fault.
            (None, Some(action)) => {
                log::error!("a QueueLock returned without running its action; the queue is used without it");
                action(self.place.raw)
            }
            (None, None) => unreachable!("an action that was taken has left its result"),
        }
    }
}
