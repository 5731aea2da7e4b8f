//! Arrays of numbers whose type is known at run time.

use half::f16;

use crate::error::Error;
use crate::number::Number;

/// The type of an array's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Element {
    /// 8-bit unsigned integer.
    U8,
    /// 16-bit unsigned integer.
    U16,
    /// 8-bit signed integer.
    I8,
    /// 16-bit signed integer.
    I16,
    /// 32-bit unsigned integer.
    U32,
    /// 32-bit signed integer.
    I32,
    /// 32-bit float.
    F32,
    /// 64-bit unsigned integer.
    U64,
    /// 64-bit signed integer.
    I64,
    /// 64-bit float.
    F64,
    /// 16-bit float.
    F16,
}

impl Element {
    /// Every element type.
    pub const ALL: [Element; 11] = [
        Element::U8,
        Element::U16,
        Element::I8,
        Element::I16,
        Element::U32,
        Element::I32,
        Element::F32,
        Element::U64,
        Element::I64,
        Element::F64,
        Element::F16,
    ];

    /// Short name: `u32`, `f16`, …
    pub fn name(self) -> &'static str {
        match self {
            Element::U8 => "u8",
            Element::U16 => "u16",
            Element::I8 => "i8",
            Element::I16 => "i16",
            Element::U32 => "u32",
            Element::I32 => "i32",
            Element::F32 => "f32",
            Element::U64 => "u64",
            Element::I64 => "i64",
            Element::F64 => "f64",
            Element::F16 => "f16",
        }
    }

    /// Whether the type is a float.
    pub fn is_float(self) -> bool {
        matches!(self, Element::F16 | Element::F32 | Element::F64)
    }

    /// Bytes an element takes.
    pub fn size(self) -> usize {
        match self {
            Element::U8 | Element::I8 => 1,
            Element::U16 | Element::I16 | Element::F16 => 2,
            Element::U32 | Element::I32 | Element::F32 => 4,
            Element::U64 | Element::I64 | Element::F64 => 8,
        }
    }
}

/// An array of numbers whose type is known at run time.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// 8-bit unsigned integers.
    U8(Vec<u8>),
    /// 16-bit unsigned integers.
    U16(Vec<u16>),
    /// 8-bit signed integers.
    I8(Vec<i8>),
    /// 16-bit signed integers.
    I16(Vec<i16>),
    /// 32-bit unsigned integers.
    U32(Vec<u32>),
    /// 32-bit signed integers.
    I32(Vec<i32>),
    /// 32-bit floats.
    F32(Vec<f32>),
    /// 64-bit unsigned integers.
    U64(Vec<u64>),
    /// 64-bit signed integers.
    I64(Vec<i64>),
    /// 64-bit floats.
    F64(Vec<f64>),
    /// 16-bit floats.
    F16(Vec<f16>),
}

/// `$body` with the elements' vector, whatever its type.
macro_rules! each_type {
    ($values:expr, $data:ident => $body:expr) => {
        match $values {
            $crate::values::Values::U8($data) => $body,
            $crate::values::Values::U16($data) => $body,
            $crate::values::Values::I8($data) => $body,
            $crate::values::Values::I16($data) => $body,
            $crate::values::Values::U32($data) => $body,
            $crate::values::Values::I32($data) => $body,
            $crate::values::Values::F32($data) => $body,
            $crate::values::Values::U64($data) => $body,
            $crate::values::Values::I64($data) => $body,
            $crate::values::Values::F64($data) => $body,
            $crate::values::Values::F16($data) => $body,
        }
    };
}
pub(crate) use each_type;

/// The call of a function that is generic over the number, for an element type.
macro_rules! for_element {
    ($element:expr, $function:ident($($argument:expr),*)) => {
        match $element {
            $crate::values::Element::U8 => $function::<u8>($($argument),*),
            $crate::values::Element::U16 => $function::<u16>($($argument),*),
            $crate::values::Element::I8 => $function::<i8>($($argument),*),
            $crate::values::Element::I16 => $function::<i16>($($argument),*),
            $crate::values::Element::U32 => $function::<u32>($($argument),*),
            $crate::values::Element::I32 => $function::<i32>($($argument),*),
            $crate::values::Element::F32 => $function::<f32>($($argument),*),
            $crate::values::Element::U64 => $function::<u64>($($argument),*),
            $crate::values::Element::I64 => $function::<i64>($($argument),*),
            $crate::values::Element::F64 => $function::<f64>($($argument),*),
            $crate::values::Element::F16 => $function::<half::f16>($($argument),*),
        }
    };
}
pub(crate) use for_element;

impl Values {
    /// The type of the elements.
    pub fn element(&self) -> Element {
        match self {
            Values::U8(_) => Element::U8,
            Values::U16(_) => Element::U16,
            Values::I8(_) => Element::I8,
            Values::I16(_) => Element::I16,
            Values::U32(_) => Element::U32,
            Values::I32(_) => Element::I32,
            Values::F32(_) => Element::F32,
            Values::U64(_) => Element::U64,
            Values::I64(_) => Element::I64,
            Values::F64(_) => Element::F64,
            Values::F16(_) => Element::F16,
        }
    }

    /// How many elements there are.
    pub fn len(&self) -> usize {
        each_type!(self, data => data.len())
    }

    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Every element as an `f64`: exact but for 64-bit integers beyond 2^53.
    pub fn to_f64(&self) -> Vec<f64> {
        each_type!(self, data => data.iter().map(|x| x.to_f64()).collect())
    }

    /// Every element's bits, in the low ones of each `u64`.
    pub fn bits(&self) -> Vec<u64> {
        each_type!(self, data => data.iter().map(|x| x.bits()).collect())
    }

    /// Elements from their bits; what the type has no room for falls off.
    pub fn from_bits(element: Element, bits: impl IntoIterator<Item = u64>) -> Values {
        fn typed<T: Number>(bits: impl IntoIterator<Item = u64>) -> Values {
            T::values(bits.into_iter().map(T::from_bits).collect())
        }
        for_element!(element, typed(bits))
    }

    /// The elements at these positions, in their order. A position beyond the end gives none.
    pub fn take(&self, at: impl IntoIterator<Item = usize>) -> Values {
        each_type!(self, data => Number::values(at.into_iter().filter_map(|at| data.get(at).copied()).collect()))
    }

    /// Elements from their bytes, in the host's order. `None` where the bytes are not a whole number of elements.
    pub fn from_bytes(element: Element, bytes: &[u8]) -> Option<Values> {
        if !bytes.len().is_multiple_of(element.size()) {
            return None;
        }
        Some(match element {
            Element::U8 => Values::U8(bytes.to_vec()),
            Element::U16 => Values::U16(chunks(bytes).map(u16::from_ne_bytes).collect()),
            Element::I8 => Values::I8(chunks(bytes).map(i8::from_ne_bytes).collect()),
            Element::I16 => Values::I16(chunks(bytes).map(i16::from_ne_bytes).collect()),
            Element::U32 => Values::U32(chunks(bytes).map(u32::from_ne_bytes).collect()),
            Element::I32 => Values::I32(chunks(bytes).map(i32::from_ne_bytes).collect()),
            Element::F32 => Values::F32(chunks(bytes).map(f32::from_ne_bytes).collect()),
            Element::U64 => Values::U64(chunks(bytes).map(u64::from_ne_bytes).collect()),
            Element::I64 => Values::I64(chunks(bytes).map(i64::from_ne_bytes).collect()),
            Element::F64 => Values::F64(chunks(bytes).map(f64::from_ne_bytes).collect()),
            Element::F16 => Values::F16(chunks(bytes).map(f16::from_ne_bytes).collect()),
        })
    }

    /// The elements' bytes, in the host's order.
    pub fn to_bytes(&self) -> Vec<u8> {
        each_type!(self, data => data.iter().flat_map(|x| x.to_ne_bytes()).collect())
    }

    /// An error unless `other` has elements of the same type.
    pub(crate) fn check_type(&self, what: &'static str, other: &Values) -> Result<(), Error> {
        let (element, found) = (self.element(), other.element());
        if element == found { Ok(()) } else { Err(Error::Mismatch { what, element, found }) }
    }
}

fn chunks<const N: usize>(bytes: &[u8]) -> impl Iterator<Item = [u8; N]> {
    bytes.chunks_exact(N).map(|chunk| {
        let mut array = [0; N];
        array.copy_from_slice(chunk);
        array
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_back() {
        let all = [
            Values::U8(vec![1, u8::MAX]),
            Values::U16(vec![1, u16::MAX]),
            Values::I8(vec![-1, i8::MIN]),
            Values::I16(vec![-1, i16::MIN]),
            Values::U32(vec![1, u32::MAX]),
            Values::I32(vec![-1, i32::MIN]),
            Values::F32(vec![0.1, f32::INFINITY]),
            Values::U64(vec![1, u64::MAX]),
            Values::I64(vec![-1, i64::MIN]),
            Values::F64(vec![0.1, f64::MIN]),
            Values::F16(vec![f16::from_f32(0.5), f16::MAX]),
        ];
        for values in all {
            let bytes = values.to_bytes();
            assert_eq!(bytes.len(), 2 * values.element().size());
            assert_eq!(Values::from_bytes(values.element(), &bytes), Some(values.clone()));
            assert_eq!(Values::from_bits(values.element(), values.bits()), values);
        }
    }

    #[test]
    fn half_an_element_is_refused() {
        assert_eq!(Values::from_bytes(Element::U32, &[0; 6]), None);
        assert_eq!(Values::from_bytes(Element::F16, &[0; 6]), Some(Values::F16(vec![f16::ZERO; 3])));
    }

    #[test]
    fn elements_at_positions() {
        let values = Values::F16([1.0, 2.0, 3.0].map(f16::from_f32).to_vec());
        assert_eq!(values.take([2, 0, 2, 3]).to_f64(), [3.0, 1.0, 3.0]);
        assert_eq!(values.take([]), Values::F16(vec![]));
        assert_eq!(Values::I32(vec![-1]).bits(), [0xffff_ffff]);
        assert_eq!((Values::I8(vec![-1]).bits(), Values::I16(vec![-2]).bits()), (vec![0xff], vec![0xfffe]));
    }
}
