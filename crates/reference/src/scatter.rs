//! The CPU twin of writing elements by index.

use crate::error::Error;
use crate::gather::check_indices;
use crate::values::Values;

/// `into` with each element of `input` written to its index: `into[indices] = input`. Of several with one index the last stays.
pub fn scatter(input: &Values, indices: &[u32], into: &Values) -> Result<Values, Error> {
    input.check_type("what is scattered into", into)?;
    if indices.len() != input.len() {
        return Err(Error::Length { what: "indices", wanted: input.len(), len: indices.len() });
    }
    check_indices(indices, into.len())?;
    let mut bits = into.bits();
    for (&index, written) in indices.iter().zip(input.bits()) {
        bits[index as usize] = written;
    }
    Ok(Values::from_bits(into.element(), bits))
}
