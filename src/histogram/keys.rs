//! Elements as keys: unsigned numbers with their order (`Key` in `glsl/histogram/bin.glsl`). An edge becomes the first key that is not below it, so that
//! devices compare integers, whatever their floats are.

use half::f16;

use crate::DType;

const SIGN_16: u64 = 1 << 15;
const SIGN_32: u64 = 1 << 31;
const SIGN_64: u64 = 1 << 63;

/// The key of a float, from its bits and its type's sign bit. Zeros of both signs have one.
fn float_key(bits: u64, sign: u64) -> u64 {
    let bits = if bits == sign { 0 } else { bits };
    if bits & sign != 0 { !bits & (sign | (sign - 1)) } else { bits | sign }
}

/// The key of the nearest float, and how that compares with the number.
fn nearest(value: f64, dtype: DType) -> (u64, f64) {
    match dtype {
        DType::F16 => {
            let half = nearest_half(value);
            (float_key(half.to_bits().into(), SIGN_16), half.to_f64())
        }
        DType::F32 => (float_key((value as f32).to_bits().into(), SIGN_32), f64::from(value as f32)),
        _ => (float_key(value.to_bits(), SIGN_64), value),
    }
}

/// The half nearest to a number. `half` rounds to f32 first on some machines, so the last bit of the f32 here says whether something was left.
pub(super) fn nearest_half(value: f64) -> f16 {
    let near = value as f32;
    if f64::from(near) == value || value.is_nan() {
        return f16::from_f32(near);
    }
    let towards_zero = if f64::from(near).abs() > value.abs() { near.to_bits() - 1 } else { near.to_bits() };
    f16::from_f32(f32::from_bits(towards_zero | 1))
}

/// Least and greatest value of an integer type of up to 32 bits.
fn small_range(dtype: DType) -> (f64, f64) {
    match dtype {
        DType::U8 => (0.0, f64::from(u8::MAX)),
        DType::U16 => (0.0, f64::from(u16::MAX)),
        DType::I8 => (f64::from(i8::MIN), f64::from(i8::MAX)),
        DType::I16 => (f64::from(i16::MIN), f64::from(i16::MAX)),
        DType::I32 => (f64::from(i32::MIN), f64::from(i32::MAX)),
        _ => (0.0, f64::from(u32::MAX)),
    }
}

/// A 64-bit integer as f64, from its key: what numpy compares with edges.
fn wide_value(key: u64, dtype: DType) -> f64 {
    if dtype == DType::I64 { (key ^ SIGN_64) as i64 as f64 } else { key as f64 }
}

/// The least key for which something holds that holds for all greater ones, too.
fn first_key(holds: impl Fn(u64) -> bool) -> Option<u64> {
    let (mut begin, mut end) = (0u64, u64::MAX);
    if !holds(end) {
        return None;
    }
    while begin < end {
        let middle = begin + (end - begin) / 2;
        if holds(middle) { end = middle } else { begin = middle + 1 }
    }
    Some(begin)
}

/// The least key of the elements that are not below an edge; nothing where all are.
pub(super) fn least_from(edge: f64, dtype: DType) -> Option<u64> {
    match dtype {
        DType::F16 | DType::F32 | DType::F64 => {
            let (key, value) = nearest(edge, dtype);
            Some(if value < edge { key + 1 } else { key })
        }
        DType::U64 | DType::I64 => first_key(|key| wide_value(key, dtype) >= edge),
        _ => {
            let (least, most) = small_range(dtype);
            let value = edge.ceil().max(least);
            (value <= most).then_some((value - least) as u64)
        }
    }
}

/// The greatest key of the elements that are not above an edge; nothing where all are.
pub(super) fn most_to(edge: f64, dtype: DType) -> Option<u64> {
    match dtype {
        DType::F16 | DType::F32 | DType::F64 => {
            let (key, value) = nearest(edge, dtype);
            Some(if value > edge { key - 1 } else { key })
        }
        DType::U64 | DType::I64 => match first_key(|key| wide_value(key, dtype) > edge) {
            Some(above) => above.checked_sub(1),
            None => Some(u64::MAX),
        },
        _ => {
            let (least, most) = small_range(dtype);
            let value = edge.floor().min(most);
            (value >= least).then_some((value - least) as u64)
        }
    }
}

/// Least and greatest value of an integer type.
fn integer_range(dtype: DType) -> (i128, i128) {
    match dtype {
        DType::U64 => (0, u64::MAX.into()),
        DType::I64 => (i64::MIN.into(), i64::MAX.into()),
        _ => {
            let (least, most) = small_range(dtype);
            (least as i128, most as i128)
        }
    }
}

/// [`least_from`] of an edge that is an integer, and elements that are.
pub(super) fn least_from_integer(edge: i128, dtype: DType) -> Option<u64> {
    let (least, most) = integer_range(dtype);
    let value = edge.max(least);
    (value <= most).then(|| value.wrapping_sub(least) as u64)
}

/// [`most_to`] of an edge that is an integer, and elements that are.
pub(super) fn most_to_integer(edge: i128, dtype: DType) -> Option<u64> {
    let (least, most) = integer_range(dtype);
    let value = edge.min(most);
    (value >= least).then(|| value.wrapping_sub(least) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_meet_edges_exactly() {
        assert_eq!((least_from(2.0, DType::U8), least_from(2.5, DType::U8), least_from(-7.0, DType::U8)), (Some(2), Some(3), Some(0)));
        assert_eq!((least_from(255.5, DType::U8), most_to(-0.5, DType::U8), most_to(1e300, DType::U16)), (None, None, Some(65_535)));
        assert_eq!((least_from(0.0, DType::I32), most_to(-2.5, DType::I32)), (Some(SIGN_32), Some(SIGN_32 - 3)));
        assert_eq!(
            (least_from(0.0, DType::I8), most_to(-2.5, DType::I16), most_to(128.0, DType::I8)),
            (Some(128), Some(32_765), Some(255))
        );
        assert_eq!((least_from(-129.0, DType::I8), least_from(127.5, DType::I8)), (Some(0), None));
        // Beyond 2^53 integers are compared as the f64 that they become.
        let edge = 2f64.powi(60);
        assert_eq!(least_from(edge, DType::U64), Some((1 << 60) - 64));
        assert_eq!(most_to(edge, DType::U64), Some((1 << 60) + 128));
        assert_eq!((least_from(0.0, DType::I64), most_to(0.5, DType::I64)), (Some(SIGN_64), Some(SIGN_64)));
        assert_eq!((least_from(f64::INFINITY, DType::U64), most_to(f64::INFINITY, DType::I64)), (None, Some(u64::MAX)));
    }

    #[test]
    fn integers_meet_integers_exactly() {
        let edge = (1 << 53) + 1;
        assert_eq!((least_from_integer(edge, DType::U64), most_to_integer(edge, DType::U64)), (Some(edge as u64), Some(edge as u64)));
        assert_eq!(least_from_integer(edge, DType::I64), Some(SIGN_64 + edge as u64));
        assert_eq!((least_from_integer(i128::MIN, DType::I64), most_to_integer(i128::MAX, DType::I64)), (Some(0), Some(u64::MAX)));
        assert_eq!((least_from_integer(1 << 64, DType::U64), most_to_integer(-1, DType::U64)), (None, None));
        for dtype in [DType::U8, DType::I8, DType::U16, DType::I16, DType::U32, DType::I32] {
            for edge in [-129, -128, -1, 0, 1, 255, 256, 70_000] {
                let float = edge as f64;
                assert_eq!(least_from_integer(edge, dtype), least_from(float, dtype), "{edge} {dtype}");
                assert_eq!(most_to_integer(edge, dtype), most_to(float, dtype), "{edge} {dtype}");
            }
        }
    }

    #[test]
    fn floats_meet_edges_exactly() {
        let key = |value: f32| float_key(value.to_bits().into(), SIGN_32);
        assert_eq!((key(0.0), key(-0.0)), (SIGN_32, SIGN_32));
        assert!(key(f32::NEG_INFINITY) < key(-1.0) && key(-1.0) < key(0.0) && key(0.0) < key(f32::MIN_POSITIVE));
        let between = f64::from(0.1f32) + 1e-12;
        assert_eq!(least_from(between, DType::F32), Some(key(0.1) + 1));
        assert_eq!(most_to(between, DType::F32), Some(key(0.1)));
        assert_eq!(least_from(f64::from(0.1f32), DType::F32), Some(key(0.1)));
        assert_eq!(most_to(1e300, DType::F32), Some(key(f32::MAX)));
        assert_eq!(most_to(f64::INFINITY, DType::F32), Some(key(f32::INFINITY)));
        assert_eq!(least_from(-1e-300, DType::F32), Some(SIGN_32));
        assert_eq!(least_from(1.0, DType::F16), Some(float_key(0x3c00, SIGN_16)));
        assert_eq!(most_to(f64::from(f32::MIN), DType::F64), Some(float_key(f64::from(f32::MIN).to_bits(), SIGN_64)));
    }
}
