//! `wavelane run transform`: an operator of elements.

use wavelane::{Convert, Tensor, Transform, TransformOp};
use wavelane_reference::Element;

use super::context_options;
use super::session::{Session, give, tensor};
use crate::arguments::{Global, RunTransform};
use crate::npy::{self, Array, Kind};
use crate::report::{Ending, Failure};
use crate::{convert, files, numpy};

pub fn transform(global: &Global, arguments: &RunTransform) -> Result<Ending, Failure> {
    let operands = [("the first operand", Some(&arguments.a)), ("the second operand", arguments.b.as_ref())];
    files::check(&operands, &[("-o", arguments.output.as_ref())])?;
    let options = context_options(global)?;
    let op = arguments.op.0;
    let a = npy::read(&arguments.a)?;
    let b = arguments.b.as_deref().map(npy::read).transpose()?;
    let (kind, mut shapes) = (a.kind, vec![a.shape.clone()]);
    shapes.extend(b.as_ref().map(|b| b.shape.clone()));
    check(arguments, &a, b.as_ref())?;
    // numpy has these in floats of the integers' size, and no operator for the opposite of truth.
    let computed = if op.needs_floats() { floats_of(kind) } else { kind };
    let (op, zero) = if op == TransformOp::Not && kind == Kind::Bool { (TransformOp::Eq, true) } else { (op, false) };
    let mut operands = vec![tensor(a)?];
    operands.extend(b.map(tensor).transpose()?);
    if zero {
        shapes.push(Vec::new());
        operands.push(Tensor::from_slice(&[0u32], &[]).map_err(convert::failure)?);
    }
    let session = Session::open(global, &options)?;
    if computed != kind {
        let (from, to) = (convert::dtype(numpy::element(kind)), convert::dtype(numpy::element(computed)));
        operands[0] = session.finish(session.context.convert(&Convert::new(from, to, &shapes[0]), &operands[0]))?;
    }
    let contiguous = shapes.iter().map(|shape| wavelane::Operand::contiguous(shape)).collect();
    let transform = Transform::new(op, convert::dtype(numpy::element(computed)), contiguous);
    let result = session.finish(session.context.transform(&transform, &operands.iter().collect::<Vec<_>>()))?;
    let result_kind = if op.compares() { Kind::Bool } else { computed };
    if result_kind != Kind::Bool {
        return give(&arguments.output, result_kind, &result);
    }
    let bytes = numpy::convert(result.bytes().to_vec(), Element::U32, Kind::Bool);
    let truths = Tensor::new(wavelane::DType::U8, result.shape().to_vec(), bytes).map_err(convert::failure)?;
    give(&arguments.output, Kind::Bool, &truths)
}

/// Refuses what has no meaning, before a device is asked.
fn check(arguments: &RunTransform, a: &Array, b: Option<&Array>) -> Result<(), Failure> {
    let op = arguments.op.0;
    let found = 1 + usize::from(b.is_some());
    if op.operands() != found {
        let error = wavelane::Error::OperandCount { op, found };
        return Err(Failure::usage(error.to_string(), error.advice()));
    }
    if let (Some(b), Some(path)) = (b.filter(|b| b.kind != a.kind), &arguments.b) {
        let (first, second) = (arguments.a.display(), path.display());
        return Err(Failure::new(
            format!("{op} takes elements of one type, and {first} holds {}, {second} {}", a.kind.name(), b.kind.name()),
            format!("convert one of them first: {}", numpy::CONVERT),
        ));
    }
    let truths = op.compares()
        || op.needs_floats()
        || matches!(op, TransformOp::Not | TransformOp::And | TransformOp::Or | TransformOp::Xor | TransformOp::Min | TransformOp::Max);
    let element = numpy::element(a.kind);
    let defined = if a.kind == Kind::Bool { truths } else { op.needs_floats() || op.takes(convert::dtype(element)) };
    if !defined {
        return Err(undefined(op, a.kind));
    }
    Ok(())
}

/// An operator that there is not for a type.
pub fn undefined(op: TransformOp, kind: Kind) -> Failure {
    if op.needs_integers() && numpy::element(kind).is_float() {
        return numpy::not_of_floats(op.name(), kind, "convert first: ");
    }
    Failure::unfit(format!("{op} is not defined for {}", kind.name()), format!("convert first: {}", numpy::CONVERT))
}

/// The type in which numpy has roots and the like of a type.
fn floats_of(kind: Kind) -> Kind {
    match kind {
        Kind::F16 | Kind::F32 | Kind::F64 => kind,
        Kind::Bool | Kind::U8 | Kind::I8 => Kind::F16,
        Kind::U16 | Kind::I16 => Kind::F32,
        Kind::U32 | Kind::I32 | Kind::U64 | Kind::I64 => Kind::F64,
    }
}
