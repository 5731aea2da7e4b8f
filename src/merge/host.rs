//! Merges of arrays in host memory, in one call.

use super::Merge;
use super::bindings::{FIRST, FIRST_VALUES, OUTPUT, OUTPUT_VALUES, SECOND, SECOND_VALUES};
use crate::context::check_input;
use crate::kernel::Plan;
use crate::sort::Payload;
use crate::{Context, DType, Error, Outcome, Tensor};

/// The results of a [`Merge`].
#[derive(Clone, Debug, PartialEq)]
pub struct Merged {
    /// The keys of both arrays in order, if they are wanted.
    pub keys: Option<Tensor>,
    /// The values or positions, in the order of their keys, if there are any.
    pub values: Option<Tensor>,
}

impl Context {
    /// Merges two sorted arrays, and values that go with them, whether or not the merge is counted. Arrays that are not sorted give their elements in an order of no meaning.
    ///
    /// # Errors
    /// [`Error::InputMismatch`] if `keys` are not what `merge` describes, or `values` not one for each of them; [`Error::InputMissing`] if these are left out; what [`crate::Kernel::plan`] says; memory, submission, device loss.
    pub fn merge(&self, merge: &Merge, keys: [&Tensor; 2], values: Option<[&Tensor; 2]>) -> Result<Outcome<Plan<Merge>, Merged>, Error> {
        let lengths = [merge.first, merge.second];
        for (keys, length) in keys.into_iter().zip(lengths) {
            check_input((merge.dtype, &[length]), keys)?;
        }
        let mut given = [&[][..]; 2];
        if let Payload::Values(dtype) = merge.payload {
            if dtype.size() < 4 {
                return Err(Error::MergeValues { dtype });
            }
            let missing = || Error::InputMissing { expected: format!("{} and {} values of {dtype}", merge.first, merge.second) };
            for ((to, values), length) in given.iter_mut().zip(values.ok_or_else(missing)?).zip(lengths) {
                check_input((dtype, &[length]), values)?;
                *to = values.bytes();
            }
        }
        let merge = Merge { counted_first: false, counted_second: false, ..merge.clone() };
        let total = lengths[0] + lengths[1];
        let moved = match merge.payload {
            Payload::None => None,
            Payload::Positions => Some(DType::U32),
            Payload::Values(dtype) => Some(dtype),
        };
        let uploads = [(FIRST, keys[0].bytes()), (SECOND, keys[1].bytes()), (FIRST_VALUES, given[0]), (SECOND_VALUES, given[1])];
        self.run(&merge, &uploads, |downloads| {
            let mut of =
                |buffer: usize, dtype: DType| Tensor::new(dtype, vec![total], downloads.bytes(buffer, total as u64 * dtype.size())?);
            let keys = if merge.keys { Some(of(OUTPUT, merge.dtype)?) } else { None };
            Ok(Merged { keys, values: moved.map(|dtype| of(OUTPUT_VALUES, dtype)).transpose()? })
        })
    }
}
