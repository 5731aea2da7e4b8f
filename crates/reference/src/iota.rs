//! The CPU twin of counting up in equal steps.

use crate::error::Error;
use crate::number::{Integer, Number, Scalar, one};
use crate::values::{Element, Values};

/// `start + i * step` for `i` below `count`. Integers wrap in their type; floats are computed in `f64` and rounded to the type once, unlike a sum
/// of steps. `start` and `step` are one element each.
pub fn iota(element: Element, count: usize, start: &Values, step: &Values) -> Result<Values, Error> {
    match element {
        Element::U8 => integers::<u8>(count, start, step),
        Element::U16 => integers::<u16>(count, start, step),
        Element::I8 => integers::<i8>(count, start, step),
        Element::I16 => integers::<i16>(count, start, step),
        Element::U32 => integers::<u32>(count, start, step),
        Element::I32 => integers::<i32>(count, start, step),
        Element::U64 => integers::<u64>(count, start, step),
        Element::I64 => integers::<i64>(count, start, step),
        Element::F32 => floats::<f32>(count, start, step),
        Element::F64 => floats::<f64>(count, start, step),
        Element::F16 => floats::<half::f16>(count, start, step),
    }
}

fn integers<T: Integer>(count: usize, start: &Values, step: &Values) -> Result<Values, Error> {
    let (start, step) = (one::<T>("start", start)?, one::<T>("step", step)?);
    Ok(T::values((0..count).map(|i| start.add(T::from_bits(i as u64).mul(step))).collect()))
}

fn floats<T: Number>(count: usize, start: &Values, step: &Values) -> Result<Values, Error> {
    let (start, step) = (one::<T>("start", start)?.to_f64(), one::<T>("step", step)?.to_f64());
    Ok(T::values((0..count).map(|i| T::from_scalar(Scalar::Float(start + i as f64 * step))).collect()))
}
