//! The CPU twin of reading elements by index.

use crate::error::Error;
use crate::values::Values;

/// The elements at these indices: `np.take`.
pub fn gather(input: &Values, indices: &[u32]) -> Result<Values, Error> {
    check_indices(indices, input.len())?;
    Ok(input.take(indices.iter().map(|&index| index as usize)))
}

pub(crate) fn check_indices(indices: &[u32], len: usize) -> Result<(), Error> {
    match indices.iter().position(|&index| index as usize >= len) {
        Some(at) => Err(Error::Index { at, index: indices[at], len }),
        None => Ok(()),
    }
}
