//! A reduction made ready for a device, and recorded.

use std::sync::Arc;

use wavelane_device::Device;
use wavelane_record::{Access, BufferBarrier, BufferRange, ComputePipeline, Recorder};

use super::schedule::{StepKernel, StepRange};
use super::{Reduce, ReduceSchedule, ReduceStep};
use crate::pipelines::{PipelineSource, Pipelines};
use crate::shaders::reduce as shaders;
use crate::{Error, Path};

/// What is known of scratch when a plan is recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScratchState {
    /// Nothing: a fill of its counters is recorded first.
    #[default]
    Unknown,
    /// Its first [`ReduceSchedule::counter_bytes`] bytes are zero, as every recorded reduction leaves them.
    Zeroed,
}

/// The buffers of one recording of a [`ReducePlan`]. Every offset is a multiple of [`ReduceSchedule::binding_alignment`].
#[derive(Clone, Copy, Debug)]
pub struct ReduceBindings {
    /// The elements, [`ReduceSchedule::input_bytes`] of them. Nothing is read where that is 0; bind the output then.
    pub input: BufferRange,
    /// Where the results go, [`ReduceSchedule::output_bytes`]. Must not overlap the input.
    pub output: BufferRange,
    /// [`ReduceSchedule::scratch_bytes`] of temporary memory; may be left out where that is 0.
    pub scratch: Option<BufferRange>,
    /// What is known of scratch.
    pub scratch_state: ScratchState,
    /// The 4 bytes of the count of a counted reduction ([`Reduce::counted`]), at a multiple of 4. Not looked at for others.
    pub count: Option<BufferRange>,
}

/// Bytes of a count.
const COUNT_BYTES: u64 = 4;

/// A reduction made ready for one device.
#[derive(Debug)]
pub struct ReducePlan {
    schedule: ReduceSchedule,
    /// One for each step.
    pipelines: Vec<Arc<ComputePipeline>>,
}

impl Reduce {
    /// Makes the reduction ready for a device: chooses the path (or takes the one that is forced), and makes the pipelines.
    ///
    /// # Errors
    /// As [`Reduce::schedule`], and whatever the driver answers to the making of a pipeline.
    pub fn plan(&self, device: &Arc<Device>, path: Option<Path>) -> Result<ReducePlan, Error> {
        self.plan_with(&Pipelines::new(device), path)
    }

    /// [`Reduce::plan`], with pipelines shared between plans.
    ///
    /// # Errors
    /// As [`Reduce::plan`].
    pub fn plan_with(&self, pipelines: &Pipelines, path: Option<Path>) -> Result<ReducePlan, Error> {
        let device = pipelines.device();
        ReducePlan::new(self.schedule(device.capabilities(), device.quirks(), path)?, pipelines)
    }
}

impl ReducePlan {
    /// Makes the pipelines of a schedule.
    ///
    /// # Errors
    /// Whatever the driver answers to the making of a pipeline.
    pub fn new(schedule: ReduceSchedule, pipelines: &Pipelines) -> Result<Self, Error> {
        let made = schedule.steps.iter().map(|step| pipeline(step, &schedule, pipelines)).collect::<Result<_, _>>()?;
        Ok(Self { schedule, pipelines: made })
    }

    /// What is done, step by step.
    pub fn schedule(&self) -> &ReduceSchedule {
        &self.schedule
    }

    /// The path taken.
    pub fn path(&self) -> Path {
        self.schedule.path()
    }

    /// The plan as text: path, reasons, group size, dispatches, barriers, scratch, bytes moved.
    pub fn explain(&self) -> String {
        self.schedule.explain()
    }

    /// Records the dispatches and the barriers between them. Nothing is allocated, submitted or waited for.
    ///
    /// On entry the input must be visible to [`Access::ComputeRead`], and earlier accesses to output and scratch must be done (for scratch:
    /// visible to [`Access::ComputeReadWrite`], and to [`Access::TransferWrite`] under [`ScratchState::Unknown`] or if the reduction is counted).
    /// The count must be visible to [`Access::TransferRead`]: it is copied to scratch. On exit output was
    /// written by [`Access::ComputeWrite`] and scratch by [`Access::ComputeReadWrite`]; the counters in scratch are zero again.
    ///
    /// # Errors
    /// [`Error::BindingTooSmall`], [`Error::BindingMisaligned`], and [`wavelane_record::Error::WrongDevice`] for a recorder of another device;
    /// nothing is recorded then.
    pub fn record(&self, recorder: &mut Recorder, bindings: &ReduceBindings) -> Result<(), Error> {
        let schedule = &self.schedule;
        if let Some(pipeline) = self.pipelines.iter().find(|pipeline| !Arc::ptr_eq(pipeline.device(), recorder.device())) {
            return Err(wavelane_record::Error::WrongDevice { pipeline: pipeline.name().to_owned() }.into());
        }
        // Where there is no scratch the shaders do not reach for it, and another buffer stands in for the descriptor.
        let scratch = bindings.scratch.unwrap_or(BufferRange { size: 0, ..bindings.output });
        self.check("input", &bindings.input, schedule.input_bytes)?;
        self.check("output", &bindings.output, schedule.output_bytes)?;
        self.check("scratch", &scratch, schedule.scratch_bytes)?;
        let count = self.count(bindings)?;

        let fills = schedule.counter_bytes > 0 && bindings.scratch_state == ScratchState::Unknown;
        if fills {
            recorder.fill(scratch.slice(0, schedule.counter_bytes)?, 0)?;
        }
        if let (Some(count), Some(offset)) = (count, schedule.count_offset) {
            recorder.copy(count, scratch.slice(offset, COUNT_BYTES)?)?;
        }
        // The count lies right behind the counters.
        let begin = if fills { 0 } else { schedule.count_offset.unwrap_or(0) };
        let end = schedule.count_offset.map_or(schedule.counter_bytes, |offset| offset + COUNT_BYTES);
        if fills || schedule.count_offset.is_some() {
            let range = scratch.slice(begin, end - begin)?;
            recorder.barrier(&[BufferBarrier { range, from: Access::TransferWrite, to: Access::ComputeReadWrite }])?;
        }
        let used_scratch = if schedule.scratch_bytes > 0 { Some(scratch.slice(0, schedule.scratch_bytes)?) } else { None };
        for (index, (step, pipeline)) in schedule.steps.iter().zip(&self.pipelines).enumerate() {
            if index > 0 {
                // Later steps read or reuse the states, and the ranges of their results may share an aligned descriptor.
                let written = [Some(bindings.output), used_scratch];
                let barriers: Vec<_> = written
                    .into_iter()
                    .flatten()
                    .map(|range| BufferBarrier { range, from: Access::ComputeReadWrite, to: Access::ComputeReadWrite })
                    .collect();
                recorder.barrier(&barriers)?;
            }
            self.record_step(recorder, bindings, used_scratch, step, pipeline)?;
        }
        Ok(())
    }

    fn record_step(
        &self,
        recorder: &mut Recorder,
        bindings: &ReduceBindings,
        scratch: Option<BufferRange>,
        step: &ReduceStep,
        pipeline: &Arc<ComputePipeline>,
    ) -> Result<(), Error> {
        let part = |whole: &BufferRange, range: StepRange| whole.slice(range.offset, range.size);
        let output = part(&bindings.output, step.output)?;
        let input = step.input.map_or(Ok(output), |range| part(&bindings.input, range))?;
        let pivots = step.pivots.map_or(Ok(output), |range| part(&bindings.input, range))?;
        let buffers = [input, output, scratch.unwrap_or(output), pivots];
        let push = match &step.kernel {
            StepKernel::Rows(_, push) => bytemuck::bytes_of(push),
            StepKernel::Columns(_, push) => bytemuck::bytes_of(push),
            StepKernel::Combine(_, push) => bytemuck::bytes_of(push),
        };
        recorder.dispatch(pipeline, &buffers[..pipeline.storage_buffers() as usize], push, step.groups)?;
        Ok(())
    }

    /// The bytes of the count, where one is read.
    fn count(&self, bindings: &ReduceBindings) -> Result<Option<BufferRange>, Error> {
        if self.schedule.count_offset.is_none() {
            return Ok(None);
        }
        let size = bindings.count.map_or(0, |range| range.size);
        let Some(range) = bindings.count.filter(|_| size >= COUNT_BYTES) else {
            return Err(Error::BindingTooSmall { binding: "count", size, needed: COUNT_BYTES });
        };
        if !range.offset.is_multiple_of(COUNT_BYTES) {
            return Err(Error::BindingMisaligned { binding: "count", offset: range.offset, alignment: COUNT_BYTES });
        }
        Ok(Some(range.slice(0, COUNT_BYTES)?))
    }

    fn check(&self, binding: &'static str, range: &BufferRange, needed: u64) -> Result<(), Error> {
        let alignment = self.schedule.binding_alignment;
        if range.size < needed {
            return Err(Error::BindingTooSmall { binding, size: range.size, needed });
        }
        if needed > 0 && !range.offset.is_multiple_of(alignment) {
            return Err(Error::BindingMisaligned { binding, offset: range.offset, alignment });
        }
        Ok(())
    }
}

fn pipeline(step: &ReduceStep, schedule: &ReduceSchedule, pipelines: &Pipelines) -> Result<Arc<ComputePipeline>, Error> {
    macro_rules! source {
        ($kernel:ident, $constants:expr) => {
            PipelineSource {
                kernel: concat!("reduce.", stringify!($kernel)),
                module: &step.module,
                spirv: shaders::$kernel::module(&step.module).map(|module| module.spirv).unwrap_or_default(),
                constants: &$constants.entries(),
                storage_buffers: shaders::$kernel::STORAGE_BUFFERS,
                push_constant_bytes: shaders::$kernel::PUSH_CONSTANT_BYTES,
            }
        };
    }
    match &step.kernel {
        StepKernel::Rows(constants, _) => pipelines.get(&source!(rows, constants), &schedule.choice),
        StepKernel::Columns(constants, _) => pipelines.get(&source!(columns, constants), &schedule.choice),
        StepKernel::Combine(constants, _) => pipelines.get(&source!(combine, constants), &schedule.choice),
    }
}
