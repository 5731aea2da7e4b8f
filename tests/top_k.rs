//! The first keys of rows on every driver, path and strategy, against the CPU twin: bit for bit, so that equal keys show which of them were taken.

#[allow(dead_code, reason = "not every test takes all patterns")]
#[path = "reduce/data.rs"]
mod data;
mod guarded;
mod harness;
#[path = "sort/keys.rs"]
mod keys;
#[path = "top_k/recording.rs"]
mod recording;
#[path = "select/support.rs"]
mod support;

use std::process::ExitCode;

use data::tensor;
use harness::gpu::{ensure, with_small_tiles};
use harness::{Case, every};
use keys::Keys;
use libtest_mimic::Failed;
use support::{context, difference, on_each_path, on_narrow_devices};
use wavelane::{Context, DType, Error, Kernel, OrderStrategy, Tensor, TopK};
use wavelane_reference::{self as reference, Values};

/// Lengths around everything that is a size somewhere: wide loads, rows that are compared, tiles of workgroups of 128, primes; and long digits.
const LENGTHS: [usize; 13] = [0, 1, 2, 3, 9, 255, 256, 257, 2047, 2049, 10_007, 65_537, 140_009];

const STRATEGIES: [OrderStrategy; 3] = [OrderStrategy::Comparisons, OrderStrategy::Rows, OrderStrategy::Parts];

fn main() -> ExitCode {
    let mut cases = on_each_path("types", types);
    cases.extend(on_each_path("lengths", lengths));
    cases.extend(on_narrow_devices(narrow));
    cases.push(Case::new("rows", |_| rows(&context(None, None)?)));
    cases.push(Case::new("repeats", |_| repeats(&context(None, None)?)));
    cases.push(Case::new("refusals", |_| refusals(&context(None, None)?)));
    cases.extend(harness::gpu::restricted(|profile| restricted(&context(None, Some(profile))?)));
    cases.push(Case::new("every_length_to_two_tiles", |_| every_length(&context(None, Some(with_small_tiles()?))?)).narrowed());
    cases.extend(recording::cases());
    harness::main(cases)
}

/// Keys and positions on the host's arrays.
fn check(context: &Context, top_k: &TopK, values: &Values) -> Result<(), Failed> {
    let axis = if top_k.flattened { None } else { top_k.shape.len().checked_sub(1) };
    let places = reference::top_k_places(values, &top_k.shape, axis, top_k.k, top_k.smallest)?;
    let outcome = context.top_k(top_k, &tensor(top_k.dtype, &top_k.shape, values)?)?;
    let same = |what: &str, got: &Option<Tensor>, want: Option<Vec<u8>>, size: u64| {
        let why = match (got, &want) {
            (Some(got), Some(want)) => difference(got.bytes(), want, size as usize),
            (None, None) => None,
            _ => Some("there, or not there".to_owned()),
        };
        why.map_or(Ok(()), |why| Err(Failed::from(format!("{top_k:?}: {what}: {why}\n{}", outcome.plan.explain()))))
    };
    same("keys", &outcome.tensor.keys, top_k.keys.then(|| values.take(places.iter().copied()).to_bytes()), top_k.dtype.size())?;
    same("positions", &outcome.tensor.positions, top_k.positions.then(|| positions(top_k, &places)), 4)
}

/// Where keys stood in their rows.
fn positions(top_k: &TopK, places: &[usize]) -> Vec<u8> {
    let length = if top_k.flattened { usize::MAX } else { top_k.shape.last().copied().unwrap_or(1) };
    places.iter().flat_map(|place| ((place % length) as u32).to_ne_bytes()).collect()
}

/// Keys with positions, keys, and positions in turns.
fn with_results(top_k: TopK, turn: usize) -> TopK {
    match turn % 4 {
        0 => top_k.without_positions(),
        1 => TopK { keys: false, ..top_k },
        _ => top_k,
    }
}

/// The strategies that rows of a length take.
fn strategies(length: usize) -> impl Iterator<Item = OrderStrategy> {
    STRATEGIES.into_iter().filter(move |strategy| *strategy != OrderStrategy::Comparisons || length <= 256)
}

/// Every type, with keys of every kind, both ways and by each strategy.
fn types(context: &Context) -> Result<(), Failed> {
    let mut turn = 0;
    for dtype in DType::ALL {
        for keys in Keys::of(dtype) {
            for smallest in [false, true] {
                turn += 1;
                let (length, strategy) =
                    [(3011, OrderStrategy::Parts), (3011, OrderStrategy::Rows), (251, OrderStrategy::Comparisons)][turn % 3];
                let k = [1, 17, length / 2, length - 1][turn / 3 % 4];
                let top_k = TopK { smallest, strategy: Some(strategy), ..TopK::new(dtype, &[length], k) };
                check(context, &with_results(top_k, turn / 2), &keys.values(dtype, length, 1))?;
            }
        }
    }
    Ok(())
}

fn lengths(context: &Context) -> Result<(), Failed> {
    for (turn, length) in LENGTHS.into_iter().enumerate() {
        for (dtype, keys) in [(DType::F32, Keys::Few), ([DType::U8, DType::F16, DType::I64][turn % 3], Keys::Random)] {
            let values = keys.values(dtype, length, 2);
            for (k, strategy) in [0, 1, length / 3, length].into_iter().zip((turn..).map(|turn| STRATEGIES[turn % 3])) {
                let strategy = strategies(length).find(|known| *known == strategy);
                let top_k = TopK { smallest: turn % 2 == 0, strategy, ..TopK::new(dtype, &[length], k.min(length)) };
                check(context, &with_results(top_k, turn + k), &values)?;
            }
        }
    }
    // Long digits of two words, and of half a one.
    for dtype in [DType::I64, DType::F16] {
        let top_k = TopK::new(dtype, &[140_009], 333).with_strategy(OrderStrategy::Parts);
        check(context, &top_k, &Keys::Random.values(dtype, 140_009, 4))?;
    }
    // Every k of one length, and ties around all of them.
    let values = Keys::Few.values(DType::I32, 300, 3);
    for k in (0..=300).step_by(if every() { 1 } else { 37 }) {
        check(context, &TopK::new(DType::I32, &[300], k), &values)?;
    }
    Ok(())
}

/// Each strategy, with keys of one word, of half a one and of two.
fn restricted(context: &Context) -> Result<(), Failed> {
    for (turn, dtype) in [DType::U32, DType::F16, DType::I64].into_iter().enumerate() {
        for (shape, strategy) in
            [(&[10_007][..], OrderStrategy::Parts), (&[7, 2003], OrderStrategy::Rows), (&[40, 251], OrderStrategy::Comparisons)]
        {
            let values = Keys::Few.values(dtype, shape.iter().product(), 9);
            check(context, &with_results(TopK::new(dtype, shape, 100).with_strategy(strategy), turn), &values)?;
        }
    }
    Ok(())
}

/// Tiles of so few invocations have 128 keys, so these are those of one tile and more, to two of them and a key, with room for larger ones.
fn every_length(context: &Context) -> Result<(), Failed> {
    for length in 1..=2 * 2 * 128 + 1 {
        let values = Keys::Few.values(DType::U32, length, 4);
        for strategy in strategies(length) {
            let k = [1, length / 2, length][length % 3].max(1);
            check(context, &TopK::new(DType::U32, &[length], k).with_strategy(strategy), &values)?;
        }
    }
    Ok(())
}

/// Rows of every length, few and many, that begin anywhere in words and wide loads.
fn rows(context: &Context) -> Result<(), Failed> {
    let shapes: [&[usize]; 11] =
        [&[1, 5], &[5, 1], &[7, 13], &[300, 3], &[3, 5001], &[2, 1101], &[40, 257], &[2, 3, 999], &[4, 0], &[0, 4], &[1001, 33]];
    for (turn, shape) in shapes.into_iter().enumerate() {
        let length = shape.last().copied().unwrap_or(1);
        let count: usize = shape.iter().product();
        for dtype in [DType::U32, [DType::U8, DType::F16, DType::F64][turn % 3]] {
            for (at, strategy) in strategies(length).enumerate() {
                // A schedule of parts takes its dispatches for every few rows.
                if strategy == OrderStrategy::Parts && shape[0] > 100 {
                    continue;
                }
                let k = [1, length / 2, 3][(turn + at) % 3].clamp(1.min(length), length);
                let top_k = TopK { smallest: at == 1, ..TopK::new(dtype, shape, k).with_strategy(strategy) };
                check(context, &with_results(top_k, turn + at), &Keys::Few.values(dtype, count, 5))?;
            }
            let flat = TopK::new(dtype, shape, count.min(9)).flattened();
            check(context, &with_results(flat, turn), &Keys::Random.values(dtype, count, 6))?;
        }
    }
    let single = TopK::new(DType::F16, &[], 1);
    check(context, &single, &Keys::Random.values(DType::F16, 1, 6))
}

/// Limits of the device lowered, so that keys go in pieces, and rows in turns.
fn narrow(context: &Context) -> Result<(), Failed> {
    for (turn, dtype) in [DType::U8, DType::F16, DType::I32, DType::F64].into_iter().enumerate() {
        for (shape, k) in [(&[3][..], 2), (&[20_011], 7), (&[7, 2003], 100), (&[300, 131], 5)] {
            let count = shape.iter().product();
            let length = shape[shape.len() - 1];
            for strategy in strategies(length) {
                let are_long = length as u64 * dtype.size() > 16 << 10;
                if (strategy == OrderStrategy::Rows && are_long) || (strategy == OrderStrategy::Parts && shape[0] == 300) {
                    continue;
                }
                let keys = [Keys::Random, Keys::Few, Keys::Equal][(turn + k) % 3];
                let top_k = TopK { smallest: turn % 2 == 0, ..TopK::new(dtype, shape, k).with_strategy(strategy) };
                check(context, &with_results(top_k, turn + k), &keys.values(dtype, count, 7))?;
            }
        }
    }
    Ok(())
}

fn repeats(context: &Context) -> Result<(), Failed> {
    for strategy in [OrderStrategy::Rows, OrderStrategy::Parts] {
        let top_k = TopK::new(DType::F32, &[20_011], 500).with_strategy(strategy);
        let keys = tensor(top_k.dtype, &top_k.shape, &Keys::Few.values(top_k.dtype, 20_011, 8))?;
        let first = context.top_k(&top_k, &keys)?.tensor;
        for run in 1..50 {
            ensure(context.top_k(&top_k, &keys)?.tensor == first, || format!("run {run} of {strategy:?} has other bits"))?;
        }
    }
    Ok(())
}

fn refusals(context: &Context) -> Result<(), Failed> {
    let keys = Tensor::from_slice(&[3u32, 1, 2], &[3])?;
    let refuse = |top_k: TopK, text: &str| -> Result<(), Failed> {
        match context.top_k(&top_k, &keys) {
            Ok(_) => Err(format!("{top_k:?} was done").into()),
            Err(error) => {
                ensure(!error.advice().is_empty(), || "no advice".into())?;
                ensure(error.to_string().contains(text), || format!("`{error}` without `{text}`"))
            }
        }
    };
    refuse(TopK::new(DType::U32, &[3], 4), "the first 4 keys were asked for of rows of 3")?;
    refuse(TopK::new(DType::F32, &[3], 1), "f32")?;
    refuse(TopK::new(DType::U32, &[1, 3], 1), "[1, 3]")?;
    let schedule = |top_k: TopK| top_k.schedule(context.device().capabilities(), &[], None).err();
    let error = schedule(TopK::new(DType::U8, &[1 << 20, 1 << 14], 1));
    ensure(matches!(error, Some(Error::TooManyElements { .. })), || format!("{error:?}"))?;
    let error = schedule(TopK::new(DType::U8, &[257], 1).with_strategy(OrderStrategy::Comparisons));
    ensure(matches!(error, Some(Error::Unplannable { .. })), || format!("{error:?}"))
}
