//! Scans of a whole array, of rows and of columns.

use anyhow::Result;
use wavelane::{DType, Scan, ScanBindings, ScanOp, ScanStrategy};
use wavelane_reference::{Element, ScanOp as Op, ScanOptions, Values, scan, scan_bound};

use super::Bench;
use super::case::{Case, Expected, Planned, Prepared};
use super::data;

/// The scan that has to be flat.
pub const AUTO: &str = "scan sum u32 exclusive";

/// Elements of a row.
const ROW: usize = 1024;

pub fn cases() -> Vec<Case> {
    let exclusive = |n: usize| Scan::new(ScanOp::Sum, DType::U32, &[n]).exclusive();
    let mut cases = vec![Case::new(AUTO, move |bench, n| scanned(bench, exclusive(n)))];
    for (name, strategy) in [
        ("scan sum u32 exclusive one_workgroup", ScanStrategy::OneWorkgroup),
        ("scan sum u32 exclusive reduce_then_scan", ScanStrategy::ReduceThenScan),
        ("scan sum u32 exclusive single_pass", ScanStrategy::SinglePass),
    ] {
        cases.push(Case::new(name, move |bench, n| scanned(bench, exclusive(n).with_strategy(strategy))));
    }
    cases.extend([
        Case::new("scan sum f32", |bench, n| scanned(bench, Scan::new(ScanOp::Sum, DType::F32, &[n]))),
        Case::new("scan sum u64", |bench, n| scanned(bench, Scan::new(ScanOp::Sum, DType::U64, &[n]))),
        Case::new("scan max u32", |bench, n| scanned(bench, Scan::new(ScanOp::Max, DType::U32, &[n]))),
        Case::new("scan sum u32 rows_of_1024", |bench, n| {
            scanned(bench, Scan::new(ScanOp::Sum, DType::U32, &[n.div_ceil(ROW), ROW]).along(1))
        }),
        Case::new("scan sum u32 columns_of_1024", |bench, n| {
            scanned(bench, Scan::new(ScanOp::Sum, DType::U32, &[ROW, n.div_ceil(ROW)]).along(0))
        }),
    ]);
    cases
}

fn scanned(bench: &Bench, description: Scan) -> Result<Prepared> {
    let elements: usize = description.shape.iter().product();
    let input = match description.dtype {
        DType::F32 => data::f32s(elements),
        DType::U64 => data::u64s(elements),
        _ => data::u32s(elements),
    };
    let work = Planned::new(bench, &description, |ranges| {
        Some(ScanBindings { input: ranges.get("input"), output: ranges.get("output")?, scratch: ranges.get("scratch"), count: None })
    })?;
    let moved = 2 * elements * description.dtype.size() as usize;
    Ok(Prepared::new(work, vec![("input", input)], (elements, moved), move |inputs| Ok(vec![expected(&description, &inputs[0].1)?])))
}

fn expected(description: &Scan, input: &Values) -> Result<Expected> {
    let Scan { op, ref shape, axis, exclusive, .. } = *description;
    let op = if op == ScanOp::Max { Op::Max } else { Op::Sum };
    let options = ScanOptions { exclusive, ..ScanOptions::default() };
    let results = scan(op, input, shape, axis, &options)?;
    if input.element() != Element::F32 {
        return Ok(Expected::exactly("output", results));
    }
    let bounds = scan_bound(op, input, shape, axis, &options, Element::F32)?;
    Ok(Expected::within("output", Element::F32, results, bounds))
}
