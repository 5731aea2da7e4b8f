//! Submission to a queue, and waiting for it.

use std::sync::atomic::Ordering;
use std::time::Duration;

use ash::vk;
use smallvec::SmallVec;

use crate::device::Device;
use crate::error::Error;
use crate::queue::QueueRole;
use crate::timeline::SyncPoint;

/// A semaphore to wait for before work begins.
#[derive(Clone, Copy, Debug)]
pub struct SemaphoreWait {
    /// The semaphore, binary or timeline.
    pub semaphore: vk::Semaphore,
    /// The value to wait for; of no meaning for a binary semaphore.
    pub value: u64,
    /// The stages that wait.
    pub stages: vk::PipelineStageFlags,
}

/// A semaphore to signal when work is done.
#[derive(Clone, Copy, Debug)]
pub struct SemaphoreSignal {
    /// The semaphore, binary or timeline.
    pub semaphore: vk::Semaphore,
    /// The value to set; of no meaning for a binary semaphore.
    pub value: u64,
}

/// What to submit in one call.
#[derive(Clone, Copy, Debug, Default)]
pub struct Submit<'a> {
    /// Command buffers, begun in this order.
    pub command_buffers: &'a [vk::CommandBuffer],
    /// Work of this device that must be done before; what it wrote is visible then.
    pub after: &'a [SyncPoint],
    /// The caller's semaphores to wait for.
    pub waits: &'a [SemaphoreWait],
    /// The caller's semaphores to signal.
    pub signals: &'a [SemaphoreSignal],
    /// The caller's fence to signal; null for none.
    pub fence: vk::Fence,
}

impl Device {
    /// Submits to the queue of a role.
    ///
    /// # Errors
    ///
    /// [`Error::DeviceLost`], or what Vulkan returned; nothing was submitted then.
    ///
    /// # Safety
    ///
    /// What `vkQueueSubmit` asks for: the command buffers are ended, of a pool of the queue's family, not in flight unless they may be, and they and
    /// everything they use stay alive until the returned point is reached; semaphores and fence are of this device, alive, and used as
    /// their kind allows; a value to signal is larger than the semaphore's.
    pub unsafe fn submit(&self, role: QueueRole, submit: &Submit<'_>) -> Result<SyncPoint, Error> {
        let number = self.queue_number(role);
        let queue = self.queue_at(number);
        let device = self.raw();
        queue.locked(|raw| {
            let timeline = queue.timeline();
            let value = timeline.next();
            let mut commands = SmallVec::<[vk::CommandBuffer; 8]>::new();
            let mut waits = SmallVec::<[vk::Semaphore; 8]>::new();
            let mut wait_values = SmallVec::<[u64; 8]>::new();
            let mut stages = SmallVec::<[vk::PipelineStageFlags; 8]>::new();
            let mut wait = |semaphore, value, stage| {
                waits.push(semaphore);
                wait_values.push(value);
                stages.push(stage);
            };
            for &point in submit.after {
                self.check_point(point)?;
                if point.queue != number {
                    wait(self.queue_at(point.queue).timeline().semaphore(), point.value, vk::PipelineStageFlags::ALL_COMMANDS);
                } else if commands.is_empty() {
                    // Behind work of the same queue a barrier does what a semaphore would; without timeline semaphores a device has only one. (And a driver that
                    // still holds a semaphore when work that waited for it is done cannot be hurt by the end of the device: Mesa's software queue is such.)
                    commands.push(timeline.barrier(device, queue.family())?);
                }
            }
            for one in submit.waits {
                wait(one.semaphore, one.value, one.stages);
            }
            commands.extend_from_slice(submit.command_buffers);
            let mut signals: SmallVec<[vk::Semaphore; 8]> = submit.signals.iter().map(|signal| signal.semaphore).collect();
            let mut signal_values: SmallVec<[u64; 8]> = submit.signals.iter().map(|signal| signal.value).collect();
            let semaphore = timeline.semaphore();
            let counted = semaphore != vk::Semaphore::null();
            if counted {
                signals.push(semaphore);
                signal_values.push(value);
            }
            let fence = timeline.fence(device)?;
            let mut values =
                vk::TimelineSemaphoreSubmitInfo::default().wait_semaphore_values(&wait_values).signal_semaphore_values(&signal_values);
            let mut info = vk::SubmitInfo::default()
                .wait_semaphores(&waits)
                .wait_dst_stage_mask(&stages)
                .command_buffers(&commands)
                .signal_semaphores(&signals);
            if counted {
                info = info.push_next(&mut values);
            }
            // A submission signals one fence. Where there are two, the caller's goes with the work and ours follows with nothing: a fence covers everything
            // submitted before it, so that once ours is signalled nobody uses the caller's any more.
            let both = fence.is_some() && submit.fence != vk::Fence::null();
            let ours = fence.as_ref().map_or(vk::Fence::null(), |fence| **fence);
            let with_work = if both || fence.is_none() { submit.fence } else { ours };
            // SAFETY: the queue is locked; the rest is the caller's promise. Our own fence is reset and waited for by nobody.
            if let Err(result) = unsafe { device.queue_submit(raw, &[info], with_work) } {
                timeline.refused(fence);
                return Err(self.failed("vkQueueSubmit", result));
            }
            // SAFETY: as above.
            if both && let Err(result) = unsafe { device.queue_submit(raw, &[], ours) } {
                timeline.refused(fence);
                self.finish_without_fence(raw, submit.fence, result)?;
                timeline.finished();
                return Ok(SyncPoint { device: self.number, queue: number, value });
            }
            timeline.submitted(fence);
            Ok(SyncPoint { device: self.number, queue: number, value })
        })
    }

    /// Waits, on the spot, for work that is under way and that no fence of ours will tell the end of, since submitting that failed with `result`.
    fn finish_without_fence(&self, queue: vk::Queue, fence: vk::Fence, result: vk::Result) -> Result<(), Error> {
        let device = self.raw();
        if result != vk::Result::ERROR_DEVICE_LOST {
            log::warn!("a fence could not be submitted ({result:?}), so the work is waited for at once");
            // SAFETY: the caller has the queue locked; the fence is the one that was submitted with the work.
            let idle = unsafe { device.queue_wait_idle(queue).or_else(|_| device.wait_for_fences(&[fence], true, u64::MAX)) };
            match idle {
                Ok(()) => return Ok(()),
                Err(result) => return Err(self.failed("vkQueueWaitIdle", result)),
            }
        }
        Err(self.failed("vkQueueSubmit", result))
    }

    /// Waits until the work is done. Sleeps in the driver; nothing spins.
    ///
    /// # Errors
    ///
    /// [`Error::Timeout`], after which it can be waited for again, [`Error::DeviceLost`], or what Vulkan returned.
    pub fn wait(&self, point: SyncPoint, timeout: Duration) -> Result<(), Error> {
        if self.reached(point, timeout)? { Ok(()) } else { Err(Error::Timeout { waited: timeout }) }
    }

    /// Whether the work is done, without waiting.
    ///
    /// # Errors
    ///
    /// [`Error::DeviceLost`], or what Vulkan returned.
    pub fn is_done(&self, point: SyncPoint) -> Result<bool, Error> {
        self.reached(point, Duration::ZERO)
    }

    fn reached(&self, point: SyncPoint, timeout: Duration) -> Result<bool, Error> {
        if self.is_lost() {
            return Err(Error::DeviceLost { call: "an earlier call" });
        }
        self.check_point(point)?;
        let reached = self.queue_at(point.queue).timeline().wait(self.raw(), point.value, timeout);
        reached.inspect_err(|error| {
            if matches!(error, Error::DeviceLost { .. }) {
                self.lost.store(true, Ordering::Release);
            }
        })
    }

    /// Whether a call has noticed that the device is lost. It works on nothing any more, and every wait fails at once.
    pub fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Acquire)
    }

    /// Says that the device is lost, where a call of the caller's own noticed it: on a device that both use. Every wait fails at once from then on, instead
    /// of running into its time limit.
    ///
    /// # Safety
    ///
    /// A call on this device returned `VK_ERROR_DEVICE_LOST`. What work in flight uses is freed from then on without waiting for it.
    pub unsafe fn set_lost(&self) {
        self.lost.store(true, Ordering::Release);
    }

    /// The last point given out on the queue of a role; `None` before the first.
    pub fn last_submitted(&self, role: QueueRole) -> Option<SyncPoint> {
        let queue = self.queue_number(role);
        let value = self.queue_at(queue).timeline().last();
        (value > 0).then_some(SyncPoint { device: self.number, queue, value })
    }

    /// The point on the queue of a role with this value, as its timeline counts; `None` where no submission was given it yet. So there is none to wait for that
    /// may never be reached.
    pub fn sync_point(&self, role: QueueRole, value: u64) -> Option<SyncPoint> {
        let queue = self.queue_number(role);
        let given = 1..=self.queue_at(queue).timeline().last();
        given.contains(&value).then_some(SyncPoint { device: self.number, queue, value })
    }

    fn check_point(&self, point: SyncPoint) -> Result<(), Error> {
        if point.device == self.number { Ok(()) } else { Err(Error::ForeignSyncPoint) }
    }

    /// The error of a call, remembering device loss.
    pub(crate) fn failed(&self, call: &'static str, result: vk::Result) -> Error {
        if result == vk::Result::ERROR_DEVICE_LOST {
            self.lost.store(true, Ordering::Release);
        }
        Error::vulkan(call, result)
    }
}
