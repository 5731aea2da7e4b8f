//! An array as three axes: what lies before the axis that a kernel works along, the axis, and what lies behind it.

use crate::Error;
use crate::limits::MAX_ELEMENTS;
use crate::tensor::element_count;

/// Element (o, i, j) lies at (o · count + i) · inner + j; what is computed of the line (o, j) at o · inner + j.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Product of the lengths before the axis.
    pub(crate) outer: u64,
    /// Length of the axis.
    pub(crate) count: u64,
    /// Product of the lengths behind the axis.
    pub(crate) inner: u64,
}

impl Layout {
    /// Along `axis`, or along the whole array as one.
    pub(crate) fn of(shape: &[usize], axis: Option<usize>) -> Result<Self, Error> {
        let too_many = |count: Option<u64>| Error::TooManyElements {
            shape: shape.to_vec(),
            count: count.map_or_else(|| "more than 2^64".into(), |count| count.to_string()),
            limit: MAX_ELEMENTS,
        };
        let product = |lengths: &[usize]| match element_count(lengths) {
            Some(count) if count <= MAX_ELEMENTS => Ok(count),
            count => Err(too_many(count)),
        };
        product(shape)?;
        let Some(axis) = axis else {
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

    pub(crate) fn elements(&self) -> u64 {
        self.outer * self.count * self.inner
    }

    pub(crate) fn results(&self) -> u64 {
        self.outer * self.inner
    }
}
