//! The reduction that a command line describes.

use wavelane::device::Capabilities;
use wavelane::{FloatResult, Reduce};
use wavelane_reference::{Element, Nan, Op};

use crate::convert;
use crate::report::Failure;

/// What `run reduce` and `explain reduce` have in common. Means, variances and norms of integers come in `f64`, as numpy's do, where the device
/// has it.
pub fn describe(op: Op, element: Element, shape: &[usize], axis: Option<usize>, nan: Nan, wide: bool, device: &Capabilities) -> Reduce {
    Reduce {
        op: convert::reduce_op(op),
        dtype: convert::dtype(element),
        shape: shape.to_vec(),
        axis,
        nan: convert::nan_policy(nan),
        wide,
        float_result: if device.features.shader_float64 { FloatResult::F64 } else { FloatResult::F32 },
        counted: false,
    }
}

/// `--wide` is for sums of integers of up to 32 bits, in scans and reductions of all kinds.
pub fn check_wide(op: &str, element: Element, wide: bool) -> Result<(), Failure> {
    if wide && !(op == Op::Sum.name() && !element.is_float() && element.size() <= 4) {
        return Err(Failure::unfit(
            format!("--wide is for sums of integers of up to 32 bits, and this is {op} of {}", element.name()),
            "leave --wide out, or convert with array.astype(…)".to_owned(),
        ));
    }
    Ok(())
}
