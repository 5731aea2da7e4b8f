//! Kernels on sorted arrays: the current one, or others that are made for it.

use libtest_mimic::Failed;
use wavelane::{
    DType, Merge, MergeBindings, MergeStrategy, Payload, SearchSide, SearchSorted, SearchSortedBindings, SetOp, SetOperation,
    SetOperationBindings,
};
use wavelane_reference::{self as reference, SearchOptions, SortOptions, Values};

use super::chain::{Array, Chain};
use super::data::Random;
use super::planned::Ranges;
use super::rig::Rig;
use super::variants::{Moved, Variant};
use super::{draw, elements};

/// Positions of the current array's elements in a sorted one; or of others in the current array, where it happens to be sorted.
pub fn search(chain: &mut Chain, rig: &Rig, variant: &Variant, random: &mut Random) -> Result<bool, Failed> {
    let (input, dtype) = (chain.input(), variant.dtype);
    if input.dtype != dtype {
        return Ok(false);
    }
    let descending = random.one_in(2);
    let is_sorted = places(&input.live, descending)?.into_iter().eq(0..input.len());
    let (array, values) = match is_sorted && random.one_in(2) {
        true => (input, made(chain, dtype, None, random)?),
        false => (made(chain, dtype, Some(descending), random)?, input),
    };
    let mut search = SearchSorted::new(dtype, array.capacity, &[values.capacity]);
    search.side = random.pick(&[SearchSide::Left, SearchSide::Right]);
    (search.descending, search.counted, search.counted_array) = (descending, values.is_counted(), array.is_counted());
    let Some(planned) = rig.plan(&search, variant.path, bindings)? else { return Ok(false) };
    let options = SearchOptions { right: search.side == SearchSide::Right, descending };
    let found = Values::U32(reference::search_sorted(&array.live, &values.live, 1, options)?);
    let output = chain.room_for(DType::U32, values.capacity, &[array.slot, values.slot], random);
    let (count, array_count) = (chain.count_slot(&values), chain.count_slot(&array));
    let named = [("array", array.slot), ("values", values.slot), ("output", output), ("count", count), ("array count", array_count)];
    chain.push(planned, &named)?;
    chain.result(output, DType::U32, found, values.capacity, values.count)?;
    Ok(true)
}

/// The current array, where it happens to be sorted, or else one that is made, merged with another.
pub fn merge(chain: &mut Chain, rig: &Rig, variant: &Variant, moved: Moved, random: &mut Random) -> Result<bool, Failed> {
    let (input, dtype) = (chain.input(), variant.dtype);
    if input.dtype != dtype || !input.has_known_bits() {
        return Ok(false);
    }
    let descending = random.one_in(2);
    let is_sorted = places(&input.live, descending)?.into_iter().eq(0..input.len());
    let first = if is_sorted { input } else { made(chain, dtype, Some(descending), random)? };
    let second = made(chain, dtype, Some(descending), random)?;
    let mut merge = Merge { descending, ..Merge::new(dtype, first.capacity, second.capacity) };
    (merge.counted_first, merge.counted_second) = (first.is_counted(), second.is_counted());
    merge.strategy = random.pick(&[None, Some(MergeStrategy::Path), Some(MergeStrategy::Tiles), Some(MergeStrategy::Ranks)]);
    merge.keys = moved != Moved::Positions;
    let places = reference::merge_places(&first.live, &second.live, descending)?;
    let (slots, capacity) = ([first.slot, second.slot], first.capacity + second.capacity);
    let mut named = vec![("first", first.slot), ("second", second.slot)];
    named.extend([("first count", chain.count_slot(&first)), ("second count", chain.count_slot(&second))]);
    let mut results = Vec::new();
    let mut used = slots.to_vec();
    if merge.keys {
        let output = chain.room_for(dtype, capacity, &used, random);
        used.push(output);
        named.push(("output", output));
        results.push((output, dtype, joined(&first.live, &second.live).take(places.iter().copied())));
    }
    match moved {
        Moved::Nothing => {}
        Moved::Positions => {
            merge.payload = Payload::Positions;
            let output = chain.room_for(DType::U32, capacity, &used, random);
            named.push(("output values", output));
            results.push((output, DType::U32, Values::U32(places.iter().map(|&at| at as u32).collect())));
        }
        Moved::Values(of) => {
            merge.payload = Payload::Values(of);
            let mut values = |chain: &mut Chain, array: &Array| {
                let size = (array.len(), array.capacity);
                chain.beside_or(of, size, &used, random, |random| elements::draw(of, array.capacity, random))
            };
            let (a, b) = (values(chain, &first), values(chain, &second));
            used.extend([a.slot, b.slot]);
            let output = chain.room_for(of, capacity, &used, random);
            named.extend([("first values", a.slot), ("second values", b.slot), ("output values", output)]);
            results.push((output, of, joined(&a.live.take(0..first.len()), &b.live.take(0..second.len())).take(places.iter().copied())));
        }
    }
    let Some(planned) = rig.plan(&merge, variant.path, merge_bindings)? else { return Ok(false) };
    chain.push(planned, &named)?;
    // The device has the counts of both arrays, and the host that of all.
    let count = (merge.counted_first || merge.counted_second).then(|| {
        let slot = chain.arena.upload(&(places.len() as u32).to_ne_bytes(), 0);
        chain.counted(slot, places.len())
    });
    for (slot, dtype, live) in results {
        chain.result(slot, dtype, live, capacity, count)?;
    }
    Ok(true)
}

/// A set operation of the current array, where it happens to be sorted, or else of one that is made, and another.
pub fn sets(chain: &mut Chain, rig: &Rig, variant: &Variant, op: SetOp, random: &mut Random) -> Result<bool, Failed> {
    let (input, dtype) = (chain.input(), variant.dtype);
    if input.dtype != dtype || !input.has_known_bits() {
        return Ok(false);
    }
    let is_sorted = places(&input.live, false)?.into_iter().eq(0..input.len());
    let first = if is_sorted { input } else { made(chain, dtype, Some(false), random)? };
    let second = made(chain, dtype, Some(false), random)?;
    let mut operation = SetOperation::new(op, dtype, first.capacity, second.capacity);
    (operation.counted_first, operation.counted_second) = (first.is_counted(), second.is_counted());
    let Some(planned) = rig.plan(&operation, variant.path, set_bindings)? else { return Ok(false) };
    let twin = match op {
        SetOp::Union => reference::SetOp::Union,
        SetOp::Intersection => reference::SetOp::Intersection,
        SetOp::Difference => reference::SetOp::Difference,
        SetOp::SymmetricDifference => reference::SetOp::SymmetricDifference,
    };
    let live = reference::set_operation(twin, &first.live, &second.live)?;
    let capacity = operation.most_results();
    let output = chain.room_for(dtype, capacity, &[first.slot, second.slot], random);
    let found = chain.arena.slot(4);
    let mut named = vec![("first", first.slot), ("second", second.slot), ("output", output), ("found", found)];
    named.extend([("first count", chain.count_slot(&first)), ("second count", chain.count_slot(&second))]);
    chain.push(planned, &named)?;
    let count = chain.counted(found, live.len());
    chain.result(output, dtype, live, capacity, Some(count))?;
    Ok(true)
}

fn set_bindings<'a>(&[first, second, output, scratch, first_count, second_count, found, ..]: &Ranges<'a>) -> SetOperationBindings<'a> {
    let (first_count, second_count) = (Some(first_count), Some(second_count));
    SetOperationBindings { first, second, output, found, scratch: Some(scratch), first_count, second_count }
}

/// The elements of both, one behind the other.
fn joined(first: &Values, second: &Values) -> Values {
    Values::from_bits(first.element(), first.bits().into_iter().chain(second.bits()))
}

fn merge_bindings<'a>(ranges: &Ranges<'a>) -> MergeBindings<'a> {
    let &[first, second, output, scratch, first_count, second_count, first_values, second_values, output_values] = ranges;
    MergeBindings {
        first,
        second,
        output: Some(output),
        scratch: Some(scratch),
        first_count: Some(first_count),
        second_count: Some(second_count),
        first_values: Some(first_values),
        second_values: Some(second_values),
        output_values: Some(output_values),
    }
}

fn places(values: &Values, descending: bool) -> Result<Vec<usize>, Failed> {
    Ok(reference::sort_places(values, &[values.len()], None, &SortOptions { descending, ..Default::default() })?)
}

/// A new array, as often as not with a count of its own, and in order as far as that if it is said which way.
fn made(chain: &mut Chain, dtype: DType, descending: Option<bool>, random: &mut Random) -> Result<Array, Failed> {
    let all = elements::draw(dtype, draw::length(random), random);
    let count = random.one_in(2).then(|| random.below(all.len() + 2));
    let live = count.map_or(all.len(), |count| count.min(all.len()));
    let mut order: Vec<usize> = (0..all.len()).collect();
    if let Some(descending) = descending {
        order[..live].copy_from_slice(&places(&all.take(0..live), descending)?);
    }
    let at = match count {
        Some(count) => chain.upload_counted(dtype, all.take(order), count as u32),
        None => chain.upload(dtype, all.take(order)),
    };
    Ok(chain.arrays[at].clone())
}

fn bindings<'a>(&[array, values, output, scratch, count, array_count, ..]: &Ranges<'a>) -> SearchSortedBindings<'a> {
    SearchSortedBindings { array, values, output, scratch: Some(scratch), count: Some(count), array_count: Some(array_count) }
}
