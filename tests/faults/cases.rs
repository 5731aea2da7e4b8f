//! Faults that call for more than an error of the right kind.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use libtest_mimic::Failed;
use wavelane::device::vk::Result as R;
use wavelane::device::{Buffer, BufferDescription, DeviceOptions, MemoryUse};
use wavelane::record::{Access, BufferBarrier, BufferRange, Recorder};
use wavelane::{Context, ContextOptions, DType, Error, Reduce, ReduceOp, Tensor, device, record};

use super::faults::{self, Fault};
use super::harness::Case;
use super::harness::gpu::ensure;
use super::job::{Setting, instance, reductions};
use super::matrix::{calls, ensure_sound};

pub fn cases() -> Vec<Case> {
    vec![
        Case::new("the_table_sees_the_whole_job", |_| census()),
        Case::new("a_leak_is_seen", |_| leak()).must_fail("\"FENCE\": 1"),
        Case::new("exhausted_memory_names_buffer_and_bytes", |_| exhausted()),
        Case::new("a_device_lost_at_a_submission_names_the_dispatch", |_| lost(&["vkQueueSubmit"])),
        Case::new("a_device_lost_at_a_wait_names_the_dispatch", |_| lost(&["vkWaitForFences", "vkWaitSemaphores"])),
        Case::new("a_lost_device_leaves_the_instance_whole", |_| same_instance()),
        Case::new("a_pipeline_that_fails_is_named", |_| pipelines()),
        Case::new("a_wait_that_times_out_can_be_repeated", |_| time_out()),
        Case::new("a_device_that_never_finishes_is_given_up", |_| hang()),
    ]
}

/// The matrix is worth what it strikes: these calls, or their newer forms, are made by every engine that does this work.
fn census() -> Result<(), Failed> {
    for setting in [Setting::Discrete, Setting::Minimal] {
        let calls = calls(setting, reductions)?;
        for (call, count) in &calls {
            eprintln!("{setting:?}: {call} {count}");
        }
        let mut wanted = vec![
            "vkEnumerateInstanceVersion",
            "vkCreateInstance",
            "vkEnumeratePhysicalDevices",
            "vkCreateDevice",
            "vkCreateBuffer",
            "vkAllocateMemory",
            "vkBindBufferMemory",
            "vkMapMemory",
            "vkCreateComputePipelines",
            "vkCreateCommandPool",
            "vkBeginCommandBuffer",
            "vkEndCommandBuffer",
            "vkQueueSubmit",
            "vkWait",
        ];
        match setting {
            // A device with memory of its own is shown as it is, and all of that may be coherent.
            Setting::Discrete if faults::pretended() => wanted.push("vkInvalidateMappedMemoryRanges"),
            Setting::Discrete => {}
            Setting::Minimal => wanted.extend(["vkCreateDescriptorPool", "vkAllocateDescriptorSets"]),
        }
        wanted.retain(|wanted| !calls.keys().any(|call| call.starts_with(wanted)));
        ensure(wanted.is_empty(), || format!("{setting:?} lacks {wanted:?} among {calls:?}"))?;
        let submits = sum(&calls, "vkQueueSubmit");
        ensure(setting == Setting::Minimal || submits > 6, || format!("only {submits} submissions, so nothing was staged in parts"))?;
    }
    let begun = Instant::now();
    Ok(ensure_sound(begun)?)
}

fn sum(calls: &BTreeMap<&'static str, u32>, prefix: &str) -> u32 {
    calls.iter().filter(|(call, _)| call.starts_with(prefix)).map(|(_, count)| count).sum()
}

/// The books notice what is left behind.
fn leak() -> Result<(), Failed> {
    let begun = Instant::now();
    let context = Setting::Minimal.context()?;
    // SAFETY: leaving the fence behind is the fault to be noticed. The layer would notice it too, at the end of its device, which is left behind as well.
    unsafe { context.device().raw().create_fence(&device::vk::FenceCreateInfo::default(), None)? };
    let live = faults::live();
    std::mem::forget(context);
    ensure(live.get("FENCE") == Some(&1) && live.get("DEVICE") == Some(&1), || format!("{live:?}"))?;
    Ok(ensure_sound(begun)?)
}

/// Buffers that take memory of their own each, and an allocation that fails and keeps failing.
fn exhausted() -> Result<(), Failed> {
    const SIZE: u64 = 40 << 20;
    let begun = Instant::now();
    let context = Setting::Minimal.context()?;
    for occurrence in 1..=4 {
        for result in [R::ERROR_OUT_OF_DEVICE_MEMORY, R::ERROR_OUT_OF_HOST_MEMORY] {
            faults::arm(Some(Fault::from("vkAllocateMemory", occurrence, result)));
            let mut buffers = Vec::new();
            let error = loop {
                let name = format!("buffer {}", buffers.len());
                let size = SIZE + buffers.len() as u64 * 1024;
                match Buffer::new(context.device(), &BufferDescription { size, memory: MemoryUse::Device, name: &name }) {
                    Ok(buffer) => buffers.push(buffer),
                    Err(error) => break error,
                }
                ensure(buffers.len() < 10, || "memory without allocations".into())?;
            };
            let size = SIZE + buffers.len() as u64 * 1024;
            let device::Error::OutOfMemory { name, size: named, live } = &error else { return Err(format!("{error:?}").into()) };
            ensure(buffers.len() as u32 == occurrence - 1, || format!("{error:?} after {} buffers", buffers.len()))?;
            ensure(*name == format!("buffer {}", buffers.len()), || format!("{name} for buffer {}", buffers.len()))?;
            ensure((*named).abs_diff(size) < 1024, || format!("{named} bytes for {size}"))?;
            ensure((*live).abs_diff(buffers.iter().map(Buffer::size).sum()) < 4096, || format!("{live} bytes live: {error:?}"))?;
            // It is no end of the device.
            faults::disarm();
            Buffer::new(context.device(), &BufferDescription { size, memory: MemoryUse::Device, name: "another" })?;
        }
    }
    ensure(reductions(&context)?.is_none(), || "the context is no good any more".into())?;
    drop(context);
    Ok(ensure_sound(begun)?)
}

/// The device is lost at each call of a kind in turn: the error names the pipeline that was dispatched last, and stays.
fn lost(kinds: &[&str]) -> Result<(), Failed> {
    let begun = Instant::now();
    let mut names = BTreeSet::new();
    let setting = Setting::Minimal;
    let made = calls(setting, reductions)?;
    let made: Vec<_> = made.into_iter().filter(|(call, _)| kinds.iter().any(|kind| call.starts_with(kind))).collect();
    ensure(!made.is_empty(), || format!("no call like {kinds:?}"))?;
    for (call, count) in made {
        for occurrence in 1..=count.min(20) {
            faults::arm(Some(Fault::once(call, occurrence, R::ERROR_DEVICE_LOST)));
            let context = setting.context()?;
            for attempt in 0..2 {
                let error = match reductions(&context) {
                    Err(error) if error.is_device_lost() => error,
                    other => return Err(format!("{call} number {occurrence}: {other:?}").into()),
                };
                let name = match &error {
                    Error::Record(record::Error::DeviceLost { last_dispatch: Some(name) }) => name.as_str(),
                    // Where the host does not reach the device's memory, data goes up in recordings without a dispatch.
                    Error::Record(record::Error::DeviceLost { last_dispatch: None }) if !context.device().capabilities().memory.unified => {
                        "none"
                    }
                    _ => return Err(format!("{call} number {occurrence} names no dispatch: {error:?}").into()),
                };
                ensure(error.to_string().contains(name), || format!("{error} without {name}"))?;
                ensure(attempt > 0 || faults::fired() == 1, || "the fault never struck".into())?;
                names.insert(name.to_owned());
            }
            drop(context);
            ensure_sound(begun)?;
        }
        setting.works()?;
    }
    // The line ends in a combining dispatch, the rows in one of rows.
    let named = |part: &str| names.iter().any(|name| name.contains(part));
    // Where data goes up in parts, the first twenty calls do not reach the rows.
    let all = named("reduce.combine") && (named("reduce.rows") || names.contains("none"));
    ensure(all, || format!("only {names:?}"))
}

/// Once a device is lost, another one of the same instance works, while the lost one is still there.
fn same_instance() -> Result<(), Failed> {
    let begun = Instant::now();
    faults::arm(None);
    let instance = instance()?;
    let options = ContextOptions::default();
    let context = Context::with_instance(&instance, &options)?;
    let submit = calls(Setting::Minimal, reductions)?.into_keys().find(|call| call.starts_with("vkQueueSubmit")).ok_or("no submission")?;
    faults::arm(Some(Fault::once(submit, 1, R::ERROR_DEVICE_LOST)));
    let ended = reductions_of(&context);
    ensure(ended.as_ref().is_err_and(Error::is_device_lost), || format!("{ended:?}"))?;
    ensure(context.device().wait_idle().is_err_and(|error| error.is_device_lost()), || "idle, though lost".into())?;
    reductions_of(&Context::with_instance(&instance, &options)?)?;
    drop(context);
    reductions_of(&Context::with_instance(&instance, &options)?)?;
    let adapters = instance.adapters()?;
    device::Device::new(adapters.first().ok_or("no adapter")?, &DeviceOptions::default())?;
    drop((adapters, instance));
    Ok(ensure_sound(begun)?)
}

fn reductions_of(context: &Context) -> Result<u32, Error> {
    let elements: Vec<u32> = (0..5000).collect();
    let sum = Reduce::new(ReduceOp::Sum, DType::U32, &[5000]);
    context.reduce(&sum, &Tensor::from_slice(&elements, &[5000])?)?.tensor.to_scalar()
}

/// Each pipeline of the job fails in turn: the error names it, and the context can make it later.
fn pipelines() -> Result<(), Failed> {
    let begun = Instant::now();
    let setting = Setting::Discrete;
    let count = calls(setting, reductions)?.get("vkCreateComputePipelines").copied().unwrap_or(0);
    let mut names = Vec::new();
    for occurrence in 1..=count {
        faults::arm(Some(Fault::once("vkCreateComputePipelines", occurrence, R::ERROR_INITIALIZATION_FAILED)));
        let context = setting.context()?;
        match reductions(&context) {
            Err(Error::Record(record::Error::PipelineRefused { pipeline, result: R::ERROR_INITIALIZATION_FAILED })) => names.push(pipeline),
            other => return Err(format!("pipeline {occurrence}: {other:?}").into()),
        }
        ensure(reductions(&context)?.is_none(), || format!("after pipeline {occurrence} the context is no good"))?;
        drop(context);
        ensure_sound(begun)?;
    }
    let named = |part: &str| names.iter().any(|name| name.starts_with(part));
    ensure(named("reduce.rows.") && named("reduce.combine."), || format!("{names:?} of {count}"))
}

/// After a time-out everything is as it was: the submission can be asked and waited for again, and its times are there.
fn time_out() -> Result<(), Failed> {
    let begun = Instant::now();
    for setting in [Setting::Discrete, Setting::Minimal] {
        let made = calls(setting, reductions)?;
        let wait = made.into_keys().find(|call| call.starts_with("vkWait")).ok_or("no wait")?;
        faults::arm(None);
        let context = setting.context()?;
        let buffer = Buffer::new(context.device(), &BufferDescription { size: 4096, memory: MemoryUse::Shared, name: "buffer" })?;
        let mut recorder = Recorder::new(context.device())?;
        recorder.begin_timing("fill")?;
        let range = BufferRange::whole(&buffer);
        recorder.fill(range, 5)?;
        recorder.barrier(&[BufferBarrier::new(range, Access::TransferWrite, Access::HostRead)])?;
        let submission = recorder.submit()?;
        // The wait fails without the driver, so it may well be done already, and still nobody has been told.
        faults::arm(Some(Fault::once(wait, 1, R::TIMEOUT)));
        let patience = Duration::from_secs(30);
        let error = submission.wait(patience);
        ensure(error == Err(record::Error::Timeout { waited: patience }), || format!("{error:?}"))?;
        ensure(submission.timings().iter().all(|timing| timing.nanoseconds.is_none()), || "times of work not known to be done".into())?;
        submission.wait(patience)?;
        ensure(submission.is_done()?, || "waited for, and not done".into())?;
        let timed = context.device().capabilities().timestamps.valid_bits > 0;
        let timings = submission.timings();
        ensure(timings.len() == 1 && timings[0].nanoseconds.is_some() == timed, || format!("{timings:?}"))?;
        recorder.reset()?;
        let mut bytes = vec![0; 4096];
        buffer.read(0, &mut bytes)?;
        ensure(bytes.chunks(4).all(|word| word == 5u32.to_ne_bytes()), || "not filled".into())?;
        drop((recorder, submission, buffer, context));
        ensure_sound(begun)?;
    }
    Ok(())
}

/// Every wait times out, as with a device that hangs: the error says so, dropping everything ends, and what the device may still use is left to it.
fn hang() -> Result<(), Failed> {
    let made = calls(Setting::Minimal, reductions)?;
    let waits: Vec<_> = made.keys().copied().filter(|call| call.starts_with("vkWait")).collect();
    let &[wait] = waits.as_slice() else { return Err(format!("one way to wait was expected, and there are {waits:?}").into()) };
    faults::arm(Some(Fault::from(wait, 1, R::TIMEOUT)));
    let begun = Instant::now();
    let context = Setting::Minimal.context()?;
    let error = reductions(&context);
    ensure(matches!(error, Err(Error::Record(record::Error::Timeout { .. }))), || format!("{error:?}"))?;
    drop(context);
    ensure(begun.elapsed() < Duration::from_secs(60), || format!("giving up took {:?}", begun.elapsed()))?;
    ensure(faults::misdeeds().is_empty(), || "something was destroyed twice".into())?;
    Setting::Minimal.works()
}
