//! `wgpu_sort` on keys and the places that they start from.

use std::num::NonZeroU32;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use wgpu_sort::{GPUSorter, SortBuffers, utils::guess_workgroup_size};

use crate::clock::{Clock, Spread};
use crate::gpu::Gpu;

/// The size of subgroups that its own probe finds, or nothing.
pub fn probe(gpu: &Gpu) -> Value {
    json!(pollster::block_on(guess_workgroup_size(&gpu.device, &gpu.queue)))
}

/// The keys of `crates/bench/src/kernels/data.rs`.
fn mix(counter: u32) -> u32 {
    let mut x = counter.wrapping_mul(0x9e37_79b9);
    x = (x ^ x >> 16).wrapping_mul(0x85eb_ca6b);
    x = (x ^ x >> 13).wrapping_mul(0xc2b2_ae35);
    x ^ x >> 16
}

/// The figures of 2^log2 pairs, or in which place a result is wrong.
pub fn measure(gpu: &Gpu, log2: u32, subgroup: u32, samples: usize) -> Result<Value> {
    let n = 1_u32.checked_shl(log2).and_then(NonZeroU32::new).context("sizes are powers of two below 32")?;
    let keys: Vec<u32> = (0..n.get()).map(mix).collect();
    let places: Vec<u32> = (0..n.get()).collect();
    let (from_keys, from_places) = (gpu.source(&keys), gpu.source(&places));
    let sorter = GPUSorter::new(&gpu.device, subgroup);
    let buffers = sorter.create_sort_buffers(&gpu.device, n);
    // It sorts in place, so each sample begins with a copy of the input.
    let prepare = |encoder: &mut wgpu::CommandEncoder| {
        encoder.copy_buffer_to_buffer(&from_keys, 0, buffers.keys(), 0, from_keys.size());
        encoder.copy_buffer_to_buffer(&from_places, 0, buffers.values(), 0, from_places.size());
    };
    let record = |encoder: &mut wgpu::CommandEncoder| sorter.sort(encoder, &gpu.queue, &buffers, None);
    let clock = Clock::new(gpu);
    let empty = Spread::of(&mut clock.empty(gpu)?).median;
    // Results first, twice; pipelines are finished then, too.
    for _ in 0..2 {
        clock.time(gpu, empty, prepare, record)?;
        if let Some(wrong) = wrong(gpu, &buffers, &keys)? {
            return Ok(json!({"wrong": wrong, "subgroup": subgroup}));
        }
    }
    let mut times = (0..samples).map(|_| clock.time(gpu, empty, prepare, record)).collect::<Result<Vec<_>>>()?;
    // And what was timed is right, too.
    if let Some(wrong) = wrong(gpu, &buffers, &keys)? {
        return Ok(json!({"wrong": wrong, "subgroup": subgroup}));
    }
    let (ns, n) = (Spread::of(&mut times), f64::from(n.get()));
    Ok(json!({
        "elements": n, "bytes": 16.0 * n, "ns": ns, "ns_per_element": ns.median / n, "gb_per_s": 16.0 * n / ns.median, "subgroup": subgroup,
    }))
}

/// How keys and values differ from the host's stable sort.
fn wrong(gpu: &Gpu, buffers: &SortBuffers, keys: &[u32]) -> Result<Option<String>> {
    let mut places: Vec<u32> = (0..keys.len() as u32).collect();
    places.sort_by_key(|&place| keys[place as usize]);
    let sorted: Vec<u32> = places.iter().map(|&place| keys[place as usize]).collect();
    for (what, buffer, want) in [("key", buffers.keys(), &sorted), ("value", buffers.values(), &places)] {
        let got = gpu.read(buffer, keys.len())?;
        let differ = got.iter().zip(want).filter(|(got, want)| got != want).count();
        if let Some(at) = got.iter().zip(want).position(|(got, want)| got != want) {
            return Ok(Some(format!("{what} {at} is {} and not {}; {differ} of {} are wrong", got[at], want[at], keys.len())));
        }
    }
    Ok(None)
}
