//! Reductions with a timestamp around each dispatch: a table of where the time went, and a trace for Perfetto.
//!
//!     cargo run --release --example trace [trace.json]
//!
//! Open the file at <https://ui.perfetto.dev> or in `chrome://tracing`.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::ensure;
use wavelane::device::{Buffer, BufferDescription, DeviceType, MemoryUse};
use wavelane::record::{Access, BufferBarrier, BufferRange, DispatchRecord, Recorder, RecorderOptions, Trace, measure_copy_rate};
use wavelane::{Context, DType, Pipelines, Reduce, ReduceBindings, ReduceOp, ScratchState};

const PATIENCE: Duration = Duration::from_secs(60);
const HEIGHTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/jacksboro_dem.npy");

/// A reduction, and its input on the device.
struct Job {
    reduce: Reduce,
    input: Buffer,
    /// The first result, if it is known beforehand.
    expected: Option<f32>,
}

fn main() -> anyhow::Result<()> {
    let file = std::env::args().nth(1).map_or_else(|| std::env::temp_dir().join("wavelane-trace.json"), PathBuf::from);
    let context = Context::new(&Default::default())?;
    let device = context.device();
    let pipelines = Pipelines::new(device);
    let jobs = jobs(&context)?;
    let mut trace = Trace::of(device);
    for job in &jobs {
        // The first run finds nothing warm, neither caches nor clocks; the second is traced.
        run(&context, &pipelines, job, None)?;
        run(&context, &pipelines, job, Some(&mut trace))?;
    }
    let small = device.capabilities().device_type == DeviceType::Cpu;
    let peak = measure_copy_rate(device, if small { 32 << 20 } else { 256 << 20 })?;
    // Some devices copy far below what their memory gives, and then the fastest dispatch says more.
    let fastest = trace.records().iter().filter_map(DispatchRecord::gb_per_second).reduce(f64::max);
    let peak = peak.into_iter().chain(fastest).reduce(f64::max);
    println!("{}, whose peak is taken to be the fastest of its copies and of these dispatches\n\n{}", trace.device(), trace.table(peak));
    fs::write(&file, trace.to_json())?;
    println!("{} dispatches are in {}", trace.records().len(), file.display());
    Ok(())
}

fn run(context: &Context, pipelines: &Pipelines, job: &Job, trace: Option<&mut Trace>) -> anyhow::Result<()> {
    let device = context.device();
    let plan = job.reduce.plan_with(pipelines, context.path())?;
    let schedule = plan.schedule();
    let buffer = |size, memory, name| Buffer::new(device, &BufferDescription { size, memory, name });
    let output = buffer(schedule.output_bytes, MemoryUse::Shared, "output")?;
    let scratch = match schedule.scratch_bytes {
        0 => None,
        bytes => Some(buffer(bytes, MemoryUse::Device, "scratch")?),
    };
    let bindings = ReduceBindings {
        input: BufferRange::whole(&job.input),
        output: BufferRange::whole(&output),
        scratch: scratch.as_ref().map(BufferRange::whole),
        scratch_state: ScratchState::Unknown,
        count: None,
    };
    let mut recorder = Recorder::with_options(device, &RecorderOptions { name: "traced", profile: trace.is_some(), ..Default::default() })?;
    plan.record(&mut recorder, &bindings)?;
    recorder.barrier(&[BufferBarrier::new(bindings.output, Access::ComputeWrite, Access::HostRead)])?;
    let submission = recorder.submit()?;
    submission.wait(PATIENCE)?;

    let mut first = [0; 4];
    output.read(0, &mut first)?;
    let got = f32::from_ne_bytes(first);
    ensure!(job.expected.is_none_or(|expected| got == expected), "{:?} gave {got} instead of {:?}", job.reduce, job.expected);
    let Some(trace) = trace else { return Ok(()) };
    let alone = schedule.steps.len() == 1;
    for (record, step) in trace.add("compute", &submission.profile()).iter_mut().zip(&schedule.steps) {
        record.path = Some(plan.path().to_string());
        // Of several dispatches, each one's share without the states they pass on.
        let own = step.input.map_or(0, |range| range.size) + step.output.size;
        record.bytes = Some(if alone { schedule.bytes_moved } else { own });
    }
    Ok(())
}

/// Reductions of the height map, and sums of ones of growing size.
fn jobs(context: &Context) -> anyhow::Result<Vec<Job>> {
    let heights = npyz::NpyFile::new(BufReader::new(File::open(HEIGHTS)?))?;
    let shape: Vec<usize> = heights.shape().iter().map(|&length| length as usize).collect();
    let heights: Vec<f32> = heights.into_vec()?;
    let bytes: Vec<u8> = heights.iter().flat_map(|height| height.to_ne_bytes()).collect();
    let device = context.device();
    let map = Buffer::new(device, &BufferDescription { size: bytes.len() as u64, memory: MemoryUse::Shared, name: "heights" })?;
    map.write(0, &bytes)?;
    let whole = |op| Reduce::new(op, DType::F32, &shape);
    let mut jobs = vec![
        Job { reduce: whole(ReduceOp::Max), input: map.clone(), expected: heights.iter().copied().reduce(f32::max) },
        Job { reduce: whole(ReduceOp::Mean), input: map.clone(), expected: None },
        Job { reduce: whole(ReduceOp::Max).along(1), input: map.clone(), expected: heights[..shape[1]].iter().copied().reduce(f32::max) },
        Job { reduce: whole(ReduceOp::Sum).along(0), input: map, expected: None },
    ];
    for count in [1 << 16, 1 << 20, 1 << 24] {
        let input = Buffer::new(device, &BufferDescription { size: 4 * count as u64, memory: MemoryUse::Device, name: "ones" })?;
        let mut recorder = Recorder::new(device)?;
        recorder.fill(BufferRange::whole(&input), 1.0f32.to_bits())?;
        recorder.barrier(&[BufferBarrier::new(BufferRange::whole(&input), Access::TransferWrite, Access::ComputeRead)])?;
        recorder.submit()?.wait(PATIENCE)?;
        jobs.push(Job { reduce: Reduce::new(ReduceOp::Sum, DType::F32, &[count]), input, expected: Some(count as f32) });
    }
    Ok(jobs)
}
