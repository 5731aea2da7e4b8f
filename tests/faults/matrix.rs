//! Every call of the job that can fail, failed once at each of its first occurrences, with each result that it may have.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use libtest_mimic::Failed;
use wavelane::device::vk;

use super::expected::{check, results_of};
use super::faults::{self, Fault};
use super::harness::gpu::ensure;
use super::job::{Ended, Setting, Work};

/// How many occurrences of a call fail.
const OCCURRENCES: u32 = 20;

/// Longer than any job takes by far, under validation on a busy machine, and shorter than the library's own patience with a device.
const HANG: Duration = Duration::from_secs(60);

/// Calls that belong together: a trial's name, and parts of calls' names. A call is of the first group that has it; the last has all others.
const GROUPS: [(&str, &[&str]); 11] = [
    ("images", &["Image"]),
    ("caches", &["PipelineCache"]),
    ("instances", &["Instance", "PhysicalDevice", "vkCreateDevice", "vkEnumerate", "vkCreateDebugUtils"]),
    ("memory", &["Memory"]),
    ("pipelines", &["Pipeline", "ShaderModule"]),
    ("descriptors", &["Descriptor"]),
    ("recording", &["Command"]),
    ("submitting", &["Submit", "CreateFence", "CreateSemaphore", "ResetFences", "SignalSemaphore"]),
    ("waiting", &["Wait", "FenceStatus", "CounterValue"]),
    ("names", &["vkSetDebugUtils"]),
    ("others", &[""]),
];

/// The groups that are struck in a job: those of which it makes calls that the other jobs do not make in the same way.
pub fn groups_of(job: &str) -> impl Iterator<Item = &'static str> {
    let struck = move |group: &str| match job {
        "caches" => group == "caches",
        "recordings" => !["instances", "caches", "pipelines", "names"].contains(&group),
        _ => !["images", "caches"].contains(&group),
    };
    GROUPS.iter().map(|(name, _)| *name).filter(move |group| struck(group))
}

fn group_of(call: &str) -> &'static str {
    let found = GROUPS.iter().find(|(_, parts)| parts.iter().any(|part| call.contains(part)));
    found.map_or("others", |(name, _)| name)
}

/// The calls of the job that can fail, and how often it makes each.
pub fn calls(setting: Setting, work: Work) -> Result<BTreeMap<&'static str, u32>, Failed> {
    // What is read once a process is read before anything is counted.
    setting.run_well(work)?;
    setting.run_well(work)?;
    let mut counts = faults::counts();
    counts.retain(|call, _| faults::can_fail(call));
    Ok(counts)
}

/// The results that an occurrence fails with: all at the first, then in turn, and the loss of the device at each.
fn results_at(call: &str, occurrence: u32) -> Vec<vk::Result> {
    let mut results = results_of(call);
    let in_turn = results[occurrence as usize % results.len()];
    results.retain(|&result| occurrence == 1 || result == in_turn || result == vk::Result::ERROR_DEVICE_LOST);
    results
}

/// Fails each call of a group in turn.
pub fn run(setting: Setting, work: Work, group: &str) -> Result<(), Failed> {
    let mut failures = Vec::new();
    let mut made = 0;
    let calls = calls(setting, work)?;
    let waits = calls.get(WAIT).copied().unwrap_or(0);
    for (call, count) in calls.into_iter().filter(|(call, _)| group_of(call) == group) {
        let before = Instant::now();
        for occurrence in 1..=count.min(OCCURRENCES) {
            for result in results_at(call, occurrence) {
                made += 1;
                if let Err(what) = strike(setting, work, waits, Fault::once(call, occurrence, result)) {
                    failures.push(format!("{call} number {occurrence}, failed with {result:?}: {what}"));
                }
                // Other memory may stand in for one call's, and not for all of them.
                if STAND_IN.contains(&call)
                    && let Err(what) = strike(setting, work, waits, Fault::from(call, occurrence, result))
                {
                    failures.push(format!("{call} from number {occurrence} on, failed with {result:?}: {what}"));
                }
            }
        }
        // The jobs with the next faults are new contexts, too; this one is whole.
        if let Err(failed) = setting.works() {
            failures.push(format!("a context after {call}: {}", failed.message().unwrap_or_default()));
        }
        eprintln!("{call}: {count} calls, {} failed in turn, {:?}", count.min(OCCURRENCES), before.elapsed());
    }
    eprintln!("{made} faults");
    ensure(failures.is_empty(), || format!("{} of {made} faults:\n{}", failures.len(), failures.join("\n")))?;
    ensure(made > 0, || "no call of this group was made".into())
}

/// Calls that are made for another memory type where they fail for one; that type's memory may even be there already. Only where they fail from the first
/// on must the job fail.
const STAND_IN: [&str; 2] = ["vkAllocateMemory", "vkMapMemory"];

/// Calls that ask whether work is done, and wait for it.
const WAITS: [&str; 5] =
    ["vkWaitSemaphores", "vkWaitSemaphoresKHR", "vkGetSemaphoreCounterValue", "vkGetSemaphoreCounterValueKHR", "vkWaitForFences"];

/// What the library does where it cannot have a fence.
const WAIT: &str = "vkQueueWaitIdle";

/// One job with a fault. `waits` is how often the job waits for the queue without a fault.
fn strike(setting: Setting, work: Work, waits: u32, fault: Fault) -> Result<(), String> {
    faults::arm(Some(fault));
    let begun = Instant::now();
    let ended = catch_unwind(AssertUnwindSafe(|| setting.run(work))).map_err(|_| "a panic")?;
    ensure_sound(begun)?;
    let made = faults::counts().get(fault.call).copied().unwrap_or_default();
    if faults::fired() == 0
        && WAITS.contains(&fault.call)
        && fault.occurrence > 1
        && made < fault.occurrence
        && matches!(ended, Ended::Right)
    {
        // Work that was done when it was looked at is not waited for, so how often is waited depends on how fast the device was.
        return Ok(());
    }
    if faults::fired() == 0 {
        return Err(format!("the fault never struck; the job ended with {ended:?}"));
    }
    let may_succeed = STAND_IN.contains(&fault.call) && (fault.times == 1 || fault.occurrence > 1);
    if !may_succeed || !matches!(ended, Ended::Right) {
        let waited_instead = faults::counts().get(WAIT).is_some_and(|&count| count > waits);
        check(fault.call, fault.result, &ended, waited_instead)?;
    }
    Ok(())
}

/// Nothing leaked, nothing was destroyed twice, nothing hung.
pub fn ensure_sound(begun: Instant) -> Result<(), String> {
    let (live, misdeeds) = (faults::live(), faults::misdeeds());
    if !live.is_empty() || !misdeeds.is_empty() {
        return Err(format!("left alive: {live:?}; {misdeeds:?}"));
    }
    if begun.elapsed() > HANG { Err(format!("it took {:?}", begun.elapsed())) } else { Ok(()) }
}
