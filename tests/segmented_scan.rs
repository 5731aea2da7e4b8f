//! Scans of segments on every driver and path, against the CPU twin.

#[path = "segmented_scan/check.rs"]
mod check;
#[allow(dead_code, reason = "shared with other tests, which use the rest")]
#[path = "reduce/data.rs"]
mod data;
mod harness;
#[path = "segmented_scan/limits.rs"]
mod limits;
#[allow(dead_code, reason = "shared with other tests, which use the rest")]
mod segments;
mod twin;

use std::process::ExitCode;

use check::{Checked, Source, check};
use data::{Pattern, values};
use harness::Case;
use harness::gpu::ensure;
use libtest_mimic::Failed;
use segments::Division;
use wavelane::device::{Profile, Validation};
use wavelane::{Context, ContextOptions, DType, Error, Kernel, Path, Scalar, ScanOp, ScanStrategy, SegmentSource, SegmentedScan, Tensor};

/// Lengths around everything that is a size somewhere.
const LENGTHS: [usize; 10] = [0, 1, 3, 33, 127, 257, 1021, 2047, 2049, 10_007];

/// What tells where segments begin.
const SOURCES: [Source; 6] =
    [Source::Flags, Source::Offsets, Source::Keys(DType::U8), Source::Keys(DType::F16), Source::Keys(DType::U32), Source::Keys(DType::I64)];

fn main() -> ExitCode {
    let mut cases = Vec::new();
    for (third, path) in Path::ALL.into_iter().enumerate() {
        cases.push(
            Case::new(format!("divisions::{path}"), move |_| divisions(&context(Some(path), None)?))
                .without_subgroups(path == Path::SharedMemory),
        );
        cases.push(
            Case::new(format!("operators::{path}"), move |_| operators(&context(Some(path), None)?, third))
                .without_subgroups(path == Path::SharedMemory)
                .by_turns(third),
        );
    }
    cases.push(Case::new("divisions::as_minimal", |_| divisions(&context(None, Some(Profile::named("minimal")?))?)).narrowed());
    cases.push(Case::new("operators::as_minimal", |_| operators(&context(None, Some(Profile::named("minimal")?))?, 1)).narrowed());
    for path in Path::ALL {
        cases.push(
            Case::new(format!("segments_of_one_length::{path}"), move |_| of_one_length(&context(Some(path), None)?))
                .without_subgroups(path == Path::SharedMemory),
        );
    }
    cases.push(Case::new("floats_are_the_same_on_every_run", |_| repeated(&context(None, None)?)));
    cases.push(Case::new("what_is_refused", |_| refusals(&context(None, None)?)));
    cases.extend(limits::cases());
    harness::main(cases)
}

/// The driver's device, with a path forced, and as another device.
pub fn context(path: Option<Path>, profile: Option<Profile>) -> Result<Context, Failed> {
    Ok(Context::new(&ContextOptions { path, profile, validation: Validation::On, ..Default::default() })?)
}

/// One type and operator, with everything that tells where segments begin, in both directions, by every strategy.
fn divisions(context: &Context) -> Result<(), Failed> {
    let mut turn = 0;
    for (number, source) in SOURCES.into_iter().enumerate() {
        for length in LENGTHS {
            for division in Division::ALL {
                turn += 1;
                // What needs no pipeline changes all the time.
                if length > 300 && turn % 3 != 0 {
                    continue;
                }
                let scan = SegmentedScan {
                    exclusive: turn % 2 == 0,
                    initial: (turn % 5 == 0).then(|| Scalar::from(12_345u32)),
                    reverse: turn % 7 < 3,
                    in_place: turn % 11 == 3,
                    ..SegmentedScan::new(ScanOp::Sum, DType::U32, length, source.described(0))
                };
                one(context, scan, source, division)?;
            }
        }
        for (length, strategy) in
            [(65_537, ScanStrategy::ReduceThenScan), (40_009, ScanStrategy::SinglePass), (9_999, ScanStrategy::OneWorkgroup)]
        {
            for division in Division::ALL {
                turn += 1;
                // Pipelines are what costs time: each strategy goes both ways, with some of the sources each.
                let reverse = (number + strategy as usize).is_multiple_of(2);
                let scan = SegmentedScan::new(ScanOp::Sum, DType::U32, length, source.described(0)).with_strategy(strategy);
                one(context, SegmentedScan { reverse, exclusive: turn % 3 == 0, ..scan }, source, division)?;
            }
        }
    }
    Ok(())
}

fn one(context: &Context, scan: SegmentedScan, source: Source, division: Division) -> Result<Checked, Failed> {
    // A product of thousands of factors leaves floats' range behind, and the bound with it.
    let calm = scan.op == ScanOp::Prod;
    let pattern = if scan.op == ScanOp::Last { Pattern::Ties } else { Pattern::Random };
    let input = values(scan.dtype, scan.length, pattern, calm, 1);
    check(context, &scan, source, &input, &division.offsets(scan.length, 7))
        .map_err(|failed| format!("{division:?}: {}", failed.message().unwrap_or_default()).into())
}

/// Segments of one length, of which nothing but that length tells; the last is shorter.
fn of_one_length(context: &Context) -> Result<(), Failed> {
    for (turn, length) in [0, 1, 257, 2049, 20_011, 65_537].into_iter().enumerate() {
        for each in [1, 3, 16, 1000, 70_000] {
            for (reverse, op, dtype) in [(false, ScanOp::Sum, DType::U32), (true, ScanOp::Max, DType::F32)] {
                let scan = SegmentedScan::new(op, dtype, length, SegmentSource::Length(each));
                let scan = SegmentedScan { reverse, exclusive: turn % 2 == 0, in_place: turn % 3 == 0, ..scan };
                one(context, scan, Source::Length(each), Division::Even(each))?;
            }
        }
    }
    let nothing = SegmentedScan::new(ScanOp::Sum, DType::U32, 8, SegmentSource::Length(0));
    ensure(matches!(nothing.schedule(context.device().capabilities(), &[], None), Err(Error::SegmentLength)), || {
        "segments of nothing".into()
    })
}

/// A third of all pairs of operators and types: pipelines are what costs time, and each path takes another third. Every kind of state is in each.
fn operators(context: &Context, third: usize) -> Result<(), Failed> {
    let (mut equal, mut turn) = (0, 0);
    for op in ScanOp::ALL {
        for dtype in DType::ALL {
            turn += 1;
            if turn % 3 != third && !harness::every() {
                continue;
            }
            let source = SOURCES[turn % SOURCES.len()];
            let reverse = turn % 3 == 0;
            let divisions = if op == ScanOp::Prod { [Division::Even(16), Division::Random] } else { [Division::Huge, Division::Empty] };
            for (number, division) in divisions.into_iter().enumerate() {
                let wide = op == ScanOp::Sum && matches!(dtype, DType::I32 | DType::U16);
                let scan =
                    SegmentedScan { reverse, wide, exclusive: number == 1, ..SegmentedScan::new(op, dtype, 9_011, source.described(0)) };
                equal += usize::from(one(context, scan, source, division)? == Checked::Equal);
            }
        }
    }
    // 32-bit types exist everywhere, so that a run which checks nothing is impossible.
    ensure(equal > 10, || format!("only {equal} results were compared"))
}

/// Fifty runs of a sum of floats.
fn repeated(context: &Context) -> Result<(), Failed> {
    const LENGTH: usize = 50_021;
    let input = data::tensor(DType::F32, &[LENGTH], &values(DType::F32, LENGTH, Pattern::Random, false, 3))?;
    for division in [Division::Whole, Division::Random] {
        let offsets = division.offsets(LENGTH, 5);
        let scan = SegmentedScan::new(ScanOp::Sum, DType::F32, LENGTH, SegmentSource::Offsets(offsets.len()));
        let segments = Tensor::from_slice(&offsets, &[offsets.len()])?;
        let first = context.segmented_scan(&scan, &input, &segments)?;
        for run in 1..50 {
            let again = context.segmented_scan(&scan, &input, &segments)?;
            ensure(again.tensor.bytes() == first.tensor.bytes(), || format!("run {run} differs"))?;
        }
    }
    Ok(())
}

fn refusals(context: &Context) -> Result<(), Failed> {
    let refuse = |scan: &SegmentedScan, offsets: &[u32], text: &str| -> Result<(), Failed> {
        let input = Tensor::from_slice(&[1u32; 8], &[8])?;
        match context.segmented_scan(scan, &input, &Tensor::from_slice(offsets, &[offsets.len()])?) {
            Ok(_) => Err(format!("{scan:?} of {offsets:?} was done").into()),
            Err(error) => {
                ensure(!error.advice().is_empty(), || "no advice".into())?;
                ensure(error.to_string() == text, || format!("`{error}` instead of `{text}`"))
            }
        }
    };
    let scan = |segments| SegmentedScan::new(ScanOp::Sum, DType::U32, 8, segments);
    let three = scan(SegmentSource::Offsets(3));
    refuse(&three, &[0, 5, 4], "offset 2 is 4; of the offsets of segments none is less than the one before")?;
    refuse(&three, &[0, 5, 9], "offset 2 is 9; of the offsets of segments none is greater than the number of elements")?;
    refuse(&three, &[0, 8], "the plan is for u32 [3], and the array is u32 [2]")?;
    refuse(&scan(SegmentSource::Offsets(0)), &[], "offset 0 is missing; of the offsets of segments there is at least one")?;
    refuse(&scan(SegmentSource::Flags), &[1, 2], "the plan is for u32 [8], and the array is u32 [2]")?;
    refuse(&scan(SegmentSource::Keys(DType::U64)), &[1, 2], "the plan is for u64 [8], and the array is u32 [2]")?;
    let once = three.clone().in_place().with_strategy(ScanStrategy::SinglePass);
    refuse(&once, &[0, 5, 8], "a single pass was asked for, but results replace the elements that another workgroup may have to read")?;
    let bits = SegmentedScan::new(ScanOp::Xor, DType::F32, 8, SegmentSource::Flags);
    ensure(matches!(bits.result_dtype(), Err(Error::OperatorType { .. })), || "bits of floats".into())
}
