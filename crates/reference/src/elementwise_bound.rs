//! How far a device's floating-point result may lie from an elementwise twin's, by what Vulkan promises of its operations.

use crate::error::Error;
use crate::number::one;
use crate::transform::{BinaryOp, UnaryOp};
use crate::values::{Element, Values};

/// Half the distance from 1 to the next number of a type, and its least normal number, which a device may flush to zero with what is less.
fn type_of(element: Element) -> (f64, f64) {
    match element {
        // Halves are stored by their bits, and subnormal ones stay what they are.
        Element::F16 => (2f64.powi(-11), 2f64.powi(-24)),
        Element::F64 => (2f64.powi(-53), f64::MIN_POSITIVE),
        _ => (2f64.powi(-24), f64::from(f32::MIN_POSITIVE)),
    }
}

/// The type that a device computes elements in.
fn computed(element: Element) -> Element {
    if element == Element::F64 { Element::F64 } else { Element::F32 }
}

/// The greatest difference for a result that is computed with an error of so many units in the last place, or so much in all, and stored.
fn bound(element: Element, result: f64, units: f64, absolute: f64) -> f64 {
    let (unit, least) = type_of(computed(element));
    let (stored, least_stored) = type_of(element);
    let rounding = if element == Element::F16 { stored * result.abs() + least_stored / 2.0 } else { 0.0 };
    // A unit in the last place is up to twice the greatest error of rounding.
    let all = 2.0 * unit * units * result.abs() + absolute + least + rounding * 1.001;
    if all.is_finite() { all } else { 0.0 }
}

/// The greatest difference allowed between a device's results and those of [`transform_unary`](crate::transform_unary()), one for each element; 0 where
/// results must be equal.
///
/// - sqrt: 4 units in the last place of f32 (it is inherited from 1 / inversesqrt), 1 of f64.
/// - exp: 3 + 2 |x| units of f32, 4 of f64.
/// - log: 3 units of f32, or 2^-21 in all from 0.5 to 2; 4 units of f64.
///
/// Where a device may flush subnormal numbers to zero, the type's smallest normal number is added; f16 is computed in f32, and rounded.
pub fn transform_unary_bound(op: UnaryOp, input: &Values) -> Result<Vec<f64>, Error> {
    let element = input.element();
    let double = element == Element::F64;
    let Values::F64(results) = crate::transform_unary(op, input)? else { return Ok(vec![0.0; input.len()]) };
    if !element.is_float() || matches!(op, UnaryOp::Neg | UnaryOp::Abs | UnaryOp::Floor | UnaryOp::Ceil) {
        return Ok(vec![0.0; input.len()]);
    }
    let bounds = input.to_f64().into_iter().zip(results).map(|(x, result)| {
        let (units, absolute) = match op {
            UnaryOp::Sqrt => (if double { 1.0 } else { 4.0 }, 0.0),
            UnaryOp::Exp if !double => (3.0 + 2.0 * x.abs(), 0.0),
            UnaryOp::Log if !double && (0.5..=2.0).contains(&x) => (0.0, 2f64.powi(-21)),
            UnaryOp::Log if !double => (3.0, 0.0),
            _ => (4.0, 0.0),
        };
        bound(element, result, units, absolute)
    });
    Ok(bounds.collect())
}

/// The same for results of [`transform_binary`](crate::transform_binary()) of operands of a type: add, sub and mul round once, div is within 2.5 units in
/// the last place (1 of f64). Sums, differences and products of f16 are equal: f32 holds them, or what it loses is too little to turn a rounding.
pub fn transform_binary_bound(op: BinaryOp, element: Element, results: &Values) -> Vec<f64> {
    let units = match op {
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul if element == Element::F16 => return vec![0.0; results.len()],
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul if element.is_float() => 0.5,
        BinaryOp::Div if element.is_float() => [2.5, 1.0][usize::from(element == Element::F64)],
        _ => return vec![0.0; results.len()],
    };
    results.to_f64().into_iter().map(|result| bound(element, result, units, 0.0)).collect()
}

/// The greatest difference allowed between a device's results and those of [`iota`](crate::iota()): the index, its product with the step, and the sum are
/// each rounded, the sum to the nearest of the type that is stored, or the one beside it.
pub fn iota_bound(element: Element, count: usize, start: &Values, step: &Values) -> Result<Vec<f64>, Error> {
    if !element.is_float() {
        return Ok(vec![0.0; count]);
    }
    fn first(element: Element, what: &'static str, values: &Values) -> Result<f64, Error> {
        Ok(match element {
            Element::F16 => f64::from(one::<half::f16>(what, values)?),
            Element::F64 => one::<f64>(what, values)?,
            _ => f64::from(one::<f32>(what, values)?),
        })
    }
    let (start, step) = (first(element, "start", start)?, first(element, "step", step)?);
    let (unit, _) = type_of(computed(element));
    let of = |i: usize| {
        let product = i as f64 * step;
        // The twin's own rounding is the last one.
        2.0 * bound(element, start + product, 0.5, 2.0 * 2.0 * unit * product.abs())
    };
    Ok((0..count).map(of).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_results_have_no_bound() {
        let input = Values::I32(vec![-1, 2]);
        assert_eq!(transform_unary_bound(UnaryOp::Neg, &input), Ok(vec![0.0; 2]));
        assert_eq!(transform_binary_bound(BinaryOp::Add, Element::I32, &input), [0.0; 2]);
        assert_eq!(transform_binary_bound(BinaryOp::Lt, Element::F32, &Values::U32(vec![1])), [0.0]);
        assert_eq!(iota_bound(Element::U8, 2, &Values::U8(vec![0]), &Values::U8(vec![1])), Ok(vec![0.0; 2]));
    }

    #[test]
    fn floats_are_bound_by_their_size() {
        let bounds = transform_unary_bound(UnaryOp::Exp, &Values::F32(vec![0.0, 10.0, f32::NAN])).unwrap();
        assert!(bounds[0] < 4e-7 && bounds[1] > 0.05 && bounds[1] < 0.07 && bounds[2] == 0.0, "{bounds:?}");
        let half = transform_binary_bound(BinaryOp::Div, Element::F16, &Values::F64(vec![1.0]));
        assert!(half[0] > 2f64.powi(-11) && half[0] < 2f64.powi(-10), "{half:?}");
    }
}
