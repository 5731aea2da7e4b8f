//! Timestamps and a label around each dispatch, where they were asked for.

use ash::vk;

use super::{Recorder, Reuse};
use crate::error::Error;
use crate::pipeline::ComputePipeline;
use crate::profile::{DispatchProfile, DispatchSpan};
use crate::timing::{self, Query};

impl Recorder {
    /// Begins a dispatch's span in a recording that is profiled, and gives the query that ends it.
    pub(super) fn begin_dispatch(&mut self, pipeline: &ComputePipeline, groups: Option<[u32; 3]>) -> Result<Option<Query>, Error> {
        let queries = self.queries()?;
        self.begin_label(pipeline.name());
        let barriers_before = self.barriers - self.barriers_at_dispatch;
        self.barriers_at_dispatch = self.barriers;
        self.measured.dispatches.push(DispatchSpan { pipeline: pipeline.clone(), groups, barriers_before, queries });
        if let Some((begin, _)) = queries {
            timing::write(&self.device, self.commands, begin);
        }
        Ok(queries.map(|(_, end)| end))
    }

    /// Ends a dispatch's span.
    pub(super) fn end_dispatch(&self, end: Option<Query>) {
        if let Some(end) = end {
            timing::write(&self.device, self.commands, end);
        }
        self.end_label();
    }

    /// Two queries, where the queue has a clock and nobody else can write them at the same time.
    pub(super) fn queries(&mut self) -> Result<Option<(Query, Query)>, Error> {
        let queue = self.device.queue(self.queue);
        // A queue that only copies cannot reset queries.
        let resets = queue.flags().intersects(vk::QueueFlags::COMPUTE | vk::QueueFlags::GRAPHICS);
        let clock = self.device.capabilities().timestamps.valid_bits > 0 && queue.timestamp_valid_bits() > 0 && resets;
        // Submissions that overlap would write the same queries.
        if !clock || self.reuse == Reuse::Simultaneous {
            return Ok(None);
        }
        self.lists.queries.pair(&self.device, self.commands).map(Some)
    }

    /// The dispatches of a caller's command buffer, if it is profiled. (A recorder's own are had from its [`Submission`](crate::Submission).)
    ///
    /// # Safety
    ///
    /// The command buffer's execution must be complete.
    pub unsafe fn foreign_profile(&self) -> Vec<DispatchProfile> {
        self.measured.read(&self.device).profile
    }
}
