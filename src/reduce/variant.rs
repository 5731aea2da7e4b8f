//! Which shader state a reduction is carried in, and what comes out.

use super::{FloatResult, NanPolicy, Reduce, ReduceOp};
use crate::{DType, Error};

/// A state of `glsl/reduce/state/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    U32,
    U64,
    Wide,
    F32,
    F64,
    Counted32,
    Counted64,
    Moments32,
    Moments64,
    Arg32,
    Arg64,
}

impl State {
    /// Its name in module names.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::U32 => "u32",
            Self::U64 => "u64",
            Self::Wide => "wide",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::Counted32 => "counted32",
            Self::Counted64 => "counted64",
            Self::Moments32 => "moments32",
            Self::Moments64 => "moments64",
            Self::Arg32 => "arg32",
            Self::Arg64 => "arg64",
        }
    }

    /// 32-bit words it packs into (`STATE_WORDS`).
    pub(crate) fn words(self) -> u32 {
        match self {
            Self::U32 | Self::F32 => 1,
            Self::U64 | Self::Wide | Self::F64 | Self::Counted32 | Self::Arg32 => 2,
            Self::Counted64 | Self::Moments32 | Self::Arg64 => 3,
            Self::Moments64 => 5,
        }
    }
}

/// How elements become ordered keys (`KEY_*` in `glsl/include/key.glsl`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyKind {
    Unsigned = 0,
    Signed = 1,
    Float = 2,
}

/// A reduction's state, and the type of its results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Variant {
    pub(crate) state: State,
    pub(crate) key: KeyKind,
    pub(crate) result: DType,
    /// Elements are divided by 2 to this power before they are squared, and results multiplied.
    pub(crate) scale_exponent: u32,
}

impl Variant {
    /// The element type of the shader module. States of words tell signed from unsigned by the kind of key alone, so one module serves both.
    pub(crate) fn element(&self, dtype: DType) -> DType {
        match (self.state, dtype) {
            (State::U32 | State::U64 | State::Arg32 | State::Arg64, DType::I32) => DType::U32,
            (State::U32 | State::U64 | State::Arg32 | State::Arg64, DType::I64) => DType::U64,
            _ => dtype,
        }
    }

    pub(crate) fn of(reduce: &Reduce) -> Result<Self, Error> {
        let (op, dtype) = (reduce.op, reduce.dtype);
        if op.is_bitwise() && dtype.is_float() {
            return Err(Error::OperatorType { op: op.name(), dtype });
        }
        if reduce.wide && !(op == ReduceOp::Sum && !dtype.is_float() && dtype.size() <= 4) {
            return Err(Error::WideUnsupported { op: op.name(), dtype });
        }
        let key = match dtype {
            _ if dtype.is_float() => KeyKind::Float,
            _ if dtype.is_signed_integer() => KeyKind::Signed,
            _ => KeyKind::Unsigned,
        };
        let (state, result) = match op {
            ReduceOp::Sum if reduce.wide => (State::Wide, if key == KeyKind::Signed { DType::I64 } else { DType::U64 }),
            ReduceOp::Sum | ReduceOp::Prod => in_element_type(dtype),
            ReduceOp::Min | ReduceOp::Max => match dtype {
                _ if dtype.size() == 8 => (State::U64, dtype),
                _ => (State::U32, dtype.computed()),
            },
            ReduceOp::And | ReduceOp::Or | ReduceOp::Xor => in_element_type(dtype),
            ReduceOp::Any | ReduceOp::All => (State::U32, DType::U32),
            ReduceOp::ArgMin | ReduceOp::ArgMax => (if dtype.size() == 8 { State::Arg64 } else { State::Arg32 }, DType::U32),
            ReduceOp::Mean | ReduceOp::Var | ReduceOp::Norm1 | ReduceOp::Norm2 => in_floats(reduce),
        };
        // Squares of 64-bit integers leave f32's range.
        let squares = matches!(op, ReduceOp::Var | ReduceOp::Norm2) && !dtype.is_float() && dtype.size() == 8 && result == DType::F32;
        Ok(Self { state, key, result, scale_exponent: if squares { 32 } else { 0 } })
    }
}

fn in_element_type(dtype: DType) -> (State, DType) {
    match dtype {
        DType::U8 | DType::U16 | DType::I8 | DType::I16 | DType::U32 | DType::I32 => (State::U32, dtype.computed()),
        DType::U64 | DType::I64 => (State::U64, dtype),
        DType::F16 | DType::F32 => (State::F32, DType::F32),
        DType::F64 => (State::F64, DType::F64),
    }
}

/// Means, variances and norms: in f64 for f64 elements, in f32 for narrower floats, and as asked for integers.
fn in_floats(reduce: &Reduce) -> (State, DType) {
    let double = match reduce.dtype {
        DType::F64 => true,
        DType::F16 | DType::F32 => false,
        _ => reduce.float_result == FloatResult::F64,
    };
    let state = match reduce.op {
        ReduceOp::Var => [State::Moments32, State::Moments64][usize::from(double)],
        // Without NaN there is nothing to count.
        ReduceOp::Mean if reduce.nan == NanPolicy::Ignore && reduce.dtype.is_float() => {
            [State::Counted32, State::Counted64][usize::from(double)]
        }
        // The exact sum keeps the digits that positive and negative elements cancel.
        ReduceOp::Mean if !reduce.dtype.is_float() && reduce.dtype.size() <= 4 && !double => State::Wide,
        _ => [State::F32, State::F64][usize::from(double)],
    };
    (state, if double { DType::F64 } else { DType::F32 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_integers_are_computed_in_words() {
        let (unsigned, signed) = ((DType::U32, DType::U64), (DType::I32, DType::I64));
        for (dtype, (word, wide)) in [(DType::U8, unsigned), (DType::U16, unsigned), (DType::I8, signed), (DType::I16, signed)] {
            for op in ReduceOp::ALL {
                let variant = Variant::of(&Reduce::new(op, dtype, &[5])).unwrap();
                let of_words = Variant::of(&Reduce::new(op, word, &[5])).unwrap();
                assert_eq!(variant, of_words, "{op} of {dtype}");
            }
            assert_eq!(Variant::of(&Reduce::new(ReduceOp::Sum, dtype, &[5]).wide()).unwrap().result, wide);
        }
    }
}
