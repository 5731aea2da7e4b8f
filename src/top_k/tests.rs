//! Schedules of the first keys of rows, on every profile and on devices narrower than any: legal, and within the memory that is promised.

use wavelane_device::{Capabilities, quirks_of};

use super::TopK;
use crate::schedule::legal;
use crate::{DType, DeviceClass, Error, Kernel, OrderStrategy, Tuning};

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

const STRATEGIES: [Option<OrderStrategy>; 4] =
    [None, Some(OrderStrategy::Comparisons), Some(OrderStrategy::Rows), Some(OrderStrategy::Parts)];

#[test]
fn schedules_are_legal_on_every_device() {
    let shapes: [(&[usize], usize); 11] = [
        (&[0], 0),
        (&[1], 1),
        (&[20_011], 0),
        (&[20_011], 1),
        (&[20_011], 3001),
        (&[20_011], 20_011),
        (&[300, 501], 7),
        (&[70_001, 3], 2),
        (&[3, 300_000], 100),
        (&[u32::MAX as usize], 1000),
        (&[5, 0, 3], 1),
    ];
    for capabilities in devices() {
        let quirks = quirks_of(&capabilities);
        let mut planned = 0;
        for (shape, k) in shapes {
            for dtype in [DType::U8, DType::F16, DType::I32, DType::F64] {
                for strategy in STRATEGIES {
                    for (keys, positions, flattened) in [(true, true, false), (true, false, true), (false, true, false)] {
                        // Parts of rows of a few keys would take a thousand dispatches.
                        if strategy == Some(OrderStrategy::Parts) && shape.last() == Some(&3) && !flattened {
                            continue;
                        }
                        let top_k = TopK { keys, positions, flattened, strategy, ..TopK::new(dtype, shape, k) };
                        match top_k.schedule(&capabilities, &quirks, None) {
                            Ok(schedule) => {
                                legal::check(&schedule, &capabilities);
                                planned += 1;
                            }
                            Err(Error::TopKCount { .. }) if flattened && shape.contains(&0) => {}
                            // Rows that are too long for the strategy, or more than the narrowest devices take.
                            Err(Error::Unplannable { .. }) if strategy.is_some() || shape.iter().product::<usize>() > 2000 => {}
                            Err(error) => panic!("{top_k:?} on {}: {error}", capabilities.shown_name()),
                        }
                    }
                }
            }
        }
        assert!(planned >= 200, "only {planned} of {}", capabilities.shown_name());
    }
}

/// Beside what the sort of the results takes: a megabyte for counts, the keys that only positions are sorted by, and what aligns them.
#[test]
fn scratch_does_not_grow_with_the_array() {
    for capabilities in legal::devices(&[]) {
        for dtype in DType::ALL {
            for (shape, k) in
                [(&[100_000_007][..], 100), (&[1 << 27], 1 << 20), (&[1 << 20, 64], 5), (&[1 << 16, 1000], 10), (&[3, 1 << 24], 1)]
            {
                for keys in [true, false] {
                    let top_k = TopK { keys, ..TopK::new(dtype, shape, k) };
                    let Ok(schedule) = top_k.schedule(&capabilities, &[], None) else {
                        // Some profile's descriptors do not reach so many results.
                        assert!(k > 100 || shape.len() > 1, "{top_k:?} on {}", capabilities.shown_name());
                        continue;
                    };
                    let results = top_k.result_shape().iter().product::<usize>() as u64 * (dtype.size() + 4);
                    let wanted = (results + results / 50) * 2 + (1 << 20) + (66 << 10);
                    let got = schedule.scratch_bytes();
                    assert!(got <= wanted, "{top_k:?} takes {got} bytes of scratch, and may take {wanted}");
                }
            }
        }
    }
}

#[test]
fn few_long_rows_are_shared_and_short_ones_are_not() {
    let words = |shape: &[usize]| {
        let profile = wavelane_device::Profile::named("minimal").expect("the least device");
        let schedule = TopK::new(DType::F32, shape, 2).schedule(&profile.capabilities, &[], None).expect("a schedule");
        schedule.strategy
    };
    assert!(words(&[1000, 64]).contains("compared"), "{}", words(&[1000, 64]));
    assert!(words(&[1000, 3000]).contains("each row by a workgroup"), "{}", words(&[1000, 3000]));
    assert!(words(&[1, 3_000_000]).contains("counted by"), "{}", words(&[1, 3_000_000]));
}

#[test]
fn tiles_are_counted_in_half_a_word() {
    let mut device = wavelane_device::Profile::named("minimal").expect("the least device").capabilities;
    let limits = &mut device.limits;
    (limits.max_compute_work_group_invocations, limits.max_compute_work_group_size, limits.max_compute_shared_memory_size) =
        (1 << 14, [1 << 14; 3], 1 << 20);
    let tuning = Tuning { workgroup_size: 1 << 14, shared_memory_budget: 1 << 20, ..Tuning::of(DeviceClass::Discrete) };
    let schedule = TopK::new(DType::U8, &[1 << 20], 2).schedule_tuned(&device, &[], &tuning, None).expect("a schedule");
    assert_eq!(schedule.choice.workgroup_size, 1024);
}

#[test]
fn more_than_there_are_is_refused() {
    let profile = wavelane_device::Profile::named("minimal").expect("the least device");
    let error = TopK::new(DType::U8, &[4, 3], 4).schedule(&profile.capabilities, &[], None).expect_err("rows of three");
    assert_eq!(error.to_string(), "the first 4 keys were asked for of rows of 3");
    assert_eq!(error.advice(), "ask for 3 at most");
}
