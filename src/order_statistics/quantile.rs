//! Medians and quantiles: their neighbours are found on the device, and what lies between them is computed by the host, from a few keys of each row.

use serde::{Deserialize, Serialize};

use super::interpolate::{self, Between};
use super::nth_element::NthElement;
use crate::kernel::Plan;
use crate::{Context, DType, Error, OrderStrategy, Outcome, Tensor};

/// The median of each row, as `np.median` has it: of an even number of keys the mean of the middle two. Of f32 and f16 in the same type, else in f64. NaN where a row has one, or has no keys.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Median {
    /// Type of the keys.
    pub dtype: DType,
    /// Lengths of the array's axes.
    pub shape: Vec<usize>,
    /// Whether the whole array is one row. Otherwise rows are along the last axis.
    pub flattened: bool,
    /// The strategy to take; without one it follows from device and size.
    pub strategy: Option<OrderStrategy>,
}

/// Quantiles of each row, as `np.quantile` has them by linear interpolation, in f64. NaN where a row has one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quantile {
    /// Type of the keys.
    pub dtype: DType,
    /// Lengths of the array's axes.
    pub shape: Vec<usize>,
    /// Which: numbers from 0 to 1. Results are those of all rows for the first, then for the next.
    pub q: Vec<f64>,
    /// Whether the whole array is one row. Otherwise rows are along the last axis.
    pub flattened: bool,
    /// The strategy to take; without one it follows from device and size.
    pub strategy: Option<OrderStrategy>,
}

impl Median {
    /// Of each row along the last axis.
    pub fn new(dtype: DType, shape: &[usize]) -> Self {
        Self { dtype, shape: shape.to_vec(), flattened: false, strategy: None }
    }

    /// Takes the whole array as one row.
    pub fn flattened(mut self) -> Self {
        self.flattened = true;
        self
    }

    /// The type of the results.
    pub fn result_dtype(&self) -> DType {
        if self.dtype.is_float() { self.dtype } else { DType::F64 }
    }

    /// The keys that are found on the device: the middle ones, and of floats the last, which is NaN if any is.
    ///
    /// # Errors
    /// [`Error::TooManyElements`].
    pub fn neighbours(&self) -> Result<NthElement, Error> {
        let nth = self.nth(Vec::new());
        let length = nth.row_length()?;
        let mut places = match length {
            0 => Vec::new(),
            length => vec![(length - 1) / 2, length / 2],
        };
        if self.dtype.is_float() {
            places.extend(length.checked_sub(1));
        }
        Ok(self.nth(distinct(places)))
    }

    fn nth(&self, places: Vec<usize>) -> NthElement {
        let Self { dtype, shape, flattened, strategy } = self.clone();
        NthElement { dtype, shape, places, flattened, strategy }
    }
}

impl Quantile {
    /// Of each row along the last axis.
    pub fn new(dtype: DType, shape: &[usize], q: &[f64]) -> Self {
        Self { dtype, shape: shape.to_vec(), q: q.to_vec(), flattened: false, strategy: None }
    }

    /// Takes the whole array as one row.
    pub fn flattened(mut self) -> Self {
        self.flattened = true;
        self
    }

    /// The keys that are found on the device: those on both sides of each quantile, and of floats the last, which is NaN if any is.
    ///
    /// # Errors
    /// [`Error::QuantileRange`] for numbers that are not from 0 to 1, [`Error::EmptyQuantile`] for rows without keys, [`Error::TooManyElements`].
    pub fn neighbours(&self) -> Result<NthElement, Error> {
        let length = self.nth(Vec::new()).row_length()?;
        let mut places: Vec<u64> = self.between(length)?.iter().flat_map(|between| [between.lower, between.upper]).collect();
        if self.dtype.is_float() && !places.is_empty() {
            places.push(length - 1);
        }
        Ok(self.nth(distinct(places)))
    }

    fn nth(&self, places: Vec<usize>) -> NthElement {
        let Self { dtype, shape, flattened, strategy, .. } = self.clone();
        NthElement { dtype, shape, places, flattened, strategy }
    }

    /// Where each quantile lies among so many keys.
    fn between(&self, length: u64) -> Result<Vec<Between>, Error> {
        if let Some(&q) = self.q.iter().find(|q| !(0.0..=1.0).contains(*q)) {
            return Err(Error::QuantileRange { q });
        }
        if length == 0 {
            return Err(Error::EmptyQuantile);
        }
        Ok(self.q.iter().map(|&q| Between::of(q, length)).collect())
    }
}

/// Each place once, in their order. What is no place of a row that a host can have is none of a device's either, and is told of there.
fn distinct(mut places: Vec<u64>) -> Vec<usize> {
    places.sort_unstable();
    places.dedup();
    places.into_iter().map(|place| usize::try_from(place).unwrap_or(usize::MAX)).collect()
}

impl Context {
    /// The median of each row.
    ///
    /// # Errors
    /// [`Error::InputMismatch`] if `keys` is not what `median` describes; what [`Context::nth_element`] says.
    pub fn median(&self, median: &Median, keys: &Tensor) -> Result<Outcome<Plan<NthElement>>, Error> {
        let nth = median.neighbours()?;
        let outcome = self.nth_element(&nth, keys)?;
        let rows: usize = nth.row_shape().iter().product();
        let found = interpolate::Found { places: &nth.places, rows, keys: &outcome.tensor };
        let bytes = interpolate::medians(&found, nth.row_length()?)?;
        let tensor = Tensor::new(median.result_dtype(), nth.row_shape().to_vec(), bytes)?;
        Ok(Outcome { tensor, plan: outcome.plan, gpu_time_ns: outcome.gpu_time_ns, bytes_moved: outcome.bytes_moved })
    }

    /// Quantiles of each row: those of all rows for the first number, then for the next.
    ///
    /// # Errors
    /// [`Error::QuantileRange`], [`Error::EmptyQuantile`]; [`Error::InputMismatch`] if `keys` is not what `quantile` describes; what [`Context::nth_element`] says.
    pub fn quantile(&self, quantile: &Quantile, keys: &Tensor) -> Result<Outcome<Plan<NthElement>>, Error> {
        let nth = quantile.neighbours()?;
        let outcome = self.nth_element(&nth, keys)?;
        let rows: usize = nth.row_shape().iter().product();
        let found = interpolate::Found { places: &nth.places, rows, keys: &outcome.tensor };
        let values = interpolate::quantiles(&found, &quantile.between(nth.row_length()?)?)?;
        let shape = [&[quantile.q.len()], nth.row_shape()].concat();
        let tensor = Tensor::from_slice(&values, &shape)?;
        Ok(Outcome { tensor, plan: outcome.plan, gpu_time_ns: outcome.gpu_time_ns, bytes_moved: outcome.bytes_moved })
    }
}
