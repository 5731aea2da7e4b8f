//! Arguments of indirect dispatches from counts on the device, against the CPU twin, and dispatched by.

mod harness;

use std::process::ExitCode;
use std::time::Duration;

use harness::Case;
use harness::gpu::{device, ensure};
use libtest_mimic::Failed;
use wavelane::device::{Buffer, BufferDescription, Capabilities, MemoryUse, Profile};
use wavelane::record::{Access, BufferBarrier, BufferRange, Recorder};
use wavelane::{DispatchArguments, DispatchArgumentsBindings, DispatchRecord, Error};
use wavelane_reference as reference;

const PATIENCE: Duration = Duration::from_secs(60);

fn main() -> ExitCode {
    harness::main(vec![
        Case::new("records_are_the_twins", |_| records(None)),
        Case::new("records_are_the_twins_as_minimal", |_| records(Some(Profile::named("minimal")?))),
        Case::new("dispatches_fold_within_lowered_limits", |_| folded()),
        Case::new("bindings_that_do_not_fit_are_refused", |_| refusals()),
    ])
}

/// What is written for counts that lie from word `first` on.
fn run(profile: Option<Profile>, arguments: DispatchArguments, counts: &[u32], first: u32) -> Result<Vec<DispatchRecord>, Failed> {
    let device = device(profile)?;
    let plan = arguments.plan(&device)?;
    let schedule = plan.schedule();
    let buffer = |name, size| Buffer::new(&device, &BufferDescription { size, memory: MemoryUse::Shared, name });
    let offset = schedule.binding_alignment;
    let read = buffer("counts", offset + u64::from(4 * first) + schedule.count_bytes)?;
    let written = buffer("records", offset + schedule.record_bytes)?;
    read.write(offset + u64::from(4 * first), bytemuck::cast_slice(counts))?;
    let records = BufferRange::whole(&written).slice(offset, schedule.record_bytes)?;
    let counts = BufferRange::whole(&read).slice(offset, read.size() - offset)?;
    let mut recorder = Recorder::new(&device)?;
    plan.record(&mut recorder, &DispatchArgumentsBindings { counts, first_count: first, records })?;
    recorder.barrier(&[BufferBarrier::new(records, Access::ComputeWrite, Access::HostRead)])?;
    recorder.submit()?.wait(PATIENCE)?;
    let mut bytes = vec![0; schedule.record_bytes as usize];
    written.read(offset, &mut bytes)?;
    Ok(bytemuck::pod_collect_to_vec(&bytes))
}

fn compare(profile: Option<Profile>, most: [u32; 3], arguments: DispatchArguments, counts: &[u32], first: u32) -> Result<(), Failed> {
    let arguments = arguments.lists(counts.len() as u32);
    let DispatchArguments { elements_per_group, capacity, .. } = arguments;
    for (&counted, got) in counts.iter().zip(run(profile, arguments, counts, first)?) {
        let want = reference::dispatch_arguments(counted, elements_per_group, capacity, most).ok_or("the twin has no dispatch")?;
        let right = (got.groups, got.count, got.lost) == (want.groups, want.count, want.lost);
        ensure(right, || format!("{counted} of {arguments:?}: {got:?} and not {want:?}"))?;
    }
    Ok(())
}

fn records(profile: Option<Profile>) -> Result<(), Failed> {
    let most = device(profile.clone())?.capabilities().limits.max_compute_work_group_count;
    // One list, and more than a workgroup of them.
    for counts in [&[1000u32][..], &[0, 1, 63, 64, 65, 999, 1000, 1001, u32::MAX]] {
        compare(profile.clone(), most, DispatchArguments::new(64, 1000), counts, 3)?;
    }
    let many: Vec<u32> = (0..1000).map(|list| list * 7).collect();
    compare(profile.clone(), most, DispatchArguments::new(3, 5000), &many, 0)?;
    let large = [0, 1, 65_535 * 256, 65_535 * 256 + 1, 1 << 31, u32::MAX - 1, u32::MAX];
    compare(profile.clone(), most, DispatchArguments::new(256, u32::MAX), &large, 1)?;
    compare(profile, most, DispatchArguments::new(u32::MAX, u32::MAX), &large, 1)
}

/// Every count there is on a device with few workgroups in each dimension.
fn folded() -> Result<(), Failed> {
    let mut capabilities: Capabilities = device(None)?.capabilities().clone();
    for most in [[7, 5, 3], [16, 1, 9], [16, 16, 16]] {
        capabilities.limits.max_compute_work_group_count = most;
        let profile = Profile { name: "narrow".into(), source: "a limit lowered by a test".into(), capabilities: capabilities.clone() };
        let all: u32 = most.iter().product();
        let counts: Vec<u32> =
            (0..400.min(most[0] * 64)).map(|step| step * (2 * all) / 400).chain([all * 2 - 1, all * 2, all * 2 + 1]).collect();
        compare(Some(profile), most, DispatchArguments::new(2, 2 * all), &counts, 0)?;
    }
    Ok(())
}

fn refusals() -> Result<(), Failed> {
    let device = device(None)?;
    let plan = DispatchArguments::new(64, 1000).lists(4).plan(&device)?;
    let buffer = Buffer::new(&device, &BufferDescription { size: 4096, memory: MemoryUse::Shared, name: "all" })?;
    let all = BufferRange::whole(&buffer);
    let good = DispatchArgumentsBindings { counts: all.slice(0, 1024)?, first_count: 252, records: all.slice(1024, 80)? };
    let refuse = |bindings: DispatchArgumentsBindings<'_>, text: &str| -> Result<(), Failed> {
        let mut recorder = Recorder::new(&device)?;
        let said = plan.record(&mut recorder, &bindings).err().map(|error| error.to_string());
        ensure(said.as_deref().is_some_and(|said| said.starts_with(text)) && recorder.dispatches() == 0, || {
            format!("{said:?} and not {text}")
        })
    };
    refuse(DispatchArgumentsBindings { first_count: 253, ..good }, "the counts binding has 1024 bytes, and the plan needs 1028")?;
    refuse(
        DispatchArgumentsBindings { first_count: u32::MAX, ..good },
        "the counts binding has 1024 bytes, and the plan needs 17179869196",
    )?;
    refuse(DispatchArgumentsBindings { records: all.slice(1024, 79)?, ..good }, "the records binding has 79 bytes, and the plan needs 80")?;
    refuse(
        DispatchArgumentsBindings { records: all.slice(1026, 80)?, ..good },
        "the records binding starts at byte 1026, which is not a multiple of",
    )?;
    refuse(DispatchArgumentsBindings { records: all.slice(0, 80)?, ..good }, "the counts and records bindings overlap")?;
    let mut recorder = Recorder::new(&device)?;
    plan.record(&mut recorder, &good)?;
    ensure(recorder.dispatches() == 1, || "the good bindings were not recorded".into())?;
    ensure(plan.arguments(good.records, 3)? == all.slice(1084, 12)?, || format!("{:?}", plan.arguments(good.records, 3)))?;
    ensure(plan.count(good.records, 1)? == all.slice(1056, 4)?, || format!("{:?}", plan.count(good.records, 1)))?;
    let beyond = plan.arguments(good.records, 4);
    ensure(matches!(beyond, Err(Error::Record(_))), || format!("{beyond:?}"))
}
