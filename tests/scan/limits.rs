//! Where a device's limits end and the work does not.

use libtest_mimic::Failed;
use wavelane::device::Capabilities;
use wavelane::{DType, Scan, ScanOp, ScanStrategy, Tensor};

use super::check::{Checked, check};
use super::context;
use super::data::{Pattern, values};
use super::harness::gpu::{ensure, lowered, short_descriptors};
use super::harness::{Case, every, narrowed};

pub fn cases() -> Vec<Case> {
    narrowed(vec![
        Case::new("limits::storage_range_of_12_kib", |_| narrow(|capabilities| capabilities.limits.max_storage_buffer_range = 12 << 10)),
        Case::new("limits::offsets_of_1_kib", |_| {
            narrow(|capabilities| {
                capabilities.limits.max_storage_buffer_range = 1 << 14;
                capabilities.limits.min_storage_buffer_offset_alignment = 1024;
            })
        }),
        Case::new("limits::7_workgroups_in_x", |_| {
            narrow(|capabilities| capabilities.limits.max_compute_work_group_count = [7, 65_535, 1])
        }),
        Case::new("limits::workgroups_of_8", |_| narrow(|capabilities| capabilities.limits.max_compute_work_group_invocations = 8)),
        Case::new("limits::input_longer_than_a_descriptor", |_| long_input()),
    ])
}

/// The driver's device with a limit lowered further than any real one, so that small arrays meet it.
fn narrow(lower: fn(&mut Capabilities)) -> Result<(), Failed> {
    let profile = lowered(lower)?;
    for (side, path) in [wavelane::Path::SharedMemory, wavelane::Path::Shuffle].into_iter().enumerate() {
        // Subgroups may not fit a workgroup of 8.
        let context = context(Some(path), Some(profile.clone()))?;
        // Elements as wide as their results, and elements narrower than them; words and pairs of words.
        for (number, (op, dtype)) in
            [(ScanOp::Sum, DType::U32), (ScanOp::Last, DType::F16), (ScanOp::Min, DType::U64)].into_iter().enumerate()
        {
            for (shape, axis) in [
                (vec![20_011], None),
                (vec![3, 500], Some(0)),
                (vec![3, 5000], Some(1)),
                (vec![5003, 3], Some(0)),
                (vec![5003, 3], Some(1)),
                (vec![7, 1500, 2], Some(1)),
            ] {
                for reverse in [false, true] {
                    // Each direction by one path or the other: pipelines are what costs time.
                    if reverse != (number + side).is_multiple_of(2) && !every() {
                        continue;
                    }
                    let scan = Scan { axis, reverse, ..Scan::new(op, dtype, &shape) };
                    let values = values(dtype, shape.iter().product(), Pattern::Random, false, 11);
                    match check(&context, &scan, &values) {
                        Ok(checked) => ensure(checked == Checked::Equal || dtype.size() == 8, || format!("{scan:?} did not run"))?,
                        Err(error)
                            if path == wavelane::Path::Shuffle && error.message().is_some_and(|text| text.contains("full subgroups")) => {}
                        Err(error) => return Err(error),
                    }
                }
            }
        }
        let scan = Scan::new(ScanOp::Sum, DType::U32, &[20_011]).with_strategy(ScanStrategy::SinglePass);
        let values = values(DType::U32, 20_011, Pattern::Random, false, 11);
        match check(&context, &scan, &values) {
            Err(error) if path == wavelane::Path::Shuffle && error.message().is_some_and(|text| text.contains("full subgroups")) => {}
            checked => ensure(checked? == Checked::Equal, || format!("{scan:?} did not run"))?,
        }
    }
    Ok(())
}

/// A tenth more than a descriptor reaches: in both directions and by both strategies.
fn long_input() -> Result<(), Failed> {
    let (profile, reach) = short_descriptors()?;
    let count = reach / 40 * 11;
    let context = context(None, Some(profile))?;
    let elements: Vec<u32> = (0..count).map(|index| (index as u32).wrapping_mul(2_654_435_761) >> 7).collect();
    let forwards: Vec<u32> = elements.iter().scan(0u32, |sum, &x| Some(std::mem::replace(sum, sum.wrapping_add(x)))).collect();
    let mut backwards: Vec<u32> = elements.iter().rev().scan(0u32, |sum, &x| Some(std::mem::replace(sum, sum.wrapping_add(x)))).collect();
    backwards.reverse();
    let flat = Scan::new(ScanOp::Sum, DType::U32, &[count]).exclusive();
    for (scan, right) in [(flat.clone(), &forwards), (flat.with_strategy(ScanStrategy::SinglePass).reverse(), &backwards)] {
        let got: Vec<u32> = context.scan(&scan, &Tensor::from_slice(&elements, &scan.shape)?)?.tensor.to_vec()?;
        let wrong = (0..count).find(|&at| got[at] != right[at]);
        ensure(wrong.is_none(), || format!("{scan:?}: result {wrong:?}"))?;
    }
    Ok(())
}
