//! Searches in sorted arrays on every driver, against the CPU twin.

#[allow(dead_code, reason = "not every test takes all patterns")]
#[path = "reduce/data.rs"]
mod data;
mod guarded;
mod harness;
#[path = "sort/keys.rs"]
mod keys;
#[path = "search_sorted/recording.rs"]
mod recording;
#[path = "select/support.rs"]
mod support;

use std::process::ExitCode;

use data::tensor;
use harness::Case;
use harness::gpu::ensure;
use keys::Keys;
use libtest_mimic::Failed;
use support::{context, difference, minimal, on_narrow_devices};
use wavelane::{Context, DType, Error, Kernel, SearchSide, SearchSorted, Tensor};
use wavelane_reference::{self as reference, SearchOptions, SortOptions, Values};

/// Lengths around words, workgroups and rounds of the search, and primes.
const LENGTHS: [usize; 16] = [0, 1, 2, 3, 4, 5, 7, 8, 9, 127, 128, 129, 255, 257, 1021, 40_009];

fn main() -> ExitCode {
    let mut cases = vec![
        Case::new("types", |_| types(&context(None, None)?)),
        Case::new("types::as_minimal", |_| types(&context(None, Some(minimal()?))?)).narrowed(),
        Case::new("lengths", |_| lengths(&context(None, None)?)),
        Case::new("rows", |_| rows(&context(None, None)?)),
        Case::new("repeats", |_| repeats(&context(None, None)?)),
        Case::new("refusals", |_| refusals(&context(None, None)?)),
    ];
    cases.extend(on_narrow_devices(narrow));
    cases.extend(harness::gpu::restricted(|profile| restricted(&context(None, Some(profile))?)));
    cases.extend(recording::cases());
    harness::main(cases)
}

/// The twin's words for a search.
fn options(search: &SearchSorted) -> SearchOptions {
    SearchOptions { right: search.side == SearchSide::Right, descending: search.descending }
}

/// Keys in the order that a search takes them to be in, row by row.
fn sorted(keys: &Values, rows: usize, descending: bool) -> Result<Values, Failed> {
    let options = SortOptions { descending, ..Default::default() };
    let places = reference::sort_places(keys, &[rows, keys.len() / rows.max(1)], Some(1), &options)?;
    Ok(keys.take(places))
}

/// As many rows as there are of values.
fn row_count(search: &SearchSorted) -> usize {
    let values: usize = search.values.iter().product();
    search.row_length.map_or(1, |length| values.checked_div(length).unwrap_or(0))
}

/// One search on the host's arrays.
fn check(context: &Context, search: &SearchSorted, keys: &Values, values: &Values) -> Result<(), Failed> {
    let rows = row_count(search);
    let array = sorted(keys, rows, search.descending)?;
    let want: Vec<u8> = reference::search_sorted(&array, values, rows, options(search))?.iter().flat_map(|at| at.to_ne_bytes()).collect();
    let (array, values) = (tensor(search.dtype, &[array.len()], &array)?, tensor(search.dtype, &search.values, values)?);
    let outcome = context.search_sorted(search, &array, &values)?;
    ensure(outcome.tensor.shape() == search.values, || format!("{search:?}: {:?}", outcome.tensor.shape()))?;
    match difference(outcome.tensor.bytes(), &want, 4) {
        None => Ok(()),
        Some(why) => Err(format!("{search:?}: {why}\n{}", outcome.plan.explain()).into()),
    }
}

/// A side and an order, one after the other.
fn with_options(search: SearchSorted, turn: usize) -> SearchSorted {
    let side = [SearchSide::Left, SearchSide::Right][turn % 2];
    SearchSorted { side, descending: turn / 2 % 2 == 1, ..search }
}

/// Every type, with elements of every kind, to both sides and in both orders; values that are there and others.
fn types(context: &Context) -> Result<(), Failed> {
    for dtype in DType::ALL {
        for keys in Keys::of(dtype) {
            for turn in 0..4 {
                let search = with_options(SearchSorted::new(dtype, 2011, &[30, 20]), turn);
                let array = keys.values(dtype, 2011, 1);
                check(context, &search, &array, &array.take((0..600).map(|at| at * 7 % 2011)))?;
                check(context, &search, &array, &Keys::of(dtype)[turn].values(dtype, 600, 2))?;
            }
        }
    }
    Ok(())
}

fn lengths(context: &Context) -> Result<(), Failed> {
    for (turn, length) in LENGTHS.into_iter().enumerate() {
        for (other, values) in LENGTHS.into_iter().enumerate() {
            let dtype = [DType::U32, DType::U8, DType::F16, DType::I64][(turn + other) % 4];
            let search = with_options(SearchSorted::new(dtype, length, &[values]), turn + other / 4);
            let keys = if other % 2 == 0 { Keys::Few } else { Keys::Random };
            check(context, &search, &keys.values(dtype, length, 3), &keys.values(dtype, values, 4))?;
        }
    }
    Ok(())
}

/// Elements of one word, of half a one and of two, in one row and in many.
fn restricted(context: &Context) -> Result<(), Failed> {
    for (turn, dtype) in [DType::U32, DType::F16, DType::I64].into_iter().enumerate() {
        let search = with_options(SearchSorted::new(dtype, 10_007, &[2003]), turn);
        check(context, &search, &Keys::Few.values(dtype, 10_007, 9), &Keys::Random.values(dtype, 2003, 10))?;
        let search = with_options(SearchSorted::new(dtype, 129, &[40, 31]).in_rows(31), turn + 1);
        check(context, &search, &Keys::Random.values(dtype, 40 * 129, 9), &Keys::Few.values(dtype, 40 * 31, 10))?;
    }
    Ok(())
}

/// Rows of every length, few and many.
fn rows(context: &Context) -> Result<(), Failed> {
    let shapes = [(1, 5, 3), (3, 1, 5), (300, 3, 7), (7, 257, 129), (2, 0, 3), (4, 3, 0), (0, 3, 4), (1001, 31, 2), (3, 5003, 2)];
    for (turn, (rows, length, values)) in shapes.into_iter().enumerate() {
        for dtype in [DType::F32, [DType::U8, DType::U16, DType::F64][turn % 3]] {
            let search = with_options(SearchSorted::new(dtype, length, &[rows, values]).in_rows(values), turn);
            // Rows of no values are none, and have no elements either.
            let elements = if values == 0 { 0 } else { rows * length };
            check(context, &search, &Keys::Few.values(dtype, elements, 5), &Keys::Few.values(dtype, rows * values, 6))?;
        }
    }
    Ok(())
}

/// Limits of the device lowered, so that the array and the values go in pieces.
fn narrow(context: &Context) -> Result<(), Failed> {
    for (turn, dtype) in [DType::U8, DType::F16, DType::I32, DType::F64].into_iter().enumerate() {
        for (length, values) in [(30_011, 700), (30, 20_011), (20_011, 20_011)] {
            let search = with_options(SearchSorted::new(dtype, length, &[values]), turn + length);
            check(context, &search, &Keys::Random.values(dtype, length, 7), &Keys::Random.values(dtype, values, 8))?;
        }
        let search = with_options(SearchSorted::new(dtype, 3001, &[13, 2003]).in_rows(2003), turn);
        check(context, &search, &Keys::Few.values(dtype, 13 * 3001, 7), &Keys::Random.values(dtype, 13 * 2003, 8))?;
    }
    Ok(())
}

fn repeats(context: &Context) -> Result<(), Failed> {
    let search = SearchSorted::new(DType::F32, 40_009, &[10_007]);
    let array = tensor(search.dtype, &[40_009], &sorted(&Keys::Nan.values(search.dtype, 40_009, 8), 1, false)?)?;
    let values = tensor(search.dtype, &[10_007], &Keys::Few.values(search.dtype, 10_007, 9))?;
    let first = context.search_sorted(&search, &array, &values)?.tensor;
    for run in 1..50 {
        ensure(context.search_sorted(&search, &array, &values)?.tensor == first, || format!("run {run} has other positions"))?;
    }
    Ok(())
}

fn refusals(context: &Context) -> Result<(), Failed> {
    let (array, values) = (Tensor::from_slice(&[1u32, 2, 3], &[3])?, Tensor::from_slice(&[1u32, 2, 3, 4], &[2, 2])?);
    let search = SearchSorted::new(DType::U32, 3, &[2, 2]);
    let refuse = |search: SearchSorted, text: &str| -> Result<(), Failed> {
        match context.search_sorted(&search, &array, &values) {
            Ok(_) => Err(format!("{search:?} was done").into()),
            Err(error) => {
                ensure(!error.advice().is_empty(), || "no advice".into())?;
                ensure(error.to_string().contains(text), || format!("`{error}` without `{text}`"))
            }
        }
    };
    refuse(SearchSorted::new(DType::F32, 3, &[2, 2]), "f32")?;
    refuse(SearchSorted::new(DType::U32, 4, &[2, 2]), "u32 [4]")?;
    refuse(SearchSorted::new(DType::U32, 3, &[4]), "u32 [4]")?;
    refuse(search.clone().in_rows(3), "rows of 3 elements were asked for in an array of 4, which is no whole number of them")?;
    refuse(search.in_rows(2), "u32 [6]")?;
    let many = SearchSorted::new(DType::U8, 1 << 33, &[1]);
    let error = many.schedule(context.device().capabilities(), &[], None).err();
    ensure(matches!(error, Some(Error::TooManyElements { .. })), || format!("{error:?}"))
}
