//! Scans against their CPU twin.

use wavelane::{Scan, ScanOp};
use wavelane_reference::{self as reference, Element, Op, ScanOptions};

use super::data;
use super::trial::{Job, Trial, Trouble, near, tensor};
use crate::convert;

/// One that subgroup arithmetic knows, and one that it does not.
const QUICK_OPERATORS: [ScanOp; 2] = [ScanOp::Sum, ScanOp::Last];

/// Of many workgroups, and of one: pipelines are what takes drivers that run on the CPU long.
const QUICK_LENGTH: [usize; 1] = [20_003];
const QUICK_SHORT_LENGTH: [usize; 1] = [2049];
const LENGTHS: [usize; 7] = [0, 1, 257, 2047, 2049, 4097, 100_003];

pub fn jobs(quick: bool) -> Vec<Job> {
    let lengths = move |op: ScanOp| -> &'static [usize] {
        match (quick, op) {
            (false, _) => &LENGTHS,
            (true, ScanOp::Sum) => &QUICK_LENGTH,
            (true, _) => &QUICK_SHORT_LENGTH,
        }
    };
    let operators: &'static [ScanOp] = if quick { &QUICK_OPERATORS } else { &ScanOp::ALL };
    each(operators).map(|(op, element)| Job::new("scan", op.name(), element, move |trial| check(trial, op, element, lengths(op)))).collect()
}

/// Each operator with each type that it is defined for.
pub fn each(operators: &'static [ScanOp]) -> impl Iterator<Item = (ScanOp, Element)> {
    let pairs = operators.iter().flat_map(|&op| Element::ALL.map(|element| (op, element)));
    pairs.filter(|(op, element)| !(op.is_bitwise() && element.is_float()))
}

/// Which way an operator is scanned of a type: each direction takes pipelines of its own, so each operator and each type has both, but not each pair.
pub fn is_reverse(op: ScanOp, element: Element) -> bool {
    (op as usize + element as usize) % 2 == 1
}

pub fn twin(op: ScanOp) -> reference::ScanOp {
    reference::ScanOp::ALL.into_iter().find(|twin| twin.name() == op.name()).unwrap_or(reference::ScanOp::Sum)
}

/// The reduction whose values a scan's operator can bear.
pub fn like(op: ScanOp) -> Op {
    if op == ScanOp::Prod { Op::Prod } else { Op::Sum }
}

/// Arrays whole and along each axis, with and without the own element.
fn check(trial: &mut Trial, op: ScanOp, element: Element, lengths: &[usize]) -> Result<(), Trouble> {
    let most = data::most_of(like(op), element);
    let whole = lengths.iter().map(|&length| (vec![length.min(most)], None));
    // Few lengths are for a quick look.
    let axes = if lengths.len() == 1 { 0..0 } else { 0..3 };
    let shapes = whole.chain(axes.map(|axis| (vec![7, 33, 65], Some(axis))));
    for (turn, (shape, axis)) in shapes.enumerate() {
        let input = data::random(like(op), element, shape.iter().product());
        let options = ScanOptions { exclusive: turn % 3 == 2, reverse: is_reverse(op, element), ..ScanOptions::default() };
        let scan = Scan { axis, exclusive: options.exclusive, reverse: options.reverse, ..Scan::new(op, convert::dtype(element), &shape) };
        let tensor = tensor(&input, &shape)?;
        let want = reference::scan(twin(op), &input, &shape, axis, &options)?;
        let bounds = |result| reference::scan_bound(twin(op), &input, &shape, axis, &options, result);
        trial.on_each(&format!("{scan:?}"), |context| {
            near(&context.scan(&scan, &tensor)?.tensor, &want, bounds)?;
            Ok(1)
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operator_has_its_twin() {
        for op in ScanOp::ALL {
            assert_eq!(twin(op).name(), op.name());
        }
    }
}
