//! Operators of the current array, alone or with another one that is as large, or stretches.

use libtest_mimic::Failed;
use wavelane::{DType, Operand, Transform, TransformBindings, TransformOp};
use wavelane_reference::{self as reference, BinaryOp, UnaryOp, Values};

use super::chain::{Array, Chain};
use super::data::Random;
use super::planned::Ranges;
use super::rig::Rig;
use super::variants::Variant;
use super::{draw, elements, exact};

pub fn transform(chain: &mut Chain, rig: &Rig, variant: &Variant, op: TransformOp, random: &mut Random) -> Result<bool, Failed> {
    let input = chain.input();
    if input.dtype != variant.dtype {
        return Ok(false);
    }
    if op.operands() == 1 { unary(chain, rig, variant, op, &input, random) } else { binary(chain, rig, variant, op, &input, random) }
}

fn unary(chain: &mut Chain, rig: &Rig, variant: &Variant, op: TransformOp, input: &Array, random: &mut Random) -> Result<bool, Failed> {
    let rectangle = draw::rectangle(input.capacity, random).filter(|_| !input.is_counted() && random.one_in(2));
    let mut transform = Transform::unary(op, variant.dtype, &[input.capacity]);
    let mut values = input.live.clone();
    match rectangle {
        // Lies the other way around.
        Some((rows, columns)) => {
            transform.operands = vec![Operand::contiguous(&[rows, columns]).transposed()];
            values = values.take((0..columns).flat_map(|column| (0..rows).map(move |row| row * columns + column)));
        }
        None => transform.in_place = random.one_in(2),
    }
    let known = UnaryOp::ALL.into_iter().find(|known| known.name() == op.name()).ok_or("the twin does not know the operator")?;
    let live = reference::transform_unary(known, &values)?;
    finish(chain, rig, variant, &transform, live, (input, input), random)
}

fn binary(chain: &mut Chain, rig: &Rig, variant: &Variant, op: TransformOp, input: &Array, random: &mut Random) -> Result<bool, Failed> {
    let dtype = variant.dtype;
    if let Some(other) = stretched_over(chain, input, random) {
        let transform = Transform::binary(op, dtype, &[other.capacity], &[1]);
        let (live, _) = reference::transform_binary(twin(op)?, &other.live, &[other.len()], &input.live, &[1])?;
        return finish(chain, rig, variant, &transform, live, (&other, input), random);
    }
    let in_place = op.result_dtype(dtype).size() == dtype.size() && random.one_in(2);
    let but = if in_place { vec![input.slot] } else { vec![] };
    let capacity = input.capacity;
    let (mut shape, mut live_shape) = (vec![capacity], vec![input.len()]);
    let (other, other_shape) = match (random.below(4), draw::rectangle(capacity, random)) {
        (0, _) => {
            let one = chain.beside_or(dtype, (1, 1), &but, random, |random| elements::draw(dtype, 1, random));
            (one, vec![1])
        }
        (1, Some((rows, columns))) if !input.is_counted() => {
            (shape, live_shape) = (vec![rows, columns], vec![rows, columns]);
            let row = chain.beside_or(dtype, (columns, columns), &but, random, |random| elements::draw(dtype, columns, random));
            (row, vec![columns])
        }
        _ => {
            let size = (input.len(), capacity);
            let other = chain.beside_or(dtype, size, &but, random, |random| elements::draw(dtype, capacity, random));
            (other, shape.clone())
        }
    };
    let transform = Transform { in_place, ..Transform::binary(op, dtype, &shape, &other_shape) };
    // Of an operand as large as the array, as many elements count.
    let other_live_shape = if other_shape == vec![capacity] { live_shape.clone() } else { other_shape };
    let other_live = other.live.take(0..other_live_shape.iter().product());
    let (live, _) = reference::transform_binary(twin(op)?, &input.live, &live_shape, &other_live, &other_live_shape)?;
    finish(chain, rig, variant, &transform, live, (input, &other), random)
}

/// The array that a single element is to be combined with, if there is one: what it is the sum of, say.
fn stretched_over(chain: &Chain, input: &Array, random: &mut Random) -> Option<Array> {
    let is_single = input.capacity == 1 && !input.is_counted();
    if is_single { chain.beside(input.dtype, (2, 2), &[input.slot], random, |_| true) } else { None }
}

fn twin(op: TransformOp) -> Result<BinaryOp, Failed> {
    let known = BinaryOp::ALL.into_iter().find(|known| known.name() == op.name());
    known.ok_or_else(|| "the twin does not know the operator".into())
}

fn finish(
    chain: &mut Chain,
    rig: &Rig,
    variant: &Variant,
    transform: &Transform,
    live: Values,
    (a, b): (&Array, &Array),
    random: &mut Random,
) -> Result<bool, Failed> {
    let transform = &Transform { counted: a.is_counted(), ..transform.clone() };
    let result = transform.result_dtype();
    let Some(live) = exactly(transform.op, variant.dtype, live) else { return Ok(false) };
    let bind = if transform.in_place { in_place_bindings } else { bindings };
    let Some(planned) = rig.plan(transform, variant.path, bind)? else { return Ok(false) };
    let output = if transform.in_place { a.slot } else { chain.room_for(result, a.capacity, &[a.slot, b.slot], random) };
    let count = chain.count_slot(a);
    chain.push(planned, &[("a", a.slot), ("b", b.slot), ("output", output), ("count", count)])?;
    chain.result(output, result, live, a.capacity, a.count)?;
    Ok(true)
}

/// What the twin says, in the results' type; none where a device may round in another way.
fn exactly(op: TransformOp, dtype: DType, live: Values) -> Option<Values> {
    let rounds = dtype.is_float() && matches!(op, TransformOp::Add | TransformOp::Sub | TransformOp::Mul);
    if rounds { exact::in_type(dtype, &live) } else { Some(live) }
}

fn bindings<'a>(&[a, b, output, count, ..]: &Ranges<'a>) -> TransformBindings<'a> {
    TransformBindings { a, b: Some(b), output: Some(output), count: Some(count) }
}

fn in_place_bindings<'a>(&[a, b, _, count, ..]: &Ranges<'a>) -> TransformBindings<'a> {
    TransformBindings { a, b: Some(b), output: None, count: Some(count) }
}
