//! Every scan on every driver and path, against the CPU twin.

#[path = "scan/check.rs"]
mod check;
#[path = "reduce/data.rs"]
mod data;
mod guarded;
mod harness;
#[path = "scan/limits.rs"]
mod limits;
#[path = "scan/recording.rs"]
mod recording;
mod twin;

use std::process::ExitCode;

use check::{Checked, check};
use data::{Pattern, values};
use harness::gpu::ensure;
use harness::{Case, Driver};
use libtest_mimic::Failed;
use wavelane::device::{Profile, Validation};
use wavelane::{Context, ContextOptions, DType, Path, Scalar, Scan, ScanOp, ScanStrategy};

/// Lengths around everything that is a size somewhere: wide loads, lanes, subgroups, workgroups, tiles.
const LENGTHS: [usize; 26] =
    [0, 1, 4, 257, 2049, 2, 3, 5, 7, 8, 9, 31, 33, 127, 128, 129, 255, 256, 511, 513, 1021, 1337, 2047, 4099, 10_000, 65_537];

/// Shapes whose axes are contiguous, strided, short, long, of length 1 and of length 0.
const SHAPES: [[usize; 3]; 10] =
    [[5, 7, 11], [2, 3, 1000], [3, 257, 2], [1, 1, 1], [300, 2, 3], [2, 1031, 65], [0, 3, 2], [3, 0, 2], [17, 1, 1025], [4099, 2, 1]];

/// How many of the lengths and shapes every operator and type is tried on; the rest is for some.
const FOR_EVERY_TYPE: (usize, usize) = (5, 1);

fn main() -> ExitCode {
    let mut cases = Vec::new();
    for op in ScanOp::ALL {
        for path in Path::ALL {
            let case = Case::new(format!("{op}::{path}"), move |_| matrix(&context(Some(path), None)?, op));
            let case = case.without_subgroups(path == Path::SharedMemory);
            // Sums show every type by every path, everywhere. Types come in threes, so operators go another way for a driver to meet all of them.
            cases.push(if op == ScanOp::Sum { case } else { case.by_turns(op as usize / 3 + path as usize) });
        }
    }
    // One operator for each way in which the kernels differ.
    for op in [ScanOp::Sum, ScanOp::Max, ScanOp::Last] {
        cases.push(
            Case::new(format!("{op}::as_minimal"), move |_| matrix(&context(None, Some(Profile::named("minimal")?))?, op)).narrowed(),
        );
    }
    for path in Path::ALL {
        let on_path = |name: &str, run: fn(&Context) -> Result<(), Failed>| {
            let case = Case::new(format!("{name}::{path}"), move |_| run(&context(Some(path), None)?));
            case.without_subgroups(path == Path::SharedMemory).by_turns(path as usize)
        };
        cases.push(on_path("repeats_are_bit_identical", repeats));
        cases.push(on_path("wide_sums_do_not_wrap", wide));
    }
    cases.push(Case::new("every_profile_runs_without_a_message", every_profile).without_subgroups(true));
    cases.extend(limits::cases());
    cases.extend(recording::cases());
    harness::main(cases)
}

/// The driver's device, with a path forced, and as another device.
pub fn context(path: Option<Path>, profile: Option<Profile>) -> Result<Context, Failed> {
    Ok(Context::new(&ContextOptions { path, profile, validation: Validation::On, ..Default::default() })?)
}

/// A value to begin with that changes every result and keeps floats in their range.
fn initial(op: ScanOp, dtype: DType) -> Scalar {
    match dtype {
        _ if op == ScanOp::Prod && dtype == DType::F32 => Scalar::from(1.5f32),
        DType::U8 | DType::U16 => Scalar::from_bits(dtype, 3),
        DType::I8 => Scalar::from(-3i8),
        DType::I16 => Scalar::from(-300i16),
        DType::U32 => Scalar::from(12_345u32),
        DType::I32 => Scalar::from(-77i32),
        DType::U64 => Scalar::from(1u64 << 40 | 5),
        DType::I64 => Scalar::from(-5i64),
        DType::F16 => Scalar::from(half::f16::from_f32(0.25)),
        DType::F32 => Scalar::from(0.25f32),
        DType::F64 => Scalar::from(0.25f64),
    }
}

/// One operator over types, lengths, shapes, axes, patterns, directions, strategies.
fn matrix(context: &Context, op: ScanOp) -> Result<(), Failed> {
    let mut equal = 0;
    for (number, dtype) in DType::ALL.into_iter().enumerate() {
        let calm = op == ScanOp::Prod;
        // Loads and states differ by type, and operators in a line of the state's.
        let thorough = matches!((op, dtype), (ScanOp::Sum | ScanOp::Last, DType::U32) | (ScanOp::Sum | ScanOp::Min, DType::F32));
        // Every type by every path with sums; every operator with every type by one path or another: what a path does is the same for all of them.
        let by_turns = number + op as usize + context.path().map_or(0, |path| path as usize);
        if !thorough && op != ScanOp::Sum && !by_turns.is_multiple_of(3) && !harness::every() {
            continue;
        }
        let (lengths, shapes) = if thorough { (LENGTHS.len(), SHAPES.len()) } else { FOR_EVERY_TYPE };
        // A product of thousands of factors leaves f16 and f32 behind, and the bound with it.
        let longest = if calm && dtype.is_float() { 2049 } else { usize::MAX };
        let mut turn = 0;
        let mut run = |scan: Scan, pattern: Pattern| -> Result<(), Failed> {
            let count = scan.shape.iter().product();
            let values = values(dtype, count, pattern, calm && pattern != Pattern::Ties, 1);
            // Each length or shape has other options, so that all of them meet all kinds of lengths.
            turn += 1;
            let scan = Scan {
                exclusive: turn % 2 == 0,
                // Pipelines are what costs time, and each direction takes others.
                reverse: if thorough { turn % 5 < 2 } else { by_turns % 2 == 1 },
                initial: (turn % 3 == 0).then(|| initial(op, dtype)),
                in_place: turn % 7 == 3 && dtype.computed() == dtype,
                ..scan
            };
            equal += usize::from(check(context, &scan, &values)? == Checked::Equal);
            Ok(())
        };
        for length in LENGTHS.into_iter().take(lengths).filter(|&length| length <= longest) {
            let by_each = thorough || op == ScanOp::Sum;
            let strategy = (length >= 2047 && !by_each).then_some(ScanStrategy::ReduceThenScan);
            run(Scan { strategy, ..Scan::new(op, dtype, &[length]) }, Pattern::Random)?;
            if length >= 2047 && by_each {
                run(Scan::new(op, dtype, &[length]).with_strategy(ScanStrategy::ReduceThenScan), Pattern::Random)?;
                run(Scan { in_place: false, ..Scan::new(op, dtype, &[length]).with_strategy(ScanStrategy::SinglePass) }, Pattern::Random)?;
            }
        }
        for shape in SHAPES.into_iter().take(shapes) {
            for axis in 0..3 {
                run(Scan::new(op, dtype, &shape).along(axis), Pattern::Random)?;
            }
        }
        for pattern in [Pattern::Equal, Pattern::Ties, Pattern::Nan, Pattern::Infinite] {
            let for_all = matches!(pattern, Pattern::Ties | Pattern::Nan);
            if (thorough || for_all) && (dtype.is_float() || matches!(pattern, Pattern::Equal | Pattern::Ties)) {
                run(Scan::new(op, dtype, &[1531]), pattern)?;
                run(Scan::new(op, dtype, &[37, 41]).along(usize::from(pattern == Pattern::Nan)), pattern)?;
            }
        }
    }
    // 32-bit types exist everywhere, so that a run which checks nothing is impossible.
    ensure(equal >= 10, || format!("only {equal} results were compared"))
}

/// Fifty runs of each strategy give the same bits, floats included, in and out of place.
fn repeats(context: &Context) -> Result<(), Failed> {
    for scan in [
        Scan::new(ScanOp::Sum, DType::F32, &[100_003]),
        Scan::new(ScanOp::Sum, DType::F32, &[100_003]).in_place(),
        Scan::new(ScanOp::Prod, DType::F32, &[70, 1031]).along(1),
        Scan::new(ScanOp::Sum, DType::F32, &[4099, 7]).along(0),
        Scan::new(ScanOp::Max, DType::F32, &[100_003]).with_strategy(ScanStrategy::SinglePass),
        Scan::new(ScanOp::Last, DType::U32, &[100_003]).with_strategy(ScanStrategy::SinglePass),
    ] {
        let count = scan.shape.iter().product();
        let values = values(scan.dtype, count, Pattern::Random, scan.op == ScanOp::Prod, 5);
        let input = data::tensor(scan.dtype, &scan.shape, &values)?;
        let first = context.scan(&scan, &input)?.tensor;
        for run in 1..50 {
            let again = context.scan(&scan, &input)?.tensor;
            ensure(again.bytes() == first.bytes(), || format!("run {run} of {scan:?} has other bits"))?;
        }
    }
    Ok(())
}

/// Sums of integers of up to 32 bits in two words, on every device, whatever it knows of 64-bit integers.
fn wide(context: &Context) -> Result<(), Failed> {
    for dtype in [DType::U8, DType::U16, DType::I8, DType::I16, DType::U32, DType::I32] {
        for scan in [
            Scan::new(ScanOp::Sum, dtype, &[20_003]).wide(),
            Scan::new(ScanOp::Sum, dtype, &[20_003]).wide().reverse().with_strategy(ScanStrategy::SinglePass),
            Scan::new(ScanOp::Sum, dtype, &[33, 500]).along(0).wide().exclusive(),
            Scan::new(ScanOp::Sum, dtype, &[33, 500]).along(1).wide(),
        ] {
            let values = values(dtype, scan.shape.iter().product(), Pattern::Random, false, 9);
            ensure(check(context, &scan, &values)? == Checked::Equal, || format!("{scan:?} did not run"))?;
        }
    }
    Ok(())
}

/// Each profile on this driver: what its device lacks is not enabled, and nothing then asks for it.
fn every_profile(driver: &Driver) -> Result<(), Failed> {
    for (_, name) in Profile::names().into_iter().enumerate().filter(|(number, _)| driver.has_turn(*number)) {
        let context = context(None, Some(Profile::named(name)?))?;
        for scan in [
            Scan::new(ScanOp::Sum, DType::F32, &[50_003]),
            Scan::new(ScanOp::Max, DType::I32, &[4099, 3]).along(0),
            Scan::new(ScanOp::Last, DType::F16, &[70, 515]).along(1),
            Scan::new(ScanOp::Sum, DType::U8, &[50_003]),
        ] {
            let values = values(scan.dtype, scan.shape.iter().product(), Pattern::Random, false, 21);
            ensure(check(&context, &scan, &values)? == Checked::Equal, || format!("{scan:?} did not run as {name}"))?;
        }
    }
    Ok(())
}
