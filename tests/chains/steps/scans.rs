//! Scans of the current array: all of it or along an axis, into another array or in place.

use libtest_mimic::Failed;
use wavelane::{Scan, ScanBindings, ScanOp, ScanStrategy};
use wavelane_reference::{self as reference, ScanOptions, Values};

use super::chain::{Array, Chain};
use super::data::{Random, element};
use super::planned::Ranges;
use super::rig::Rig;
use super::variants::Variant;
use super::{draw, elements, exact, twin};

pub fn scan(chain: &mut Chain, rig: &Rig, variant: &Variant, op: ScanOp, wide: bool, random: &mut Random) -> Result<bool, Failed> {
    let input = chain.input();
    if input.dtype != variant.dtype {
        return Ok(false);
    }
    let (shape, axis) = shape(&input, random);
    let options = options(&input, wide, random);
    if !exact::scan(op, &begun(&input.live, &options)) {
        return Ok(false);
    }
    let mut scan = Scan {
        axis,
        exclusive: options.exclusive,
        reverse: options.reverse,
        initial: options.initial.as_ref().map(|initial| elements::scalar(input.dtype, initial, 0)),
        wide,
        counted: input.is_counted(),
        any_order: in_any_order(op, variant),
        strategy: variant.strategy,
        ..Scan::new(op, variant.dtype, &shape)
    };
    let result = scan.result_dtype()?;
    scan.in_place = in_place(&input, result.size(), variant, random);
    let Some(planned) = rig.plan(&scan, variant.path, bindings)? else { return Ok(false) };
    let live_shape = if input.is_counted() { vec![input.len()] } else { shape };
    let live = reference::scan(twin::scan_operator(op), &input.live, &live_shape, axis, &options)?;
    let count = chain.count_slot(&input);
    let output = if scan.in_place { input.slot } else { chain.room_for(result, input.capacity, &[input.slot], random) };
    chain.push(planned, &[("input", input.slot), ("output", output), ("count", count)])?;
    chain.result(output, result, reference::convert(&live, element(result)), input.capacity, input.count)?;
    Ok(true)
}

fn bindings<'a>(&[input, output, scratch, count, ..]: &Ranges<'a>) -> ScanBindings<'a> {
    ScanBindings { input: Some(input), output, scratch: Some(scratch), count: Some(count) }
}

/// What the twin is told, drawn.
pub fn options(input: &Array, wide: bool, random: &mut Random) -> ScanOptions {
    let initial = random.one_in(3).then(|| elements::small_scalar(input.dtype, random)).and_then(twin::value);
    ScanOptions { exclusive: random.one_in(2), reverse: random.one_in(3), initial, wide }
}

/// The elements and the value that a scan begins with.
pub fn begun(values: &Values, options: &ScanOptions) -> Values {
    let initial = options.initial.iter().flat_map(Values::bits);
    Values::from_bits(values.element(), values.bits().into_iter().chain(initial))
}

/// Whether a scan is allowed another order, so that floats are scanned in a single pass: what is exact is the same in any.
pub fn in_any_order(op: ScanOp, variant: &Variant) -> bool {
    variant.dtype.is_float() && matches!(op, ScanOp::Sum | ScanOp::Prod) && variant.strategy == Some(ScanStrategy::SinglePass)
}

pub fn in_place(input: &Array, result_size: u64, variant: &Variant, random: &mut Random) -> bool {
    input.dtype.size() == result_size && variant.strategy != Some(ScanStrategy::SinglePass) && random.one_in(2)
}

/// A shape, and an axis perhaps. An array that the device counts is a line.
fn shape(input: &Array, random: &mut Random) -> (Vec<usize>, Option<usize>) {
    match draw::rectangle(input.capacity, random) {
        Some((rows, columns)) if !input.is_counted() => (vec![rows, columns], random.pick(&[None, Some(0), Some(1)])),
        _ => (vec![input.capacity], random.pick(&[None, Some(0)])),
    }
}
