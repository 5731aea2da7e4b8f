//! Set operations in command buffers of the caller: counts, offsets, nothing written beside the results, and what is refused.

use libtest_mimic::Failed;
use wavelane::{Context, DType, Kernel, Pipelines, Plan, SetOp, SetOperation, SetOperationBindings};
use wavelane_reference::{self as reference, Values};

use super::guarded::{GUARD, Memory, refused};
use super::harness::Case;
use super::harness::gpu::ensure;
use super::keys::Keys;
use super::support::{context, difference, minimal, word};
use super::{sorted, twin};

const OUTPUT: usize = 2;
const COUNTS: [usize; 2] = [4, 5];
const FOUND: usize = 6;

pub fn cases() -> Vec<Case> {
    vec![
        Case::new("recording::counted", |_| counted(&context(None, None)?)),
        Case::new("recording::counted::as_minimal", |_| counted(&context(None, Some(minimal()?))?)).narrowed(),
        Case::new("recording::bindings_that_do_not_fit_are_refused", |_| refusals(&context(None, None)?)),
    ]
}

fn bindings(memory: &Memory) -> Result<SetOperationBindings<'_>, Failed> {
    Ok(SetOperationBindings {
        first: memory.needed(0)?,
        second: memory.needed(1)?,
        output: memory.needed(OUTPUT)?,
        found: memory.needed(FOUND)?,
        scratch: memory.range(3)?,
        first_count: memory.range(COUNTS[0])?,
        second_count: memory.range(COUNTS[1])?,
    })
}

/// Numbers of elements that the device has, also ones greater than planned for.
fn counted(context: &Context) -> Result<(), Failed> {
    let pipelines = Pipelines::new(context.device());
    for dtype in [DType::U8, DType::F16, DType::U32, DType::F64] {
        for (first, second) in [(2002, 1031), (1, 1), (77, 901)] {
            for counts in [
                [None, None],
                [Some(0), None],
                [Some(700), Some(0)],
                [Some(u32::MAX), Some(100)],
                [None, Some(u32::MAX)],
                [Some(31), Some(299)],
            ] {
                for op in SetOp::ALL {
                    let mut operation = SetOperation::new(op, dtype, first, second);
                    [operation.counted_first, operation.counted_second] = counts.map(|count| count.is_some());
                    one(context, &pipelines, &operation, counts)?;
                }
            }
        }
    }
    Ok(())
}

fn one(context: &Context, pipelines: &Pipelines, operation: &SetOperation, counts: [Option<u32>; 2]) -> Result<(), Failed> {
    let lengths = [operation.first, operation.second];
    let plan = operation.plan_with(pipelines, context.path())?;
    let memory = Memory::new(context, &plan)?;
    let mut heads = Vec::new();
    for array in [0, 1] {
        // What counts is sorted, and the rest is anything.
        let live = counts[array].map_or(lengths[array], |count| lengths[array].min(count as usize));
        let keys =
            if lengths[0].is_multiple_of(2) { Keys::Few } else { Keys::Sparse }.values(operation.dtype, lengths[array], 3 + array as u64);
        let head = sorted(&keys.take(0..live))?;
        let rest = keys.take(live..lengths[array]);
        let all = Values::from_bits(keys.element(), head.bits().into_iter().chain(rest.bits()));
        memory.write(array, &all.to_bytes())?;
        heads.push(head);
        if let Some(count) = counts[array] {
            memory.write(COUNTS[array], &count.to_ne_bytes())?;
        }
    }
    memory.run(context, &plan, &bindings(&memory)?)?;
    let want = reference::set_operation(twin(operation.op), &heads[0], &heads[1])?;
    let label = || format!("{operation:?} of {counts:?}");
    let found = word(&memory.read(FOUND)?);
    ensure(found as usize == want.len(), || format!("{}: {found} results, and {} are right", label(), want.len()))?;
    let (got, want) = (memory.read(OUTPUT)?, want.to_bytes());
    if let Some(why) = difference(&got[..want.len()], &want, operation.dtype.size() as usize) {
        return Err(format!("{}: {why}\n{}", label(), plan.explain()).into());
    }
    // Of the word in which the results end others may be written.
    let behind = &got[want.len().next_multiple_of(4)..];
    ensure(behind.iter().all(|&byte| byte == GUARD), || format!("{}: something was written behind the results", label()))?;
    memory.check_guards()
}

/// Buffers that are too small or left out: an error that says which, and nothing recorded.
fn refusals(context: &Context) -> Result<(), Failed> {
    let operation = SetOperation::new(SetOp::Difference, DType::U32, 500, 300).counted();
    let plan: Plan<SetOperation> = operation.plan(context.device(), None)?;
    let memory = Memory::new(context, &plan)?;
    let good = bindings(&memory)?;
    let refuse = |bindings: SetOperationBindings<'_>, binding| refused(context, &plan, &bindings, binding);
    let short = memory.needed(FOUND)?;
    refuse(SetOperationBindings { first: short, ..good }, "first")?;
    refuse(SetOperationBindings { second: short, ..good }, "second")?;
    refuse(SetOperationBindings { output: short, ..good }, "output")?;
    refuse(SetOperationBindings { scratch: None, ..good }, "scratch")?;
    refuse(SetOperationBindings { first_count: None, ..good }, "first count")?;
    refuse(SetOperationBindings { second_count: None, ..good }, "second count")?;
    refuse(SetOperationBindings { output: good.first, ..good }, "first and output")
}
