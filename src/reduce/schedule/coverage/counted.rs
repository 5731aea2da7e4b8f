//! Axes whose length the device counts: what may be counted, and the arithmetic of `glsl/reduce/interface.glsl` that goes by it.

use super::cases::{FORBID_LAST_ARRIVAL, able_device, shapes, target};
use super::memory::Memory;
use super::{Layout, Target};
use crate::reduce::{Reduce, ReduceOp};
use crate::{DType, Error, Path};

/// What a device might count; any number where it does not.
pub(super) fn counts(reduce: &Reduce, layout: Layout) -> Vec<u32> {
    if !reduce.counted {
        return vec![u32::MAX];
    }
    let most = layout.count as u32;
    let mut counts = vec![0, 1, 2, most / 3, most / 2, most.saturating_sub(1), most, most.saturating_add(1), u32::MAX];
    counts.dedup();
    counts
}

/// `axis_count` and `piece_count`.
pub(super) fn piece_count(memory: &Memory<'_>, counted: u32, total: u32, word: u32, base: u32, most: u32) -> u32 {
    if counted == 0 {
        return most;
    }
    let axis_count = memory.count(word).min(total);
    (axis_count.max(base) - base).min(most)
}

/// `share_of`.
pub(super) fn share_of(counted: u32, work: u32, parts: u32, grain: u32, planned: u32) -> u32 {
    if counted == 0 || parts == 1 { planned } else { work.div_ceil(parts).max(1).next_multiple_of(grain) }
}

#[test]
fn counted_lengths_are_covered_on_every_lowered_limit() {
    let lower: [fn(&mut Target); 5] = [
        |_| {},
        |target| target.capabilities.limits.max_storage_buffer_range = 4096,
        |target| target.capabilities.limits.max_compute_work_group_count = [7, 11, 300],
        |target| target.capabilities.limits.max_compute_work_group_invocations = 32,
        |target| target.quirks = vec![&FORBID_LAST_ARRIVAL],
    ];
    for lower in lower {
        for path in Path::ALL {
            let mut target = target(able_device(8), Some(path));
            lower(&mut target);
            for (op, dtype) in [(ReduceOp::Sum, DType::U32), (ReduceOp::Max, DType::F16), (ReduceOp::Var, DType::F64)] {
                for (shape, axis) in shapes() {
                    let reduce = Reduce { axis, ..Reduce::new(op, dtype, &shape) }.counted();
                    match target.check(&reduce) {
                        // There is a count wherever something is read.
                        Ok(schedule) => assert_eq!(schedule.count_offset.is_some(), !shape.contains(&0), "{reduce:?}"),
                        Err(Error::EmptyReduction { .. }) if op.needs_elements() && shape.contains(&0) => {}
                        Err(error) => panic!("{reduce:?}: {error}"),
                    }
                }
            }
        }
    }
}
