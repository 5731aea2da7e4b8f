//! The CPU twins of set operations of sorted arrays.

use crate::error::Error;
use crate::merge::merge_places;
use crate::number::{Number, same};
use crate::sort::nan_last;
use crate::values::{Values, each_type};

/// What becomes of two sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetOp {
    /// What is in either.
    Union,
    /// What is in both.
    Intersection,
    /// What is in the first and not in the second.
    Difference,
    /// What is in one and not in the other.
    SymmetricDifference,
}

impl SetOp {
    /// Every operation.
    pub const ALL: [SetOp; 4] = [SetOp::Union, SetOp::Intersection, SetOp::Difference, SetOp::SymmetricDifference];
}

/// The operation of two sorted arrays in which elements may come several times, as `np.union1d`, `np.intersect1d`, `np.setdiff1d` and `np.setxor1d` have it: sorted, each once, the first of what is equal. No NaN is in another array, and in one
/// array they are one.
///
/// # Errors
/// A second array of another type.
pub fn set_operation(op: SetOp, first: &Values, second: &Values) -> Result<Values, Error> {
    match op {
        SetOp::Union => {
            let both = merged(first, second)?;
            Ok(each_type!(&both, data => both.take(heads(data))))
        }
        SetOp::Intersection => compared(first, second, true),
        SetOp::Difference => compared(first, second, false),
        SetOp::SymmetricDifference => merged(&compared(first, second, false)?, &compared(second, first, false)?),
    }
}

/// Positions of elements that differ from the one before.
fn heads<T: Number>(sorted: &[T]) -> Vec<usize> {
    (0..sorted.len()).filter(|&at| at == 0 || nan_last(sorted[at - 1], sorted[at]).is_ne()).collect()
}

fn merged(first: &Values, second: &Values) -> Result<Values, Error> {
    let places = merge_places(first, second, false)?;
    let both = Values::from_bits(first.element(), first.bits().into_iter().chain(second.bits()));
    Ok(both.take(places))
}

fn compared(first: &Values, second: &Values, common: bool) -> Result<Values, Error> {
    each_type!(first, a => {
        let b = same("the second array", second)?;
        // `==` of the type: no NaN equals anything.
        let is_found = |at: &usize| b.get(b.partition_point(|&y| nan_last(y, a[*at]).is_lt())).is_some_and(|&y| y == a[*at]);
        Ok(first.take(heads(a).into_iter().filter(|at| is_found(at) == common)))
    })
}
