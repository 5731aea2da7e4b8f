//! Work on its way through the device.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use wavelane_device::{Device, SyncPoint};

use crate::error::Error;
use crate::pipeline::ComputePipeline;
use crate::resources::Resources;
use crate::timing::{self, Span, Timing};

/// Work that was submitted.
///
/// Dropping it waits for nothing as long as its recorder or sequence lives; the last of them to go waits for the device for up to ten seconds, and
/// leaks what the device still uses after that rather than free it.
pub struct Submission {
    device: Arc<Device>,
    point: SyncPoint,
    spans: Option<Arc<Vec<Span>>>,
    timings: Mutex<Option<Vec<Timing>>>,
    last_dispatch: Option<ComputePipeline>,
    // Last, so that what it uses goes after everything else.
    resources: Arc<Resources>,
}

impl fmt::Debug for Submission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Submission").field("point", &self.point).field("done", &self.is_done()).finish_non_exhaustive()
    }
}

impl Submission {
    pub(crate) fn new(
        device: &Arc<Device>,
        point: SyncPoint,
        resources: &Arc<Resources>,
        spans: Option<Arc<Vec<Span>>>,
        last_dispatch: Option<ComputePipeline>,
    ) -> Self {
        Self { device: Arc::clone(device), point, spans, timings: Mutex::new(None), last_dispatch, resources: Arc::clone(resources) }
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
        self.device.wait(self.point, timeout).map_err(|error| Error::from(error).after(self.last_dispatch.as_ref()))?;
        let Some(spans) = &self.spans else { return Ok(()) };
        let mut timings = self.timings.lock().unwrap_or_else(PoisonError::into_inner);
        // Read now, since the recorder may be reset and reuse its queries from here on.
        let lists = self.resources.lists();
        if timings.is_none() && lists.last == Some(self.point) {
            *timings = Some(timing::read(&self.device, spans));
        }
        Ok(())
    }

    /// Whether the device is done, without waiting.
    pub fn is_done(&self) -> bool {
        self.wait(Duration::ZERO).is_ok()
    }

    /// Times of the spans between [`Recorder::begin_timing`](crate::Recorder::begin_timing) and
    /// [`Recorder::end_timing`](crate::Recorder::end_timing), in the order of their beginnings. Without figures until the submission was waited for, and
    /// where the recorder was reset or its sequence submitted again before that.
    pub fn timings(&self) -> Vec<Timing> {
        let timings = self.timings.lock().unwrap_or_else(PoisonError::into_inner);
        let unknown = |span: &Span| Timing { label: span.label.clone(), nanoseconds: None };
        timings.clone().unwrap_or_else(|| self.spans.iter().flat_map(|spans| spans.iter()).map(unknown).collect())
    }
}
