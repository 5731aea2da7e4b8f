//! A kernel that is ready to be recorded, whatever kernel it is.

use libtest_mimic::Failed;
use wavelane::record::{Access, BufferRange, Recorder};
use wavelane::{
    BufferUse, Error, Kernel, MOST_BUFFERS, Path, Pipelines, Plan, Reduce, ReduceBindings, ReducePlan, Schedule, ScratchState, StepAction,
};

/// A range for each binding; what the kernel does not use may be anything.
pub type Ranges<'a> = [BufferRange<'a>; MOST_BUFFERS];

type Record = Box<dyn Fn(&mut Recorder, &Ranges<'_>) -> Result<(), Error>>;

/// A buffer that a kernel's bindings must have.
pub struct Need {
    pub name: &'static str,
    pub bytes: u64,
    pub alignment: u64,
    pub is_scratch: bool,
    /// What it must be ready for when the kernel begins.
    pub before: Vec<Access>,
    /// What was done with it when the kernel has ended.
    pub after: Vec<Access>,
}

/// A kernel made ready for a device.
pub struct Planned {
    /// What is done, on which path, by which strategy.
    pub words: String,
    pub needs: Vec<Need>,
    pub record: Record,
}

/// What the documentation of [`Plan::record`] says of scratch, before and after.
fn scratch_accesses() -> [Vec<Access>; 2] {
    [vec![Access::TransferWrite, Access::ComputeReadWrite], vec![Access::ComputeReadWrite, Access::TransferRead]]
}

/// None where the device or the library does not have such a kernel.
pub fn kernel<K: Kernel + 'static>(
    pipelines: &Pipelines,
    description: &K,
    path: Option<Path>,
    bind: impl for<'a> Fn(&Ranges<'a>) -> K::Bindings<'a> + 'static,
) -> Result<Option<Planned>, Failed> {
    let Some(plan) = unless_refused(description.plan_with(pipelines, path))? else { return Ok(None) };
    let words = shared_words(&plan);
    let needs = (0..plan.schedule().buffers.len()).map(|buffer| need(plan.schedule(), buffer)).collect();
    let record = move |recorder: &mut Recorder, ranges: &Ranges<'_>| plan.record(recorder, &bind(ranges));
    Ok(Some(Planned { words, needs, record: Box::new(record) }))
}

fn shared_words<K: Kernel>(plan: &Plan<K>) -> String {
    let Schedule { kernel, title, choice, strategy, .. } = plan.schedule();
    format!("{kernel} {title}; {}, workgroups of {}; {strategy}", choice.path, choice.workgroup_size)
}

/// What is done with a buffer, as the steps of the schedule say.
fn need(schedule: &Schedule, buffer: usize) -> Need {
    let about = &schedule.buffers[buffer];
    let (mut copied_from, mut copied_to, mut bound) = (false, false, false);
    for step in &schedule.steps {
        match &step.action {
            StepAction::Fill { buffer: filled, .. } => copied_to |= *filled == buffer,
            StepAction::Copy { from, to, .. } => {
                copied_from |= *from == buffer;
                copied_to |= *to == buffer;
            }
            StepAction::Dispatch(dispatch) => bound |= dispatch.bindings.iter().any(|(of, _)| *of == buffer),
        }
    }
    let in_shaders = match about.usage {
        BufferUse::Input => Access::ComputeRead,
        // Shaders may be bound to outputs for reading, too.
        BufferUse::Output | BufferUse::InPlace | BufferUse::Scratch => Access::ComputeReadWrite,
    };
    let all = [(bound, in_shaders), (copied_from, Access::TransferRead), (copied_to, Access::TransferWrite)];
    let touched: Vec<Access> = all.into_iter().filter(|(done, _)| *done).map(|(_, access)| access).collect();
    let [before, after] = match about.usage {
        BufferUse::Scratch => scratch_accesses(),
        BufferUse::Input => [touched.clone(), touched],
        _ => [touched, schedule.written_by(buffer).into_iter().collect()],
    };
    Need { name: about.name, bytes: about.bytes, alignment: about.alignment, is_scratch: about.usage == BufferUse::Scratch, before, after }
}

/// The same of a reduction, whose plan is one of its own.
pub fn reduction(pipelines: &Pipelines, reduce: &Reduce, path: Option<Path>) -> Result<Option<Planned>, Failed> {
    let Some(plan) = unless_refused(reduce.plan_with(pipelines, path))? else { return Ok(None) };
    Ok(Some(Planned { words: reduction_words(&plan), needs: reduction_needs(&plan), record: Box::new(record_reduction(plan)) }))
}

fn reduction_words(plan: &ReducePlan) -> String {
    let schedule = plan.schedule();
    let Reduce { op, dtype, shape, axis, nan, wide, counted, .. } = &schedule.reduce;
    let along = axis.map_or_else(String::new, |axis| format!(" along axis {axis}"));
    let (wide, counted) = (if *wide { ", wide" } else { "" }, if *counted { ", counted by the device" } else { "" });
    let choice = &schedule.choice;
    format!(
        "reduce {op} of {dtype} {shape:?}{along}, NaN {nan:?}{wide}{counted}; {}, workgroups of {}; {:?}",
        choice.path, choice.workgroup_size, schedule.strategy
    )
}

fn reduction_needs(plan: &ReducePlan) -> Vec<Need> {
    let schedule = plan.schedule();
    let need = |name, bytes, before: &[Access], after: &[Access]| {
        let alignment = if name == "count" { 4 } else { schedule.binding_alignment };
        Need { name, bytes, alignment, is_scratch: name == "scratch", before: before.to_vec(), after: after.to_vec() }
    };
    let [before, after] = scratch_accesses();
    vec![
        need("input", schedule.input_bytes, &[Access::ComputeRead], &[Access::ComputeRead]),
        need("output", schedule.output_bytes, &[Access::ComputeReadWrite], &[Access::ComputeWrite]),
        need("scratch", schedule.scratch_bytes, &before, &after[..1]),
        need("count", schedule.count_offset.map_or(0, |_| 4), &[Access::TransferRead], &[Access::TransferRead]),
    ]
}

fn record_reduction(plan: ReducePlan) -> impl Fn(&mut Recorder, &Ranges<'_>) -> Result<(), Error> {
    move |recorder, &[input, output, scratch, count, ..]| {
        let state = ScratchState::Unknown;
        plan.record(recorder, &ReduceBindings { input, output, scratch: Some(scratch), scratch_state: state, count: Some(count) })
    }
}

/// What a device or the library does not do is not drawn; anything else that is wrong is an error.
pub fn unless_refused<T>(made: Result<T, Error>) -> Result<Option<T>, Failed> {
    use Error as E;
    match made {
        Ok(made) => Ok(Some(made)),
        Err(E::PathUnavailable { .. } | E::TypeUnsupported { .. } | E::FeatureMissing { .. }) => Ok(None),
        Err(E::OperatorType { .. } | E::WideUnsupported { .. } | E::TransformType { .. }) => Ok(None),
        Err(E::StrategyUnavailable { .. } | E::EmptyReduction { .. } | E::InPlaceSize { .. } | E::NotInPlace { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
