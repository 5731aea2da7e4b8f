//! The CPU twins of what finds each value once.

use crate::sort::nan_last;
use crate::values::{Values, each_type};

/// The values that there are, with where and how often.
#[derive(Clone, Debug, PartialEq)]
pub struct Unique {
    /// Each value once.
    pub values: Values,
    /// The position of its first element.
    pub first: Vec<u32>,
    /// How many elements have it.
    pub counts: Vec<u32>,
    /// For each element of the input, which of the values it has.
    pub inverse: Vec<u32>,
}

impl Unique {
    /// Groups neighbours in `order`, a permutation of the input's positions; `same` says whether two of them belong together.
    fn of(input: &Values, order: &[usize], same: impl Fn(usize, usize) -> bool) -> Unique {
        let (mut first, mut counts, mut inverse) = (Vec::new(), Vec::<u32>::new(), vec![0; input.len()]);
        let mut before = None;
        for &at in order {
            match (before, counts.last_mut()) {
                (Some(before), Some(count)) if same(before, at) => *count += 1,
                _ => {
                    first.push(at as u32);
                    counts.push(1);
                }
            }
            inverse[at] = counts.len() as u32 - 1;
            before = Some(at);
        }
        Unique { values: input.take(first.iter().map(|&at| at as usize)), first, counts, inverse }
    }
}

/// The runs of neighbours that are equal by their bits: -0 and +0 differ, and NaN equals itself.
pub fn unique_runs(input: &Values) -> Unique {
    let bits = input.bits();
    let order: Vec<usize> = (0..input.len()).collect();
    Unique::of(input, &order, |a, b| bits[a] == bits[b])
}

/// The values of the whole array, sorted, as `np.unique` gives them with `return_index`, `return_inverse`, `return_counts` and `equal_nan`: all NaN
/// are one and come last, -0 and +0 are one, and of what is one the first element is the value.
pub fn unique(input: &Values) -> Unique {
    let mut order: Vec<usize> = (0..input.len()).collect();
    each_type!(input, data => {
        // Stable, so that the first of equals stays the first.
        order.sort_by(|&a, &b| nan_last(data[a], data[b]));
        Unique::of(input, &order, |a, b| nan_last(data[a], data[b]).is_eq())
    })
}
