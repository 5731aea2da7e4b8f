//! The CPU twins of run-length encoding.

use crate::error::Error;
use crate::unique::unique_runs;
use crate::values::Values;

/// A value for each run of neighbours that are equal by their bits, and how long it is.
pub fn run_length_encode(input: &Values) -> (Values, Vec<u32>) {
    let runs = unique_runs(input);
    (runs.values, runs.counts)
}

/// Each value as often as its length says: `np.repeat`.
pub fn run_length_decode(values: &Values, lengths: &[u32]) -> Result<Values, Error> {
    if lengths.len() != values.len() {
        return Err(Error::Length { what: "lengths", wanted: values.len(), len: lengths.len() });
    }
    Ok(values.take(lengths.iter().enumerate().flat_map(|(at, &length)| std::iter::repeat_n(at, length as usize))))
}
