//! Where a device's limits end and the work does not.

use libtest_mimic::Failed;
use wavelane::device::Capabilities;
use wavelane::{DType, Error, Path, ReduceOp, SegmentedReduce, Tensor};

use super::check::{Checked, check};
use super::context;
use super::data::{Pattern, values};
use super::harness::gpu::{ensure, lowered, short_descriptors};
use super::harness::{Case, every, narrowed};
use super::segments::Division;

pub fn cases() -> Vec<Case> {
    narrowed(vec![
        Case::new("limits::storage_range_of_32_kib", |_| narrow(|capabilities| capabilities.limits.max_storage_buffer_range = 1 << 15)),
        Case::new("limits::offsets_of_1_kib", |_| {
            narrow(|capabilities| {
                capabilities.limits.max_storage_buffer_range = 1 << 15;
                capabilities.limits.min_storage_buffer_offset_alignment = 1024;
            })
        }),
        Case::new("limits::7_workgroups_in_x", |_| {
            narrow(|capabilities| capabilities.limits.max_compute_work_group_count = [7, 65_535, 1])
        }),
        Case::new("limits::workgroups_of_32", |_| narrow(|capabilities| capabilities.limits.max_compute_work_group_invocations = 32)),
        Case::new("limits::offsets_out_of_reach", |_| out_of_reach()),
        Case::new("limits::input_longer_than_a_descriptor", |_| long_input()),
    ])
}

/// The driver's device with a limit lowered further than any real one, so that small arrays meet it.
fn narrow(lower: fn(&mut Capabilities)) -> Result<(), Failed> {
    let profile = lowered(lower)?;
    for (side, path) in [Path::SharedMemory, Path::Shuffle].into_iter().enumerate() {
        let context = context(Some(path), Some(profile.clone()))?;
        // One operator for each kind of state; f16 and any have results wider than their elements.
        let pairs = [
            (ReduceOp::Sum, DType::U32),
            (ReduceOp::Sum, DType::F32),
            (ReduceOp::Any, DType::F16),
            (ReduceOp::Var, DType::I32),
            (ReduceOp::Var, DType::F64),
            (ReduceOp::ArgMax, DType::I64),
        ];
        for (number, (op, dtype)) in pairs.into_iter().enumerate() {
            // Each by one path or the other: pipelines are what costs time.
            if !(number + side).is_multiple_of(2) && !every() {
                continue;
            }
            for division in [Division::Random, Division::Even(1000), Division::Huge, Division::Within, Division::Whole, Division::Empty] {
                let reduce = SegmentedReduce::new(op, dtype, 40_011, 0);
                let values = values(dtype, 40_011, Pattern::Random, false, 11);
                let offsets = division.offsets(40_011, 3);
                // Those of one must be in reach.
                if offsets.len() > 4000 {
                    continue;
                }
                let checked = check(&context, &reduce, &values, &offsets)?;
                ensure(checked == Checked::Equal || dtype.size() == 8, || format!("{reduce:?} did not run"))?;
            }
        }
    }
    Ok(())
}

/// Offsets and results must be in one descriptor's reach.
fn out_of_reach() -> Result<(), Failed> {
    let profile = lowered(|capabilities| capabilities.limits.max_storage_buffer_range = 1 << 15)?;
    let context = context(None, Some(profile))?;
    for (segments, what) in [(8192, "offsets of 32772 bytes"), (5000, "results of 40000 bytes")] {
        let reduce = SegmentedReduce::new(ReduceOp::Sum, DType::U32, 8, segments).wide();
        let offsets = Tensor::from_slice(&vec![0u32; segments + 1], &[segments + 1])?;
        match context.segmented_reduce(&reduce, &Tensor::from_slice(&[1u32; 8], &[8])?, &offsets) {
            Err(error @ Error::Unplannable { .. }) => ensure(error.to_string().starts_with(what), || error.to_string())?,
            other => return Err(format!("{segments} segments: {other:?}").into()),
        }
    }
    Ok(())
}

/// Half as much again as a descriptor reaches: a segment across the border, and many.
fn long_input() -> Result<(), Failed> {
    let (profile, reach) = short_descriptors()?;
    let count = reach / 4 / 2 * 3;
    let value = |index: usize| (index as u32).wrapping_mul(2_654_435_761) >> 7;
    let context = context(None, Some(profile))?;
    let input = Tensor::from_slice(&(0..count).map(value).collect::<Vec<u32>>(), &[count])?;
    for offsets in [vec![3, count as u32 - 1], (0..=count as u32 / 1049).map(|k| k * 1048 + k % 13).collect::<Vec<u32>>()] {
        let reduce = SegmentedReduce::new(ReduceOp::Sum, DType::U32, count, offsets.len() - 1);
        let outcome = context.segmented_reduce(&reduce, &input, &Tensor::from_slice(&offsets, &[offsets.len()])?)?;
        let got: Vec<u32> = outcome.tensor.to_vec()?;
        for (segment, pair) in offsets.windows(2).enumerate() {
            let want = (pair[0]..pair[1]).fold(0u32, |sum, index| sum.wrapping_add(value(index as usize)));
            ensure(got[segment] == want, || format!("segment {segment} of {} is wrong\n{}", got.len(), outcome.plan.explain()))?;
        }
    }
    Ok(())
}
