//! Elements by index, and to where indices say.

use libtest_mimic::Failed;
use wavelane::{DType, Gather, GatherBindings, Scatter, ScatterBindings};
use wavelane_reference::{self as reference, Values};

use super::chain::{Array, Chain};
use super::data::Random;
use super::planned::Ranges;
use super::rig::Rig;
use super::variants::Variant;
use super::{draw, elements, words};

/// The current array by indices, or another one by the current array as indices.
pub fn gather(chain: &mut Chain, rig: &Rig, variant: &Variant, random: &mut Random) -> Result<bool, Failed> {
    let current = chain.input();
    if let Some(from) = indexed(chain, &current, variant.dtype, random) {
        return by_current(chain, rig, variant, &from, &current, random);
    }
    if current.dtype != variant.dtype || current.len() == 0 {
        return Ok(false);
    }
    let rectangle = draw::rectangle(current.capacity, random).filter(|_| !current.is_counted());
    let (shape, axis) = match rectangle {
        Some((rows, columns)) => (vec![rows, columns], random.pick(&[None, Some(0), Some(1)])),
        None => (vec![current.capacity], None),
    };
    let reach = axis.map_or(current.len(), |axis| shape[axis]);
    let lines = axis.map_or(1, |axis| current.capacity / shape[axis]);
    let count = draw::length(random).min(draw::MOST / lines);
    let indices: Vec<u32> = (0..count).map(|_| random.below(reach) as u32).collect();
    let gather = Gather { axis, ..Gather::new(variant.dtype, &shape, &[count]) };
    let Some(planned) = rig.plan(&gather, variant.path, gather_bindings)? else { return Ok(false) };
    let live = reference::gather(&current.live, &flat(&indices, &shape, axis))?;
    let given = chain.upload(DType::U32, Values::U32(indices));
    let given = chain.arrays[given].slot;
    let capacity = live.len();
    let output = chain.room_for(variant.dtype, capacity, &[current.slot, given], random);
    chain.push(planned, &[("input", current.slot), ("indices", given), ("output", output)])?;
    chain.result(output, variant.dtype, live, capacity, None)?;
    Ok(true)
}

fn gather_bindings<'a>(&[input, indices, output, count, ..]: &Ranges<'a>) -> GatherBindings<'a> {
    GatherBindings { input, indices, output, count: Some(count) }
}

/// Indices along an axis of a rectangle, as those of the flat array.
fn flat(indices: &[u32], shape: &[usize], axis: Option<usize>) -> Vec<u32> {
    match (shape, axis) {
        (&[_, columns], Some(0)) => {
            indices.iter().flat_map(|&row| (0..columns as u32).map(move |column| row * columns as u32 + column)).collect()
        }
        (&[rows, columns], Some(1)) => {
            (0..rows as u32).flat_map(|row| indices.iter().map(move |&column| row * columns as u32 + column)).collect()
        }
        _ => indices.to_vec(),
    }
}

/// An array of a type whose elements an array's all are indices of.
fn indexed(chain: &Chain, indices: &Array, dtype: DType, random: &mut Random) -> Option<Array> {
    if indices.dtype != DType::U32 {
        return None;
    }
    let length = words(&indices.live).into_iter().max().map_or(1, |most| most as usize + 1);
    chain.beside(dtype, (length, 0), &[], random, |_| true)
}

fn by_current(chain: &mut Chain, rig: &Rig, variant: &Variant, from: &Array, indices: &Array, random: &mut Random) -> Result<bool, Failed> {
    let gather = Gather { counted: indices.is_counted(), ..Gather::new(variant.dtype, &[from.capacity], &[indices.capacity]) };
    let Some(planned) = rig.plan(&gather, variant.path, gather_bindings)? else { return Ok(false) };
    let live = reference::gather(&from.live, &words(&indices.live))?;
    let output = chain.room_for(variant.dtype, indices.capacity, &[from.slot, indices.slot], random);
    let count = chain.count_slot(indices);
    chain.push(planned, &[("input", from.slot), ("indices", indices.slot), ("output", output), ("count", count)])?;
    chain.result(output, variant.dtype, live, indices.capacity, indices.count)?;
    Ok(true)
}

/// The current array's elements to places of a larger array, or again and again to more places.
pub fn scatter(chain: &mut Chain, rig: &Rig, variant: &Variant, random: &mut Random) -> Result<bool, Failed> {
    let (input, dtype) = (chain.input(), variant.dtype);
    if input.dtype != dtype {
        return Ok(false);
    }
    let size = input.capacity + random.pick(&[0, 1, 3, 100]);
    let beside = chain.beside(dtype, (size, size), &[input.slot], random, |_| true);
    let target = match beside.filter(|array| !array.is_counted()) {
        Some(array) => array,
        None => {
            let at = chain.upload(dtype, elements::draw(dtype, size, random));
            chain.arrays[at].clone()
        }
    };
    // Each place once, as else it is not determined which value stays.
    let mut places: Vec<u32> = (0..target.capacity as u32).collect();
    random.shuffle(&mut places);
    // Of an array with a count, as many elements as that says, each with a place.
    let repeats = input.len() > 0 && !input.is_counted() && random.one_in(3);
    places.truncate(if repeats { 3 * input.len() } else { input.capacity });
    let scatter =
        Scatter { counted: input.is_counted(), ..Scatter::new(dtype, &[target.capacity], places.len()).repeating(input.capacity) };
    let Some(planned) = rig.plan(&scatter, variant.path, scatter_bindings)? else { return Ok(false) };
    let used = if input.is_counted() { input.len() } else { places.len() };
    let values = input.live.take((0..used).map(|at| at % input.len().max(1)));
    let live = reference::scatter(&values, &places[..used], &target.live)?;
    let count = chain.count_slot(&input);
    let given = chain.upload(DType::U32, Values::U32(places));
    let indices = chain.arrays[given].slot;
    chain.push(planned, &[("values", input.slot), ("indices", indices), ("target", target.slot), ("count", count)])?;
    chain.result(target.slot, dtype, live, target.capacity, None)?;
    Ok(true)
}

fn scatter_bindings<'a>(&[values, indices, target, count, ..]: &Ranges<'a>) -> ScatterBindings<'a> {
    ScatterBindings { values, indices, target, count: Some(count) }
}
