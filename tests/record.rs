//! Pipelines, dispatches, barriers, submissions and timestamps, on each driver.

mod harness;
mod multiply_add;

use std::process::ExitCode;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use harness::Case;
use harness::gpu::{device, ensure};
use libtest_mimic::Failed;
use multiply_add::{PATIENCE, WORKGROUP, holds, push_constants, says, written};
use wavelane_device::{Buffer, BufferDescription, Device, ForeignBuffer, Image, ImageDescription, MemoryUse, Profile, QueueRole, vk};
use wavelane_record::{
    Access, Binding, BindingDescription, BufferBarrier, BufferRange, ComputePipeline, ComputePipelineDescription, Error, HazardMode,
    ImageBarrier, OwnershipTransfer, Recorder, RecorderOptions, SpecializationConstant, TransferHalf,
};

/// No multiple of the workgroup, so that the last one has invocations to spare.
const COUNT: u32 = 10_007;
const BINDINGS: [BindingDescription; 2] =
    [BindingDescription::storage_buffer(Access::ComputeRead), BindingDescription::storage_buffer(Access::ComputeWrite)];
const BYTES: u64 = COUNT as u64 * 4;

fn main() -> ExitCode {
    let mut cases = vec![
        Case::new("a_missing_barrier_is_noticed", |_| chain(&device(None)?, 2, false, HazardMode::Off))
            .must_fail("SYNC-HAZARD-READ-AFTER-WRITE"),
        Case::new("a_missing_barrier_is_an_error_when_checked", |_| missing(&device(None)?)),
        Case::new("impossible_pipelines_are_errors", |_| impossible_pipelines(&device(None)?)),
        Case::new("threads_share_the_queue", |_| threads(&device(None)?)),
        Case::new("a_buffer_can_be_kept_by_the_recorder", |_| kept(&device(None)?)),
    ];
    type Run = fn(&Arc<Device>) -> Result<(), Failed>;
    let runs: [(&str, Run); 12] = [
        ("a_dispatch_computes", |device| chain(device, 1, true, HazardMode::Checked)),
        ("barriers_are_inserted_when_asked_for", |device| chain(device, 9, false, HazardMode::Automatic)),
        ("dispatches_follow_each_other", |device| chain(device, 9, true, HazardMode::Checked)),
        ("many_dispatches_fit_a_recording", |device| chain(device, 700, true, HazardMode::Off)),
        ("ranges_of_a_buffer_are_bound", ranges),
        ("fill_and_copy_move_bytes", fill_and_copy),
        ("a_recorder_is_used_again", reuse),
        ("a_submission_may_be_dropped", dropped),
        ("time_is_measured", timings),
        ("a_foreign_command_buffer_is_recorded_into", foreign),
        ("impossible_dispatches_are_errors", impossible_dispatches),
        ("impossible_barriers_are_errors", impossible_barriers),
    ];
    for (name, run) in runs {
        // With push descriptors and synchronization2 where the device has them, and without: other code runs then.
        cases.push(Case::new(name, move |_| run(&device(None)?)));
        cases.push(Case::new(format!("{name}_on_vulkan_1_1"), move |_| run(&device(Some(Profile::named("minimal")?))?)));
    }
    harness::main(cases)
}

fn description<'a>(spirv: &'a [u32], specialization: &'a [SpecializationConstant]) -> ComputePipelineDescription<'a> {
    ComputePipelineDescription {
        name: "multiply_add",
        spirv,
        bindings: &BINDINGS,
        push_constant_bytes: 8,
        specialization,
        required_subgroup_size: None,
        full_subgroups: false,
        dispatch_base: true,
    }
}

fn buffer(device: &Arc<Device>, size: u64, memory: MemoryUse) -> Result<Buffer, Failed> {
    Ok(Buffer::new(device, &BufferDescription { size, memory, name: "tested" })?)
}

fn filled(device: &Arc<Device>, memory: MemoryUse) -> Result<Buffer, Failed> {
    let buffer = buffer(device, BYTES, memory)?;
    buffer.write(0, &(0..COUNT).flat_map(u32::to_ne_bytes).collect::<Vec<u8>>())?;
    Ok(buffer)
}

/// A dispatch of `multiply_add`, which keeps to as many elements as its push constants say.
fn dispatch(
    recorder: &mut Recorder,
    pipeline: &ComputePipeline,
    ranges: &[BufferRange<'_>],
    push_constants: &[u8],
    groups: [u32; 3],
) -> Result<(), Error> {
    let bindings: Vec<Binding<'_>> = ranges.iter().copied().map(Binding::Buffer).collect();
    // SAFETY: the tests bind as many elements as they count.
    unsafe { recorder.dispatch(pipeline, &bindings, push_constants, groups) }
}

fn groups(count: u32) -> [u32; 3] {
    [count.div_ceil(WORKGROUP), 1, 1]
}

/// Multiplies by 3 and adds 1, `times` times, to and fro between two buffers.
fn chain(device: &Arc<Device>, times: usize, with_barriers: bool, hazards: HazardMode) -> Result<(), Failed> {
    let pipeline = multiply_add::pipeline(device, 1)?;
    let buffers = [filled(device, MemoryUse::Shared)?, buffer(device, BYTES, MemoryUse::Shared)?];
    let mut recorder = Recorder::with_options(device, &RecorderOptions { hazards, ..RecorderOptions::default() })?;
    for step in 0..times {
        let (from, to) = (&buffers[step % 2], &buffers[(step + 1) % 2]);
        dispatch(&mut recorder, &pipeline, &[from, to].map(BufferRange::whole), &push_constants(COUNT, 3), groups(COUNT))?;
        if with_barriers {
            let overwritten = BufferBarrier::new(BufferRange::whole(from), Access::ComputeRead, Access::ComputeWrite);
            recorder.barrier(&[written(to, Access::ComputeRead), overwritten])?;
        }
    }
    let result = BufferRange::whole(&buffers[times % 2]);
    if hazards == HazardMode::Automatic {
        recorder.hand_over(result, Access::HostRead)?;
    } else {
        recorder.barrier(&[BufferBarrier::new(result, Access::ComputeWrite, Access::HostRead)])?;
    }
    let counted = (recorder.dispatches() as usize, recorder.barriers() as usize);
    // Inserted or not, one is needed after each dispatch.
    let barriers = if with_barriers || hazards == HazardMode::Automatic { times } else { 0 };
    let expected = if hazards == HazardMode::Automatic { barriers } else { barriers + 1 };
    ensure(counted == (times, expected), || format!("(dispatches, barriers) {counted:?}"))?;
    recorder.submit()?.wait(PATIENCE)?;
    holds(&buffers[times % 2], |i| (0..times).fold(i, |value, _| value.wrapping_mul(3).wrapping_add(1)))
}

/// The same chain without a barrier: an error that names both dispatches, the buffer, the range and the barrier; and none once it is recorded.
fn missing(device: &Arc<Device>) -> Result<(), Failed> {
    let pipeline = multiply_add::pipeline(device, 1)?;
    let (a, b) = (filled(device, MemoryUse::Shared)?, buffer(device, BYTES, MemoryUse::Shared)?);
    let options = RecorderOptions { hazards: HazardMode::Checked, ..RecorderOptions::default() };
    let mut recorder = Recorder::with_options(device, &options)?;
    let (there, back) = ([&a, &b].map(BufferRange::whole), [&b, &a].map(BufferRange::whole));
    dispatch(&mut recorder, &pipeline, &there, &push_constants(COUNT, 3), groups(COUNT))?;
    let refused = dispatch(&mut recorder, &pipeline, &back, &push_constants(COUNT, 3), groups(COUNT));
    let text = refused.as_ref().map_or_else(|error| format!("{error}; {}", error.advice()), |()| String::new());
    for part in [
        "read-after-write",
        "dispatch 1 `multiply_add`",
        "dispatch 0 `multiply_add`",
        "bytes 0..40028 of buffer `tested`",
        "Access::ComputeRead",
    ] {
        ensure(text.contains(part), || format!("{part:?} is not in {text:?}"))?;
    }
    says(refused, "read-after-write")?;
    ensure(recorder.dispatches() == 1, || "the refused dispatch was recorded".to_owned())?;
    says(recorder.hand_over(there[1], Access::HostRead), "no barrier between them makes the first write visible")?;
    recorder.barrier(&[written(&b, Access::ComputeRead), BufferBarrier::new(there[0], Access::ComputeRead, Access::ComputeWrite)])?;
    dispatch(&mut recorder, &pipeline, &back, &push_constants(COUNT, 3), groups(COUNT))?;
    // What is ordered already is reported, once: the host's write came before the submission.
    recorder.barrier(&[written(&a, Access::HostRead)])?;
    recorder.barrier(&[written(&a, Access::HostRead)])?;
    let redundant = recorder.redundant_barriers();
    ensure(redundant.len() == 1 && redundant[0].call == 2, || format!("{redundant:?}"))?;
    recorder.submit()?.wait(PATIENCE)?;
    holds(&a, |i| i.wrapping_mul(3).wrapping_add(1).wrapping_mul(3).wrapping_add(1))
}

/// The second half of one buffer to the first of another: bindings begin at offsets.
fn ranges(device: &Arc<Device>) -> Result<(), Failed> {
    let half = 4096u64;
    let pipeline = multiply_add::pipeline(device, 7)?;
    let (from, to) = (buffer(device, 2 * half, MemoryUse::Shared)?, buffer(device, 2 * half, MemoryUse::Shared)?);
    from.write(0, &(0..2048u32).flat_map(u32::to_ne_bytes).collect::<Vec<u8>>())?;
    to.write(0, &[0xff; 8192])?;
    let mut recorder = Recorder::new(device)?;
    let bound = [BufferRange::whole(&from).slice(half, half)?, BufferRange::whole(&to).slice(0, half)?];
    dispatch(&mut recorder, &pipeline, &bound, &push_constants(1024, 5), groups(1024))?;
    recorder.barrier(&[written(&to, Access::HostRead)])?;
    recorder.submit()?.wait(PATIENCE)?;
    holds(&to, |i| if i < 1024 { (1024 + i) * 5 + 7 } else { u32::MAX })
}

fn fill_and_copy(device: &Arc<Device>) -> Result<(), Failed> {
    let (local, back) = (buffer(device, 4096, MemoryUse::Device)?, buffer(device, 4096, MemoryUse::Readback)?);
    let whole = BufferRange::whole(&local);
    let mut recorder = Recorder::new(device)?;
    recorder.fill(whole, 1)?;
    recorder.barrier(&[BufferBarrier::new(whole, Access::TransferWrite, Access::TransferWrite)])?;
    recorder.fill(whole.slice(400, 40)?, 2)?;
    recorder.barrier(&[BufferBarrier::new(whole, Access::TransferWrite, Access::TransferRead)])?;
    recorder.copy(whole, BufferRange::whole(&back))?;
    recorder.barrier(&[BufferBarrier::new(BufferRange::whole(&back), Access::TransferWrite, Access::HostRead)])?;
    recorder.submit()?.wait(PATIENCE)?;
    holds(&back, |i| if (100..110).contains(&i) { 2 } else { 1 })?;

    let mut recorder = Recorder::new(device)?;
    says(recorder.fill(whole.slice(1, 4)?, 0), "a fill of 4 bytes at offset 1 does not cover whole words")?;
    says(recorder.copy(whole.slice(0, 8)?, whole.slice(16, 4)?), "a copy was given 8 bytes to read and 4 bytes to write")?;
    says(recorder.copy(whole.slice(0, 8)?, whole.slice(4, 8)?), "overlaps itself")?;
    says(whole.slice(4000, 97), "97 bytes at offset 4000 do not lie within a range of 4096 bytes")
}

fn reuse(device: &Arc<Device>) -> Result<(), Failed> {
    let pipeline = multiply_add::pipeline(device, 0)?;
    let (from, to) = (filled(device, MemoryUse::Upload)?, buffer(device, BYTES, MemoryUse::Readback)?);
    let mut recorder = Recorder::new(device)?;
    for factor in 1..20 {
        recorder.begin_timing("again")?;
        dispatch(&mut recorder, &pipeline, &[&from, &to].map(BufferRange::whole), &push_constants(COUNT, factor), groups(COUNT))?;
        recorder.barrier(&[written(&to, Access::HostRead)])?;
        ensure((recorder.dispatches(), recorder.barriers()) == (1, 1), || "counts go on after a reset".to_owned())?;
        let submission = recorder.submit()?;
        submission.wait(PATIENCE)?;
        ensure(submission.is_done()?, || "waited for, and not done".to_owned())?;
        ensure(submission.timings().len() == 1, || format!("{:?}", submission.timings()))?;
        holds(&to, |i| i.wrapping_mul(factor))?;
        says(recorder.submit(), "can record again only after a reset")?;
        says(recorder.fill(BufferRange::whole(&to), 0), "can record again only after a reset")?;
        recorder.reset()?;
    }
    Ok(())
}

/// Neither a recorder nor a submission that goes away takes anything from the device that it still uses.
fn dropped(device: &Arc<Device>) -> Result<(), Failed> {
    let pipeline = multiply_add::pipeline(device, 0)?;
    let (from, to) = (filled(device, MemoryUse::Upload)?, buffer(device, BYTES, MemoryUse::Readback)?);
    let record = || -> Result<Recorder, Failed> {
        let mut recorder = Recorder::new(device)?;
        dispatch(&mut recorder, &pipeline, &[&from, &to].map(BufferRange::whole), &push_constants(COUNT, 5), groups(COUNT))?;
        recorder.barrier(&[written(&to, Access::HostRead)])?;
        Ok(recorder)
    };
    drop(record()?);
    drop(record()?.submit()?);
    let mut recorder = record()?;
    let submission = recorder.submit()?;
    drop(recorder);
    match submission.wait(Duration::ZERO) {
        Ok(()) | Err(Error::Timeout { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    submission.wait(PATIENCE)?;
    holds(&to, |i| i.wrapping_mul(5))
}

fn timings(device: &Arc<Device>) -> Result<(), Failed> {
    let pipeline = multiply_add::pipeline(device, 0)?;
    let (from, to) = (filled(device, MemoryUse::Shared)?, buffer(device, BYTES, MemoryUse::Shared)?);
    let mut recorder = Recorder::new(device)?;
    recorder.begin_timing("outer")?;
    // More spans than a first query pool is likely to hold.
    for _ in 0..100 {
        recorder.begin_timing("inner")?;
        dispatch(&mut recorder, &pipeline, &[&from, &to].map(BufferRange::whole), &push_constants(COUNT, 2), groups(COUNT))?;
        recorder.barrier(&[written(&to, Access::ComputeWrite)])?;
        recorder.end_timing()?;
    }
    recorder.end_timing()?;
    let submission = recorder.submit()?;
    submission.wait(PATIENCE)?;
    let timings = submission.timings();
    let labels: Vec<&str> = timings.iter().map(|timing| timing.label.as_str()).collect();
    ensure(labels[0] == "outer" && labels[1..] == ["inner"; 100], || format!("{labels:?}"))?;
    let clock = &device.capabilities().timestamps;
    if clock.valid_bits == 0 || clock.period_ns <= 0.0 {
        return ensure(timings.iter().all(|timing| timing.nanoseconds.is_none()), || format!("{timings:?} without a clock"));
    }
    let times: Vec<f64> = timings.iter().filter_map(|timing| timing.nanoseconds).collect();
    let inner: f64 = times.iter().skip(1).sum();
    ensure(times.len() == 101 && times.iter().all(|&time| (0.0..6e10).contains(&time)), || format!("{timings:?}"))?;
    ensure(times[0] > 0.0 && inner <= times[0] * 1.01, || format!("parts take {inner} ns, the whole {} ns", times[0]))
}

fn foreign(device: &Arc<Device>) -> Result<(), Failed> {
    let pipeline = multiply_add::pipeline(device, 2)?;
    let (from, to) = (filled(device, MemoryUse::Upload)?, buffer(device, BYTES, MemoryUse::Readback)?);
    let raw = device.raw();
    // SAFETY: the command buffer is used by this thread alone and recorded, submitted, waited for and freed in this order; the recorder goes
    // when the work is done.
    unsafe {
        let pool = raw.create_command_pool(
            &vk::CommandPoolCreateInfo::default().queue_family_index(device.queue(QueueRole::Compute).family()),
            None,
        )?;
        let info =
            vk::CommandBufferAllocateInfo::default().command_pool(pool).level(vk::CommandBufferLevel::PRIMARY).command_buffer_count(1);
        let commands = raw.allocate_command_buffers(&info)?;
        raw.begin_command_buffer(commands[0], &vk::CommandBufferBeginInfo::default())?;
        let mut recorder = Recorder::foreign(device, commands[0], &RecorderOptions::default())?;
        ensure(recorder.command_buffer() == commands[0], || "another command buffer".to_owned())?;
        dispatch(&mut recorder, &pipeline, &[&from, &to].map(BufferRange::whole), &push_constants(COUNT, 9), groups(COUNT))?;
        recorder.barrier(&[written(&to, Access::HostRead)])?;
        says(recorder.submit(), "a recorder of a caller's command buffer was asked to submit")?;
        says(recorder.reset(), "a recorder of a caller's command buffer was asked to reset")?;
        raw.end_command_buffer(commands[0])?;
        device
            .queue(QueueRole::Compute)
            .locked(|queue| raw.queue_submit(queue, &[vk::SubmitInfo::default().command_buffers(&commands)], vk::Fence::null()))?;
        device.wait_idle()?;
        drop(recorder);
        raw.destroy_command_pool(pool, None);
    }
    holds(&to, |i| i.wrapping_mul(9).wrapping_add(2))
}

fn impossible_dispatches(device: &Arc<Device>) -> Result<(), Failed> {
    let limits = device.capabilities().limits.clone();
    let pipeline = multiply_add::pipeline(device, 0)?;
    let (from, to) = (filled(device, MemoryUse::Upload)?, buffer(device, BYTES, MemoryUse::Readback)?);
    let bound = [&from, &to].map(BufferRange::whole);
    let constants = push_constants(COUNT, 1);
    let mut recorder = Recorder::new(device)?;
    says(dispatch(&mut recorder, &pipeline, &bound[..1], &constants, [1, 1, 1]), "was given 1 bindings, and the pipeline has 2 bindings")?;
    says(
        dispatch(&mut recorder, &pipeline, &bound, &constants[..4], [1, 1, 1]),
        "was given 4 bytes of push constants, and the pipeline takes 8",
    )?;
    for axis in 0..3 {
        let most = limits.max_compute_work_group_count[axis];
        if let Some(more) = most.checked_add(1) {
            let mut groups = [1; 3];
            groups[axis] = more;
            let text = format!("needs {more} workgroups in {}, and the device's maxComputeWorkGroupCount is {most}", ["x", "y", "z"][axis]);
            says(dispatch(&mut recorder, &pipeline, &bound, &constants, groups), &text)?;
        }
    }
    if limits.min_storage_buffer_offset_alignment > 4 {
        let text = format!("starts at offset 4, and minStorageBufferOffsetAlignment is {}", limits.min_storage_buffer_offset_alignment);
        says(dispatch(&mut recorder, &pipeline, &[bound[0].slice(4, 64)?, bound[1]], &constants, [1, 1, 1]), &text)?;
    }
    if let Some(more) = limits.max_storage_buffer_range.checked_add(1) {
        // Nothing of this size need exist: it is only named.
        let foreign = ForeignBuffer { size: more.into(), usage: from.usage(), name: "large", keep: None };
        // SAFETY: the buffer is not used.
        let large = unsafe { Buffer::from_raw(device, from.raw(), &foreign) }?;
        let range = BufferRange::whole(&large);
        let text = format!("and the device's maxStorageBufferRange is {}", limits.max_storage_buffer_range);
        says(dispatch(&mut recorder, &pipeline, &[range, bound[1]], &constants, [1, 1, 1]), &text)?;
    }
    says(dispatch(&mut recorder, &pipeline, &[bound[0].slice(0, 0)?, bound[1]], &constants, [1, 1, 1]), "was given 0 bytes")?;
    // Nothing was recorded by any of these, nor by a dispatch of nothing.
    dispatch(&mut recorder, &pipeline, &bound, &constants, [0, 1, 1])?;
    recorder.barrier(&[])?;
    ensure((recorder.dispatches(), recorder.barriers()) == (0, 0), || format!("{recorder:?} counts refused dispatches"))?;
    Ok(recorder.submit()?.wait(PATIENCE)?)
}

fn impossible_barriers(device: &Arc<Device>) -> Result<(), Failed> {
    let buffer = buffer(device, 256, MemoryUse::Device)?;
    let range = BufferRange::whole(&buffer);
    let barrier = BufferBarrier::new(range, Access::ComputeWrite, Access::ComputeRead);
    let mut recorder = Recorder::new(device)?;
    if !device.queue(QueueRole::Compute).flags().contains(vk::QueueFlags::GRAPHICS) {
        let drawn = BufferBarrier { to: Access::FragmentShaderRead, ..barrier };
        says(recorder.barrier(&[drawn]), "a barrier names FragmentShaderRead, which a queue that can")?;
    }
    let nowhere = OwnershipTransfer { from_family: 0, to_family: 1000, half: TransferHalf::Release };
    says(recorder.barrier(&[barrier.with_transfer(nowhere)]), "names queue family 1000, and the device has")?;
    let (family, external) = (device.queue(QueueRole::Compute).family(), vk::QUEUE_FAMILY_EXTERNAL);
    let elsewhere = OwnershipTransfer { from_family: family, to_family: external, half: TransferHalf::Acquire };
    says(recorder.barrier(&[barrier.with_transfer(elsewhere)]), "the Acquire half of a change of ownership belongs on queue family")?;
    let image = Image::new(device, &ImageDescription { extent: [4, 4, 1], format: vk::Format::R32_UINT, name: "tested" })?;
    let back =
        ImageBarrier { new_layout: vk::ImageLayout::UNDEFINED, ..ImageBarrier::new(&image, Access::ComputeWrite, Access::ComputeRead) };
    says(recorder.barriers_of(&[], &[back]), "brings an image into layout UNDEFINED")?;
    ensure(recorder.barriers() == 0, || format!("{recorder:?} counts refused barriers"))?;
    recorder.barriers_of(&[barrier], &[ImageBarrier::discard(&image, Access::ComputeWrite)])?;
    Ok(recorder.submit()?.wait(PATIENCE)?)
}

fn impossible_pipelines(device: &Arc<Device>) -> Result<(), Failed> {
    let capabilities = device.capabilities();
    let with = |change: &dyn Fn(&mut ComputePipelineDescription<'_>)| {
        let no_module = [0x0723_0203, 0x0001_0300, 0, 1, 0, 0];
        let mut changed = description(&no_module, &[]);
        change(&mut changed);
        // SAFETY: none of these comes as far as a driver.
        unsafe { ComputePipeline::new(device, &changed) }
    };
    says(with(&|pipeline| pipeline.spirv = &[1, 2, 3, 4, 5, 6]), "was given 6 words that are no SPIR-V module")?;
    says(with(&|pipeline| pipeline.spirv = &[]), "was given 0 words that are no SPIR-V module")?;
    says(with(&|pipeline| pipeline.push_constant_bytes = 6), "with 6 bytes of push constants, which are no whole words")?;
    let most = capabilities.limits.max_push_constants_size;
    says(with(&|pipeline| pipeline.push_constant_bytes = most + 4), &format!("and the device's maxPushConstantsSize is {most}"))?;
    says(with(&|pipeline| pipeline.required_subgroup_size = Some(3)), "requires subgroups of 3 lanes, and the device offers")?;
    if !capabilities.subgroup.full_subgroups {
        says(with(&|pipeline| pipeline.full_subgroups = true), "requires full subgroups, and the device lacks computeFullSubgroups")?;
    }
    Ok(())
}

fn threads(device: &Arc<Device>) -> Result<(), Failed> {
    let failures: Vec<String> = thread::scope(|scope| {
        let threads: Vec<_> =
            (0..4).map(|_| scope.spawn(|| (0..10).try_for_each(|_| chain(device, 3, true, HazardMode::Checked)))).collect();
        let results = threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err("a thread panicked".into())));
        results.filter_map(|result| result.err().map(|failed| failed.message().unwrap_or_default().to_owned())).collect()
    });
    ensure(failures.is_empty(), || failures.join("\n"))
}

/// A buffer that only the recorder holds lives until the work is done, and no longer than the recorder.
fn kept(device: &Arc<Device>) -> Result<(), Failed> {
    let pipeline = multiply_add::pipeline(device, 0)?;
    let to = buffer(device, BYTES, MemoryUse::Readback)?;
    let mut recorder = Recorder::new(device)?;
    let live = || device.memory_statistics().allocations;
    let before = live();
    {
        let from = filled(device, MemoryUse::Upload)?;
        dispatch(&mut recorder, &pipeline, &[&from, &to].map(BufferRange::whole), &push_constants(COUNT, 4), groups(COUNT))?;
    }
    recorder.barrier(&[written(&to, Access::HostRead)])?;
    let kept = Arc::new(());
    let watched = Arc::downgrade(&kept);
    recorder.keep(kept);
    let submission = recorder.submit()?;
    ensure(live() == before + 1 && watched.upgrade().is_some(), || "something is gone before the work is done".to_owned())?;
    drop(recorder);
    submission.wait(PATIENCE)?;
    holds(&to, |i| i.wrapping_mul(4))?;
    drop(submission);
    ensure(live() == before && watched.upgrade().is_none(), || "something outlives recorder and submission".to_owned())
}
