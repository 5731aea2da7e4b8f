//! The few things that the twins ask of a number.

use half::f16;

use crate::error::Error;
use crate::values::{Element, Values};

/// A number of any kind.
pub(crate) trait Number: Copy + Default + PartialOrd {
    const ELEMENT: Element;
    const ZERO: Self;
    /// The greatest value, or infinity.
    const GREATEST: Self;
    /// The least value, or minus infinity.
    const LEAST: Self;
    /// The elements, where they are of this type.
    fn of(values: &Values) -> Option<&[Self]>;
    fn values(data: Vec<Self>) -> Values;
    fn to_f64(self) -> f64;
    fn bits(self) -> u64;
    /// The number of these bits; what the type has no room for falls off.
    fn from_bits(bits: u64) -> Self;
    fn scalar(self) -> Scalar;
    /// As `as` does.
    fn from_scalar(scalar: Scalar) -> Self;

    fn is_zero(self) -> bool {
        self == Self::ZERO
    }

    #[expect(clippy::eq_op, reason = "NaN is what differs from itself")]
    fn is_nan(self) -> bool {
        self != self
    }

    /// The lesser of two, where -0 is less than +0; the first NaN if there is one.
    fn least(self, other: Self) -> Self {
        if self.is_nan() || self < other || (self == other && self.is_negative_zero()) { self } else { other }
    }

    /// The greater of two, where -0 is less than +0; the first NaN if there is one.
    fn greatest(self, other: Self) -> Self {
        if self.is_nan() || self > other || (self == other && other.is_negative_zero()) { self } else { other }
    }

    fn is_negative_zero(self) -> bool {
        self.is_zero() && self.bits() != 0
    }
}

/// An integer: sums and products wrap, as numpy's do.
pub(crate) trait Integer: Number {
    const ONE: Self;
    const ALL_ONES: Self;
    /// The 64-bit type of the same signedness.
    type Wide: Integer;
    fn widen(self) -> Self::Wide;
    fn add(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    fn exact(self) -> i128;
}

/// A value of any type, exactly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Scalar {
    Integer(i128),
    Float(f64),
}

/// The one number that an argument has to be.
pub(crate) fn one<T: Number>(what: &'static str, values: &Values) -> Result<T, Error> {
    match T::of(values) {
        Some(&[x]) => Ok(x),
        _ => Err(Error::One { what, element: T::ELEMENT, found: values.element(), len: values.len() }),
    }
}

/// The elements that an argument of the same type as another has to have.
pub(crate) fn same<'a, T: Number>(what: &'static str, values: &'a Values) -> Result<&'a [T], Error> {
    T::of(values).ok_or(Error::Mismatch { what, element: T::ELEMENT, found: values.element() })
}

/// The half nearest to `x`, rounded once. `half` rounds to `f32` first where the processor converts, and drops the lower bits where it does not;
/// so the last bit of the `f32` here says whether something was left, which decides what looks like a tie.
fn nearest_half(x: f64) -> f16 {
    let near = x as f32;
    if f64::from(near) == x || x.is_nan() {
        return f16::from_f32(near);
    }
    let towards_zero = if f64::from(near).abs() > x.abs() { near.to_bits() - 1 } else { near.to_bits() };
    f16::from_f32(f32::from_bits(towards_zero | 1))
}

macro_rules! number {
    ($type:ty, $variant:ident) => {
        const ELEMENT: Element = Element::$variant;
        fn of(values: &Values) -> Option<&[Self]> {
            match values {
                Values::$variant(data) => Some(data),
                _ => None,
            }
        }
        fn values(data: Vec<Self>) -> Values {
            Values::$variant(data)
        }
    };
}

macro_rules! integer {
    ($type:ty, $unsigned:ty, $variant:ident, $wide:ty) => {
        impl Number for $type {
            number!($type, $variant);
            const ZERO: Self = 0;
            const GREATEST: Self = <$type>::MAX;
            const LEAST: Self = <$type>::MIN;
            fn to_f64(self) -> f64 {
                self as f64
            }
            fn bits(self) -> u64 {
                u64::from(self as $unsigned)
            }
            fn from_bits(bits: u64) -> Self {
                bits as $type
            }
            fn scalar(self) -> Scalar {
                Scalar::Integer(i128::from(self))
            }
            fn from_scalar(scalar: Scalar) -> Self {
                match scalar {
                    Scalar::Integer(x) => x as $type,
                    Scalar::Float(x) => x as $type,
                }
            }
        }

        impl Integer for $type {
            const ONE: Self = 1;
            const ALL_ONES: Self = !0;
            type Wide = $wide;
            fn widen(self) -> $wide {
                <$wide>::from(self)
            }
            fn add(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            fn mul(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
            fn and(self, other: Self) -> Self {
                self & other
            }
            fn or(self, other: Self) -> Self {
                self | other
            }
            fn xor(self, other: Self) -> Self {
                self ^ other
            }
            fn exact(self) -> i128 {
                i128::from(self)
            }
        }
    };
}

macro_rules! float {
    ($type:ty, $bits:ty, $variant:ident, $zero:expr, $integer:expr, $float:expr) => {
        impl Number for $type {
            number!($type, $variant);
            const ZERO: Self = $zero;
            const GREATEST: Self = <$type>::INFINITY;
            const LEAST: Self = <$type>::NEG_INFINITY;
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
            fn bits(self) -> u64 {
                u64::from(self.to_bits())
            }
            fn from_bits(bits: u64) -> Self {
                <$type>::from_bits(bits as $bits)
            }
            fn scalar(self) -> Scalar {
                Scalar::Float(f64::from(self))
            }
            fn from_scalar(scalar: Scalar) -> Self {
                match scalar {
                    Scalar::Integer(x) => $integer(x),
                    Scalar::Float(x) => $float(x),
                }
            }
        }
    };
}

integer!(u8, u8, U8, u64);
integer!(u16, u16, U16, u64);
integer!(i8, u8, I8, i64);
integer!(i16, u16, I16, i64);
integer!(u32, u32, U32, u64);
integer!(i32, u32, I32, i64);
integer!(u64, u64, U64, u64);
integer!(i64, u64, I64, i64);
// An integer that an f64 does not hold is beyond any finite half.
float!(f16, u16, F16, f16::ZERO, |x: i128| nearest_half(x as f64), nearest_half);
float!(f32, u32, F32, 0.0, |x: i128| x as f32, |x: f64| x as f32);
float!(f64, u64, F64, 0.0, |x: i128| x as f64, |x: f64| x);
