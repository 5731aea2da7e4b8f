//! The lines of an array along an axis.

use crate::error::Error;

/// Where the elements of one line are: every `stride`-th from `start`.
#[derive(Clone, Copy)]
pub(crate) struct Line {
    pub(crate) start: usize,
    pub(crate) stride: usize,
    pub(crate) length: usize,
}

impl Line {
    /// The position of the line's element `k`.
    pub(crate) fn at(self, k: usize) -> usize {
        self.start + k * self.stride
    }
}

/// The lines of an array along an axis, in the order of the results.
#[derive(Clone, Copy)]
pub(crate) struct Lines {
    /// Lines before and after the axis: `outer * inner` in all.
    outer: usize,
    inner: usize,
    /// Elements in each.
    pub(crate) length: usize,
}

impl Lines {
    pub(crate) fn new(len: usize, shape: &[usize], axis: Option<usize>) -> Result<Lines, Error> {
        let product = |extents: &[usize]| extents.iter().try_fold(1usize, |product, &extent| product.checked_mul(extent));
        let no_shape = || Error::Shape { shape: shape.to_vec(), len };
        if product(shape) != Some(len) {
            return Err(no_shape());
        }
        match axis {
            None => Ok(Lines { outer: 1, inner: 1, length: len }),
            Some(axis) if axis < shape.len() => {
                // An axis of length 0 hides how many lines there are from the check above.
                let outer = product(&shape[..axis]).ok_or_else(no_shape)?;
                let inner = product(&shape[axis + 1..]).ok_or_else(no_shape)?;
                outer.checked_mul(inner).ok_or_else(no_shape)?;
                Ok(Lines { outer, inner, length: shape[axis] })
            }
            Some(axis) => Err(Error::Axis { axis, dimensions: shape.len() }),
        }
    }

    /// Each line.
    pub(crate) fn each(self) -> impl Iterator<Item = Line> {
        (0..self.outer * self.inner).map(move |line| Line {
            start: line / self.inner * self.length * self.inner + line % self.inner,
            stride: self.inner,
            length: self.length,
        })
    }

    /// Calls `result` with each line's values.
    pub(crate) fn map<T: Copy, R>(self, data: &[T], mut result: impl FnMut(&[T]) -> R) -> Vec<R> {
        let mut values = Vec::with_capacity(self.length);
        self.each()
            .map(|line| {
                values.clear();
                values.extend((0..line.length).map(|k| data[line.at(k)]));
                result(&values)
            })
            .collect()
    }
}
