//! The CPU twin of merges.

use crate::error::Error;
use crate::number::same;
use crate::sort::nan_last;
use crate::values::{Values, each_type};

/// For each place of two merged arrays, both of them sorted, where its element is in both, one behind the other: of equal elements those of the first array come first. NaN are last and all of them one, -0 and +0 are one; `descending` has the
/// largest first, and NaN before it.
///
/// # Errors
/// A second array of another type.
pub fn merge_places(first: &Values, second: &Values, descending: bool) -> Result<Vec<usize>, Error> {
    each_type!(first, a => {
        let b = same("the second array", second)?;
        let (mut i, mut j) = (0, 0);
        let mut places = Vec::with_capacity(a.len() + b.len());
        while i < a.len() || j < b.len() {
            let takes_first = match (a.get(i), b.get(j)) {
                (Some(&x), Some(&y)) => {
                    let order = nan_last(x, y);
                    if descending { order.is_ge() } else { order.is_le() }
                }
                (x, _) => x.is_some(),
            };
            if takes_first {
                places.push(i);
                i += 1;
            } else {
                places.push(a.len() + j);
                j += 1;
            }
        }
        Ok(places)
    })
}
