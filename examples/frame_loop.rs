//! A frame loop that never waits for the frame it has just submitted: each frame changes a part of a height field on the host, sends that part to the device,
//! sums the field there, and takes whatever sums of earlier frames have come back.
//!
//! `cargo run --release --example frame_loop`

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow, ensure};
use wavelane::device::{Buffer, BufferDescription, Device, DeviceChoice, DeviceOptions, Instance, InstanceOptions, MemoryUse, choose};
use wavelane::record::{Access, BufferBarrier, BufferRange, Readback, Readbacks, ReadbacksDescription, Recorder, StagingRing, Submission};
use wavelane::{DType, Reduce, ReduceBindings, ReduceOp, ReducePlan, ScratchState};

const FRAMES: usize = 100;
const IN_FLIGHT: usize = 3;
const HEIGHTS: usize = 1 << 18;
/// Heights that a frame changes.
const STRIP: usize = HEIGHTS / 16;
const PATIENCE: Duration = Duration::from_secs(60);

fn main() -> anyhow::Result<()> {
    let instance = Instance::new(&InstanceOptions::default())?;
    let device = Device::new(choose(&instance.adapters()?, &DeviceChoice::from_env())?, &DeviceOptions::default())?;
    println!("{}: {FRAMES} frames, {IN_FLIGHT} in flight, {HEIGHTS} heights", device.capabilities().device_name);
    let mut frames = FrameLoop::new(&device)?;
    let start = Instant::now();
    for frame in 0..FRAMES {
        frames.run(frame)?;
    }
    let submitted = start.elapsed();
    frames.finish()?;
    let time = start.elapsed();

    let FrameLoop { latencies, ready_at_once, slept, .. } = &frames;
    let (least, most) = (latencies.iter().min().context("no frame")?, latencies.iter().max().context("no frame")?);
    let mean = latencies.iter().sum::<u64>() as f64 / latencies.len() as f64;
    println!(
        "  {:.2} ms a frame; all were submitted after {submitted:.1?}, all were back after {time:.1?}",
        time.as_secs_f64() * 1e3 / FRAMES as f64
    );
    println!("  latency in frames: {mean:.2} on average, {least} to {most}");
    println!(
        "  the oldest frame was done when its turn came {ready_at_once} times of {}, and was waited for {slept:.1?} in all",
        FRAMES - IN_FLIGHT
    );
    println!("  waits for the newest frame: none (it would be an error); for room to stage in: {}", frames.ring.waits());
    let memory = device.memory_statistics();
    println!("  memory: {} bytes at most, readbacks: {:?}", memory.peak_bytes, frames.readbacks.statistics());
    println!("every sum right");
    drop(frames);
    device.close().map_err(|error| anyhow!("{error}: {}", error.advice()))
}

struct FrameLoop {
    plan: ReducePlan,
    /// The field as the device has it, and as the host knows it.
    field: Buffer,
    heights: Vec<u32>,
    output: Buffer,
    scratch: Buffer,
    ring: StagingRing,
    readbacks: Readbacks,
    /// One a frame in flight, used in turn.
    recorders: Vec<Recorder>,
    submissions: VecDeque<Submission>,
    /// What is on its way back: the frame, the sum it must bring, and the handle.
    pending: VecDeque<(usize, u32, Readback)>,
    latencies: Vec<u64>,
    ready_at_once: usize,
    slept: Duration,
}

impl FrameLoop {
    fn new(device: &Arc<Device>) -> anyhow::Result<Self> {
        let plan = Reduce::new(ReduceOp::Sum, DType::U32, &[HEIGHTS]).plan(device, None)?;
        let schedule = plan.schedule();
        let buffer = |name, size: u64| Buffer::new(device, &BufferDescription { size: size.max(4), memory: MemoryUse::Device, name });
        let field = buffer("field", schedule.input_bytes)?;
        let output = buffer("sum", schedule.output_bytes)?;
        let scratch = buffer("scratch", schedule.scratch_bytes)?;
        // Room for the whole field once, and for the strips of more frames than are ever in flight: staging never has to wait.
        let mut ring = StagingRing::new(device, schedule.input_bytes.max(2 * (IN_FLIGHT * STRIP * 4) as u64))?;
        let readbacks = Readbacks::new(device, &ReadbacksDescription { name: "sums", limit: 64 << 10 });

        // Nothing uses the field yet, so where the host reaches it, it is written directly.
        let heights: Vec<u32> = (0..HEIGHTS as u32).map(|i| i.wrapping_mul(2_654_435_761) >> 12).collect();
        let whole = BufferRange::whole(&field);
        let mut recorder = Recorder::new(device)?;
        let upload = ring.write_idle(&mut recorder, whole, bytemuck::cast_slice(&heights), PATIENCE)?;
        recorder.barrier(&[BufferBarrier::new(whole, upload.access(), Access::ComputeRead)])?;
        recorder.submit()?.wait(PATIENCE)?;

        let recorders = (0..IN_FLIGHT).map(|_| Recorder::new(device)).collect::<Result<_, _>>()?;
        Ok(Self {
            plan,
            field,
            heights,
            output,
            scratch,
            ring,
            readbacks,
            recorders,
            submissions: VecDeque::new(),
            pending: VecDeque::new(),
            latencies: Vec::new(),
            ready_at_once: 0,
            slept: Duration::ZERO,
        })
    }

    fn run(&mut self, frame: usize) -> anyhow::Result<()> {
        if self.submissions.len() == IN_FLIGHT {
            self.take_back_the_oldest(frame)?;
        }
        self.collect()?;
        self.simulate(frame);
        self.record(frame)?;
        let submission = self.recorders[frame % IN_FLIGHT].submit()?;
        self.submissions.push_back(submission);
        self.readbacks.next_frame();
        Ok(())
    }

    /// The one place where a frame may sleep. What it waits for has `IN_FLIGHT - 1` newer frames behind it, which keep the device busy meanwhile.
    fn take_back_the_oldest(&mut self, frame: usize) -> anyhow::Result<()> {
        let newest = self.submissions.back().map(|submission| submission.sync_point().value());
        let Some(oldest) = self.submissions.pop_front() else { return Ok(()) };
        let newer = newest.unwrap_or_default() - oldest.sync_point().value();
        ensure!(newer == IN_FLIGHT as u64 - 1, "frame {frame} waits for one that has only {newer} newer ones behind it");
        let start = Instant::now();
        if oldest.is_done()? {
            self.ready_at_once += 1;
        } else {
            oldest.wait(PATIENCE)?;
            self.slept += start.elapsed();
        }
        // So that the ring knows nothing any more of what is reset.
        self.ring.reclaim()?;
        Ok(self.recorders[frame % IN_FLIGHT].reset()?)
    }

    /// Takes what has come back, and waits for nothing.
    fn collect(&mut self) -> anyhow::Result<()> {
        while let Some((frame, expected, readback)) = self.pending.front() {
            let Some(bytes) = readback.poll()? else { break };
            let sum: u32 = bytemuck::pod_read_unaligned(&bytes[..4]);
            ensure!(sum == *expected, "frame {frame} brought the sum {sum} and not {expected}");
            self.latencies.push(readback.latency_frames());
            self.pending.pop_front();
        }
        Ok(())
    }

    /// A wave goes over one strip of the field.
    fn simulate(&mut self, frame: usize) {
        let start = strip(frame);
        for (i, height) in self.heights[start..start + STRIP].iter_mut().enumerate() {
            *height = height.wrapping_add((i as u32 ^ frame as u32) & 0xff);
        }
    }

    fn record(&mut self, frame: usize) -> anyhow::Result<()> {
        let recorder = &mut self.recorders[frame % IN_FLIGHT];
        let [field, output, scratch] = [&self.field, &self.output, &self.scratch].map(BufferRange::whole);
        let changed = field.slice(strip(frame) as u64 * 4, STRIP as u64 * 4)?;
        // The frames before may still sum the field, and read the sum.
        recorder.barrier(&[
            BufferBarrier::new(changed, Access::ComputeRead, Access::TransferWrite),
            BufferBarrier::new(output, Access::TransferRead, Access::ComputeWrite),
            BufferBarrier::new(
                scratch,
                Access::ComputeReadWrite,
                if frame == 0 { Access::TransferWrite } else { Access::ComputeReadWrite },
            ),
        ])?;
        let heights = &self.heights[strip(frame)..strip(frame) + STRIP];
        self.ring.try_stage(recorder, changed, bytemuck::cast_slice(heights))?;
        recorder.barrier(&[BufferBarrier::new(changed, Access::TransferWrite, Access::ComputeRead)])?;
        let scratch_state = if frame == 0 { ScratchState::Unknown } else { ScratchState::Zeroed };
        self.plan.record(recorder, &ReduceBindings { input: field, output, scratch: Some(scratch), scratch_state, count: None })?;
        recorder.barrier(&[BufferBarrier::new(output, Access::ComputeWrite, Access::TransferRead)])?;
        let readback = self.readbacks.read(recorder, output)?;
        let expected = self.heights.iter().fold(0u32, |sum, &height| sum.wrapping_add(height));
        self.pending.push_back((frame, expected, readback));
        Ok(())
    }

    /// After the last frame there is nothing better to do than to wait.
    fn finish(&mut self) -> anyhow::Result<()> {
        self.submissions.drain(..).try_for_each(|submission| submission.wait(PATIENCE))?;
        self.collect()?;
        ensure!(self.latencies.len() == FRAMES, "{} sums of {FRAMES} frames came back", self.latencies.len());
        ensure!(self.latencies.iter().all(|&latency| latency <= IN_FLIGHT as u64), "a sum came late: {:?}", self.latencies);
        ensure!(self.ring.waits() == 0, "staging waited {} times", self.ring.waits());
        Ok(())
    }
}

/// Where the strip of a frame starts.
fn strip(frame: usize) -> usize {
    frame * STRIP % HEIGHTS
}
