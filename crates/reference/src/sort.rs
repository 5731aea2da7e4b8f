//! The CPU twins of sorts.

use std::cmp::Ordering;

use crate::error::Error;
use crate::lines::Lines;
use crate::number::Number;
use crate::segmented::{Segments, segment_bounds};
use crate::values::{Values, each_type};

/// How an array is sorted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SortOptions {
    /// Whether the largest comes first, and NaN before it. Equal elements stay in their order all the same.
    pub descending: bool,
    /// The bits that elements are compared by, from the first to before the second: of the unsigned numbers that have the elements' places in the order. All without.
    pub bits: Option<[u32; 2]>,
    /// How many elements of each line there are, at most.
    pub count: Option<usize>,
}

/// For each place of the sorted array the place of the unsorted one whose element comes there, along an axis or through the whole array: as `np.sort(kind="stable")` has it, NaN last and all of them one,
/// -0 and +0 one. Elements behind `count` stay where they are.
///
/// # Errors
/// A shape or axis that the array does not have.
pub fn sort_places(keys: &Values, shape: &[usize], axis: Option<usize>, options: &SortOptions) -> Result<Vec<usize>, Error> {
    let lines = Lines::new(keys.len(), shape, axis)?;
    let mut places: Vec<usize> = (0..keys.len()).collect();
    for line in lines.each() {
        let count = options.count.map_or(line.length, |count| count.min(line.length));
        let mut order: Vec<usize> = (0..count).map(|k| line.at(k)).collect();
        match options.bits {
            None => each_type!(keys, data => order.sort_by(|&a, &b| directed(nan_last(data[a], data[b]), options.descending))),
            Some(bits) => {
                let by = each_type!(keys, data => data.iter().map(|&x| part(ordered(x), bits)).collect::<Vec<u64>>());
                order.sort_by(|&a, &b| directed(by[a].cmp(&by[b]), options.descending));
            }
        }
        for (k, from) in order.into_iter().enumerate() {
            places[line.at(k)] = from;
        }
    }
    Ok(places)
}

/// [`sort_places`] of segments, each by itself: of the elements from one offset to the next. What is outside of all of them stays where it is.
///
/// # Errors
/// Offsets that do not ascend or go beyond the elements.
pub fn sort_segment_places(keys: &Values, offsets: &[u32], options: &SortOptions) -> Result<Vec<usize>, Error> {
    let mut places: Vec<usize> = (0..keys.len()).collect();
    for (begin, end) in segment_bounds(&Segments::Offsets(offsets), keys.len())? {
        let segment = keys.take(begin..end);
        for (k, from) in sort_places(&segment, &[end - begin], None, options)?.into_iter().enumerate() {
            places[begin + k] = begin + from;
        }
    }
    Ok(places)
}

fn directed(ordering: Ordering, descending: bool) -> Ordering {
    if descending { ordering.reverse() } else { ordering }
}

pub(crate) fn nan_last<T: Number>(a: T, b: T) -> Ordering {
    a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

/// The unsigned number that has an element's place in the order.
fn ordered<T: Number>(x: T) -> u64 {
    let bits = 8 * size_of::<T>() as u32;
    let (all, sign) = (u64::MAX >> (64 - bits), 1u64 << (bits - 1));
    if x.is_nan() {
        return all;
    }
    // No integer has a NaN, and no unsigned one is less than 0.
    let (raw, is_float) = (x.bits(), T::ELEMENT.is_float());
    let is_zero = is_float && raw & !sign == 0;
    match (T::LEAST < T::ZERO, raw & sign != 0 && !is_zero) {
        (false, _) => raw,
        (true, true) if is_float => !raw & all,
        (true, true) => raw & !sign,
        (true, false) => (if is_zero { 0 } else { raw }) | sign,
    }
}

fn part(key: u64, [begin, end]: [u32; 2]) -> u64 {
    if begin >= end { 0 } else { (key >> begin) & (u64::MAX >> (64 - (end - begin).min(64))) }
}
