//! The CPU twin of filling with one value.

use crate::error::Error;
use crate::values::Values;

/// `count` times `value`, which is one element: `np.full`.
pub fn fill(value: &Values, count: usize) -> Result<Values, Error> {
    if value.len() != 1 {
        return Err(Error::One { what: "value", element: value.element(), found: value.element(), len: value.len() });
    }
    Ok(value.take(std::iter::repeat_n(0, count)))
}
