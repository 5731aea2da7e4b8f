//! A reduction made ready for a device, and recorded.

use std::sync::Arc;

use wavelane_device::Device;
use wavelane_record::{Access, Binding, BufferBarrier, BufferRange, ComputePipeline, Recorder};

use super::schedule::StepKernel;
use super::{Reduce, ReduceSchedule, ReduceStep};
use crate::pipelines::{PipelineSource, Pipelines};
use crate::schedule::StepRange;
use crate::shaders::reduce as shaders;
use crate::{Error, Path, binding};

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
pub struct ReduceBindings<'a> {
    /// The elements, [`ReduceSchedule::input_bytes`] of them. Nothing is read where that is 0; bind the output then.
    pub input: BufferRange<'a>,
    /// Where the results go, [`ReduceSchedule::output_bytes`]. Must not overlap the input.
    pub output: BufferRange<'a>,
    /// [`ReduceSchedule::scratch_bytes`] of temporary memory; may be left out where that is 0.
    pub scratch: Option<BufferRange<'a>>,
    /// What is known of scratch.
    pub scratch_state: ScratchState,
    /// The 4 bytes of the count of a counted reduction ([`Reduce::counted`]), at a multiple of 4. Not looked at for others.
    pub count: Option<BufferRange<'a>>,
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

    /// The pipelines, one for each step of the schedule.
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

    /// Records the dispatches and the barriers between them. Nothing is allocated, submitted or waited for.
    ///
    /// On entry the input must be visible to [`Access::ComputeRead`], and earlier accesses to output and scratch must be done (both
    /// visible to [`Access::ComputeReadWrite`], and scratch to [`Access::TransferWrite`] under [`ScratchState::Unknown`] or if the reduction is counted).
    /// The count must be visible to [`Access::TransferRead`]: it is copied to scratch. On exit output was
    /// written by [`Access::ComputeWrite`] and scratch by [`Access::ComputeReadWrite`]; the counters in scratch are zero again.
    ///
    /// # Errors
    /// [`Error::BindingTooSmall`], [`Error::BindingMisaligned`], [`Error::BindingsOverlap`], and [`wavelane_record::Error::WrongDevice`] for a recorder of another device;
    /// nothing is recorded then.
    pub fn record(&self, recorder: &mut Recorder, bindings: &ReduceBindings<'_>) -> Result<(), Error> {
        let schedule = &self.schedule;
        if let Some(pipeline) = self.pipelines.iter().find(|pipeline| !Arc::ptr_eq(pipeline.device(), recorder.device())) {
            return Err(wavelane_record::Error::WrongDevice { pipeline: pipeline.name().to_owned() }.into());
        }
        // What is left out has no bytes. Where there is no scratch the shaders do not reach for it, and another buffer stands in for the descriptor.
        let nothing = bindings.output.slice(0, 0)?;
        let (scratch, count) = (bindings.scratch.unwrap_or(nothing), bindings.count.unwrap_or(nothing));
        let count_bytes = schedule.count_offset.map_or(0, |_| COUNT_BYTES);
        let alignment = schedule.binding_alignment;
        check("input", &bindings.input, schedule.input_bytes, alignment)?;
        check("output", &bindings.output, schedule.output_bytes, alignment)?;
        check("scratch", &scratch, schedule.scratch_bytes, alignment)?;
        check("count", &count, count_bytes, COUNT_BYTES)?;
        // Only the bytes that are used may not be shared.
        let used = [
            ("input", bindings.input.slice(0, schedule.input_bytes)?),
            ("output", bindings.output.slice(0, schedule.output_bytes)?),
            ("scratch", scratch.slice(0, schedule.scratch_bytes)?),
            ("count", count.slice(0, count_bytes)?),
        ];
        for (first, second) in [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)] {
            if used[first].1.overlaps(&used[second].1) {
                return Err(Error::BindingsOverlap { first: used[first].0, second: used[second].0 });
            }
        }
        self.prepare(recorder, scratch, used[3].1, bindings.scratch_state)?;
        let used_scratch = if schedule.scratch_bytes > 0 { Some(scratch.slice(0, schedule.scratch_bytes)?) } else { None };
        for (index, (step, pipeline)) in schedule.steps.iter().zip(&self.pipelines).enumerate() {
            if index > 0 {
                // Later steps read or reuse the states, and the ranges of their results may share an aligned descriptor.
                let both = |range| BufferBarrier::new(range, Access::ComputeReadWrite, Access::ComputeReadWrite);
                match used_scratch {
                    Some(scratch) => recorder.barrier(&[both(bindings.output), both(scratch)])?,
                    None => recorder.barrier(&[both(bindings.output)])?,
                }
            }
            self.record_step(recorder, bindings, used_scratch, step, pipeline)?;
        }
        Ok(())
    }

    /// Writes what the kernels expect at the start of scratch, counters of zero and the count, with the barrier behind it.
    fn prepare(
        &self,
        recorder: &mut Recorder,
        scratch: BufferRange<'_>,
        count: BufferRange<'_>,
        scratch_state: ScratchState,
    ) -> Result<(), Error> {
        let counters = if scratch_state == ScratchState::Unknown { self.schedule.counter_bytes } else { 0 };
        let (mut begin, mut end) = (0, counters);
        if let Some(offset) = self.schedule.count_offset {
            recorder.copy(count, scratch.slice(offset, COUNT_BYTES)?)?;
            // It lies right behind the counters, so that one range holds both.
            begin = if counters == 0 { offset } else { 0 };
            end = offset + COUNT_BYTES;
        }
        if counters > 0 {
            recorder.fill(scratch.slice(0, counters)?, 0)?;
        }
        if end > begin {
            let written = scratch.slice(begin, end - begin)?;
            recorder.barrier(&[BufferBarrier::new(written, Access::TransferWrite, Access::ComputeReadWrite)])?;
        }
        Ok(())
    }

    fn record_step(
        &self,
        recorder: &mut Recorder,
        bindings: &ReduceBindings<'_>,
        scratch: Option<BufferRange<'_>>,
        step: &ReduceStep,
        pipeline: &Arc<ComputePipeline>,
    ) -> Result<(), Error> {
        let output = part(bindings.output, step.output)?;
        let input = step.input.map_or(Ok(output), |range| part(bindings.input, range))?;
        let pivots = step.pivots.map_or(Ok(output), |range| part(bindings.input, range))?;
        let buffers = [input, output, scratch.unwrap_or(output), pivots].map(Binding::Buffer);
        let push = match &step.kernel {
            StepKernel::Rows(_, push) => bytemuck::bytes_of(push),
            StepKernel::Columns(_, push) => bytemuck::bytes_of(push),
            StepKernel::Combine(_, push) => bytemuck::bytes_of(push),
        };
        // SAFETY: the schedule's figures keep each step within the ranges that it states, and the ranges bound are as large, as `record` has checked.
        unsafe { recorder.dispatch(pipeline, &buffers[..pipeline.bindings().len()], push, step.groups) }?;
        Ok(())
    }
}

/// Whether a range is as large and aligned as is needed; what nothing is read from or written to may begin anywhere.
fn check(binding: &'static str, range: &BufferRange<'_>, needed: u64, alignment: u64) -> Result<(), Error> {
    binding::check(binding, range, needed, if needed > 0 { alignment } else { 1 })
}

/// The part of a binding that a step sees.
fn part(whole: BufferRange<'_>, range: StepRange) -> Result<BufferRange<'_>, wavelane_record::Error> {
    whole.slice(range.offset, range.size)
}

fn pipeline(step: &ReduceStep, schedule: &ReduceSchedule, pipelines: &Pipelines) -> Result<Arc<ComputePipeline>, Error> {
    macro_rules! source {
        ($kernel:ident, $constants:expr) => {
            PipelineSource {
                kernel: concat!("reduce.", stringify!($kernel)),
                module: &step.module,
                spirv: shaders::$kernel::module(&step.module).map(|module| module.spirv).unwrap_or_default(),
                constants: &$constants.entries(),
                bindings: &shaders::$kernel::BINDINGS,
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
