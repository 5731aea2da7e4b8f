//! As many segments as the device counts: their results, and the bytes of the others as they were.

use libtest_mimic::Failed;
use wavelane::device::Profile;
use wavelane::{Context, DType, Kernel, Path, Pipelines, ReduceOp, SegmentedReduce, SegmentedReduceBindings, Tensor};
use wavelane_reference::{self as reference, Element, Nan, Op, Segments};

use super::data::{Pattern, values};
use super::guarded::{GUARD, Memory};
use super::harness::Case;
use super::harness::gpu::ensure;
use super::segments::Division;
use super::{context, twin};

pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for path in Path::ALL {
        cases.push(
            Case::new(format!("counted::{path}"), move |_| counted(&context(Some(path), None)?))
                .without_subgroups(path == Path::SharedMemory),
        );
    }
    cases.push(Case::new("counted::in_pieces", |_| {
        let mut capabilities = context(None, None)?.device().capabilities().clone();
        // Elements of several bindings: a piece may lie behind the last segment that there is.
        capabilities.limits.max_storage_buffer_range = 20 << 10;
        let profile = Profile { name: "narrow".into(), source: "a limit lowered by a test".into(), capabilities };
        counted(&context(None, Some(profile))?)
    }));
    cases
}

fn counted(context: &Context) -> Result<(), Failed> {
    let pipelines = Pipelines::new(context.device());
    for (op, twin_op, dtype) in [(ReduceOp::Sum, Op::Sum, DType::U32), (ReduceOp::Mean, Op::Mean, DType::F32)] {
        for division in [Division::Even(16), Division::Random, Division::Within] {
            for length in [1, 1021, 10_007] {
                let offsets = division.offsets(length, 7);
                let most = offsets.len() - 1;
                let input = values(dtype, length, Pattern::Random, false, 1);
                let reduce = SegmentedReduce::new(op, dtype, length, most).counted();
                let plan = reduce.plan_with(&pipelines, context.path())?;
                for count in [0, 1, most / 3, most.saturating_sub(1), most, most + 9] {
                    let label = || format!("{division:?}, {count} of {most}: {}", plan.explain());
                    let memory = Memory::new(context, &plan)?;
                    memory.write(0, &input.to_bytes())?;
                    // What no segment tells of must not matter.
                    let live = count.min(most);
                    let told: Vec<u32> = offsets.iter().enumerate().map(|(at, &end)| if at <= live { end } else { u32::MAX - 9 }).collect();
                    memory.write(3, bytemuck::cast_slice(&told))?;
                    memory.write(4, bytemuck::bytes_of(&(count as u32)))?;
                    let bindings = SegmentedReduceBindings {
                        input: memory.range(0)?,
                        output: memory.needed(1)?,
                        scratch: memory.range(2)?,
                        told: memory.range(3)?,
                        count: memory.range(4)?,
                        found: None,
                    };
                    memory.run(context, &plan, &bindings)?;
                    memory.check_guards()?;
                    let (got, untouched) = (memory.read(1)?, GUARD);
                    let (written, left) = got.split_at(4 * live);
                    ensure(left.iter().all(|&byte| byte == untouched), || format!("{}: results beyond the count", label()))?;
                    let segments = Segments::Offsets(&offsets[..=live]);
                    let right = reference::segmented_reduce(twin_op, &input, &segments, Nan::Propagate, false)?;
                    let bounds = reference::segmented_reduce_bound(twin_op, &input, &segments, Nan::Propagate, Element::F32)?;
                    let got = Tensor::new(dtype, vec![live], written.to_vec())?;
                    twin::compare(&got, &right, &bounds).map_err(|why| format!("{}: {why}", label()))?;
                }
            }
        }
    }
    Ok(())
}
