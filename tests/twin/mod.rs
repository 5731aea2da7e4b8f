//! What the tests of scans and of segments ask of the CPU twins, and how a device's results are judged by theirs.

#![allow(dead_code, reason = "reductions of segments have no scan's operators")]

use wavelane::{Scalar, ScanOp, Tensor};
use wavelane_reference::{self as reference, Values};

use super::data::element;

/// The twin's word for a scan's operator.
pub fn scan_operator(op: ScanOp) -> reference::ScanOp {
    match op {
        ScanOp::Sum => reference::ScanOp::Sum,
        ScanOp::Prod => reference::ScanOp::Prod,
        ScanOp::Min => reference::ScanOp::Min,
        ScanOp::Max => reference::ScanOp::Max,
        ScanOp::And => reference::ScanOp::And,
        ScanOp::Or => reference::ScanOp::Or,
        ScanOp::Xor => reference::ScanOp::Xor,
        ScanOp::Last => reference::ScanOp::Last,
    }
}

/// The twin's one value.
pub fn value(scalar: Scalar) -> Option<Values> {
    Values::from_bytes(element(scalar.dtype()), &scalar.bytes())
}

/// Results against the twin's, exactly for integers and within the bounds for floats.
pub fn compare(got: &Tensor, expected: &Values, bounds: &[f64]) -> Result<(), String> {
    let got = Values::from_bytes(element(got.dtype()), got.bytes()).ok_or("bytes do not fit the type")?;
    if got.len() != expected.len() {
        return Err(format!("{} results, and {} are right", got.len(), expected.len()));
    }
    // Integers are compared as they are: those of 64 bits do not fit f64.
    if !got.element().is_float() {
        let (got, want) = (got.bits(), expected.bits());
        return match (0..got.len()).find(|&index| got[index] != want[index]) {
            Some(index) => Err(format!("result {index} is {:#x}, and {:#x} is right", got[index], want[index])),
            None => Ok(()),
        };
    }
    for (index, ((got, want), bound)) in got.to_f64().iter().zip(expected.to_f64()).zip(bounds).enumerate() {
        let equal = *got == want || (got.is_nan() && want.is_nan()) || (got - want).abs() <= *bound;
        if !equal {
            return Err(format!("result {index} is {got:e}, and {want:e} is right (bound {bound:e})"));
        }
    }
    Ok(())
}
