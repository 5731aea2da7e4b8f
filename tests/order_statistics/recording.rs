//! Searches for places in command buffers of the caller: what is left alone, and what is refused.

use libtest_mimic::Failed;
use wavelane::{Context, DType, Kernel, NthElement, NthElementBindings, OrderStrategy, PartitionAt, PartitionAtBindings, Path, Pipelines};
use wavelane_reference as reference;

use super::guarded::{Memory, refused};
use super::harness::Case;
use super::keys::Keys;
use super::support::{context, difference};

const INPUT: usize = 0;
const OUTPUT: usize = 1;
const POSITIONS: usize = 3;

pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for path in Path::ALL {
        cases.push(
            Case::new(format!("recording::places::{path}"), move |_| places(&context(Some(path), None)?))
                .without_subgroups(path == Path::SharedMemory),
        );
        cases.push(
            Case::new(format!("recording::partitions::{path}"), move |_| partitions(&context(Some(path), None)?))
                .without_subgroups(path == Path::SharedMemory),
        );
    }
    cases.push(Case::new("recording::bindings_that_do_not_fit_are_refused", |_| refusals(&context(None, None)?)));
    cases
}

fn bindings(memory: &Memory) -> Result<NthElementBindings<'_>, Failed> {
    Ok(NthElementBindings { input: memory.needed(INPUT)?, output: memory.needed(OUTPUT)?, scratch: memory.range(2)? })
}

/// Every strategy, twice in the same memory, and nothing written beside the buffers.
fn places(context: &Context) -> Result<(), Failed> {
    let pipelines = Pipelines::new(context.device());
    for dtype in [DType::U8, DType::F16, DType::F32, DType::I64] {
        for (shape, places, strategy) in [
            (&[5, 77][..], &[3, 0, 76][..], OrderStrategy::Comparisons),
            (&[3, 1003], &[501, 502], OrderStrategy::Rows),
            (&[3, 4001], &[2000, 1, 4000], OrderStrategy::Parts),
        ] {
            let nth = NthElement::of_places(dtype, shape, places).with_strategy(strategy);
            let plan = nth.plan_with(&pipelines, context.path())?;
            let memory = Memory::new(context, &plan)?;
            for seed in [1, 2] {
                let keys = Keys::Few.values(dtype, shape.iter().product(), seed);
                memory.write(INPUT, &keys.to_bytes())?;
                memory.run(context, &plan, &bindings(&memory)?)?;
                let want = reference::nth_element(&keys, shape, Some(1), places)?.to_bytes();
                if let Some(why) = difference(&memory.read(OUTPUT)?[..want.len()], &want, dtype.size() as usize) {
                    return Err(format!("{nth:?}: {why}\n{}", plan.explain()).into());
                }
                memory.check_guards()?;
            }
        }
    }
    Ok(())
}

fn around(memory: &Memory) -> Result<PartitionAtBindings<'_>, Failed> {
    Ok(PartitionAtBindings {
        input: memory.needed(INPUT)?,
        output: memory.range(OUTPUT)?,
        scratch: memory.range(2)?,
        positions: memory.range(POSITIONS)?,
    })
}

/// Keys around a place by every strategy, twice in the same memory, and nothing written beside the buffers.
fn partitions(context: &Context) -> Result<(), Failed> {
    let pipelines = Pipelines::new(context.device());
    for dtype in [DType::U8, DType::F16, DType::F32, DType::I64] {
        for (shape, place, strategy) in [
            (&[5, 77][..], 3, OrderStrategy::Comparisons),
            (&[3, 1003], 501, OrderStrategy::Rows),
            (&[3, 4001], 2000, OrderStrategy::Parts),
        ] {
            let partition = PartitionAt::new(dtype, shape, place).with_positions().with_strategy(strategy);
            let plan = partition.plan_with(&pipelines, context.path())?;
            let memory = Memory::new(context, &plan)?;
            for seed in [1, 2] {
                let keys = Keys::Few.values(dtype, shape.iter().product(), seed);
                memory.write(INPUT, &keys.to_bytes())?;
                memory.run(context, &plan, &around(&memory)?)?;
                let places = reference::partition_places(&keys, shape, Some(1), place)?;
                let want = keys.take(places.clone()).to_bytes();
                if let Some(why) = difference(&memory.read(OUTPUT)?[..want.len()], &want, dtype.size() as usize) {
                    return Err(format!("{partition:?}: {why}\n{}", plan.explain()).into());
                }
                let positions: Vec<u8> = places.iter().flat_map(|at| ((at % shape[1]) as u32).to_ne_bytes()).collect();
                if let Some(why) = difference(&memory.read(POSITIONS)?, &positions, 4) {
                    return Err(format!("positions of {partition:?}: {why}\n{}", plan.explain()).into());
                }
                memory.check_guards()?;
            }
        }
    }
    Ok(())
}

/// Buffers that are too small or left out: an error that says which, and nothing recorded.
fn refusals(context: &Context) -> Result<(), Failed> {
    let plan = NthElement::new(DType::U32, &[5000], 100).plan(context.device(), None)?;
    let memory = Memory::new(context, &plan)?;
    let good = bindings(&memory)?;
    let refuse = |bindings: NthElementBindings<'_>, binding| refused(context, &plan, &bindings, binding);
    refuse(NthElementBindings { input: good.input.slice(0, 400)?, ..good }, "input")?;
    refuse(NthElementBindings { scratch: None, ..good }, "scratch")?;
    refuse(NthElementBindings { output: good.input, ..good }, "input and output")
}
