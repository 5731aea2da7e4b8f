//! Searches for places, and keys around one: compared, by workgroups of a row, and in parts; narrow results that are put into cleared words, and rows that take turns.

use std::sync::Arc;

use libtest_mimic::Failed;
use wavelane::device::Device;
use wavelane::{DType, NthElement, NthElementBindings, OrderStrategy, PartitionAt, PartitionAtBindings};

use super::{Kernel, Maker, PATH, shared_form};

pub fn kernels() -> Vec<Maker> {
    let searches = [
        NthElement::of_places(DType::U8, &[5000, 77], &[3, 38]),
        NthElement::of_places(DType::F16, &[300, 1031], &[5, 1030]).with_strategy(OrderStrategy::Rows),
        NthElement::new(DType::F32, &[100_003], 50_001).with_strategy(OrderStrategy::Parts),
        NthElement::of_places(DType::U16, &[150, 300], &[2, 150]).with_strategy(OrderStrategy::Parts),
    ];
    let mut all: Vec<Maker> = Vec::new();
    for search in searches {
        for narrow in [false, true] {
            let search = search.clone();
            all.push(Box::new(move |device| of(device, &search, narrow)));
        }
    }
    let partitions = [
        PartitionAt::new(DType::U8, &[5000, 77], 3).with_positions(),
        PartitionAt::new(DType::F16, &[300, 1031], 5).with_positions().with_strategy(OrderStrategy::Rows),
        PartitionAt::new(DType::U8, &[100_003], 50_001).with_positions().with_strategy(OrderStrategy::Parts),
        PartitionAt::positions(DType::U32, &[150, 300], 150).with_strategy(OrderStrategy::Parts),
    ];
    for partition in partitions {
        for narrow in [false, true] {
            let partition = partition.clone();
            all.push(Box::new(move |device| around(device, &partition, narrow)));
        }
    }
    all
}

fn around(device: &Arc<Device>, partition: &PartitionAt, narrow: bool) -> Result<Option<Kernel>, Failed> {
    shared_form::kernel(device, partition, PATH, narrow, |[input, output, scratch, positions, ..]| {
        Some(PartitionAtBindings { input: input?, output, scratch, positions })
    })
}

fn of(device: &Arc<Device>, search: &NthElement, narrow: bool) -> Result<Option<Kernel>, Failed> {
    shared_form::kernel(device, search, PATH, narrow, |[input, output, scratch, ..]| {
        Some(NthElementBindings { input: input?, output: output?, scratch })
    })
}
