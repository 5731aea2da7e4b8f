//! Schedules of scans, on every profile and on devices narrower than any: legal, and every element in exactly one place.

use wavelane_device::{Capabilities, Profile, quirks_of};

use super::{Scan, ScanOp, ScanStrategy, work};
use crate::schedule::{DispatchStep, Schedule, StepAction, legal};
use crate::shaders::scan as shaders;
use crate::{DType, Error, Kernel, Path, Tuning};

const STAGE_LOOK_BACK: u32 = 2;
const STAGE_SCAN_TILES: u32 = 1;
const STAGE_SCAN_COLUMNS: u32 = 3;

fn devices() -> Vec<Capabilities> {
    legal::devices(&[
        |device| device.limits.max_storage_buffer_range = 12 << 10,
        |device| {
            device.limits.max_storage_buffer_range = 1 << 15;
            device.limits.min_storage_buffer_offset_alignment = 1024;
        },
        |device| device.limits.max_compute_work_group_count = [7, 65_535, 2],
        |device| device.limits.max_compute_work_group_invocations = 1,
        |device| device.limits.max_compute_shared_memory_size = 2048,
    ])
}

fn scans() -> Vec<Scan> {
    let shapes: [(&[usize], Option<usize>); 9] = [
        (&[0], None),
        (&[1], None),
        (&[20_011], None),
        (&[3, 5000], Some(1)),
        (&[3, 500], Some(0)),
        (&[20_011, 2], Some(0)),
        (&[7, 700, 3], Some(1)),
        (&[u32::MAX as usize], None),
        (&[5, 0, 3], Some(1)),
    ];
    let mut scans = Vec::new();
    for (shape, axis) in shapes {
        for (op, dtype) in [
            (ScanOp::Sum, DType::U32),
            (ScanOp::Sum, DType::F16),
            (ScanOp::Last, DType::U64),
            (ScanOp::Max, DType::F64),
            (ScanOp::Prod, DType::F32),
        ] {
            for strategy in [None, Some(ScanStrategy::OneWorkgroup), Some(ScanStrategy::ReduceThenScan), Some(ScanStrategy::SinglePass)] {
                for reverse in [false, true] {
                    let scan = Scan { axis, strategy, reverse, counted: reverse, ..Scan::new(op, dtype, shape) };
                    let wide = op == ScanOp::Sum && dtype == DType::U32 && strategy.is_none();
                    let in_place = dtype != DType::F16 && strategy != Some(ScanStrategy::SinglePass) && !reverse;
                    scans.push(Scan { wide, in_place: in_place && !wide, ..scan });
                }
            }
        }
    }
    scans
}

#[test]
fn schedules_are_legal_and_cover_every_element_once() {
    let mut planned = 0;
    for device in devices() {
        let quirks = quirks_of(&device);
        for scan in scans() {
            for path in Path::ALL {
                let schedule = match scan.schedule(&device, &quirks, Some(path)) {
                    Ok(schedule) => schedule,
                    Err(Error::PathUnavailable { .. } | Error::TypeUnsupported { .. } | Error::StrategyUnavailable { .. }) => continue,
                    // Scratch of a large array does not fit a binding of a few kilobytes.
                    Err(Error::Unplannable { .. }) if device.limits.max_storage_buffer_range < 1 << 20 => continue,
                    // Nor two carries for each tile of the longest array in workgroups of one invocation.
                    Err(Error::Unplannable { .. })
                        if scan.strategy == Some(ScanStrategy::SinglePass) && scan.shape.contains(&(u32::MAX as usize)) =>
                    {
                        continue;
                    }
                    Err(error) => panic!("{scan:?} on {}: {error}", device.device_name),
                };
                legal::check(&schedule, &device);
                covers(&scan, &schedule);
                planned += 1;
            }
        }
    }
    assert!(planned > 1000, "only {planned} were planned");
}

fn dispatches<'a>(schedule: &'a Schedule, kernel: &str) -> Vec<&'a DispatchStep> {
    schedule.dispatches().filter(|dispatch| dispatch.kernel == kernel).collect()
}

fn constant(dispatch: &DispatchStep, id: u32) -> u32 {
    dispatch.constants.iter().find(|(known, _)| *known == id).map_or(0, |&(_, value)| value)
}

/// That the last stage writes each result once, and that what is in scratch lies within it, apart from each other.
fn covers(scan: &Scan, schedule: &Schedule) {
    let elements: u64 = scan.shape.iter().map(|&length| length as u64).product();
    let scratch_words = schedule.scratch_bytes() / 4;
    let mut written = 0;
    let mut parts: Vec<(u64, u64)> = Vec::new();
    for dispatch in dispatches(schedule, "scan.tiles") {
        let push: shaders::tiles::PushConstants = bytemuck::pod_read_unaligned(&dispatch.push);
        let stage = constant(dispatch, 3);
        let groups: u64 = dispatch.groups.iter().map(|&count| u64::from(count)).product();
        assert!(
            groups >= u64::from(push.groups) && u64::from(push.groups) * u64::from(push.group_tiles) >= u64::from(push.tiles) || stage == 0
        );
        if stage == STAGE_LOOK_BACK {
            let tiles = u64::from(push.tile_base + push.tiles);
            assert!(u64::from(push.status) + tiles <= u64::from(push.ticket), "statuses run into the tickets: {scan:?}");
            assert!(push.ticket < push.fallbacks && u64::from(push.carries) + 2 * tiles <= scratch_words, "{scan:?}");
        }
        if matches!(stage, STAGE_LOOK_BACK | STAGE_SCAN_TILES) {
            written += u64::from(push.elements);
            parts.push((u64::from(push.first), u64::from(push.elements)));
        } else {
            assert!(u64::from(push.carries + push.group_base + push.groups) <= scratch_words, "{scan:?}");
        }
    }
    for dispatch in dispatches(schedule, "scan.columns") {
        let push: shaders::columns::PushConstants = bytemuck::pod_read_unaligned(&dispatch.push);
        if constant(dispatch, 3) == STAGE_SCAN_COLUMNS {
            // The last chunk of a column may be short.
            assert!(u64::from(push.chunks) * u64::from(push.chunk_rows) >= u64::from(push.rows), "{scan:?}");
            assert!(u64::from(push.chunks - 1) * u64::from(push.chunk_rows) < u64::from(push.rows), "{scan:?}");
            let chunks = u64::from(push.items) / u64::from(push.columns);
            let first = u64::from(push.item_base) / u64::from(push.columns);
            for chunk in first..first + chunks {
                let begin = chunk % u64::from(push.chunks) * u64::from(push.chunk_rows);
                written += u64::from(push.columns) * u64::from(push.chunk_rows).min(u64::from(push.rows) - begin);
            }
        }
    }
    assert_eq!(written, elements, "{scan:?}: {}", schedule.explain());
    parts.sort_unstable();
    let mut next = 0;
    for (first, count) in parts {
        assert_eq!(first, next, "{scan:?}");
        next = first + count;
    }
}

#[test]
fn look_back_is_taken_where_the_tuning_says_so() {
    let device = Profile::named("nvidia-h200").map(|profile| profile.capabilities).unwrap_or_default();
    let scan = Scan::new(ScanOp::Sum, DType::U32, &[1 << 20]);
    for look_back in [false, true] {
        let tuning = Tuning { look_back, ..Tuning::of(crate::DeviceClass::Discrete) };
        let schedule = scan.schedule_tuned(&device, &[], &tuning, None).unwrap_or_else(|error| panic!("{error}"));
        let clears = schedule.steps.iter().any(|step| matches!(step.action, StepAction::Fill { buffer: work::SCRATCH, .. }));
        assert_eq!(clears, look_back, "{}", schedule.explain());
    }
}
