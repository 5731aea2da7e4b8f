//! A reduction's input as three axes: what lies before the reduced axis, the axis, and what lies behind it.

use super::Reduce;
use crate::Error;
use crate::tensor::element_count;

/// Element (o, i, j) of the input lies at (o · count + i) · inner + j; result (o, j) at o · inner + j.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// Product of the lengths before the axis.
    pub(super) outer: u64,
    /// Length of the axis.
    pub(super) count: u64,
    /// Product of the lengths behind the axis.
    pub(super) inner: u64,
}

/// Indices are 32 bits wide in the shaders.
const MAX_ELEMENTS: u64 = u32::MAX as u64;

impl Layout {
    pub(super) fn of(reduce: &Reduce) -> Result<Self, Error> {
        let shape = &reduce.shape;
        let too_many = |count: Option<u64>| Error::TooManyElements {
            shape: shape.clone(),
            count: count.map_or_else(|| "more than 2^64".into(), |count| count.to_string()),
            limit: MAX_ELEMENTS,
        };
        let product = |lengths: &[usize]| match element_count(lengths) {
            Some(count) if count <= MAX_ELEMENTS => Ok(count),
            count => Err(too_many(count)),
        };
        product(shape)?;
        let Some(axis) = reduce.axis else {
            return Ok(Self { outer: 1, count: product(shape)?, inner: 1 });
        };
        if axis >= shape.len() {
            return Err(Error::AxisOutOfRange { axis, rank: shape.len() });
        }
        // With a length of 0 elsewhere the other lengths may be anything, and so may the results along a length of 0: count those too.
        let results = [&shape[..axis], &shape[axis + 1..]].concat();
        product(&results)?;
        if results.contains(&0) {
            return Ok(Self { outer: 0, count: product(&shape[axis..=axis])?, inner: 0 });
        }
        Ok(Self { outer: product(&shape[..axis])?, count: product(&shape[axis..=axis])?, inner: product(&shape[axis + 1..])? })
    }

    pub(super) fn elements(&self) -> u64 {
        self.outer * self.count * self.inner
    }

    pub(super) fn results(&self) -> u64 {
        self.outer * self.inner
    }
}
