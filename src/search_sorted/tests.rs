//! Schedules of searches, on every profile and on devices narrower than any: legal, and with every element of a value's row in exactly one of the pieces that it is searched for in.

use wavelane_device::Capabilities;

use super::SearchSorted;
use crate::schedule::{Schedule, legal};
use crate::shaders::search_sorted::find::PushConstants;
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
    ])
}

fn searches() -> Vec<SearchSorted> {
    let mut all = Vec::new();
    for dtype in [DType::U8, DType::F16, DType::I32, DType::F64] {
        for (len, values) in [(0, 0), (0, 5), (7, 0), (1, 1), (20_011, 9001), (100_003, 3), (3, 100_003), (u32::MAX as usize, 5000)] {
            let search = SearchSorted::new(dtype, len, &[values]);
            all.extend([search.clone(), search.clone().right().descending().counted(), search.counted_array().counted()]);
        }
        for (rows, len, values) in [(3, 5000, 1001), (300, 70, 90), (1, 9, 9), (0, 7, 3), (5, 0, 3)] {
            all.push(SearchSorted::new(dtype, len, &[rows, values]).in_rows(values));
        }
    }
    all
}

#[test]
fn schedules_are_legal_on_every_device() {
    for capabilities in devices() {
        let mut planned = 0;
        for search in searches() {
            match search.schedule(&capabilities, &[], None) {
                Ok(schedule) => {
                    legal::check(&schedule, &capabilities);
                    check_cover(&search, &schedule);
                    planned += 1;
                }
                // The largest array on the narrowest devices.
                Err(Error::Unplannable { .. }) if search.len == u32::MAX as usize => {}
                Err(error) => panic!("{search:?} on {}: {error}", capabilities.shown_name()),
            }
        }
        assert!(planned >= 90, "only {planned} of {}", capabilities.shown_name());
    }
}

#[test]
fn scratch_is_as_stated() {
    for capabilities in legal::devices(&[]) {
        for dtype in DType::ALL {
            for (len, values) in [(1, 1), (3, 1000), (20_011, 9001), (1 << 22, 1 << 20)] {
                let plain = SearchSorted::new(dtype, len, &[values]);
                for (search, stated) in [
                    (plain.clone(), 0),
                    (plain.clone().right().descending(), 0),
                    (plain.clone().counted(), 8),
                    (plain.clone().counted_array().counted(), 8),
                ] {
                    let schedule = search.schedule(&capabilities, &[], None).expect("within every limit");
                    assert_eq!(schedule.scratch_bytes(), stated, "{search:?} on {}", capabilities.shown_name());
                }
            }
        }
    }
}

/// Each value's row is cut into pieces that meet without gaps, the first of which begins what the others add to.
fn check_cover(search: &SearchSorted, schedule: &Schedule) {
    let [values, row_values, _] = search.sizes().expect("sizes that were planned for");
    let pushes: Vec<PushConstants> = schedule.dispatches().map(|dispatch| bytemuck::pod_read_unaligned(&dispatch.push)).collect();
    let length = search.len as u64;
    let mut seen = 0;
    for value in (0..values).step_by((values as usize / 50).max(1)).chain(values.checked_sub(1)) {
        let row = value / row_values * length;
        let mut next = row;
        let mine = pushes.iter().filter(|push| (u64::from(push.first)..u64::from(push.first) + u64::from(push.elements)).contains(&value));
        for (number, push) in mine.enumerate() {
            assert_eq!(push.options & super::search::ADDS != 0, number > 0, "{search:?}: value {value}");
            let [begin, end] = [push.piece_first, push.piece_end].map(|at| u64::from(at).clamp(row, row + length));
            // A piece may have nothing of the row, where the values of one dispatch are of several.
            assert!(begin == end || begin == next, "{search:?}: value {value} goes on at {begin}, and not at {next}");
            next = if begin == end { next } else { end };
            seen += 1;
        }
        assert_eq!(next, row + length, "{search:?}: value {value}");
    }
    assert_eq!(seen > 0, values > 0);
}

#[test]
fn rows_that_values_are_not_made_of_are_refused() {
    for row_length in [0, 4, 11] {
        let sizes = SearchSorted::new(DType::U32, 5, &[2, 5]).in_rows(row_length).sizes();
        assert!(matches!(sizes, Err(Error::RowLength { length: 10, .. })), "{sizes:?}");
    }
    let many = SearchSorted::new(DType::U32, 1 << 20, &[1 << 13, 2]).in_rows(2).sizes();
    assert!(matches!(many, Err(Error::TooManyElements { .. })), "{many:?}");
}
