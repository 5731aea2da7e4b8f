//! The CPU twin of searches in sorted arrays.

use std::cmp::Ordering;

use crate::error::Error;
use crate::number::{Number, same};
use crate::sort::nan_last;
use crate::values::{Values, each_type};

/// What is searched for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchOptions {
    /// Whether a value goes behind the elements that are equal to it, and not before them.
    pub right: bool,
    /// Whether the array has the largest element first, and NaN before it.
    pub descending: bool,
}

/// For each value the position in a sorted array where it would be put in, as `np.searchsorted` has it: NaN last and all of them one, -0 and +0 one. Of `rows` rows each row of values is searched for in the same row of the array.
///
/// # Errors
/// Values of another type, and values or an array that are no whole number of rows.
pub fn search_sorted(array: &Values, values: &Values, rows: usize, options: SearchOptions) -> Result<Vec<u32>, Error> {
    for each in [array, values] {
        if each.len().checked_rem(rows).unwrap_or(each.len()) != 0 {
            return Err(Error::Shape { shape: vec![rows], len: each.len() });
        }
    }
    let (length, row_values) = (array.len() / rows.max(1), values.len() / rows.max(1));
    each_type!(array, elements => {
        let values = same("what is searched for", values)?;
        Ok(values.iter().enumerate().map(|(at, &value)| {
            let row = at / row_values * length;
            position(&elements[row..row + length], value, options)
        }).collect())
    })
}

fn position<T: Number>(sorted: &[T], value: T, options: SearchOptions) -> u32 {
    let comes_before = |&element: &T| {
        let order = nan_last(element, value);
        let order = if options.descending { order.reverse() } else { order };
        order == Ordering::Less || (options.right && order == Ordering::Equal)
    };
    sorted.partition_point(comes_before) as u32
}
