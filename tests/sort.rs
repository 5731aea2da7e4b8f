//! Sorts on every driver and path, against the CPU twin: bit for bit, so that equal keys show their order.

#[allow(dead_code, reason = "not every test takes all patterns")]
#[path = "reduce/data.rs"]
mod data;
mod guarded;
mod harness;
#[path = "sort/keys.rs"]
mod keys;
#[path = "sort/onesweep.rs"]
mod onesweep;
#[path = "sort/recording.rs"]
mod recording;
#[path = "sort/segments.rs"]
mod segments;
#[path = "select/support.rs"]
mod support;

use std::process::ExitCode;

use data::{element, tensor};
use harness::gpu::{ensure, with_small_tiles};
use harness::{Case, every};
use keys::Keys;
use libtest_mimic::Failed;
use support::{context, difference, on_each_path, on_narrow_devices};
use wavelane::{Context, DType, Error, Kernel, Payload, Sort, SortForm, SortStrategy, Tensor};
use wavelane_reference::{self as reference, SortOptions, Values};

/// Lengths around everything that is a size somewhere: wide loads, counters, parts, primes.
const LENGTHS: [usize; 20] = [0, 1, 2, 3, 4, 7, 8, 9, 255, 256, 257, 511, 513, 1021, 2047, 2049, 4097, 10_007, 33_001, 65_537];

fn main() -> ExitCode {
    let mut cases = on_each_path("types", types);
    cases.extend(on_each_path("lengths", lengths));
    cases.extend(on_narrow_devices(narrow));
    cases.push(Case::new("bits", |_| bits(&context(None, None)?)));
    cases.push(Case::new("rows_and_axes", |_| rows(&context(None, None)?)));
    cases.push(Case::new("repeats", |_| repeats(&context(None, None)?)));
    cases.push(Case::new("refusals", |_| refusals(&context(None, None)?)));
    cases.push(Case::new("scratch", |_| scratch(&context(None, None)?)));
    cases.extend(onesweep::cases());
    cases.extend(harness::gpu::restricted(|profile| restricted(&context(None, Some(profile))?)));
    cases.push(Case::new("every_length_to_two_tiles", |_| every_length(&context(None, Some(with_small_tiles()?))?)).narrowed());
    cases.extend(recording::cases());
    cases.extend(segments::cases());
    harness::main(cases)
}

/// What the twin's words are for a sort.
fn options(sort: &Sort) -> SortOptions {
    SortOptions { descending: sort.descending, bits: sort.bits, count: None }
}

/// Keys, values and positions of one sort on the host's arrays.
fn check(context: &Context, sort: &Sort, values: &Values) -> Result<(), Failed> {
    let places = reference::sort_places(values, &sort.shape, sort.axis, &options(sort))?;
    // Each value is where it came from, so that it shows which of equal keys it belongs to.
    let moved = match sort.payload {
        Payload::Values(dtype) => Some(Values::from_bits(element(dtype), (0..values.len() as u64).map(|at| at << 3 | 5))),
        _ => None,
    };
    let given = moved.as_ref().map(|moved| tensor(payload_type(sort), &sort.shape, moved)).transpose()?;
    let outcome = context.sort(sort, &tensor(sort.dtype, &sort.shape, values)?, given.as_ref())?;
    let same = |what: &str, got: &Option<Tensor>, want: Option<Vec<u8>>, dtype: DType| {
        let why = match (got, &want) {
            (Some(got), Some(want)) => difference(got.bytes(), want, dtype.size() as usize),
            (None, None) => None,
            _ => Some("there, or not there".to_owned()),
        };
        why.map_or(Ok(()), |why| Err(Failed::from(format!("{sort:?}: {what}: {why}\n{}", outcome.plan.explain()))))
    };
    same("keys", &outcome.tensor.keys, sort.keys.then(|| values.take(places.iter().copied()).to_bytes()), sort.dtype)?;
    let want = match sort.payload {
        Payload::None => None,
        Payload::Positions => Some(positions(sort, &places)),
        Payload::Values(_) => moved.map(|moved| moved.take(places.iter().copied()).to_bytes()),
    };
    same("values", &outcome.tensor.values, want, payload_type(sort))
}

fn payload_type(sort: &Sort) -> DType {
    if let Payload::Values(dtype) = sort.payload { dtype } else { DType::U32 }
}

/// Where keys stood along the axis.
fn positions(sort: &Sort, places: &[usize]) -> Vec<u8> {
    let inner: usize = sort.axis.map_or(1, |axis| sort.shape[axis + 1..].iter().product());
    let length = sort.axis.map_or(places.len(), |axis| sort.shape[axis]);
    places.iter().flat_map(|&place| ((place / inner % length) as u32).to_ne_bytes()).collect()
}

/// What moves with the keys, one after the other.
fn with_payload(sort: Sort, turn: usize) -> Sort {
    match turn % 5 {
        0 => sort,
        1 => sort.with_values(DType::U32),
        2 => sort.with_positions(),
        3 => sort.with_values(DType::F64),
        _ => Sort { keys: false, ..sort.with_positions() },
    }
}

const STRATEGIES: [SortStrategy; 3] = [SortStrategy::Tiles, SortStrategy::Lanes, SortStrategy::Local];

/// Every type, with keys of every kind and everything that moves with them, both ways.
fn types(context: &Context) -> Result<(), Failed> {
    let mut turn = 0;
    for dtype in DType::ALL {
        for keys in Keys::of(dtype) {
            for descending in [false, true] {
                turn += 1;
                let strategy = STRATEGIES[turn / 2 % 3];
                // A tile has room for the shorter ones.
                let length = if strategy == SortStrategy::Local { 509 } else { 3011 };
                let sort = Sort { descending, ..Sort::new(dtype, &[length]).with_strategy(strategy) };
                check(context, &with_payload(sort, turn), &keys.values(dtype, length, 1))?;
            }
        }
    }
    Ok(())
}

fn lengths(context: &Context) -> Result<(), Failed> {
    for (turn, length) in LENGTHS.into_iter().enumerate() {
        for dtype in [DType::U32, [DType::U8, DType::F16, DType::I64][turn % 3]] {
            for strategy in STRATEGIES {
                let sort = Sort { descending: turn % 4 == 3, ..Sort::new(dtype, &[length]).with_strategy(strategy) };
                check(context, &with_payload(sort, turn), &Keys::Random.values(dtype, length, 2))?;
            }
            check(context, &with_payload(Sort::new(dtype, &[length]), turn + 1), &Keys::Few.values(dtype, length, 2))?;
        }
    }
    let most = if every() { 4096 } else { 1100 };
    for length in (1..most).step_by(if every() { 1 } else { 37 }) {
        check(context, &Sort::new(DType::F32, &[length]).with_positions(), &Keys::Few.values(DType::F32, length, 3))?;
    }
    Ok(())
}

/// Each strategy, with keys of one word, of half a one and of two.
fn restricted(context: &Context) -> Result<(), Failed> {
    for (turn, dtype) in [DType::U32, DType::F16, DType::I64].into_iter().enumerate() {
        for (number, strategy) in STRATEGIES.into_iter().enumerate() {
            let shape: &[usize] = if strategy == SortStrategy::Local { &[40, 257] } else { &[10_007] };
            let values = Keys::Few.values(dtype, shape.iter().product(), 9);
            check(context, &with_payload(Sort::new(dtype, shape).with_strategy(strategy), turn + 2 * number), &values)?;
        }
    }
    segments::lengths(context, DType::U32)
}

/// Tiles are of 16 keys an invocation, so these are those of one tile and more, to two of them and a key, with room for larger ones.
fn every_length(context: &Context) -> Result<(), Failed> {
    for length in 1..=2 * 2 * 8 * 16 + 1 {
        let values = Keys::Few.values(DType::U32, length, 4);
        for strategy in [SortStrategy::Tiles, SortStrategy::Lanes] {
            check(context, &Sort::new(DType::U32, &[length]).with_positions().with_strategy(strategy), &values)?;
        }
        if length <= 8 * 16 {
            check(context, &Sort::new(DType::U32, &[length]).with_positions().with_strategy(SortStrategy::Local), &values)?;
        }
    }
    Ok(())
}

/// Parts of the keys, from everywhere to everywhere.
fn bits(context: &Context) -> Result<(), Failed> {
    let mut turn = 0;
    for dtype in [DType::U8, DType::F16, DType::I32, DType::F32, DType::U64, DType::F64] {
        let all = 8 * dtype.size() as u32;
        let ends = [0, 1, all / 3, all / 2 + 1, 3 * all / 4, all - 1, all];
        for (number, begin) in ends.into_iter().enumerate() {
            for end in ends.into_iter().skip(number) {
                turn += 1;
                let sort = Sort { descending: turn % 3 == 0, ..Sort::new(dtype, &[509]).with_strategy(STRATEGIES[turn / 3 % 3]) };
                let values = Keys::of(dtype)[turn % Keys::of(dtype).len()].values(dtype, 509, 4);
                check(context, &with_payload(sort.by_bits(begin, end), turn), &values)?;
            }
        }
    }
    Ok(())
}

/// Rows of every length, few and many, along every axis.
fn rows(context: &Context) -> Result<(), Failed> {
    let shapes: [&[usize]; 12] = [
        &[1, 5],
        &[5, 1],
        &[7, 13],
        &[300, 3],
        &[3, 5000],
        &[2, 1101],
        &[40, 257],
        &[3, 1000, 2],
        &[9, 5, 31],
        &[4, 0, 3],
        &[0, 4],
        &[2, 3, 4, 5],
    ];
    for (turn, shape) in shapes.into_iter().enumerate() {
        // One type for each shape: what types differ by, `types` and `lengths` show.
        let dtype = [DType::U32, DType::U8, DType::F16, DType::F64][turn % 4];
        let count = shape.iter().product();
        for axis in 0..shape.len() {
            // Tiles give each row a workgroup: of thousands of rows of two keys that is one submission of many seconds on SwiftShader, which a busy machine does not end in time.
            let are_many = count > 2000 * shape[axis].max(1) && !every();
            let strategy = STRATEGIES[(turn + axis) % 3];
            let strategy = if are_many && strategy == SortStrategy::Tiles { SortStrategy::Lanes } else { strategy };
            let sort = Sort { descending: axis == 1, ..Sort::new(dtype, shape).along(axis).with_strategy(strategy) };
            check(context, &with_payload(sort, turn + axis), &Keys::Few.values(dtype, count, 5))?;
        }
        check(context, &with_payload(Sort::new(dtype, shape).flattened(), turn), &Keys::Random.values(dtype, count, 6))?;
    }
    Ok(())
}

/// Limits of the device lowered, so that arrays go in pieces and results in windows.
fn narrow(context: &Context) -> Result<(), Failed> {
    for (turn, dtype) in [DType::U8, DType::F16, DType::I32, DType::F64].into_iter().enumerate() {
        for length in [3, 20_011] {
            for (keys, strategy) in
                [(Keys::Random, SortStrategy::Tiles), (Keys::Few, SortStrategy::Lanes), (Keys::Equal, SortStrategy::Tiles)]
            {
                let sort = Sort::new(dtype, &[length]).with_strategy(strategy);
                check(context, &with_payload(sort, turn + length), &keys.values(dtype, length, 7))?;
            }
        }
        check(context, &with_payload(Sort::new(dtype, &[7, 2003]), turn + 1), &Keys::Random.values(dtype, 7 * 2003, 7))?;
        if dtype == DType::U8 {
            segments::lengths(context, dtype)?;
        }
        let rows = Sort::new(dtype, &[151, 101]).with_strategy(SortStrategy::Local);
        check(context, &with_payload(rows, turn + 1), &Keys::Random.values(dtype, 151 * 101, 7))?;
    }
    Ok(())
}

fn repeats(context: &Context) -> Result<(), Failed> {
    for strategy in STRATEGIES.into_iter().chain([SortStrategy::Onesweep]) {
        // Rows that a tile has room for, and of which a workgroup has several.
        let shape: &[usize] = if strategy == SortStrategy::Local { &[400, 100] } else { &[40_009] };
        let sort = Sort::new(DType::F32, shape).with_positions().with_strategy(strategy);
        let keys = tensor(sort.dtype, shape, &Keys::Few.values(sort.dtype, shape.iter().product(), 8))?;
        let first = context.sort(&sort, &keys, None)?.tensor;
        for run in 1..50 {
            ensure(context.sort(&sort, &keys, None)?.tensor == first, || format!("run {run} of {strategy:?} has other bits"))?;
        }
    }
    Ok(())
}

/// What a sort is given of temporary memory: as much as the keys, values, and a hundredth and 64 KiB of the keys for counts.
fn scratch(context: &Context) -> Result<(), Failed> {
    for dtype in DType::ALL {
        for shape in [&[1][..], &[1000], &[1 << 16], &[1 << 22], &[100_000_007], &[1000, 1000], &[1 << 20, 3]] {
            let keys = shape.iter().product::<usize>() as u64 * dtype.size();
            let values = 4 * shape.iter().product::<usize>() as u64;
            let scratch = |sort: Sort| -> Result<u64, Failed> {
                Ok(sort.schedule(context.device().capabilities(), &[], context.path())?.scratch_bytes())
            };
            let counts = keys / 100 + (64 << 10);
            let plain = Sort::new(dtype, shape);
            let by = [None].into_iter().chain(STRATEGIES.into_iter().chain([SortStrategy::Onesweep]).map(Some));
            for (sort, most) in [
                (plain.clone(), keys + counts),
                (plain.clone().in_place(), keys + counts),
                (plain.clone().double_buffered(), counts),
                (plain.with_positions(), keys + values + counts),
                (Sort::positions(dtype, shape), 2 * keys + values + counts),
            ] {
                for strategy in by.clone() {
                    // Of rows that are shorter than tiles these do a few hundred in a dispatch.
                    if strategy == Some(SortStrategy::Tiles) && shape == [1 << 20, 3] {
                        continue;
                    }
                    let got = scratch(Sort { strategy, ..sort.clone() })?;
                    ensure(got <= most, || format!("{sort:?} by {strategy:?} takes {got} bytes of scratch, and may take {most}"))?;
                }
            }
        }
    }
    Ok(())
}

fn refusals(context: &Context) -> Result<(), Failed> {
    let keys = Tensor::from_slice(&[3u32, 1, 2], &[3])?;
    let sort = Sort::new(DType::U32, &[3]);
    let refuse = |sort: Sort, values: Option<&Tensor>, text: &str| -> Result<(), Failed> {
        match context.sort(&sort, &keys, values) {
            Ok(_) => Err(format!("{sort:?} was done").into()),
            Err(error) => {
                ensure(!error.advice().is_empty(), || "no advice".into())?;
                ensure(error.to_string().contains(text), || format!("`{error}` without `{text}`"))
            }
        }
    };
    refuse(sort.clone().by_bits(4, 33), None, "a sort by bits 4 to 33 was asked for, and keys of u32 have 32")?;
    refuse(sort.clone().with_values(DType::U16), Some(&keys), "values of u16 were asked to move with the keys of a sort")?;
    refuse(sort.clone().with_values(DType::F32), Some(&keys), "f32")?;
    refuse(sort.clone().with_values(DType::U32), None, "the plan takes values of u32 [3], and none were given")?;
    refuse(sort.clone().along(1), None, "axis 1")?;
    refuse(Sort::new(DType::F32, &[3]), None, "f32")?;
    let many = Sort::new(DType::U8, &[1 << 20, 1 << 14]);
    let error = many.schedule(context.device().capabilities(), &[], None).err();
    ensure(matches!(error, Some(Error::TooManyElements { .. })), || format!("{error:?}"))?;
    ensure(!Sort { form: SortForm::OutOfPlace, ..sort }.is_swapped()?, || "swapped".into())
}
