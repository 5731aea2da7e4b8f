//! The few things that the twins ask of a number.

use half::f16;

/// A number of any kind.
pub(crate) trait Number: Copy + PartialOrd {
    fn to_f64(self) -> f64;
    fn is_zero(self) -> bool;
    fn is_nan(self) -> bool;
}

/// An integer: sums and products wrap, as numpy's do.
pub(crate) trait Integer: Number {
    const ZERO: Self;
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

macro_rules! integer {
    ($type:ty, $wide:ty) => {
        impl Number for $type {
            fn to_f64(self) -> f64 {
                self as f64
            }
            fn is_zero(self) -> bool {
                self == 0
            }
            fn is_nan(self) -> bool {
                false
            }
        }

        impl Integer for $type {
            const ZERO: Self = 0;
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
    ($type:ty) => {
        impl Number for $type {
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
            fn is_zero(self) -> bool {
                f64::from(self) == 0.0
            }
            fn is_nan(self) -> bool {
                f64::from(self).is_nan()
            }
        }
    };
}

integer!(u8, u64);
integer!(u16, u64);
integer!(u32, u64);
integer!(i32, i64);
integer!(u64, u64);
integer!(i64, i64);
float!(f16);
float!(f32);
float!(f64);
