//! One element.

use serde::{Deserialize, Serialize};

use crate::{DType, Element};

/// One element of a type that is known at run time.
///
/// ```
/// use wavelane::{DType, Scalar};
///
/// assert_eq!(Scalar::from(1.5f32).dtype(), DType::F32);
/// assert_eq!(Scalar::from(258u16).bytes(), 258u16.to_ne_bytes());
/// ```
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Scalar {
    dtype: DType,
    /// In the low ones. What is above them does not count.
    bits: u64,
}

impl Scalar {
    /// An element from its bits; what the type has no room for falls off.
    pub fn from_bits(dtype: DType, bits: u64) -> Self {
        Self { dtype, bits }
    }

    /// Zero.
    pub fn zero(dtype: DType) -> Self {
        Self::from_bits(dtype, 0)
    }

    /// The type.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The element's bits, in the low ones.
    pub fn bits(&self) -> u64 {
        self.bits & (u64::MAX >> (64 - 8 * self.dtype.size()))
    }

    /// The element's bytes, in the host's order.
    pub fn bytes(&self) -> Vec<u8> {
        match self.dtype.size() {
            1 => (self.bits as u8).to_ne_bytes().to_vec(),
            2 => (self.bits as u16).to_ne_bytes().to_vec(),
            4 => (self.bits as u32).to_ne_bytes().to_vec(),
            _ => self.bits.to_ne_bytes().to_vec(),
        }
    }

    /// The low and the high word.
    pub(crate) fn words(&self) -> [u32; 2] {
        [self.bits() as u32, (self.bits() >> 32) as u32]
    }
}

impl PartialEq for Scalar {
    fn eq(&self, other: &Self) -> bool {
        (self.dtype, self.bits()) == (other.dtype, other.bits())
    }
}

impl Eq for Scalar {}

impl std::hash::Hash for Scalar {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (self.dtype, self.bits()).hash(state);
    }
}

impl<T: Element> From<T> for Scalar {
    fn from(value: T) -> Self {
        let bytes = bytemuck::bytes_of(&value);
        let bits = match *bytes {
            [a] => u64::from(a),
            [a, b] => u64::from(u16::from_ne_bytes([a, b])),
            [a, b, c, d] => u64::from(u32::from_ne_bytes([a, b, c, d])),
            [a, b, c, d, e, f, g, h] => u64::from_ne_bytes([a, b, c, d, e, f, g, h]),
            // Elements have 1, 2, 4 or 8 bytes.
            _ => 0,
        };
        Self { dtype: T::DTYPE, bits }
    }
}
