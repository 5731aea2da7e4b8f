//! The CPU twin of histograms.

use crate::error::Error;
use crate::number::Number;
use crate::values::{Element, Values};

/// The edges of bins of one width: `np.histogram_bin_edges(a, bins, range=(low, high))` of an array of these elements. Those of floats are floats of the same type.
pub fn even_edges(element: Element, bins: usize, low: f64, high: f64) -> Vec<f64> {
    let (low, high) = if low == high { (low - 0.5, high + 0.5) } else { (low, high) };
    let step = (high - low) / bins as f64;
    let mut edges: Vec<f64> = (0..bins).map(|at| at as f64 * step + low).collect();
    edges.push(high);
    match element {
        Element::F16 => edges.iter().map(|&edge| half::f16::from_scalar(crate::number::Scalar::Float(edge)).to_f64()).collect(),
        Element::F32 => edges.iter().map(|&edge| f64::from(edge as f32)).collect(),
        _ => edges,
    }
}

/// The bin of each element between ascending edges: `np.searchsorted` but for the last edge, which belongs to the last bin. NaN is in none.
fn bins_of(values: &Values, edges: &[f64]) -> Vec<Option<usize>> {
    let Some((&last, firsts)) = edges.split_last() else { return vec![None; values.len()] };
    let bin = |x: f64| if x <= last { firsts.partition_point(|&edge| edge <= x).checked_sub(1) } else { None };
    values.to_f64().into_iter().map(bin).collect()
}

/// How many elements are in each bin, or the sum of their weights in the weights' type, or `wide` in f64: `np.histogram`.
pub fn histogram(values: &Values, edges: &[f64], weights: Option<&Values>, wide: bool) -> Result<Values, Error> {
    sums(&bins_of(values, edges), edges.len().saturating_sub(1), weights, wide)
}

/// [`histogram`] of integers between edges that are integers, which are compared exactly.
///
/// # Errors
/// Elements that are floats, and weights that are not summed or not as many as there are elements.
pub fn histogram_of_integers(values: &Values, edges: &[i128], weights: Option<&Values>, wide: bool) -> Result<Values, Error> {
    let (Some((&last, firsts)), Some(data)) = (edges.split_last(), integers(values)) else {
        return Err(Error::Undefined { operation: "a histogram between integers", element: values.element() });
    };
    let bin = |x: i128| if x <= last { firsts.partition_point(|&edge| edge <= x).checked_sub(1) } else { None };
    sums(&data.into_iter().map(bin).collect::<Vec<_>>(), firsts.len(), weights, wide)
}

/// What is not a float.
fn integers(values: &Values) -> Option<Vec<i128>> {
    Some(match values {
        Values::I8(data) => data.iter().map(|&x| x.into()).collect(),
        Values::I16(data) => data.iter().map(|&x| x.into()).collect(),
        Values::I32(data) => data.iter().map(|&x| x.into()).collect(),
        Values::I64(data) => data.iter().map(|&x| x.into()).collect(),
        values if values.element().is_float() => return None,
        values => values.bits().into_iter().map(i128::from).collect(),
    })
}

/// How often each of the first values occurs, or the sum of its weights in f64: `np.bincount`, of which values beyond are left out.
pub fn bincount(values: &Values, bins: usize, weights: Option<&Values>) -> Result<Values, Error> {
    let Some(data) = integers(values) else {
        return Err(Error::Undefined { operation: "bincount", element: values.element() });
    };
    let all: Vec<Option<usize>> = data.into_iter().map(|x| usize::try_from(x).ok()).collect();
    sums(&all.into_iter().map(|bin| bin.filter(|&bin| bin < bins)).collect::<Vec<_>>(), bins, weights, true)
}

fn sums(bins: &[Option<usize>], count: usize, weights: Option<&Values>, wide: bool) -> Result<Values, Error> {
    let Some(weights) = weights else {
        let mut counts = vec![0u32; count];
        bins.iter().flatten().for_each(|&bin| counts[bin] += 1);
        return Ok(Values::U32(counts));
    };
    if weights.len() != bins.len() {
        return Err(Error::Length { what: "the weights", wanted: bins.len(), len: weights.len() });
    }
    let mut exact = vec![Sum::default(); count];
    let mut wrapped = vec![0u32; count];
    for (bin, (bits, value)) in bins.iter().zip(weights.bits().into_iter().zip(weights.to_f64())) {
        let Some(bin) = *bin else { continue };
        exact[bin].add(value);
        wrapped[bin] = wrapped[bin].wrapping_add(bits as u32);
    }
    match weights.element() {
        Element::U32 | Element::I32 | Element::F32 if wide => Ok(Values::F64(exact.iter().map(Sum::to_f64).collect())),
        Element::U32 => Ok(Values::U32(wrapped)),
        Element::I32 => Ok(Values::I32(wrapped.into_iter().map(|bits| bits as i32).collect())),
        Element::F32 => Ok(Values::F32(exact.iter().map(Sum::to_f32).collect())),
        element => Err(Error::Undefined { operation: "the sum of weights", element }),
    }
}

/// Digits of 32 bits of a sum of f32 or of 32-bit integers, the lowest of which counts multiples of 2^-149; each with a sign of its own, so that nothing has to be carried while adding.
#[derive(Clone, Debug, Default)]
struct Sum {
    digits: [i64; 11],
    /// What was added that is not finite: it decides alone.
    special: Option<f64>,
}

impl Sum {
    fn add(&mut self, value: f64) {
        if !value.is_finite() {
            self.special = Some(self.special.unwrap_or(0.0) + value);
            return;
        }
        let mut rest = value.abs();
        for (at, digit) in self.digits.iter_mut().enumerate().rev() {
            // Powers of two, so nothing is rounded.
            let unit = 2f64.powi(32 * at as i32 - 149);
            let part = (rest / unit).floor();
            rest -= part * unit;
            *digit += if value < 0.0 { -(part as i64) } else { part as i64 };
        }
    }

    /// The sign, and the digits of the magnitude.
    fn magnitude(&self) -> (bool, [u32; 11]) {
        let carried = |sign: i64| {
            let mut carry = 0;
            let digits = self.digits.map(|digit| {
                let sum = sign * digit + carry;
                carry = sum >> 32;
                sum as u32
            });
            (carry, digits)
        };
        match carried(1) {
            (0, digits) => (false, digits),
            _ => (true, carried(-1).1),
        }
    }

    /// The highest 64 bits, of which the lowest also stands for all below, and what they count in powers of two.
    fn highest(&self) -> (f64, u64, i32) {
        let (negative, digits) = self.magnitude();
        let top = digits.iter().rposition(|&digit| digit != 0).unwrap_or(0).max(2);
        let window = u128::from(digits[top]) << 64 | u128::from(digits[top - 1]) << 32 | u128::from(digits[top - 2]);
        let drop = (128 - window.leading_zeros()).saturating_sub(64);
        let lost = window & ((1 << drop) - 1) != 0 || digits[..top - 2].iter().any(|&digit| digit != 0);
        let kept = (window >> drop) as u64 | u64::from(lost);
        (if negative { -1.0 } else { 1.0 }, kept, 32 * (top as i32 - 2) + drop as i32 - 149)
    }

    fn to_f64(&self) -> f64 {
        let (sign, kept, exponent) = self.highest();
        self.special.unwrap_or(sign * kept as f64 * 2f64.powi(exponent) + 0.0)
    }

    fn to_f32(&self) -> f32 {
        if let Some(special) = self.special {
            return special as f32;
        }
        let (sign, kept, exponent) = self.highest();
        // The 24 bits that are left have a place in f32, subnormal or not, unless they are too many.
        (sign * f64::from(kept as f32) * 2f64.powi(exponent) + 0.0) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(values: &[f32]) -> Sum {
        let mut sum = Sum::default();
        values.iter().for_each(|&value| sum.add(value.into()));
        sum
    }

    #[test]
    fn sums_lose_nothing() {
        assert_eq!(sum(&[1e38, 1.0, -1e38]).to_f32(), 1.0);
        assert_eq!(sum(&[f32::MAX, f32::MAX, -f32::MAX]).to_f32(), f32::MAX);
        assert_eq!(sum(&[f32::MAX, f32::MAX]).to_f32(), f32::INFINITY);
        assert_eq!(sum(&[f32::MAX, f32::MAX]).to_f64(), 2.0 * f64::from(f32::MAX));
        let least = f32::from_bits(1);
        assert_eq!(sum(&[least, least, least, -1.0, 1.0]).to_f32(), f32::from_bits(3));
        // A tie goes to the even one, and what is a little more does not.
        assert_eq!(sum(&[16_777_216.0, 1.0]).to_f32(), 16_777_216.0);
        assert_eq!(sum(&[16_777_216.0, 1.0, least]).to_f32(), 16_777_218.0);
        assert_eq!(sum(&[-16_777_216.0, -1.0, -least]).to_f32(), -16_777_218.0);
        assert_eq!(sum(&[-0.0, -0.0]).to_f32().to_bits(), 0);
        assert!(sum(&[f32::INFINITY, f32::NEG_INFINITY]).to_f32().is_nan());
        assert_eq!(sum(&[f32::NEG_INFINITY, f32::MAX]).to_f32(), f32::NEG_INFINITY);
    }
}
