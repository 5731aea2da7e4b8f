//! Digits moved by invocations that have nothing to do with each other: `glsl/sort/lanes.comp`.

use super::parts::{Parts, Work, Worker};
use super::planner::Planner;
use crate::Error;
use crate::schedule::{StepAction, dispatch};

/// The most invocations of a workgroup: their counters take 1 KiB each, and should stay in a processor's cache.
const MOST_LANES: u64 = 8;

/// Workgroups of all parts together, where there are keys enough: a few for each core of a processor.
const WORKGROUPS: u64 = 16;

/// Keys that are worth a part of their own: as many as a part has counters.
const KEYS_EACH: u64 = 256;

/// The longest row that one invocation counts and moves, where there are enough of them: it goes through it twice, see [`MOST_ROUNDS`].
const MOST_OF_ROW: u64 = 28_000;

/// Rounds of an invocation's loops, of which llvmpipe does 65535 in all; those over the counters are among them.
const MOST_ROUNDS: u64 = 60_000;

/// Shares keys of so many bytes.
pub(super) fn parts(planner: &Planner<'_>, key_bytes: u64) -> Result<Parts, Error> {
    let limits = &planner.limits.capabilities.limits;
    let digit_bits = planner.sort.digit_bits();
    let line = 4 << digit_bits;
    let shared = u64::from(planner.tuning.shared_memory_budget.min(limits.max_compute_shared_memory_size)) / line;
    let most = u64::from(limits.max_compute_work_group_invocations.min(limits.max_compute_work_group_size[0])).min(shared).min(MOST_LANES);
    if most == 0 {
        let limit = format!("maxComputeSharedMemorySize is {}", limits.max_compute_shared_memory_size);
        return Err(planner.limits.unplannable(format!("a sort that counts in {line} bytes"), limit));
    }
    let lanes = 1 << most.ilog2();
    let (rows, row_length) = (planner.layout.results(), planner.layout.count);
    let whole = Parts {
        worker: Worker::Lane { lanes },
        rows,
        row_length,
        inner: planner.layout.inner,
        parts: 1,
        part_length: row_length,
        chunk: rows,
        digit_bits,
        by_rows: true,
    };
    let budget = Parts::budget(planner, key_bytes, digit_bits);
    let parts = (WORKGROUPS * lanes).div_ceil(rows).min(row_length / KEYS_EACH).min(budget.saturating_sub(1)).max(1);
    if parts == 1 && row_length <= MOST_OF_ROW {
        return Ok(whole);
    }
    let grain = planner.width.per_wide_load();
    // A round is a wide load, or a key where rows do not begin with one.
    let is_aligned = whole.inner == 1 && (rows == 1 || row_length.is_multiple_of(grain));
    let part_length = row_length.div_ceil(parts).next_multiple_of(grain).min(MOST_ROUNDS * if is_aligned { grain } else { 1 });
    Parts { part_length, ..whole }.in_chunks(planner, budget)
}

/// One dispatch.
pub(super) fn action(work: Work, lanes: u64, digit_bits: u32, planner: &Planner<'_>) -> Result<StepAction, Error> {
    Ok(dispatch!(
        sort::lanes,
        planner.width.name().into(),
        shader::SpecializationConstants {
            workgroup_size: lanes as u32,
            stage: work.stage,
            digit_bits,
            counter_slots: (lanes << digit_bits) as u32,
            value_words: work.value_words,
        },
        work.push,
        planner.limits.fold(work.parts.div_ceil(lanes))?,
        work.bindings
    ))
}
