//! Sorts of arrays in host memory, in one call.

use super::bindings::{INPUT, OUTPUT, OUTPUT_VALUES, VALUES};
use super::{Payload, Sort, SortForm};
use crate::context::check_input;
use crate::kernel::Plan;
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
    /// [`Error::InputMismatch`] if `keys` is not what `sort` describes, or `values` are not of its type and shape; what [`crate::Kernel::plan`] says; memory, submission, device loss.
    pub fn sort(&self, sort: &Sort, keys: &Tensor, values: Option<&Tensor>) -> Result<Outcome<Plan<Sort>, Sorted>, Error> {
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
            let empty = Tensor::new(dtype, vec![0], Vec::new())?;
            check_input((dtype, &sort.shape), values.unwrap_or(&empty))?;
        }
        let given = if sort.payload == Payload::Positions { None } else { values };
        let sort = Sort { counted: false, form: SortForm::OutOfPlace, ..sort.clone() };
        let elements = sort.shape.iter().product::<usize>() as u64;
        let uploads = [(INPUT, keys.bytes()), (VALUES, given.map_or(&[][..], Tensor::bytes))];
        self.run(&sort, &uploads, |downloads| {
            let mut of =
                |buffer: usize, dtype: DType| Tensor::new(dtype, sort.shape.clone(), downloads.bytes(buffer, elements * dtype.size())?);
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
