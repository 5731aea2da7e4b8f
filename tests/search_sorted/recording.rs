//! Searches in command buffers of the caller: counts, offsets, nothing written beside the positions, and what is refused.

use libtest_mimic::Failed;
use wavelane::{Context, DType, Kernel, Pipelines, Plan, SearchSorted, SearchSortedBindings};
use wavelane_reference as reference;

use super::guarded::{GUARD, Memory, refused};
use super::harness::Case;
use super::keys::Keys;
use super::support::{context, difference, minimal};
use super::{options, row_count, sorted, with_options};

const ARRAY: usize = 0;
const VALUES: usize = 1;
const OUTPUT: usize = 2;
const COUNT: usize = 4;
const ARRAY_COUNT: usize = 5;

pub fn cases() -> Vec<Case> {
    vec![
        Case::new("recording::counted", |_| counted(&context(None, None)?)),
        Case::new("recording::counted::as_minimal", |_| counted(&context(None, Some(minimal()?))?)).narrowed(),
        Case::new("recording::bindings_that_do_not_fit_are_refused", |_| refusals(&context(None, None)?)),
    ]
}

fn bindings(memory: &Memory) -> Result<SearchSortedBindings<'_>, Failed> {
    Ok(SearchSortedBindings {
        array: memory.needed(ARRAY)?,
        values: memory.needed(VALUES)?,
        output: memory.needed(OUTPUT)?,
        scratch: memory.range(3)?,
        count: memory.range(COUNT)?,
        array_count: memory.range(ARRAY_COUNT)?,
    })
}

/// Numbers of values and of elements that the device has, also ones greater than planned for. What is not counted is not written.
fn counted(context: &Context) -> Result<(), Failed> {
    let pipelines = Pipelines::new(context.device());
    let mut turn = 0;
    for dtype in [DType::U8, DType::F16, DType::U32, DType::F64] {
        for (rows, length, values) in [(1, 3001, 1031), (1, 1, 1), (5, 301, 77)] {
            for counts in [
                (None, None),
                (Some(0), None),
                (Some(700), Some(0)),
                (Some(u32::MAX), Some(100)),
                (None, Some(u32::MAX)),
                (Some(31), Some(299)),
            ] {
                turn += 1;
                let mut search = with_options(SearchSorted::new(dtype, length, &[rows, values]), turn);
                search.row_length = (rows > 1).then_some(values);
                search.counted = counts.0.is_some();
                search.counted_array = counts.1.is_some();
                one(context, &pipelines, &search, counts)?;
            }
        }
    }
    Ok(())
}

fn one(
    context: &Context,
    pipelines: &Pipelines,
    search: &SearchSorted,
    (count, array_count): (Option<u32>, Option<u32>),
) -> Result<(), Failed> {
    let rows = row_count(search);
    let row_values = search.values.iter().product::<usize>() / rows;
    let live_of = |count: Option<u32>, most: usize| count.map_or(most, |count| most.min(count as usize));
    let (live, live_values) = (live_of(array_count, search.len), live_of(count, row_values));
    let keys = Keys::Few.values(search.dtype, rows * search.len, 3);
    let head = |row: usize, each: usize, live: usize| (0..live).map(move |at| row * each + at);
    // Of each row what counts is sorted, and the rest is anything.
    let mut array = keys.clone();
    for row in 0..rows {
        let first = sorted(&keys.take(head(row, search.len, live)), 1, search.descending)?;
        let mut all = array.bits();
        all[row * search.len..][..live].copy_from_slice(&first.bits());
        array = reference::Values::from_bits(array.element(), all);
    }
    let values = Keys::Few.values(search.dtype, rows * row_values, 4);
    let heads = |all: &reference::Values, each: usize, live: usize| all.take((0..rows).flat_map(|row| head(row, each, live)));
    let found =
        reference::search_sorted(&heads(&array, search.len, live), &heads(&values, row_values, live_values), rows, options(search))?;

    let plan = search.plan_with(pipelines, context.path())?;
    let memory = Memory::new(context, &plan)?;
    memory.write(ARRAY, &array.to_bytes())?;
    memory.write(VALUES, &values.to_bytes())?;
    for (buffer, count) in [(COUNT, count), (ARRAY_COUNT, array_count)] {
        if let Some(count) = count {
            memory.write(buffer, &count.to_ne_bytes())?;
        }
    }
    memory.run(context, &plan, &bindings(&memory)?)?;
    let mut want = vec![GUARD; 4 * rows * row_values];
    for (at, position) in found.iter().enumerate() {
        let place = at / live_values * row_values + at % live_values;
        want[4 * place..][..4].copy_from_slice(&position.to_ne_bytes());
    }
    match difference(&memory.read(OUTPUT)?, &want, 4) {
        None => memory.check_guards(),
        Some(why) => Err(format!("{search:?} of {count:?} in {array_count:?}: {why}\n{}", plan.explain()).into()),
    }
}

/// Buffers that are too small or left out: an error that says which, and nothing recorded.
fn refusals(context: &Context) -> Result<(), Failed> {
    let plan: Plan<SearchSorted> = SearchSorted::new(DType::U32, 5000, &[300]).counted().counted_array().plan(context.device(), None)?;
    let memory = Memory::new(context, &plan)?;
    let good = bindings(&memory)?;
    let refuse = |bindings: SearchSortedBindings<'_>, binding| refused(context, &plan, &bindings, binding);
    let short = memory.needed(COUNT)?;
    refuse(SearchSortedBindings { array: short, ..good }, "array")?;
    refuse(SearchSortedBindings { values: short, ..good }, "values")?;
    refuse(SearchSortedBindings { output: short, ..good }, "output")?;
    refuse(SearchSortedBindings { scratch: None, ..good }, "scratch")?;
    refuse(SearchSortedBindings { count: None, ..good }, "count")?;
    refuse(SearchSortedBindings { array_count: None, ..good }, "array count")?;
    refuse(SearchSortedBindings { output: good.array, ..good }, "array and output")
}
