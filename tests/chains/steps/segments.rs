//! Scans and reductions of the current array's segments.

use libtest_mimic::Failed;
use wavelane::{
    DType, NanPolicy, ReduceOp, ScanOp, SegmentSource, SegmentedReduce, SegmentedReduceBindings, SegmentedScan, SegmentedScanBindings,
};
use wavelane_reference::{self as reference, Segments, Values};

use super::chain::{Array, Chain};
use super::data::{Random, element};
use super::planned::Ranges;
use super::reductions::policy;
use super::rig::Rig;
use super::scans::{begun, in_any_order, in_place, options};
use super::variants::Variant;
use super::{elements, exact, reduction_operator, twin, words};

pub fn scan(
    chain: &mut Chain,
    rig: &Rig,
    variant: &Variant,
    op: ScanOp,
    source: SegmentSource,
    random: &mut Random,
) -> Result<bool, Failed> {
    let input = chain.input();
    let options = options(&input, false, random);
    if input.dtype != variant.dtype || !exact::scan(op, &begun(&input.live, &options)) {
        return Ok(false);
    }
    let mut scan = SegmentedScan {
        exclusive: options.exclusive,
        reverse: options.reverse,
        initial: options.initial.as_ref().map(|initial| elements::scalar(input.dtype, initial, 0)),
        counted: input.is_counted(),
        any_order: in_any_order(op, variant),
        strategy: variant.strategy,
        ..SegmentedScan::new(op, variant.dtype, input.capacity, source)
    };
    let result = scan.result_dtype()?;
    scan.in_place = in_place(&input, result.size(), variant, random);
    // What tells the segments may be the elements themselves, unless those are written.
    let but = if scan.in_place { vec![input.slot] } else { vec![] };
    let (size, capacity) = ((input.len(), input.capacity), input.capacity);
    let told = match source {
        SegmentSource::Flags => chain.beside_or(DType::U32, size, &but, random, |random| elements::truths(DType::U32, capacity, random)),
        SegmentSource::Keys(key) => chain.beside_or(key, size, &but, random, |random| elements::runs(key, capacity, random)),
        SegmentSource::Offsets(_) => offsets(chain, input.len(), &but, random),
        // Nothing tells them, and what is handed over is not looked at.
        SegmentSource::Length(_) => input.clone(),
    };
    if let SegmentSource::Offsets(count) = &mut scan.segments {
        *count = told.capacity;
    }
    let Some(planned) = rig.plan(&scan, variant.path, scan_bindings)? else { return Ok(false) };
    let live = twin_scan(op, &input, source, &told, &options)?;
    let count = chain.count_slot(&input);
    let output = if scan.in_place { input.slot } else { chain.room_for(result, capacity, &[input.slot, told.slot], random) };
    let by = told.slot;
    chain.push(planned, &[("input", input.slot), ("output", output), ("count", count), ("flags", by), ("keys", by), ("offsets", by)])?;
    chain.result(output, result, reference::convert(&live, element(result)), capacity, input.count)?;
    Ok(true)
}

fn scan_bindings<'a>(&[input, output, scratch, count, segments, ..]: &Ranges<'a>) -> SegmentedScanBindings<'a> {
    SegmentedScanBindings { input: Some(input), output, scratch: Some(scratch), count: Some(count), segments: Some(segments) }
}

fn twin_scan(
    op: ScanOp,
    input: &Array,
    source: SegmentSource,
    told: &Array,
    options: &reference::ScanOptions,
) -> Result<Values, reference::Error> {
    let (op, values, count) = (twin::scan_operator(op), &input.live, input.len());
    let first = told.live.take(0..count);
    match source {
        SegmentSource::Flags => reference::segmented_scan(op, values, &Segments::Flags(&words(&first)), options),
        SegmentSource::Keys(_) => reference::segmented_scan(op, values, &Segments::Keys(&first), options),
        SegmentSource::Offsets(_) => {
            // What is before the first offset or behind the last is of no segment to the twin, and one by itself to the device.
            let offsets: Vec<u32> = [0].into_iter().chain(words(&told.live)).chain([count as u32]).collect();
            reference::segmented_scan(op, values, &Segments::Offsets(&offsets), options)
        }
        SegmentSource::Length(length) => reference::segmented_scan(op, values, &Segments::Length(length), options),
    }
}

/// Ascending offsets of at most `count`: an array of the chain that happens to be such, or new ones.
fn offsets(chain: &mut Chain, count: usize, but: &[usize], random: &mut Random) -> Array {
    let ascend = |array: &Array| {
        let offsets = words(&array.live);
        offsets.is_sorted() && offsets.last().is_some_and(|&last| last as usize <= count)
    };
    let is_good = |array: &&Array| array.dtype == DType::U32 && !array.is_counted() && !but.contains(&array.slot) && ascend(array);
    let good: Vec<Array> = chain.kept().map(|(_, array)| array).filter(is_good).cloned().collect();
    if !good.is_empty() && random.one_in(2) {
        return good[random.below(good.len())].clone();
    }
    let segments = if random.one_in(2) { random.below(20) } else { random.below(count + 10) };
    let mut offsets: Vec<u32> = (0..=segments).map(|_| random.below(count + 1) as u32).collect();
    offsets.sort_unstable();
    let at = chain.upload(DType::U32, Values::U32(offsets));
    chain.arrays[at].clone()
}

/// A reduction of segments is not counted: it takes the array with all there may be, and its offsets end where the elements do.
pub fn reduce(chain: &mut Chain, rig: &Rig, variant: &Variant, op: ReduceOp, nan: NanPolicy, random: &mut Random) -> Result<bool, Failed> {
    let input = chain.input();
    if input.dtype != variant.dtype || !exact::reduction(op, &input.live) {
        return Ok(false);
    }
    let told = offsets(chain, input.len(), &[], random);
    let segments = told.capacity - 1;
    let reduce = SegmentedReduce { nan, ..SegmentedReduce::new(op, variant.dtype, input.capacity, segments) };
    let result = reduce.result_dtype()?;
    let Some(planned) = rig.plan(&reduce, variant.path, reduce_bindings)? else { return Ok(false) };
    let offsets = words(&told.live);
    let live = reference::segmented_reduce(reduction_operator(op), &input.live, &Segments::Offsets(&offsets), policy(nan), false)?;
    let output = chain.room_for(result, segments, &[input.slot, told.slot], random);
    chain.push(planned, &[("input", input.slot), ("output", output), ("offsets", told.slot)])?;
    chain.result(output, result, reference::convert(&live, element(result)), segments, None)?;
    Ok(true)
}

fn reduce_bindings<'a>(&[input, output, scratch, offsets, ..]: &Ranges<'a>) -> SegmentedReduceBindings<'a> {
    SegmentedReduceBindings { input: Some(input), told: Some(offsets), output, scratch: Some(scratch), count: None, found: None }
}
