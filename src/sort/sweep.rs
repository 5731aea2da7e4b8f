//! Digits counted, and keys moved together with their values, by ballots of large subgroups: `glsl/sort/sweep.comp`.

use wavelane_device::Capabilities;

use super::parts::{KEYS, NUMBERS, Parts, Piece, Stage, options_of};
use super::planner::{EXCHANGE, Pass, Planner};
use super::tiles::{BALLOT_LANES, keys_each as most_keys, words};
use crate::compact::width::Width;
use crate::layout::Layout;
use crate::limits::DeviceLimits;
use crate::schedule::{Place, StepRange, dispatch};
use crate::select::subgroup_size;
use crate::{Error, PathNeeds, Tuning};

/// Buffers that a dispatch binds: keys and values, those they become, and counts.
const BUFFERS: u32 = 5;

/// Words of an invocation in the pool, which has a tile's keys, and before that counters of subgroups of [`BALLOT_LANES`] lanes.
const POOL_WORDS: u32 = 16;

/// Words for values of a digit: what is to be added to places, and where the next key goes or how many keys two tiles have.
const VALUE_SLOTS: u32 = 3 << 8;

/// Larger workgroups than others: neighbours in the results come from one tile, and subgroups of one share the way to shared memory.
pub(super) fn tuned(tuning: &Tuning) -> Tuning {
    Tuning { workgroup_size: 2 * tuning.workgroup_size, shared_memory_budget: 3 * tuning.shared_memory_budget, ..tuning.clone() }
}

/// What a workgroup takes of shared memory.
pub(super) fn needs() -> PathNeeds {
    let exchange = EXCHANGE.needs();
    PathNeeds {
        shared_words: exchange.shared_words + POOL_WORDS,
        shared_words_beside: exchange.shared_words_beside + VALUE_SLOTS + 3,
        ballots: true,
        ..exchange
    }
}

/// Whether subgroups are known to be large, and a dispatch can bind all of the keys and values at once.
pub(super) fn is_possible(capabilities: &Capabilities, width: Width, value_words: u32, layout: &Layout) -> bool {
    let limits = DeviceLimits { capabilities };
    let widest = width.bytes().max(4 * u64::from(value_words));
    subgroup_size(capabilities) >= BALLOT_LANES
        && capabilities.limits.max_per_stage_descriptor_storage_buffers >= BUFFERS
        && layout.inner == 1
        && limits.capacity(layout.elements(), widest) >= layout.elements()
}

/// Keys of an invocation in a tile: half as many where there would be too few tiles for all workgroups.
pub(super) fn keys_each(planner: &Planner<'_>) -> u32 {
    let most = most_keys(planner.width);
    let tiles = planner.layout.elements() / u64::from(planner.choice.workgroup_size * most);
    if tiles < u64::from(planner.tuning.fill_workgroups) / 4 { most / 2 } else { most }
}

/// Words of the pool.
pub(super) fn pool_slots(planner: &Planner<'_>) -> u32 {
    debug_assert!(keys_each(planner) * words(planner.width) <= POOL_WORDS);
    POOL_WORDS * planner.choice.workgroup_size
}

/// What a move binds, and the options it has for that: keys, those they become, values, and those they become. What is not there is filled with another buffer of the dispatch.
pub(super) fn bind(pass: &Pass, table: (usize, StepRange), planner: &Planner<'_>) -> ([(usize, StepRange); 4], u32) {
    let elements = planner.layout.elements();
    let all = |place: Place, bytes: u64| place.bytes(StepRange::first((elements * bytes).next_multiple_of(4)));
    let (key_bytes, value_bytes) = (planner.width.bytes(), 4 * u64::from(planner.value_words));
    let keys = all(pass.keys, key_bytes);
    let output = pass.keys_to.map_or(table, |to| all(to, key_bytes));
    let values = pass.values.filter(|_| pass.values_to.is_some()).map_or(keys, |from| all(from, value_bytes));
    let output_values = pass.values_to.map_or(table, |to| all(to, value_bytes));
    let numbers = if pass.values_to.is_some() && pass.values.is_none() { NUMBERS } else { 0 };
    let keys_option = if pass.keys_to.is_some() { KEYS } else { 0 };
    ([keys, output, values, output_values], options_of(planner) | numbers | keys_option)
}

/// One dispatch over all parts of some rows: a count of digits, or the move of keys and values.
pub(super) fn step(
    parts: &Parts,
    stage: Stage,
    pass: &Pass,
    (first_row, rows): (u64, u64),
    table: Place,
    planner: &mut Planner<'_>,
) -> Result<(), Error> {
    let table = table.bytes(StepRange::first(parts.table_bytes()));
    let ([keys, mut output, mut values, mut output_values], options) = bind(pass, table, planner);
    if stage == Stage::Count {
        (output, values, output_values) = (table, keys, table);
    }
    let piece = Piece { first_part: 0, parts: rows * parts.parts, first: 0, count: planner.layout.elements() };
    let action = dispatch!(
        sort::sweep,
        planner.width.module(planner.choice.path),
        shader::SpecializationConstants {
            workgroup_size: planner.choice.workgroup_size,
            stage: stage as u32,
            digit_bits: parts.digit_bits,
            value_words: if stage == Stage::Move { planner.value_words } else { 0 },
            exchange_slots: EXCHANGE.slots(&planner.choice),
            keys_each: keys_each(planner),
            pool_slots: pool_slots(planner),
        },
        // It takes them as sort/interface.glsl has them.
        bytemuck::cast(parts.push(&pass.digit, &piece, (first_row, rows), options, planner.width)),
        planner.limits.fold(piece.parts)?,
        vec![keys, table, output, values, output_values]
    );
    planner.actions.push(action);
    Ok(())
}
