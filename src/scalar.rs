//! One element, of a type known at run time.

use serde::{Deserialize, Serialize};

use crate::{DType, Element};

/// One element, of a type known at run time.
///
/// ```
/// use wavelane::{DType, Scalar};
///
/// let one = Scalar::from(1.0f32);
/// assert_eq!((one.dtype(), one.bits()), (DType::F32, 0x3f80_0000));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Scalar {
    dtype: DType,
    bits: u64,
}

impl Scalar {
    /// An element from its bits, in the low ones of `bits`; higher ones are left out.
    pub const fn from_bits(dtype: DType, bits: u64) -> Self {
        let unused = 64 - 8 * dtype.size() as u32;
        Self { dtype, bits: bits << unused >> unused }
    }

    /// Zero.
    pub const fn zero(dtype: DType) -> Self {
        Self { dtype, bits: 0 }
    }

    /// The type.
    pub const fn dtype(self) -> DType {
        self.dtype
    }

    /// The bits, in the low ones.
    pub const fn bits(self) -> u64 {
        self.bits
    }

    /// The bytes, in the host's order.
    pub fn bytes(self) -> Vec<u8> {
        match self.dtype.size() {
            1 => (self.bits as u8).to_ne_bytes().to_vec(),
            2 => (self.bits as u16).to_ne_bytes().to_vec(),
            4 => (self.bits as u32).to_ne_bytes().to_vec(),
            _ => self.bits.to_ne_bytes().to_vec(),
        }
    }

    /// The low and the high word.
    pub(crate) const fn words(self) -> [u32; 2] {
        [self.bits as u32, (self.bits >> 32) as u32]
    }
}

impl<T: Element> From<T> for Scalar {
    fn from(value: T) -> Self {
        let mut bytes = [0; 8];
        let own = bytemuck::bytes_of(&value);
        // The low bits come first on one kind of machine, and last on the other.
        let begin = if cfg!(target_endian = "little") { 0 } else { 8 - own.len() };
        bytes[begin..begin + own.len()].copy_from_slice(own);
        Self { dtype: T::DTYPE, bits: u64::from_ne_bytes(bytes) }
    }
}
