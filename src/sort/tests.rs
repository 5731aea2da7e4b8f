//! Schedules of sorts, on every profile and on devices narrower than any: legal, and within the memory that is promised.

use wavelane_device::{Capabilities, quirks_of};

use super::{Payload, Sort, SortForm, SortStrategy};
use crate::schedule::legal;
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

#[test]
fn schedules_are_legal_on_every_device() {
    let shapes: [(&[usize], Option<usize>); 9] = [
        (&[0], None),
        (&[1], None),
        (&[20_011], Some(0)),
        (&[3, 5000], Some(1)),
        (&[3, 500], Some(0)),
        (&[200_003, 3], Some(1)),
        (&[7, 700, 3], Some(1)),
        (&[u32::MAX as usize], None),
        (&[5, 0, 3], Some(1)),
    ];
    for capabilities in devices() {
        let quirks = quirks_of(&capabilities);
        let mut planned = 0;
        for (shape, axis) in shapes {
            for dtype in [DType::U8, DType::F16, DType::I32, DType::F64] {
                for (form, payload) in [
                    (SortForm::OutOfPlace, Payload::None),
                    (SortForm::OutOfPlace, Payload::Positions),
                    (SortForm::InPlace, Payload::Values(DType::U32)),
                    (SortForm::DoubleBuffer, Payload::Values(DType::U64)),
                ] {
                    // Thousands of dispatches take their time: the largest array in one form.
                    if shape == [u32::MAX as usize] && (dtype, form, payload) != (DType::U8, SortForm::OutOfPlace, Payload::None) {
                        continue;
                    }
                    for (keys, counted) in [(true, false), (form != SortForm::OutOfPlace || payload == Payload::None, true)] {
                        for strategy in [SortStrategy::Lanes, SortStrategy::Tiles, SortStrategy::Local, SortStrategy::Onesweep] {
                            // Rows of a few keys are not for tiles, which would take a dispatch for every few hundred of them.
                            let strategy = Some(strategy).filter(|_| shape.last() != Some(&3));
                            let sort = Sort { axis, form, payload, keys, counted, strategy, ..Sort::new(dtype, shape) };
                            match sort.schedule(&capabilities, &quirks, None) {
                                Ok(schedule) => {
                                    legal::check(&schedule, &capabilities);
                                    planned += 1;
                                }
                                // The largest array on the narrowest device, and lines that a descriptor does not reach across.
                                Err(Error::Unplannable { .. }) if shape.iter().product::<usize>() > 2000 => {}
                                Err(error) => panic!("{sort:?} on {}: {error}", capabilities.shown_name()),
                            }
                        }
                    }
                }
            }
        }
        assert!(planned >= 100, "only {planned} of {}", capabilities.shown_name());
    }
}

#[test]
fn schedules_of_segments_are_legal_on_every_device() {
    for capabilities in devices() {
        let quirks = quirks_of(&capabilities);
        let mut planned = 0;
        for (length, segments) in [(0, 0), (1, 1), (500, 3), (20_011, 20_000), (300_000, 7), (100_000_007, 1 << 20), (u32::MAX as usize, 5)]
        {
            for dtype in [DType::U8, DType::F16, DType::I32, DType::F64] {
                for (form, payload, keys) in [
                    (SortForm::OutOfPlace, Payload::None, true),
                    (SortForm::OutOfPlace, Payload::Positions, false),
                    (SortForm::InPlace, Payload::Values(DType::U32), true),
                    (SortForm::DoubleBuffer, Payload::Values(DType::U64), true),
                ] {
                    let sort = Sort { form, payload, keys, ..Sort::new(dtype, &[length]).in_segments(segments) };
                    match sort.schedule(&capabilities, &quirks, None) {
                        Ok(schedule) => {
                            legal::check(&schedule, &capabilities);
                            planned += 1;
                            // Keys and values of the passes, keys of their own where narrow ones are kept, offsets, and counts of parts.
                            let (n, value) = (length as u64, if payload == Payload::Values(DType::U64) { 8 } else { 4 });
                            let kept = if dtype.size() < 4 && form != SortForm::OutOfPlace { n * dtype.size() } else { 0 };
                            let most = 2 * n * dtype.size() + n * value + kept + 4 * (segments as u64 + 1) + n / 16 + (1 << 16);
                            assert!(schedule.scratch_bytes() <= most, "{sort:?} takes {}", schedule.scratch_bytes());
                        }
                        // One descriptor has to reach across everything.
                        Err(Error::Unplannable { .. }) if length > 500 => {}
                        Err(error) => panic!("{sort:?} on {}: {error}", capabilities.shown_name()),
                    }
                }
            }
        }
        assert!(planned >= 36, "only {planned} of {}", capabilities.shown_name());
    }
}

/// Where keys and values would move together, workgroups are twice as large. If the path that is asked for is not to be had with those, it is with the others.
#[test]
fn a_path_that_larger_workgroups_do_not_have_is_taken_by_tiles() {
    // Tiles of less shared memory have smaller workgroups still.
    let large = |device: &Capabilities| device.limits.max_compute_shared_memory_size >= 32 << 10;
    for mut capabilities in devices().into_iter().filter(large) {
        let size = crate::Tuning::of(crate::DeviceClass::of(&capabilities)).workgroup_size;
        let subgroup = &mut capabilities.subgroup;
        (subgroup.size, subgroup.min_size, subgroup.max_size) = (16, 16, 16);
        subgroup.max_workgroup_subgroups = size / 16;
        for strategy in [SortStrategy::Tiles, SortStrategy::Onesweep] {
            let sort = Sort::new(DType::U32, &[100_000]).with_strategy(strategy);
            for path in crate::Path::ALL {
                let plain = Sort::new(DType::U32, &[100_000]).with_strategy(SortStrategy::Lanes).schedule(&capabilities, &[], Some(path));
                let schedule = sort.schedule(&capabilities, &[], Some(path));
                assert_eq!(schedule.is_ok(), plain.is_ok(), "{path} on {}: {:?}", capabilities.shown_name(), schedule.err());
            }
        }
    }
}
