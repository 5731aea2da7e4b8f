//! The first keys of rows: compared, by workgroups of a row, and in parts; all of them; narrow keys that are put into cleared words, and rows that take turns.

use std::sync::Arc;

use libtest_mimic::Failed;
use wavelane::device::Device;
use wavelane::{DType, OrderStrategy, TopK, TopKBindings};

use super::{Kernel, Maker, PATH, shared_form};

pub fn kernels() -> Vec<Maker> {
    let top_ks = [
        TopK::new(DType::U8, &[5000, 77], 3),
        TopK::new(DType::F16, &[300, 1031], 5).with_strategy(OrderStrategy::Rows),
        TopK::positions(DType::U32, &[300, 1031], 5).with_strategy(OrderStrategy::Rows),
        TopK::new(DType::F32, &[100_003], 100).with_strategy(OrderStrategy::Parts),
        TopK::new(DType::F16, &[3, 50_001], 1).with_strategy(OrderStrategy::Parts),
        TopK::new(DType::I32, &[150, 300], 2).without_positions().with_strategy(OrderStrategy::Parts),
        TopK::new(DType::U32, &[5000], 5000),
    ];
    let mut all: Vec<Maker> = Vec::new();
    for top_k in top_ks {
        for narrow in [false, true] {
            let top_k = top_k.clone();
            all.push(Box::new(move |device| of(device, &top_k, narrow)));
        }
    }
    all
}

fn of(device: &Arc<Device>, top_k: &TopK, narrow: bool) -> Result<Option<Kernel>, Failed> {
    shared_form::kernel(device, top_k, PATH, narrow, |[input, output, scratch, positions, ..]| {
        Some(TopKBindings { input: input?, output, scratch, positions })
    })
}
