//! Keys at places of the order of rows and around them, medians and quantiles on every driver, path and strategy, against the CPU twin: bit for bit.

#[allow(dead_code, reason = "not every test takes all patterns")]
#[path = "reduce/data.rs"]
mod data;
mod guarded;
mod harness;
#[path = "sort/keys.rs"]
mod keys;
#[path = "order_statistics/partition_at.rs"]
mod partition_at;
#[path = "order_statistics/recording.rs"]
mod recording;
#[path = "select/support.rs"]
mod support;

use std::process::ExitCode;

use data::tensor;
use harness::gpu::ensure;
use harness::{Case, every};
use keys::Keys;
use libtest_mimic::Failed;
use support::{context, difference, on_each_path, on_narrow_devices};
use wavelane::{Context, DType, Kernel, Median, NthElement, OrderStrategy, Quantile, Tensor};
use wavelane_reference::{self as reference, Values};

const STRATEGIES: [OrderStrategy; 3] = [OrderStrategy::Comparisons, OrderStrategy::Rows, OrderStrategy::Parts];

fn main() -> ExitCode {
    let mut cases = on_each_path("types", types);
    cases.extend(on_narrow_devices(narrow));
    cases.push(Case::new("lengths", |_| lengths(&context(None, None)?)));
    cases.push(Case::new("rows", |_| rows(&context(None, None)?)));
    cases.push(Case::new("medians", |_| medians(&context(None, None)?)));
    cases.push(Case::new("quantiles", |_| quantiles(&context(None, None)?)));
    cases.push(Case::new("repeats", |_| repeats(&context(None, None)?)));
    cases.push(Case::new("refusals", |_| refusals(&context(None, None)?)));
    cases.extend(harness::gpu::restricted(|profile| restricted(&context(None, Some(profile))?)));
    cases.extend(partition_at::cases());
    cases.extend(recording::cases());
    harness::main(cases)
}

fn axis(flattened: bool, shape: &[usize]) -> Option<usize> {
    if flattened { None } else { shape.len().checked_sub(1) }
}

fn check(context: &Context, nth: &NthElement, values: &Values) -> Result<(), Failed> {
    let want = reference::nth_element(values, &nth.shape, axis(nth.flattened, &nth.shape), &nth.places)?;
    let outcome = context.nth_element(nth, &tensor(nth.dtype, &nth.shape, values)?)?;
    match difference(outcome.tensor.bytes(), &want.to_bytes(), nth.dtype.size() as usize) {
        None => Ok(()),
        Some(why) => Err(format!("{nth:?}: {why}\n{}", outcome.plan.explain()).into()),
    }
}

/// The strategies that rows of a length take.
fn strategies(length: usize) -> impl Iterator<Item = OrderStrategy> {
    STRATEGIES.into_iter().filter(move |strategy| *strategy != OrderStrategy::Comparisons || length <= 256)
}

/// Every type, with keys of every kind and by each strategy.
fn types(context: &Context) -> Result<(), Failed> {
    let mut turn = 0;
    for dtype in DType::ALL {
        for keys in Keys::of(dtype) {
            turn += 1;
            let (length, strategy) =
                [(3011, OrderStrategy::Parts), (3011, OrderStrategy::Rows), (251, OrderStrategy::Comparisons)][turn % 3];
            let places = [0, length / 2, length - 1, length / 2 + 1];
            let nth = NthElement::of_places(dtype, &[length], &places[..1 + turn % 4]).with_strategy(strategy);
            check(context, &nth, &keys.values(dtype, length, 1))?;
        }
    }
    Ok(())
}

/// Each strategy, with keys of one word, of half a one and of two.
fn restricted(context: &Context) -> Result<(), Failed> {
    for dtype in [DType::U32, DType::F16, DType::I64] {
        for (shape, strategy) in
            [(&[10_007][..], OrderStrategy::Parts), (&[7, 2003], OrderStrategy::Rows), (&[40, 251], OrderStrategy::Comparisons)]
        {
            let length = shape[shape.len() - 1];
            let nth = NthElement::of_places(dtype, shape, &[0, length / 2, length - 1]).with_strategy(strategy);
            check(context, &nth, &Keys::Few.values(dtype, shape.iter().product(), 9))?;
        }
    }
    Ok(())
}

/// Lengths around everything that is a size somewhere, and every place of one.
fn lengths(context: &Context) -> Result<(), Failed> {
    for (turn, length) in [1, 2, 9, 255, 256, 257, 2047, 2049, 10_007, 65_537, 140_009].into_iter().enumerate() {
        for dtype in [DType::F32, [DType::U8, DType::F16, DType::I64][turn % 3]] {
            let values = Keys::Random.values(dtype, length, 2);
            for strategy in strategies(length) {
                let places = [length / 3, length - 1];
                check(context, &NthElement::of_places(dtype, &[length], &places).with_strategy(strategy), &values)?;
            }
            check(context, &NthElement::new(dtype, &[length], length / 2), &values)?;
        }
    }
    let values = Keys::Few.values(DType::I32, 300, 3);
    let places: Vec<usize> = (0..300).step_by(if every() { 1 } else { 7 }).collect();
    check(context, &NthElement::of_places(DType::I32, &[300], &places), &values)?;
    check(context, &NthElement::of_places(DType::I32, &[0], &[]), &Values::I32(Vec::new()))
}

/// Rows of every length, few and many, that begin anywhere in words and wide loads.
fn rows(context: &Context) -> Result<(), Failed> {
    let shapes: [&[usize]; 9] = [&[1, 5], &[5, 1], &[7, 13], &[301, 3], &[3, 5001], &[41, 257], &[2, 3, 999], &[0, 4], &[1001, 33]];
    for (turn, shape) in shapes.into_iter().enumerate() {
        let length = shape[shape.len() - 1];
        let count: usize = shape.iter().product();
        for dtype in [DType::U32, [DType::U8, DType::F16, DType::F64][turn % 3]] {
            for strategy in strategies(length) {
                // A schedule of parts takes its dispatches for every few rows.
                if strategy == OrderStrategy::Parts && shape[0] > 100 {
                    continue;
                }
                let nth = NthElement::of_places(dtype, shape, &[length / 2, 0, length - 1]).with_strategy(strategy);
                check(context, &nth, &Keys::Few.values(dtype, count, 5))?;
            }
            if count > 0 {
                check(context, &NthElement::new(dtype, shape, count / 2).flattened(), &Keys::Random.values(dtype, count, 6))?;
            }
        }
    }
    check(context, &NthElement::new(DType::F16, &[], 0), &Keys::Few.values(DType::F16, 1, 6))
}

/// Limits of the device lowered, so that keys go in pieces, and rows in turns.
fn narrow(context: &Context) -> Result<(), Failed> {
    for dtype in [DType::U8, DType::F16, DType::I32, DType::F64] {
        for (shape, places) in [(&[3][..], &[1][..]), (&[20_011], &[7, 10_000]), (&[7, 2003], &[1001]), (&[300, 131], &[65, 130])] {
            let count = shape.iter().product();
            let length = shape[shape.len() - 1];
            for strategy in strategies(length) {
                let are_long = length as u64 * dtype.size() > 16 << 10;
                if (strategy == OrderStrategy::Rows && are_long) || (strategy == OrderStrategy::Parts && shape[0] == 300) {
                    continue;
                }
                check(context, &NthElement::of_places(dtype, shape, places).with_strategy(strategy), &Keys::Few.values(dtype, count, 7))?;
            }
        }
    }
    // More results than a descriptor reaches.
    check(context, &NthElement::of_places(DType::U8, &[5000, 9], &[0, 8, 3, 1, 4]), &Keys::Random.values(DType::U8, 45_000, 7))
}

fn medians(context: &Context) -> Result<(), Failed> {
    for dtype in DType::ALL {
        for keys in Keys::of(dtype) {
            for shape in [&[1][..], &[2], &[301], &[9, 32], &[2, 3, 5], &[1, 3000], &[3, 0], &[0]] {
                let values = keys.values(dtype, shape.iter().product(), 9);
                for flattened in [false, true] {
                    let median = Median { flattened, ..Median::new(dtype, shape) };
                    let want = reference::median(&values, shape, axis(flattened, shape))?;
                    let got = context.median(&median, &tensor(dtype, shape, &values)?)?.tensor;
                    ensure(got.bytes() == want.to_bytes(), || format!("{median:?} of {keys:?}: {got:?}, and should be {want:?}"))?;
                    ensure(got.shape() == if flattened { &[] } else { &shape[..shape.len() - 1] }, || format!("{:?}", got.shape()))?;
                }
            }
        }
    }
    Ok(())
}

fn quantiles(context: &Context) -> Result<(), Failed> {
    let q = [0.5, 0.0, 1.0, 0.3, 0.999, 0.25];
    for dtype in DType::ALL {
        for (turn, keys) in Keys::of(dtype).iter().enumerate() {
            for shape in [&[1][..], &[301], &[9, 32], &[2, 3, 5], &[1, 3000], &[0, 4]] {
                let values = keys.values(dtype, shape.iter().product(), 10);
                let flattened = turn % 2 == 1 && !values.is_empty();
                let quantile = Quantile { flattened, ..Quantile::new(dtype, shape, &q[..1 + turn % 6]) };
                let want = reference::quantile(&values, shape, axis(flattened, shape), &quantile.q)?;
                let got = context.quantile(&quantile, &tensor(dtype, shape, &values)?)?.tensor;
                ensure(got.bytes() == want.to_bytes(), || format!("{quantile:?} of {keys:?}: {got:?}, and should be {want:?}"))?;
            }
        }
    }
    Ok(())
}

fn repeats(context: &Context) -> Result<(), Failed> {
    for strategy in [OrderStrategy::Rows, OrderStrategy::Parts] {
        let nth = NthElement::of_places(DType::F32, &[40_009], &[20_000, 39_999]).with_strategy(strategy);
        let keys = tensor(nth.dtype, &nth.shape, &Keys::Few.values(nth.dtype, 40_009, 8))?;
        let first = context.nth_element(&nth, &keys)?.tensor;
        for run in 1..50 {
            ensure(context.nth_element(&nth, &keys)?.tensor == first, || format!("run {run} of {strategy:?} has other bits"))?;
        }
    }
    Ok(())
}

/// That something is refused by an error with such a text, and some advice.
fn refused(what: &str, error: Option<wavelane::Error>, text: &str) -> Result<(), Failed> {
    let error = error.ok_or_else(|| format!("{what} was done"))?;
    ensure(!error.advice().is_empty(), || "no advice".into())?;
    ensure(error.to_string().contains(text), || format!("`{error}` without `{text}`"))
}

fn refusals(context: &Context) -> Result<(), Failed> {
    let keys = Tensor::from_slice(&[3u32, 1, 2], &[3])?;
    let nth = |nth: NthElement| context.nth_element(&nth, &keys).err();
    refused("place 3", nth(NthElement::new(DType::U32, &[3], 3)), "the key at place 3 was asked for of rows of 3")?;
    refused("another type", nth(NthElement::new(DType::F32, &[3], 0)), "f32")?;
    let quantile = |quantile: Quantile| context.quantile(&quantile, &keys).err();
    refused("q of 2", quantile(Quantile::new(DType::U32, &[3], &[2.0])), "quantile 2 was asked for")?;
    refused("no keys", quantile(Quantile::new(DType::U32, &[3, 0], &[0.5])), "rows without keys")?;
    refused("another shape", context.median(&Median::new(DType::U32, &[1, 3]), &keys).err(), "[1, 3]")?;
    let long = NthElement::new(DType::U8, &[257], 1).with_strategy(OrderStrategy::Comparisons);
    refused("long rows", long.schedule(context.device().capabilities(), &[], None).err(), "257")
}
