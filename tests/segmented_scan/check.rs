//! A device's scan of segments against its CPU twin.

use libtest_mimic::Failed;
use wavelane::{Context, DType, Error, ScanOp, ScanStrategy, SegmentSource, SegmentedScan, Tensor};
use wavelane_reference::{self as reference, Element, Segments, Values};

use super::harness::gpu::ensure;
use super::segments::{flags, keys};
use super::{data, twin};

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
    /// All have as many.
    Length(usize),
}

impl Source {
    pub fn described(self, offsets: usize) -> SegmentSource {
        match self {
            Self::Flags => SegmentSource::Flags,
            Self::Offsets => SegmentSource::Offsets(offsets),
            Self::Keys(key) => SegmentSource::Keys(key),
            Self::Length(length) => SegmentSource::Length(length),
        }
    }

    /// What it is for the segments of `offsets`, if anything.
    pub fn tensor(self, offsets: &[u32], count: usize) -> Result<Option<Tensor>, wavelane::Error> {
        let flags = flags(offsets, count);
        match self {
            Self::Flags => Tensor::from_slice(&flags, &[count]).map(Some),
            Self::Offsets => Tensor::from_slice(offsets, &[offsets.len()]).map(Some),
            Self::Keys(key) => data::tensor(key, &[count], &keys(key, &flags)).map(Some),
            Self::Length(_) => Ok(None),
        }
    }
}

/// The twin's options, with an initial value of the elements' type.
fn options(scan: &SegmentedScan) -> reference::ScanOptions {
    let initial = scan.initial.and_then(twin::value);
    reference::ScanOptions { exclusive: scan.exclusive, reverse: scan.reverse, initial, wide: scan.wide }
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
    let outcome = match context.segmented_scan(scan, &input, source.tensor(offsets, scan.length)?.as_ref()) {
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
    let (op, options, segments) = (twin::scan_operator(scan.op), options(scan), Segments::Offsets(&all));
    let wrong = |error: reference::Error| format!("{}: the twin says {error}", label());
    let expected = reference::segmented_scan(op, values, &segments, &options).map_err(wrong)?;
    let result = if outcome.tensor.dtype() == DType::F64 { Element::F64 } else { Element::F32 };
    let bounds = reference::segmented_scan_bound(op, values, &segments, &options, result).map_err(wrong)?;
    twin::compare(&outcome.tensor, &expected, &bounds).map_err(|why| format!("{}: {why}\n{}", label(), outcome.plan.explain()))?;
    Ok(Checked::Equal)
}
