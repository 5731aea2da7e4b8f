//! A recording's dispatches, each between two timestamps.

use wavelane_device::Device;

use crate::pipeline::ComputePipeline;
use crate::timing::{self, Query, Span, Timing};

/// A dispatch of a recording that was profiled: see [`RecorderOptions::profile`](crate::RecorderOptions::profile).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DispatchProfile {
    /// Name of its pipeline.
    pub kernel: String,
    /// Workgroups in x, y and z; none where the device took them from a buffer.
    pub groups: Option<[u32; 3]>,
    /// Barriers recorded between the dispatch before and this one.
    pub barriers_before: u32,
    /// The device's clock when everything recorded before the dispatch was done, and when the dispatch was, too. [`DeviceClock`](crate::DeviceClock) makes
    /// nanoseconds of them. None where the queue has no timestamps, or the work is not done.
    pub ticks: Option<(u64, u64)>,
}

/// A dispatch while it is recorded: nothing of it needs memory of its own.
#[derive(Clone, Debug)]
pub(crate) struct DispatchSpan {
    pub(crate) pipeline: ComputePipeline,
    pub(crate) groups: Option<[u32; 3]>,
    pub(crate) barriers_before: u32,
    pub(crate) queries: Option<(Query, Query)>,
}

/// Everything in a recording that is timed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Measured {
    pub(crate) spans: Vec<Span>,
    pub(crate) dispatches: Vec<DispatchSpan>,
}

/// What the timestamps said.
#[derive(Clone, Debug, Default)]
pub(crate) struct Readings {
    pub(crate) timings: Vec<Timing>,
    pub(crate) profile: Vec<DispatchProfile>,
}

impl Measured {
    pub(crate) fn is_empty(&self) -> bool {
        self.spans.is_empty() && self.dispatches.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.spans.clear();
        self.dispatches.clear();
    }

    /// The readings of work that is done.
    pub(crate) fn read(&self, device: &Device) -> Readings {
        let ticks = |queries| timing::read_ticks(device, queries);
        Readings {
            timings: timing::read(device, &self.spans),
            profile: self.dispatches.iter().map(|dispatch| dispatch.profile(dispatch.queries.and_then(ticks))).collect(),
        }
    }

    /// The readings of work that may not be done.
    pub(crate) fn unread(&self) -> Readings {
        let unknown = |span: &Span| Timing { label: span.label.clone(), nanoseconds: None };
        Readings {
            timings: self.spans.iter().map(unknown).collect(),
            profile: self.dispatches.iter().map(|dispatch| dispatch.profile(None)).collect(),
        }
    }
}

impl DispatchSpan {
    fn profile(&self, ticks: Option<(u64, u64)>) -> DispatchProfile {
        let kernel = self.pipeline.name().to_owned();
        DispatchProfile { kernel, groups: self.groups, barriers_before: self.barriers_before, ticks }
    }
}
