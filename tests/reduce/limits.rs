//! Where a device's limits end and the work does not.

use libtest_mimic::Failed;
use wavelane::device::Capabilities;
use wavelane::{Context, DType, Reduce, ReduceOp, Tensor};

use super::check::{Checked, check};
use super::context;
use super::data::{Pattern, values};
use super::harness::gpu::{ensure, lowered, short_descriptors};
use super::harness::{Case, every, narrowed};

pub fn cases() -> Vec<Case> {
    narrowed(vec![
        Case::new("limits::storage_range_of_4_kib", |_| narrow(|capabilities| capabilities.limits.max_storage_buffer_range = 4096)),
        Case::new("limits::offsets_of_1_kib", |_| {
            narrow(|capabilities| {
                capabilities.limits.max_storage_buffer_range = 1 << 14;
                capabilities.limits.min_storage_buffer_offset_alignment = 1024;
            })
        }),
        Case::new("limits::7_workgroups_in_x", |_| {
            narrow(|capabilities| capabilities.limits.max_compute_work_group_count = [7, 65_535, 1])
        }),
        Case::new("limits::workgroups_of_32", |_| narrow(|capabilities| capabilities.limits.max_compute_work_group_invocations = 32)),
        Case::new("limits::input_longer_than_a_descriptor", |_| long_input()),
        Case::new("limits::more_than_65535_workgroups", |_| many_workgroups()),
    ])
}

/// The driver's device with a limit lowered further than any real one, so that small arrays meet it.
fn narrow(lower: fn(&mut Capabilities)) -> Result<(), Failed> {
    let profile = lowered(lower)?;
    for path in wavelane::Path::ALL {
        let context = context(Some(path), Some(profile.clone()))?;
        // One operator for each state; f16 and any have results wider than their elements, f64 results wider than integers.
        let pairs = [
            (ReduceOp::Sum, DType::U32),
            (ReduceOp::Sum, DType::F32),
            (ReduceOp::Max, DType::F16),
            (ReduceOp::Any, DType::F16),
            (ReduceOp::Mean, DType::I32),
            (ReduceOp::Var, DType::I32),
            (ReduceOp::Var, DType::F64),
            (ReduceOp::ArgMin, DType::F32),
            (ReduceOp::ArgMax, DType::I64),
            (ReduceOp::Xor, DType::U64),
        ];
        for (number, (op, dtype)) in pairs.into_iter().enumerate() {
            let shapes = [
                (vec![20_011], None),
                (vec![3, 5000], Some(0)),
                (vec![3, 5000], Some(1)),
                (vec![5003, 3], Some(0)),
                (vec![5003, 3], Some(1)),
                (vec![7, 1500, 2], Some(1)),
                (vec![40, 9, 50], Some(1)),
                (vec![900, 17], Some(1)),
            ];
            for (turn, (shape, axis)) in shapes.into_iter().enumerate() {
                // Every state with every shape, by one path or another: what is lowered here has no part in how lanes exchange.
                if !(number + turn + path as usize).is_multiple_of(3) && !every() {
                    continue;
                }
                let reduce = Reduce { axis, ..Reduce::new(op, dtype, &shape) };
                let values = values(dtype, shape.iter().product(), Pattern::Random, false, 11);
                let checked = check(&context, &reduce, &values)?;
                ensure(checked == Checked::Equal || dtype.size() == 8, || format!("{reduce:?} did not run"))?;
            }
        }
    }
    Ok(())
}

/// The value of element `index` of the large arrays.
fn large(index: usize) -> u32 {
    (index as u32).wrapping_mul(2_654_435_761) >> 7
}

fn reduce_large(context: &Context, reduce: Reduce, expected: &[u32]) -> Result<(), Failed> {
    let count: usize = reduce.shape.iter().product();
    let elements: Vec<u32> = (0..count).map(large).collect();
    let outcome = context.reduce(&reduce, &Tensor::from_slice(&elements, &reduce.shape)?)?;
    let got: Vec<u32> = outcome.tensor.to_vec()?;
    ensure(got == expected, || {
        let differ = got.iter().zip(expected).position(|(got, want)| got != want);
        format!("{reduce:?}: {} results, the first wrong one at {differ:?}\n{}", got.len(), outcome.plan.explain())
    })
}

/// Half as much again as a descriptor reaches: whole, long rows, long columns, and a line of columns longer than one reaches.
fn long_input() -> Result<(), Failed> {
    let (profile, reach) = short_descriptors()?;
    let count = reach / 4 / 2 * 3;
    let context = context(None, Some(profile))?;
    let sum = |indices: &mut dyn Iterator<Item = usize>| indices.fold(0u32, |sum, index| sum.wrapping_add(large(index)));
    reduce_large(&context, Reduce::new(ReduceOp::Sum, DType::U32, &[count]), &[sum(&mut (0..count))])?;
    let half = count / 2;
    let rows = [sum(&mut (0..half)), sum(&mut (half..count))];
    reduce_large(&context, Reduce::new(ReduceOp::Sum, DType::U32, &[2, half]).along(1), &rows)?;
    let columns = [sum(&mut (0..count).step_by(2)), sum(&mut (1..count).step_by(2))];
    reduce_large(&context, Reduce::new(ReduceOp::Sum, DType::U32, &[half, 2]).along(0), &columns)?;
    let pairs: Vec<u32> = (0..half).map(|column| large(column).wrapping_add(large(half + column))).collect();
    reduce_large(&context, Reduce::new(ReduceOp::Sum, DType::U32, &[2, half]).along(0), &pairs)?;
    let first = (0..count).max_by_key(|&index| (large(index), std::cmp::Reverse(index))).unwrap_or(0) as u32;
    reduce_large(&context, Reduce::new(ReduceOp::ArgMax, DType::U32, &[count]), &[first])
}

/// More workgroups than Vulkan promises in one dimension.
fn many_workgroups() -> Result<(), Failed> {
    const ROWS: usize = 600_000;
    // Small ones, so that it does not take millions of rows.
    let context = context(None, Some(lowered(|capabilities| capabilities.limits.max_compute_work_group_invocations = 8)?))?;
    let reduce = Reduce::new(ReduceOp::Sum, DType::U32, &[ROWS, 2]).along(1);
    let input = Tensor::from_slice(&(0..2 * ROWS).map(large).collect::<Vec<_>>(), &reduce.shape)?;
    let outcome = context.reduce(&reduce, &input)?;
    let workgroups: u64 = outcome.plan.schedule().steps.iter().map(|step| step.groups.iter().map(|&n| u64::from(n)).product::<u64>()).sum();
    ensure(workgroups > 65_535, || format!("only {workgroups} workgroups"))?;
    let expected: Vec<u32> = (0..ROWS).map(|row| large(2 * row).wrapping_add(large(2 * row + 1))).collect();
    ensure(outcome.tensor.to_vec::<u32>()? == expected, || "wrong sums".into())
}
