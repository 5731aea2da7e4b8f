//! Merges of sorted arrays. See `docs/kernels/merge.md`.

mod bindings;
mod host;
mod merging;
mod path;
mod planner;
mod ranks;
#[cfg(test)]
mod tests;
mod tiles;

use serde::{Deserialize, Serialize};
use wavelane_device::{Capabilities, Quirk};

use crate::kernel::Kernel;
use crate::schedule::Schedule;
use crate::sort::Payload;
use crate::{DType, Error, Path, Tuning};

pub use bindings::MergeBindings;
pub use host::Merged;
pub(crate) use merging::{Counts, Merging, Results};

use planner::Planner;

/// The merge of two arrays that are sorted into one: as `np.sort(np.concatenate([a, b]), kind="stable")` has it. Of equal elements those of the first array come first. The order is that of [`crate::Sort`]: NaN come last, and
/// all are one; -0 and +0 are one.
///
/// ```
/// use wavelane::{DType, Merge};
///
/// let times = Merge::new(DType::F32, 1000, 300).with_values(DType::U32);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Merge {
    /// Type of the keys.
    pub dtype: DType,
    /// Keys of the first array.
    pub first: usize,
    /// Keys of the second.
    pub second: usize,
    /// Whether both have the largest key first, and NaN before it.
    pub descending: bool,
    /// Whether the merged keys are wanted.
    pub keys: bool,
    /// What goes with each key. Positions are those in both arrays, one behind the other.
    pub payload: Payload,
    /// Whether the number of keys of the first array is read on the device, when the work runs; `first` is the most it can be then. What is behind as many results as there are is undefined.
    pub counted_first: bool,
    /// The same of the second array.
    pub counted_second: bool,
    /// The strategy to take; without one it follows from device and size.
    pub strategy: Option<MergeStrategy>,
}

/// How a merge is shared by invocations and workgroups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum MergeStrategy {
    /// Each has neighbouring results, and finds where in both arrays they begin: for devices that run on a processor. A binding has to reach across each array and the results.
    Path,
    /// Each workgroup has a tile of neighbouring results, which it merges in shared memory: for GPUs. A binding has to reach as far.
    Tiles,
    /// Each has a key, finds how many of the other array's come before it, and puts it there.
    Ranks,
}

impl Merge {
    /// Of ascending keys.
    pub fn new(dtype: DType, first: usize, second: usize) -> Self {
        Self {
            dtype,
            first,
            second,
            descending: false,
            keys: true,
            payload: Payload::None,
            counted_first: false,
            counted_second: false,
            strategy: None,
        }
    }

    /// The positions of the keys, and not the keys: where each is in both arrays, one behind the other.
    pub fn positions(dtype: DType, first: usize, second: usize) -> Self {
        Self { keys: false, payload: Payload::Positions, ..Self::new(dtype, first, second) }
    }

    /// Of arrays that have the largest key first.
    pub fn descending(mut self) -> Self {
        self.descending = true;
        self
    }

    /// Moves a value of this type with each key.
    pub fn with_values(mut self, dtype: DType) -> Self {
        self.payload = Payload::Values(dtype);
        self
    }

    /// Gives the position of each key, too.
    pub fn with_positions(mut self) -> Self {
        self.payload = Payload::Positions;
        self
    }

    /// Takes the numbers of keys of both arrays from buffers of the device when the work runs ([`MergeBindings::first_count`], [`MergeBindings::second_count`]). Positions count the keys of the first array that are there.
    pub fn counted(mut self) -> Self {
        self.counted_first = true;
        self.counted_second = true;
        self
    }

    /// Takes a strategy, where it is possible.
    pub fn with_strategy(mut self, strategy: MergeStrategy) -> Self {
        self.strategy = Some(strategy);
        self
    }

    fn title(&self) -> String {
        let Self { dtype, first, second, descending, keys, payload, counted_first, counted_second, .. } = self;
        let what = match (keys, payload) {
            (true, Payload::None) => "keys".to_owned(),
            (true, Payload::Values(values)) => format!("keys with values of {values}"),
            (true, Payload::Positions) => "keys with positions".to_owned(),
            (false, _) => "positions of keys".to_owned(),
        };
        let order = if *descending { ", the largest first" } else { "" };
        let count = match (counted_first, counted_second) {
            (false, false) => "",
            (true, false) => ", the first counted by the device",
            (false, true) => ", the second counted by the device",
            (true, true) => ", counted by the device",
        };
        format!("{what} of {first} and {second} {dtype}{order}{count}")
    }
}

impl Kernel for Merge {
    type Bindings<'a> = MergeBindings<'a>;

    fn schedule_tuned(
        &self,
        capabilities: &Capabilities,
        _quirks: &[&'static Quirk],
        tuning: &Tuning,
        path: Option<Path>,
    ) -> Result<Schedule, Error> {
        Planner::new(self, capabilities, tuning, path)?.schedule()
    }
}
