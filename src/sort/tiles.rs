//! Digits moved by workgroups that sort a tile at a time in shared memory: `glsl/sort/tiles.comp`.

use super::digits::DIGIT_BITS;
use super::parts::{Parts, Work, Worker};
use super::planner::{EXCHANGE, Planner};
use super::sweep;
use crate::compact::width::Width;
use crate::layout::Layout;
use crate::schedule::{StepAction, dispatch};
use crate::select::subgroup_size;
use crate::{Error, PathChoice, PathNeeds, Tuning};
use wavelane_device::Capabilities;

/// Keys of an invocation in a tile: as many bytes for keys of 8 bytes as for others. At most `MOST_KEYS` of the shader.
pub(super) fn keys_each(width: Width) -> u32 {
    if width == Width::W64 { 8 } else { 16 }
}

/// Keys of a tile.
pub(super) fn tile(width: Width, choice: &PathChoice) -> u64 {
    u64::from(choice.workgroup_size * keys_each(width))
}

/// Words that a word for each of so many keys takes in shared memory: one is left out behind sixteen (`tile_slot`).
pub(super) fn slots(keys: u32) -> u32 {
    keys + keys.div_ceil(16)
}

/// Words of an invocation's counters, and of one that is left out in eight.
pub(super) const COUNTER_WORDS: u32 = 9;

/// The fewest lanes of subgroups whose counters of a digit have room.
pub(super) const BALLOT_LANES: u32 = 16;

/// Words that counters take for each invocation: those of subgroups that are known to be large may be more.
fn counter_words(capabilities: &Capabilities) -> u32 {
    let lanes = subgroup_size(capabilities);
    if lanes >= BALLOT_LANES { COUNTER_WORDS.max((1 << DIGIT_BITS) / lanes) } else { COUNTER_WORDS }
}

/// Words of places, beginnings and ends of a digit's values.
const VALUE_SLOTS: u32 = 3 << 8;

/// The most tiles of a part, which bounds the loops of an invocation.
const MOST_TILES: u64 = 512;

/// Shared memory that a tile should stay within: a good twice what other kernels take, as neighbours in the results come from one tile.
pub(super) fn shared_bytes(tuning: &Tuning) -> u32 {
    tuning.shared_memory_budget / 4 * 9
}

/// What a tile takes of shared memory.
pub(super) fn needs(capabilities: &Capabilities, width: Width, has_values: bool) -> PathNeeds {
    let exchange = EXCHANGE.needs();
    let keys = slots(keys_each(width)) * words(width);
    let from = if has_values { slots(keys_each(width)) } else { 0 };
    PathNeeds {
        shared_words: exchange.shared_words + keys + from + counter_words(capabilities),
        shared_words_beside: exchange.shared_words_beside + VALUE_SLOTS + 3,
        ballots: true,
        ..exchange
    }
}

/// Words of a key.
pub(super) fn words(width: Width) -> u32 {
    if width == Width::W64 { 2 } else { 1 }
}

/// Whether there are workgroups enough for a row each, so that none needs a table.
pub(super) fn has_rows_enough(tuning: &Tuning, width: Width, layout: &Layout) -> bool {
    let most = MOST_TILES * u64::from(tuning.workgroup_size * keys_each(width));
    layout.results() >= u64::from(tuning.fill_workgroups) / 4 && layout.count <= most
}

/// Shares keys of so many bytes.
pub(super) fn parts(planner: &Planner<'_>, key_bytes: u64) -> Result<Parts, Error> {
    let needs = if planner.sweeps { sweep::needs() } else { needs(planner.limits.capabilities, planner.width, planner.value_words > 0) };
    let (taken, most) = (
        4 * (needs.shared_words * planner.choice.workgroup_size + needs.shared_words_beside),
        planner.limits.capabilities.limits.max_compute_shared_memory_size,
    );
    if taken > most {
        let limit = format!("maxComputeSharedMemorySize is {most}");
        return Err(planner.limits.unplannable(format!("a tile of {taken} bytes of shared memory"), limit));
    }
    let (rows, row_length) = (planner.layout.results(), planner.layout.count);
    let size = u64::from(planner.choice.workgroup_size);
    let keys_each = u64::from(if planner.sweeps { sweep::keys_each(planner) } else { keys_each(planner.width) });
    let digit_bits = planner.sort.digit_bits();
    let tile = size * keys_each;
    if !planner.sweeps && row_length <= MOST_TILES * tile && has_rows_enough(planner.tuning, planner.width, &planner.layout) {
        return Ok(Parts {
            worker: Worker::Workgroup { keys_each },
            rows,
            row_length,
            inner: planner.layout.inner,
            parts: 1,
            part_length: row_length,
            chunk: rows,
            digit_bits,
            by_rows: true,
        });
    }
    let budget = Parts::budget(planner, key_bytes, digit_bits);
    let fill = u64::from(planner.tuning.fill_workgroups);
    let parts = fill.div_ceil(rows).min(row_length.div_ceil(tile)).min(budget.saturating_sub(1)).max(1);
    let part_length = row_length.div_ceil(parts).next_multiple_of(tile).min(MOST_TILES * tile);
    let parts = Parts {
        worker: Worker::Workgroup { keys_each },
        rows,
        row_length,
        inner: planner.layout.inner,
        parts: 1,
        part_length,
        chunk: rows,
        digit_bits,
        by_rows: false,
    };
    parts.in_chunks(planner, budget)
}

/// One dispatch.
pub(super) fn action(work: Work, keys_each: u64, digit_bits: u32, planner: &Planner<'_>) -> Result<StepAction, Error> {
    let size = planner.choice.workgroup_size;
    let tile = size * keys_each as u32;
    Ok(dispatch!(
        sort::tiles,
        planner.width.module(planner.choice.path),
        shader::SpecializationConstants {
            workgroup_size: size,
            stage: work.stage,
            digit_bits,
            counter_slots: counter_words(planner.limits.capabilities) * size,
            value_words: work.value_words,
            exchange_slots: EXCHANGE.slots(&planner.choice),
            keys_each: keys_each as u32,
            key_slots: slots(tile) * words(planner.width),
            from_slots: if work.value_words > 0 { slots(tile) } else { 1 },
            in_segments: u32::from(planner.sort.segments.is_some()),
            by_ballot: u32::from(subgroup_size(planner.limits.capabilities) >= BALLOT_LANES),
        },
        // Both kernels take them as sort/interface.glsl has them.
        bytemuck::cast(work.push),
        planner.limits.fold(work.parts)?,
        work.bindings
    ))
}
