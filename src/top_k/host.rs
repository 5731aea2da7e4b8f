//! The first keys of arrays in host memory, in one call.

use super::TopK;
use super::bindings::{INPUT, OUTPUT, POSITIONS};
use crate::context::check_input;
use crate::kernel::Plan;
use crate::{Context, DType, Error, Outcome, Tensor};

/// The results of a [`TopK`].
#[derive(Clone, Debug, PartialEq)]
pub struct TopKeys {
    /// The keys in order, if they are wanted.
    pub keys: Option<Tensor>,
    /// Where each stands in its row, if that is wanted.
    pub positions: Option<Tensor>,
}

impl Context {
    /// Finds the largest or smallest keys of rows, and where they stand.
    ///
    /// # Errors
    /// [`Error::InputMismatch`] if `keys` is not what `top_k` describes; [`Error::TopKCount`] if rows have fewer than k keys; what [`crate::Kernel::plan`] says; memory, submission, device loss.
    pub fn top_k(&self, top_k: &TopK, keys: &Tensor) -> Result<Outcome<Plan<TopK>, TopKeys>, Error> {
        check_input((top_k.dtype, &top_k.shape), keys)?;
        let shape = top_k.result_shape();
        self.run(top_k, &[(INPUT, keys.bytes())], |downloads| {
            let results = shape.iter().product::<usize>() as u64;
            let mut of = |buffer: usize, dtype: DType| Tensor::new(dtype, shape.clone(), downloads.bytes(buffer, results * dtype.size())?);
            let keys = if top_k.keys { Some(of(OUTPUT, top_k.dtype)?) } else { None };
            Ok(TopKeys { keys, positions: if top_k.positions { Some(of(POSITIONS, DType::U32)?) } else { None } })
        })
    }
}
