//! What keeps some of the current array's elements, and leaves on the device how many.

use libtest_mimic::Failed;
use wavelane::{Compare, Condition, DType, MaskForm, Nonzero, NonzeroBindings, Partition, Select, SelectBindings};
use wavelane_reference::{self as reference, Values};

use super::chain::{Array, Chain};
use super::data::Random;
use super::planned::Ranges;
use super::rig::Rig;
use super::rows::Rows;
use super::variants::{By, Variant};
use super::{elements, twin, words};

/// A condition, what the twin says of the elements that meet it, and the slot of the mask if it is one.
struct Chosen {
    condition: Condition,
    mask: Vec<bool>,
    slot: usize,
}

fn choose(chain: &mut Chain, input: &Array, by: By, random: &mut Random) -> Result<Chosen, Failed> {
    let (size, capacity) = ((input.len(), input.capacity), input.capacity);
    let form = match by {
        By::Mask(form) => form,
        By::Compare => {
            let known = (input.len() > 0).then(|| elements::scalar(input.dtype, &input.live, random.below(input.len())));
            let pivot = known.filter(|_| !random.one_in(4)).unwrap_or_else(|| elements::small_scalar(input.dtype, random));
            let compare = random.pick(&Compare::ALL);
            let value = twin::value(pivot).ok_or("no value")?;
            let mask = reference::matches(&input.live, reference::Compare::ALL[compare as usize], &value)?;
            return Ok(Chosen { condition: Condition::Compare(compare, pivot), mask, slot: input.slot });
        }
    };
    let dtype = if form == MaskForm::Words { DType::U32 } else { DType::U8 };
    let mask = chain.beside_or(dtype, size, &[], random, |random| elements::truths(dtype, capacity, random));
    let set = words(&mask.live.take(0..input.len())).into_iter().map(|word| word != 0).collect();
    Ok(Chosen { condition: Condition::Mask(form), mask: set, slot: mask.slot })
}

fn bindings<'a>(&[input, output, scratch, count, selected, mask, offsets, ..]: &Ranges<'a>) -> SelectBindings<'a> {
    SelectBindings { input, output, selected, scratch: Some(scratch), mask: Some(mask), count: Some(count), offsets: Some(offsets) }
}

pub fn select(
    chain: &mut Chain,
    rig: &Rig,
    variant: &Variant,
    by: By,
    (positions, in_rows): (bool, bool),
    random: &mut Random,
) -> Result<bool, Failed> {
    let input = chain.input();
    if input.dtype != variant.dtype {
        return Ok(false);
    }
    let chosen = choose(chain, &input, by, random)?;
    let counted = input.is_counted();
    let (dtype, strategy) = (variant.dtype, variant.strategy);
    let rows = in_rows.then(|| Rows::of(&input, random));
    let row_length = rows.as_ref().map(|rows| rows.length);
    let select = Select { positions, counted, strategy, row_length, ..Select::new(chosen.condition, dtype, input.capacity) };
    let Some(planned) = rig.plan(&select, variant.path, bindings)? else { return Ok(false) };
    let row = row_length.unwrap_or(input.capacity);
    let (live, offsets) = match positions {
        true => reference::positions_in_rows(&chosen.mask, row).map(|(places, offsets)| (Values::U32(places), offsets))?,
        false => reference::select_in_rows(&input.live, &chosen.mask, row)?,
    };
    let result = select.result_dtype();
    let output = chain.room_for(result, input.capacity, &[input.slot, chosen.slot], random);
    let told = rows.as_ref().map_or(output, |rows| rows.slot(chain, &[input.slot, chosen.slot, output], random));
    let (count, selected) = (chain.count_slot(&input), chain.arena.slot(4));
    let named = [("input", input.slot), ("output", output), ("count", count), ("selected", selected), ("mask", chosen.slot)];
    chain.push(planned, &[&named[..], &[("offsets", told)]].concat())?;
    if let Some(rows) = rows {
        rows.left(chain, told, offsets)?;
    }
    let count = chain.counted(selected, live.len());
    chain.result(output, result, live, input.capacity, Some(count))?;
    Ok(true)
}

pub fn nonzero(chain: &mut Chain, rig: &Rig, variant: &Variant, random: &mut Random) -> Result<bool, Failed> {
    let input = chain.input();
    if input.dtype != variant.dtype {
        return Ok(false);
    }
    let nonzero = Nonzero { counted: input.is_counted(), strategy: variant.strategy, ..Nonzero::new(variant.dtype, input.capacity) };
    let Some(planned) = rig.plan(&nonzero, variant.path, nonzero_bindings)? else { return Ok(false) };
    let live = Values::U32(reference::nonzero(&input.live));
    let output = chain.room_for(DType::U32, input.capacity, &[input.slot], random);
    let (count, selected) = (chain.count_slot(&input), chain.arena.slot(4));
    chain.push(planned, &[("input", input.slot), ("output", output), ("count", count), ("selected", selected)])?;
    let count = chain.counted(selected, live.len());
    chain.result(output, DType::U32, live, input.capacity, Some(count))?;
    Ok(true)
}

fn nonzero_bindings<'a>(&[input, output, scratch, count, selected, ..]: &Ranges<'a>) -> NonzeroBindings<'a> {
    NonzeroBindings { input, output, selected, scratch: Some(scratch), count: Some(count) }
}

pub fn partition(chain: &mut Chain, rig: &Rig, variant: &Variant, by: By, in_rows: bool, random: &mut Random) -> Result<bool, Failed> {
    let input = chain.input();
    if input.dtype != variant.dtype {
        return Ok(false);
    }
    let chosen = choose(chain, &input, by, random)?;
    let (dtype, strategy) = (variant.dtype, variant.strategy);
    let rows = in_rows.then(|| Rows::of(&input, random));
    let row_length = rows.as_ref().map(|rows| rows.length);
    let counted = input.is_counted();
    let partition = Partition { counted, strategy, row_length, ..Partition::new(chosen.condition, dtype, input.capacity) };
    let Some(planned) = rig.plan(&partition, variant.path, bindings)? else { return Ok(false) };
    let (parted, offsets) = reference::partition_in_rows(&input.live, &chosen.mask, row_length.unwrap_or(input.capacity))?;
    let first = chosen.mask.iter().filter(|&&set| set).count();
    let output = chain.room_for(dtype, input.capacity, &[input.slot, chosen.slot], random);
    let told = rows.as_ref().map_or(output, |rows| rows.slot(chain, &[input.slot, chosen.slot, output], random));
    let (count, selected) = (chain.count_slot(&input), chain.arena.slot(4));
    let named = [("input", input.slot), ("output", output), ("count", count), ("selected", selected), ("mask", chosen.slot)];
    chain.push(planned, &[&named[..], &[("offsets", told)]].concat())?;
    if let Some(rows) = rows {
        rows.left(chain, told, offsets)?;
    }
    let selected = chain.counted(selected, first);
    // The next kernel takes both parts, or the first one alone.
    let (live, count) = if random.one_in(2) { (parted, input.count) } else { (parted.take(0..first), Some(selected)) };
    chain.result(output, dtype, live, input.capacity, count)?;
    Ok(true)
}
