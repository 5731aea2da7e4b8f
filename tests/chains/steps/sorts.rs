//! Sorts of the current array, of as many keys as its count says: keys, with values beside them, or positions alone.

use libtest_mimic::Failed;
use wavelane::{DType, Sort, SortBindings, SortStrategy};
use wavelane_reference::{self as reference, SortOptions, Values};

use super::chain::{Array, Chain};
use super::data::Random;
use super::planned::Ranges;
use super::rig::Rig;
use super::variants::{Moved, Variant};
use super::{draw, elements};

pub fn sort(chain: &mut Chain, rig: &Rig, variant: &Variant, moved: Moved, random: &mut Random) -> Result<bool, Failed> {
    let (input, dtype) = (chain.input(), variant.dtype);
    if input.dtype != dtype {
        return Ok(false);
    }
    let sort = describe(&input, moved, random);
    let Some(planned) = rig.plan(&sort, variant.path, bindings)? else { return Ok(false) };
    let options = SortOptions { descending: sort.descending, bits: sort.bits, count: None };
    let shape = if input.is_counted() { vec![input.len()] } else { sort.shape.clone() };
    let places = reference::sort_places(&input.live, &shape, sort.axis, &options)?;
    let capacity = input.capacity;
    let sorted = input.live.take(places.iter().copied());
    match moved {
        Moved::Nothing => {
            let output = chain.room_for(dtype, capacity, &[input.slot], random);
            push(chain, planned, &input, &[("output", output)])?;
            chain.result(output, dtype, sorted, capacity, input.count)?;
        }
        Moved::Positions => {
            let output = chain.room_for(DType::U32, capacity, &[input.slot], random);
            push(chain, planned, &input, &[("output values", output)])?;
            chain.result(output, DType::U32, positions(&sort, &places), capacity, input.count)?;
        }
        Moved::Values(of) => {
            let size = (input.len(), capacity);
            let values = chain.beside_or(of, size, &[input.slot], random, |random| elements::draw(of, capacity, random));
            let live = values.live.take(places);
            let output = chain.room_for(dtype, capacity, &[input.slot, values.slot], random);
            let second = chain.room_for(of, capacity, &[input.slot, values.slot, output], random);
            push(chain, planned, &input, &[("output", output), ("values", values.slot), ("output values", second)])?;
            // The next kernel takes the keys or the values.
            chain.result(output, dtype, sorted, capacity, input.count)?;
            let keys = chain.current;
            chain.result(second, of, live, capacity, input.count)?;
            if random.one_in(2) {
                chain.current = keys;
            }
        }
    }
    Ok(true)
}

fn describe(input: &Array, moved: Moved, random: &mut Random) -> Sort {
    let dtype = input.dtype;
    let rectangle = draw::rectangle(input.capacity, random).filter(|_| !input.is_counted());
    let mut sort = match rectangle {
        Some((rows, columns)) => Sort::new(dtype, &[rows, columns]).along(random.below(2)),
        None => Sort::new(dtype, &[input.capacity]),
    };
    sort.counted = input.is_counted();
    sort.descending = random.one_in(2);
    sort.strategy = [None, Some(SortStrategy::Local), Some(SortStrategy::Tiles), Some(SortStrategy::Onesweep)][random.below(4)];
    if random.one_in(3) {
        let end = 1 + random.below(8 * dtype.size() as usize) as u32;
        sort = sort.by_bits(random.below(end as usize) as u32, end);
    }
    match moved {
        Moved::Nothing => sort,
        Moved::Positions => Sort { keys: false, ..sort.with_positions() },
        Moved::Values(of) => sort.with_values(of),
    }
}

fn push(chain: &mut Chain, planned: super::planned::Planned, input: &Array, results: &[(&'static str, usize)]) -> Result<(), Failed> {
    let count = chain.count_slot(input);
    chain.push(planned, &[&[("input", input.slot), ("count", count)], results].concat())
}

/// Where keys stood along the axis.
fn positions(sort: &Sort, places: &[usize]) -> Values {
    let inner: usize = sort.axis.map_or(1, |axis| sort.shape[axis + 1..].iter().product());
    let length = sort.axis.map_or(places.len(), |axis| sort.shape[axis]);
    Values::U32(places.iter().map(|place| (place / inner % length) as u32).collect())
}

fn bindings<'a>(&[input, output, scratch, count, values, output_values, ..]: &Ranges<'a>) -> SortBindings<'a> {
    SortBindings {
        input: Some(input),
        output: Some(output),
        scratch: Some(scratch),
        count: Some(count),
        values: Some(values),
        output_values: Some(output_values),
        offsets: None,
    }
}
