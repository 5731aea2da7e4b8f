//! Operators of elements, and of pairs, against their CPU twins.

use wavelane::{Transform, TransformOp};
use wavelane_reference::{self as reference, BinaryOp, Element, UnaryOp, Values};

use super::data::{self, Pattern};
use super::trial::{Job, Trial, Trouble, near, tensor};
use crate::convert;

const QUICK_OPERATORS: [TransformOp; 6] =
    [TransformOp::Abs, TransformOp::Exp, TransformOp::Not, TransformOp::Add, TransformOp::Div, TransformOp::Lt];

/// Of whole arrays, and of some that stretch.
const QUICK_SHAPES: [(&[usize], &[usize]); 1] = [(&[4099], &[4099])];
const SHAPES: [(&[usize], &[usize]); 5] = [(&[0], &[0]), (&[1], &[1]), (&[4099], &[4099]), (&[65_537], &[1]), (&[7, 33, 5], &[33, 1])];

pub fn jobs(quick: bool) -> Vec<Job> {
    let operators: &[TransformOp] = if quick { &QUICK_OPERATORS } else { &TransformOp::ALL };
    let shapes: &[(&[usize], &[usize])] = if quick { &QUICK_SHAPES } else { &SHAPES };
    let pairs = operators.iter().flat_map(|&op| Element::ALL.map(|element| (op, element)));
    let defined = pairs.filter(|(op, element)| op.takes(convert::dtype(*element)));
    let job =
        |(op, element): (TransformOp, Element)| Job::new("transform", op.name(), element, move |trial| check(trial, op, element, shapes));
    defined.map(|pair| job(pair).of_one_path()).collect()
}

fn check(trial: &mut Trial, op: TransformOp, element: Element, shapes: &[(&[usize], &[usize])]) -> Result<(), Trouble> {
    for &(first, second) in shapes {
        for pattern in [Pattern::Random, Pattern::Extreme] {
            let a = data::of_pattern(pattern, element, first.iter().product());
            let b = second_operand(op, element, second.iter().product());
            let (want, bounds) = expected(op, (&a, first), (&b, second))?;
            let dtype = convert::dtype(element);
            let (transform, operands) = match op.operands() {
                1 => (Transform::unary(op, dtype, first), vec![tensor(&a, first)?]),
                _ => (Transform::binary(op, dtype, first, second), vec![tensor(&a, first)?, tensor(&b, second)?]),
            };
            trial.on_each(&format!("{transform:?}, {pattern:?} values"), |context| {
                let got = context.transform(&transform, &operands.iter().collect::<Vec<_>>())?.tensor;
                near(&got, &want, |_| Ok(bounds.clone()))?;
                Ok(1)
            })?;
        }
    }
    Ok(())
}

/// Of shifts how far, also too far and backwards; else other elements than the first operand's.
fn second_operand(op: TransformOp, element: Element, count: usize) -> Values {
    if matches!(op, TransformOp::Shl | TransformOp::Shr) {
        let shifts = Values::I64((0..count as i64).map(|at| at * 7 % 70 - 3).collect());
        return reference::convert(&shifts, element);
    }
    data::of_pattern(Pattern::WithNan, element, count).take((0..count).rev())
}

/// The twin's results, and how far a device's may lie from them.
fn expected(op: TransformOp, (a, a_shape): (&Values, &[usize]), (b, b_shape): (&Values, &[usize])) -> Result<(Values, Vec<f64>), Trouble> {
    if let Some(twin) = UnaryOp::ALL.into_iter().find(|twin| twin.name() == op.name()) {
        return Ok((reference::transform_unary(twin, a)?, reference::transform_unary_bound(twin, a)?));
    }
    let twin = BinaryOp::ALL.into_iter().find(|twin| twin.name() == op.name()).ok_or_else(|| format!("{op} has no twin"))?;
    let (results, _) = reference::transform_binary(twin, a, a_shape, b, b_shape)?;
    let bounds = reference::transform_binary_bound(twin, a.element(), &results);
    Ok((results, bounds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operator_has_its_twin() {
        let one = Values::F32(vec![1.0]);
        let integer = Values::I32(vec![1]);
        for op in TransformOp::ALL {
            let value = if op.needs_integers() { &integer } else { &one };
            assert!(expected(op, (value, &[1]), (value, &[1])).is_ok(), "{op}");
        }
    }
}
