//! Elements whose sums and products are exact in floats, as often as not; and some that are special.

use wavelane::{DType, Scalar};
use wavelane_reference::{self as reference, Values};

use super::data::{Random, element};

/// So many elements of one of several kinds.
pub fn draw(dtype: DType, count: usize, random: &mut Random) -> Values {
    match random.below(6) {
        0 => small(dtype, count, random),
        1 => units(dtype, count, random),
        2 => runs(dtype, count, random),
        3 => truths(dtype, count, random),
        _ if dtype.is_float() => special(dtype, count, random),
        _ => Values::from_bits(element(dtype), (0..count).map(|_| random.next())),
    }
}

/// Whole numbers from -8 to 8; unsigned types have those from 0.
fn small(dtype: DType, count: usize, random: &mut Random) -> Values {
    let least = if dtype.is_float() || dtype.is_signed_integer() { -8 } else { 0 };
    of_integers(dtype, (0..count).map(|_| least + random.below((9 - least) as usize) as i64))
}

/// Ones of either sign and a rare two, so that products stay small.
fn units(dtype: DType, count: usize, random: &mut Random) -> Values {
    let rare = (count / 8).max(20);
    let mut unit = || if random.one_in(rare) { 2 } else { 1 - 2 * i64::from(random.one_in(3)) };
    let units: Vec<i64> = (0..count).map(|_| unit()).collect();
    of_integers(dtype, units.into_iter())
}

/// Whole numbers that stand in runs of random lengths.
pub fn runs(dtype: DType, count: usize, random: &mut Random) -> Values {
    let longest = random.pick(&[2, 5, 40, 900]);
    let mut numbers = Vec::with_capacity(count);
    while numbers.len() < count {
        let (number, length) = (random.below(6) as i64, 1 + random.below(longest));
        numbers.extend(std::iter::repeat_n(number, length.min(count - numbers.len())));
    }
    of_integers(dtype, numbers.into_iter())
}

/// Zeros, with a one now and then.
pub fn truths(dtype: DType, count: usize, random: &mut Random) -> Values {
    let times = random.pick(&[1, 2, 5, 100]);
    let truths: Vec<i64> = (0..count).map(|_| i64::from(random.one_in(times))).collect();
    of_integers(dtype, truths.into_iter())
}

/// Floats among which are zeros of both signs, infinities and NaN.
fn special(dtype: DType, count: usize, random: &mut Random) -> Values {
    let times = random.pick(&[3, 30, 3000]);
    let mut one = || match random.one_in(times) {
        true => random.pick(&[f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0]),
        false => random.below(17) as f64 - 8.0,
    };
    reference::convert(&Values::F64((0..count).map(|_| one()).collect()), element(dtype))
}

fn of_integers(dtype: DType, integers: impl Iterator<Item = i64>) -> Values {
    reference::convert(&Values::I64(integers.collect()), element(dtype))
}

/// A whole number from 0 to 3, as a value by itself.
pub fn small_scalar(dtype: DType, random: &mut Random) -> Scalar {
    scalar(dtype, &of_integers(dtype, [random.below(4) as i64].into_iter()), 0)
}

/// The element at a position.
pub fn scalar(dtype: DType, values: &Values, at: usize) -> Scalar {
    Scalar::from_bits(dtype, values.bits()[at])
}
