//! From the command's and the CPU twins' words to the library's.

use wavelane::{DType, NanPolicy, Path, ReduceOp};
use wavelane_reference::{Element, Nan, Op};

use crate::arguments::{Global, PathChoice};
use crate::report::Failure;

/// An error of the library, as a failure.
pub fn failure(error: wavelane::Error) -> Failure {
    use wavelane::Error;
    let what = error.to_string();
    let advice = match error {
        // The library's advice names what Rust has for it.
        Error::BinsOfType { .. } | Error::NegativeValue { .. } => {
            "give a range of even bins, or edges: histogram has --bins and --range, and --edges".into()
        }
        _ => error.advice(),
    };
    match error {
        // What another device, or a calm moment, may do.
        Error::Device(_)
        | Error::Record(_)
        | Error::PathUnavailable { .. }
        | Error::TypeUnsupported { .. }
        | Error::FeatureMissing { .. }
        | Error::StrategyUnavailable { .. }
        | Error::Unplannable { .. } => Failure::new(what, advice),
        // Everything else is of the description, and no device makes it right.
        _ => Failure::unfit(what, advice),
    }
}

/// The path that the options or the environment force.
pub fn path(global: &Global) -> Result<Option<Path>, Failure> {
    match global.path {
        None => Path::from_env().map_err(|error| Failure::usage(format!("WAVELANE_PATH: {error}"), error.advice())),
        Some(PathChoice::Auto) => Ok(None),
        Some(PathChoice::Subgroup) => Ok(Some(Path::Subgroup)),
        Some(PathChoice::Shuffle) => Ok(Some(Path::Shuffle)),
        Some(PathChoice::Lsm) => Ok(Some(Path::SharedMemory)),
    }
}

pub fn dtype(element: Element) -> DType {
    match element {
        Element::U8 => DType::U8,
        Element::U16 => DType::U16,
        Element::I8 => DType::I8,
        Element::I16 => DType::I16,
        Element::U32 => DType::U32,
        Element::I32 => DType::I32,
        Element::F32 => DType::F32,
        Element::U64 => DType::U64,
        Element::I64 => DType::I64,
        Element::F64 => DType::F64,
        Element::F16 => DType::F16,
    }
}

pub fn element(dtype: DType) -> Element {
    match dtype {
        DType::U8 => Element::U8,
        DType::U16 => Element::U16,
        DType::I8 => Element::I8,
        DType::I16 => Element::I16,
        DType::U32 => Element::U32,
        DType::I32 => Element::I32,
        DType::F32 => Element::F32,
        DType::U64 => Element::U64,
        DType::I64 => Element::I64,
        DType::F64 => Element::F64,
        DType::F16 => Element::F16,
    }
}

pub fn reduce_op(op: Op) -> ReduceOp {
    match op {
        Op::Sum => ReduceOp::Sum,
        Op::Prod => ReduceOp::Prod,
        Op::Min => ReduceOp::Min,
        Op::Max => ReduceOp::Max,
        Op::And => ReduceOp::And,
        Op::Or => ReduceOp::Or,
        Op::Xor => ReduceOp::Xor,
        Op::Any => ReduceOp::Any,
        Op::All => ReduceOp::All,
        Op::Mean => ReduceOp::Mean,
        Op::Var => ReduceOp::Var,
        Op::Norm1 => ReduceOp::Norm1,
        Op::Norm2 => ReduceOp::Norm2,
        Op::ArgMin => ReduceOp::ArgMin,
        Op::ArgMax => ReduceOp::ArgMax,
    }
}

pub fn nan_policy(nan: Nan) -> NanPolicy {
    match nan {
        Nan::Propagate => NanPolicy::Propagate,
        Nan::Ignore => NanPolicy::Ignore,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_agree() {
        for op in Op::ALL {
            assert_eq!(reduce_op(op).name(), op.name());
        }
        assert_eq!(ReduceOp::ALL.len(), Op::ALL.len());
        for kind in DType::ALL {
            assert_eq!((element(kind).name(), dtype(element(kind))), (kind.name(), kind));
        }
    }
}
