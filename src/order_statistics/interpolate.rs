//! What lies between two keys, as numpy computes it.

use half::f16;

use crate::{DType, Element, Error, Tensor};

/// Where a quantile lies: between two places, and how far behind the first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Between {
    pub(super) lower: u64,
    pub(super) upper: u64,
    weight: f64,
}

impl Between {
    /// Of quantile `q` of `length` keys, at least one: numpy's method `linear`.
    pub(super) fn of(q: f64, length: u64) -> Self {
        let last = length - 1;
        let at = last as f64 * q;
        if at >= last as f64 {
            // numpy counts the place from the end there, and so the weight, which is nothing as both keys are the same.
            return Self { lower: last, upper: last, weight: 0.0 };
        }
        let lower = at.floor();
        Self { lower: lower as u64, upper: lower as u64 + 1, weight: at - lower }
    }
}

/// Keys that were found: those of all rows for the first place, then for the next.
pub(super) struct Found<'a> {
    pub(super) places: &'a [usize],
    pub(super) rows: usize,
    pub(super) keys: &'a Tensor,
}

impl Found<'_> {
    fn keys<T: Element>(&self) -> Result<Vec<T>, Error> {
        self.keys.to_vec()
    }

    /// Where in the keys those at a place begin, one of each row. The places are those that were looked for.
    fn at(&self, place: u64) -> usize {
        self.places.iter().position(|&known| known as u64 == place).unwrap_or(0) * self.rows
    }
}

/// A key, as these computations see it.
trait Key: Element {
    fn is_nan(self) -> bool {
        false
    }

    fn to_f64(self) -> f64;

    /// The difference to another key, as numpy has it: floats are subtracted in their type, and of integers it is exact.
    fn up_to(self, other: Self) -> f64;
}

macro_rules! integers {
    ($($type:ty),*) => { $(impl Key for $type {
        fn to_f64(self) -> f64 {
            self as f64
        }

        fn up_to(self, other: Self) -> f64 {
            (i128::from(other) - i128::from(self)) as f64
        }
    })* };
}
integers!(u8, u16, i8, i16, u32, i32, u64, i64);

macro_rules! floats {
    ($($type:ty),*) => { $(impl Key for $type {
        fn is_nan(self) -> bool {
            <$type>::is_nan(self)
        }

        fn to_f64(self) -> f64 {
            f64::from(self)
        }

        fn up_to(self, other: Self) -> f64 {
            f64::from(other - self)
        }
    })* };
}
floats!(f32, f16, f64);

macro_rules! each_type {
    ($dtype:expr, $function:ident($($argument:expr),*)) => {
        match $dtype {
            DType::U8 => $function::<u8>($($argument),*),
            DType::U16 => $function::<u16>($($argument),*),
            DType::I8 => $function::<i8>($($argument),*),
            DType::I16 => $function::<i16>($($argument),*),
            DType::U32 => $function::<u32>($($argument),*),
            DType::I32 => $function::<i32>($($argument),*),
            DType::F32 => $function::<f32>($($argument),*),
            DType::F16 => $function::<f16>($($argument),*),
            DType::U64 => $function::<u64>($($argument),*),
            DType::I64 => $function::<i64>($($argument),*),
            DType::F64 => $function::<f64>($($argument),*),
        }
    };
}

/// For each quantile one value of each row.
pub(super) fn quantiles(found: &Found<'_>, wanted: &[Between]) -> Result<Vec<f64>, Error> {
    each_type!(found.keys.dtype(), quantiles_of(found, wanted))
}

fn quantiles_of<T: Key>(found: &Found<'_>, wanted: &[Between]) -> Result<Vec<f64>, Error> {
    let keys: Vec<T> = found.keys()?;
    let last = found.places.last().map_or(0, |&place| place as u64);
    let mut values = Vec::with_capacity(wanted.len() * found.rows);
    for between in wanted {
        let [lower, upper, last] = [between.lower, between.upper, last].map(|place| found.at(place));
        for row in 0..found.rows {
            let value = if keys[last + row].is_nan() { f64::NAN } else { linear(keys[lower + row], keys[upper + row], between.weight) };
            values.push(value);
        }
    }
    Ok(values)
}

/// As numpy's `_lerp`: from the nearer of both, so that the result is never beyond the upper one.
fn linear<T: Key>(lower: T, upper: T, weight: f64) -> f64 {
    let difference = lower.up_to(upper);
    if weight >= 0.5 { upper.to_f64() - difference * (1.0 - weight) } else { lower.to_f64() + difference * weight }
}

/// The bytes of one value of each row.
pub(super) fn medians(found: &Found<'_>, length: u64) -> Result<Vec<u8>, Error> {
    each_type!(found.keys.dtype(), medians_of(found, length))
}

fn medians_of<T: Key>(found: &Found<'_>, length: u64) -> Result<Vec<u8>, Error> {
    let keys: Vec<T> = found.keys()?;
    let mut bytes = Vec::new();
    let [lower, upper, last] = [length.saturating_sub(1) / 2, length / 2, length.saturating_sub(1)].map(|place| found.at(place));
    for row in 0..found.rows {
        let is_nan = length == 0 || keys[last + row].is_nan();
        let [lower, upper] = if is_nan { [f64::NAN; 2] } else { [lower, upper].map(|at| keys[at + row].to_f64()) };
        match T::DTYPE {
            // numpy adds halves in f32, and then rounds once.
            DType::F16 => bytes.extend(f16::from_f32((lower as f32 + upper as f32) / 2.0).to_ne_bytes()),
            DType::F32 if length % 2 == 1 => bytes.extend((lower as f32).to_ne_bytes()),
            DType::F32 => bytes.extend(((lower as f32 + upper as f32) / 2.0).to_ne_bytes()),
            _ if length % 2 == 1 => bytes.extend(lower.to_ne_bytes()),
            _ => bytes.extend(((lower + upper) / 2.0).to_ne_bytes()),
        }
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_lie_between_their_neighbours() {
        assert_eq!(Between::of(0.0, 5), Between { lower: 0, upper: 1, weight: 0.0 });
        assert_eq!(Between::of(1.0, 5), Between { lower: 4, upper: 4, weight: 0.0 });
        assert_eq!(Between::of(0.5, 4), Between { lower: 1, upper: 2, weight: 0.5 });
        assert_eq!(Between::of(0.7, 1), Between { lower: 0, upper: 0, weight: 0.0 });
    }

    /// By numpy 1.24: `np.quantile(np.array([...], dtype), q)`.
    #[test]
    fn values_are_those_of_numpy() {
        assert_eq!(linear(1u8, 255, 0.25), 64.5);
        assert_eq!(linear(0.1f32, 0.4, 0.1), 0.13000000268220901);
        assert_eq!(linear(0.1f64, 0.4, 0.9), 0.37);
        assert_eq!(linear(f16::from_f32(0.1), f16::from_f32(1000.0), 0.5), 500.0);
        assert_eq!(linear(-9_007_199_254_740_993i64, 9_007_199_254_740_993, 0.5), 0.0);
        // Here numpy overflows, as it subtracts in the keys' type.
        assert_eq!((linear(-100i8, 100, 0.25), linear(i16::MIN, i16::MAX, 0.5)), (-50.0, -0.5));
        assert_eq!(linear(i32::MIN, i32::MAX, 0.5), -0.5);
    }
}
