//! The elements that are selected, and behind them the others.

use serde::{Deserialize, Serialize};
use wavelane_device::{Capabilities, Quirk};

use super::condition::Condition;
use super::pass::Keep;
use super::planner::{INPUT, OUTPUT, SELECTED};
use super::rows::InRows;
use super::selection::{MASK, OFFSETS, SelectBindings, Work, check_elements, host_mask};
use crate::kernel::{Kernel, Plan};
use crate::schedule::Schedule;
use crate::{Context, DType, Error, Outcome, Path, ScanStrategy, Tensor, Tuning};

/// The elements that meet a condition and behind them the others, both in their order, and how many do.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Partition {
    /// What comes first.
    pub condition: Condition,
    /// Type of the elements.
    pub dtype: DType,
    /// Elements of the input.
    pub len: usize,
    /// Whether the number of elements is read on the device, when the work runs; `len` is the most it can be then.
    pub counted: bool,
    /// The strategy to take; without one it follows from device and size. There is no single pass: where the others go is known only when all are counted. Rows are counted
    /// by any strategy.
    pub strategy: Option<ScanStrategy>,
    /// Elements of a row, if the array is one of rows, each of which is treated by itself.
    pub row_length: Option<usize>,
}

impl Partition {
    /// The partition of all elements.
    pub fn new(condition: Condition, dtype: DType, len: usize) -> Self {
        Self { condition, dtype, len, counted: false, strategy: None, row_length: None }
    }

    /// Takes the number of elements from a buffer of the device when the work runs ([`SelectBindings::count`]).
    pub fn counted(mut self) -> Self {
        self.counted = true;
        self
    }

    /// Takes a strategy, where it is possible.
    pub fn with_strategy(mut self, strategy: ScanStrategy) -> Self {
        self.strategy = Some(strategy);
        self
    }

    /// Takes the array as rows of so many elements, and leaves the elements in their rows: in each those that are selected come first. The differences of
    /// [`SelectBindings::offsets`] tell how many those are.
    pub fn in_rows(mut self, row_length: usize) -> Self {
        self.row_length = Some(row_length);
        self
    }
}

impl Kernel for Partition {
    type Bindings<'a> = SelectBindings<'a>;

    fn schedule_tuned(
        &self,
        capabilities: &Capabilities,
        quirks: &[&'static Quirk],
        tuning: &Tuning,
        path: Option<Path>,
    ) -> Result<Schedule, Error> {
        let Self { condition, dtype, len, counted, strategy, row_length } = *self;
        let title = format!("elements {} before the others", condition.words());
        let work = Work { kernel: "partition", title, condition, dtype, len, keep: Keep::Partition, counted, strategy, row_length };
        work.schedule(capabilities, quirks, tuning, path)
    }
}

impl Context {
    /// The elements of an array, those that are selected first, and how many those are; whether or not the partition is counted. `mask` has the bytes of a mask, if the condition
    /// is one: a u32 or a byte for each element.
    ///
    /// # Errors
    /// As [`Context::select`].
    pub fn partition(
        &self,
        partition: &Partition,
        input: &Tensor,
        mask: Option<&[u8]>,
    ) -> Result<Outcome<Plan<Partition>, (Tensor, u32)>, Error> {
        let Partition { dtype, len, .. } = *partition;
        check_elements(dtype, len, input)?;
        let mask = host_mask(partition.condition, len, mask)?;
        let partition = Partition { counted: false, ..partition.clone() };
        self.run(&partition, &[(INPUT, input.bytes()), (MASK, &mask)], |downloads| {
            let parted = Tensor::new(dtype, vec![len], downloads.bytes(OUTPUT, len as u64 * dtype.size())?)?;
            Ok((parted, downloads.word(SELECTED)?))
        })
    }

    /// The elements of each row, those that are selected first, and how many are selected before each row: the differences of those are how many each has. An array that is not
    /// described in rows is one row.
    ///
    /// # Errors
    /// As [`Context::select_in_rows`].
    pub fn partition_in_rows(
        &self,
        partition: &Partition,
        input: &Tensor,
        mask: Option<&[u8]>,
    ) -> Result<Outcome<Plan<Partition>, InRows>, Error> {
        let Partition { dtype, len, .. } = *partition;
        check_elements(dtype, len, input)?;
        let mask = host_mask(partition.condition, len, mask)?;
        let partition = Partition { counted: false, row_length: partition.row_length.or(Some(len)), ..partition.clone() };
        self.run(&partition, &[(INPUT, input.bytes()), (MASK, &mask)], |downloads| {
            let results = Tensor::new(dtype, vec![len], downloads.bytes(OUTPUT, len as u64 * dtype.size())?)?;
            Ok(InRows { results, offsets: downloads.words(OFFSETS)? })
        })
    }
}
