//! The first keys of arrays and of rows, medians, and keys around them.

use anyhow::Result;
use wavelane::{DType, NthElement, NthElementBindings, PartitionAt, PartitionAtBindings, TopK, TopKBindings};
use wavelane_reference::{Values, nth_element, partition_places, top_k_places};

use super::Bench;
use super::case::{Case, Expected, Inputs, Planned, Prepared};
use super::data;

/// Keys of a row, in the cases of rows.
const SHORT: usize = 64;
const LONG: usize = 4096;

pub fn cases() -> Vec<Case> {
    vec![
        Case::new("topk 100 u32", |bench, n| top_k(bench, TopK::new(DType::U32, &[n], 100), vec![("input", data::u32s(n))])),
        Case::new("topk 100 f32", |bench, n| top_k(bench, TopK::new(DType::F32, &[n], 100), vec![("input", data::f32s(n))])),
        Case::new("topk n/16 u32", |bench, n| top_k(bench, TopK::new(DType::U32, &[n], n / 16), vec![("input", data::u32s(n))])),
        Case::new("topk 8 f32 rows_64", |bench, n| {
            top_k(bench, TopK::new(DType::F32, &[n / SHORT, SHORT], 8), vec![("input", data::f32s(n / SHORT * SHORT))])
        }),
        Case::new("topk 8 f32 rows_4096", |bench, n| {
            top_k(bench, TopK::new(DType::F32, &[n / LONG, LONG], 8), vec![("input", data::f32s(n / LONG * LONG))])
        }),
        Case::new("nth n/2 f32", |bench, n| nth(bench, NthElement::new(DType::F32, &[n], n / 2), vec![("input", data::f32s(n))])),
        Case::new("partition n/2 f32", |bench, n| {
            partition(bench, PartitionAt::new(DType::F32, &[n], n / 2), vec![("input", data::f32s(n))])
        }),
    ]
}

/// Bytes of keys that are read once, and of results.
fn bytes(shape: &[usize], results: usize) -> (usize, usize) {
    let n: usize = shape.iter().product();
    (n, 4 * n + results)
}

fn top_k(bench: &Bench, top_k: TopK, inputs: Inputs) -> Result<Prepared> {
    let work = Planned::new(bench, &top_k, |ranges| {
        Some(TopKBindings {
            input: ranges.get("input")?,
            output: ranges.get("output"),
            scratch: ranges.get("scratch"),
            positions: ranges.get("positions"),
        })
    })?;
    let results: usize = top_k.result_shape().iter().product();
    Ok(Prepared::new(work, inputs, bytes(&top_k.shape, 8 * results), move |inputs| {
        let keys = &inputs[0].1;
        let places = top_k_places(keys, &top_k.shape, Some(top_k.shape.len() - 1), top_k.k, top_k.smallest)?;
        let length = top_k.shape[top_k.shape.len() - 1];
        let positions = Values::U32(places.iter().map(|place| (place % length) as u32).collect());
        Ok(vec![Expected::exactly("output", keys.take(places)), Expected::exactly("positions", positions)])
    }))
}

fn nth(bench: &Bench, nth: NthElement, inputs: Inputs) -> Result<Prepared> {
    let work = Planned::new(bench, &nth, |ranges| {
        Some(NthElementBindings { input: ranges.get("input")?, output: ranges.get("output")?, scratch: ranges.get("scratch") })
    })?;
    Ok(Prepared::new(work, inputs, bytes(&nth.shape, 4), move |inputs| {
        Ok(vec![Expected::exactly("output", nth_element(&inputs[0].1, &nth.shape, Some(0), &nth.places)?)])
    }))
}

fn partition(bench: &Bench, partition: PartitionAt, inputs: Inputs) -> Result<Prepared> {
    let work = Planned::new(bench, &partition, |ranges| {
        Some(PartitionAtBindings {
            input: ranges.get("input")?,
            output: ranges.get("output"),
            scratch: ranges.get("scratch"),
            positions: ranges.get("positions"),
        })
    })?;
    let bytes = bytes(&partition.shape, 4 * partition.shape.iter().product::<usize>());
    Ok(Prepared::new(work, inputs, bytes, move |inputs| {
        let keys = &inputs[0].1;
        let places = partition_places(keys, &partition.shape, Some(0), partition.place)?;
        Ok(vec![Expected::exactly("output", keys.take(places))])
    }))
}
