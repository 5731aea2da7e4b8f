//! Searches in sorted arrays, merges of two, and set operations. Arrays have runs of equal elements, and as many of them in each.

use anyhow::Result;
use wavelane::{DType, Merge, MergeBindings, Payload, SearchSorted, SearchSortedBindings, SetOp, SetOperation, SetOperationBindings};
use wavelane_reference::{SearchOptions, SetOp as TwinOp, Values, merge_places, search_sorted, set_operation};

use super::Bench;
use super::case::{Case, Expected, Planned, Prepared};
use super::data;

pub fn cases() -> Vec<Case> {
    vec![
        Case::new("searchsorted u32", search),
        Case::new("merge u32 keys", |bench, n| merge(bench, &Merge::new(DType::U32, n / 2, n / 2), 8 * n)),
        Case::new("merge u32 with u32 values", |bench, n| {
            merge(bench, &Merge::new(DType::U32, n / 2, n / 2).with_values(DType::U32), 16 * n)
        }),
        Case::new("union1d u32", |bench, n| sets(bench, SetOp::Union, TwinOp::Union, n)),
        Case::new("intersect1d u32", |bench, n| sets(bench, SetOp::Intersection, TwinOp::Intersection, n)),
    ]
}

/// As many values as elements, each of which is there, in no order.
fn search(bench: &Bench, n: usize) -> Result<Prepared> {
    let work = Planned::new(bench, &SearchSorted::new(DType::U32, n, &[n]), |ranges| {
        Some(SearchSortedBindings {
            array: ranges.get("array")?,
            values: ranges.get("values")?,
            output: ranges.get("output")?,
            scratch: None,
            count: None,
            array_count: None,
        })
    })?;
    let inputs = vec![("array", Values::U32((0..n as u32).collect())), ("values", data::indices(n))];
    Ok(Prepared::new(work, inputs, (n, 12 * n), |inputs| {
        let found = search_sorted(&inputs[0].1, &inputs[1].1, 1, SearchOptions::default())?;
        Ok(vec![Expected::exactly("output", Values::U32(found))])
    }))
}

fn merge(bench: &Bench, merge: &Merge, moved: usize) -> Result<Prepared> {
    let work = Planned::new(bench, merge, |ranges| {
        Some(MergeBindings {
            first: ranges.get("first")?,
            second: ranges.get("second")?,
            output: ranges.get("output"),
            scratch: ranges.get("scratch"),
            first_count: None,
            second_count: None,
            first_values: ranges.get("first values"),
            second_values: ranges.get("second values"),
            output_values: ranges.get("output values"),
        })
    })?;
    let (first, second) = (merge.first as u32, merge.second as u32);
    let mut inputs = vec![("first", data::keys(merge.first)), ("second", data::keys(merge.second))];
    let has_values = merge.payload != Payload::None;
    if has_values {
        inputs.push(("first values", Values::U32((0..first).collect())));
        inputs.push(("second values", Values::U32((first..first + second).collect())));
    }
    Ok(Prepared::new(work, inputs, (merge.first + merge.second, moved), move |inputs| {
        let [a, b] = [data::words(&inputs[0].1)?, data::words(&inputs[1].1)?];
        let places = merge_places(&inputs[0].1, &inputs[1].1, false)?;
        let both = Values::U32([a, b].concat());
        let mut all = vec![Expected::exactly("output", both.take(places.iter().copied()))];
        // Values are the positions that they start from.
        if has_values {
            all.push(Expected::exactly("output values", Values::U32(places.into_iter().map(|place| place as u32).collect())));
        }
        Ok(all)
    }))
}

/// Half of the elements in each array: even numbers in runs, and multiples of three.
fn sets(bench: &Bench, op: SetOp, twin: TwinOp, n: usize) -> Result<Prepared> {
    let work = Planned::new(bench, &SetOperation::new(op, DType::U32, n / 2, n / 2), |ranges| {
        Some(SetOperationBindings {
            first: ranges.get("first")?,
            second: ranges.get("second")?,
            output: ranges.get("output")?,
            found: ranges.get("found")?,
            scratch: ranges.get("scratch"),
            first_count: None,
            second_count: None,
        })
    })?;
    let half = n as u32 / 2;
    let inputs = vec![
        ("first", Values::U32((0..half).map(|at| at / 4 * 2).collect())),
        ("second", Values::U32((0..half).map(|at| at / 4 * 3).collect())),
    ];
    let results = set_operation(twin, &inputs[0].1, &inputs[1].1)?.len();
    Ok(Prepared::new(work, inputs, (n, 4 * (n + results)), move |inputs| {
        let results = set_operation(twin, &inputs[0].1, &inputs[1].1)?;
        Ok(vec![Expected::count("found", results.len()), Expected::exactly("output", results)])
    }))
}
