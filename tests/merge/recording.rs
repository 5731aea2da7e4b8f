//! Merges in command buffers of the caller: counts, offsets, nothing written beside the bindings, and what is refused.

use libtest_mimic::Failed;
use wavelane::{Context, DType, Kernel, Merge, MergeBindings, Payload, Pipelines, Plan};
use wavelane_reference as reference;

use super::guarded::{Memory, refused};
use super::harness::Case;
use super::keys::Keys;
use super::support::{context, difference, minimal};
use super::{STRATEGIES, joined, sorted, values_of, with_payload};

const OUTPUT: usize = 2;
const COUNTS: [usize; 2] = [4, 5];
const VALUES: [usize; 2] = [6, 7];
const OUTPUT_VALUES: usize = 8;

pub fn cases() -> Vec<Case> {
    vec![
        Case::new("recording::counted", |_| counted(&context(None, None)?)),
        Case::new("recording::counted::as_minimal", |_| counted(&context(None, Some(minimal()?))?)).narrowed(),
        Case::new("recording::bindings_that_do_not_fit_are_refused", |_| refusals(&context(None, None)?)),
    ]
}

fn bindings(memory: &Memory) -> Result<MergeBindings<'_>, Failed> {
    Ok(MergeBindings {
        first: memory.needed(0)?,
        second: memory.needed(1)?,
        output: memory.range(OUTPUT)?,
        scratch: memory.range(3)?,
        first_count: memory.range(COUNTS[0])?,
        second_count: memory.range(COUNTS[1])?,
        first_values: memory.range(VALUES[0])?,
        second_values: memory.range(VALUES[1])?,
        output_values: memory.range(OUTPUT_VALUES)?,
    })
}

/// Numbers of keys that the device has, also ones greater than planned for.
fn counted(context: &Context) -> Result<(), Failed> {
    let pipelines = Pipelines::new(context.device());
    let mut turn = 0;
    for dtype in [DType::U8, DType::F16, DType::U32, DType::F64] {
        for (first, second) in [(2001, 1031), (1, 1), (77, 3000)] {
            for counts in [
                [None, None],
                [Some(0), None],
                [Some(700), Some(0)],
                [Some(u32::MAX), Some(100)],
                [None, Some(u32::MAX)],
                [Some(31), Some(299)],
            ] {
                for strategy in &STRATEGIES {
                    turn += 1;
                    let mut merge = with_payload(Merge { strategy: *strategy, ..Merge::new(dtype, first, second) }, turn);
                    merge.descending = turn % 3 == 0;
                    [merge.counted_first, merge.counted_second] = counts.map(|count| count.is_some());
                    one(context, &pipelines, &merge, counts)?;
                }
            }
        }
    }
    Ok(())
}

fn one(context: &Context, pipelines: &Pipelines, merge: &Merge, counts: [Option<u32>; 2]) -> Result<(), Failed> {
    let lengths = [merge.first, merge.second];
    let live = [0, 1].map(|at| counts[at].map_or(lengths[at], |count| lengths[at].min(count as usize)));
    let plan = merge.plan_with(pipelines, context.path())?;
    let memory = Memory::new(context, &plan)?;
    let values = values_of(merge);
    let mut heads = Vec::new();
    for array in [0, 1] {
        // What counts is sorted, and the rest is anything.
        let keys = Keys::Few.values(merge.dtype, lengths[array], 3 + array as u64);
        let head = sorted(&keys.take(0..live[array]), merge.descending)?;
        memory.write(array, &joined(&head, &keys.take(live[array]..lengths[array])).to_bytes())?;
        heads.push(head);
        if let Some(count) = counts[array] {
            memory.write(COUNTS[array], &count.to_ne_bytes())?;
        }
        if matches!(merge.payload, Payload::Values(_)) {
            memory.write(VALUES[array], &values[array].to_bytes())?;
        }
    }
    memory.run(context, &plan, &bindings(&memory)?)?;
    let places = reference::merge_places(&heads[0], &heads[1], merge.descending)?;
    let same = |what: &str, buffer: usize, want: Vec<u8>, size: u64| -> Result<(), Failed> {
        let got = memory.read(buffer)?;
        match difference(&got[..want.len()], &want, size as usize) {
            None => Ok(()),
            Some(why) => Err(format!("{merge:?} of {counts:?}: {what}: {why}\n{}", plan.explain()).into()),
        }
    };
    if merge.keys {
        let keys = joined(&heads[0], &heads[1]).take(places.iter().copied());
        same("keys", OUTPUT, keys.to_bytes(), merge.dtype.size())?;
    }
    match merge.payload {
        Payload::None => {}
        Payload::Positions => same("positions", OUTPUT_VALUES, places.iter().flat_map(|&at| (at as u32).to_ne_bytes()).collect(), 4)?,
        Payload::Values(dtype) => {
            let heads = joined(&values[0].take(0..live[0]), &values[1].take(0..live[1]));
            same("values", OUTPUT_VALUES, heads.take(places).to_bytes(), dtype.size())?;
        }
    }
    memory.check_guards()
}

/// Buffers that are too small or left out: an error that says which, and nothing recorded.
fn refusals(context: &Context) -> Result<(), Failed> {
    let plan: Plan<Merge> = Merge::new(DType::U32, 500, 300).with_values(DType::U32).counted().plan(context.device(), None)?;
    let memory = Memory::new(context, &plan)?;
    let good = bindings(&memory)?;
    let refuse = |bindings: MergeBindings<'_>, binding| refused(context, &plan, &bindings, binding);
    let short = memory.needed(COUNTS[0])?;
    refuse(MergeBindings { first: short, ..good }, "first")?;
    refuse(MergeBindings { second: short, ..good }, "second")?;
    refuse(MergeBindings { output: None, ..good }, "output")?;
    refuse(MergeBindings { scratch: None, ..good }, "scratch")?;
    refuse(MergeBindings { first_count: None, ..good }, "first count")?;
    refuse(MergeBindings { second_count: None, ..good }, "second count")?;
    refuse(MergeBindings { first_values: None, ..good }, "first values")?;
    refuse(MergeBindings { second_values: None, ..good }, "second values")?;
    refuse(MergeBindings { output_values: None, ..good }, "output values")?;
    refuse(MergeBindings { first: memory.needed(OUTPUT)?, ..good }, "first and output")
}
