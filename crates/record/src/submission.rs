//! Work on its way through the device.

use std::fmt;
use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ash::vk;
use wavelane_device::Device;

use crate::error::Error;
use crate::resources::Resources;
use crate::timing::{self, Span, Timing};

/// How long dropping a submission waits before it gives the device up and leaks what it may still use.
const PATIENCE: Duration = Duration::from_secs(10);

/// The fence of one submission, shared with the recorder so that it knows when it may be reset.
pub(crate) struct Flight {
    device: Arc<Device>,
    fence: vk::Fence,
    done: AtomicBool,
}

impl Flight {
    /// Submits an ended command buffer.
    pub(crate) fn submit(device: &Arc<Device>, commands: vk::CommandBuffer) -> Result<Arc<Self>, Error> {
        // SAFETY: the device is alive.
        let fence = unsafe { device.raw().create_fence(&vk::FenceCreateInfo::default(), None) }
            .map_err(|result| Error::vulkan("vkCreateFence", result))?;
        // Until the submission is under way, the fence may be destroyed at any time.
        let flight = Self { device: Arc::clone(device), fence, done: AtomicBool::new(true) };
        let commands = [commands];
        let submits = [vk::SubmitInfo::default().command_buffers(&commands)];
        {
            let queue = device.queue().lock();
            // SAFETY: the queue is locked; the command buffer is ended, of a pool of the queue's family, and not in flight; the fence is new.
            unsafe { device.raw().queue_submit(queue.raw(), &submits, fence) }.map_err(|result| Error::vulkan("vkQueueSubmit", result))?;
        }
        flight.done.store(false, Ordering::Release);
        Ok(Arc::new(flight))
    }

    pub(crate) fn wait(&self, timeout: Duration) -> Result<(), Error> {
        if self.done.load(Ordering::Acquire) {
            return Ok(());
        }
        let nanoseconds = u64::try_from(timeout.as_nanos()).unwrap_or(u64::MAX);
        // SAFETY: the fence is of this device, and alive as long as this.
        match unsafe { self.device.raw().wait_for_fences(&[self.fence], true, nanoseconds) } {
            Ok(()) => {
                self.done.store(true, Ordering::Release);
                Ok(())
            }
            Err(vk::Result::TIMEOUT) => Err(Error::Timeout { waited: timeout }),
            Err(result) => {
                // A lost device works on nothing any more.
                self.done.store(result == vk::Result::ERROR_DEVICE_LOST, Ordering::Release);
                Err(Error::vulkan("vkWaitForFences", result))
            }
        }
    }

    /// Whether the device is done, without waiting.
    pub(crate) fn done(&self) -> bool {
        self.done.load(Ordering::Acquire) || self.wait(Duration::ZERO).is_ok()
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        // SAFETY: a submission that is not done is leaked, its flight with it, so the fence is not in use.
        unsafe { self.device.raw().destroy_fence(self.fence, None) };
    }
}

/// Work that was submitted. Dropping it waits for the device for up to ten seconds; after that, what the device may still use is leaked rather
/// than freed under it.
pub struct Submission {
    flight: Arc<Flight>,
    resources: Arc<Resources>,
    device: Arc<Device>,
    spans: Vec<Span>,
    timings: Mutex<Option<Vec<Timing>>>,
    last_dispatch: Option<String>,
}

impl fmt::Debug for Submission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Submission").field("fence", &self.flight.fence).field("done", &self.flight.done).finish_non_exhaustive()
    }
}

impl Submission {
    pub(crate) fn new(
        device: &Arc<Device>,
        flight: &Arc<Flight>,
        resources: &Arc<Resources>,
        spans: Vec<Span>,
        last_dispatch: Option<String>,
    ) -> Self {
        Self {
            flight: Arc::clone(flight),
            resources: Arc::clone(resources),
            device: Arc::clone(device),
            spans,
            timings: Mutex::new(None),
            last_dispatch,
        }
    }

    /// Waits until the device is done. After a time-out everything stays valid, and the submission can be waited for again.
    ///
    /// # Errors
    ///
    /// [`Error::Timeout`], [`Error::DeviceLost`], or what Vulkan returned.
    pub fn wait(&self, timeout: Duration) -> Result<(), Error> {
        let mut timings = self.timings.lock().unwrap_or_else(PoisonError::into_inner);
        self.flight.wait(timeout).map_err(|error| {
            if error.is_device_lost() { Error::DeviceLost { last_dispatch: self.last_dispatch.clone() } } else { error }
        })?;
        // Read now, since the recorder may be reset and reuse its queries from here on.
        if timings.is_none() {
            *timings = Some(timing::read(&self.device, &self.spans));
        }
        Ok(())
    }

    /// Whether the device is done, without waiting.
    pub fn is_done(&self) -> bool {
        self.wait(Duration::ZERO).is_ok()
    }

    /// Times of the spans between [`Recorder::begin_timing`](crate::Recorder::begin_timing) and
    /// [`Recorder::end_timing`](crate::Recorder::end_timing), in the order of their beginnings. Without figures until the submission was waited for.
    pub fn timings(&self) -> Vec<Timing> {
        let timings = self.timings.lock().unwrap_or_else(PoisonError::into_inner);
        timings.clone().unwrap_or_else(|| self.spans.iter().map(|span| Timing { label: span.label.clone(), nanoseconds: None }).collect())
    }

    /// Vulkan's fence, signalled when the work is done. It belongs to the submission.
    pub fn fence(&self) -> vk::Fence {
        self.flight.fence
    }
}

impl Drop for Submission {
    fn drop(&mut self) {
        match self.flight.wait(PATIENCE) {
            Ok(()) => {}
            Err(error) if error.is_device_lost() => log::error!("a submission was dropped: {error}"),
            Err(error) => {
                log::error!("a submission was dropped, and what it uses is leaked: {error}");
                mem::forget(Arc::clone(&self.resources));
                mem::forget(Arc::clone(&self.flight));
            }
        }
    }
}
