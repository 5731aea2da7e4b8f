//! The largest or smallest keys of rows, in order. See `docs/kernels/top_k.md`.

mod bindings;
mod host;
mod schedule;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use wavelane_device::{Capabilities, Quirk};

use crate::kernel::Kernel;
use crate::schedule::Schedule;
use crate::{DType, Error, OrderStrategy, Path, Tuning};

pub use bindings::TopKBindings;
pub use host::TopKeys;

/// The largest keys of each row, the largest first, or the smallest, the smallest first: those with which a stable sort that way begins, so that of equal keys the ones that stand first
/// are taken. All NaN are one and larger than everything else, -0 and +0 are one.
///
/// ```
/// use wavelane::{DType, TopK};
///
/// let best = TopK::new(DType::F32, &[1000], 10);
/// // Of each row the positions of the five nearest.
/// let nearest = TopK::positions(DType::F32, &[64, 100_000], 5).smallest();
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TopK {
    /// Type of the keys.
    pub dtype: DType,
    /// Lengths of the array's axes.
    pub shape: Vec<usize>,
    /// How many keys of each row: at most as many as it has.
    pub k: usize,
    /// Whether the smallest are wanted.
    pub smallest: bool,
    /// Whether the whole array is one row. Otherwise rows are along the last axis.
    pub flattened: bool,
    /// Whether the keys are wanted.
    pub keys: bool,
    /// Whether their positions in the row are wanted, as u32.
    pub positions: bool,
    /// The strategy to take; without one it follows from device and size.
    pub strategy: Option<OrderStrategy>,
}

impl TopK {
    /// The `k` largest keys along the last axis, and where they stand.
    pub fn new(dtype: DType, shape: &[usize], k: usize) -> Self {
        Self { dtype, shape: shape.to_vec(), k, smallest: false, flattened: false, keys: true, positions: true, strategy: None }
    }

    /// The positions of the `k` largest keys along the last axis, and not the keys.
    pub fn positions(dtype: DType, shape: &[usize], k: usize) -> Self {
        Self { keys: false, ..Self::new(dtype, shape, k) }
    }

    /// The smallest keys, the smallest first.
    pub fn smallest(mut self) -> Self {
        self.smallest = true;
        self
    }

    /// Takes the whole array as one row.
    pub fn flattened(mut self) -> Self {
        self.flattened = true;
        self
    }

    /// Leaves out where the keys stand.
    pub fn without_positions(mut self) -> Self {
        self.positions = false;
        self
    }

    /// Takes a strategy, where it is possible.
    pub fn with_strategy(mut self, strategy: OrderStrategy) -> Self {
        self.strategy = Some(strategy);
        self
    }

    /// The shape of the results: the array's, with k along the last axis; only k of an array that is one row.
    pub fn result_shape(&self) -> Vec<usize> {
        match self.shape.split_last() {
            Some((_, rows)) if !self.flattened => [rows, &[self.k]].concat(),
            _ => vec![self.k],
        }
    }

    /// The axis that rows are along, if it is not the whole array.
    fn axis(&self) -> Option<usize> {
        if self.flattened { None } else { self.shape.len().checked_sub(1) }
    }
}

impl Kernel for TopK {
    type Bindings<'a> = TopKBindings<'a>;

    fn schedule_tuned(
        &self,
        capabilities: &Capabilities,
        quirks: &[&'static Quirk],
        tuning: &Tuning,
        path: Option<Path>,
    ) -> Result<Schedule, Error> {
        match schedule::of(self, capabilities, quirks, tuning, path) {
            // What finds the keys and what sorts them take the same path. This one both can.
            Err(Error::PathUnavailable { .. }) if path.is_none() => {
                schedule::of(self, capabilities, quirks, tuning, Some(Path::SharedMemory))
            }
            known => known,
        }
    }
}
