//! What a merge does on a device, as a kernel of its own.

use wavelane_device::Capabilities;

use super::bindings::{FIRST, FIRST_COUNT, FIRST_VALUES, OUTPUT, OUTPUT_VALUES, SCRATCH, SECOND, SECOND_COUNT, SECOND_VALUES};
use super::merging::{Carried, Counts, Merging, Results};
use super::{Merge, MergeStrategy};
use crate::compact::width::{Kind, Width};
use crate::elementwise::Elementwise;
use crate::layout::Layout;
use crate::schedule::{BufferNeed, BufferUse, COUNT_BYTES, Place, Schedule, ScheduleParts, StepAction, StepRange};
use crate::sort::Payload;
use crate::{Error, Path, Tuning};

/// A schedule in the making.
pub(super) struct Planner<'a> {
    merge: &'a Merge,
    tuning: &'a Tuning,
    device: Elementwise<'a>,
    merging: Merging,
    results: Results,
    value_bytes: u64,
    counts_bytes: u64,
}

impl<'a> Planner<'a> {
    pub(super) fn new(merge: &'a Merge, capabilities: &'a Capabilities, tuning: &'a Tuning, path: Option<Path>) -> Result<Self, Error> {
        let lengths = [merge.first as u64, merge.second as u64];
        // Results are counted in 32 bits, and so is each array.
        Layout::of(&[merge.first.saturating_add(merge.second)], None)?;
        let to = Place::start(OUTPUT_VALUES);
        let payload = match merge.payload {
            Payload::None => None,
            Payload::Positions => Some(Carried::Positions { to }),
            Payload::Values(dtype) if dtype.size() >= 4 => {
                Some(Carried::Values { words: dtype.size() / 4, from: [FIRST_VALUES, SECOND_VALUES].map(Place::start), to })
            }
            Payload::Values(dtype) => return Err(Error::MergeValues { dtype }),
        };
        let value_bytes = match payload {
            None => 0,
            Some(Carried::Positions { .. }) => 4,
            Some(Carried::Values { words, .. }) => 4 * words,
        };
        // What is empty has no count that matters.
        let (first, second) = (merge.counted_first && lengths[0] > 0, merge.counted_second && lengths[1] > 0);
        let counts = (first || second).then_some(Counts { place: Place::start(SCRATCH), first, second });
        let merging = Merging {
            width: Width::of(merge.dtype),
            kind: Kind::of(merge.dtype),
            descending: merge.descending,
            lengths,
            arrays: [FIRST, SECOND].map(Place::start),
            counts,
        };
        let results = Results { keys: merge.keys.then_some(Place::start(OUTPUT)), payload };
        let device = Elementwise::because("nothing is exchanged but in shared memory, so there is one path", capabilities, tuning, path);
        let counts_bytes = if counts.is_some() { Counts::BYTES } else { 0 };
        Ok(Self { merge, tuning, device, merging, results, value_bytes, counts_bytes })
    }

    pub(super) fn schedule(self) -> Result<Schedule, Error> {
        let Self { merge, tuning, device, merging, results, value_bytes, counts_bytes } = self;
        let [first, second] = merging.lengths;
        let total = first + second;
        let strategy = merging.strategy(results, merge.strategy, tuning, &device)?;
        let mut actions = Vec::new();
        let (counted_first, counted_second) = merging.counts.map_or((false, false), |counts| (counts.first, counts.second));
        for (word, buffer, used) in [(0, FIRST_COUNT, counted_first), (1, SECOND_COUNT, counted_second)] {
            let range = StepRange { offset: word * COUNT_BYTES, size: COUNT_BYTES };
            actions.extend(used.then_some(StepAction::Copy { from: buffer, from_offset: 0, to: SCRATCH, range }));
        }
        let own = merging.scratch_bytes(results, strategy, &device);
        let offset = counts_bytes.next_multiple_of(device.limits.alignment());
        merging.record(results, strategy, Place { buffer: SCRATCH, offset }, (tuning, &device), &mut actions)?;
        let scratch = if own > 0 { offset + own } else { counts_bytes };
        let key = merging.width.bytes();
        let need = |name, usage, count, size| device.need(name, usage, count, size);
        let values = |count: u64| if matches!(results.payload, Some(Carried::Values { .. })) { count } else { 0 };
        let count = |name, used: bool| BufferNeed { alignment: COUNT_BYTES, ..need(name, BufferUse::Input, u64::from(used), COUNT_BYTES) };
        let parts = ScheduleParts {
            kernel: "merge",
            title: merge.title(),
            strategy: match strategy {
                _ if total == 0 => "there are no keys".into(),
                MergeStrategy::Path => format!("along the merge path, {} results an invocation", super::path::RESULTS_EACH),
                MergeStrategy::Tiles => {
                    let tile = merging.tile(tuning, &device).unwrap_or(0) * u64::from(device.choice.workgroup_size);
                    format!("along the merge path, tiles of {tile} results a workgroup")
                }
                MergeStrategy::Ranks => "by ranks: each key is searched for in the other array, and put in its place".into(),
            },
            buffers: vec![
                need("first", BufferUse::Input, first, key),
                need("second", BufferUse::Input, second, key),
                need("output", BufferUse::Output, if merge.keys { total } else { 0 }, key),
                need("scratch", BufferUse::Scratch, scratch, 1),
                count("first count", counted_first),
                count("second count", counted_second),
                need("first values", BufferUse::Input, values(first), value_bytes),
                need("second values", BufferUse::Input, values(second), value_bytes),
                need("output values", BufferUse::Output, total, value_bytes),
            ],
            bytes_moved: bytes_moved(strategy, total, key, &results),
            choice: device.choice,
            actions,
        };
        Schedule::new(parts, device.limits)
    }
}

/// Keys, values and what helps to move them, each as often as it is read or written.
fn bytes_moved(strategy: MergeStrategy, total: u64, key: u64, results: &Results) -> u64 {
    let keys = if results.keys.is_some() { 2 * key } else { 0 };
    let (positions, values) = match results.payload {
        None => (false, 0),
        Some(Carried::Positions { .. }) => (true, 4),
        Some(Carried::Values { words, .. }) => (true, 8 * words),
    };
    let each = match strategy {
        MergeStrategy::Path | MergeStrategy::Tiles => {
            keys + if positions { key } else { 0 } + values + if matches!(results.payload, Some(Carried::Values { .. })) { 8 } else { 0 }
        }
        // Keys are searched for and looked at, and ranks are read for everything that is put in its place.
        MergeStrategy::Ranks => 2 * key + 4 + keys + values + 4 * (u64::from(results.keys.is_some()) + u64::from(positions)),
    };
    total * each
}
