//! What a device asks of every schedule of the shared form: for the tests of the kernels' schedules.

use wavelane_device::{Capabilities, Profile};

use super::barriers::touches;
use super::{BufferUse, Schedule, StepAction, StepRange};

/// A limit made narrower.
pub(crate) type Narrow = fn(&mut Capabilities);

/// The devices of all profiles, and the widest of them with each of these limits lowered further than any real one.
pub(crate) fn devices(narrowing: &[Narrow]) -> Vec<Capabilities> {
    let mut devices: Vec<_> =
        Profile::names().into_iter().filter_map(|name| Profile::named(name).ok()).map(|profile| profile.capabilities).collect();
    let widest = devices.last().cloned().unwrap_or_default();
    devices.extend(narrowing.iter().map(|narrow| {
        let mut device = widest.clone();
        narrow(&mut device);
        device
    }));
    devices
}

/// Checks every step of a schedule against the device.
pub(crate) fn check(schedule: &Schedule, capabilities: &Capabilities) {
    let limits = &capabilities.limits;
    let label = || format!("{} {} on {}: ", schedule.kernel, schedule.title, schedule.device);
    for need in &schedule.buffers {
        assert!(need.alignment.is_power_of_two() || need.alignment % 4 == 0, "{}{need:?}", label());
        assert!(need.bytes % 4 == 0, "{}{need:?} is no whole number of words", label());
    }
    for step in &schedule.steps {
        for barrier in &step.barriers {
            assert!(barrier.range.end() <= schedule.buffers[barrier.buffer].bytes, "{}{barrier:?}", label());
        }
        match &step.action {
            StepAction::Fill { buffer, range, .. } => assert!(range.end() <= schedule.buffers[*buffer].bytes, "{}{range:?}", label()),
            StepAction::Copy { from, from_offset, to, range } => {
                assert!(from_offset + range.size <= schedule.buffers[*from].bytes, "{}{:?}", label(), step.action);
                assert!(range.end() <= schedule.buffers[*to].bytes, "{}{:?}", label(), step.action);
                assert!(schedule.buffers[*to].usage != BufferUse::Input, "{}{:?} writes to an input", label(), step.action);
            }
            StepAction::Dispatch(dispatch) => {
                assert!(!dispatch.spirv.is_empty(), "{}there is no module {} of {}", label(), dispatch.module, dispatch.kernel);
                assert!(
                    dispatch.push.len() as u32 <= limits.max_push_constants_size,
                    "{}{} bytes of push constants",
                    label(),
                    dispatch.push.len()
                );
                assert!(
                    dispatch.shared_bytes <= limits.max_compute_shared_memory_size,
                    "{}{} bytes shared",
                    label(),
                    dispatch.shared_bytes
                );
                let most = limits.max_compute_work_group_count;
                assert!((0..3).all(|axis| (1..=most[axis]).contains(&dispatch.groups[axis])), "{}{:?}", label(), dispatch.groups);
                assert_eq!(dispatch.bindings.len(), dispatch.descriptions.len(), "{}{dispatch:?}", label());
                assert!(dispatch.bindings.len() as u32 <= limits.max_per_stage_descriptor_storage_buffers, "{}{dispatch:?}", label());
                for (&(buffer, range), description) in dispatch.bindings.iter().zip(dispatch.descriptions) {
                    let need = &schedule.buffers[buffer];
                    assert!(range.size > 0 && range.size % 4 == 0, "{}{range:?} of {}", label(), need.name);
                    assert!(range.offset % limits.min_storage_buffer_offset_alignment == 0, "{}{range:?} of {}", label(), need.name);
                    assert!(range.size <= u64::from(limits.max_storage_buffer_range), "{}{range:?} of {}", label(), need.name);
                    assert!(range.end() <= need.bytes, "{}{range:?} of {} with {} bytes", label(), need.name, need.bytes);
                    assert!(need.usage != BufferUse::Input || !description.access.writes(), "{}{} is written", label(), need.name);
                }
            }
        }
    }
    check_barriers(schedule);
    let choice = &schedule.choice;
    assert!(choice.workgroup_size <= limits.max_compute_work_group_invocations, "{}{choice:?}", label());
    assert!(choice.workgroup_size <= limits.max_compute_work_group_size[0], "{}{choice:?}", label());
}

/// Steps of schedules that are compared with each other.
const COMPARED: usize = 60;

/// What two steps do to the same bytes, where one of them writes: a barrier between them names the bytes.
fn check_barriers(schedule: &Schedule) {
    let steps = &schedule.steps[..schedule.steps.len().min(COMPARED)];
    let touched: Vec<_> = steps.iter().map(|step| touches(&step.action)).collect();
    for (late, second) in touched.iter().enumerate() {
        for (early, first) in touched[..late].iter().enumerate() {
            for (a, b) in first.iter().flat_map(|a| second.iter().map(move |b| (a, b))) {
                if a.buffer != b.buffer || !a.range.overlaps(b.range) || !(a.access.writes() || b.access.writes()) {
                    continue;
                }
                let begin = a.range.offset.max(b.range.offset);
                let both = StepRange { offset: begin, size: a.range.end().min(b.range.end()) - begin };
                let mut between = steps[early + 1..=late].iter().flat_map(|step| &step.barriers);
                let is_named = between
                    .any(|barrier| barrier.buffer == a.buffer && barrier.range.offset <= both.offset && both.end() <= barrier.range.end());
                let name = schedule.buffers[a.buffer].name;
                assert!(is_named, "{} {}: steps {early} and {late}, {both:?} of {name}", schedule.kernel, schedule.title);
            }
        }
    }
}
