//! Histograms: counted in the results, in passes, by a count of the device with a lookup behind it, and by weights, whose sums are rounded.

use std::sync::Arc;

use libtest_mimic::Failed;
use wavelane::device::Device;
use wavelane::{Bins, DType, Histogram, HistogramBindings, HistogramStrategy};

use super::{Kernel, Maker, PATH, shared_form};

pub fn kernels() -> Vec<Maker> {
    let search = Bins::Edges((0..100).map(f64::from).collect());
    let values = |bins| Bins::Values { bins };
    let histograms = [
        Histogram::new(DType::U8, values(256), 100_003),
        Histogram::new(DType::U32, values(10_000), 100_003).with_strategy(HistogramStrategy::SharedMemory),
        Histogram::new(DType::U32, values(10_000), 100_003).with_strategy(HistogramStrategy::Results),
        Histogram::new(DType::F32, search.clone(), 50_021).counted(),
        Histogram::new(DType::F32, search, 50_021).weighted(DType::F32).counted(),
        Histogram::new(DType::U16, values(500), 50_021).weighted(DType::I32).wide(),
    ];
    let mut all: Vec<Maker> = Vec::new();
    for histogram in histograms {
        for narrow in [false, true] {
            let histogram = histogram.clone();
            all.push(Box::new(move |device| of(device, &histogram, narrow)));
        }
    }
    all
}

fn of(device: &Arc<Device>, histogram: &Histogram, narrow: bool) -> Result<Option<Kernel>, Failed> {
    shared_form::kernel(device, histogram, PATH, narrow, |[input, output, scratch, count, lookup, weights, ..]| {
        Some(HistogramBindings { input: input?, output: output?, scratch, count, lookup, weights })
    })
}
