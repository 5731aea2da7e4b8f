//! `wavelane explain` of the kernels that treat elements one by one.

use serde_json::{Value, json};
use wavelane::device::quirks_of;
use wavelane::{Convert, Fill, Gather, Iota, Kernel, Scalar, Scatter, Schedule, Transform};

use super::capabilities;
use crate::arguments::{ExplainArray, ExplainConvert, ExplainFill, ExplainPut, ExplainTake, ExplainTransform, Global};
use crate::report::{self, Ending, Failure};
use crate::run::session::shape;
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
    let axis = numpy::axis(arguments.axis, extents.len())?;
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
    let transform = match op.operands() {
        1 => Transform::unary(op, dtype, &a),
        _ => Transform::binary(op, dtype, &a, b.as_ref().unwrap_or(&a)),
    };
    show(global, &transform, array.json)
}

fn extents(array: &ExplainArray) -> Result<Vec<usize>, Failure> {
    shape(&array.shape.clone().unwrap_or_else(|| array.n.into_iter().collect()))
}

/// How a kernel would run, as text or JSON.
fn show<K: Kernel>(global: &Global, kernel: &K, json: bool) -> Result<Ending, Failure> {
    let path = convert::path(global)?;
    let capabilities = capabilities(global)?;
    let schedule = kernel.schedule(&capabilities, &quirks_of(&capabilities), path).map_err(convert::failure)?;
    if json {
        report::print(&format!("{:#}\n", to_json(&schedule)))?;
    } else {
        report::print(&format!("{}\n", schedule.explain()))?;
    }
    Ok(Ending::Done)
}

fn to_json(schedule: &Schedule) -> Value {
    let dispatches: Vec<Value> = schedule
        .dispatches()
        .map(|step| json!({ "kernel": step.kernel, "module": step.module, "groups": step.groups, "shared_bytes": step.shared_bytes }))
        .collect();
    json!({
        "kernel": schedule.kernel,
        "title": schedule.title,
        "device": schedule.device,
        "path": schedule.choice.path,
        "reasons": schedule.choice.reasons,
        "workgroup_size": schedule.choice.workgroup_size,
        "required_subgroup_size": schedule.choice.subgroup_size,
        "full_subgroups": schedule.choice.full_subgroups,
        "strategy": schedule.strategy,
        "dispatches": dispatches,
        "barriers": schedule.barriers(),
        "scratch_bytes": schedule.scratch_bytes(),
        "bytes_moved": schedule.bytes_moved,
    })
}
