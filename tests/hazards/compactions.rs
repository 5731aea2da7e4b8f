//! Selections and what is made of them.

use std::sync::Arc;

use libtest_mimic::Failed;
use wavelane::device::Device;
use wavelane::record::BufferRange;
use wavelane::{
    Compare, Condition, DType, Kernel as Description, MOST_BUFFERS, MaskForm, Partition, RunLengthDecode, RunLengthDecodeBindings, Scalar,
    ScanStrategy, Select, SelectBindings, Unique, UniqueBindings,
};

use super::{Kernel, Maker, PATH, shared_form};

pub fn kernels() -> Vec<Maker> {
    let masked = Select::new(Condition::Mask(MaskForm::Bytes), DType::F16, 100_003);
    let compared = Select::new(Condition::Compare(Compare::Lt, Scalar::from(7u32)), DType::U32, 100_003);
    let partition = Partition::new(masked.condition, DType::F16, 100_003).counted();
    let runs = Unique::runs(DType::U32, 100_003).with_counts().with_inverse();
    let mut all: Vec<Maker> = Vec::new();
    for strategy in [ScanStrategy::ReduceThenScan, ScanStrategy::SinglePass] {
        let (masked, compared) = (masked.clone().with_strategy(strategy), compared.clone().with_strategy(strategy).counted());
        all.push(Box::new(move |device| of(device, &masked, select)));
        all.push(Box::new(move |device| of(device, &compared, select)));
        let runs = runs.clone().with_strategy(strategy);
        all.push(Box::new(move |device| of(device, &runs, unique)));
    }
    all.push(Box::new(move |device| of(device, &partition, select)));
    // The offsets of rows are copied from what dispatches left in scratch.
    let selected_in_rows = Select::new(Condition::Mask(MaskForm::Bytes), DType::U32, 100_002).in_rows(6);
    let runs_in_rows = Unique::runs(DType::U8, 100_002).with_counts().counted().in_rows(6);
    all.push(Box::new(move |device| of(device, &selected_in_rows, select)));
    all.push(Box::new(move |device| of(device, &runs_in_rows, unique)));
    for strategy in [ScanStrategy::ReduceThenScan, ScanStrategy::SinglePass] {
        let parted = Partition::new(Condition::Mask(MaskForm::Words), DType::U8, 100_002).in_rows(6).with_strategy(strategy);
        all.push(Box::new(move |device| of(device, &parted, select)));
    }
    let sorted = Unique::new(DType::F16, 5003).with_first().with_counts().with_inverse();
    all.push(Box::new(move |device| of(device, &sorted, unique)));
    let decode = RunLengthDecode::new(DType::U32, 20_003, 50_000).counted();
    all.push(Box::new(move |device| {
        of(device, &decode, |[values, output, scratch, count, decoded, lengths, ..]| {
            Some(RunLengthDecodeBindings { values: values?, lengths: lengths?, output: output?, decoded: decoded?, scratch, count })
        })
    }));
    all
}

type Ranges<'a> = [Option<BufferRange<'a>>; MOST_BUFFERS];

fn of<K: Description + 'static>(
    device: &Arc<Device>,
    kernel: &K,
    bind: impl for<'a> Fn(Ranges<'a>) -> Option<K::Bindings<'a>> + 'static,
) -> Result<Option<Kernel>, Failed> {
    shared_form::kernel(device, kernel, PATH, false, bind)
}

fn select([input, output, scratch, count, selected, mask, offsets, ..]: Ranges<'_>) -> Option<SelectBindings<'_>> {
    Some(SelectBindings { input: input?, output: output?, selected: selected?, scratch, mask, count, offsets })
}

fn unique([input, values, scratch, count, found, first, counts, inverse, offsets]: Ranges<'_>) -> Option<UniqueBindings<'_>> {
    Some(UniqueBindings { input: input?, values: values?, found: found?, scratch, first, counts, inverse, count, offsets })
}
