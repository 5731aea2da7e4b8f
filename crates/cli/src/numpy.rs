//! Between numpy's types and the device's: what a device is given, and what its result becomes so that it equals numpy's for the same call.

use half::f16;
use wavelane::ScanOp;
use wavelane_reference::{Element, Op};

use crate::npy::{Array, Kind};
use crate::report::Failure;

/// The type of the elements as the device sees them: truth values travel as `u32`.
pub fn element(kind: Kind) -> Element {
    match kind {
        Kind::U8 => Element::U8,
        Kind::U16 => Element::U16,
        Kind::Bool | Kind::U32 => Element::U32,
        Kind::I8 => Element::I8,
        Kind::I16 => Element::I16,
        Kind::I32 => Element::I32,
        Kind::F32 => Element::F32,
        Kind::U64 => Element::U64,
        Kind::I64 => Element::I64,
        Kind::F64 => Element::F64,
        Kind::F16 => Element::F16,
    }
}

/// The bytes as the device sees them.
pub fn device_bytes(array: Array) -> Vec<u8> {
    match array.kind {
        Kind::Bool => array.bytes.iter().flat_map(|&byte| u32::from(byte != 0).to_ne_bytes()).collect(),
        _ => array.bytes,
    }
}

/// Refuses what numpy refuses, before a device is asked.
pub fn check(op: Op, kind: Kind) -> Result<(), Failure> {
    if matches!(op, Op::And | Op::Or | Op::Xor) && element(kind).is_float() {
        return Err(not_of_floats(op.name(), kind, "use any or all for truth, or convert first: "));
    }
    Ok(())
}

/// The same of a reduction by key, which has no any and all.
pub fn check_by_key(op: Op, kind: Kind) -> Result<(), Failure> {
    check(op, kind).map_err(|_| not_of_floats(op.name(), kind, "convert first: "))
}

/// The same of a scan.
pub fn check_scan(op: ScanOp, kind: Kind) -> Result<(), Failure> {
    if op.is_bitwise() && element(kind).is_float() { Err(not_of_floats(op.name(), kind, "convert first: ")) } else { Ok(()) }
}

/// An operator of integers was asked for of floats.
pub fn not_of_floats(op: &str, kind: Kind, instead: &str) -> Failure {
    Failure::unfit(format!("{op} is not defined for {}: it works on the bits of integers", kind.name()), format!("{instead}{CONVERT}"))
}

/// How an array of another type is had.
pub const CONVERT: &str = "`wavelane run convert INPUT.npy --dtype TYPE -o OUT.npy`";

/// The type of numpy's result.
pub fn result_kind(op: Op, input: Kind, wide: bool) -> Kind {
    match (op, input) {
        (Op::Any | Op::All, _) => Kind::Bool,
        (Op::ArgMin | Op::ArgMax, _) => Kind::I64,
        (Op::Mean | Op::Var | Op::Norm1 | Op::Norm2, Kind::F16 | Kind::F32 | Kind::F64) => input,
        (Op::Mean | Op::Var | Op::Norm1 | Op::Norm2, _) => Kind::F64,
        // numpy counts truth values in its default integer.
        (Op::Sum | Op::Prod, Kind::Bool) => Kind::I64,
        (Op::Sum, Kind::U8 | Kind::U16 | Kind::U32) if wide => Kind::U64,
        // A byte has no room for them. numpy takes 64 bits, as `--wide` does.
        (Op::Sum | Op::Prod, Kind::U8 | Kind::U16) => Kind::U32,
        (Op::Sum, Kind::I8 | Kind::I16 | Kind::I32) if wide => Kind::I64,
        (Op::Sum | Op::Prod, Kind::I8 | Kind::I16) => Kind::I32,
        _ => input,
    }
}

/// A device's result, of type `from`, as numpy's type `to`. What `i8` and `i16` have no room for is the least or greatest of 32 bits, which stands for that of no
/// elements, and becomes theirs.
pub fn convert(bytes: Vec<u8>, from: Element, to: Kind) -> Vec<u8> {
    if to != Kind::Bool && element(to) == from {
        return bytes;
    }
    let Some(integer) = integer(from) else { return convert_floats(&bytes, from, to) };
    let values = bytes.chunks_exact(from.size()).map(integer);
    match to {
        Kind::Bool => values.map(|x| u8::from(x != 0)).collect(),
        Kind::U8 => values.map(|x| x as u8).collect(),
        Kind::U16 => values.flat_map(|x| (x as u16).to_ne_bytes()).collect(),
        Kind::I8 => values.flat_map(|x| (x.clamp(i8::MIN.into(), i8::MAX.into()) as i8).to_ne_bytes()).collect(),
        Kind::I16 => values.flat_map(|x| (x.clamp(i16::MIN.into(), i16::MAX.into()) as i16).to_ne_bytes()).collect(),
        Kind::U32 => values.flat_map(|x| (x as u32).to_ne_bytes()).collect(),
        Kind::I32 => values.flat_map(|x| (x as i32).to_ne_bytes()).collect(),
        Kind::U64 => values.flat_map(|x| (x as u64).to_ne_bytes()).collect(),
        Kind::I64 => values.flat_map(|x| (x as i64).to_ne_bytes()).collect(),
        Kind::F16 => values.flat_map(|x| f16::from_f64(x as f64).to_ne_bytes()).collect(),
        Kind::F32 => values.flat_map(|x| (x as f32).to_ne_bytes()).collect(),
        Kind::F64 => values.flat_map(|x| (x as f64).to_ne_bytes()).collect(),
    }
}

/// How an element is read that is an integer.
fn integer(element: Element) -> Option<fn(&[u8]) -> i128> {
    Some(match element {
        Element::U8 => |bytes| i128::from(u8::from_ne_bytes(fixed(bytes))),
        Element::U16 => |bytes| i128::from(u16::from_ne_bytes(fixed(bytes))),
        Element::I8 => |bytes| i128::from(i8::from_ne_bytes(fixed(bytes))),
        Element::I16 => |bytes| i128::from(i16::from_ne_bytes(fixed(bytes))),
        Element::U32 => |bytes| i128::from(u32::from_ne_bytes(fixed(bytes))),
        Element::I32 => |bytes| i128::from(i32::from_ne_bytes(fixed(bytes))),
        Element::U64 => |bytes| i128::from(u64::from_ne_bytes(fixed(bytes))),
        Element::I64 => |bytes| i128::from(i64::from_ne_bytes(fixed(bytes))),
        Element::F16 | Element::F32 | Element::F64 => return None,
    })
}

/// The elements of an array of integers, truth values as 0 and 1; nothing of floats.
pub fn integers(array: &Array) -> Vec<i128> {
    let element = element(array.kind);
    integer(element).map_or_else(Vec::new, |integer| array.bytes.chunks_exact(element.size()).map(integer).collect())
}

fn convert_floats(bytes: &[u8], from: Element, to: Kind) -> Vec<u8> {
    let float: fn(&[u8]) -> f64 = match from {
        Element::F16 => |bytes| f64::from(f16::from_ne_bytes(fixed(bytes))),
        Element::F32 => |bytes| f64::from(f32::from_ne_bytes(fixed(bytes))),
        _ => |bytes| f64::from_ne_bytes(fixed(bytes)),
    };
    let values = bytes.chunks_exact(from.size()).map(float);
    match to {
        Kind::Bool => values.map(|x| u8::from(x != 0.0)).collect(),
        Kind::U8 => values.map(|x| x as u8).collect(),
        Kind::U16 => values.flat_map(|x| (x as u16).to_ne_bytes()).collect(),
        Kind::I8 => values.flat_map(|x| (x as i8).to_ne_bytes()).collect(),
        Kind::I16 => values.flat_map(|x| (x as i16).to_ne_bytes()).collect(),
        Kind::U32 => values.flat_map(|x| (x as u32).to_ne_bytes()).collect(),
        Kind::I32 => values.flat_map(|x| (x as i32).to_ne_bytes()).collect(),
        Kind::U64 => values.flat_map(|x| (x as u64).to_ne_bytes()).collect(),
        Kind::I64 => values.flat_map(|x| (x as i64).to_ne_bytes()).collect(),
        Kind::F16 => values.flat_map(|x| f16::from_f64(x).to_ne_bytes()).collect(),
        Kind::F32 => values.flat_map(|x| (x as f32).to_ne_bytes()).collect(),
        Kind::F64 => values.flat_map(|x| x.to_ne_bytes()).collect(),
    }
}

fn fixed<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut array = [0; N];
    array.iter_mut().zip(bytes).for_each(|(to, &from)| *to = from);
    array
}

/// An axis as the command line gives it, as an index. `whole` says what happens without an axis, as in "reduce the whole array".
pub fn axis(given: Option<i64>, dimensions: usize, whole: &str) -> Result<Option<usize>, Failure> {
    let Some(given) = given else { return Ok(None) };
    let index = if given < 0 { given.checked_add_unsigned(dimensions as u64) } else { Some(given) };
    match index.and_then(|index| usize::try_from(index).ok()).filter(|&index| index < dimensions) {
        Some(index) => Ok(Some(index)),
        None => {
            let advice = match dimensions {
                0 => "leave --axis out: the array is a single value".to_owned(),
                1 => "use --axis 0 (or -1), or leave it out".to_owned(),
                _ => format!("use 0 to {}, or -{dimensions} to -1, or leave it out to {whole}", dimensions - 1),
            };
            let plural = if dimensions == 1 { "" } else { "s" };
            Err(Failure::unfit(format!("--axis {given} is out of range for an array of {dimensions} dimension{plural}"), advice))
        }
    }
}

/// The shape of the result.
pub fn result_shape(shape: &[usize], axis: Option<usize>, keepdims: bool) -> Vec<usize> {
    let reduced = |at: usize| axis.is_none_or(|axis| axis == at);
    let extents = shape.iter().enumerate();
    match keepdims {
        true => extents.map(|(at, &extent)| if reduced(at) { 1 } else { extent }).collect(),
        false => extents.filter(|&(at, _)| !reduced(at)).map(|(_, &extent)| extent).collect(),
    }
}

#[cfg(test)]
mod tests {
    use wavelane_reference::Values;

    use super::*;

    #[test]
    fn result_kinds_are_numpys() {
        let cases = [
            (Op::Sum, Kind::U32, false, Kind::U32),
            (Op::Sum, Kind::I32, true, Kind::I64),
            (Op::Sum, Kind::U8, false, Kind::U32),
            (Op::Sum, Kind::U16, true, Kind::U64),
            (Op::Max, Kind::U8, false, Kind::U8),
            (Op::Prod, Kind::I8, false, Kind::I32),
            (Op::Sum, Kind::I16, true, Kind::I64),
            (Op::And, Kind::I16, false, Kind::I16),
            (Op::Prod, Kind::U32, true, Kind::U32),
            (Op::Max, Kind::U32, true, Kind::U32),
            (Op::Sum, Kind::Bool, false, Kind::I64),
            (Op::Max, Kind::Bool, false, Kind::Bool),
            (Op::Mean, Kind::Bool, false, Kind::F64),
            (Op::Mean, Kind::F16, false, Kind::F16),
            (Op::Var, Kind::F32, false, Kind::F32),
            (Op::Norm2, Kind::I64, false, Kind::F64),
            (Op::Any, Kind::F64, false, Kind::Bool),
            (Op::ArgMax, Kind::F16, false, Kind::I64),
        ];
        for (op, input, wide, want) in cases {
            assert_eq!(result_kind(op, input, wide), want, "{} of {}", op.name(), input.name());
        }
    }

    #[test]
    fn results_convert() {
        let bytes = |values: Values| values.to_bytes();
        assert_eq!(convert(bytes(Values::U32(vec![0, 1])), Element::U32, Kind::Bool), [0, 1]);
        assert_eq!(convert(bytes(Values::U32(vec![7])), Element::U32, Kind::I64), bytes(Values::I64(vec![7])));
        assert_eq!(convert(bytes(Values::F32(vec![1.5])), Element::F32, Kind::F64), bytes(Values::F64(vec![1.5])));
        assert_eq!(
            convert(bytes(Values::F32(vec![0.1, 1e6, f32::NAN])), Element::F32, Kind::F16)[..4],
            bytes(Values::F16(vec![f16::from_f32(0.1), f16::INFINITY]))
        );
        assert_eq!(convert(bytes(Values::I32(vec![-3])), Element::I32, Kind::I8), bytes(Values::I8(vec![-3])));
        let ends = bytes(Values::I32(vec![i32::MIN, i32::MAX]));
        assert_eq!(convert(ends.clone(), Element::I32, Kind::I8), bytes(Values::I8(vec![i8::MIN, i8::MAX])));
        assert_eq!(convert(ends, Element::I32, Kind::I16), bytes(Values::I16(vec![i16::MIN, i16::MAX])));
        assert_eq!(convert(bytes(Values::I16(vec![-3])), Element::I16, Kind::F64), bytes(Values::F64(vec![-3.0])));
        assert_eq!(convert(bytes(Values::U32(vec![u32::MAX])), Element::U32, Kind::U32), bytes(Values::U32(vec![u32::MAX])));
    }

    #[test]
    fn truth_travels_as_integers() {
        let array = Array { kind: Kind::Bool, shape: vec![3], bytes: vec![1, 0, 255] };
        assert_eq!(device_bytes(array), Values::U32(vec![1, 0, 1]).to_bytes());
    }

    #[test]
    fn axes() {
        let axis = |given, dimensions| axis(given, dimensions, "reduce the whole array");
        assert_eq!(axis(None, 0), Ok(None));
        assert_eq!(axis(Some(2), 3), Ok(Some(2)));
        assert_eq!(axis(Some(-3), 3), Ok(Some(0)));
        for (given, dimensions) in [(3, 3), (-4, 3), (0, 0), (i64::MAX, 2), (i64::MIN, 2)] {
            assert!(axis(Some(given), dimensions).is_err());
        }
        let failure = axis(Some(2), 2).unwrap_err();
        assert_eq!(failure.what, "--axis 2 is out of range for an array of 2 dimensions");
        assert_eq!(failure.advice, "use 0 to 1, or -2 to -1, or leave it out to reduce the whole array");
    }

    #[test]
    fn shapes() {
        assert_eq!(result_shape(&[2, 3, 4], Some(1), false), [2, 4]);
        assert_eq!(result_shape(&[2, 3, 4], Some(1), true), [2, 1, 4]);
        assert_eq!(result_shape(&[2, 3], None, true), [1, 1]);
        assert_eq!(result_shape(&[2, 3], None, false), [] as [usize; 0]);
    }

    #[test]
    fn bits_of_floats() {
        assert!(check(Op::Xor, Kind::Bool).is_ok());
        assert_eq!(check(Op::And, Kind::F32).unwrap_err().what, "and is not defined for f32: it works on the bits of integers");
        assert_eq!(check_scan(ScanOp::Or, Kind::F64).unwrap_err().what, "or is not defined for f64: it works on the bits of integers");
        assert!(check_scan(ScanOp::Or, Kind::Bool).is_ok() && check_scan(ScanOp::Last, Kind::F64).is_ok());
    }
}
