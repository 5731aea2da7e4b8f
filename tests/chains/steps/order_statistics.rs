//! Keys at places of the order of the current array, or of rows that it is made of, and all of them around such a place.

use libtest_mimic::Failed;
use wavelane::{NthElement, NthElementBindings, OrderStrategy, PartitionAt, PartitionAtBindings};
use wavelane_reference as reference;

use super::chain::Chain;
use super::data::Random;
use super::planned::Ranges;
use super::rig::Rig;
use super::top_k::{keys_and_positions, order_of, rows};
use super::variants::Variant;

pub fn nth_element(chain: &mut Chain, rig: &Rig, variant: &Variant, order: OrderStrategy, random: &mut Random) -> Result<bool, Failed> {
    let (input, dtype) = (chain.input(), variant.dtype);
    if input.dtype != dtype || input.is_counted() || input.len() == 0 {
        return Ok(false);
    }
    let shape = rows(input.capacity, random);
    let length = shape[shape.len() - 1];
    let places: Vec<usize> = (0..1 + random.below(3)).map(|_| random.below(length)).collect();
    let nth = NthElement::of_places(dtype, &shape, &places).with_strategy(order_of(order, input.capacity, length));
    let Some(planned) = rig.plan(&nth, variant.path, bindings)? else { return Ok(false) };
    let found = reference::nth_element(&input.live, &shape, Some(shape.len() - 1), &places)?;
    let results = found.len();
    let output = chain.room_for(dtype, results, &[input.slot], random);
    chain.push(planned, &[("input", input.slot), ("output", output)])?;
    chain.result(output, dtype, found, results, None)?;
    Ok(true)
}

fn bindings<'a>(&[input, output, scratch, ..]: &Ranges<'a>) -> NthElementBindings<'a> {
    NthElementBindings { input, output, scratch: Some(scratch) }
}

pub fn partition_at(chain: &mut Chain, rig: &Rig, variant: &Variant, order: OrderStrategy, random: &mut Random) -> Result<bool, Failed> {
    let (input, dtype) = (chain.input(), variant.dtype);
    if input.dtype != dtype || input.is_counted() || input.len() == 0 {
        return Ok(false);
    }
    let shape = rows(input.capacity, random);
    let length = shape[shape.len() - 1];
    let order = order_of(order, input.capacity, length);
    let partition = PartitionAt::new(dtype, &shape, random.below(length)).with_positions().with_strategy(order);
    let Some(planned) = rig.plan(&partition, variant.path, around)? else { return Ok(false) };
    let places = reference::partition_places(&input.live, &shape, Some(shape.len() - 1), partition.place)?;
    keys_and_positions(chain, planned, places, length, random)
}

fn around<'a>(&[input, output, scratch, positions, ..]: &Ranges<'a>) -> PartitionAtBindings<'a> {
    PartitionAtBindings { input, output: Some(output), scratch: Some(scratch), positions: Some(positions) }
}
