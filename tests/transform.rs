//! Operators of elements and pairs, of every type and however operands lie, on every driver, against the CPU twin.

#[path = "elementwise/mod.rs"]
mod elementwise;
mod harness;

use std::process::ExitCode;

use elementwise::{
    LENGTHS, begins, computes, context, counts, minimal, narrow, narrow_and_whole, near, numbers, recorded, recorded_plan, refused,
    refused_bindings, shared, tensor,
};
use harness::gpu::ensure;
use harness::{Case, without_subgroups};
use libtest_mimic::Failed;
use wavelane::record::BufferRange;
use wavelane::{Context, DType, Error, Kernel, Operand, Tensor, Transform, TransformBindings, TransformOp};
use wavelane_reference::{self as reference, BinaryOp, UnaryOp, Values};

fn main() -> ExitCode {
    harness::main(without_subgroups(vec![
        Case::new("every_operator_and_type", |_| operators(&context(None)?, &DType::ALL)),
        Case::new("every_operator_as_minimal", |_| operators(&minimal()?, &[DType::I32, DType::F32, DType::F64])).narrowed(),
        Case::new("every_length", |_| lengths()),
        Case::new("every_half", |_| every_half()),
        Case::new("shapes_stretch", |_| shapes(&context(None)?, &[DType::U8, DType::I8, DType::F16, DType::F32, DType::U64, DType::F64])),
        Case::new("shapes_stretch_as_minimal", |_| shapes(&minimal()?, &[DType::U16, DType::I32, DType::I64])).narrowed(),
        Case::new("operands_with_strides", |_| strides()),
        Case::new("limits_are_met_in_pieces", |_| limits()),
        Case::new("in_place", |_| in_place()),
        Case::new("recorded_at_offsets", |_| recording()),
        Case::new("counts_on_the_device", |_| counted()),
        Case::new("counts_on_the_device_in_place", |_| counted_in_place()),
        Case::new("refusals", |_| refusals()),
    ]))
}

fn unary(op: TransformOp) -> Option<UnaryOp> {
    UnaryOp::ALL.into_iter().find(|twin| twin.name() == op.name())
}

fn binary(op: TransformOp) -> Option<BinaryOp> {
    BinaryOp::ALL.into_iter().find(|twin| twin.name() == op.name())
}

/// The twin's results of operands in C order, and how far a device's may lie from them.
fn expected(op: TransformOp, operands: &[(&Values, &[usize])]) -> Result<(Values, Vec<f64>), Failed> {
    match operands {
        [(a, _)] => {
            let op = unary(op).ok_or("no twin")?;
            Ok((reference::transform_unary(op, a)?, reference::transform_unary_bound(op, a)?))
        }
        [(a, a_shape), (b, b_shape)] => {
            let op = binary(op).ok_or("no twin")?;
            let (results, _) = reference::transform_binary(op, a, a_shape, b, b_shape)?;
            let bounds = reference::transform_binary_bound(op, a.element(), &results);
            Ok((results, bounds))
        }
        _ => Err("neither one operand nor two".into()),
    }
}

/// Whether it ran: not where the device lacks the type.
fn check(context: &Context, op: TransformOp, dtype: DType, shapes: &[&[usize]]) -> Result<bool, Failed> {
    let values: Vec<Values> = shapes.iter().zip(1..).map(|(shape, seed)| numbers(dtype, shape.iter().product(), seed)).collect();
    let operands = shapes.iter().map(|shape| Operand::contiguous(shape)).collect();
    let transform = Transform::new(op, dtype, operands);
    let tensors = shapes.iter().zip(&values).map(|(shape, values)| tensor(dtype, shape, values)).collect::<Result<Vec<_>, _>>()?;
    let outcome = match context.transform(&transform, &tensors.iter().collect::<Vec<_>>()) {
        Err(Error::FeatureMissing { .. }) if !computes(context, dtype) => return Ok(false),
        Err(error) => return Err(format!("{transform:?}: {error}").into()),
        Ok(outcome) => outcome,
    };
    ensure(computes(context, dtype), || format!("{transform:?} ran without the feature it needs"))?;
    let pairs: Vec<(&Values, &[usize])> = values.iter().zip(shapes.iter().copied()).collect();
    let (want, bounds) = expected(op, &pairs)?;
    ensure(outcome.tensor.dtype() == transform.result_dtype(), || format!("{transform:?} gave {}", outcome.tensor.dtype()))?;
    near(&outcome.tensor, &want, &bounds, || format!("{transform:?}"))?;
    Ok(true)
}

fn operators(context: &Context, dtypes: &[DType]) -> Result<(), Failed> {
    for op in TransformOp::ALL {
        for &dtype in dtypes.iter().filter(|&&dtype| op.takes(dtype)) {
            // u16 is computed as u8 is, but for its size, and i16 as i8.
            if matches!(dtype, DType::U16 | DType::I16)
                && !matches!(op, TransformOp::Not | TransformOp::Mul | TransformOp::Shl | TransformOp::Shr | TransformOp::Ge)
            {
                continue;
            }
            let shapes: &[&[usize]] = if op.operands() == 1 { &[&[4099]] } else { &[&[4099], &[4099]] };
            check(context, op, dtype, shapes)?;
        }
    }
    Ok(())
}

/// Every half read and written by way of f32, and halfway between any two neighbours, where the even one is nearest.
fn every_half() -> Result<(), Failed> {
    let context = context(None)?;
    let all = Values::from_bits(reference::Element::F16, 0..=0xffff);
    let input = tensor(DType::F16, &[1 << 16], &all)?;
    for (op, other) in [(TransformOp::Mul, 1.0), (TransformOp::Mul, 0.5), (TransformOp::Mul, 1.5), (TransformOp::Add, 0.125)] {
        let other = Values::F16(vec![half::f16::from_f64(other)]);
        let transform = Transform::binary(op, DType::F16, &[1 << 16], &[1]);
        let outcome = context.transform(&transform, &[&input, &tensor(DType::F16, &[1], &other)?])?;
        let (want, bounds) = expected(op, &[(&all, &[1 << 16]), (&other, &[1])])?;
        ensure(bounds.iter().all(|&bound| bound == 0.0), || "a bound for what is exact".into())?;
        near(&outcome.tensor, &want, &bounds, || format!("{transform:?}"))?;
    }
    Ok(())
}

fn lengths() -> Result<(), Failed> {
    let context = context(None)?;
    for dtype in [DType::U8, DType::U16, DType::F16, DType::F32, DType::I64] {
        for length in LENGTHS {
            check(&context, TransformOp::Neg, dtype, &[&[length]])?;
            check(&context, TransformOp::Lt, dtype, &[&[length], &[length]])?;
        }
    }
    Ok(())
}

fn shapes(context: &Context, dtypes: &[DType]) -> Result<(), Failed> {
    let mut ran = 0;
    for &dtype in dtypes {
        for (a, b) in [
            (&[][..], &[][..]),
            (&[1000], &[]),
            (&[1], &[1001]),
            (&[37, 41], &[41]),
            (&[37, 41], &[37, 1]),
            (&[41], &[37, 1]),
            (&[5, 1, 7, 3], &[4, 1, 3]),
            (&[2, 1, 3, 1, 2, 1, 3], &[1, 2, 1, 3, 1, 2, 1]),
            (&[0, 3], &[3]),
            (&[3, 1], &[1, 0]),
        ] {
            // Seven axes do not merge, and the shader counts six.
            if a.len() == 7 {
                let result = Transform::binary(TransformOp::Sub, dtype, a, b).schedule(context.device().capabilities(), &[], None);
                if computes(context, dtype) {
                    refused(result.map(|_| ()), "operands of 7 axes that do not lie in a row were given, and at most 6 are supported")?;
                }
                continue;
            }
            ran += usize::from(check(context, TransformOp::Sub, dtype, &[a, b])?);
            // A result of other words than the operands.
            if dtype.size() < 4 && !dtype.is_float() {
                check(context, TransformOp::Ge, dtype, &[a, b])?;
            }
        }
        ran += usize::from(check(context, TransformOp::Max, dtype, &[&[2, 1, 3, 1, 2, 1], &[1, 2, 1, 3, 1, 2]])?);
    }
    ensure(ran >= 20, || format!("only {ran} ran"))
}

/// Arrays that lie the other way around, backwards, with gaps, and from an offset on; against the twin of what they hold.
fn strides() -> Result<(), Failed> {
    let context = context(None)?;
    for dtype in [DType::U8, DType::F16, DType::I32] {
        let stored = numbers(dtype, 400, 11);
        let whole = tensor(dtype, &[400], &stored)?;
        for operand in [
            Operand::contiguous(&[20, 20]).transposed(),
            Operand::strided(&[400], &[-1], 399),
            Operand::strided(&[7, 11], &[40, 3], 5),
            Operand::strided(&[2, 3, 4], &[-100, 7, 0], 333),
            Operand::strided(&[5], &[0], 7),
            Operand::strided(&[100], &[1], 3),
        ] {
            let at = |index: usize| {
                let (mut rest, mut at) = (index, operand.offset as i64);
                for (&extent, &stride) in operand.shape.iter().zip(&operand.strides).rev() {
                    at += (rest % extent) as i64 * stride;
                    rest /= extent;
                }
                at as usize
            };
            let count: usize = operand.shape.iter().product();
            let gathered = stored.take((0..count).map(at));
            let transform = Transform::new(TransformOp::Abs, dtype, vec![operand.clone()]);
            let outcome = context.transform(&transform, &[&whole])?;
            let (want, bounds) = expected(TransformOp::Abs, &[(&gathered, &operand.shape)])?;
            near(&outcome.tensor, &want, &bounds, || format!("{transform:?}"))?;
            let both = Transform::new(TransformOp::Mul, dtype, vec![Operand::contiguous(&operand.shape), operand.clone()]);
            let other = numbers(dtype, count, 12);
            let outcome = context.transform(&both, &[&tensor(dtype, &operand.shape, &other)?, &whole])?;
            let (want, bounds) = expected(TransformOp::Mul, &[(&other, &operand.shape), (&gathered, &operand.shape)])?;
            near(&outcome.tensor, &want, &bounds, || format!("{both:?}"))?;
        }
    }
    Ok(())
}

fn limits() -> Result<(), Failed> {
    for context in narrow()? {
        for dtype in [DType::U8, DType::F16, DType::I64] {
            check(&context, TransformOp::Neg, dtype, &[&[20_011]])?;
            check(&context, TransformOp::Add, dtype, &[&[20_011], &[20_011]])?;
            check(&context, TransformOp::Lt, dtype, &[&[20_011], &[1]])?;
            check(&context, TransformOp::Mul, dtype, &[&[1, 211], &[97, 1]])?;
        }
    }
    Ok(())
}

fn in_place() -> Result<(), Failed> {
    // In pieces, by what descriptors reach, and whole.
    let mut contexts = narrow()?;
    contexts.truncate(1);
    contexts.push(context(None)?);
    for context in &contexts {
        for dtype in [DType::U8, DType::F16, DType::I32] {
            for (shape, other) in [(&[1009][..], &[1009][..]), (&[1][..], &[][..]), (&[23, 31], &[31]), (&[23, 31], &[23, 1])] {
                let op = if dtype == DType::I32 { TransformOp::Le } else { TransformOp::Sub };
                let count = shape.iter().product();
                let (a, b) = (numbers(dtype, count, 1), numbers(dtype, other.iter().product(), 2));
                let transform = Transform::binary(op, dtype, shape, other).in_place();
                let outcome = context.transform(&transform, &[&tensor(dtype, shape, &a)?, &tensor(dtype, other, &b)?])?;
                let (want, bounds) = expected(op, &[(&a, shape), (&b, other)])?;
                near(&outcome.tensor, &want, &bounds, || format!("{transform:?}"))?;
            }
        }
    }
    Ok(())
}

fn recording() -> Result<(), Failed> {
    let context = context(None)?;
    for dtype in [DType::U8, DType::U16, DType::F32] {
        for other in [&[1001][..], &[], &[7, 143]] {
            let shape: &[usize] = if other.len() == 2 { &[7, 1] } else { &[1001] };
            let transform = Transform::binary(TransformOp::Max, dtype, shape, other);
            let (a, b) = (numbers(dtype, shape.iter().product(), 1), numbers(dtype, other.iter().product(), 2));
            let given = [a.to_bytes(), b.to_bytes()];
            let bytes = recorded(&context, &transform, &[Some(&given[0]), Some(&given[1]), None], |ranges| TransformBindings {
                a: ranges[0],
                b: Some(ranges[1]),
                output: Some(ranges[2]),
                count: None,
            })?;
            let (want, bounds) = expected(TransformOp::Max, &[(&a, shape), (&b, other)])?;
            let size = want.len() * dtype.size() as usize;
            let got = Tensor::new(dtype, transform.result_shape()?, bytes[2][..size].to_vec())?;
            near(&got, &want, &bounds, || format!("{transform:?}"))?;
            ensure(bytes[2][size..].iter().all(|&byte| byte == 0), || "the rest of the last word is not 0".into())?;
        }
    }
    // The negative of the negative of the negative.
    let a = numbers(DType::U16, 777, 3);
    let transform = Transform::unary(TransformOp::Neg, DType::U16, &[777]).in_place();
    let bytes = recorded(&context, &transform, &[Some(&a.to_bytes())], |ranges| TransformBindings {
        a: ranges[0],
        b: None,
        output: None,
        count: None,
    })?;
    let want = reference::transform_unary(UnaryOp::Neg, &a)?.to_bytes();
    ensure(bytes[0].starts_with(&want), || "in place, the results are wrong".into())
}

/// As many results as the device says, and not a byte more but for the last word's, however the operands lie.
fn counted() -> Result<(), Failed> {
    for context in &narrow_and_whole()? {
        for (op, dtype, shapes) in [
            (TransformOp::Neg, DType::U8, &[&[5003][..]][..]),
            (TransformOp::Neg, DType::I64, &[&[5003]]),
            (TransformOp::Add, DType::F16, &[&[5003], &[5003]]),
            (TransformOp::Sub, DType::F32, &[&[5003], &[1]]),
            (TransformOp::Lt, DType::U8, &[&[5003], &[5003]]),
            (TransformOp::Sub, DType::U8, &[&[61, 1], &[83]]),
            (TransformOp::Mul, DType::F16, &[&[61, 1], &[83]]),
            (TransformOp::Ge, DType::U16, &[&[83], &[61, 1]]),
            (TransformOp::Max, DType::F64, &[&[61, 1], &[83]]),
        ] {
            if computes(context, dtype) {
                let operands = shapes.iter().map(|shape| Operand::contiguous(shape)).collect();
                counted_results(context, &Transform::new(op, dtype, operands), shapes)?;
            }
        }
    }
    // The host's own count is of all results.
    let turned = Transform::new(TransformOp::Neg, DType::I32, vec![Operand::contiguous(&[2, 3]).transposed()]).counted();
    let all = context(None)?.transform(&turned, &[&Tensor::from_slice(&[1i32, 2, 3, 4, 5, 6], &[6])?])?.tensor;
    ensure(all.to_vec::<i32>()? == [-1, -4, -2, -5, -3, -6], || format!("{all:?}"))
}

/// Operands that lie in C order.
fn counted_results(context: &Context, transform: &Transform, shapes: &[&[usize]]) -> Result<(), Failed> {
    let dtype = transform.dtype;
    let values: Vec<Values> = shapes.iter().zip(1..).map(|(shape, seed)| numbers(dtype, shape.iter().product(), seed)).collect();
    let pairs: Vec<(&Values, &[usize])> = values.iter().zip(shapes.iter().copied()).collect();
    let (want, bounds) = expected(transform.op, &pairs)?;
    let given: Vec<Vec<u8>> = values.iter().map(Values::to_bytes).collect();
    let plan = transform.clone().counted().plan(context.device(), None)?;
    for count in counts(want.len()) {
        let second = given.get(1).map(Vec::as_slice);
        let bytes = recorded_plan(context, &plan, &[Some(&given[0]), second, None, Some(&count.to_ne_bytes())], |ranges| {
            TransformBindings { a: ranges[0], b: second.map(|_| ranges[1]), output: Some(ranges[2]), count: Some(ranges[3]) }
        })?;
        let written = want.len().min(count as usize);
        let some = (transform.result_dtype(), &want.take(0..written));
        begins(&bytes[2], some, bounds.get(..written).unwrap_or_default(), &[], false, &format!("{count} results of {transform:?}"))?;
    }
    Ok(())
}

/// In place all other elements stay, be they in the last word.
fn counted_in_place() -> Result<(), Failed> {
    for (at, context) in narrow_and_whole()?.iter().enumerate() {
        for dtype in [DType::U8, DType::U16, DType::I32, DType::I64] {
            let shapes: [(&[usize], Option<&[usize]>); 6] = [
                (&[5003], None),
                (&[5003], Some(&[5003])),
                (&[5003], Some(&[])),
                (&[1], Some(&[])),
                (&[61, 53], Some(&[53])),
                (&[61, 53], Some(&[61, 1])),
            ];
            for (shape, other) in shapes {
                // What is read by strides fits one binding.
                if !computes(context, dtype) || (shape.len() == 2 && (at == 0 || dtype == DType::I64)) {
                    continue;
                }
                let count = shape.iter().product();
                let a = numbers(dtype, count, 1);
                let b = other.map(|other| numbers(dtype, other.iter().product(), 2).to_bytes());
                // Either gives the same once and three times.
                let transform = match other {
                    Some(other) => Transform::binary(TransformOp::Xor, dtype, shape, other),
                    None => Transform::unary(TransformOp::Neg, dtype, shape),
                };
                let operands = match (&b, other) {
                    (Some(b), Some(other)) => {
                        let b = Values::from_bytes(elementwise::element(dtype), b).ok_or("half an element")?;
                        expected(transform.op, &[(&a, shape), (&b, other)])?
                    }
                    _ => expected(transform.op, &[(&a, shape)])?,
                };
                let plan = transform.in_place().counted().plan(context.device(), None)?;
                for count in counts(count) {
                    let given = [Some(&a.to_bytes()[..]), b.as_deref(), None, Some(&count.to_ne_bytes()[..])];
                    let bytes = recorded_plan(context, &plan, &given, |ranges| TransformBindings {
                        a: ranges[0],
                        b: b.as_ref().map(|_| ranges[1]),
                        output: None,
                        count: Some(ranges[3]),
                    })?;
                    let want = operands.0.take(0..a.len().min(count as usize));
                    begins(&bytes[0], (dtype, &want), &[], &a.to_bytes(), true, &format!("{count} results of {:?}", plan.kernel()))?;
                }
            }
        }
    }
    Ok(())
}

fn refusals() -> Result<(), Failed> {
    let context = context(None)?;
    let capabilities = context.device().capabilities();
    let plan = |transform: &Transform| transform.schedule(capabilities, &[], None).map(|_| ());
    refused(plan(&Transform::unary(TransformOp::Not, DType::F32, &[3])), "not is not defined for f32")?;
    refused(plan(&Transform::unary(TransformOp::Sqrt, DType::U8, &[3])), "sqrt is not defined for u8")?;
    refused(plan(&Transform::unary(TransformOp::Add, DType::F32, &[3])), "add takes 2 operands, and was given 1")?;
    refused(
        plan(&Transform::binary(TransformOp::Add, DType::F32, &[3], &[4])),
        "shapes [3] and [4] do not broadcast: along each axis they need the same length, or one of them 1",
    )?;
    refused(
        plan(&Transform::new(TransformOp::Neg, DType::F32, vec![Operand::strided(&[3], &[1, 2], 0)])),
        "an operand of 1 axes was given 2 strides",
    )?;
    refused(
        plan(&Transform::new(TransformOp::Neg, DType::F32, vec![Operand::strided(&[3], &[-4], 7)])),
        "an operand of shape [3] with strides [-4] and offset 7 reaches from element -1 to 7, and elements 0 to 4294967294 can be reached",
    )?;
    refused(
        plan(&Transform::binary(TransformOp::Lt, DType::U8, &[3], &[3]).in_place()),
        "the result cannot take the operand's place: truth values have 4 bytes, and the elements have not",
    )?;
    refused(
        plan(&Transform::binary(TransformOp::Add, DType::U8, &[1], &[3]).in_place()),
        "the result cannot take the operand's place: the operand does not lie as the result does, in C order without gaps",
    )?;
    let minimal = minimal()?;
    let name = minimal.device().capabilities().shown_name();
    refused(
        Transform::unary(TransformOp::Neg, DType::I64, &[3]).plan(minimal.device(), None),
        &format!("neg of i64 needs shaderInt64, which {name} does not have"),
    )?;
    let buffer = shared(&context, "all", 4096)?;
    let all = BufferRange::whole(&buffer);
    let good = TransformBindings { a: all.slice(0, 40)?, b: Some(all.slice(0, 40)?), output: Some(all.slice(1024, 40)?), count: None };
    let add = Transform::binary(TransformOp::Add, DType::U32, &[10], &[10]);
    refused_bindings(
        &context,
        &add,
        &[
            (TransformBindings { b: None, ..good }, "the b binding has 0 bytes, and the plan needs 40"),
            (TransformBindings { output: None, ..good }, "the output binding has 0 bytes, and the plan needs 40"),
            (TransformBindings { output: Some(all.slice(0, 40)?), ..good }, "the a and output bindings overlap"),
        ],
    )?;
    refused_bindings(
        &context,
        &add.clone().counted(),
        &[
            (good, "the count binding has 0 bytes, and the plan needs 4"),
            (TransformBindings { count: Some(all.slice(1024, 4)?), ..good }, "the output and count bindings overlap"),
        ],
    )?;
    // One range for both operands is no overlap.
    let plan = add.plan(context.device(), None)?;
    let mut recorder = wavelane::record::Recorder::new(context.device())?;
    plan.record(&mut recorder, &good)?;
    ensure(recorder.dispatches() == 1, || "the good bindings were not recorded".into())?;
    let narrow = narrow()?;
    let name = narrow[0].device().capabilities().shown_name();
    refused(
        Transform::new(TransformOp::Neg, DType::U32, vec![Operand::contiguous(&[1025, 2]).transposed()]).plan(narrow[0].device(), None),
        &format!("an operand with gaps, which one binding has to hold, of 8200 bytes does not fit {name}: maxStorageBufferRange is 4096"),
    )?;
    Ok(())
}
