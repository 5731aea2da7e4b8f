//! Where a device's limits end and the work does not.

use libtest_mimic::Failed;
use wavelane::device::{Capabilities, Profile};
use wavelane::{DType, Scan, ScanOp, ScanStrategy, Tensor};

use super::check::{Checked, check};
use super::context;
use super::data::{Pattern, values};
use super::harness::Case;
use super::harness::gpu::ensure;

pub fn cases() -> Vec<Case> {
    vec![
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
        Case::new("limits::input_of_140_mib", |_| long_input()),
    ]
}

/// The driver's device with a limit lowered further than any real one, so that small arrays meet it.
fn narrow(lower: fn(&mut Capabilities)) -> Result<(), Failed> {
    let mut capabilities = context(None, None)?.device().capabilities().clone();
    lower(&mut capabilities);
    let profile = Profile { name: "narrow".into(), source: "a limit lowered by a test".into(), capabilities };
    for path in [wavelane::Path::SharedMemory, wavelane::Path::Shuffle] {
        // Subgroups may not fit a workgroup of 8.
        let context = context(Some(path), Some(profile.clone()))?;
        // Elements as wide as their results, and elements narrower than them; words and pairs of words.
        for (op, dtype) in [(ScanOp::Sum, DType::U32), (ScanOp::Last, DType::F16), (ScanOp::Min, DType::U64)] {
            for (shape, axis) in [
                (vec![20_011], None),
                (vec![3, 500], Some(0)),
                (vec![3, 5000], Some(1)),
                (vec![5003, 3], Some(0)),
                (vec![5003, 3], Some(1)),
                (vec![7, 1500, 2], Some(1)),
            ] {
                for reverse in [false, true] {
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

/// 140 MiB, where lavapipe's descriptors reach 128: in both directions and by both strategies.
fn long_input() -> Result<(), Failed> {
    const COUNT: usize = 35 << 20;
    let context = context(None, None)?;
    let elements: Vec<u32> = (0..COUNT).map(|index| (index as u32).wrapping_mul(2_654_435_761) >> 7).collect();
    let forwards: Vec<u32> = elements.iter().scan(0u32, |sum, &x| Some(std::mem::replace(sum, sum.wrapping_add(x)))).collect();
    let mut backwards: Vec<u32> = elements.iter().rev().scan(0u32, |sum, &x| Some(std::mem::replace(sum, sum.wrapping_add(x)))).collect();
    backwards.reverse();
    let flat = Scan::new(ScanOp::Sum, DType::U32, &[COUNT]).exclusive();
    for (scan, right) in [(flat.clone(), &forwards), (flat.with_strategy(ScanStrategy::SinglePass).reverse(), &backwards)] {
        let got: Vec<u32> = context.scan(&scan, &Tensor::from_slice(&elements, &scan.shape)?)?.tensor.to_vec()?;
        let wrong = (0..COUNT).find(|&at| got[at] != right[at]);
        ensure(wrong.is_none(), || format!("{scan:?}: result {wrong:?}"))?;
    }
    Ok(())
}
