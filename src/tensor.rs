//! Arrays in host memory.

use crate::{DType, Element, Error};

/// An N-dimensional array in host memory, elements in C order (the last axis varies fastest).
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    dtype: DType,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

impl Tensor {
    /// An array from its bytes, in the host's byte order.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] if `bytes` is not as long as `shape` says.
    pub fn new(dtype: DType, shape: Vec<usize>, bytes: Vec<u8>) -> Result<Self, Error> {
        let needed = element_count(&shape).and_then(|count| count.checked_mul(dtype.size()));
        if needed != Some(bytes.len() as u64) {
            return Err(Error::ShapeMismatch { shape, dtype, bytes: bytes.len() as u64 });
        }
        Ok(Self { dtype, shape, bytes })
    }

    /// An array from a slice of elements.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] if `elements` is not as long as `shape` says.
    pub fn from_slice<T: Element>(elements: &[T], shape: &[usize]) -> Result<Self, Error> {
        Self::new(T::DTYPE, shape.to_vec(), bytemuck::cast_slice(elements).to_vec())
    }

    /// The type of the elements.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Length of each axis; empty for a single value.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The elements' bytes, in the host's byte order.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The elements.
    ///
    /// # Errors
    /// [`Error::ElementType`] if they are not of type `T`.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>, Error> {
        if T::DTYPE != self.dtype {
            return Err(Error::ElementType { asked: T::DTYPE, found: self.dtype });
        }
        Ok(bytemuck::pod_collect_to_vec(&self.bytes))
    }

    /// The one element of an array that has one.
    ///
    /// # Errors
    /// [`Error::ElementType`] if it is not of type `T`, [`Error::NotScalar`] if there is not exactly one.
    pub fn to_scalar<T: Element>(&self) -> Result<T, Error> {
        match self.to_vec()?.as_slice() {
            [one] => Ok(*one),
            _ => Err(Error::NotScalar { shape: self.shape.clone() }),
        }
    }
}

/// The number of elements of an array, or nothing where it does not fit 64 bits.
pub(crate) fn element_count(shape: &[usize]) -> Option<u64> {
    // A zero anywhere makes the array empty, even where the other lengths would overflow.
    if shape.contains(&0) {
        return Some(0);
    }
    shape.iter().try_fold(1u64, |count, &length| count.checked_mul(length as u64))
}
