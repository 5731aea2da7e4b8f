//! Kernels with the buffers they work on, ready to be recorded.

use std::sync::Arc;

use libtest_mimic::Failed;
use wavelane::device::{Buffer, BufferDescription, Device, MemoryUse, Quirk};
use wavelane::record::{Access, BufferBarrier, BufferRange, Recorder};
use wavelane::{
    DType, DispatchArguments, DispatchArgumentsBindings, DispatchArgumentsPlan, Error, Path, Pipelines, Reduce, ReduceBindings,
    ReduceByKey, ReduceByKeyBindings, ReduceOp, ReducePlan, Scan, ScanBindings, ScanOp, ScanStrategy, ScratchState, SegmentSource,
    SegmentedReduce, SegmentedReduceBindings, SegmentedScan, SegmentedScanBindings,
};

#[path = "compactions.rs"]
mod compactions;
#[path = "elementwise.rs"]
mod elementwise;
#[path = "histogram.rs"]
mod histogram;
#[path = "order_statistics.rs"]
mod order_statistics;
#[path = "shared_form.rs"]
mod shared_form;
#[path = "sort.rs"]
mod sort;
#[path = "sorted.rs"]
mod sorted;
#[path = "top_k.rs"]
mod top_k;

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
    scans(&mut all);
    segments(&mut all);
    all.extend(compactions::kernels());
    all.extend(elementwise::kernels());
    all.extend(histogram::kernels());
    all.extend(sort::kernels());
    all.extend(sorted::kernels());
    all.extend(top_k::kernels());
    all.extend(order_statistics::kernels());
    all
}

/// What the kernels of the shared form are recorded by: steps, and so barriers, are the same on every path.
const PATH: Path = Path::SharedMemory;

fn scans(all: &mut Vec<Maker>) {
    for scan in [
        Scan::new(ScanOp::Sum, DType::F32, &[100_003]).counted(),
        Scan::new(ScanOp::Max, DType::U32, &[70, 1031]).along(1).with_strategy(ScanStrategy::SinglePass),
        Scan::new(ScanOp::Last, DType::U32, &[100_003]).in_place(),
        Scan::new(ScanOp::Sum, DType::U32, &[100_003, 2]).along(0).counted(),
    ] {
        for narrow in [false, true] {
            let scan = scan.clone();
            all.push(Box::new(move |device| {
                shared_form::kernel(device, &scan, PATH, narrow, |[input, output, scratch, count, ..]| {
                    Some(ScanBindings { input, output: output?, scratch, count })
                })
            }));
        }
    }
}

/// Kernels on segments: told by flags and by offsets, which become bits first; keys of which two stand in a word, whose results are cleared first.
fn segments(all: &mut Vec<Maker>) {
    for narrow in [false, true] {
        for source in [SegmentSource::Flags, SegmentSource::Offsets(1000)] {
            let scan = SegmentedScan::new(ScanOp::Sum, DType::F32, 100_003, source);
            all.push(Box::new(move |device| {
                shared_form::kernel(device, &scan, PATH, narrow, |[input, output, scratch, count, segments, ..]| {
                    Some(SegmentedScanBindings { input, output: output?, segments, scratch, count })
                })
            }));
        }
        all.push(Box::new(move |device| {
            let reduce = SegmentedReduce::new(ReduceOp::Max, DType::F32, 100_003, 1000).counted();
            shared_form::kernel(device, &reduce, PATH, narrow, |[input, output, scratch, offsets, count, ..]| {
                Some(SegmentedReduceBindings { input, output: output?, told: offsets, scratch, count, found: None })
            })
        }));
        all.push(Box::new(move |device| {
            let reduce = SegmentedReduce::by_flags(ReduceOp::Sum, DType::U32, 20_011);
            shared_form::kernel(device, &reduce, PATH, narrow, |[input, output, scratch, told, count, found, ..]| {
                Some(SegmentedReduceBindings { input, output: output?, told, scratch, count, found })
            })
        }));
        all.push(Box::new(move |device| {
            let reduce = ReduceByKey::new(ReduceOp::Sum, DType::F16, DType::U32, 30_011).counted();
            shared_form::kernel(device, &reduce, PATH, narrow, |[input, output, scratch, count, keys, key_output, runs, ..]| {
                let (keys, input, key_output, output, runs) = (keys?, input?, key_output?, output?, runs?);
                Some(ReduceByKeyBindings { keys, input, key_output, output, runs, scratch, count })
            })
        }));
    }
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
