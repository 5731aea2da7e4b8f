//! Which bins a histogram has.

use half::f16;
use serde::{Deserialize, Serialize};

use super::keys::nearest_half;
use crate::{DType, Error};

/// The bins of a histogram, as numpy has them: each takes what is at its left edge or above and below its right edge; the last one takes what is at its right
/// edge, too. What is in no bin is left out, and so is NaN.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bins {
    /// Bins of one width, as `numpy.histogram(a, bins, range=(low, high))` has them. Where `low` and `high` are the same, half is taken off and added.
    Even {
        /// How many.
        bins: usize,
        /// Where the first begins.
        low: f64,
        /// Where the last ends.
        high: f64,
    },
    /// Bins between edges, which ascend; there is one edge more than there are bins. Edges that are the same have an empty bin between them.
    Edges(Vec<f64>),
    /// Bins between edges that are integers, beyond what f64 tells apart, too: integers are compared with them exactly, and floats with the nearest f64.
    IntegerEdges(Vec<i128>),
    /// A bin for each of the first values: 0, 1, 2, …; of integers, as `numpy.bincount` has them.
    Values {
        /// How many.
        bins: usize,
    },
}

/// The most bins that have edges of their own: these are numbers on the host, and a buffer on the device.
const MOST_BINS: u64 = 1 << 26;

impl Bins {
    /// How many bins there are.
    pub fn count(&self) -> usize {
        match self {
            Self::Even { bins, .. } | Self::Values { bins } => *bins,
            Self::Edges(edges) => edges.len().saturating_sub(1),
            Self::IntegerEdges(edges) => edges.len().saturating_sub(1),
        }
    }

    /// The edges between which elements of a type are counted: those of even bins are numbers of that type where it is a float, and of integers the nearest f64.
    ///
    /// # Errors
    /// [`Error::NoBins`], [`Error::TooManyBins`], [`Error::BinRange`], [`Error::BinEdges`], [`Error::BinsTooNarrow`], [`Error::BinsOfType`].
    pub fn edges(&self, dtype: DType) -> Result<Vec<f64>, Error> {
        match self {
            _ if self.count() == 0 => Err(Error::NoBins),
            _ if self.count() as u64 > MOST_BINS => Err(Error::TooManyBins { limit: MOST_BINS }),
            Self::Even { bins, low, high } => even(*bins, *low, *high, dtype),
            Self::Edges(edges) => check(edges).map(|()| edges.clone()),
            Self::IntegerEdges(edges) => check(edges).map(|()| edges.iter().map(|&edge| edge as f64).collect()),
            Self::Values { .. } if dtype.is_float() => Err(Error::BinsOfType { dtype }),
            Self::Values { bins } => Ok((0..=*bins).map(|edge| edge as f64).collect()),
        }
    }

    pub(super) fn words(&self) -> String {
        match self {
            Self::Even { bins, low, high } => format!("{bins} bins from {low} to {high}"),
            Self::Edges(_) | Self::IntegerEdges(_) => format!("{} bins between given edges", self.count()),
            Self::Values { bins } => format!("the values below {bins}"),
        }
    }
}

/// `numpy.linspace`, in the type that numpy has the edges in.
fn even(bins: usize, low: f64, high: f64, dtype: DType) -> Result<Vec<f64>, Error> {
    let (first, last) = if low == high { (low - 0.5, high + 0.5) } else { (low, high) };
    let delta = last - first;
    let ends = [in_type(first, dtype), in_type(last, dtype)];
    if !(low <= high && delta.is_finite() && ends.iter().all(|end| end.is_finite())) {
        return Err(Error::BinRange { low, high, dtype });
    }
    let step = delta / bins as f64;
    let at = |index: usize| match index {
        _ if index == bins => last,
        // A step too small for a number.
        _ if step == 0.0 => index as f64 / bins as f64 * delta + first,
        _ => index as f64 * step + first,
    };
    let edges: Vec<f64> = (0..=bins).map(|index| in_type(at(index), dtype)).collect();
    match edges.windows(2).position(|pair| pair[0] >= pair[1]) {
        Some(at) => Err(Error::BinsTooNarrow { bins, dtype, at, edge: edges[at] }),
        None => Ok(edges),
    }
}

/// The nearest number that a float type has; integers are compared with f64.
fn in_type(edge: f64, dtype: DType) -> f64 {
    match dtype {
        DType::F32 => f64::from(edge as f32),
        DType::F16 => f16::to_f64(nearest_half(edge)),
        _ => edge,
    }
}

fn check<T: PartialOrd + std::fmt::Display>(edges: &[T]) -> Result<(), Error> {
    let wrong = |at: usize, limit| Err(Error::BinEdges { at, found: edges[at].to_string(), limit });
    // What has no order with itself is NaN.
    if let Some(at) = edges.iter().position(|edge| edge.partial_cmp(edge).is_none()) {
        return wrong(at, "edges are numbers");
    }
    match edges.windows(2).position(|pair| pair[0] > pair[1]) {
        Some(at) => wrong(at + 1, "none may be less than the one before"),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn even_bins_are_linspace() -> Result<(), Error> {
        let edges = |bins, low, high, dtype| Bins::Even { bins, low, high }.edges(dtype);
        assert_eq!(edges(3, 0.0, 1.0, DType::U8)?, [0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0]);
        assert_eq!(edges(1, 2.0, 2.0, DType::I32)?, [1.5, 2.5]);
        // Not the sum of tenths in f64, but the nearest f32.
        assert_eq!(edges(10, 0.0, 1.0, DType::F32)?[3], f64::from(0.3f32));
        assert_eq!(edges(2, 0.0, 2049.0, DType::F16)?, [0.0, 1024.0, 2048.0]);
        Ok(())
    }

    #[test]
    fn bins_that_cannot_be_are_errors() {
        let of = |bins: Bins, dtype| bins.edges(dtype).map_err(|error| error.to_string());
        let even = |bins, low, high| Bins::Even { bins, low, high };
        assert!(of(even(0, 0.0, 1.0), DType::U8).is_err_and(|text| text == "a histogram of 0 bins was asked for"));
        assert!(
            of(even(usize::MAX, 0.0, 1.0), DType::F64).is_err_and(|text| text == "a histogram of more than 67108864 bins was asked for")
        );
        assert!(of(Bins::Edges(vec![1.0]), DType::U8).is_err_and(|text| text.contains("0 bins")));
        for (low, high) in [(1.0, 0.0), (f64::NAN, 1.0), (0.0, f64::INFINITY), (-f64::MAX, f64::MAX)] {
            assert!(of(even(4, low, high), DType::U8).is_err_and(|text| text.contains("is no range")), "{low} {high}");
        }
        assert!(of(even(4, 0.0, 1e39), DType::F32).is_err_and(|text| text.contains("is no range")));
        assert!(of(even(4, 0.0, 1e39), DType::F64).is_ok());
        let narrow = of(even(1 << 20, 1000.0, 1001.0), DType::F32);
        assert!(narrow.as_ref().is_err_and(|text| text.contains("edges 0 and 1 would both be 1000")), "{narrow:?}");
        let edges = |edges: &[f64]| of(Bins::Edges(edges.to_vec()), DType::F32);
        assert!(edges(&[0.0, 2.0, 1.0]).is_err_and(|text| text == "edge 2 of the bins is 1, and none may be less than the one before"));
        let integers = |edges: &[i128]| of(Bins::IntegerEdges(edges.to_vec()), DType::I64);
        assert!(
            integers(&[0, i128::MAX, 1]).is_err_and(|text| text == "edge 2 of the bins is 1, and none may be less than the one before")
        );
        assert!(integers(&[-5]).is_err_and(|text| text.contains("0 bins")) && integers(&[i128::MIN, 0, 0, i128::MAX]).is_ok());
        assert!(edges(&[0.0, f64::NAN]).is_err_and(|text| text == "edge 1 of the bins is NaN, and edges are numbers"));
        assert!(edges(&[f64::NEG_INFINITY, 0.0, 0.0, f64::INFINITY]).is_ok());
        assert!(of(Bins::Values { bins: 3 }, DType::F16).is_err_and(|text| text.contains("f16")));
    }
}
