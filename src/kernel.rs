//! What every kernel is: a description that can be scheduled, planned and recorded.

use std::fmt;
use std::sync::Arc;

use wavelane_device::{Capabilities, Device, Quirk};
use wavelane_record::{Binding, BufferBarrier, BufferRange, ComputePipeline, Recorder};

use crate::pipelines::{PipelineSource, Pipelines};
use crate::schedule::{BufferUse, DispatchStep, MOST_BUFFERS, Schedule, Step, StepAction, StepRange};
use crate::{DeviceClass, Error, Path, Tuning, binding};

/// A kernel: what to compute, as plain data. [`Kernel::plan`] makes it ready for a device.
pub trait Kernel: Clone + fmt::Debug {
    /// The buffers of one recording.
    type Bindings<'a>: Bindings<'a>;

    /// What a device would do, from its capabilities alone, with figures of the caller's own. `path` forces a path.
    ///
    /// # Errors
    /// Whatever makes the kernel impossible, on this device or any: see [`Error`].
    fn schedule_tuned(
        &self,
        capabilities: &Capabilities,
        quirks: &[&'static Quirk],
        tuning: &Tuning,
        path: Option<Path>,
    ) -> Result<Schedule, Error>;

    /// What a device would do, from its capabilities alone: no device is touched, so it can be one that is not here.
    ///
    /// # Errors
    /// As [`Kernel::schedule_tuned`].
    fn schedule(&self, capabilities: &Capabilities, quirks: &[&'static Quirk], path: Option<Path>) -> Result<Schedule, Error> {
        self.schedule_tuned(capabilities, quirks, &Tuning::of(DeviceClass::of(capabilities)), path)
    }

    /// Makes the kernel ready for a device: chooses the path (or takes the one that is forced), and makes the pipelines.
    ///
    /// # Errors
    /// As [`Kernel::schedule`], and whatever the driver answers to the making of a pipeline.
    fn plan(&self, device: &Arc<Device>, path: Option<Path>) -> Result<Plan<Self>, Error> {
        self.plan_with(&Pipelines::new(device), path)
    }

    /// [`Kernel::plan`], with pipelines shared between plans.
    ///
    /// # Errors
    /// As [`Kernel::plan`].
    fn plan_with(&self, pipelines: &Pipelines, path: Option<Path>) -> Result<Plan<Self>, Error> {
        let device = pipelines.device();
        Plan::new(self.clone(), self.schedule(device.capabilities(), device.quirks(), path)?, pipelines)
    }
}

/// The buffers that a kernel is recorded with.
pub trait Bindings<'a> {
    /// Each buffer's range, in the order of [`Schedule::buffers`]; nothing where one is left out.
    fn ranges(&self) -> [Option<BufferRange<'a>>; MOST_BUFFERS];
}

/// A kernel made ready for one device.
#[derive(Clone, Debug)]
pub struct Plan<K> {
    kernel: K,
    schedule: Schedule,
    /// One for each dispatch.
    pipelines: Vec<Arc<ComputePipeline>>,
    device: Arc<Device>,
}

impl<K: Kernel> Plan<K> {
    /// Makes the pipelines of a schedule that `kernel` gave.
    ///
    /// # Errors
    /// Whatever the driver answers to the making of a pipeline.
    pub fn new(kernel: K, schedule: Schedule, pipelines: &Pipelines) -> Result<Self, Error> {
        let made = schedule.dispatches().map(|dispatch| pipeline(dispatch, &schedule, pipelines)).collect::<Result<_, _>>()?;
        Ok(Self { kernel, schedule, pipelines: made, device: pipelines.device().clone() })
    }

    /// What is computed.
    pub fn kernel(&self) -> &K {
        &self.kernel
    }

    /// What is done, step by step.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// The pipelines, one for each dispatch of the schedule.
    pub fn pipelines(&self) -> &[Arc<ComputePipeline>] {
        &self.pipelines
    }

    /// The path taken.
    pub fn path(&self) -> Path {
        self.schedule.path()
    }

    /// The plan as text: path, reasons, group size, dispatches, barriers, scratch, bytes moved.
    pub fn explain(&self) -> String {
        self.schedule.explain()
    }

    /// Records the steps and the barriers between them. Nothing is allocated, submitted or waited for.
    ///
    /// On entry inputs must be visible to the reads of [`Schedule::steps`] (by compute shaders, and of a count by a copy), and earlier accesses to outputs and
    /// scratch must be done. Shaders may be bound to outputs for reading, too: a buffer that was written before takes a barrier to
    /// [`Access::ComputeReadWrite`](wavelane_record::Access::ComputeReadWrite), and to [`Access::TransferWrite`](wavelane_record::Access::TransferWrite) where the steps fill it
    /// or copy to it. Kernels fill scratch, copy to and from it, and read and write it in shaders: before a recording that uses it again it takes barriers to
    /// [`Access::TransferWrite`](wavelane_record::Access::TransferWrite) and [`Access::ComputeReadWrite`](wavelane_record::Access::ComputeReadWrite), from
    /// `ComputeReadWrite` and, behind kernels that copy a count out of it, [`Access::TransferRead`](wavelane_record::Access::TransferRead). It holds nothing between recordings.
    ///
    /// On exit outputs were written as [`Schedule::written_by`] says: by compute shaders, and counts by a copy.
    ///
    /// # Errors
    /// [`Error::BindingTooSmall`], [`Error::BindingMisaligned`], [`Error::BindingsOverlap`], and [`wavelane_record::Error::WrongDevice`] for a recorder of another device;
    /// nothing is recorded then.
    pub fn record(&self, recorder: &mut Recorder, bindings: &K::Bindings<'_>) -> Result<(), Error> {
        self.record_ranges(recorder, &bindings.ranges())
    }

    /// [`Plan::record`] with the ranges in the order of [`Schedule::buffers`].
    pub(crate) fn record_ranges(&self, recorder: &mut Recorder, given: &Ranges<'_>) -> Result<(), Error> {
        if !Arc::ptr_eq(&self.device, recorder.device()) {
            let pipeline = self.pipelines.first().map_or_else(|| self.schedule.kernel.to_owned(), |pipeline| pipeline.name().to_owned());
            return Err(wavelane_record::Error::WrongDevice { pipeline }.into());
        }
        let ranges = self.check(given)?;
        let mut pipelines = self.pipelines.iter();
        for step in &self.schedule.steps {
            record_barriers(recorder, step, &ranges)?;
            record_action(recorder, &step.action, &ranges, &mut pipelines)?;
        }
        Ok(())
    }

    /// The ranges that are used, where they are large enough, aligned, and share no bytes that are written.
    fn check<'a>(&self, given: &Ranges<'a>) -> Result<Ranges<'a>, Error> {
        let mut used = [None; MOST_BUFFERS];
        for (index, need) in self.schedule.buffers.iter().enumerate().filter(|(_, need)| need.bytes > 0) {
            let Some(range) = given[index] else {
                return Err(Error::BindingTooSmall { binding: need.name, size: 0, needed: need.bytes });
            };
            binding::check(need.name, &range, need.bytes, need.alignment)?;
            used[index] = Some(range.slice(0, need.bytes)?);
        }
        for (second, other) in self.schedule.buffers.iter().enumerate() {
            for (first, need) in self.schedule.buffers[..second].iter().enumerate() {
                let written = need.usage != BufferUse::Input || other.usage != BufferUse::Input;
                if let (true, Some(a), Some(b)) = (written, used[first], used[second])
                    && a.overlaps(&b)
                {
                    return Err(Error::BindingsOverlap { first: need.name, second: other.name });
                }
            }
        }
        Ok(used)
    }
}

type Ranges<'a> = [Option<BufferRange<'a>>; MOST_BUFFERS];

/// Some bytes of a buffer that is used.
fn part<'a>(ranges: &Ranges<'a>, buffer: usize, range: StepRange) -> Result<BufferRange<'a>, Error> {
    let whole = ranges[buffer].ok_or(Error::BindingTooSmall { binding: "left out", size: 0, needed: range.end() })?;
    Ok(whole.slice(range.offset, range.size)?)
}

/// The most barriers that a step has: two for each buffer.
const MOST_BARRIERS: usize = 2 * MOST_BUFFERS;

fn record_barriers(recorder: &mut Recorder, step: &Step, ranges: &Ranges<'_>) -> Result<(), Error> {
    // Without a barrier there is no range to fill the array with.
    let Some(first) = step.barriers.first() else { return Ok(()) };
    let of = |index: usize| -> Result<BufferBarrier<'_>, Error> {
        let barrier = step.barriers.get(index).unwrap_or(first);
        Ok(BufferBarrier::new(part(ranges, barrier.buffer, barrier.range)?, barrier.from, barrier.to))
    };
    for begin in (0..step.barriers.len()).step_by(MOST_BARRIERS) {
        let mut entries = [of(begin)?; MOST_BARRIERS];
        let count = (step.barriers.len() - begin).min(MOST_BARRIERS);
        for (at, entry) in entries.iter_mut().enumerate().take(count) {
            *entry = of(begin + at)?;
        }
        recorder.barrier(&entries[..count])?;
    }
    Ok(())
}

fn record_action<'p>(
    recorder: &mut Recorder,
    action: &StepAction,
    ranges: &Ranges<'_>,
    pipelines: &mut impl Iterator<Item = &'p Arc<ComputePipeline>>,
) -> Result<(), Error> {
    match action {
        StepAction::Fill { buffer, range, word } => recorder.fill(part(ranges, *buffer, *range)?, *word)?,
        StepAction::Copy { from, from_offset, to, range } => {
            let read = StepRange { offset: *from_offset, size: range.size };
            recorder.copy(part(ranges, *from, read)?, part(ranges, *to, *range)?)?;
        }
        StepAction::Dispatch(dispatch) => {
            // One pipeline was made for each dispatch, and each binding is of a buffer that is used.
            let (Some(pipeline), Some(&(buffer, range))) = (pipelines.next(), dispatch.bindings.first()) else { return Ok(()) };
            let mut buffers = [Binding::Buffer(part(ranges, buffer, range)?); MOST_BUFFERS];
            for (slot, &(buffer, range)) in buffers.iter_mut().zip(&dispatch.bindings) {
                *slot = Binding::Buffer(part(ranges, buffer, range)?);
            }
            // SAFETY: the schedule's figures keep each dispatch within the ranges that it states, and the ranges bound are as large, as `check` has made sure.
            unsafe { recorder.dispatch(pipeline, &buffers[..dispatch.bindings.len()], &dispatch.push, dispatch.groups) }?;
        }
    }
    Ok(())
}

fn pipeline(dispatch: &DispatchStep, schedule: &Schedule, pipelines: &Pipelines) -> Result<Arc<ComputePipeline>, Error> {
    let source = PipelineSource {
        kernel: dispatch.kernel,
        module: &dispatch.module,
        spirv: dispatch.spirv,
        constants: &dispatch.constants,
        bindings: dispatch.descriptions,
        push_constant_bytes: dispatch.push.len() as u32,
    };
    let choice = &schedule.choice;
    // A workgroup of another size than the path's need not hold full subgroups where it has no use for them.
    if dispatch.has_subgroups { pipelines.get(&source, choice) } else { pipelines.get(&source, &choice.without_subgroups()) }
}
