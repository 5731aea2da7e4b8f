//! A device's scan of segments against its CPU twin.

use libtest_mimic::Failed;
use wavelane::{Context, DType, Error, ScanOp, ScanStrategy, SegmentSource, SegmentedScan, Tensor};
use wavelane_reference::{self as reference, Element, Segments, Values};

use super::data;
use super::harness::gpu::ensure;
use super::segments::{flags, keys};

/// What came of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checked {
    /// The device's results are the twin's.
    Equal,
    /// The device lacks the type, or the operator is not for it: the right error came.
    RightError,
}

/// What tells the device where segments begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Flags,
    Offsets,
    Keys(DType),
}

impl Source {
    pub fn described(self, offsets: usize) -> SegmentSource {
        match self {
            Self::Flags => SegmentSource::Flags,
            Self::Offsets => SegmentSource::Offsets(offsets),
            Self::Keys(key) => SegmentSource::Keys(key),
        }
    }

    /// What it is for the segments of `offsets`.
    pub fn tensor(self, offsets: &[u32], count: usize) -> Result<Tensor, wavelane::Error> {
        let flags = flags(offsets, count);
        match self {
            Self::Flags => Tensor::from_slice(&flags, &[count]),
            Self::Offsets => Tensor::from_slice(offsets, &[offsets.len()]),
            Self::Keys(key) => data::tensor(key, &[count], &keys(key, &flags)),
        }
    }
}

fn operator(op: ScanOp) -> reference::ScanOp {
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

/// The twin's options, with an initial value of the elements' type.
fn options(scan: &SegmentedScan) -> reference::ScanOptions {
    let initial = scan.initial.map(|initial| {
        let bytes = initial.bits().to_le_bytes();
        Values::from_bytes(data::element(scan.dtype), &bytes[..scan.dtype.size() as usize])
    });
    reference::ScanOptions { exclusive: scan.exclusive, reverse: scan.reverse, initial: initial.flatten(), wide: scan.wide }
}

/// Runs `scan` of `values` in the segments of `offsets`, told by `source`, and compares.
pub fn check(context: &Context, scan: &SegmentedScan, source: Source, values: &Values, offsets: &[u32]) -> Result<Checked, Failed> {
    let scan = &SegmentedScan { segments: source.described(offsets.len()), ..scan.clone() };
    let label = || format!("{scan:?} on {:?}", context.path());
    let features = &context.device().capabilities().features;
    let keyed = matches!(scan.op, ScanOp::Min | ScanOp::Max | ScanOp::Last);
    let has_type = match scan.dtype {
        DType::U64 | DType::I64 => features.shader_int64,
        DType::F64 => features.shader_float64 && (!keyed || features.shader_int64),
        _ => true,
    };
    let rounds = scan.dtype.is_float() && matches!(scan.op, ScanOp::Sum | ScanOp::Prod);
    let input = data::tensor(scan.dtype, &[scan.length], values)?;
    let outcome = match context.segmented_scan(scan, &input, &source.tensor(offsets, scan.length)?) {
        Ok(outcome) => outcome,
        Err(Error::TypeUnsupported { .. }) if !has_type => return Ok(Checked::RightError),
        Err(Error::OperatorType { .. }) if scan.op.is_bitwise() && scan.dtype.is_float() => return Ok(Checked::RightError),
        Err(Error::StrategyUnavailable { .. }) if scan.strategy == Some(ScanStrategy::SinglePass) && (rounds || scan.in_place) => {
            return Ok(Checked::RightError);
        }
        Err(error) => return Err(format!("{}: {error}", label()).into()),
    };
    ensure(has_type, || format!("{}: ran without the features it needs", label()))?;
    // What stands before and behind the segments is scanned too.
    let mut all = vec![0];
    all.extend(offsets);
    all.push(scan.length as u32);
    let (op, options, segments) = (operator(scan.op), options(scan), Segments::Offsets(&all));
    let twin = |error: reference::Error| format!("{}: the twin says {error}", label());
    let expected = reference::segmented_scan(op, values, &segments, &options).map_err(twin)?;
    let result = if outcome.tensor.dtype() == DType::F64 { Element::F64 } else { Element::F32 };
    let bounds = reference::segmented_scan_bound(op, values, &segments, &options, result).map_err(twin)?;
    compare(&outcome.tensor, &expected, &bounds).map_err(|why| format!("{}: {why}\n{}", label(), outcome.plan.explain()))?;
    Ok(Checked::Equal)
}

/// Results against the twin's, exactly for integers and within the bounds for floats.
pub fn compare(got: &Tensor, expected: &Values, bounds: &[f64]) -> Result<(), String> {
    let got = Values::from_bytes(data::element(got.dtype()), got.bytes()).ok_or("bytes do not fit the type")?;
    if got.len() != expected.len() {
        return Err(format!("{} results, and {} are right", got.len(), expected.len()));
    }
    // 64-bit integers do not fit f64: those are compared as they are.
    if !got.element().is_float() && got.bits() != expected.bits() {
        let (got, want) = (got.bits(), expected.bits());
        let index = (0..got.len()).find(|&index| got[index] != want[index]).unwrap_or_default();
        return Err(format!("result {index} is {:#x}, and {:#x} is right", got[index], want[index]));
    }
    for (index, ((got, want), bound)) in got.to_f64().iter().zip(expected.to_f64()).zip(bounds).enumerate() {
        let equal = *got == want || (got.is_nan() && want.is_nan()) || (got - want).abs() <= *bound;
        if !equal {
            return Err(format!("result {index} is {got:e}, and {want:e} is right (bound {bound:e})"));
        }
    }
    Ok(())
}
