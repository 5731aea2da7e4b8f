//! Reductions by key on every driver and path, against the CPU twin.

#[path = "reduce_by_key/check.rs"]
mod check;
#[path = "reduce_by_key/counted.rs"]
mod counted;
#[allow(dead_code, reason = "shared with other tests, which use the rest")]
#[path = "reduce/data.rs"]
mod data;
mod guarded;
mod harness;
#[allow(dead_code, reason = "shared with other tests, which use the rest")]
mod segments;
mod twin;

use std::process::ExitCode;

use check::{Checked, check};
use data::{Pattern, values};
use harness::gpu::{ensure, lowered};
use harness::{Case, narrowed};
use libtest_mimic::Failed;
use segments::{Division, flags, keys};
use wavelane::device::{Capabilities, Profile, Validation};
use wavelane::{Context, ContextOptions, DType, Error, Path, ReduceByKey, ReduceOp, ScanStrategy, Tensor};

/// Lengths around everything that is a size somewhere.
const LENGTHS: [usize; 13] = [0, 1, 2, 3, 31, 33, 127, 129, 257, 1021, 2049, 4099, 10_007];

const OPERATORS: [ReduceOp; 7] = [ReduceOp::Sum, ReduceOp::Prod, ReduceOp::Min, ReduceOp::Max, ReduceOp::And, ReduceOp::Or, ReduceOp::Xor];

/// Keys of 2, 4 and 8 bytes.
const KEYS: [DType; 4] = [DType::U8, DType::I16, DType::F32, DType::I64];

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
    cases.push(Case::new("floats_are_the_same_on_every_run", |_| repeated(&context(None, None)?)));
    cases.push(Case::new("what_is_refused", |_| refusals(&context(None, None)?)));
    cases.extend(narrowed(vec![
        Case::new("limits::storage_range_of_64_kib", |_| narrow(|capabilities| capabilities.limits.max_storage_buffer_range = 1 << 16)),
        Case::new("limits::7_workgroups_in_x", |_| {
            narrow(|capabilities| capabilities.limits.max_compute_work_group_count = [7, 65_535, 1])
        }),
        Case::new("limits::workgroups_of_32", |_| narrow(|capabilities| capabilities.limits.max_compute_work_group_invocations = 32)),
    ]));
    cases.extend(counted::cases());
    harness::main(cases)
}

/// The driver's device, with a path forced, and as another device.
pub fn context(path: Option<Path>, profile: Option<Profile>) -> Result<Context, Failed> {
    Ok(Context::new(&ContextOptions { path, profile, validation: Validation::On, ..Default::default() })?)
}

fn one(context: &Context, reduce: &ReduceByKey, division: Division) -> Result<Checked, Failed> {
    // A product of thousands of factors leaves floats' range behind, and the bound with it.
    let calm = reduce.op == ReduceOp::Prod;
    let input = values(reduce.dtype, reduce.length, Pattern::Random, calm, 1);
    let keys = keys(reduce.key, &flags(&division.offsets(reduce.length, 7), reduce.length));
    check(context, reduce, &keys, &input).map_err(|failed| format!("{division:?}: {}", failed.message().unwrap_or_default()).into())
}

/// One operator, with keys of every size, by every strategy.
fn divisions(context: &Context) -> Result<(), Failed> {
    for key in KEYS {
        for length in LENGTHS {
            for division in Division::ALL {
                one(context, &ReduceByKey::new(ReduceOp::Sum, key, DType::U32, length), division)?;
            }
        }
        for (length, strategy) in
            [(65_537, ScanStrategy::ReduceThenScan), (40_009, ScanStrategy::SinglePass), (9_999, ScanStrategy::OneWorkgroup)]
        {
            for division in Division::ALL {
                one(context, &ReduceByKey::new(ReduceOp::Sum, key, DType::U32, length).with_strategy(strategy), division)?;
            }
        }
    }
    Ok(())
}

/// A third of all pairs of operators and types: pipelines are what costs time, and each path takes another third. Every kind of state is in each.
fn operators(context: &Context, third: usize) -> Result<(), Failed> {
    let (mut equal, mut turn) = (0, 0);
    for op in OPERATORS {
        for dtype in DType::ALL {
            turn += 1;
            if turn % 3 != third && !harness::every() {
                continue;
            }
            let wide = op == ReduceOp::Sum && matches!(dtype, DType::I32 | DType::U8);
            let reduce = ReduceByKey { wide, ..ReduceByKey::new(op, KEYS[turn % KEYS.len()], dtype, 12_011) };
            let division = if op == ReduceOp::Prod { Division::Even(16) } else { Division::Random };
            equal += usize::from(one(context, &reduce, division)? == Checked::Equal);
        }
    }
    // 32-bit types exist everywhere, so that a run which checks nothing is impossible.
    ensure(equal > 5, || format!("only {equal} results were compared"))
}

/// Fifty runs of a sum of floats.
fn repeated(context: &Context) -> Result<(), Failed> {
    const LENGTH: usize = 50_021;
    let input = data::tensor(DType::F32, &[LENGTH], &values(DType::F32, LENGTH, Pattern::Random, false, 3))?;
    let keys = data::tensor(DType::U16, &[LENGTH], &keys(DType::U16, &flags(&Division::Random.offsets(LENGTH, 5), LENGTH)))?;
    let reduce = ReduceByKey::new(ReduceOp::Sum, DType::U16, DType::F32, LENGTH);
    let first = context.reduce_by_key(&reduce, &keys, &input)?;
    for run in 1..50 {
        let again = context.reduce_by_key(&reduce, &keys, &input)?;
        ensure(again.tensor == first.tensor, || format!("run {run} differs"))?;
    }
    Ok(())
}

/// The driver's device with a limit lowered further than any real one, so that small arrays meet it.
fn narrow(lower: fn(&mut Capabilities)) -> Result<(), Failed> {
    let profile = lowered(lower)?;
    for path in [Path::SharedMemory, Path::Shuffle] {
        let context = context(Some(path), Some(profile.clone()))?;
        for key in [DType::U8, DType::U16, DType::U32] {
            for division in [Division::Random, Division::Even(1000), Division::Huge] {
                // As many results as are in reach, and longer keys than are.
                let checked = one(&context, &ReduceByKey::new(ReduceOp::Sum, key, DType::F32, 16_001), division)?;
                ensure(checked == Checked::Equal, || "did not run".into())?;
            }
        }
    }
    Ok(())
}

fn refusals(context: &Context) -> Result<(), Failed> {
    let values = Tensor::from_slice(&[1f32; 8], &[8])?;
    let refuse = |reduce: &ReduceByKey, keys: &Tensor, text: &str| -> Result<(), Failed> {
        match context.reduce_by_key(reduce, keys, &values) {
            Ok(_) => Err(format!("{reduce:?} was done").into()),
            Err(error) => {
                ensure(!error.advice().is_empty(), || "no advice".into())?;
                ensure(error.to_string() == text, || format!("`{error}` instead of `{text}`"))
            }
        }
    };
    let keys = Tensor::from_slice(&[1u32; 8], &[8])?;
    let of = |op| ReduceByKey::new(op, DType::U32, DType::F32, 8);
    refuse(&of(ReduceOp::Mean), &keys, "mean by key is not computed; there are: sum, prod, min, max, and, or, xor")?;
    refuse(&of(ReduceOp::Xor), &keys, "xor is not defined for f32: it combines the bits of integers")?;
    refuse(&of(ReduceOp::Sum), &Tensor::from_slice(&[1u32; 7], &[7])?, "the plan is for u32 [8], and the array is u32 [7]")?;
    let once = of(ReduceOp::Sum).with_strategy(ScanStrategy::SinglePass);
    refuse(&once, &keys, "a single pass was asked for, but sums and products of floats would depend on which workgroup is done first")?;
    ensure(matches!(of(ReduceOp::Var).result_dtype(), Err(Error::ByKeyOperator { .. })), || "a variance by key".into())
}
