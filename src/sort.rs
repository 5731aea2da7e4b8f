//! Sorts: keys in order, and what belongs to each of them. See `docs/kernels/sort.md`.

mod bindings;
mod digits;
mod host;
mod lanes;
mod local;
mod onesweep;
mod parts;
mod planner;
mod segments;
mod sweep;
#[cfg(test)]
mod tests;
mod tiles;

use serde::{Deserialize, Serialize};
use wavelane_device::{Capabilities, Quirk};

use crate::kernel::Kernel;
use crate::schedule::Schedule;
use crate::{DType, Error, Path, Tuning};

pub use bindings::SortBindings;
pub use host::Sorted;

use planner::Planner;

/// Where a sort has its results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SortForm {
    /// In buffers of their own; the input stays as it is.
    #[default]
    OutOfPlace,
    /// Where the keys and values were.
    InPlace,
    /// In one of two buffers, as they come to be there: [`Sort::is_swapped`] says in which. It takes no scratch for keys or values.
    DoubleBuffer,
}

/// A stable sort of an array along an axis, by the radix of its keys: as `np.sort(kind="stable")` has it. NaN come last, and all are one; -0 and +0 are one.
///
/// ```
/// use wavelane::{DType, Sort};
///
/// let scores = Sort::new(DType::F32, &[1000]).descending().with_values(DType::U32);
/// // Of each row the positions that sort it, as `np.argsort(kind="stable")` gives them.
/// let order = Sort::positions(DType::F32, &[20, 1000]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Sort {
    /// Type of the keys.
    pub dtype: DType,
    /// Lengths of the array's axes.
    pub shape: Vec<usize>,
    /// The axis that is sorted along; without one the array is sorted as one row.
    pub axis: Option<usize>,
    /// Whether the largest key comes first, and NaN before it. Equal keys stay in their order.
    pub descending: bool,
    /// The bits that keys are compared by, from the first to before the second; all without. Of signed integers and floats these are bits of the unsigned number that has the key's place in the order.
    pub bits: Option<[u32; 2]>,
    /// Whether the sorted keys are wanted.
    pub keys: bool,
    /// How many segments of the array are sorted by themselves, where offsets tell of them.
    pub segments: Option<usize>,
    /// What moves with each key.
    pub payload: Payload,
    /// Where the results go.
    pub form: SortForm,
    /// Whether the number of keys along the axis is read on the device, when the work runs; the shape has the most it can be then. What is behind as many results is undefined.
    pub counted: bool,
    /// The strategy to take; without one it follows from the device.
    pub strategy: Option<SortStrategy>,
}

/// How the keys of a sort are shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SortStrategy {
    /// Each invocation has a part of the keys and counters of its own, and waits for none: for devices that run on a processor.
    Lanes,
    /// Each workgroup has a part of the keys, and sorts a tile of them at a time in shared memory: for GPUs.
    Tiles,
    /// All digits are counted at once, and in each pass a workgroup sorts one tile and looks back at what the tiles before it have counted: for long arrays on GPUs with large subgroups. Where the device is not known
    /// to go on with every workgroup that has begun, it is for short arrays alone.
    Onesweep,
    /// Each workgroup has rows that it has room for, and sorts them as a whole in shared memory, in one dispatch. Longer rows go by tiles.
    Local,
}

/// What moves with each key of a sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Payload {
    /// Nothing.
    None,
    /// A value of a type of 4 or 8 bytes.
    Values(DType),
    /// The key's position along the axis, or in its segment, as u32.
    Positions,
}

impl Sort {
    /// The ascending sort of keys: along the last axis, as numpy has it.
    pub fn new(dtype: DType, shape: &[usize]) -> Self {
        Self {
            dtype,
            shape: shape.to_vec(),
            axis: shape.len().checked_sub(1),
            descending: false,
            bits: None,
            keys: true,
            segments: None,
            payload: Payload::None,
            form: SortForm::OutOfPlace,
            counted: false,
            strategy: None,
        }
    }

    /// The positions of keys in ascending order, and not the keys.
    pub fn positions(dtype: DType, shape: &[usize]) -> Self {
        Self { keys: false, payload: Payload::Positions, ..Self::new(dtype, shape) }
    }

    /// Sorts along an axis.
    pub fn along(mut self, axis: usize) -> Self {
        self.axis = Some(axis);
        self
    }

    /// Sorts the whole array as one row.
    pub fn flattened(mut self) -> Self {
        self.axis = None;
        self
    }

    /// Sorts segments of the array, each by itself: key `offsets[k]` up to `offsets[k + 1]`, of so many segments ([`SortBindings::offsets`]). What is before the first and behind the last is undefined in the results.
    pub fn in_segments(mut self, segments: usize) -> Self {
        self.axis = None;
        self.segments = Some(segments);
        self
    }

    /// The largest key first.
    pub fn descending(mut self) -> Self {
        self.descending = true;
        self
    }

    /// Moves a value of this type with each key.
    pub fn with_values(mut self, dtype: DType) -> Self {
        self.payload = Payload::Values(dtype);
        self
    }

    /// Gives the position of each key along the axis, too.
    pub fn with_positions(mut self) -> Self {
        self.payload = Payload::Positions;
        self
    }

    /// Compares keys by their bits from `begin` to before `end` alone.
    pub fn by_bits(mut self, begin: u32, end: u32) -> Self {
        self.bits = Some([begin, end]);
        self
    }

    /// Leaves the results where the keys and values were.
    pub fn in_place(mut self) -> Self {
        self.form = SortForm::InPlace;
        self
    }

    /// Goes from one buffer to the other and back, and leaves the results where they come to be.
    pub fn double_buffered(mut self) -> Self {
        self.form = SortForm::DoubleBuffer;
        self
    }

    /// Takes the number of keys along the axis from a buffer of the device when the work runs ([`SortBindings::count`]).
    pub fn counted(mut self) -> Self {
        self.counted = true;
        self
    }

    /// Takes a strategy, where it is possible.
    pub fn with_strategy(mut self, strategy: SortStrategy) -> Self {
        self.strategy = Some(strategy);
        self
    }

    /// Whether a double-buffered sort leaves its results in the second buffers: those of the outputs.
    ///
    /// # Errors
    /// As [`Kernel::schedule`] for bits that keys do not have.
    pub fn is_swapped(&self) -> Result<bool, Error> {
        Ok(self.form == SortForm::DoubleBuffer && self.digits()?.len() % 2 == 1)
    }
}

impl Kernel for Sort {
    type Bindings<'a> = SortBindings<'a>;

    fn schedule_tuned(
        &self,
        capabilities: &Capabilities,
        quirks: &[&'static Quirk],
        tuning: &Tuning,
        path: Option<Path>,
    ) -> Result<Schedule, Error> {
        Planner::new(self, capabilities, quirks, tuning, path)?.schedule()
    }
}
