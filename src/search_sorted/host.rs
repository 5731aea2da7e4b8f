//! Searches in arrays in host memory, in one call.

use super::{ARRAY, OUTPUT, SearchSorted, VALUES};
use crate::context::check_input;
use crate::kernel::Plan;
use crate::{Context, DType, Error, Outcome, Tensor};

impl Context {
    /// The positions of values in a sorted array, as u32 in the shape of the values, whether or not the search is counted. An array that is not sorted gives positions of no meaning.
    ///
    /// # Errors
    /// [`Error::InputMismatch`] if `array` or `values` is not what `search` describes; what [`crate::Kernel::plan`] says; memory, submission, device loss.
    pub fn search_sorted(&self, search: &SearchSorted, array: &Tensor, values: &Tensor) -> Result<Outcome<Plan<SearchSorted>>, Error> {
        let [count, _, elements] = search.sizes()?;
        // Whatever the array's shape, its rows are taken in C order.
        let is_right = array.dtype() == search.dtype && array.bytes().len() as u64 == elements * search.dtype.size();
        if !is_right {
            check_input((search.dtype, &[elements as usize]), array)?;
        }
        check_input((search.dtype, &search.values), values)?;
        let search = SearchSorted { counted: false, counted_array: false, ..search.clone() };
        let shape = search.values.clone();
        self.run(&search, &[(ARRAY, array.bytes()), (VALUES, values.bytes())], |downloads| {
            Tensor::new(DType::U32, shape, downloads.bytes(OUTPUT, count * DType::U32.size())?)
        })
    }
}
