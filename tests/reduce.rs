//! Every reduction on every driver and path, against the CPU twin.

#[path = "reduce/check.rs"]
mod check;
#[path = "reduce/counted.rs"]
mod counted;
#[path = "reduce/data.rs"]
mod data;
mod harness;
#[path = "reduce/limits.rs"]
mod limits;
#[path = "reduce/recording.rs"]
mod recording;

use std::process::ExitCode;

use check::{Checked, check};
use data::{Pattern, values};
use harness::gpu::ensure;
use harness::{Case, Driver};
use libtest_mimic::Failed;
use wavelane::device::{Profile, SubgroupOperations, Validation};
use wavelane::{Context, ContextOptions, DType, FloatResult, Path, Reduce, ReduceOp};
use wavelane_reference::Values;

/// Lengths around everything that is a size somewhere: wide loads, lanes, subgroups, workgroups, tiles, splits.
const LENGTHS: [usize; 31] = [
    0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 127, 128, 129, 255, 256, 257, 511, 512, 513, 1021, 2047, 2049, 4099, 16384, 65537,
    262_147,
];

/// Shapes whose axes are contiguous, strided, short, long, of length 1 and of length 0.
const SHAPES: [[usize; 3]; 12] = [
    [5, 7, 11],
    [1, 1, 1],
    [3, 257, 2],
    [2, 3, 1000],
    [300, 2, 3],
    [2, 1031, 65],
    [0, 3, 2],
    [3, 0, 2],
    [3, 2, 0],
    [17, 1, 1025],
    [700, 5, 1],
    [4099, 2, 1],
];

fn main() -> ExitCode {
    let mut cases = Vec::new();
    for op in ReduceOp::ALL {
        for path in Path::ALL {
            cases.push(
                Case::new(format!("{op}::{path}"), move |_| matrix(&context(Some(path), None)?, op))
                    .without_subgroups(path == Path::SharedMemory)
                    .by_turns(turn_of(op, path)),
            );
        }
        cases.push(Case::new(format!("{op}::as_minimal"), move |_| minimal(op)).narrowed());
    }
    for path in Path::ALL {
        let on_path = |name: &str, run: fn(&Context) -> Result<(), Failed>| {
            Case::new(format!("{name}::{path}"), move |_| run(&context(Some(path), None)?)).without_subgroups(path == Path::SharedMemory)
        };
        cases.push(on_path("repeats_are_bit_identical", repeats).by_turns(path as usize));
        cases.push(on_path("wide_sums_do_not_wrap", wide));
    }
    cases.push(Case::new("every_profile_runs_without_a_message", every_profile).without_subgroups(true));
    cases.push(Case::new("variances_far_from_zero_keep_their_digits", |_| far_variances()));
    cases.push(Case::new("variances_of_large_values_do_not_overflow", |_| large_variances()));
    cases.push(Case::new("a_long_sum_keeps_its_digits", |_| digits()));
    cases.extend(counted::cases());
    cases.extend(limits::cases());
    cases.extend(recording::cases());
    harness::main(cases)
}

/// The driver's device, with a path forced, and as another device.
pub fn context(path: Option<Path>, profile: Option<Profile>) -> Result<Context, Failed> {
    Ok(Context::new(&ContextOptions { path, profile, validation: Validation::On, ..Default::default() })?)
}

/// Types come in threes by [`is_left_out`], so that operators have to go another way for a driver to meet all of them.
pub fn turn_of(op: ReduceOp, path: Path) -> usize {
    op as usize / 3 + path as usize
}

/// Every operator is tried with every type by one path or another, and with the plainest by each: what a path does is the same for all types of a state.
pub fn is_left_out(context: &Context, op: ReduceOp, dtype: DType) -> bool {
    let by_turns = dtype as usize + op as usize + context.path().map_or(0, |path| path as usize);
    !matches!(dtype, DType::U32 | DType::F32) && !by_turns.is_multiple_of(3) && !harness::every()
}

/// One operator over types, lengths, shapes, axes and patterns.
fn matrix(context: &Context, op: ReduceOp) -> Result<(), Failed> {
    let mut equal = 0;
    for dtype in DType::ALL {
        if is_left_out(context, op, dtype) {
            continue;
        }
        let calm = op == ReduceOp::Prod;
        // A product of thousands of factors leaves f16 and f32 behind, and the bound with it.
        let longest = if calm && dtype.is_float() { 2049 } else { usize::MAX };
        let mut run = |reduce: &Reduce, pattern: Pattern| -> Result<(), Failed> {
            let count = reduce.shape.iter().product();
            let values = values(dtype, count, pattern, calm && pattern != Pattern::Ties, 1);
            equal += usize::from(check(context, reduce, &values)? == Checked::Equal);
            Ok(())
        };
        for length in LENGTHS.into_iter().filter(|&length| length <= longest) {
            run(&Reduce::new(op, dtype, &[length]), Pattern::Random)?;
        }
        for shape in SHAPES {
            for axis in 0..3 {
                run(&Reduce::new(op, dtype, &shape).along(axis), Pattern::Random)?;
            }
            run(&Reduce::new(op, dtype, &shape), Pattern::Random)?;
        }
        for pattern in [Pattern::Equal, Pattern::Ties] {
            run(&Reduce::new(op, dtype, &[1531]), pattern)?;
            run(&Reduce::new(op, dtype, &[37, 41]).along(0), pattern)?;
            run(&Reduce::new(op, dtype, &[37, 41]).along(1), pattern)?;
        }
        if dtype.is_float() {
            for pattern in [Pattern::Nan, Pattern::Infinite] {
                for reduce in [
                    Reduce::new(op, dtype, &[1531]),
                    Reduce::new(op, dtype, &[40, 3, 50]).along(0),
                    Reduce::new(op, dtype, &[90, 70]).along(1),
                ] {
                    run(&reduce, pattern)?;
                    run(&reduce.clone().ignoring_nan(), pattern)?;
                }
            }
        } else {
            for reduce in [Reduce::new(op, dtype, &[5003]), Reduce::new(op, dtype, &[60, 7, 5]).along(1)] {
                run(&reduce.with_float_result(FloatResult::F64), Pattern::Random)?;
            }
        }
    }
    // 32-bit types exist everywhere, so that a run which checks nothing is impossible.
    ensure(equal > 80, || format!("only {equal} results were compared"))
}

/// 16 KiB of shared memory, 128 invocations, no subgroup operations, no optional feature.
fn minimal(op: ReduceOp) -> Result<(), Failed> {
    let context = context(None, Some(Profile::named("minimal")?))?;
    let capabilities = context.device().capabilities();
    ensure(capabilities.limits.max_compute_shared_memory_size == 16 << 10, || "the profile's shared memory is not 16 KiB".into())?;
    ensure(capabilities.limits.max_compute_work_group_invocations == 128, || "the profile's workgroups are not 128".into())?;
    ensure(!capabilities.subgroup.operations.contains(SubgroupOperations::ARITHMETIC), || "the profile has arithmetic".into())?;
    matrix(&context, op)
}

/// Fifty runs of each strategy give the same bits, floats included.
fn repeats(context: &Context) -> Result<(), Failed> {
    for op in [ReduceOp::Sum, ReduceOp::Mean, ReduceOp::Var, ReduceOp::Norm2, ReduceOp::Prod] {
        for reduce in [
            Reduce::new(op, DType::F32, &[100_003]),
            Reduce::new(op, DType::F32, &[70, 1031]).along(0),
            Reduce::new(op, DType::F32, &[130, 515]).along(1),
            Reduce::new(op, DType::F32, &[30_011, 3]).along(0),
        ] {
            let count = reduce.shape.iter().product();
            let values = values(DType::F32, count, Pattern::Random, op == ReduceOp::Prod, 5);
            let input = data::tensor(DType::F32, &reduce.shape, &values)?;
            let first = context.reduce(&reduce, &input)?.tensor;
            for run in 1..50 {
                let again = context.reduce(&reduce, &input)?.tensor;
                ensure(again.bytes() == first.bytes(), || format!("run {run} of {reduce:?} has other bits"))?;
            }
        }
    }
    Ok(())
}

/// Sums of 32-bit integers in two words, on every device, whatever it knows of 64-bit integers.
fn wide(context: &Context) -> Result<(), Failed> {
    for dtype in [DType::U32, DType::I32] {
        for pattern in [Pattern::Random, Pattern::Ties, Pattern::Equal] {
            for reduce in [
                Reduce::new(ReduceOp::Sum, dtype, &[200_003]).wide(),
                Reduce::new(ReduceOp::Sum, dtype, &[33, 500]).along(0).wide(),
                Reduce::new(ReduceOp::Sum, dtype, &[33, 500]).along(1).wide(),
            ] {
                let values = values(dtype, reduce.shape.iter().product(), pattern, false, 9);
                ensure(check(context, &reduce, &values)? == Checked::Equal, || format!("{reduce:?} did not run"))?;
            }
        }
    }
    Ok(())
}

/// Each profile on this driver: what its device lacks is not enabled, and nothing then asks for it.
fn every_profile(driver: &Driver) -> Result<(), Failed> {
    for (_, name) in Profile::names().into_iter().enumerate().filter(|(number, _)| driver.has_turn(*number)) {
        let context = context(None, Some(Profile::named(name)?))?;
        for reduce in [
            Reduce::new(ReduceOp::Sum, DType::F32, &[100_003]),
            Reduce::new(ReduceOp::Var, DType::I32, &[4099, 3]).along(0),
            Reduce::new(ReduceOp::ArgMax, DType::F16, &[70, 515]).along(1),
        ] {
            let values = values(reduce.dtype, reduce.shape.iter().product(), Pattern::Random, false, 21);
            ensure(check(&context, &reduce, &values)? == Checked::Equal, || format!("{reduce:?} did not run as {name}"))?;
        }
    }
    Ok(())
}

/// Values that deviate little from a mean far from zero: within 1e-5 of the variance of the same values in f64, where the bound of the twin,
/// which knows only magnitudes, would let everything pass.
fn far_variances() -> Result<(), Failed> {
    let mut random = data::Random::new(8);
    let elements: Vec<f32> = (0..300_000).map(|_| 1e4 + (random.next() >> 40) as f32 / (1 << 24) as f32 * 0.3).collect();
    let mean = elements.iter().map(|&x| f64::from(x)).sum::<f64>() / elements.len() as f64;
    let exact = elements.iter().map(|&x| (f64::from(x) - mean).powi(2)).sum::<f64>() / elements.len() as f64;
    for path in Path::ALL {
        let context = context(Some(path), None)?;
        for shape in [[300_000, 1], [1, 300_000]] {
            let axis = usize::from(shape[0] == 1);
            let input = wavelane::Tensor::from_slice(&elements, &shape)?;
            let got: f32 = context.reduce(&Reduce::new(ReduceOp::Var, DType::F32, &shape).along(axis), &input)?.tensor.to_vec()?[0];
            let error = (f64::from(got) - exact).abs() / exact;
            ensure(error < 1e-5, || format!("{got} is off {exact} by {error:e} along axis {axis} on {path}"))?;
        }
    }
    Ok(())
}

/// Equal values whose squares leave the type's range have no variance all the same, however few or many share the work.
fn large_variances() -> Result<(), Failed> {
    for path in Path::ALL {
        let context = context(Some(path), None)?;
        for dtype in [DType::F32, DType::F64] {
            for length in [1, 2, 7, 129, 5003] {
                let values = match dtype {
                    DType::F32 => Values::F32(vec![3e19; length]),
                    _ => Values::F64(vec![3e155; length]),
                };
                for reduce in [
                    Reduce::new(ReduceOp::Var, dtype, &[length]),
                    Reduce::new(ReduceOp::Var, dtype, &[length, 1]).along(1),
                    Reduce::new(ReduceOp::Var, dtype, &[1, length, 1]).along(1),
                ] {
                    check(&context, &reduce, &values)?;
                }
            }
        }
    }
    Ok(())
}

/// The f32 sum of 2^24 positive values lies within 1e-6 of the f64 sum, relatively, equal values (whose roundings all lean one way) included.
fn digits() -> Result<(), Failed> {
    for path in Path::ALL {
        let context = context(Some(path), None)?;
        let mut random = data::Random::new(3);
        let spread: Vec<f32> = (0..1 << 24).map(|_| (random.next() >> 40) as f32 / 1e6).collect();
        for (name, elements) in [("spread", spread), ("equal", vec![0.1f32; 1 << 24])] {
            let exact: f64 = elements.iter().map(|&x| f64::from(x)).sum();
            let input = wavelane::Tensor::from_slice(&elements, &[elements.len()])?;
            let sum: f32 = context.reduce(&Reduce::new(ReduceOp::Sum, DType::F32, &[elements.len()]), &input)?.tensor.to_scalar()?;
            let error = (f64::from(sum) - exact).abs() / exact;
            ensure(error <= 1e-6, || format!("{name} values on {path}: {sum} is off {exact} by {error:e}"))?;
        }
    }
    Ok(())
}
