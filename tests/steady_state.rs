//! Recording and submitting again and again allocates nothing, and nothing grows.
//!
//! An allocator that counts stands before the system's. It sees what Rust allocates on the thread; a driver's own `malloc` goes past it, as does
//! the validation layer's. What these keep shows in the memory of the process. That layer keeps notes of everything it sees, so the long runs are without it
//! and a short one is under it.

mod counting;
mod harness;
mod multiply_add;

use std::process::ExitCode;
use std::sync::Arc;

use counting::{Counting, allocations};
use harness::Case;
use harness::gpu::ensure;
use libtest_mimic::Failed;
use multiply_add::{PATIENCE, buffer, dispatch};
use wavelane_device::{Buffer, Device, DeviceChoice, DeviceOptions, Instance, InstanceOptions, MemoryUse, Profile, Validation, choose};
use wavelane_record::{Access, BufferBarrier, BufferRange, ComputePipeline, HazardMode, Recorder, RecorderOptions, Reuse};

const SUBMITS: u32 = 10_000;
/// What is allocated once, by us or a driver, is allocated by then.
const WARM_UP: u32 = 500;
/// Under validation, to see that what runs is right; what grows then is the layer's.
const VALIDATED_SUBMITS: u32 = 100;
/// Resident memory may vary by this much. A little more than 200 bytes kept for each submit show.
const MARGIN_BYTES: u64 = 2 << 20;
/// Words that a dispatch is about.
const COUNT: u32 = 256;
/// Parts of the buffers that recordings take in turns.
const PARTS: u32 = 7;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn main() -> ExitCode {
    let mut cases = Vec::new();
    for (form, run) in FORMS {
        for profile in [None, Some("minimal")] {
            let suffix = if profile.is_some() { "_on_vulkan_1_1" } else { "" };
            let long = move || run(&Bench::new(profile, Validation::Off)?, SUBMITS, Fault::None);
            cases.push(Case::new(format!("{form}{suffix}"), move |_| long()));
            let short = move || run(&Bench::new(profile, Validation::On)?, VALIDATED_SUBMITS, Fault::None);
            cases.push(Case::new(format!("{form}{suffix}_is_valid"), move |_| short()));
        }
    }
    let canary = |fault| move |_: &harness::Driver| recorded_anew(&Bench::new(None, Validation::Off)?, SUBMITS, fault);
    cases.push(Case::new("an_allocation_is_noticed", canary(Fault::Allocates)).must_fail("heap allocations"));
    cases.push(Case::new("growth_is_noticed", canary(Fault::Grows)).must_fail("bytes of memory"));
    cases.push(Case::new("a_buffer_left_is_noticed", canary(Fault::KeepsABuffer)).must_fail("of the device's memory"));
    harness::main(cases)
}

type Run = fn(&Bench, u32, Fault) -> Result<(), Failed>;
const FORMS: [(&str, Run); 5] = [
    ("recorded_anew", recorded_anew),
    ("recorded_anew_and_checked", recorded_checked),
    ("recorded_anew_with_other_buffers", recorded_with_other_ranges),
    ("a_sequence_again", sequence_again),
    ("a_sequence_in_flight_twice", sequence_overlapping),
];

/// What a canary does wrong.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    None,
    /// Once while it records.
    Allocates,
    /// A little with each submit.
    Grows,
    KeepsABuffer,
}

/// A device with what the dispatches need.
struct Bench {
    device: Arc<Device>,
    pipeline: ComputePipeline,
    buffers: [Buffer; 2],
}

impl Bench {
    fn new(profile: Option<&str>, validation: Validation) -> Result<Self, Failed> {
        let options = InstanceOptions { application_name: "wavelane tests".to_owned(), validation };
        let adapters = Instance::new(&options)?.adapters()?;
        let profile = profile.map(Profile::named).transpose()?;
        let device = Device::new(choose(&adapters, &DeviceChoice::Best)?, &DeviceOptions { profile, ..DeviceOptions::default() })?;
        let make = || buffer(&device, COUNT * PARTS, MemoryUse::Device);
        Ok(Self { pipeline: multiply_add::pipeline(&device, 1)?, buffers: [make()?, make()?], device })
    }

    /// Four dispatches to and fro, with a barrier behind each.
    fn record(&self, recorder: &mut Recorder, part: u32) -> Result<(), Failed> {
        let bytes = u64::from(COUNT) * 4;
        let range = |step: usize| BufferRange::new(&self.buffers[step % 2], bytes * u64::from(part), bytes);
        for step in 0..4 {
            let (from, to) = (range(step)?, range(step + 1)?);
            dispatch(recorder, &self.pipeline, from, to, 3)?;
            recorder.barrier(&[
                BufferBarrier::new(to, Access::ComputeWrite, Access::ComputeRead),
                BufferBarrier::new(from, Access::ComputeRead, Access::ComputeWrite),
            ])?;
        }
        Ok(())
    }

    fn recorder(&self, reuse: Reuse, hazards: HazardMode) -> Result<Recorder, Failed> {
        Ok(Recorder::with_options(&self.device, &RecorderOptions { reuse, hazards, ..RecorderOptions::default() })?)
    }
}

fn recorded_anew(bench: &Bench, submits: u32, fault: Fault) -> Result<(), Failed> {
    recorded_in_mode(bench, submits, fault, HazardMode::Off)
}

fn recorded_checked(bench: &Bench, submits: u32, fault: Fault) -> Result<(), Failed> {
    recorded_in_mode(bench, submits, fault, HazardMode::Checked)
}

fn recorded_in_mode(bench: &Bench, submits: u32, fault: Fault, hazards: HazardMode) -> Result<(), Failed> {
    let mut recorder = bench.recorder(Reuse::Once, hazards)?;
    steady(bench, submits, fault, |recording, fault| {
        let recorded = counting(|| bench.record(&mut recorder, 0))?;
        if recording && fault == Fault::Allocates {
            counting(|| {
                drop(std::hint::black_box(Box::new(0u64)));
                Ok(())
            })?;
        }
        let submission = recorder.submit()?;
        submission.wait(PATIENCE)?;
        recorder.reset()?;
        Ok(recorded)
    })
}

/// Bindings differ from those of the recording before, so without push descriptors sets are written anew.
fn recorded_with_other_ranges(bench: &Bench, submits: u32, fault: Fault) -> Result<(), Failed> {
    let mut recorder = bench.recorder(Reuse::Once, HazardMode::Off)?;
    let mut part = 0;
    steady(bench, submits, fault, |_, _| {
        part = (part + 1) % PARTS;
        let recorded = counting(|| bench.record(&mut recorder, part))?;
        recorder.submit()?.wait(PATIENCE)?;
        recorder.reset()?;
        Ok(recorded)
    })
}

fn sequence_again(bench: &Bench, submits: u32, fault: Fault) -> Result<(), Failed> {
    let mut recorder = bench.recorder(Reuse::Many, HazardMode::Off)?;
    bench.record(&mut recorder, 0)?;
    let sequence = recorder.finish()?;
    steady(bench, submits, fault, |_, _| {
        sequence.submit()?.wait(PATIENCE)?;
        Ok(0)
    })
}

/// Each is submitted before the one before it was waited for.
fn sequence_overlapping(bench: &Bench, submits: u32, fault: Fault) -> Result<(), Failed> {
    let mut recorder = bench.recorder(Reuse::Simultaneous, HazardMode::Off)?;
    bench.record(&mut recorder, 0)?;
    let sequence = recorder.finish()?;
    let mut before = sequence.submit()?;
    steady(bench, submits, fault, |_, _| {
        let submission = sequence.submit()?;
        std::mem::replace(&mut before, submission).wait(PATIENCE)?;
        Ok(0)
    })?;
    Ok(before.wait(PATIENCE)?)
}

/// Does `again` so many times, and fails where it allocates in Rust, or leaves more memory in use than there was.
fn steady(bench: &Bench, submits: u32, fault: Fault, mut again: impl FnMut(bool, Fault) -> Result<u64, Failed>) -> Result<(), Failed> {
    for _ in 0..WARM_UP {
        again(false, fault)?;
    }
    let (device_before, resident_before) = (bench.device.memory_statistics(), resident()?);
    let mut left = Vec::with_capacity(1);
    let (mut while_recording, before) = (0, allocations());
    for submit in 0..submits {
        while_recording += again(submit == submits / 2, fault)?;
        if fault == Fault::Grows {
            let kept: &mut [u8] = Box::leak(vec![1; 512].into_boxed_slice());
            std::hint::black_box(kept);
        }
        if fault == Fault::KeepsABuffer && left.is_empty() {
            left.push(buffer(&bench.device, 1, MemoryUse::Device)?);
        }
    }
    let all = allocations() - before;
    let (device_after, resident_after) = (bench.device.memory_statistics(), resident()?);
    let grown = resident_after.saturating_sub(resident_before);
    println!("{submits} submits: {all} heap allocations, {while_recording} of them while recording; resident memory grew by {grown} bytes");
    ensure(device_after == device_before, || format!("{device_before:?} of the device's memory became {device_after:?}"))?;
    ensure(grown <= MARGIN_BYTES || submits < SUBMITS, || format!("{submits} submits left {grown} bytes of memory behind"))?;
    // Submitting, waiting and resetting do not have to be free of allocations, but they are.
    ensure(all == 0, || format!("{submits} submits made {all} heap allocations, {while_recording} of them while recording"))
}

/// Allocations of this thread in `action`.
fn counting(action: impl FnOnce() -> Result<(), Failed>) -> Result<u64, Failed> {
    let before = allocations();
    action()?;
    Ok(allocations() - before)
}

/// Bytes of memory that the process has in use.
fn resident() -> Result<u64, Failed> {
    if !cfg!(target_os = "linux") {
        return Ok(0);
    }
    let status = std::fs::read_to_string("/proc/self/status")?;
    let kib = status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    Ok(kib.ok_or("no VmRSS in /proc/self/status")? * 1024)
}
