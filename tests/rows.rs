//! Selections, partitions and runs of arrays in rows, on every driver and path, against the CPU twins.

#[path = "rows/check.rs"]
mod check;
#[allow(dead_code, reason = "not every test takes all patterns")]
#[path = "reduce/data.rs"]
mod data;
mod harness;
#[path = "rows/recorded.rs"]
mod recorded;
#[path = "select/support.rs"]
mod support;

use std::process::ExitCode;

use data::{Pattern, tensor, values};
use harness::Case;
use harness::gpu::ensure;
use libtest_mimic::Failed;
use support::{Density, Runs, STRATEGIES, context, on_each_path, on_narrow_devices};
use wavelane::{
    Compare, Condition, Context, DType, Error, Kernel, MaskForm, Partition, ReduceByKey, ReduceOp, Scalar, ScanStrategy, Select, Tensor,
    Unique,
};
use wavelane_reference as reference;

fn main() -> ExitCode {
    let mut cases = on_each_path("shapes", shapes);
    cases.extend(on_each_path("types", types));
    cases.extend(on_narrow_devices(narrow));
    cases.push(Case::new("repeats", |_| repeats(&context(None, None)?)));
    cases.push(Case::new("stalled_tile", |_| recorded::stalled_tile(&context(None, None)?)));
    cases.push(Case::new("counted", |driver| recorded::counted(&context(None, None)?, driver)));
    cases.push(Case::new("counted::as_minimal", |driver| recorded::counted(&context(None, Some(support::minimal()?))?, driver)).narrowed());
    cases.push(Case::new("reduced_by_run", |_| reduced_by_run(&context(None, None)?)));
    cases.push(Case::new("one_row", |_| one_row(&context(None, None)?)));
    cases.push(Case::new("refusals", |_| refusals(&context(None, None)?)));
    harness::main(cases)
}

/// Lengths of rows, and how many: around wide loads and tiles of workgroups of 128 (1024 elements of 64 bits, 2048 of 32, 4096 of others).
const SHAPES: [(usize, usize); 24] = [
    (0, 0),
    (5, 0),
    (1, 1),
    (1, 777),
    (2, 2049),
    (3, 1),
    (3, 5001),
    (4, 1024),
    (5, 1639),
    (7, 2341),
    (8, 513),
    (9, 455),
    (16, 600),
    (255, 33),
    (257, 40),
    (1023, 17),
    (1024, 8),
    (1025, 9),
    (2047, 5),
    (2048, 4),
    (2049, 9),
    (4095, 3),
    (4097, 5),
    (65_537, 1),
];

fn shapes(context: &Context) -> Result<(), Failed> {
    let mut turn = 0;
    for (at, (row_length, rows)) in SHAPES.into_iter().enumerate() {
        for dtype in [[DType::U8, DType::F16][at % 2], DType::U32, DType::F64] {
            let len = row_length * rows;
            let values = values(dtype, len, Pattern::Random, false, 1);
            // Each shape has two of the strategies, so that all of them meet all kinds of shapes.
            for _ in 0..2 {
                turn += 1;
                let strategy = STRATEGIES[turn / 3 % 4];
                let form = if turn % 2 == 0 { MaskForm::Words } else { MaskForm::Bytes };
                let mask = Density::ALL[turn / 2 % 4].mask(len);
                let select = Select { strategy, positions: turn % 3 == 0, ..Select::new(Condition::Mask(form), dtype, len) };
                check::select(context, &select.in_rows(row_length), &values, &mask)?;
                let partition = Partition { strategy, ..Partition::new(Condition::Mask(form), dtype, len) };
                check::partition(context, &partition.in_rows(row_length), &values, &mask)?;
                let runs =
                    Unique { strategy, first: turn % 2 == 0, inverse: turn % 3 == 0, counts: turn % 5 > 0, ..Unique::runs(dtype, len) };
                check::runs(context, &runs.in_rows(row_length), &Runs::ALL[turn % 4].values(dtype, len))?;
            }
        }
    }
    Ok(())
}

/// Every type, by comparisons, in rows that begin anywhere in wide loads.
fn types(context: &Context) -> Result<(), Failed> {
    for (turn, dtype) in DType::ALL.into_iter().enumerate() {
        for (row_length, rows) in [(3, 3001), (4999, 2)] {
            let len = row_length * rows;
            let values = values(dtype, len, Pattern::Ties, false, 2);
            let pivot = support::pivots(dtype)[0];
            let compare = Compare::ALL[turn % 6];
            let mask = reference::matches(&values, support::twin_compare(compare), &support::twin_value(pivot)?)?;
            let condition = Condition::Compare(compare, pivot);
            for strategy in [None, Some(ScanStrategy::SinglePass)] {
                let select = Select { strategy, ..Select::new(condition, dtype, len) };
                check::select(context, &select.clone().in_rows(row_length), &values, &mask)?;
                check::select(context, &select.positions().in_rows(row_length), &values, &mask)?;
                let partition = Partition { strategy, ..Partition::new(condition, dtype, len) };
                check::partition(context, &partition.in_rows(row_length), &values, &mask)?;
            }
            check::runs(context, &Unique::runs(dtype, len).with_counts().in_rows(row_length), &values)?;
        }
    }
    Ok(())
}

/// Pieces of the input, and parts of the output, that begin in the middle of rows.
fn narrow(context: &Context) -> Result<(), Failed> {
    for dtype in [DType::U8, DType::F16, DType::I32, DType::U64] {
        for (row_length, rows) in [(3, 1), (7, 2860), (1000, 33), (33_001, 1)] {
            let len = row_length * rows;
            let values = values(dtype, len, Pattern::Random, false, 11);
            for (density, form) in [(Density::Half, MaskForm::Words), (Density::All, MaskForm::Bytes), (Density::Sparse, MaskForm::Words)] {
                let mask = density.mask(len);
                for positions in [false, true] {
                    let select = Select { positions, ..Select::new(Condition::Mask(form), dtype, len) };
                    check::select(context, &select.in_rows(row_length), &values, &mask)?;
                }
                check::partition(context, &Partition::new(Condition::Mask(form), dtype, len).in_rows(row_length), &values, &mask)?;
            }
            for runs in [Runs::One, Runs::Ties] {
                let unique = Unique::runs(dtype, len).with_counts().with_first().with_inverse().in_rows(row_length);
                check::runs(context, &unique, &runs.values(dtype, len))?;
            }
        }
    }
    Ok(())
}

fn repeats(context: &Context) -> Result<(), Failed> {
    const LEN: usize = 13 * 3001;
    let values = values(DType::U8, LEN, Pattern::Random, false, 17);
    let mask = Density::Half.mask(LEN);
    for strategy in [ScanStrategy::ReduceThenScan, ScanStrategy::SinglePass] {
        let partition = Partition::new(Condition::Mask(MaskForm::Bytes), DType::U8, LEN).with_strategy(strategy).in_rows(13);
        for _ in 0..50 {
            check::partition(context, &partition, &values, &mask)?;
        }
    }
    Ok(())
}

/// Elements beside keys in rows are reduced by the numbers that the runs have.
fn reduced_by_run(context: &Context) -> Result<(), Failed> {
    const LEN: usize = 7 * 1201;
    let keys = Runs::Random.values(DType::U8, LEN);
    let runs = Unique::runs(DType::U8, LEN).with_inverse().in_rows(7);
    let found = context.unique(&runs, &tensor(DType::U8, &[LEN], &keys)?)?.tensor;
    let numbers = found.inverse.ok_or("no inverse")?;
    let elements: Vec<u32> = (0..LEN as u32).map(|at| at.wrapping_mul(2_654_435_761) >> 20).collect();
    let sums = ReduceByKey::new(ReduceOp::Sum, DType::U32, DType::U32, LEN);
    let sums = context.reduce_by_key(&sums, &numbers, &Tensor::from_slice(&elements, &[LEN])?)?.tensor.values.to_vec::<u32>()?;
    let (twin, offsets) = reference::unique_runs_in_rows(&keys, 7)?;
    let mut want = vec![0; twin.counts.len()];
    for (element, run) in elements.iter().zip(twin.inverse) {
        want[run as usize] += element;
    }
    ensure(sums == want, || format!("{} sums, and {} are right", sums.len(), want.len()))?;
    ensure(found.offsets.ok_or("no offsets")?.to_vec::<u32>()? == offsets, || "wrong offsets".into())
}

/// What is not described in rows is one.
fn one_row(context: &Context) -> Result<(), Failed> {
    let input = Tensor::from_slice(&[5u32, 1, 4, 2], &[4])?;
    let small = Condition::Compare(Compare::Lt, Scalar::from(3u32));
    let selected = context.select_in_rows(&Select::new(small, DType::U32, 4), &input, None)?.tensor;
    ensure(selected.results.to_vec::<u32>()? == [1, 2] && selected.offsets.to_vec::<u32>()? == [0, 2], || format!("{selected:?}"))?;
    let parted = context.partition_in_rows(&Partition::new(small, DType::U32, 4), &input, None)?.tensor;
    ensure(parted.results.to_vec::<u32>()? == [1, 2, 5, 4] && parted.offsets.to_vec::<u32>()? == [0, 2], || format!("{parted:?}"))?;
    let runs = context.run_length_encode_in_rows(&Tensor::from_slice(&[7u32, 7, 7, 7], &[2, 2])?, 2)?.tensor;
    ensure(runs.results.lengths.to_vec::<u32>()? == [2, 2] && runs.offsets.to_vec::<u32>()? == [0, 1, 2], || format!("{runs:?}"))
}

fn refusals(context: &Context) -> Result<(), Failed> {
    let device = context.device();
    let says = |made: Result<wavelane::Schedule, Error>, text: &str| -> Result<(), Failed> {
        let error = made.err().ok_or_else(|| format!("no error, and not {text}"))?;
        ensure(error.to_string().contains(text), || format!("{error}, and not {text}"))
    };
    let select = Select::new(Condition::Mask(MaskForm::Bytes), DType::U32, 100);
    let schedule = |select: &Select| select.schedule(device.capabilities(), &[], None);
    says(schedule(&select.clone().in_rows(7)), "rows of 7 elements were asked for in an array of 100, which is no whole number of them")?;
    says(schedule(&select.clone().in_rows(0)), "rows of 0 elements were asked for in an array of 100")?;
    says(schedule(&select.clone().in_rows(200)), "rows of 200 elements were asked for in an array of 100")?;
    let partition = Partition::new(select.condition, DType::U32, 100).in_rows(3);
    says(partition.schedule(device.capabilities(), &[], None), "rows of 3 elements were asked for")?;
    says(Unique::runs(DType::U8, 100).in_rows(3).schedule(device.capabilities(), &[], None), "rows of 3 elements were asked for")?;
    let sorted = Unique::new(DType::U32, 100).in_rows(10);
    says(sorted.schedule(device.capabilities(), &[], None), "sorted unique values were asked for in rows")?;
    // A count for each row has to fit a binding.
    let mut capabilities = device.capabilities().clone();
    capabilities.limits.max_storage_buffer_range = 20 << 10;
    let many = Select { len: 6000, ..select.clone() }.in_rows(1);
    says(many.schedule(&capabilities, &[], None), "scratch with a count for each of 6000 rows does not fit")?;
    let long = Select { len: 10_000_000, strategy: Some(ScanStrategy::OneWorkgroup), ..select.clone() }.in_rows(10);
    says(schedule(&long), "one workgroup was asked for, but it takes at most 256 tiles")?;
    let quirks = [&harness::gpu::FORBIDS];
    let single = Partition { strategy: Some(ScanStrategy::SinglePass), ..partition }.in_rows(10);
    let made = single.schedule(device.capabilities(), &quirks, None);
    says(made, "a single pass was asked for, but workgroups of this device cannot rely")
}
