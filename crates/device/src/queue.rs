//! The queue that work is submitted to.

use std::sync::{Mutex, MutexGuard, PoisonError};

use ash::vk;

use crate::adapter::QueueFamilyChoice;

/// A device's compute queue. Vulkan wants one thread at a time on it, so what submits holds [`Queue::lock`].
#[derive(Debug)]
pub struct Queue {
    raw: vk::Queue,
    choice: QueueFamilyChoice,
    lock: Mutex<()>,
}

/// Exclusive use of a [`Queue`], until dropped.
#[derive(Debug)]
pub struct QueueGuard<'a> {
    raw: vk::Queue,
    _held: MutexGuard<'a, ()>,
}

impl Queue {
    pub(crate) fn new(raw: vk::Queue, choice: QueueFamilyChoice) -> Self {
        Self { raw, choice, lock: Mutex::new(()) }
    }

    /// Vulkan's handle. Calls that need it externally synchronised must hold [`Queue::lock`].
    pub fn raw(&self) -> vk::Queue {
        self.raw
    }

    /// Index of its family.
    pub fn family(&self) -> u32 {
        self.choice.family
    }

    /// Its index within the family.
    pub fn index(&self) -> u32 {
        0
    }

    /// What it can do.
    pub fn flags(&self) -> vk::QueueFlags {
        self.choice.flags
    }

    /// Bits of its timestamps that count; 0 where it has none.
    pub fn timestamp_valid_bits(&self) -> u32 {
        self.choice.timestamp_valid_bits
    }

    /// Waits for exclusive use of the queue.
    pub fn lock(&self) -> QueueGuard<'_> {
        QueueGuard { raw: self.raw, _held: self.lock.lock().unwrap_or_else(PoisonError::into_inner) }
    }
}

impl QueueGuard<'_> {
    /// Vulkan's handle, free for use while the guard lives.
    pub fn raw(&self) -> vk::Queue {
        self.raw
    }
}
