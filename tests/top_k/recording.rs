//! The first keys of rows in command buffers of the caller: offsets, what is left alone, and what is refused.

use libtest_mimic::Failed;
use wavelane::{Context, DType, Kernel, OrderStrategy, Path, Pipelines, TopK, TopKBindings};
use wavelane_reference::{self as reference};

use super::guarded::{Memory, refused};
use super::harness::Case;
use super::harness::gpu::ensure;
use super::keys::Keys;
use super::support::{context, difference};
use super::{positions, with_results};

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
    }
    cases.push(Case::new("recording::bindings_that_do_not_fit_are_refused", |_| refusals(&context(None, None)?)));
    cases
}

fn bindings(memory: &Memory) -> Result<TopKBindings<'_>, Failed> {
    Ok(TopKBindings {
        input: memory.needed(INPUT)?,
        output: memory.range(OUTPUT)?,
        scratch: memory.range(2)?,
        positions: memory.range(POSITIONS)?,
    })
}

/// Every strategy, twice in the same memory, and nothing written beside the buffers.
fn places(context: &Context) -> Result<(), Failed> {
    let pipelines = Pipelines::new(context.device());
    let mut turn = 0;
    for dtype in [DType::U8, DType::F16, DType::F32, DType::I64] {
        for (shape, k, strategy) in [
            (&[5, 77][..], 3, OrderStrategy::Comparisons),
            (&[3, 1003], 11, OrderStrategy::Rows),
            (&[2, 5003], 1, OrderStrategy::Rows),
            (&[3, 4001], 250, OrderStrategy::Parts),
            (&[7, 9], 9, OrderStrategy::Parts),
        ] {
            turn += 1;
            let top_k = with_results(TopK { smallest: turn % 3 == 0, ..TopK::new(dtype, shape, k).with_strategy(strategy) }, turn);
            let plan = top_k.plan_with(&pipelines, context.path())?;
            let memory = Memory::new(context, &plan)?;
            for seed in [1, 2] {
                let keys = Keys::Few.values(dtype, shape.iter().product(), seed);
                memory.write(INPUT, &keys.to_bytes())?;
                memory.run(context, &plan, &bindings(&memory)?)?;
                let places = reference::top_k_places(&keys, shape, Some(1), k, top_k.smallest)?;
                let same = |what: &str, buffer: usize, want: Vec<u8>, size: u64| -> Result<(), Failed> {
                    let got = memory.read(buffer)?;
                    match difference(&got[..want.len()], &want, size as usize) {
                        None => Ok(()),
                        Some(why) => Err(format!("{top_k:?}: {what}: {why}\n{}", plan.explain()).into()),
                    }
                };
                if top_k.keys {
                    same("keys", OUTPUT, keys.take(places.iter().copied()).to_bytes(), dtype.size())?;
                }
                if top_k.positions {
                    same("positions", POSITIONS, positions(&top_k, &places), 4)?;
                }
                let (input, want) = (memory.read(INPUT)?, keys.to_bytes());
                ensure(input[..want.len()] == want, || format!("{top_k:?} writes to its input"))?;
                memory.check_guards()?;
            }
        }
    }
    Ok(())
}

/// Buffers that are too small or left out: an error that says which, and nothing recorded.
fn refusals(context: &Context) -> Result<(), Failed> {
    let plan = TopK::new(DType::U32, &[5000], 100).plan(context.device(), None)?;
    let memory = Memory::new(context, &plan)?;
    let good = bindings(&memory)?;
    let refuse = |bindings: TopKBindings<'_>, binding| refused(context, &plan, &bindings, binding);
    refuse(TopKBindings { input: good.input.slice(0, 400)?, ..good }, "input")?;
    refuse(TopKBindings { output: None, ..good }, "output")?;
    refuse(TopKBindings { scratch: None, ..good }, "scratch")?;
    refuse(TopKBindings { positions: None, ..good }, "positions")?;
    refuse(TopKBindings { positions: good.output, ..good }, "output and positions")
}
