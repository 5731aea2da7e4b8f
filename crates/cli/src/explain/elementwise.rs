//! `wavelane explain` of the kernels that treat elements one by one.

use wavelane::{Convert, Fill, Gather, Iota, Scalar, Scatter, Transform};

use super::show::{extents, show};
use crate::arguments::{ExplainArray, ExplainConvert, ExplainFill, ExplainPut, ExplainTake, ExplainTransform, Global};
use crate::npy::Kind;
use crate::report::{Ending, Failure};
use crate::run::session::shape;
use crate::run::transform::undefined;
use crate::{convert, numpy};

pub fn fill(global: &Global, arguments: &ExplainFill) -> Result<Ending, Failure> {
    let array = &arguments.array;
    let value = Scalar::zero(convert::dtype(array.dtype.0));
    show(global, &Fill { counted: arguments.counted, ..Fill::new(value, &extents(array)?) }, array.json)
}

pub fn iota(global: &Global, array: &ExplainArray) -> Result<Ending, Failure> {
    let zero = Scalar::zero(convert::dtype(array.dtype.0));
    let Some(count) = extents(array)?.into_iter().try_fold(1usize, usize::checked_mul) else {
        return Err(Failure::usage("that many numbers are more than this machine can count".to_owned(), "give fewer".to_owned()));
    };
    show(global, &Iota { start: zero, step: zero, count }, array.json)
}

pub fn convert(global: &Global, arguments: &ExplainConvert) -> Result<Ending, Failure> {
    let array = &arguments.array;
    let convert = Convert::new(convert::dtype(array.dtype.0), convert::dtype(arguments.to.0), &extents(array)?);
    show(global, &convert, array.json)
}

pub fn take(global: &Global, arguments: &ExplainTake) -> Result<Ending, Failure> {
    let array = &arguments.array;
    let extents = extents(array)?;
    let axis = numpy::axis(arguments.axis, extents.len(), "take from the whole array as one")?;
    let gather = Gather::new(convert::dtype(array.dtype.0), &extents, &shape(&[arguments.indices])?);
    show(global, &Gather { axis, ..gather }, array.json)
}

pub fn put(global: &Global, arguments: &ExplainPut) -> Result<Ending, Failure> {
    let array = &arguments.array;
    let scatter = Scatter::new(convert::dtype(array.dtype.0), &extents(array)?, shape(&[arguments.indices])?[0]);
    show(global, &scatter, array.json)
}

pub fn transform(global: &Global, arguments: &ExplainTransform) -> Result<Ending, Failure> {
    let array = &arguments.array;
    let (op, dtype, a) = (arguments.op.0, convert::dtype(array.dtype.0), extents(array)?);
    let b = arguments.with.as_deref().map(shape).transpose()?;
    if op.operands() == 1 && b.is_some() {
        let what = format!("--with has no effect: {op} takes 1 operand");
        return Err(Failure::usage(what, "leave --with out, or choose an operator of two".to_owned()));
    }
    if !op.takes(dtype) {
        return Err(undefined(op, Kind::of(array.dtype.0)));
    }
    let transform = match op.operands() {
        1 => Transform::unary(op, dtype, &a),
        _ => Transform::binary(op, dtype, &a, b.as_ref().unwrap_or(&a)),
    };
    show(global, &transform, array.json)
}
