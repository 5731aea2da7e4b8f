//! A merge as a part of a schedule, its own kernel's or another's: two sorted arrays, what comes of them, and how.

use super::MergeStrategy;
use crate::compact::width::{Kind, Width};
use crate::elementwise::{Elementwise, array_bytes};
use crate::schedule::{COUNT_BYTES, Place, StepAction, StepRange};
use crate::{Error, Tuning};

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
