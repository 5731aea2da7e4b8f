//! Times of what is recorded: by the device's timestamps, or by the host's clock where it has none.

use std::time::Instant;

use anyhow::{Context, Result};
use serde::Serialize;

use crate::gpu::Gpu;

/// Samples of nothing.
const EMPTY_SAMPLES: usize = 30;

/// The middle of some figures, and the range of their middle half.
#[derive(Clone, Copy, Serialize)]
pub struct Spread {
    pub low: f64,
    pub median: f64,
    pub high: f64,
}

impl Spread {
    pub fn of(figures: &mut [f64]) -> Self {
        figures.sort_unstable_by(f64::total_cmp);
        let at = |quarter: usize| figures.get(figures.len().saturating_sub(1) * quarter / 4).copied().unwrap_or_default();
        Self { low: at(1), median: at(2), high: at(3) }
    }
}

pub struct Clock {
    /// Two timestamps, and where they are put.
    timestamps: Option<(wgpu::QuerySet, wgpu::Buffer)>,
}

impl Clock {
    pub fn new(gpu: &Gpu) -> Self {
        let device = &gpu.device;
        let has = device.features().contains(wgpu::Features::TIMESTAMP_QUERY) && gpu.queue.get_timestamp_period() > 0.0;
        let timestamps = has.then(|| {
            let set = device.create_query_set(&wgpu::QuerySetDescriptor { label: None, ty: wgpu::QueryType::Timestamp, count: 2 });
            let usage = wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC;
            (set, device.create_buffer(&wgpu::BufferDescriptor { label: None, size: 16, usage, mapped_at_creation: false }))
        });
        Self { timestamps }
    }

    pub fn name(&self) -> &'static str {
        match self.timestamps {
            Some(_) => "the device's timestamps",
            None => "the host's, from submitting to the end of the wait, less an empty submission",
        }
    }

    /// What it shows for nothing.
    pub fn empty(&self, gpu: &Gpu) -> Result<Vec<f64>> {
        (0..EMPTY_SAMPLES).map(|_| self.raw(gpu, |_| (), |_| ())).collect()
    }

    /// Nanoseconds that the work takes which `record` writes, after what `prepare` does. What an empty submission takes is to be given for the host's clock.
    pub fn time(
        &self,
        gpu: &Gpu,
        empty: f64,
        prepare: impl Fn(&mut wgpu::CommandEncoder),
        record: impl Fn(&mut wgpu::CommandEncoder),
    ) -> Result<f64> {
        let raw = self.raw(gpu, prepare, record)?;
        Ok(if self.timestamps.is_some() { raw } else { (raw - empty).max(0.0) })
    }

    fn raw(&self, gpu: &Gpu, prepare: impl Fn(&mut wgpu::CommandEncoder), record: impl Fn(&mut wgpu::CommandEncoder)) -> Result<f64> {
        let mut encoder = gpu.encoder();
        prepare(&mut encoder);
        let Some((set, buffer)) = &self.timestamps else {
            gpu.finish(encoder);
            let mut encoder = gpu.encoder();
            record(&mut encoder);
            let started = Instant::now();
            gpu.finish(encoder);
            return Ok(started.elapsed().as_nanos() as f64);
        };
        encoder.write_timestamp(set, 0);
        record(&mut encoder);
        encoder.write_timestamp(set, 1);
        encoder.resolve_query_set(set, 0..2, buffer, 0);
        gpu.finish(encoder);
        let bytes = gpu.bytes(buffer, 16)?;
        let ticks = |at: usize| bytes[8 * at..8 * at + 8].try_into().map(u64::from_le_bytes).context("a timestamp has 8 bytes");
        Ok((ticks(1)?.wrapping_sub(ticks(0)?)) as f64 * f64::from(gpu.queue.get_timestamp_period()))
    }
}
