//! What a merge does on a device, as a kernel of its own and as a part of another.

use wavelane_device::Capabilities;

use super::bindings::{FIRST, FIRST_COUNT, FIRST_VALUES, OUTPUT, OUTPUT_VALUES, SCRATCH, SECOND, SECOND_COUNT, SECOND_VALUES};
use super::{Merge, MergeStrategy};
use crate::compact::width::{Kind, Width};
use crate::elementwise::{Elementwise, array_bytes};
use crate::layout::Layout;
use crate::schedule::{BufferNeed, BufferUse, COUNT_BYTES, Place, Schedule, ScheduleParts, StepAction, StepRange};
use crate::sort::Payload;
use crate::{Error, Path, Tuning};

/// Bits of `options` (`OPTION_*` in `glsl/merge/interface.glsl`).
pub(super) const DESCENDING: u32 = 1;
const COUNTED_FIRST: u32 = 2;
const COUNTED_SECOND: u32 = 4;
pub(super) const NUMBERS: u32 = 8;
pub(super) const PLANNED_NUMBERS: u32 = 16;
pub(super) const SECOND_ELEMENTS: u32 = 32;
const KIND_SHIFT: u32 = 8;

/// Two words that the device counted: keys of the first array, and of the second; and which of them are looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counts {
    pub(crate) place: Place,
    pub(crate) first: bool,
    pub(crate) second: bool,
}

impl Counts {
    /// Bytes of both words.
    pub(crate) const BYTES: u64 = 2 * COUNT_BYTES;

    pub(crate) fn bytes(self) -> (usize, StepRange) {
        self.place.bytes(StepRange::first(Self::BYTES))
    }
}

/// Two sorted arrays.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Merging {
    pub(crate) width: Width,
    pub(crate) kind: Kind,
    pub(crate) descending: bool,
    /// How many keys each has, at most, and where they are.
    pub(crate) lengths: [u64; 2],
    pub(crate) arrays: [Place; 2],
    pub(crate) counts: Option<Counts>,
}

/// What goes where.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Results {
    pub(crate) keys: Option<Place>,
    pub(crate) payload: Option<Carried>,
}

/// What goes with keys.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Carried {
    Positions { to: Place },
    Values { words: u64, from: [Place; 2], to: Place },
}

impl Results {
    /// Keys alone.
    pub(crate) fn keys(to: Place) -> Self {
        Self { keys: Some(to), payload: None }
    }

    /// Bytes of the widest element that is moved, of keys of so many.
    fn widest(self, key: u64) -> u64 {
        match self.payload {
            None => key,
            Some(Carried::Positions { .. }) => key.max(4),
            // The positions that values are taken by have 4 bytes.
            Some(Carried::Values { words, .. }) => key.max(4 * words),
        }
    }
}

impl Merging {
    pub(crate) fn results(&self) -> u64 {
        self.lengths[0] + self.lengths[1]
    }

    /// The options that all dispatches have.
    pub(super) fn options(&self) -> u32 {
        let counted = |of: fn(Counts) -> bool| self.counts.is_some_and(of);
        (self.kind as u32) << KIND_SHIFT
            | if self.descending { DESCENDING } else { 0 }
            | if counted(|counts| counts.first) { COUNTED_FIRST } else { 0 }
            | if counted(|counts| counts.second) { COUNTED_SECOND } else { 0 }
    }

    /// The strategy: the one that was asked for, if bindings reach as far.
    pub(crate) fn strategy(
        &self,
        results: Results,
        wanted: Option<MergeStrategy>,
        tuning: &Tuning,
        device: &Elementwise<'_>,
    ) -> Result<MergeStrategy, Error> {
        let has_tiles = self.tile(tuning, device).is_some();
        let reaches = array_bytes(self.results(), results.widest(self.width.bytes())) <= device.limits.reach();
        match wanted {
            Some(MergeStrategy::Path | MergeStrategy::Tiles) if !reaches => Err(Error::StrategyUnavailable {
                strategy: "a merge along its path",
                obstacle: "a descriptor of this device does not reach across the results",
            }),
            Some(MergeStrategy::Tiles) if !has_tiles => Err(Error::StrategyUnavailable {
                strategy: "a merge by tiles",
                obstacle: "a workgroup of this device has not enough shared memory for one",
            }),
            Some(strategy) => Ok(strategy),
            None if !reaches => Ok(MergeStrategy::Ranks),
            None => Ok(if tuning.sort_by_lanes || !has_tiles { MergeStrategy::Path } else { MergeStrategy::Tiles }),
        }
    }

    /// Bytes of temporary memory.
    pub(crate) fn scratch_bytes(&self, results: Results, strategy: MergeStrategy, device: &Elementwise<'_>) -> u64 {
        let [first, second] = self.lengths;
        match (strategy, results.payload) {
            (MergeStrategy::Path | MergeStrategy::Tiles, Some(Carried::Values { .. })) => 4 * (first + second),
            (MergeStrategy::Path | MergeStrategy::Tiles, _) => 0,
            (MergeStrategy::Ranks, _) => (4 * first).next_multiple_of(device.limits.alignment()) + 4 * second,
        }
    }

    /// Adds the steps; `scratch` has [`Merging::scratch_bytes`].
    pub(crate) fn record(
        &self,
        results: Results,
        strategy: MergeStrategy,
        scratch: Place,
        (tuning, device): (&Tuning, &Elementwise<'_>),
        actions: &mut Vec<StepAction>,
    ) -> Result<(), Error> {
        // Whoever has tiles has room for one.
        let tile = if strategy == MergeStrategy::Tiles { self.tile(tuning, device) } else { None };
        match strategy {
            _ if self.results() == 0 => Ok(()),
            MergeStrategy::Path | MergeStrategy::Tiles => self.along_path(results, tile, scratch, device, actions),
            MergeStrategy::Ranks => self.by_ranks(results, scratch, device, actions),
        }
    }
}

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
