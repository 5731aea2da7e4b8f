//! Sorts of random keys: alone, with values, and their positions.

use std::time::Instant;

use anyhow::Result;
use rayon::slice::ParallelSliceMut;
use wavelane::{DType, Payload, Sort, SortBindings, SortStrategy};
use wavelane_reference::{SortOptions, Values, sort_places, sort_segment_places};

use super::Bench;
use super::case::{Beside, Case, Expected, Inputs, Planned, Prepared};
use super::data;

/// The case that the host's sort is timed beside.
pub const KEYS: &str = "sort u32 keys";

pub fn cases() -> Vec<Case> {
    vec![
        Case::new(KEYS, |bench, n| {
            let inputs = vec![("input", data::u32s(n))];
            let prepared = prepared(bench, &Sort::new(DType::U32, &[n]), inputs, 8 * n)?;
            Ok(Prepared { beside: Some(Beside { name: "rayon's par_sort_unstable", time: on_the_host }), ..prepared })
        }),
        Case::new("sort u32 with u32 values", |bench, n| {
            let inputs = vec![("input", data::u32s(n)), ("values", numbers(n))];
            prepared(bench, &Sort::new(DType::U32, &[n]).with_values(DType::U32), inputs, 16 * n)
        }),
        Case::new("sort u32 with u32 values by tiles", |bench, n| by(bench, n, SortStrategy::Tiles)),
        Case::new("sort u32 with u32 values by onesweep", |bench, n| by(bench, n, SortStrategy::Onesweep)),
        Case::new("sort u32 rows of 1024", |bench, n| {
            let rows = n / 1024;
            let inputs = vec![("input", data::u32s(1024 * rows))];
            prepared(bench, &Sort::new(DType::U32, &[rows, 1024]), inputs, 8 * 1024 * rows)
        }),
        Case::new("sort u32 in segments of 0 to 200", |bench, n| {
            let offsets = data::offsets(n, 200);
            let count = offsets.len() - 1;
            let inputs = vec![("input", data::u32s(n)), ("offsets", Values::U32(offsets))];
            prepared(bench, &Sort::new(DType::U32, &[n]).in_segments(count), inputs, 8 * n + 4 * count)
        }),
        Case::new("argsort f32", |bench, n| prepared(bench, &Sort::positions(DType::F32, &[n]), vec![("input", data::f32s(n))], 8 * n)),
    ]
}

/// Keys with values, by a strategy.
fn by(bench: &Bench, n: usize, strategy: SortStrategy) -> Result<Prepared> {
    let inputs = vec![("input", data::u32s(n)), ("values", numbers(n))];
    prepared(bench, &Sort::new(DType::U32, &[n]).with_values(DType::U32).with_strategy(strategy), inputs, 16 * n)
}

fn numbers(n: usize) -> Values {
    Values::U32((0..n as u32).collect())
}

fn prepared(bench: &Bench, sort: &Sort, inputs: Inputs, moved: usize) -> Result<Prepared> {
    let work = Planned::new(bench, sort, |ranges| {
        Some(SortBindings {
            input: ranges.get("input"),
            output: ranges.get("output"),
            scratch: ranges.get("scratch"),
            count: None,
            values: ranges.get("values"),
            output_values: ranges.get("output values"),
            offsets: ranges.get("offsets"),
        })
    })?;
    let (n, sort) = (sort.shape.iter().product(), sort.clone());
    Ok(Prepared::new(work, inputs, (n, moved), move |inputs| {
        let (keys, options) = (sort.keys, SortOptions::default());
        let places = match inputs.iter().find(|input| input.0 == "offsets") {
            Some((_, offsets)) => sort_segment_places(&inputs[0].1, data::words(offsets)?, &options)?,
            None => sort_places(&inputs[0].1, &sort.shape, sort.axis, &options)?,
        };
        let mut all = Vec::new();
        if keys {
            all.push(Expected::exactly("output", inputs[0].1.take(places.iter().copied())));
        }
        // Values are the positions that they start from.
        if sort.payload != Payload::None {
            all.push(Expected::exactly("output values", Values::U32(places.into_iter().map(|place| place as u32).collect())));
        }
        Ok(all)
    }))
}

/// Nanoseconds that the host's cores together take for the same keys.
fn on_the_host(inputs: &Inputs, samples: usize) -> Result<Vec<f64>> {
    let keys = data::words(&inputs[0].1)?;
    let mut sorted = keys.to_vec();
    let mut once = || {
        sorted.copy_from_slice(keys);
        let started = Instant::now();
        sorted.par_sort_unstable();
        started.elapsed().as_nanos() as f64
    };
    // The first one starts the threads.
    once();
    Ok((0..samples).map(|_| once()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_is_timed_as_often_as_asked() -> Result<()> {
        let times = on_the_host(&vec![("input", data::u32s(10_000))], 3)?;
        assert!(times.len() == 3 && times.iter().all(|&time| time > 0.0), "{times:?}");
        Ok(())
    }
}
