//! The CPU twin of the first keys of rows.

use crate::error::Error;
use crate::lines::Lines;
use crate::sort::{SortOptions, sort_places};
use crate::values::Values;

/// The places in the array of the `k` largest keys along an axis, or through the whole array, the largest first; of the smallest, the smallest first, where they are wanted. They are those with which a
/// stable sort that way begins: NaN are larger than everything, and of equal keys the ones that stand first are taken. Lines with fewer keys give all of them. The results of a line stand side by side.
///
/// # Errors
/// A shape or axis that the array does not have.
pub fn top_k_places(keys: &Values, shape: &[usize], axis: Option<usize>, k: usize, smallest: bool) -> Result<Vec<usize>, Error> {
    let sorted = sort_places(keys, shape, axis, &SortOptions { descending: !smallest, ..Default::default() })?;
    let lines = Lines::new(keys.len(), shape, axis)?;
    Ok(lines.each().flat_map(|line| (0..k.min(line.length)).map(move |at| line.at(at))).map(|at| sorted[at]).collect())
}
