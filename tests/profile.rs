//! Counters in shaders, statistics of pipelines, the rate of copies and traces, on each driver.

mod harness;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use harness::Case;
use harness::gpu::{device_with, ensure};
use libtest_mimic::Failed;
use wavelane_device::{Buffer, BufferDescription, Device, DeviceOptions, MemoryUse, Profile};
use wavelane_record::{
    Access, BindingDescription, BufferBarrier, BufferRange, ComputePipeline, ComputePipelineDescription, DispatchProfile, Recorder,
    RecorderOptions, Reuse, ShaderCounters, StatisticsMissing, Trace, measure_copy_rate,
};

const PATIENCE: Duration = Duration::from_secs(60);
const WORKGROUP: u32 = 64;
/// No multiple of the workgroup, so that the last one has invocations to spare.
const COUNT: u32 = 10_007;
const RESULTS: BindingDescription = BindingDescription::storage_buffer(Access::ComputeWrite);
const COUNTERS: BindingDescription = BindingDescription::storage_buffer(Access::ComputeReadWrite);

fn main() -> ExitCode {
    harness::main(vec![
        Case::new("a_shader_counts", |_| counters(&device(None, false)?)),
        Case::new("a_shader_counts_on_vulkan_1_1", |_| counters(&device(Some("minimal"), false)?)),
        Case::new("without_the_define_nothing_is_counted", |_| uncounted(&device(None, false)?)),
        Case::new("counters_of_two_words_run_over_32_bits", |_| long_counts(&device(None, false)?)),
        Case::new("statistics_or_a_reason", |_| statistics()),
        Case::new("the_rate_of_copies_is_measured", |_| copy_rate()),
        Case::new("each_dispatch_is_timed", |_| profile(&device(None, false)?)),
        Case::new("each_dispatch_is_timed_on_vulkan_1_1", |_| profile(&device(Some("minimal"), false)?)),
        Case::new("without_a_clock_dispatches_are_listed", |_| profile(&without_clock()?)),
        Case::new("a_sequence_is_profiled_each_time", |_| sequence(&device(None, false)?)),
        Case::new("a_foreign_command_buffer_is_profiled", |_| foreign(&device(None, false)?)),
        Case::new("many_dispatches_are_profiled", |_| many(&device(None, false)?)),
    ])
}

fn device(profile: Option<&str>, capture_statistics: bool) -> Result<Arc<Device>, Failed> {
    let profile = profile.map(Profile::named).transpose()?;
    device_with(&DeviceOptions { profile, capture_statistics, ..Default::default() })
}

fn pipeline(device: &Arc<Device>, spirv: &[u8], bindings: &[BindingDescription]) -> Result<ComputePipeline, Failed> {
    let words: Vec<u32> = spirv.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect();
    let description = ComputePipelineDescription {
        name: "count",
        spirv: &words,
        bindings,
        push_constant_bytes: 4,
        specialization: &[],
        required_subgroup_size: None,
        full_subgroups: false,
        dispatch_base: false,
    };
    // SAFETY: the modules are glslangValidator's, and their sources have these bindings and push constants.
    Ok(unsafe { ComputePipeline::new(device, &description) }?)
}

fn counting(device: &Arc<Device>) -> Result<ComputePipeline, Failed> {
    pipeline(device, include_bytes!("data/shaders/count.spv"), &[RESULTS, COUNTERS])
}

fn results(device: &Arc<Device>) -> Result<Buffer, Failed> {
    let size = u64::from(COUNT) * 4;
    Ok(Buffer::new(device, &BufferDescription { size, memory: MemoryUse::Shared, name: "results" })?)
}

fn dispatch(recorder: &mut Recorder, pipeline: &ComputePipeline, bound: &[BufferRange<'_>], count: u32) -> Result<(), Failed> {
    let bound: Vec<_> = bound.iter().map(|&range| range.into()).collect();
    // SAFETY: the shader writes no more than `count` results, for which there is room, and no counters that are not there.
    Ok(unsafe { recorder.dispatch(pipeline, &bound, &count.to_ne_bytes(), groups(count)) }?)
}

fn groups(count: u32) -> [u32; 3] {
    [count.div_ceil(WORKGROUP), 1, 1]
}

/// What the shader adds to its counters for one dispatch: elements, invocations to spare, and large numbers.
fn expected(count: u32) -> [u64; 3] {
    let spare = u64::from(groups(count)[0] * WORKGROUP - count);
    let large = (0..u64::from(count)).map(|i| 0x9000_0000 + i).sum();
    [count.into(), spare, large]
}

fn counted(counters: &ShaderCounters, expected: [u64; 3]) -> Result<(), Failed> {
    let got = counters.read()?;
    let expected: Vec<_> = ["elements", "to spare", "large"].into_iter().zip(expected).collect();
    ensure(got == expected, || format!("{got:?} instead of {expected:?}"))
}

fn counters(device: &Arc<Device>) -> Result<(), Failed> {
    let (pipeline, results) = (counting(device)?, results(device)?);
    let counters = ShaderCounters::new(device, &["elements", "to spare", "large"])?;
    let between = BufferBarrier::new(counters.range(), Access::ComputeReadWrite, Access::ComputeReadWrite);
    let overwritten = BufferBarrier::new(BufferRange::whole(&results), Access::ComputeWrite, Access::ComputeWrite);
    // The second time over, the counters must begin at 0 again.
    for _ in 0..2 {
        let mut recorder = Recorder::new(device)?;
        counters.record_reset(&mut recorder)?;
        for (index, count) in [COUNT, 1].into_iter().enumerate() {
            if index > 0 {
                recorder.barrier(&[between, overwritten])?;
            }
            let bound = [BufferRange::whole(&results), counters.range()];
            dispatch(&mut recorder, &pipeline, &bound, count)?;
        }
        counters.record_readback(&mut recorder)?;
        recorder.submit()?.wait(PATIENCE)?;
        let (all, one) = (expected(COUNT), expected(1));
        counted(&counters, [0, 1, 2].map(|i| all[i] + one[i]))?;
    }
    Ok(())
}

/// Adds up to more than 2^44, with many invocations carrying at once.
fn long_counts(device: &Arc<Device>) -> Result<(), Failed> {
    let (pipeline, results) = (counting(device)?, results(device)?);
    let counters = ShaderCounters::new(device, &["elements", "to spare", "large"])?;
    let mut recorder = Recorder::new(device)?;
    counters.record_reset(&mut recorder)?;
    dispatch(&mut recorder, &pipeline, &[BufferRange::whole(&results), counters.range()], COUNT)?;
    counters.record_readback(&mut recorder)?;
    recorder.submit()?.wait(PATIENCE)?;
    ensure(expected(COUNT)[2] > 1 << 44, || "the test counts too little".into())?;
    counted(&counters, expected(COUNT))
}

/// The same source without `COUNTERS_BINDING` takes one buffer, and computes the same.
fn uncounted(device: &Arc<Device>) -> Result<(), Failed> {
    let pipeline = pipeline(device, include_bytes!("data/shaders/count_off.spv"), &[RESULTS])?;
    let results = results(device)?;
    let mut recorder = Recorder::new(device)?;
    dispatch(&mut recorder, &pipeline, &[BufferRange::whole(&results)], COUNT)?;
    recorder.barrier(&[BufferBarrier::new(BufferRange::whole(&results), Access::ComputeWrite, Access::HostRead)])?;
    recorder.submit()?.wait(PATIENCE)?;
    let mut bytes = vec![0; COUNT as usize * 4];
    results.read(0, &mut bytes)?;
    let right = (0u32..).zip(bytes.chunks_exact(4)).all(|(i, word)| word == (i * 3).to_ne_bytes());
    ensure(right, || "the results are wrong".into())
}

fn statistics() -> Result<(), Failed> {
    let without = counting(&device(None, false)?)?.statistics()?;
    ensure(without.executables.is_empty() && without.missing.is_some(), || format!("{without:?} without asking"))?;
    let minimal = counting(&device(Some("minimal"), true)?)?.statistics()?;
    ensure(minimal.missing == Some(StatisticsMissing::NotSupported), || format!("{minimal:?} on a device that is to lack them"))?;

    let device = device(None, true)?;
    let asked = counting(&device)?.statistics()?;
    if !device.capabilities().features.pipeline_executable_statistics {
        return ensure(asked.missing == Some(StatisticsMissing::NotSupported), || format!("{asked:?} on a device without"));
    }
    // A real GPU's driver: it says something, and something of it is understood.
    ensure(asked.missing.is_none() && !asked.executables.is_empty(), || format!("{asked:?} on a device with statistics"))?;
    for executable in &asked.executables {
        let summary = executable.summary();
        let known = summary.registers.or(summary.instructions).or(summary.code_bytes);
        ensure(known.is_some_and(|figure| figure > 0), || format!("{summary:?} of {executable:?}"))?;
    }
    Ok(())
}

fn copy_rate() -> Result<(), Failed> {
    let device = device(None, false)?;
    let rate = measure_copy_rate(&device, 16 << 20)?;
    let clock = device.capabilities().timestamps.valid_bits > 0;
    // From a slow software driver to twice the fastest memory there is.
    ensure(rate.is_some() == clock && rate.is_none_or(|rate| rate > 0.01 && rate < 20_000.0), || format!("{rate:?} GB/s"))?;
    let none = measure_copy_rate(&without_clock()?, 1 << 20)?;
    ensure(none.is_none(), || format!("{none:?} GB/s without a clock"))
}

fn profiling<'a>() -> RecorderOptions<'a> {
    RecorderOptions { name: "profiled", profile: true, ..Default::default() }
}

/// Two large dispatches with a small one between, the last from a buffer; a barrier before each but the first, and two before the last.
fn record(recorder: &mut Recorder, pipeline: &ComputePipeline, results: &Buffer, arguments: &Buffer) -> Result<(), Failed> {
    let bound = [BufferRange::whole(results)];
    let overwritten = [BufferBarrier::new(bound[0], Access::ComputeWrite, Access::ComputeWrite)];
    dispatch(recorder, pipeline, &bound, COUNT)?;
    recorder.barrier(&overwritten)?;
    dispatch(recorder, pipeline, &bound, 1)?;
    // Nothing to do is no dispatch.
    dispatch(recorder, pipeline, &bound, 0)?;
    recorder.barrier(&overwritten)?;
    recorder.barrier(&overwritten)?;
    let bindings = [bound[0].into()];
    // SAFETY: as in `dispatch`; the arguments are those of `COUNT`.
    Ok(unsafe { recorder.dispatch_indirect(pipeline, &bindings, &COUNT.to_ne_bytes(), BufferRange::whole(arguments)) }?)
}

fn arguments(device: &Arc<Device>) -> Result<Buffer, Failed> {
    let buffer = Buffer::new(device, &BufferDescription { size: 12, memory: MemoryUse::Shared, name: "arguments" })?;
    buffer.write(0, &groups(COUNT).map(u32::to_ne_bytes).concat())?;
    Ok(buffer)
}

/// Checks what every run of [`record`] must give: names, groups, barriers, and times that follow each other if there is a clock.
fn checked(device: &Device, profile: &[DispatchProfile]) -> Result<Trace, Failed> {
    let seen: Vec<_> = profile.iter().map(|one| (one.kernel.as_str(), one.groups, one.barriers_before)).collect();
    let expected = [("count", Some(groups(COUNT)), 0), ("count", Some([1, 1, 1]), 1), ("count", None, 2)];
    ensure(seen == expected, || format!("{seen:?} instead of {expected:?}"))?;
    let mut trace = Trace::of(device);
    for record in trace.add("compute", profile) {
        record.bytes = Some(u64::from(COUNT) * 4);
    }
    let spans: Vec<_> = trace.records().iter().map(|record| record.span).collect();
    if !trace.clock().usable() {
        ensure(spans == [None; 3], || format!("{spans:?} without a clock"))?;
        return Ok(trace);
    }
    let mut before = 0.0;
    for span in &spans {
        let Some(span) = span else { return Err(format!("no time in {spans:?}").into()) };
        // Less than a minute, and after the one before, with which there is a barrier.
        ensure(span.begin_ns >= before && span.end_ns >= span.begin_ns && span.end_ns < 60e9, || format!("{spans:?}"))?;
        before = span.end_ns;
    }
    ensure(before > 0.0, || format!("three dispatches took no time: {spans:?}"))?;
    Ok(trace)
}

fn profile(device: &Arc<Device>) -> Result<(), Failed> {
    let pipeline = pipeline(device, include_bytes!("data/shaders/count_off.spv"), &[RESULTS])?;
    let (results, arguments) = (results(device)?, arguments(device)?);
    let mut recorder = Recorder::with_options(device, &profiling())?;
    // The second time with the queries of the first.
    for _ in 0..2 {
        record(&mut recorder, &pipeline, &results, &arguments)?;
        let submission = recorder.submit()?;
        submission.wait(PATIENCE)?;
        recorder.reset()?;
        let trace = checked(device, &submission.profile())?;

        let json: serde_json::Value = serde_json::from_str(&trace.to_json())?;
        let events = json["traceEvents"].as_array().ok_or("no events")?;
        let spans = events.iter().filter(|event| event["ph"] == "X").count();
        let untimed = json["otherData"]["dispatches without times"].as_array().map(Vec::len);
        let expected = if trace.clock().usable() { (3, Some(0)) } else { (0, Some(3)) };
        ensure((spans, untimed) == expected, || format!("{spans} spans and {untimed:?} dispatches without times"))?;
        let table = trace.table(Some(100.0));
        ensure(table.lines().filter(|line| line.starts_with("count ")).count() == 3, || table.clone())?;
        ensure(table.contains("clock none") != trace.clock().usable(), || table.clone())?;
    }
    // Unasked, nothing is noted.
    let mut recorder = Recorder::new(device)?;
    record(&mut recorder, &pipeline, &results, &arguments)?;
    let submission = recorder.submit()?;
    submission.wait(PATIENCE)?;
    ensure(submission.profile().is_empty(), || "a recording was profiled that was not to be".into())
}

fn sequence(device: &Arc<Device>) -> Result<(), Failed> {
    let pipeline = pipeline(device, include_bytes!("data/shaders/count_off.spv"), &[RESULTS])?;
    let (results, arguments) = (results(device)?, arguments(device)?);
    let mut recorder = Recorder::with_options(device, &RecorderOptions { reuse: Reuse::Many, ..profiling() })?;
    record(&mut recorder, &pipeline, &results, &arguments)?;
    let sequence = recorder.finish()?;
    let mut ticks = Vec::new();
    for _ in 0..3 {
        let submission = sequence.submit()?;
        ensure(submission.profile().len() == 3, || "dispatches are known before the work is done".into())?;
        submission.wait(PATIENCE)?;
        let profile = submission.profile();
        checked(device, &profile)?;
        ticks.push(profile.first().and_then(|first| first.ticks));
    }
    let clock = Trace::of(device).clock().usable();
    ensure(!clock || (ticks[0] != ticks[1] && ticks[1] != ticks[2]), || format!("the same times again: {ticks:?}"))
}

fn foreign(device: &Arc<Device>) -> Result<(), Failed> {
    let pipeline = pipeline(device, include_bytes!("data/shaders/count_off.spv"), &[RESULTS])?;
    let (results, arguments) = (results(device)?, arguments(device)?);
    // Another recorder's command buffer plays the caller's.
    let mut owner = Recorder::new(device)?;
    // SAFETY: the command buffer is of the device, for its compute queue, and recording; it is submitted and waited for before the recorder goes.
    let mut recorder = unsafe { Recorder::foreign(device, owner.command_buffer(), &profiling()) }?;
    record(&mut recorder, &pipeline, &results, &arguments)?;
    owner.submit()?.wait(PATIENCE)?;
    // SAFETY: the wait above.
    checked(device, &unsafe { recorder.foreign_profile() }).map(drop)
}

/// More dispatches than a query pool holds.
fn many(device: &Arc<Device>) -> Result<(), Failed> {
    let pipeline = pipeline(device, include_bytes!("data/shaders/count_off.spv"), &[RESULTS])?;
    let results = results(device)?;
    let bound = [BufferRange::whole(&results)];
    let mut recorder = Recorder::with_options(device, &profiling())?;
    for _ in 0..500 {
        dispatch(&mut recorder, &pipeline, &bound, 64)?;
        recorder.barrier(&[BufferBarrier::new(bound[0], Access::ComputeWrite, Access::ComputeWrite)])?;
    }
    let submission = recorder.submit()?;
    submission.wait(PATIENCE)?;
    let profile = submission.profile();
    let timed = profile.iter().filter(|dispatch| dispatch.ticks.is_some()).count();
    ensure(profile.len() == 500, || format!("{} dispatches", profile.len()))?;
    let clock = Trace::of(device).clock().usable();
    ensure(timed == if clock { 500 } else { 0 }, || format!("{timed} are timed"))
}

/// The device, narrowed to one without timestamps.
fn without_clock() -> Result<Arc<Device>, Failed> {
    let profile =
        Profile::from_json(r#"{ "name": "no clock", "source": "made up", "capabilities": { "timestamps": { "valid_bits": 0 } } }"#)?;
    device_with(&DeviceOptions { profile: Some(profile), ..Default::default() })
}
