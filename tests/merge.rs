//! Merges on every driver and by every strategy, against the CPU twin: bit for bit, so that equal keys show their order.

#[allow(dead_code, reason = "not every test takes all patterns")]
#[path = "reduce/data.rs"]
mod data;
mod guarded;
mod harness;
#[path = "sort/keys.rs"]
mod keys;
#[path = "merge/recording.rs"]
mod recording;
#[path = "select/support.rs"]
mod support;

use std::process::ExitCode;

use data::{element, tensor};
use harness::Case;
use harness::gpu::{ensure, with_small_tiles};
use keys::Keys;
use libtest_mimic::Failed;
use support::{context, difference, minimal, on_narrow_devices};
use wavelane::{Context, DType, Error, Kernel, Merge, MergeStrategy, Payload, Tensor};
use wavelane_reference::{self as reference, SortOptions, Values};

/// Lengths around words, an invocation's results, workgroups of them, and primes.
const LENGTHS: [usize; 14] = [0, 1, 2, 3, 5, 8, 15, 16, 17, 255, 257, 2047, 2049, 20_011];

const STRATEGIES: [Option<MergeStrategy>; 3] = [Some(MergeStrategy::Tiles), Some(MergeStrategy::Path), Some(MergeStrategy::Ranks)];

fn main() -> ExitCode {
    let mut cases = vec![
        Case::new("types", |_| types(&context(None, None)?)),
        Case::new("types::as_minimal", |_| types(&context(None, Some(minimal()?))?)).narrowed(),
        Case::new("lengths", |_| lengths(&context(None, None)?)),
        Case::new("shapes", |_| shapes(&context(None, None)?)),
        Case::new("repeats", |_| repeats(&context(None, None)?)),
        Case::new("refusals", |_| refusals(&context(None, None)?)),
    ];
    cases.extend(on_narrow_devices(narrow));
    cases.extend(harness::gpu::restricted(|profile| restricted(&context(None, Some(profile))?)));
    cases.push(Case::new("every_length_to_two_tiles", |_| every_length(&context(None, Some(with_small_tiles()?))?)).narrowed());
    cases.extend(recording::cases());
    harness::main(cases)
}

/// Keys in the order that a merge takes them to be in.
fn sorted(keys: &Values, descending: bool) -> Result<Values, Failed> {
    let options = SortOptions { descending, ..Default::default() };
    Ok(keys.take(reference::sort_places(keys, &[keys.len()], None, &options)?))
}

/// The elements of both, one behind the other.
fn joined(first: &Values, second: &Values) -> Values {
    Values::from_bits(first.element(), first.bits().into_iter().chain(second.bits()))
}

fn payload_type(merge: &Merge) -> DType {
    if let Payload::Values(dtype) = merge.payload { dtype } else { DType::U32 }
}

/// Values that show which key each belongs to.
fn values_of(merge: &Merge) -> [Values; 2] {
    let from = |begin: usize, count: usize| (begin as u64..(begin + count) as u64).map(|at| at << 3 | 5);
    [from(0, merge.first), from(merge.first, merge.second)].map(|bits| Values::from_bits(element(payload_type(merge)), bits))
}

/// Keys, values and positions of one merge of the host's arrays, which are put in order first.
fn check(context: &Context, merge: &Merge, first: &Values, second: &Values) -> Result<(), Failed> {
    let arrays = [sorted(first, merge.descending)?, sorted(second, merge.descending)?];
    let places = reference::merge_places(&arrays[0], &arrays[1], merge.descending)?;
    let keys = joined(&arrays[0], &arrays[1]).take(places.iter().copied());
    let moved = values_of(merge);
    let tensors = |dtype: DType, all: &[Values; 2]| -> Result<[Tensor; 2], Failed> {
        Ok([tensor(dtype, &[all[0].len()], &all[0])?, tensor(dtype, &[all[1].len()], &all[1])?])
    };
    let ([a, b], [x, y]) = (tensors(merge.dtype, &arrays)?, tensors(payload_type(merge), &moved)?);
    let outcome = context.merge(merge, [&a, &b], matches!(merge.payload, Payload::Values(_)).then_some([&x, &y]))?;
    let same = |what: &str, got: &Option<Tensor>, want: Option<Vec<u8>>, dtype: DType| {
        let why = match (got, &want) {
            (Some(got), Some(want)) => difference(got.bytes(), want, dtype.size() as usize),
            (None, None) => None,
            _ => Some("there, or not there".to_owned()),
        };
        why.map_or(Ok(()), |why| Err(Failed::from(format!("{merge:?}: {what}: {why}\n{}", outcome.plan.explain()))))
    };
    same("keys", &outcome.tensor.keys, merge.keys.then(|| keys.to_bytes()), merge.dtype)?;
    let want = match merge.payload {
        Payload::None => None,
        Payload::Positions => Some(places.iter().flat_map(|&at| (at as u32).to_ne_bytes()).collect()),
        Payload::Values(_) => Some(joined(&moved[0], &moved[1]).take(places).to_bytes()),
    };
    same("values", &outcome.tensor.values, want, payload_type(merge))
}

/// What goes with the keys, one after the other.
fn with_payload(merge: Merge, turn: usize) -> Merge {
    match turn % 5 {
        0 => merge,
        1 => merge.with_values(DType::U32),
        2 => merge.with_positions(),
        3 => merge.with_values(DType::F64),
        _ => Merge { keys: false, ..merge.with_positions() },
    }
}

/// Every type, with keys of every kind and everything that goes with them, both ways, by each strategy.
fn types(context: &Context) -> Result<(), Failed> {
    let mut turn = 0;
    for dtype in DType::ALL {
        for keys in Keys::of(dtype) {
            for descending in [false, true] {
                turn += 1;
                let merge = Merge { descending, strategy: STRATEGIES[turn / 2 % 3], ..Merge::new(dtype, 1511, 1009) };
                check(context, &with_payload(merge, turn), &keys.values(dtype, 1511, 1), &keys.values(dtype, 1009, 2))?;
            }
        }
    }
    Ok(())
}

fn lengths(context: &Context) -> Result<(), Failed> {
    for (turn, first) in LENGTHS.into_iter().enumerate() {
        for (other, second) in LENGTHS.into_iter().enumerate() {
            let dtype = [DType::U32, DType::U8, DType::F16, DType::I64][(turn + other) % 4];
            let strategy = STRATEGIES[(turn + other / 3) % 3];
            let merge = Merge { descending: turn % 4 == 3, strategy, ..Merge::new(dtype, first, second) };
            let keys = if other % 2 == 0 { Keys::Few } else { Keys::Random };
            check(context, &with_payload(merge, turn + other), &keys.values(dtype, first, 3), &keys.values(dtype, second, 4))?;
        }
    }
    Ok(())
}

/// Each strategy, with keys of one word, of half a one and of two.
fn restricted(context: &Context) -> Result<(), Failed> {
    for (turn, dtype) in [DType::U32, DType::F16, DType::I64].into_iter().enumerate() {
        for strategy in STRATEGIES {
            let merge = Merge { strategy, ..Merge::new(dtype, 3011, 2003) };
            check(context, &with_payload(merge, turn + 1), &Keys::Few.values(dtype, 3011, 9), &Keys::Random.values(dtype, 2003, 10))?;
        }
    }
    Ok(())
}

/// Tiles are of up to 15 results an invocation, so these are those of one tile and more, to two of them and a result.
fn every_length(context: &Context) -> Result<(), Failed> {
    for total in 1..=2 * 8 * 15 + 1 {
        let first = total * (1 + total % 5) / 6;
        let (a, b) = (Keys::Few.values(DType::U32, first, 4), Keys::Few.values(DType::U32, total - first, 5));
        for strategy in [MergeStrategy::Tiles, MergeStrategy::Path, MergeStrategy::Ranks] {
            check(context, &Merge::new(DType::U32, first, total - first).with_positions().with_strategy(strategy), &a, &b)?;
        }
    }
    Ok(())
}

/// All of one array before the other, after it, and in the middle of it.
fn shapes(context: &Context) -> Result<(), Failed> {
    let of = |from: u64, step: u64, count: u64| Values::from_bits(element(DType::U16), (0..count).map(|at| from + step * at));
    let (low, high, middle, wide) = (of(0, 1, 3001), of(40_000, 2, 3001), of(20_000, 1, 3001), of(0, 20, 3001));
    for (turn, (first, second)) in [(&low, &high), (&high, &low), (&wide, &middle), (&middle, &wide), (&low, &low)].into_iter().enumerate()
    {
        for strategy in STRATEGIES {
            let merge = Merge { strategy, ..Merge::new(DType::U16, 3001, 3001) };
            check(context, &with_payload(merge, turn), first, second)?;
        }
    }
    Ok(())
}

/// Limits of the device lowered, so that arrays go in pieces and results in windows.
fn narrow(context: &Context) -> Result<(), Failed> {
    for (turn, dtype) in [DType::U8, DType::F16, DType::I32, DType::F64].into_iter().enumerate() {
        for (first, second) in [(30, 7), (9001, 12_007), (15_013, 3)] {
            let merge = with_payload(Merge::new(dtype, first, second), turn + first);
            check(context, &merge, &Keys::Few.values(dtype, first, 7), &Keys::Few.values(dtype, second, 8))?;
            check(context, &merge.clone().descending(), &Keys::Random.values(dtype, first, 7), &Keys::Random.values(dtype, second, 8))?;
        }
    }
    // What bindings reach across, a tile and a part of one at a time, of workgroups of another size.
    for dtype in [DType::U8, DType::U32, DType::U64] {
        let merge = with_payload(Merge::new(dtype, 1201, 800).with_strategy(MergeStrategy::Tiles), dtype.size() as usize);
        check(context, &merge, &Keys::Few.values(dtype, 1201, 9), &Keys::Random.values(dtype, 800, 9))?;
    }
    Ok(())
}

fn repeats(context: &Context) -> Result<(), Failed> {
    for strategy in [MergeStrategy::Path, MergeStrategy::Tiles, MergeStrategy::Ranks] {
        let merge = Merge::new(DType::F16, 20_011, 9001).with_positions().with_strategy(strategy);
        let [a, b] = [(20_011, 8), (9001, 9)].map(|(count, seed)| sorted(&Keys::Nan.values(merge.dtype, count, seed), false));
        let (a, b) = (tensor(merge.dtype, &[20_011], &a?)?, tensor(merge.dtype, &[9001], &b?)?);
        let first = context.merge(&merge, [&a, &b], None)?.tensor;
        for run in 1..50 {
            ensure(context.merge(&merge, [&a, &b], None)?.tensor == first, || format!("run {run} of {strategy:?} has other bits"))?;
        }
    }
    Ok(())
}

fn refusals(context: &Context) -> Result<(), Failed> {
    let (three, two) = (Tensor::from_slice(&[1u32, 2, 3], &[3])?, Tensor::from_slice(&[1u32, 2], &[2])?);
    let merge = Merge::new(DType::U32, 3, 2);
    let refuse = |merge: Merge, values: Option<[&Tensor; 2]>, text: &str| -> Result<(), Failed> {
        match context.merge(&merge, [&three, &two], values) {
            Ok(_) => Err(format!("{merge:?} was done").into()),
            Err(error) => {
                ensure(!error.advice().is_empty(), || "no advice".into())?;
                ensure(error.to_string().contains(text), || format!("`{error}` without `{text}`"))
            }
        }
    };
    refuse(Merge::new(DType::F32, 3, 2), None, "f32")?;
    refuse(Merge::new(DType::U32, 3, 3), None, "u32 [3]")?;
    refuse(merge.clone().with_values(DType::U16), Some([&three, &two]), "values of u16 were asked to move with the keys of a merge")?;
    refuse(merge.clone().with_values(DType::U32), None, "3 and 2 values of u32, and none were given")?;
    refuse(merge.clone().with_values(DType::U32), Some([&three, &three]), "u32 [2]")?;
    // A descriptor that does not reach as far.
    let mut narrow = context.device().capabilities().clone();
    narrow.limits.max_storage_buffer_range = 1 << 14;
    let path = Merge::new(DType::U32, 3000, 2000).with_strategy(MergeStrategy::Path).schedule(&narrow, &[], None).err();
    ensure(matches!(path, Some(Error::StrategyUnavailable { .. })), || format!("{path:?}"))
}
