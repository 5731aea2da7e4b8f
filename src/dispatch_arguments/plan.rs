//! Dispatch arguments made ready for a device, and recorded.

use std::sync::Arc;

use wavelane_device::Device;
use wavelane_record::{Binding, BufferRange, ComputePipeline, Recorder};

use super::{DispatchArguments, DispatchArgumentsSchedule, DispatchRecord};
use crate::pipelines::{PipelineSource, Pipelines};
use crate::shaders::dispatch_arguments::write as shader;
use crate::{Error, Path, binding};

/// The buffers of one recording of a [`DispatchArgumentsPlan`]. Every offset is a multiple of [`DispatchArgumentsSchedule::binding_alignment`].
#[derive(Clone, Copy, Debug)]
pub struct DispatchArgumentsBindings<'a> {
    /// Where the counts are, a u32 for each list.
    pub counts: BufferRange<'a>,
    /// Which word of the range the first count is.
    pub first_count: u32,
    /// Where the records go, [`DispatchArgumentsSchedule::record_bytes`]: a [`DispatchRecord`] for each list. Must not overlap the counts. The buffer
    /// needs `VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT` for the dispatch.
    pub records: BufferRange<'a>,
}

/// Dispatch arguments made ready for one device.
#[derive(Debug)]
pub struct DispatchArgumentsPlan {
    schedule: DispatchArgumentsSchedule,
    pipeline: Arc<ComputePipeline>,
}

impl DispatchArguments {
    /// Makes them ready for a device: the limits that the dispatch must keep are the device's.
    ///
    /// # Errors
    /// As [`DispatchArguments::schedule`], and whatever the driver answers to the making of the pipeline.
    pub fn plan(&self, device: &Arc<Device>) -> Result<DispatchArgumentsPlan, Error> {
        self.plan_with(&Pipelines::new(device))
    }

    /// [`DispatchArguments::plan`], with pipelines shared between plans.
    ///
    /// # Errors
    /// As [`DispatchArguments::plan`].
    pub fn plan_with(&self, pipelines: &Pipelines) -> Result<DispatchArgumentsPlan, Error> {
        DispatchArgumentsPlan::new(self.schedule(pipelines.device().capabilities())?, pipelines)
    }
}

impl DispatchArgumentsPlan {
    /// Makes the pipeline of a schedule.
    ///
    /// # Errors
    /// Whatever the driver answers to the making of the pipeline.
    pub fn new(schedule: DispatchArgumentsSchedule, pipelines: &Pipelines) -> Result<Self, Error> {
        let source = PipelineSource {
            kernel: "dispatch_arguments.write",
            module: "default",
            spirv: shader::module("default").map(|module| module.spirv).unwrap_or_default(),
            constants: &schedule.constants().entries(),
            bindings: &shader::BINDINGS,
            push_constant_bytes: shader::PUSH_CONSTANT_BYTES,
        };
        let pipeline = pipelines.get(&source, &schedule.choice)?;
        Ok(Self { schedule, pipeline })
    }

    /// What is done.
    pub fn schedule(&self) -> &DispatchArgumentsSchedule {
        &self.schedule
    }

    /// The path taken: there is one.
    pub fn path(&self) -> Path {
        self.schedule.choice.path
    }

    /// The plan as text.
    pub fn explain(&self) -> String {
        self.schedule.explain()
    }

    /// Records the dispatch that writes the records. Nothing is allocated, submitted or waited for, and the counts stay as they are.
    ///
    /// On entry the counts must be visible to [`Access::ComputeRead`](wavelane_record::Access::ComputeRead), and earlier accesses to the records must be
    /// done. On exit the records were written by [`Access::ComputeWrite`](wavelane_record::Access::ComputeWrite); the dispatch that takes its
    /// arguments from them needs a barrier to [`Access::IndirectRead`](wavelane_record::Access::IndirectRead).
    ///
    /// # Errors
    /// [`Error::BindingTooSmall`], [`Error::BindingMisaligned`], [`Error::BindingsOverlap`], and [`wavelane_record::Error::WrongDevice`] for a recorder of another device;
    /// nothing is recorded then.
    pub fn record(&self, recorder: &mut Recorder, bindings: &DispatchArgumentsBindings<'_>) -> Result<(), Error> {
        let schedule = &self.schedule;
        let counts_end = u64::from(bindings.first_count) * DispatchRecord::COUNT_BYTES + schedule.count_bytes;
        let alignment = schedule.binding_alignment;
        for (binding, range, needed) in [("counts", bindings.counts, counts_end), ("records", bindings.records, schedule.record_bytes)] {
            binding::check(binding, &range, needed, alignment)?;
        }
        if schedule.arguments.lists == 0 {
            return Ok(());
        }
        let used = [bindings.counts.slice(0, counts_end)?, bindings.records.slice(0, schedule.record_bytes)?];
        if used[0].overlaps(&used[1]) {
            return Err(Error::BindingsOverlap { first: "counts", second: "records" });
        }
        let push = schedule.push_constants(bindings.first_count);
        // SAFETY: the shader reads and writes for as many lists as the schedule is for, and the ranges have just been cut to what those take.
        unsafe { recorder.dispatch(&self.pipeline, &used.map(Binding::Buffer), bytemuck::bytes_of(&push), schedule.groups) }?;
        Ok(())
    }

    /// The bytes of `records` from which the dispatch over a list takes its group counts.
    ///
    /// # Errors
    /// [`wavelane_record::Error`] where the records do not reach as far.
    pub fn arguments<'a>(&self, records: BufferRange<'a>, list: u32) -> Result<BufferRange<'a>, Error> {
        Ok(records.slice(u64::from(list) * DispatchRecord::BYTES, DispatchRecord::ARGUMENTS_BYTES)?)
    }

    /// The bytes of `records` in which the number of a list's elements stands, for [`ReduceBindings::count`](crate::ReduceBindings::count).
    ///
    /// # Errors
    /// [`wavelane_record::Error`] where the records do not reach as far.
    pub fn count<'a>(&self, records: BufferRange<'a>, list: u32) -> Result<BufferRange<'a>, Error> {
        let offset = u64::from(list) * DispatchRecord::BYTES + DispatchRecord::COUNT_OFFSET;
        Ok(records.slice(offset, DispatchRecord::COUNT_BYTES)?)
    }
}
