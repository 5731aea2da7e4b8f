//! Kernels with the buffers they work on, ready to be recorded.

use std::sync::Arc;

use libtest_mimic::Failed;
use wavelane::device::{Buffer, BufferDescription, Device, MemoryUse, Quirk};
use wavelane::record::{Access, BufferBarrier, BufferRange, Recorder};
use wavelane::{
    Compare, Condition, DType, DispatchArguments, DispatchArgumentsBindings, DispatchArgumentsPlan, Error, Kernel as _, MaskForm,
    Partition, Path, Pipelines, Plan, Reduce, ReduceBindings, ReduceOp, ReducePlan, RunLengthDecode, RunLengthDecodeBindings, Scalar, Scan,
    ScanBindings, ScanOp, ScanStrategy, ScratchState, Select, SelectBindings, Unique, UniqueBindings,
};

#[path = "shared_form.rs"]
mod shared_form;

use crate::harness::gpu::FORBIDS;

type Record = Box<dyn Fn(&mut Recorder) -> Result<(), Error>>;

/// Something that records dispatches and barriers, and what it writes.
pub struct Kernel {
    pub name: String,
    pub record: Record,
    pub result: Buffer,
}

static FORBIDDING: [&Quirk; 1] = [&FORBIDS];

/// Makes a kernel on a device; none where the device does not have its path.
pub type Maker = Box<dyn Fn(&Arc<Device>) -> Result<Option<Kernel>, Failed>>;

/// Every kernel, in each form that has other barriers.
pub fn kernels() -> Vec<Maker> {
    let mut all: Vec<Maker> = Vec::new();
    for path in Path::ALL {
        for scan in [
            Scan::new(ScanOp::Sum, DType::F32, &[100_003]).counted(),
            Scan::new(ScanOp::Max, DType::U32, &[70, 1031]).along(1).with_strategy(ScanStrategy::SinglePass),
            Scan::new(ScanOp::Last, DType::U32, &[100_003]).in_place(),
            Scan::new(ScanOp::Sum, DType::U32, &[100_003, 2]).along(0).counted(),
        ] {
            for narrow in [false, true] {
                let scan = scan.clone();
                all.push(Box::new(move |device| {
                    shared_form::kernel(device, &scan, path, narrow, |[input, output, scratch, count, ..]| {
                        Some(ScanBindings { input, output: output?, scratch, count })
                    })
                }));
            }
        }
        for reduce in [
            Reduce::new(ReduceOp::Sum, DType::U32, &[100_003]),
            Reduce::new(ReduceOp::Max, DType::F32, &[40_000, 2]).along(0),
            Reduce::new(ReduceOp::ArgMax, DType::U32, &[3, 50_000]).along(1),
            Reduce::new(ReduceOp::Var, DType::F32, &[100_003]),
            Reduce::new(ReduceOp::Mean, DType::F32, &[100_003]).counted(),
        ] {
            for quirks in [&[][..], &FORBIDDING] {
                let reduce = reduce.clone();
                all.push(Box::new(move |device| reduction(device, &reduce, path, quirks)));
            }
        }
    }
    all.extend(compactions());
    all
}

/// Selections and what is made of them. Paths have the same barriers, so each takes the device's own.
fn compactions() -> Vec<Maker> {
    let masked = Select::new(Condition::Mask(MaskForm::Bytes), DType::F16, 100_003);
    let compared = Select::new(Condition::Compare(Compare::Lt, Scalar::from(7u32)), DType::U32, 100_003);
    let partition = Partition::new(masked.condition, DType::F16, 100_003).counted();
    let runs = Unique::runs(DType::U32, 100_003).with_counts().with_inverse();
    let mut all: Vec<Maker> = Vec::new();
    for strategy in [ScanStrategy::ReduceThenScan, ScanStrategy::SinglePass] {
        let (select, compared) = (masked.clone().with_strategy(strategy), compared.clone().with_strategy(strategy).counted());
        all.push(Box::new(move |device| {
            compaction(device, &select, |plan, recorder, buffers| plan.record(recorder, &select_bindings(buffers)))
        }));
        all.push(Box::new(move |device| {
            compaction(device, &compared, |plan, recorder, buffers| plan.record(recorder, &select_bindings(buffers)))
        }));
        let runs = runs.clone().with_strategy(strategy);
        all.push(Box::new(move |device| {
            compaction(device, &runs, |plan, recorder, buffers| plan.record(recorder, &unique_bindings(buffers)))
        }));
    }
    all.push(Box::new(move |device| {
        compaction(device, &partition, |plan, recorder, buffers| plan.record(recorder, &select_bindings(buffers)))
    }));
    let sorted = Unique::new(DType::F16, 5003).with_first().with_counts().with_inverse();
    all.push(Box::new(move |device| {
        compaction(device, &sorted, |plan, recorder, buffers| plan.record(recorder, &unique_bindings(buffers)))
    }));
    let decode = RunLengthDecode::new(DType::U32, 20_003, 50_000).counted();
    all.push(Box::new(move |device| {
        compaction(device, &decode, |plan, recorder, buffers| plan.record(recorder, &decode_bindings(buffers)))
    }));
    all
}

fn select_bindings(buffers: &[Buffer]) -> SelectBindings<'_> {
    let [input, output, scratch, count, selected, mask] = [0, 1, 2, 3, 4, 5].map(|at: usize| BufferRange::whole(&buffers[at]));
    SelectBindings { input, output, selected, scratch: Some(scratch), mask: Some(mask), count: Some(count) }
}

fn unique_bindings(buffers: &[Buffer]) -> UniqueBindings<'_> {
    let [input, values, scratch, count, found, first, counts, inverse] =
        [0, 1, 2, 3, 4, 5, 6, 7].map(|at: usize| BufferRange::whole(&buffers[at]));
    let [scratch, count, first, counts, inverse] = [scratch, count, first, counts, inverse].map(Some);
    UniqueBindings { input, values, found, scratch, first, counts, inverse, count }
}

fn decode_bindings(buffers: &[Buffer]) -> RunLengthDecodeBindings<'_> {
    let [values, output, scratch, count, decoded, lengths] = [0, 1, 2, 3, 4, 5].map(|at: usize| BufferRange::whole(&buffers[at]));
    RunLengthDecodeBindings { values, lengths, output, decoded, scratch: Some(scratch), count: Some(count) }
}

/// Records a plan with the buffers of its schedule.
type RecordPlan<K> = fn(&Plan<K>, &mut Recorder, &[Buffer]) -> Result<(), Error>;

/// A kernel with buffers of zeros.
fn compaction<K: wavelane::Kernel + 'static>(device: &Arc<Device>, kernel: &K, record: RecordPlan<K>) -> Result<Option<Kernel>, Failed> {
    let plan: Plan<K> = kernel.plan(device, None)?;
    let make = |need: &wavelane::BufferNeed| -> Result<Buffer, Failed> {
        let buffer = Buffer::new(device, &BufferDescription { size: need.bytes.max(4), memory: MemoryUse::Shared, name: need.name })?;
        buffer.write(0, &vec![0; need.bytes.max(4) as usize])?;
        Ok(buffer)
    };
    let buffers: Vec<Buffer> = plan.schedule().buffers.iter().map(make).collect::<Result<_, _>>()?;
    let name = format!("{} {}, {}", plan.schedule().kernel, plan.schedule().title, plan.schedule().strategy);
    let result = buffers[1].clone();
    Ok(Some(Kernel { name, record: Box::new(move |recorder| record(&plan, recorder, &buffers)), result }))
}

/// None where the device does not have the path.
fn reduction(device: &Arc<Device>, reduce: &Reduce, path: Path, quirks: &[&'static Quirk]) -> Result<Option<Kernel>, Failed> {
    // A device whose bindings reach less far takes several dispatches for a part each.
    let mut capabilities = device.capabilities().clone();
    if !quirks.is_empty() {
        capabilities.limits.max_storage_buffer_range = 1 << 17;
    }
    let schedule = match reduce.schedule(&capabilities, quirks, Some(path)) {
        Err(Error::PathUnavailable { .. }) => return Ok(None),
        schedule => schedule?,
    };
    let name = format!("{} of {} {:?} by {path}, {} dispatches", reduce.op, reduce.dtype, reduce.shape, schedule.steps.len());
    let counted = if reduce.counted { "counted " } else { "" };
    let name = format!("{counted}{name}");
    let buffer = |size: u64, name| Buffer::new(device, &BufferDescription { size: size.max(4), memory: MemoryUse::Shared, name });
    let input = buffer(schedule.input_bytes, "input")?;
    let output = buffer(schedule.output_bytes, "output")?;
    let scratch = buffer(schedule.scratch_bytes, "scratch")?;
    input.write(0, &vec![0; schedule.input_bytes as usize])?;
    // The count is made on the device too, from one that was appended to.
    let list = if reduce.counted { Some(List::new(device)?) } else { None };
    let plan = ReducePlan::new(schedule, &Pipelines::new(device))?;
    let result = output.clone();
    let record = move |recorder: &mut Recorder| {
        let count = list.as_ref().map(|list| list.record(recorder)).transpose()?;
        let bindings = ReduceBindings {
            input: BufferRange::whole(&input),
            output: BufferRange::whole(&output),
            scratch: Some(BufferRange::whole(&scratch)),
            scratch_state: ScratchState::Unknown,
            count,
        };
        plan.record(recorder, &bindings)
    };
    Ok(Some(Kernel { name, record: Box::new(record), result }))
}

/// A list's counter, and the record that the device makes of it.
struct List {
    plan: DispatchArgumentsPlan,
    counter: Buffer,
    made: Buffer,
}

impl List {
    fn new(device: &Arc<Device>) -> Result<Self, Failed> {
        let plan = DispatchArguments::new(128, 100_003).plan(device)?;
        let buffer = |size, name| Buffer::new(device, &BufferDescription { size, memory: MemoryUse::Shared, name });
        let counter = buffer(plan.schedule().count_bytes, "counter")?;
        let made = buffer(plan.schedule().record_bytes, "dispatch record")?;
        Ok(Self { plan, counter, made })
    }

    /// Resets the counter, stands in for an append by a fill, and makes the record, which is then ready to be copied from.
    fn record(&self, recorder: &mut Recorder) -> Result<BufferRange<'_>, Error> {
        let [counts, records] = [&self.counter, &self.made].map(BufferRange::whole);
        recorder.fill(counts, 0)?;
        recorder.barrier(&[BufferBarrier::new(counts, Access::TransferWrite, Access::TransferWrite)])?;
        recorder.fill(counts, 77)?;
        recorder.barrier(&[BufferBarrier::new(counts, Access::TransferWrite, Access::ComputeRead)])?;
        self.plan.record(recorder, &DispatchArgumentsBindings { counts, first_count: 0, records })?;
        recorder.barrier(&[BufferBarrier::new(records, Access::ComputeWrite, Access::TransferRead)])?;
        self.plan.count(records, 0)
    }
}
