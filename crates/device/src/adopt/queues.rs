//! Queues that a caller lends, and whether they can be what they are said to be.

use std::fmt;
use std::sync::Arc;

use ash::vk;

use crate::error::Error;
use crate::queue::{QueueLock, QueuePlace, QueueRole};

/// A caller's queue.
#[derive(Clone)]
pub struct AdoptedQueue {
    /// Vulkan's handle.
    pub queue: vk::Queue,
    /// Index of its family.
    pub family: u32,
    /// Its index within the family.
    pub index: u32,
    /// What Wavelane uses it for.
    pub role: QueueRole,
    /// The lock that whoever uses the queue holds; `None` where Wavelane has the queue for itself.
    pub lock: Option<Arc<dyn QueueLock>>,
}

impl fmt::Debug for AdoptedQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (place, lock) = ((self.family, self.index), self.lock.is_some());
        f.debug_struct("AdoptedQueue")
            .field("queue", &self.queue)
            .field("place", &place)
            .field("role", &self.role)
            .field("lock", &lock)
            .finish()
    }
}

/// What is wrong with a queue that was lent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum QueueFault {
    /// The handle is null.
    #[error("its handle is null")]
    Null,
    /// There is no such family.
    #[error("the device has only {families} queue families")]
    Family {
        /// Families that there are.
        families: u32,
    },
    /// The family has not so many queues.
    #[error("the family has only {queues} queues")]
    Index {
        /// Queues that the family has.
        queues: u32,
    },
    /// The family cannot compute.
    #[error("its family cannot compute (it has no VK_QUEUE_COMPUTE_BIT)")]
    CannotCompute,
    /// The family cannot copy.
    #[error("its family cannot copy (it has none of VK_QUEUE_TRANSFER_BIT, VK_QUEUE_COMPUTE_BIT and VK_QUEUE_GRAPHICS_BIT)")]
    CannotCopy,
    /// The queue was lent before, under another role.
    #[error("it is lent as {role:?}, too")]
    LentTwice {
        /// The other role.
        role: QueueRole,
    },
    /// There is another queue for the role.
    #[error("another queue has that role")]
    RoleTaken,
}

pub(super) type LentQueue = (QueuePlace, QueueRole, Option<Arc<dyn QueueLock>>);

/// The queues, that of compute first.
pub(super) fn check_queues(families: &[vk::QueueFamilyProperties], lent: &[AdoptedQueue]) -> Result<Vec<LentQueue>, Error> {
    let mut queues = Vec::with_capacity(lent.len());
    for (number, queue) in lent.iter().enumerate() {
        let &AdoptedQueue { queue: raw, family, index, role, .. } = queue;
        let properties =
            check_queue(families, queue, &lent[..number]).map_err(|fault| Error::AdoptedQueue { role, family, index, fault })?;
        let place = QueuePlace { raw, family, index, flags: properties.queue_flags, timestamp_valid_bits: properties.timestamp_valid_bits };
        queues.push((place, role, queue.lock.clone()));
    }
    queues.sort_by_key(|&(_, role, _)| role as usize);
    match queues.first() {
        Some((_, QueueRole::Compute, _)) => Ok(queues),
        _ => Err(Error::NoAdoptedQueue),
    }
}

fn check_queue(
    families: &[vk::QueueFamilyProperties],
    queue: &AdoptedQueue,
    before: &[AdoptedQueue],
) -> Result<vk::QueueFamilyProperties, QueueFault> {
    let copies = vk::QueueFlags::TRANSFER | vk::QueueFlags::COMPUTE | vk::QueueFlags::GRAPHICS;
    let properties = families.get(queue.family as usize).ok_or(QueueFault::Family { families: families.len() as u32 })?;
    if queue.index >= properties.queue_count {
        return Err(QueueFault::Index { queues: properties.queue_count });
    }
    if queue.role != QueueRole::Transfer && !properties.queue_flags.contains(vk::QueueFlags::COMPUTE) {
        return Err(QueueFault::CannotCompute);
    }
    if !properties.queue_flags.intersects(copies) {
        return Err(QueueFault::CannotCopy);
    }
    if queue.queue == vk::Queue::null() {
        return Err(QueueFault::Null);
    }
    // Two locks of one queue would keep nobody out.
    if let Some(same) = before.iter().find(|other| other.queue == queue.queue || (other.family, other.index) == (queue.family, queue.index))
    {
        return Err(QueueFault::LentTwice { role: same.role });
    }
    if before.iter().any(|other| other.role == queue.role) {
        return Err(QueueFault::RoleTaken);
    }
    Ok(*properties)
}
