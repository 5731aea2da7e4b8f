//! Schedules of searches for places, on every profile and on devices narrower than any: legal, and within the memory that is promised.

use wavelane_device::{Capabilities, Profile, quirks_of};

use super::{Median, NthElement, PartitionAt, Quantile};
use crate::schedule::legal;
use crate::{DType, Error, Kernel, OrderStrategy};

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
    let shapes: [(&[usize], &[usize]); 9] = [
        (&[0], &[]),
        (&[1], &[0]),
        (&[20_011], &[7]),
        (&[20_011], &[20_010, 3, 3, 9000]),
        (&[300, 501], &[250, 251]),
        (&[30_001, 3], &[1, 2]),
        (&[3, 300_000], &[100]),
        (&[u32::MAX as usize], &[1 << 31]),
        (&[5, 0, 3], &[1]),
    ];
    for capabilities in devices() {
        let quirks = quirks_of(&capabilities);
        let mut planned = 0;
        for (shape, places) in shapes {
            for dtype in [DType::U8, DType::F16, DType::I32, DType::F64] {
                for strategy in STRATEGIES {
                    // Parts of rows of a few keys would take a thousand dispatches.
                    if strategy == Some(OrderStrategy::Parts) && shape.last() == Some(&3) {
                        continue;
                    }
                    let nth = NthElement { strategy, ..NthElement::of_places(dtype, shape, places) };
                    match nth.schedule(&capabilities, &quirks, None) {
                        Ok(schedule) => {
                            legal::check(&schedule, &capabilities);
                            planned += 1;
                        }
                        // Rows that are too long for the strategy, or more than the narrowest devices take.
                        Err(Error::Unplannable { .. }) if strategy.is_some() || shape.iter().product::<usize>() > 2000 => {}
                        Err(error) => panic!("{nth:?} on {}: {error}", capabilities.shown_name()),
                    }
                }
            }
        }
        assert!(planned >= 60, "only {planned} of {}", capabilities.shown_name());
    }
}

#[test]
fn partitions_are_legal_on_every_device() {
    let shapes: [(&[usize], usize); 8] = [
        (&[1], 0),
        (&[20_011], 7),
        (&[300, 501], 250),
        (&[30_001, 3], 1),
        (&[3, 300_000], 100),
        (&[u32::MAX as usize], 1 << 31),
        (&[0, 7], 1),
        (&[5, 0, 3], 1),
    ];
    for capabilities in devices() {
        let quirks = quirks_of(&capabilities);
        let mut planned = 0;
        for (turn, (shape, place)) in shapes.into_iter().enumerate() {
            for dtype in [DType::U8, DType::F16, DType::I32, DType::F64] {
                for strategy in STRATEGIES {
                    // Parts of rows of a few keys would take a thousand dispatches.
                    if strategy == Some(OrderStrategy::Parts) && shape.last() == Some(&3) {
                        continue;
                    }
                    let of = if turn % 2 == 0 { PartitionAt::new } else { PartitionAt::positions };
                    let partition = PartitionAt { positions: true, strategy, ..of(dtype, shape, place) };
                    match partition.schedule(&capabilities, &quirks, None) {
                        Ok(schedule) => {
                            legal::check(&schedule, &capabilities);
                            planned += 1;
                        }
                        // Rows that are too long for the strategy, or more than the narrowest devices take.
                        Err(Error::Unplannable { .. }) if strategy.is_some() || shape.iter().product::<usize>() > 2000 => {}
                        Err(error) => panic!("{partition:?} on {}: {error}", capabilities.shown_name()),
                    }
                }
            }
        }
        assert!(planned >= 60, "only {planned} of {}", capabilities.shown_name());
    }
}

/// Results that a descriptor does not reach across are stored window by window, in as many dispatches.
#[test]
fn results_out_of_reach_go_window_by_window() {
    let mut device = Profile::named("minimal").expect("the least device").capabilities;
    let dispatches = |device: &Capabilities, length: usize| {
        let schedule = PartitionAt::new(DType::U32, &[length], 5).with_strategy(OrderStrategy::Parts).schedule(device, &[], None);
        let schedule = schedule.expect("within every limit");
        (schedule.dispatches().count(), schedule.bytes_moved)
    };
    let (whole, moved) = dispatches(&device, 1 << 20);
    device.limits.max_storage_buffer_range = 1 << 20;
    let (pieces, more) = dispatches(&device, 1 << 20);
    assert!(pieces > whole && more > moved, "{whole} and {pieces} dispatches move {moved} and {more} bytes");
}

/// A megabyte for counts, whatever the array.
#[test]
fn scratch_does_not_grow_with_the_array() {
    for capabilities in legal::devices(&[]) {
        for dtype in DType::ALL {
            for (shape, places) in
                [(&[100_000_007][..], &[5][..]), (&[1 << 20, 64], &[31, 32, 63]), (&[1 << 16, 1000], &[500]), (&[3, 1 << 24], &[1, 2])]
            {
                let schedule = NthElement::of_places(dtype, shape, places).schedule(&capabilities, &[], None).expect("within every limit");
                assert!(schedule.scratch_bytes() <= 1 << 20, "{shape:?} {dtype} takes {} bytes of scratch", schedule.scratch_bytes());
                let partition = PartitionAt::new(dtype, shape, places[0]).with_positions();
                let taken = partition.schedule(&capabilities, &[], None).expect("within every limit").scratch_bytes();
                assert!(taken <= 1 << 20, "a partition of {shape:?} {dtype} takes {taken} bytes of scratch");
            }
        }
    }
}

/// Of many places what one row takes may be more.
#[test]
fn scratch_of_places_is_as_stated() {
    let capabilities = Profile::named("minimal").expect("the least device").capabilities;
    for dtype in DType::ALL {
        for (rows, count) in [(1, 1), (50, 2), (3, 100), (1, 1000)] {
            let places: Vec<usize> = (0..count).map(|at| at * 7).collect();
            for (strategy, each) in [(OrderStrategy::Rows, 12), (OrderStrategy::Parts, 12 + 8204)] {
                let nth = NthElement::of_places(dtype, &[rows, 40_009], &places).with_strategy(strategy);
                let got = nth.schedule(&capabilities, &[], None).expect("within every limit").scratch_bytes();
                let stated = (1 << 20).max(count as u64 * each);
                assert!(got <= stated, "{rows} rows, {count} places of {dtype} by {strategy:?} take {got}, and {stated} are stated");
            }
        }
    }
}

#[test]
fn neighbours_are_looked_for_once() {
    let places = |nth: Result<NthElement, Error>| nth.expect("neighbours").places;
    assert_eq!(places(Median::new(DType::U8, &[4, 7]).neighbours()), [3]);
    assert_eq!(places(Median::new(DType::F16, &[4, 8]).neighbours()), [3, 4, 7]);
    assert_eq!(places(Median::new(DType::F32, &[4, 0]).neighbours()), [0; 0]);
    assert_eq!(places(Quantile::new(DType::I32, &[5], &[0.5, 0.25, 0.5, 1.0]).neighbours()), [1, 2, 3, 4]);
    assert_eq!(places(Quantile::new(DType::F32, &[9], &[0.0]).neighbours()), [0, 1, 8]);
}

#[test]
fn what_there_is_none_of_is_refused() {
    let device = Profile::named("minimal").expect("the least device").capabilities;
    let error = NthElement::new(DType::U8, &[4, 3], 3).schedule(&device, &[], None).expect_err("rows of three");
    assert_eq!(error.to_string(), "the key at place 3 was asked for of rows of 3");
    assert_eq!(error.advice(), "places count from 0, so the last one is 2");
    for q in [-0.1, 1.5, f64::NAN] {
        let error = Quantile::new(DType::U8, &[4], &[0.5, q]).neighbours().expect_err("no quantile");
        assert!(error.to_string().starts_with("quantile "), "{error}");
    }
    let error = Quantile::new(DType::U8, &[3, 0], &[0.5]).neighbours().expect_err("no keys");
    assert_eq!(error.advice(), "give at least one key for each row");
}
