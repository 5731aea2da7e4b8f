//! Values once, runs, and runs written out.

use libtest_mimic::Failed;
use wavelane::{DType, RunLengthDecode, RunLengthDecodeBindings, Unique, UniqueBindings};
use wavelane_reference::{self as reference, Values};

use super::chain::Chain;
use super::data::Random;
use super::draw::MOST;
use super::planned::Ranges;
use super::rig::Rig;
use super::rows::Rows;
use super::variants::Variant;
use super::words;

/// A sort goes over the elements once a bit, so longer arrays are left to the tests of `unique`.
const MOST_SORTED: usize = 2100;

pub fn unique(
    chain: &mut Chain,
    rig: &Rig,
    variant: &Variant,
    (sorted, in_rows): (bool, bool),
    random: &mut Random,
) -> Result<bool, Failed> {
    let input = chain.input();
    let (dtype, capacity) = (variant.dtype, input.capacity);
    let fits = if sorted { capacity <= MOST_SORTED } else { input.has_known_bits() };
    if input.dtype != dtype || !fits {
        return Ok(false);
    }
    let rows = in_rows.then(|| Rows::of(&input, random));
    let row_length = rows.as_ref().map(|rows| rows.length);
    let unique = Unique {
        sorted,
        first: random.one_in(2),
        counts: random.one_in(2),
        inverse: random.one_in(2),
        counted: input.is_counted(),
        strategy: variant.strategy,
        row_length,
        ..Unique::new(dtype, capacity)
    };
    let Some(planned) = rig.plan(&unique, variant.path, bindings)? else { return Ok(false) };
    let (twin, offsets) = match sorted {
        true => (reference::unique(&input.live), Vec::new()),
        false => reference::unique_runs_in_rows(&input.live, row_length.unwrap_or(capacity))?,
    };
    let mut arguments = vec![input.slot];
    let values = chain.room_for(dtype, capacity, &arguments, random);
    arguments.push(values);
    let mut beside = |wanted: bool, chain: &mut Chain| {
        let room = if wanted { chain.room_for(DType::U32, capacity, &arguments, random) } else { values };
        arguments.push(room);
        room
    };
    let (first, counts, inverse) = (beside(unique.first, chain), beside(unique.counts, chain), beside(unique.inverse, chain));
    let told = rows.as_ref().map_or(values, |rows| rows.slot(chain, &arguments, random));
    let (count, found) = (chain.count_slot(&input), chain.arena.slot(4));
    let named = [("offsets", told), ("input", input.slot), ("values", values), ("count", count), ("found", found)];
    chain.push(planned, &[&named[..], &[("first", first), ("counts", counts), ("inverse", inverse)]].concat())?;
    if let Some(rows) = rows {
        rows.left(chain, told, offsets)?;
    }
    let found = Some(chain.counted(found, twin.values.len()));
    let mut results = vec![chain.result(values, dtype, twin.values, capacity, found)?];
    let others = [
        (unique.first, first, twin.first, found),
        (unique.counts, counts, twin.counts, found),
        (unique.inverse, inverse, twin.inverse, input.count),
    ];
    for (_, slot, live, count) in others.into_iter().filter(|(wanted, ..)| *wanted) {
        results.push(chain.result(slot, DType::U32, Values::U32(live), capacity, count)?);
    }
    chain.current = random.pick(&results);
    Ok(true)
}

fn bindings<'a>(&[input, values, scratch, count, found, first, counts, inverse, offsets]: &Ranges<'a>) -> UniqueBindings<'a> {
    UniqueBindings {
        input,
        values,
        found,
        scratch: Some(scratch),
        first: Some(first),
        counts: Some(counts),
        inverse: Some(inverse),
        count: Some(count),
        offsets: Some(offsets),
    }
}

/// The current array's elements, each as often as another array says: the counts that were found with them, say.
pub fn decode(chain: &mut Chain, rig: &Rig, variant: &Variant, random: &mut Random) -> Result<bool, Failed> {
    let input = chain.input();
    let (dtype, size) = (variant.dtype, (input.len(), input.capacity));
    if input.dtype != dtype {
        return Ok(false);
    }
    let sum = |lengths: &Values| lengths.bits().iter().sum::<u64>();
    let found = chain.beside(DType::U32, size, &[], random, |lengths| sum(lengths) <= MOST as u64);
    let lengths = found.unwrap_or_else(|| {
        let at = chain.upload(DType::U32, lengths(input.capacity, random));
        chain.arrays[at].clone()
    });
    let lengths_live = lengths.live.take(0..input.len());
    let decoded = sum(&lengths_live) as usize;
    // With more room than is needed, or too little.
    let capacity = random.pick(&[decoded, decoded + 37, decoded / 2]);
    let decode = RunLengthDecode { counted: input.is_counted(), ..RunLengthDecode::new(dtype, input.capacity, capacity) };
    let Some(planned) = rig.plan(&decode, variant.path, decode_bindings)? else { return Ok(false) };
    let live = reference::run_length_decode(&input.live, &words(&lengths_live))?.take(0..capacity);
    let output = chain.room_for(dtype, capacity, &[input.slot, lengths.slot], random);
    let (count, decoded_slot) = (chain.count_slot(&input), chain.arena.slot(4));
    let named = [("values", input.slot), ("lengths", lengths.slot), ("output", output), ("count", count), ("decoded", decoded_slot)];
    chain.push(planned, &named)?;
    let count = chain.counted(decoded_slot, decoded);
    chain.result(output, dtype, live, capacity, Some(count))?;
    Ok(true)
}

fn decode_bindings<'a>(&[values, output, scratch, count, decoded, lengths, ..]: &Ranges<'a>) -> RunLengthDecodeBindings<'a> {
    RunLengthDecodeBindings { values, lengths, output, decoded, scratch: Some(scratch), count: Some(count) }
}

/// So many lengths, whose sum is not too much.
fn lengths(count: usize, random: &mut Random) -> Values {
    let most = random.pick(&[2, 4, 300]);
    let mut left = MOST;
    let mut lengths = Vec::with_capacity(count);
    for _ in 0..count {
        let length = random.below(most).min(left);
        left -= length;
        lengths.push(length as u32);
    }
    Values::U32(lengths)
}
