//! Which shader state a scan is carried in, and what comes out.

use super::ScanOp;
use crate::reduce::variant::{KeyKind, State, Variant};
use crate::{DType, Error, Reduce, ReduceOp};

/// The state of the reduction by the same operator, where there is one.
pub(super) fn of(op: ScanOp, dtype: DType, wide: bool) -> Result<Variant, Error> {
    let same = match op {
        ScanOp::Sum => ReduceOp::Sum,
        ScanOp::Prod => ReduceOp::Prod,
        ScanOp::Min => ReduceOp::Min,
        ScanOp::Max => ReduceOp::Max,
        ScanOp::And => ReduceOp::And,
        ScanOp::Or => ReduceOp::Or,
        ScanOp::Xor => ReduceOp::Xor,
        ScanOp::Last if wide => return Err(Error::WideUnsupported { op: op.name(), dtype }),
        ScanOp::Last => {
            let state = if dtype.size() == 8 { State::U64 } else { State::U32 };
            return Ok(Variant { state, key: KeyKind::Unsigned, result: dtype.computed(), scale_exponent: 0 });
        }
    };
    let reduce = Reduce::new(same, dtype, &[]);
    Variant::of(&if wide { reduce.wide() } else { reduce })
}

/// Whether the bits of a result do not depend on the order in which elements are combined.
pub(super) fn is_exact(variant: &Variant) -> bool {
    !matches!(variant.state, State::F32 | State::F64)
}
