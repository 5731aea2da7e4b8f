//! Work on its way through the device.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use wavelane_device::{Device, SyncPoint};

use crate::error::Error;
use crate::pipeline::ComputePipeline;
use crate::profile::{DispatchProfile, Measured, Readings};
use crate::resources::Resources;
use crate::timing::Timing;

/// Work that was submitted.
///
/// Dropping it waits for nothing as long as its recorder or sequence lives; the last of them to go waits for the device for up to ten seconds, and
/// leaks what the device still uses after that rather than free it.
///
/// **Threads.** Several may wait for it at once, whoever submitted it. A wait sleeps in the driver.
pub struct Submission {
    device: Arc<Device>,
    point: SyncPoint,
    measured: Option<Arc<Measured>>,
    readings: Mutex<Option<Readings>>,
    last_dispatch: Option<ComputePipeline>,
    // Last, so that what it uses goes after everything else.
    resources: Arc<Resources>,
}

impl fmt::Debug for Submission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Submission").field("point", &self.point).field("done", &self.is_done().ok()).finish_non_exhaustive()
    }
}

impl Submission {
    pub(crate) fn new(
        device: &Arc<Device>,
        point: SyncPoint,
        resources: &Arc<Resources>,
        measured: Option<Arc<Measured>>,
        last_dispatch: Option<ComputePipeline>,
    ) -> Self {
        Self { device: Arc::clone(device), point, measured, readings: Mutex::new(None), last_dispatch, resources: Arc::clone(resources) }
    }

    /// When it is done: to be waited for by other submissions of the device, and by the caller's through
    /// [`Queue::timeline_semaphore`](wavelane_device::Queue::timeline_semaphore).
    pub fn sync_point(&self) -> SyncPoint {
        self.point
    }

    /// Waits until the device is done. After a time-out everything stays valid, and the submission can be waited for again.
    ///
    /// # Errors
    ///
    /// [`Error::Timeout`], [`Error::DeviceLost`], or what Vulkan returned.
    pub fn wait(&self, timeout: Duration) -> Result<(), Error> {
        self.device
            .wait(self.point, timeout)
            .map_err(|error| Error::from(error).after(self.last_dispatch.as_ref().map(ComputePipeline::name)))?;
        let Some(measured) = &self.measured else { return Ok(()) };
        let mut readings = self.readings.lock().unwrap_or_else(PoisonError::into_inner);
        // Read now, since the recorder may be reset and reuse its queries from here on.
        let state = self.resources.state();
        if readings.is_none() && state.last == Some(self.point) {
            *readings = Some(measured.read(&self.device));
        }
        Ok(())
    }

    /// Whether the device is done, without waiting.
    ///
    /// # Errors
    ///
    /// [`Error::DeviceLost`], or what Vulkan returned: then it will never be done.
    pub fn is_done(&self) -> Result<bool, Error> {
        match self.wait(Duration::ZERO) {
            Ok(()) => Ok(true),
            Err(Error::Timeout { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Times of the spans between [`Recorder::begin_timing`](crate::Recorder::begin_timing) and
    /// [`Recorder::end_timing`](crate::Recorder::end_timing), in the order of their beginnings. Without figures until the submission was waited for, and
    /// where the recorder was reset or its sequence submitted again before that.
    pub fn timings(&self) -> Vec<Timing> {
        self.readings().timings
    }

    /// The dispatches, with the device's clock at each, if [`RecorderOptions::profile`](crate::RecorderOptions::profile) asked for it; without figures as
    /// [`Submission::timings`].
    pub fn profile(&self) -> Vec<DispatchProfile> {
        self.readings().profile
    }

    fn readings(&self) -> Readings {
        let readings = self.readings.lock().unwrap_or_else(PoisonError::into_inner);
        let unread = || self.measured.as_ref().map(|measured| measured.unread()).unwrap_or_default();
        readings.clone().unwrap_or_else(unread)
    }
}
