//! When a queue is done with what it was given: a timeline semaphore, or a fence a submission where the device has none.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ash::vk;

use crate::error::Error;

/// Everything submitted to a queue up to one submission. Values of a queue grow from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SyncPoint {
    /// The number of the device, so that one of another is noticed.
    pub(crate) device: u32,
    pub(crate) queue: u32,
    pub(crate) value: u64,
}

impl SyncPoint {
    /// The queue's place among the device's queues.
    pub fn queue(self) -> u32 {
        self.queue
    }

    /// What the queue's timeline semaphore is at when the work is done.
    pub fn value(self) -> u64 {
        self.value
    }
}

/// `vkWaitSemaphores` and `vkGetSemaphoreCounterValue`, of core Vulkan 1.2 or of the extension.
#[derive(Clone, Copy)]
pub(crate) struct TimelineFunctions {
    pub(crate) wait: vk::PFN_vkWaitSemaphores,
    pub(crate) value: vk::PFN_vkGetSemaphoreCounterValue,
}

/// Counts the submissions of one queue, and knows which are done.
pub(crate) struct Timeline {
    kind: Kind,
    /// The last value given to a submission.
    submitted: AtomicU64,
    /// The last value known to be done.
    done: AtomicU64,
    /// Made when it is first needed.
    barrier: Mutex<Option<(vk::CommandPool, vk::CommandBuffer)>>,
}

enum Kind {
    Semaphore(vk::Semaphore, TimelineFunctions),
    Fences(Mutex<Fences>),
}

/// Fences by the value that they stand for. One is shared with each thread that waits for it, and used again when nobody does.
#[derive(Default)]
struct Fences {
    pending: VecDeque<(u64, Arc<vk::Fence>)>,
    waited_for: Vec<Arc<vk::Fence>>,
    free: Vec<Arc<vk::Fence>>,
}

impl Timeline {
    /// By a timeline semaphore where the device has the functions for it.
    pub(crate) fn new(device: &ash::Device, functions: Option<TimelineFunctions>) -> Result<Self, Error> {
        let kind = match functions {
            Some(functions) => {
                let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE).initial_value(0);
                // SAFETY: the device is alive and has timeline semaphores enabled.
                let semaphore = unsafe { device.create_semaphore(&vk::SemaphoreCreateInfo::default().push_next(&mut kind), None) }
                    .map_err(|result| Error::vulkan("vkCreateSemaphore", result))?;
                Kind::Semaphore(semaphore, functions)
            }
            None => Kind::Fences(Mutex::default()),
        };
        Ok(Self { kind, submitted: AtomicU64::new(0), done: AtomicU64::new(0), barrier: Mutex::default() })
    }

    pub(crate) fn semaphore(&self) -> vk::Semaphore {
        match &self.kind {
            Kind::Semaphore(semaphore, _) => *semaphore,
            Kind::Fences(_) => vk::Semaphore::null(),
        }
    }

    /// The value of the next submission. Called, like everything about submitting, by whoever has the queue locked.
    pub(crate) fn next(&self) -> u64 {
        self.submitted.load(Ordering::Acquire) + 1
    }

    /// The last value given out.
    pub(crate) fn last(&self) -> u64 {
        self.submitted.load(Ordering::Acquire)
    }

    /// The fence that the next submission must signal; none where the semaphore does that.
    pub(crate) fn fence(&self, device: &ash::Device) -> Result<Option<Arc<vk::Fence>>, Error> {
        let Kind::Fences(fences) = &self.kind else { return Ok(None) };
        let mut fences = lock(fences);
        if let Some(fence) = fences.free.pop() {
            return Ok(Some(fence));
        }
        // SAFETY: the device is alive.
        let fence = unsafe { device.create_fence(&vk::FenceCreateInfo::default(), None) }
            .map_err(|result| Error::vulkan("vkCreateFence", result))?;
        Ok(Some(Arc::new(fence)))
    }

    /// The submission with the next value is under way, and signals this fence.
    pub(crate) fn submitted(&self, fence: Option<Arc<vk::Fence>>) {
        let value = self.next();
        if let (Kind::Fences(fences), Some(fence)) = (&self.kind, fence) {
            lock(fences).pending.push_back((value, fence));
        }
        self.submitted.store(value, Ordering::Release);
    }

    /// The submission with the next value is done already.
    pub(crate) fn finished(&self) {
        let value = self.next();
        self.submitted.store(value, Ordering::Release);
        self.done.fetch_max(value, Ordering::AcqRel);
    }

    /// The submission came to nothing: its fence is as good as new.
    pub(crate) fn refused(&self, fence: Option<Arc<vk::Fence>>) {
        if let (Kind::Fences(fences), Some(fence)) = (&self.kind, fence) {
            lock(fences).free.push(fence);
        }
    }

    /// A command buffer with one barrier, everything before to everything after: what a semaphore would do between two submissions of a queue.
    pub(crate) fn barrier(&self, device: &ash::Device, family: u32) -> Result<vk::CommandBuffer, Error> {
        let mut barrier = self.barrier.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, commands) = match *barrier {
            Some(recorded) => recorded,
            None => *barrier.insert(record_barrier(device, family)?),
        };
        Ok(commands)
    }

    /// Waits until the value is reached. `Ok(false)` after the time-out.
    pub(crate) fn wait(&self, device: &ash::Device, value: u64, timeout: Duration) -> Result<bool, Error> {
        if self.done.load(Ordering::Acquire) >= value {
            return Ok(true);
        }
        let nanoseconds = u64::try_from(timeout.as_nanos()).unwrap_or(u64::MAX);
        let reached = match &self.kind {
            Kind::Semaphore(semaphore, functions) => self.wait_for_semaphore(device, *semaphore, *functions, value, nanoseconds)?,
            Kind::Fences(fences) => wait_for_fence(device, fences, value, nanoseconds)?,
        };
        if let Some(reached) = reached {
            self.done.fetch_max(reached, Ordering::AcqRel);
            self.recycle(device);
        }
        Ok(reached.is_some_and(|reached| reached >= value))
    }

    /// The value that the semaphore is seen at, if the wait is over.
    fn wait_for_semaphore(
        &self,
        device: &ash::Device,
        semaphore: vk::Semaphore,
        functions: TimelineFunctions,
        value: u64,
        nanoseconds: u64,
    ) -> Result<Option<u64>, Error> {
        if nanoseconds == 0 {
            let mut now = 0;
            // SAFETY: the semaphore is a timeline of this device, which is alive.
            return match unsafe { (functions.value)(device.handle(), semaphore, &raw mut now) } {
                vk::Result::SUCCESS => Ok(Some(now)),
                result => Err(Error::vulkan("vkGetSemaphoreCounterValue", result)),
            };
        }
        let (semaphores, values) = ([semaphore], [value]);
        let info = vk::SemaphoreWaitInfo::default().semaphores(&semaphores).values(&values);
        // SAFETY: as above; `info` and what it points to live until the call returns.
        match unsafe { (functions.wait)(device.handle(), &raw const info, nanoseconds) } {
            vk::Result::SUCCESS => Ok(Some(value)),
            vk::Result::TIMEOUT => Ok(None),
            result => Err(Error::vulkan("vkWaitSemaphores", result)),
        }
    }

    /// Takes back the fences of values that are done and that no thread waits for.
    fn recycle(&self, device: &ash::Device) {
        let Kind::Fences(fences) = &self.kind else { return };
        let done = self.done.load(Ordering::Acquire);
        let fences = &mut *lock(fences);
        while fences.pending.front().is_some_and(|&(value, _)| value <= done) {
            fences.waited_for.extend(fences.pending.pop_front().map(|(_, fence)| fence));
        }
        let mut index = 0;
        while let Some(fence) = fences.waited_for.get(index) {
            // Others find a fence only in the list, under the lock: a count of one cannot grow again.
            if Arc::strong_count(fence) > 1 {
                index += 1;
                continue;
            }
            let fence = fences.waited_for.swap_remove(index);
            // SAFETY: the fence is of this device, its submission is done, and nobody waits for it.
            match unsafe { device.reset_fences(&[*fence]) } {
                Ok(()) => fences.free.push(fence),
                // SAFETY: as above.
                Err(_) => unsafe { device.destroy_fence(*fence, None) },
            }
        }
    }

    /// Destroys what the timeline is made of. Nothing may be in flight, and nobody may wait.
    pub(crate) fn destroy(&mut self, device: &ash::Device) {
        let barrier = self.barrier.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        // SAFETY: nothing in flight uses them, as the caller promises; each is destroyed once.
        unsafe {
            if let Some((pool, _)) = barrier {
                device.destroy_command_pool(pool, None);
            }
            match &mut self.kind {
                Kind::Semaphore(semaphore, _) => device.destroy_semaphore(std::mem::take(semaphore), None),
                Kind::Fences(fences) => {
                    let fences = std::mem::take(fences.get_mut().unwrap_or_else(PoisonError::into_inner));
                    let pending = fences.pending.into_iter().map(|(_, fence)| fence);
                    pending.chain(fences.waited_for).chain(fences.free).for_each(|fence| device.destroy_fence(*fence, None));
                }
            }
        }
    }
}

fn lock(fences: &Mutex<Fences>) -> MutexGuard<'_, Fences> {
    fences.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The value that is known to be reached, if any new one is.
fn wait_for_fence(device: &ash::Device, fences: &Mutex<Fences>, value: u64, nanoseconds: u64) -> Result<Option<u64>, Error> {
    // A fence is signalled when its submission and all before it are done, so the first that is late enough will do.
    let found = lock(fences).pending.iter().find(|&&(at, _)| at >= value).map(|(at, fence)| (*at, Arc::clone(fence)));
    // Values are taken out of the list only when they are done.
    let Some((at, fence)) = found else { return Ok(Some(value)) };
    // SAFETY: the fence is of this device, and this handle to it keeps it from being reset or destroyed.
    match unsafe { device.wait_for_fences(&[*fence], true, nanoseconds) } {
        Ok(()) => Ok(Some(at)),
        Err(vk::Result::TIMEOUT) => Ok(None),
        Err(result) => Err(Error::vulkan("vkWaitForFences", result)),
    }
}

fn record_barrier(device: &ash::Device, family: u32) -> Result<(vk::CommandPool, vk::CommandBuffer), Error> {
    let info = vk::CommandPoolCreateInfo::default().queue_family_index(family);
    // SAFETY: the device is alive and has a queue of that family.
    let pool = unsafe { device.create_command_pool(&info, None) }.map_err(|result| Error::vulkan("vkCreateCommandPool", result))?;
    let record = || -> Result<vk::CommandBuffer, Error> {
        let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
        // SAFETY: the pool was just made, and is used by this thread alone.
        let commands =
            unsafe { device.allocate_command_buffers(&info) }.map_err(|result| Error::vulkan("vkAllocateCommandBuffers", result))?;
        let commands = commands.first().copied().unwrap_or_default();
        let info = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::SIMULTANEOUS_USE);
        let everything = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
        let memory = [vk::MemoryBarrier::default().src_access_mask(vk::AccessFlags::MEMORY_WRITE).dst_access_mask(everything)];
        let stage = vk::PipelineStageFlags::ALL_COMMANDS;
        // SAFETY: the command buffer is new and used by this thread alone.
        unsafe {
            device.begin_command_buffer(commands, &info).map_err(|result| Error::vulkan("vkBeginCommandBuffer", result))?;
            device.cmd_pipeline_barrier(commands, stage, stage, vk::DependencyFlags::empty(), &memory, &[], &[]);
            device.end_command_buffer(commands).map_err(|result| Error::vulkan("vkEndCommandBuffer", result))?;
        }
        Ok(commands)
    };
    match record() {
        Ok(commands) => Ok((pool, commands)),
        Err(error) => {
            // SAFETY: nothing of the pool was submitted.
            unsafe { device.destroy_command_pool(pool, None) };
            Err(error)
        }
    }
}
