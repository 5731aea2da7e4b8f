//! The first keys of the current array, or of rows that it is made of, or where they stand.

use libtest_mimic::Failed;
use wavelane::{DType, OrderStrategy, TopK, TopKBindings};
use wavelane_reference::{self as reference, Values};

use super::chain::Chain;
use super::data::Random;
use super::draw;
use super::planned::{Planned, Ranges};
use super::rig::Rig;
use super::variants::Variant;

pub fn top_k(chain: &mut Chain, rig: &Rig, variant: &Variant, order: OrderStrategy, random: &mut Random) -> Result<bool, Failed> {
    let (input, dtype) = (chain.input(), variant.dtype);
    if input.dtype != dtype || input.is_counted() || input.len() == 0 {
        return Ok(false);
    }
    let shape = rows(input.capacity, random);
    let length = shape[shape.len() - 1];
    let order = order_of(order, input.capacity, length);
    let k = if random.one_in(3) { random.below(length) + 1 } else { random.below(length.min(9)) + 1 };
    let top_k = TopK { smallest: random.one_in(2), strategy: Some(order), ..TopK::new(dtype, &shape, k) };
    let Some(planned) = rig.plan(&top_k, variant.path, bindings)? else { return Ok(false) };
    let places = reference::top_k_places(&input.live, &shape, Some(shape.len() - 1), k, top_k.smallest)?;
    keys_and_positions(chain, planned, places, length, random)
}

/// The keys at these places of the current array, and where they stood in rows of a length. The next kernel takes one of them.
pub fn keys_and_positions(
    chain: &mut Chain,
    planned: Planned,
    places: Vec<usize>,
    length: usize,
    random: &mut Random,
) -> Result<bool, Failed> {
    let (input, results) = (chain.input(), places.len());
    let positions = Values::U32(places.iter().map(|place| (place % length) as u32).collect());
    let output = chain.room_for(input.dtype, results, &[input.slot], random);
    let second = chain.room_for(DType::U32, results, &[input.slot, output], random);
    chain.push(planned, &[("input", input.slot), ("output", output), ("positions", second)])?;
    chain.result(output, input.dtype, input.live.take(places), results, None)?;
    let keys = chain.current;
    chain.result(second, DType::U32, positions, results, None)?;
    if random.one_in(2) {
        chain.current = keys;
    }
    Ok(true)
}

/// The array as one row, or as rows that it is made of.
pub fn rows(capacity: usize, random: &mut Random) -> Vec<usize> {
    draw::rectangle(capacity, random).map_or_else(|| vec![capacity], |(rows, columns)| vec![rows, columns])
}

/// A strategy that rows of a length take: parts take their dispatches for every few rows, and rows that are compared are short.
pub fn order_of(order: OrderStrategy, capacity: usize, length: usize) -> OrderStrategy {
    match order {
        OrderStrategy::Parts if capacity > 50 * length => OrderStrategy::Rows,
        OrderStrategy::Comparisons if length > 256 => OrderStrategy::Rows,
        order => order,
    }
}

fn bindings<'a>(&[input, output, scratch, positions, ..]: &Ranges<'a>) -> TopKBindings<'a> {
    TopKBindings { input, output: Some(output), scratch: Some(scratch), positions: Some(positions) }
}
