//! Schedules of merges, on every profile and on devices narrower than any: legal, and with every element and result in the dispatches that move it.

use wavelane_device::Capabilities;

use super::bindings::OUTPUT;
use super::{Merge, MergeStrategy};
use crate::schedule::{DispatchStep, Schedule, legal};
use crate::shaders::merge::{path, put, tiles};
use crate::sort::Payload;
use crate::{DType, Error, Kernel};

fn devices() -> Vec<Capabilities> {
    legal::devices(&[
        |device| device.limits.max_storage_buffer_range = 12 << 10,
        |device| {
            device.limits.max_storage_buffer_range = 1 << 15;
            device.limits.min_storage_buffer_offset_alignment = 1024;
        },
        |device| device.limits.max_compute_work_group_count = [7, 65_535, 2],
        |device| device.limits.max_compute_work_group_invocations = 1,
        |device| device.limits.max_compute_shared_memory_size = 4096,
    ])
}

fn merges() -> Vec<Merge> {
    let mut all = Vec::new();
    for dtype in [DType::U8, DType::F16, DType::I32, DType::F64] {
        for (first, second) in [(0, 0), (0, 5), (7, 0), (1, 1), (20_011, 9001), (3, 100_003), (1 << 31, (1 << 31) - 1)] {
            let merge = Merge::new(dtype, first, second);
            let carried = [merge.clone().with_positions(), merge.clone().with_values(DType::U64), Merge::positions(dtype, first, second)];
            // The largest arrays in one form: thousands of dispatches take their time.
            if first < 1 << 31 || dtype == DType::U8 {
                all.push(merge.clone());
            }
            if first < 1 << 31 {
                all.push(merge.clone().descending().counted());
                for carried in carried {
                    all.extend([carried.clone(), carried.clone().with_strategy(MergeStrategy::Ranks).counted()]);
                    all.extend([MergeStrategy::Path, MergeStrategy::Tiles].map(|strategy| carried.clone().with_strategy(strategy)));
                }
            }
        }
    }
    all
}

#[test]
fn schedules_are_legal_on_every_device() {
    for capabilities in devices() {
        let mut planned = 0;
        for merge in merges() {
            let total = merge.first + merge.second;
            match merge.schedule(&capabilities, &[], None) {
                Ok(schedule) => {
                    legal::check(&schedule, &capabilities);
                    check_cover(&merge, &schedule);
                    planned += 1;
                }
                Err(Error::Unplannable { .. }) if total > 1 << 20 => {}
                Err(Error::StrategyUnavailable { .. }) if merge.strategy == Some(MergeStrategy::Path) && total > 1000 => {}
                Err(Error::StrategyUnavailable { .. })
                    if merge.strategy == Some(MergeStrategy::Tiles) && is_small(&capabilities, total) => {}
                Err(error) => panic!("{merge:?} on {}: {error}", capabilities.shown_name()),
            }
        }
        assert!(planned >= 200, "only {planned} of {}", capabilities.shown_name());
    }
}

#[test]
fn scratch_is_as_stated() {
    for capabilities in legal::devices(&[]) {
        for dtype in DType::ALL {
            for (first, second) in [(1, 0), (3, 5), (1000, 24), (20_011, 9001), (1 << 20, 1 << 22)] {
                let plain = Merge::new(dtype, first, second);
                let results = (first + second) as u64;
                let align = capabilities.limits.min_storage_buffer_offset_alignment.max(16);
                for (merge, own, by_ranks) in [
                    (plain.clone(), 0, 4 * results),
                    (plain.clone().with_positions(), 0, 4 * results),
                    (Merge::positions(dtype, first, second), 0, 4 * results),
                    (plain.clone().with_values(DType::U32), 4 * results, 4 * results),
                    (plain.with_values(DType::F64), 4 * results, 4 * results),
                ] {
                    for (strategy, own) in [(None, own), (Some(MergeStrategy::Path), own), (Some(MergeStrategy::Ranks), by_ranks)] {
                        for counted in [false, true] {
                            let merge = Merge { strategy, counted_first: counted, counted_second: counted, ..merge.clone() };
                            let schedule = merge.schedule(&capabilities, &[], None).expect("within every limit");
                            // What follows the counts is aligned.
                            let counts = if !counted {
                                0
                            } else if own > 0 {
                                8u64.next_multiple_of(align)
                            } else {
                                8
                            };
                            // By ranks what each array has is aligned, too.
                            let more = if strategy == Some(MergeStrategy::Ranks) { 2 * align } else { 0 };
                            let (got, stated) = (schedule.scratch_bytes(), counts + own..=counts + own + more);
                            assert!(stated.contains(&got), "{merge:?} takes {got}, and not {stated:?}, on {}", capabilities.shown_name());
                        }
                    }
                }
            }
        }
    }
}

/// Whether tiles may have no room, or bindings not reach as far.
fn is_small(capabilities: &Capabilities, total: usize) -> bool {
    let limits = &capabilities.limits;
    total > 1000 && limits.max_storage_buffer_range < 1 << 20 || limits.max_compute_shared_memory_size < 8 << 10
}

fn push<P: bytemuck::AnyBitPattern>(dispatch: &DispatchStep) -> P {
    bytemuck::pod_read_unaligned(&dispatch.push)
}

/// Along the path invocations have all results, once. By ranks every element, of which there are few enough to look at, meets every window of results that it may go to, once.
fn check_cover(merge: &Merge, schedule: &Schedule) {
    if !merge.keys {
        return;
    }
    let total = (merge.first + merge.second) as u64;
    let steps = || schedule.dispatches().filter(|dispatch| dispatch.bindings.len() > 2 && dispatch.bindings[2].0 == OUTPUT);
    let mut next = 0;
    for dispatch in steps().filter(|dispatch| dispatch.kernel == "merge.path") {
        let push: path::PushConstants = push(dispatch);
        assert_eq!(u64::from(push.parts_before), next, "{merge:?}");
        next += u64::from(push.parts);
    }
    let mut covered = 0;
    for dispatch in steps().filter(|dispatch| dispatch.kernel == "merge.tiles") {
        let push: tiles::PushConstants = push(dispatch);
        let each = dispatch.constants.iter().find(|(id, _)| *id == 1).map_or(0, |(_, each)| *each);
        let tile = u64::from(schedule.choice.workgroup_size) * u64::from(each);
        assert!((1..16).contains(&each) && tile.is_multiple_of(4), "{merge:?}: {each} results each");
        assert_eq!(u64::from(push.tiles_before) * tile, covered, "{merge:?}");
        covered += u64::from(push.tiles) * tile;
        next = total.div_ceil(super::path::RESULTS_EACH);
    }
    assert!(covered == 0 || covered >= total, "{merge:?}");
    let puts: Vec<put::PushConstants> = steps().filter(|dispatch| dispatch.kernel == "merge.put").map(push).collect();
    if puts.is_empty() {
        assert_eq!(next, total.div_ceil(super::path::RESULTS_EACH), "{merge:?}");
        return;
    }
    for (own, (length, other)) in [(merge.first, merge.second), (merge.second, merge.first)].into_iter().enumerate() {
        for element in (0..length).step_by((length / 20).max(1)) {
            let (element, other) = (element as u32, other as u32);
            let mine = puts.iter().filter(|push| {
                (push.options & super::merging::SECOND_ELEMENTS != 0) == (own == 1)
                    && (push.first..push.first + push.elements).contains(&element)
            });
            // It goes to one of these places.
            for place in [element, element + other / 2, element + other] {
                let hits = mine.clone().filter(|push| (push.window_first..push.window_end).contains(&place)).count();
                assert_eq!(hits, 1, "{merge:?}: element {element} of array {own} at {place}");
            }
        }
    }
}

#[test]
fn what_is_not_merged_is_refused() {
    let device = &devices()[0];
    let narrow = Merge { payload: Payload::Values(DType::U16), ..Merge::new(DType::U8, 5, 5) }.schedule(device, &[], None);
    assert!(matches!(narrow, Err(Error::MergeValues { dtype: DType::U16 })), "{narrow:?}");
    for (first, second) in [(1 << 31, 1 << 31), (usize::MAX, 1), (usize::MAX, usize::MAX)] {
        let many = Merge::new(DType::U8, first, second).schedule(device, &[], None);
        assert!(matches!(many, Err(Error::TooManyElements { .. })), "{many:?}");
    }
}
