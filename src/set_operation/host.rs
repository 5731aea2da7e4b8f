//! Set operations of arrays in host memory, in one call.

use super::{FIRST, FOUND, OUTPUT, SECOND, SetOperation};
use crate::context::check_input;
use crate::kernel::Plan;
use crate::{Context, Error, Outcome, Tensor};

impl Context {
    /// A set operation of two sorted arrays, whether or not it is counted. Arrays that are not sorted give results of no meaning.
    ///
    /// # Errors
    /// [`Error::InputMismatch`] if `first` or `second` is not what `operation` describes; what [`crate::Kernel::plan`] says; memory, submission, device loss.
    pub fn set_operation(&self, operation: &SetOperation, first: &Tensor, second: &Tensor) -> Result<Outcome<Plan<SetOperation>>, Error> {
        check_input((operation.dtype, &[operation.first]), first)?;
        check_input((operation.dtype, &[operation.second]), second)?;
        let operation = SetOperation { counted_first: false, counted_second: false, ..operation.clone() };
        let dtype = operation.dtype;
        self.run(&operation, &[(FIRST, first.bytes()), (SECOND, second.bytes())], |downloads| {
            let found = downloads.word(FOUND)?;
            Tensor::new(dtype, vec![found as usize], downloads.bytes(OUTPUT, u64::from(found) * dtype.size())?)
        })
    }
}
