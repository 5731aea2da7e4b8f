//! Histograms of arrays in host memory.

use super::work::{INPUT, LOOKUP, OUTPUT, WEIGHTS};
use super::{Bins, Histogram};
use crate::context::{Context, Outcome};
use crate::kernel::Plan;
use crate::limits::MAX_ELEMENTS;
use crate::{DType, Error, Tensor};

/// What is wrong with an array of another type or number of elements than are wanted. Its shape does not matter: arrays are taken in C order.
fn check(what: &str, dtype: DType, counts: &[usize], found: &Tensor) -> Result<(), Error> {
    let count = found.bytes().len() as u64 / found.dtype().size();
    if found.dtype() == dtype && counts.iter().any(|&wanted| wanted as u64 == count) {
        return Ok(());
    }
    let expected = format!("{} {dtype}{what}", counts.first().copied().unwrap_or(0));
    Err(Error::InputMismatch { expected, found: format!("{} {:?}", found.dtype(), found.shape()) })
}

impl Context {
    /// A histogram of an array, of all its elements whether or not it is counted. `input` may have a gap behind its last row, too; `weights` has a weight for each of its elements,
    /// where the histogram is of weights.
    ///
    /// # Errors
    /// [`Error::InputMismatch`] if `input` or `weights` is not what `histogram` describes; [`Error::InputMissing`] if weights are left out; what [`crate::Kernel::plan`] says; memory, submission, device loss.
    pub fn histogram(&self, histogram: &Histogram, input: &Tensor, weights: Option<&Tensor>) -> Result<Outcome<Plan<Histogram>>, Error> {
        let histogram = Histogram { counted: false, ..histogram.clone() };
        let len = histogram.input_len()?;
        let counts = [len, histogram.rows.saturating_mul(histogram.pitch)];
        check("", histogram.dtype, &counts, input)?;
        let bytes = match (histogram.weights, weights) {
            (None, None) => &[][..],
            (Some(dtype), Some(weights)) => {
                check(" weights", dtype, &counts, weights)?;
                &weights.bytes()[..len * dtype.size() as usize]
            }
            (Some(dtype), None) => return Err(Error::InputMissing { expected: format!("{len} {dtype} weights") }),
            (None, Some(weights)) => {
                let found = format!("{} {:?}", weights.dtype(), weights.shape());
                return Err(Error::InputMismatch { expected: "no weights".into(), found });
            }
        };
        let lookup = histogram.lookup_words()?;
        let elements = &input.bytes()[..len * histogram.dtype.size() as usize];
        let uploads = [(INPUT, elements), (LOOKUP, bytemuck::cast_slice(&lookup)), (WEIGHTS, bytes)];
        let (dtype, shape) = (histogram.result_dtype(), histogram.result_shape());
        let size = shape.iter().map(|&length| length as u64).product::<u64>() * dtype.size();
        self.run(&histogram, &uploads, |downloads| Tensor::new(dtype, shape, downloads.bytes(OUTPUT, size)?))
    }

    /// How often each value occurs in an array of integers, or the sum of its weights, as f64: `numpy.bincount`. There are as many results as the greatest value
    /// asks for, and at least `least`.
    ///
    /// # Errors
    /// [`Error::BinsOfType`] for floats, [`Error::NegativeValue`]; [`Error::TooManyBins`] for too great a value; as [`Context::histogram`].
    pub fn bincount(&self, input: &Tensor, weights: Option<&Tensor>, least: usize) -> Result<Outcome<Plan<Histogram>>, Error> {
        let bins = values(input)?.max(least as u64);
        if bins > MAX_ELEMENTS {
            return Err(Error::TooManyBins { limit: MAX_ELEMENTS });
        }
        let len = input.bytes().len() / input.dtype().size() as usize;
        // No values at all have no bins; a histogram has one.
        let mut histogram = Histogram::new(input.dtype(), Bins::Values { bins: bins.max(1) as usize }, len);
        histogram.weights = weights.map(Tensor::dtype);
        histogram.wide = weights.is_some();
        let mut outcome = self.histogram(&histogram, input, weights)?;
        if bins == 0 {
            outcome.tensor = Tensor::new(outcome.tensor.dtype(), vec![0], Vec::new())?;
        }
        Ok(outcome)
    }
}

/// How many values there are up to the greatest of an array.
fn values(input: &Tensor) -> Result<u64, Error> {
    fn greatest<T: Copy + Into<i128> + bytemuck::Pod>(bytes: &[u8]) -> Result<u64, Error> {
        let mut most = -1;
        for (at, chunk) in bytes.chunks_exact(size_of::<T>()).enumerate() {
            let value: i128 = bytemuck::pod_read_unaligned::<T>(chunk).into();
            if value < 0 {
                return Err(Error::NegativeValue { at, found: value as i64 });
            }
            most = most.max(value);
        }
        // The greatest u64 has no room for one more.
        Ok(u64::try_from(most + 1).unwrap_or(u64::MAX))
    }
    match input.dtype() {
        DType::U8 => greatest::<u8>(input.bytes()),
        DType::U16 => greatest::<u16>(input.bytes()),
        DType::I8 => greatest::<i8>(input.bytes()),
        DType::I16 => greatest::<i16>(input.bytes()),
        DType::U32 => greatest::<u32>(input.bytes()),
        DType::I32 => greatest::<i32>(input.bytes()),
        DType::U64 => greatest::<u64>(input.bytes()),
        DType::I64 => greatest::<i64>(input.bytes()),
        dtype => Err(Error::BinsOfType { dtype }),
    }
}
