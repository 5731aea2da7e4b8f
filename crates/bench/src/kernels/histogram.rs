//! Histograms: of bytes and words, evenly spread or all in one bin, by shifts, edges and weights.

use anyhow::Result;
use wavelane::{Bins, DType, Histogram, HistogramBindings};
use wavelane_reference::{Values, bincount, even_edges, histogram};

use super::Bench;
use super::case::{Case, Expected, Inputs, Planned, Prepared};
use super::data;

/// Below 2^32, so that each of 1024 bins has as many of all words as the others.
const WORDS: f64 = 4_294_967_296.0;

pub fn cases() -> Vec<Case> {
    vec![
        Case::new("histogram u8 bins_256", |bench, n| {
            let described = Histogram::new(DType::U8, Bins::Values { bins: 256 }, n);
            prepared(bench, described, n, vec![("input", data::bytes(n))])
        }),
        Case::new("histogram u8 bins_256 equal", |bench, n| {
            let described = Histogram::new(DType::U8, Bins::Values { bins: 256 }, n);
            prepared(bench, described, n, vec![("input", Values::U8(vec![77; n]))])
        }),
        Case::new("histogram u32 bins_1024", |bench, n| {
            let described = Histogram::new(DType::U32, Bins::Even { bins: 1024, low: 0.0, high: WORDS }, n);
            prepared(bench, described, n, vec![("input", data::u32s(n))])
        }),
        Case::new("histogram u32 bins_65536", |bench, n| {
            let described = Histogram::new(DType::U32, Bins::Even { bins: 1 << 16, low: 0.0, high: WORDS }, n);
            prepared(bench, described, n, vec![("input", data::u32s(n))])
        }),
        Case::new("histogram f32 bins_100", |bench, n| {
            let described = Histogram::new(DType::F32, Bins::Even { bins: 100, low: 0.0, high: 1.0 }, n);
            prepared(bench, described, n, vec![("input", data::f32s(n))])
        }),
        Case::new("histogram u8 bins_256 weights_f32", |bench, n| {
            let described = Histogram::new(DType::U8, Bins::Values { bins: 256 }, n).weighted(DType::F32).wide();
            prepared(bench, described, n, vec![("input", data::bytes(n)), ("weights", data::f32s(n))])
        }),
    ]
}

fn prepared(bench: &Bench, described: Histogram, n: usize, mut inputs: Inputs) -> Result<Prepared> {
    let lookup = described.lookup_words()?;
    if !lookup.is_empty() {
        inputs.push(("lookup", Values::U32(lookup)));
    }
    let work = Planned::new(bench, &described, |ranges| {
        Some(HistogramBindings {
            input: ranges.get("input")?,
            output: ranges.get("output")?,
            scratch: ranges.get("scratch"),
            count: None,
            lookup: ranges.get("lookup"),
            weights: ranges.get("weights"),
        })
    })?;
    let results = described.bins.count() * described.result_dtype().size() as usize;
    let weights = if described.weights.is_some() { 4 * n } else { 0 };
    let moved = n * described.dtype.size() as usize + weights + results;
    Ok(Prepared::new(work, inputs, (n, moved), move |inputs| {
        let input = &inputs[0].1;
        let weights = inputs.iter().find(|(name, _)| *name == "weights").map(|(_, weights)| weights);
        let expected = match described.bins {
            Bins::Even { bins, low, high } => histogram(input, &even_edges(input.element(), bins, low, high), weights, described.wide)?,
            _ => bincount(input, described.bins.count(), weights)?,
        };
        Ok(vec![Expected::exactly("output", expected)])
    }))
}
