//! The CPU twins of order statistics.

use crate::error::Error;
use crate::lines::Lines;
use crate::number::{Number, Scalar};
use crate::sort::{SortOptions, nan_last, sort_places};
use crate::values::{Element, Values, each_type, for_element};

/// The keys that an ascending sort along an axis, or of the whole array, would have at some places: those of all lines for the first place, then for the next. NaN come as the one that has all bits set but
/// the sign, zeros as +0. There must be such places.
///
/// # Errors
/// A shape or axis that the array does not have.
pub fn nth_element(keys: &Values, shape: &[usize], axis: Option<usize>, places: &[usize]) -> Result<Values, Error> {
    let lines = sorted(keys, shape, axis)?;
    let at = places.iter().flat_map(|&place| lines.iter().map(move |line| line[place]));
    Ok(each_type!(keys, data => of_one_kind(at.map(|from| data[from]))))
}

/// The places in the array of its keys along an axis, or through the whole array, around the one that an ascending sort would have at `place`: those of smaller keys, of keys equal to it, and of larger keys, each
/// in their order. There must be such a place. The results of a line stand side by side.
///
/// # Errors
/// A shape or axis that the array does not have.
pub fn partition_places(keys: &Values, shape: &[usize], axis: Option<usize>, place: usize) -> Result<Vec<usize>, Error> {
    let lines = sorted(keys, shape, axis)?;
    let around = |mut line: Vec<usize>| {
        let (smaller, larger) = each_type!(keys, data => {
            let pivot = data[line[place]];
            let side = |at: usize| nan_last(data[at], pivot);
            (line.partition_point(|&at| side(at).is_lt()), line.partition_point(|&at| side(at).is_le()))
        });
        line[..smaller].sort_unstable();
        line[smaller..larger].sort_unstable();
        line[larger..].sort_unstable();
        line
    };
    Ok(lines.into_iter().flat_map(around).collect())
}

/// Of NaN and of zeros one each.
fn of_one_kind<T: Number>(keys: impl Iterator<Item = T>) -> Values {
    let one = |key: T| match () {
        () if key.is_nan() => T::from_bits(u64::MAX >> (65 - 8 * size_of::<T>() as u32)),
        () if key.is_zero() => T::ZERO,
        () => key,
    };
    T::values(keys.map(one).collect())
}

/// The median along an axis, or of the whole array, as `np.median`: in the type of floats, else in f64. NaN where a line has one or has no keys.
///
/// # Errors
/// A shape or axis that the array does not have.
pub fn median(keys: &Values, shape: &[usize], axis: Option<usize>) -> Result<Values, Error> {
    let keys = &each_type!(keys, data => of_one_kind(data.iter().copied()));
    let result = if keys.element().is_float() { keys.element() } else { Element::F64 };
    let lines = sorted(keys, shape, axis)?;
    let of = |line: &Vec<usize>| {
        each_type!(keys, data => {
            let values: Vec<f64> = line.iter().map(|&at| data[at].to_f64()).collect();
            middle(&values, result)
        })
    };
    let values: Vec<f64> = lines.iter().map(of).collect();
    Ok(for_element!(result, narrowed(values)))
}

fn narrowed<T: Number>(values: Vec<f64>) -> Values {
    T::values(values.into_iter().map(|value| T::from_scalar(Scalar::Float(value))).collect())
}

fn middle(values: &[f64], result: Element) -> f64 {
    let (lower, upper) = match values {
        [] => return f64::NAN,
        [.., last] if last.is_nan() => return f64::NAN,
        values => (values[(values.len() - 1) / 2], values[values.len() / 2]),
    };
    match result {
        _ if values.len() % 2 == 1 => lower,
        // The sum may be infinite there.
        Element::F32 => f64::from((lower as f32 + upper as f32) / 2.0),
        _ => (lower + upper) / 2.0,
    }
}

/// Quantiles along an axis, or of the whole array, as `np.quantile` has them by linear interpolation, in f64: those of all lines for the first of `q`, numbers from 0 to 1, then for the next. NaN
/// where a line has one. Lines must have keys.
///
/// # Errors
/// A shape or axis that the array does not have.
pub fn quantile(keys: &Values, shape: &[usize], axis: Option<usize>, q: &[f64]) -> Result<Values, Error> {
    let keys = &each_type!(keys, data => of_one_kind(data.iter().copied()));
    let lines = sorted(keys, shape, axis)?;
    let of = |q: f64, line: &[usize]| {
        each_type!(keys, data => {
            let values: Vec<_> = line.iter().map(|&at| data[at]).collect();
            linear(&values, q)
        })
    };
    Ok(Values::F64(q.iter().flat_map(|&q| lines.iter().map(move |line| of(q, line))).collect()))
}

fn linear<T: Number>(values: &[T], q: f64) -> f64 {
    let last = values.len() - 1;
    if values[last].is_nan() {
        return f64::NAN;
    }
    let place = last as f64 * q;
    let lower = (place.floor() as usize).min(last);
    let (a, b, weight) = (values[lower], values[(lower + 1).min(last)], place - lower as f64);
    let difference = match (a.scalar(), b.scalar()) {
        (Scalar::Integer(a), Scalar::Integer(b)) => (b - a) as f64,
        // In the type of the elements, as numpy subtracts.
        _ => T::from_scalar(Scalar::Float(b.to_f64() - a.to_f64())).to_f64(),
    };
    if weight >= 0.5 { b.to_f64() - difference * (1.0 - weight) } else { a.to_f64() + difference * weight }
}

/// Where the keys of each line are, in their order.
fn sorted(keys: &Values, shape: &[usize], axis: Option<usize>) -> Result<Vec<Vec<usize>>, Error> {
    let places = sort_places(keys, shape, axis, &SortOptions::default())?;
    let lines = Lines::new(keys.len(), shape, axis)?;
    Ok(lines.each().map(|line| (0..line.length).map(|k| places[line.at(k)]).collect()).collect())
}
