//! Scans of segments.

use wavelane::{DType, ScanOp, SegmentSource, SegmentedScan, SegmentedScanBindings};
use wavelane_reference::{ScanOp as Op, ScanOptions, Segments, segmented_scan};

use super::case::{Case, Expected, Planned, Prepared};
use super::data::{self, words};

/// Elements of a segment, on the average: some segments begin and end within a tile, some do not.
const SEGMENT: u32 = 100;

pub fn cases() -> Vec<Case> {
    vec![Case::new("segmented_scan sum u32 flags", |bench, n| {
        let description = SegmentedScan::new(ScanOp::Sum, DType::U32, n, SegmentSource::Flags);
        let work = Planned::new(bench, &description, |ranges| {
            Some(SegmentedScanBindings {
                input: ranges.get("input"),
                output: ranges.get("output")?,
                segments: Some(ranges.get("flags")?),
                scratch: ranges.get("scratch"),
                count: None,
            })
        })?;
        let inputs = vec![("input", data::u32s(n)), ("flags", data::flags(n, SEGMENT))];
        Ok(Prepared::new(work, inputs, (n, 12 * n), |inputs| {
            let (input, segments) = (&inputs[0].1, Segments::Flags(words(&inputs[1].1)?));
            let results = segmented_scan(Op::Sum, input, &segments, &ScanOptions::default())?;
            Ok(vec![Expected::exactly("output", results)])
        }))
    })]
}
