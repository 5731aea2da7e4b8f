//! Two queues: while one reduces, the other reduces too, or copies the next block in. What depends on the other queue waits for its sync point;
//! what does not runs beside it. On a device with one queue the same code runs one after the other.
//!
//! `cargo run --release --example async_compute`

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::ensure;
use wavelane::device::{
    Buffer, BufferDescription, Device, DeviceChoice, DeviceOptions, Instance, InstanceOptions, MemoryUse, QueueRole, choose,
};
use wavelane::record::{Access, BufferBarrier, BufferRange, OwnershipTransfer, Recorder, RecorderOptions, Submission, TransferHalf};
use wavelane::{DType, Reduce, ReduceBindings, ReduceOp, ReducePlan, ScratchState};

const PATIENCE: Duration = Duration::from_secs(60);

fn main() -> anyhow::Result<()> {
    let instance = Instance::new(&InstanceOptions::default())?;
    let adapters = instance.adapters()?;
    let device = Device::new(choose(&adapters, &DeviceChoice::from_env())?, &DeviceOptions::default())?;
    println!("{}", device.capabilities().device_name);
    for role in [QueueRole::Compute, QueueRole::AsyncCompute, QueueRole::Transfer] {
        let queue = device.queue(role);
        let own = if device.has_own_queue(role) { "of its own" } else { "shared" };
        println!("  {role:?}: family {}, index {}, {own}", queue.family(), queue.index());
    }
    beside(&device)?;
    pipelined(&device)
}

/// A reduction with buffers of its own.
struct Work {
    plan: ReducePlan,
    input: Buffer,
    output: Buffer,
    scratch: Buffer,
}

impl Work {
    fn new(device: &Arc<Device>, elements: usize, memory: MemoryUse) -> anyhow::Result<Self> {
        let plan = Reduce::new(ReduceOp::Sum, DType::U32, &[elements]).plan(device, None)?;
        let schedule = plan.schedule();
        let buffer = |name, size: u64, memory| Buffer::new(device, &BufferDescription { size: size.max(4), memory, name });
        let input = buffer("input", schedule.input_bytes, memory)?;
        let output = buffer("output", schedule.output_bytes, MemoryUse::Shared)?;
        let scratch = buffer("scratch", schedule.scratch_bytes, MemoryUse::Device)?;
        Ok(Self { plan, input, output, scratch })
    }

    /// Records the reduction `times` over.
    fn record(&self, recorder: &mut Recorder, times: u32) -> anyhow::Result<()> {
        let [input, output, scratch] = [&self.input, &self.output, &self.scratch].map(BufferRange::whole);
        for time in 0..times {
            let scratch_state = if time == 0 { ScratchState::Unknown } else { ScratchState::Zeroed };
            self.plan.record(recorder, &ReduceBindings { input, output, scratch: Some(scratch), scratch_state, count: None })?;
            let again = |range| BufferBarrier::new(range, Access::ComputeReadWrite, Access::ComputeReadWrite);
            recorder.barrier(&[again(output), again(scratch)])?;
        }
        recorder.barrier(&[BufferBarrier::new(output, Access::ComputeWrite, Access::HostRead)])?;
        Ok(())
    }

    fn result(&self) -> anyhow::Result<u32> {
        let mut bytes = [0; 4];
        self.output.read(0, &mut bytes)?;
        Ok(u32::from_ne_bytes(bytes))
    }
}

/// Two independent chains of small reductions, which leave most of a GPU idle: one after the other, and side by side.
fn beside(device: &Arc<Device>) -> anyhow::Result<()> {
    const ELEMENTS: usize = 4096;
    const TIMES: u32 = 300;
    let works = [Work::new(device, ELEMENTS, MemoryUse::Shared)?, Work::new(device, ELEMENTS, MemoryUse::Shared)?];
    for work in &works {
        work.input.write(0, bytemuck::cast_slice(&vec![3u32; ELEMENTS]))?;
    }
    let run = |roles: [QueueRole; 2]| -> anyhow::Result<Duration> {
        let mut recorders = Vec::new();
        for (work, queue) in works.iter().zip(roles) {
            let mut recorder = Recorder::with_options(device, &RecorderOptions { queue, ..RecorderOptions::default() })?;
            work.record(&mut recorder, TIMES)?;
            recorders.push(recorder);
        }
        let start = Instant::now();
        let submissions = recorders.iter_mut().map(Recorder::submit).collect::<Result<Vec<_>, _>>()?;
        submissions.iter().try_for_each(|submission| submission.wait(PATIENCE))?;
        let time = start.elapsed();
        for work in &works {
            ensure!(work.result()? == 3 * ELEMENTS as u32, "{} and not {}", work.result()?, 3 * ELEMENTS);
        }
        Ok(time)
    };
    let same = [QueueRole::Compute; 2];
    let both = [QueueRole::Compute, QueueRole::AsyncCompute];
    run(both)?;
    let (one, two) = (run(same)?.min(run(same)?), run(both)?.min(run(both)?));
    println!("\ntwo chains of {TIMES} reductions: {one:.1?} on one queue");
    if device.has_own_queue(QueueRole::AsyncCompute) {
        println!("  and {two:.1?} on two: {:.2} times as fast", one.as_secs_f64() / two.as_secs_f64());
    } else {
        println!("  (the device has no other, so there is nothing to gain)");
    }
    Ok(())
}

/// Blocks come in by the transfer queue while the block before is reduced: each queue waits for the other's sync points only.
fn pipelined(device: &Arc<Device>) -> anyhow::Result<()> {
    const ELEMENTS: usize = 1 << 20;
    const BLOCKS: u32 = 8;
    let bytes = (ELEMENTS * 4) as u64;
    let works = [Work::new(device, ELEMENTS, MemoryUse::Device)?, Work::new(device, ELEMENTS, MemoryUse::Device)?];
    let staging = Buffer::new(device, &BufferDescription { size: u64::from(BLOCKS) * bytes, memory: MemoryUse::Upload, name: "staging" })?;
    for block in 0..BLOCKS {
        staging.write(u64::from(block) * bytes, bytemuck::cast_slice(&vec![block + 1; ELEMENTS]))?;
    }
    let (copying, computing) = (device.queue(QueueRole::Transfer).family(), device.queue(QueueRole::Compute).family());
    // Between families a buffer changes hands by two barriers, one on each queue. What the blocks before left in it is of no use, so it need not go back.
    let transfer = |half| (copying != computing).then_some(OwnershipTransfer { from_family: copying, to_family: computing, half });

    let start = Instant::now();
    let mut sums = Vec::new();
    // Who goes last waits for the device, so what is in flight is kept.
    let mut copies = Vec::new();
    // Of each buffer, the reduction that still reads it.
    let mut reading: [Option<(Submission, Recorder)>; 2] = [None, None];
    for block in 0..BLOCKS {
        let slot = (block % 2) as usize;
        let work = &works[slot];
        let input = BufferRange::whole(&work.input);
        let free: Vec<_> = reading[slot].iter().map(|(submission, _)| submission.sync_point()).collect();

        let mut copy = Recorder::with_options(device, &RecorderOptions { queue: QueueRole::Transfer, ..RecorderOptions::default() })?;
        copy.copy(BufferRange::new(&staging, u64::from(block) * bytes, bytes)?, input)?;
        let barrier = BufferBarrier::new(input, Access::TransferWrite, Access::ComputeRead);
        if let Some(release) = transfer(TransferHalf::Release) {
            copy.barrier(&[barrier.with_transfer(release)])?;
        }
        let copied = copy.submit_after(&free)?;

        // The result of the block before in this buffer, read while the next one comes in.
        if let Some((submission, _)) = reading[slot].take() {
            submission.wait(PATIENCE)?;
            sums.push(work.result()?);
        }
        let mut reduce = Recorder::new(device)?;
        if let Some(acquire) = transfer(TransferHalf::Acquire) {
            reduce.barrier(&[barrier.with_transfer(acquire)])?;
        }
        work.record(&mut reduce, 1)?;
        let reduced = reduce.submit_after(&[copied.sync_point()])?;
        reading[slot] = Some((reduced, reduce));
        copies.push((copied, copy));
    }
    for slot in [BLOCKS % 2, (BLOCKS + 1) % 2] {
        if let Some((submission, _)) = reading[slot as usize].take() {
            submission.wait(PATIENCE)?;
            sums.push(works[slot as usize].result()?);
        }
    }
    let expected: Vec<u32> = (1..=BLOCKS).map(|value| value * ELEMENTS as u32).collect();
    ensure!(sums == expected, "{sums:?} and not {expected:?}");
    println!("{BLOCKS} blocks of {} MiB copied and reduced in {:.1?}, every sum right", bytes >> 20, start.elapsed());
    Ok(())
}
