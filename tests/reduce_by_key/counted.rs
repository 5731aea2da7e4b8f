//! As many keys and elements as the device counts.

use libtest_mimic::Failed;
use wavelane::{Context, DType, Kernel, Path, Pipelines, ReduceByKey, ReduceByKeyBindings, ReduceOp, ScanStrategy};
use wavelane_reference::{self as reference, Nan, Op};

use super::context;
use super::data::{Pattern, values};
use super::guarded::Memory;
use super::harness::Case;
use super::harness::gpu::ensure;
use super::segments::{Division, flags, keys};

pub fn cases() -> Vec<Case> {
    Path::ALL
        .into_iter()
        .map(|path| {
            Case::new(format!("counted::{path}"), move |_| counted(&context(Some(path), None)?))
                .without_subgroups(path == Path::SharedMemory)
        })
        .collect()
}

fn counted(context: &Context) -> Result<(), Failed> {
    const MOST: usize = 20_011;
    let pipelines = Pipelines::new(context.device());
    let input = values(DType::U32, MOST, Pattern::Random, false, 1);
    for (key, strategy) in [
        (DType::U8, None),
        (DType::U16, Some(ScanStrategy::SinglePass)),
        (DType::U32, Some(ScanStrategy::ReduceThenScan)),
        (DType::I64, Some(ScanStrategy::OneWorkgroup)),
    ] {
        let reduce = ReduceByKey { strategy, ..ReduceByKey::new(ReduceOp::Sum, key, DType::U32, MOST) }.counted();
        let plan = reduce.plan_with(&pipelines, context.path())?;
        for division in [Division::Random, Division::Even(1000)] {
            let keys = keys(key, &flags(&division.offsets(MOST, 7), MOST));
            for count in [0, 1, 2, 999, 1000, 7777, MOST - 1, MOST, MOST + 9] {
                let label = || format!("{division:?}, {count} of {MOST}: {}", plan.explain());
                let memory = Memory::new(context, &plan)?;
                memory.write(0, &input.to_bytes())?;
                memory.write(3, bytemuck::bytes_of(&(count as u32)))?;
                memory.write(4, &keys.to_bytes())?;
                let bindings = ReduceByKeyBindings {
                    input: memory.needed(0)?,
                    output: memory.needed(1)?,
                    scratch: memory.range(2)?,
                    count: memory.range(3)?,
                    keys: memory.needed(4)?,
                    key_output: memory.needed(5)?,
                    runs: memory.needed(6)?,
                };
                memory.run(context, &plan, &bindings)?;
                memory.check_guards()?;
                let live = count.min(MOST);
                let (want_keys, want) =
                    reference::reduce_by_key(Op::Sum, &keys.take(0..live), &input.take(0..live), Nan::Propagate, false)?;
                let runs: u32 = bytemuck::pod_read_unaligned(&memory.read(6)?);
                ensure(runs as usize == want.len(), || format!("{}: {runs} runs instead of {}", label(), want.len()))?;
                for (index, right) in [(1, want.to_bytes()), (5, want_keys.to_bytes())] {
                    ensure(memory.read(index)?[..right.len()] == right, || format!("{}: buffer {index} is wrong", label()))?;
                }
            }
        }
    }
    Ok(())
}
