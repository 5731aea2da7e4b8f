//! Set operations of sorted arrays. See `docs/kernels/set_operation.md`.

mod host;
mod marks;
mod planner;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use wavelane_device::{Capabilities, Quirk};
use wavelane_record::BufferRange;

use crate::kernel::{Bindings, Kernel};
use crate::schedule::{MOST_BUFFERS, Schedule};
use crate::{DType, Error, Path, Tuning};

use planner::Planner;

/// The schedule's buffers, in their order.
const FIRST: usize = 0;
const SECOND: usize = 1;
const OUTPUT: usize = 2;
const SCRATCH: usize = 3;
const FIRST_COUNT: usize = 4;
const SECOND_COUNT: usize = 5;
const FOUND: usize = 6;

/// What becomes of two sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SetOp {
    /// What is in either: `np.union1d`.
    Union,
    /// What is in both: `np.intersect1d`.
    Intersection,
    /// What is in the first and not in the second: `np.setdiff1d`.
    Difference,
    /// What is in one and not in the other: `np.setxor1d`.
    SymmetricDifference,
}

impl SetOp {
    /// Every operation.
    pub const ALL: [Self; 4] = [Self::Union, Self::Intersection, Self::Difference, Self::SymmetricDifference];

    /// Name on the command line, which is numpy's.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Union => "union1d",
            Self::Intersection => "intersect1d",
            Self::Difference => "setdiff1d",
            Self::SymmetricDifference => "setxor1d",
        }
    }
}

/// A set operation of two sorted arrays, in which elements may come several times: the results are sorted and each comes once, and it is left on the device how many there are. The order is that of [`crate::Sort`]: NaN come last, and -0 and
/// +0 are one. Of what is equal the first is the result, of the first array where both have it. No NaN is in two arrays, as none equals another; in one array they are one.
///
/// ```
/// use wavelane::{DType, SetOp, SetOperation};
///
/// let common = SetOperation::new(SetOp::Intersection, DType::U32, 1000, 300);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SetOperation {
    /// The operation.
    pub op: SetOp,
    /// Type of the elements.
    pub dtype: DType,
    /// Elements of the first array.
    pub first: usize,
    /// Elements of the second.
    pub second: usize,
    /// Whether the number of elements of the first array is read on the device, when the work runs; `first` is the most it can be then.
    pub counted_first: bool,
    /// The same of the second array.
    pub counted_second: bool,
}

impl SetOperation {
    /// Of arrays of so many elements.
    pub fn new(op: SetOp, dtype: DType, first: usize, second: usize) -> Self {
        Self { op, dtype, first, second, counted_first: false, counted_second: false }
    }

    /// Takes the numbers of elements of both arrays from buffers of the device when the work runs ([`SetOperationBindings::first_count`], [`SetOperationBindings::second_count`]).
    pub fn counted(mut self) -> Self {
        self.counted_first = true;
        self.counted_second = true;
        self
    }

    /// The most results that there can be.
    pub fn most_results(&self) -> usize {
        match self.op {
            SetOp::Union | SetOp::SymmetricDifference => self.first.saturating_add(self.second),
            SetOp::Intersection | SetOp::Difference => self.first,
        }
    }

    fn title(&self) -> String {
        let Self { op, dtype, first, second, counted_first, counted_second } = self;
        let what = match op {
            SetOp::Union => "union",
            SetOp::Intersection => "intersection",
            SetOp::Difference => "difference",
            SetOp::SymmetricDifference => "symmetric difference",
        };
        let count = match (counted_first, counted_second) {
            (false, false) => "",
            (true, false) => ", the first counted by the device",
            (false, true) => ", the second counted by the device",
            (true, true) => ", counted by the device",
        };
        format!("{what} of {first} and {second} {dtype}{count}")
    }
}

impl Kernel for SetOperation {
    type Bindings<'a> = SetOperationBindings<'a>;

    fn schedule_tuned(
        &self,
        capabilities: &Capabilities,
        quirks: &[&'static Quirk],
        tuning: &Tuning,
        path: Option<Path>,
    ) -> Result<Schedule, Error> {
        Planner::new(self, capabilities, quirks, tuning, path).schedule()
    }
}

/// The buffers of one recording of a [`SetOperation`].
#[derive(Clone, Copy, Debug)]
pub struct SetOperationBindings<'a> {
    /// The first sorted array.
    pub first: BufferRange<'a>,
    /// The second.
    pub second: BufferRange<'a>,
    /// Where the results go: room for [`SetOperation::most_results`]. What is behind the results stays as it was.
    pub output: BufferRange<'a>,
    /// The 4 bytes of how many results there are; written by a copy.
    pub found: BufferRange<'a>,
    /// Temporary memory; may be left out where there are no elements.
    pub scratch: Option<BufferRange<'a>>,
    /// The 4 bytes of the count of the first array's elements, where it is the device's.
    pub first_count: Option<BufferRange<'a>>,
    /// The same of the second array's.
    pub second_count: Option<BufferRange<'a>>,
}

impl<'a> Bindings<'a> for SetOperationBindings<'a> {
    fn ranges(&self) -> [Option<BufferRange<'a>>; MOST_BUFFERS] {
        let mut ranges = [None; MOST_BUFFERS];
        ranges[FIRST] = Some(self.first);
        ranges[SECOND] = Some(self.second);
        ranges[OUTPUT] = Some(self.output);
        ranges[SCRATCH] = self.scratch;
        ranges[FIRST_COUNT] = self.first_count;
        ranges[SECOND_COUNT] = self.second_count;
        ranges[FOUND] = Some(self.found);
        ranges
    }
}
