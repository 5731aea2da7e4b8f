//! Sorts of arrays in host memory, in one call.

use super::bindings::{INPUT, OFFSETS, OUTPUT, OUTPUT_VALUES, VALUES};
use super::{Payload, Sort, SortForm};
use crate::context::check_input;
use crate::kernel::Plan;
use crate::offsets::{check_offsets, told};
use crate::{Context, DType, Error, Outcome, Tensor};

/// The results of a [`Sort`].
#[derive(Clone, Debug, PartialEq)]
pub struct Sorted {
    /// The keys in order, if they are wanted.
    pub keys: Option<Tensor>,
    /// The values or positions, in the order of their keys, if there are any.
    pub values: Option<Tensor>,
}

impl Context {
    /// Sorts keys and what moves with them, whatever the form, and whether or not the sort is counted.
    ///
    /// # Errors
    /// [`Error::InputMismatch`] if `keys` is not what `sort` describes, or `values` are not of its type and shape; [`Error::InputMissing`] if they are left out; what [`crate::Kernel::plan`] says; memory, submission, device loss.
    pub fn sort(&self, sort: &Sort, keys: &Tensor, values: Option<&Tensor>) -> Result<Outcome<Plan<Sort>, Sorted>, Error> {
        self.sort_told(sort, keys, values, None)
    }

    /// [`Context::sort`] of segments ([`Sort::in_segments`]): `offsets` has one more u32 than there are. Keys and values outside of all segments are undefined in the results.
    ///
    /// # Errors
    /// As [`Context::sort`], and [`Error::Offsets`] for offsets that do not ascend or go beyond the last key.
    pub fn sort_in_segments(
        &self,
        sort: &Sort,
        keys: &Tensor,
        values: Option<&Tensor>,
        offsets: &Tensor,
    ) -> Result<Outcome<Plan<Sort>, Sorted>, Error> {
        self.sort_told(sort, keys, values, Some(offsets))
    }

    fn sort_told(
        &self,
        sort: &Sort,
        keys: &Tensor,
        values: Option<&Tensor>,
        offsets: Option<&Tensor>,
    ) -> Result<Outcome<Plan<Sort>, Sorted>, Error> {
        check_input((sort.dtype, &sort.shape), keys)?;
        let moved = match sort.payload {
            Payload::None => None,
            Payload::Positions => Some(DType::U32),
            Payload::Values(dtype) => Some(dtype),
        };
        if let Payload::Values(dtype) = sort.payload {
            if dtype.size() < 4 {
                return Err(Error::SortValues { dtype });
            }
            let missing = || Error::InputMissing { expected: format!("values of {dtype} {:?}", sort.shape) };
            check_input((dtype, &sort.shape), values.ok_or_else(missing)?)?;
        }
        let elements = sort.shape.iter().product::<usize>();
        if let Some(segments) = sort.segments {
            check_offsets(told("offsets", offsets)?, segments.saturating_add(1), elements)?;
        }
        let given = if sort.payload == Payload::Positions { None } else { values };
        let sort = Sort { counted: false, form: SortForm::OutOfPlace, ..sort.clone() };
        let told = offsets.filter(|_| sort.segments.is_some());
        let uploads =
            [(INPUT, keys.bytes()), (VALUES, given.map_or(&[][..], Tensor::bytes)), (OFFSETS, told.map_or(&[][..], Tensor::bytes))];
        self.run(&sort, &uploads, |downloads| {
            let mut of = |buffer: usize, dtype: DType| {
                Tensor::new(dtype, sort.shape.clone(), downloads.bytes(buffer, elements as u64 * dtype.size())?)
            };
            let keys = if sort.keys { Some(of(OUTPUT, sort.dtype)?) } else { None };
            Ok(Sorted { keys, values: moved.map(|dtype| of(OUTPUT_VALUES, dtype)).transpose()? })
        })
    }

    /// The positions that sort an array along its last axis, as u32: as `np.argsort(kind="stable")` has them.
    ///
    /// # Errors
    /// As [`Context::sort`].
    pub fn argsort(&self, keys: &Tensor) -> Result<Outcome<Plan<Sort>>, Error> {
        let Outcome { tensor, plan, gpu_time_ns, bytes_moved } = self.sort(&Sort::positions(keys.dtype(), keys.shape()), keys, None)?;
        let tensor = tensor.values.map_or_else(|| Tensor::new(DType::U32, keys.shape().to_vec(), Vec::new()), Ok)?;
        Ok(Outcome { tensor, plan, gpu_time_ns, bytes_moved })
    }
}
