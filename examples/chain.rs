//! Kernels one behind the other in one command buffer, by counts that only the device knows: keeps the values below a bound, scans what was kept in place, and
//! reduces the running sums; then checks all of it against the CPU.
//!
//! `cargo run --release --example chain [-- --validate]`; `--validate` has the validation layer watch.

use std::time::Duration;

use anyhow::ensure;
use wavelane::device::{
    Buffer, BufferDescription, Device, DeviceChoice, DeviceOptions, Instance, InstanceOptions, MemoryUse, Validation, choose,
};
use wavelane::record::{Access, BufferBarrier, BufferRange, Recorder};
use wavelane::{
    Compare, Condition, DType, Kernel, Path, Pipelines, Reduce, ReduceBindings, ReduceOp, Scalar, Scan, ScanBindings, ScanOp, ScratchState,
    Select, SelectBindings,
};

const VALUES: usize = 1_000_003;
const BOUND: u32 = 1000;

fn main() -> anyhow::Result<()> {
    let validation = if std::env::args().any(|argument| argument == "--validate") { Validation::On } else { Validation::Off };
    let instance = Instance::new(&InstanceOptions { application_name: "chain".into(), validation })?;
    let device = Device::new(choose(&instance.adapters()?, &DeviceChoice::from_env())?, &DeviceOptions::default())?;
    let (pipelines, path) = (Pipelines::new(&device), Path::from_env()?);

    // Each is planned for as many elements as there can be, and takes how many there are from the one before.
    let below = Condition::Compare(Compare::Lt, Scalar::from(BOUND));
    let select = Select::new(below, DType::U32, VALUES).plan_with(&pipelines, path)?;
    let scan = Scan::new(ScanOp::Sum, DType::U32, &[VALUES]).in_place().counted().plan_with(&pipelines, path)?;
    let greatest = Reduce::new(ReduceOp::Max, DType::U32, &[VALUES]).counted().plan_with(&pipelines, path)?;

    let buffer = |name, size| Buffer::new(&device, &BufferDescription { size, memory: MemoryUse::Shared, name });
    let source = buffer("values", 4 * VALUES as u64)?;
    let kept = buffer("kept", 4 * VALUES as u64)?;
    let count = buffer("count", 4)?;
    let result = buffer("greatest", 4)?;
    // One after the other, so that they can share it.
    let needed = [select.schedule().scratch_bytes(), scan.schedule().scratch_bytes(), greatest.schedule().scratch_bytes];
    let scratch = buffer("scratch", needed.into_iter().max().unwrap_or(4).max(4))?;
    let values: Vec<u32> = (0..VALUES as u32).map(|i| i.wrapping_mul(2_654_435_761) >> 20).collect();
    source.write(0, bytemuck::cast_slice(&values))?;
    let [source, kept, count, result, scratch] = [&source, &kept, &count, &result, &scratch].map(BufferRange::whole);

    let mut recorder = Recorder::new(&device)?;
    let bindings =
        SelectBindings { input: source, output: kept, selected: count, scratch: Some(scratch), mask: None, count: None, offsets: None };
    select.record(&mut recorder, &bindings)?;
    recorder.barrier(&[
        BufferBarrier::new(kept, Access::ComputeWrite, Access::ComputeReadWrite),
        BufferBarrier::new(count, Access::TransferWrite, Access::TransferRead),
        // Temporary memory is used again: by the copy of the count first.
        BufferBarrier::new(scratch, Access::ComputeReadWrite, Access::TransferWrite),
        BufferBarrier::new(scratch, Access::ComputeReadWrite, Access::ComputeReadWrite),
    ])?;
    scan.record(&mut recorder, &ScanBindings { input: None, output: kept, scratch: Some(scratch), count: Some(count) })?;
    recorder.barrier(&[
        BufferBarrier::new(kept, Access::ComputeReadWrite, Access::ComputeRead),
        BufferBarrier::new(scratch, Access::ComputeReadWrite, Access::TransferWrite),
        BufferBarrier::new(scratch, Access::ComputeReadWrite, Access::ComputeReadWrite),
    ])?;
    let bindings =
        ReduceBindings { input: kept, output: result, scratch: Some(scratch), scratch_state: ScratchState::Unknown, count: Some(count) };
    greatest.record(&mut recorder, &bindings)?;
    recorder.barrier(&[
        BufferBarrier::new(kept, Access::ComputeReadWrite, Access::HostRead),
        BufferBarrier::new(count, Access::TransferWrite, Access::HostRead),
        BufferBarrier::new(result, Access::ComputeWrite, Access::HostRead),
    ])?;
    recorder.submit()?.wait(Duration::from_secs(60))?;

    let word = |range: BufferRange<'_>| -> anyhow::Result<u32> {
        let mut bytes = [0; 4];
        range.buffer().read(0, &mut bytes)?;
        Ok(u32::from_ne_bytes(bytes))
    };
    let sums: Vec<u32> = values.iter().filter(|&&value| value < BOUND).scan(0u32, |sum, &value| Some(add(sum, value))).collect();
    let mut got = vec![0; 4 * sums.len()];
    kept.buffer().read(0, &mut got)?;
    ensure!(word(count)? as usize == sums.len(), "{} were kept, and {} are below {BOUND}", word(count)?, sums.len());
    ensure!(bytemuck::pod_collect_to_vec::<u8, u32>(&got) == sums, "a running sum is wrong");
    ensure!(Some(&word(result)?) == sums.iter().max(), "the greatest running sum is wrong");
    println!("{} of {VALUES} values kept, scanned in place and reduced in one submission: all as on the CPU", sums.len());
    Ok(())
}

fn add(sum: &mut u32, value: u32) -> u32 {
    *sum = sum.wrapping_add(value);
    *sum
}
