//! Keys around a place of the order of rows, and where they stood, against the CPU twin: bit for bit.

use libtest_mimic::Failed;
use wavelane::{Context, DType, Kernel, OrderStrategy, PartitionAt, Tensor};
use wavelane_reference::{self as reference, Values};

use super::data::tensor;
use super::harness::gpu::ensure;
use super::harness::{self, Case, every};
use super::keys::Keys;
use super::support::{context, difference, on_each_path, on_narrow_devices};
use super::{axis, refused, strategies};

pub fn cases() -> Vec<Case> {
    let named = |cases: Vec<Case>| cases.into_iter().map(|case| case.within("partition_at"));
    let mut cases: Vec<Case> = named(on_each_path("types", types)).collect();
    cases.extend(named(on_narrow_devices(narrow)));
    cases.push(Case::new("partition_at::lengths", |_| lengths(&context(None, None)?)));
    cases.push(Case::new("partition_at::rows", |_| rows(&context(None, None)?)));
    cases.push(Case::new("partition_at::repeats", |_| repeats(&context(None, None)?)));
    cases.push(Case::new("partition_at::refusals", |_| refusals(&context(None, None)?)));
    cases.extend(named(harness::gpu::restricted(|profile| restricted(&context(None, Some(profile))?))));
    cases
}

fn check(context: &Context, partition: &PartitionAt, values: &Values) -> Result<(), Failed> {
    let along = axis(partition.flattened, &partition.shape);
    let places = reference::partition_places(values, &partition.shape, along, partition.place)?;
    let length = if partition.flattened { values.len() } else { partition.shape.last().copied().unwrap_or(1) };
    let outcome = context.partition_at(partition, &tensor(partition.dtype, &partition.shape, values)?)?;
    let found = &outcome.tensor;
    let compare = |what: &str, got: &Option<Tensor>, want: Values, size: usize| {
        let Some(got) = got else { return Ok(()) };
        ensure(got.shape() == partition.result_shape(), || format!("{partition:?}: {:?}", got.shape()))?;
        match difference(got.bytes(), &want.to_bytes(), size) {
            None => Ok(()),
            Some(why) => Err(Failed::from(format!("{what} of {partition:?}: {why}\n{}", outcome.plan.explain()))),
        }
    };
    ensure(found.keys.is_some() == partition.keys && found.positions.is_some() == partition.positions, || format!("{found:?}"))?;
    let positions = Values::U32(places.iter().map(|&place| (place % length.max(1)) as u32).collect());
    compare("keys", &found.keys, values.take(places), partition.dtype.size() as usize)?;
    compare("positions", &found.positions, positions, 4)
}

/// Keys, positions, or both, by turns.
fn by_turn(turn: usize, dtype: DType, shape: &[usize], place: usize) -> PartitionAt {
    match turn % 3 {
        0 => PartitionAt::new(dtype, shape, place).with_positions(),
        1 => PartitionAt::new(dtype, shape, place),
        _ => PartitionAt::positions(dtype, shape, place),
    }
}

/// Every type, with keys of every kind and by each strategy.
fn types(context: &Context) -> Result<(), Failed> {
    let mut turn = 0;
    for dtype in DType::ALL {
        for keys in Keys::of(dtype) {
            turn += 1;
            let (length, strategy) =
                [(3011, OrderStrategy::Parts), (3011, OrderStrategy::Rows), (251, OrderStrategy::Comparisons)][turn % 3];
            let place = [0, length / 2, length - 1, length / 3][turn % 4];
            let partition = by_turn(turn / 3, dtype, &[length], place).with_strategy(strategy);
            check(context, &partition, &keys.values(dtype, length, 1))?;
        }
    }
    Ok(())
}

/// Each strategy, with keys of one word, of half a one and of two.
fn restricted(context: &Context) -> Result<(), Failed> {
    for dtype in [DType::U32, DType::F16, DType::I64] {
        for (shape, strategy) in
            [(&[10_007][..], OrderStrategy::Parts), (&[7, 2003], OrderStrategy::Rows), (&[40, 251], OrderStrategy::Comparisons)]
        {
            let place = shape[shape.len() - 1] / 2;
            let partition = PartitionAt::new(dtype, shape, place).with_positions().with_strategy(strategy);
            check(context, &partition, &Keys::Few.values(dtype, shape.iter().product(), 9))?;
        }
    }
    Ok(())
}

/// Lengths around everything that is a size somewhere, and every place of one.
fn lengths(context: &Context) -> Result<(), Failed> {
    for (turn, length) in [1, 2, 9, 255, 256, 257, 2047, 2049, 10_007, 65_537, 140_009].into_iter().enumerate() {
        for dtype in [DType::F32, [DType::U8, DType::F16, DType::I64][turn % 3]] {
            for (turn, keys) in [Keys::Random, Keys::Few].into_iter().enumerate() {
                let values = keys.values(dtype, length, 2);
                for strategy in strategies(length) {
                    check(context, &by_turn(turn, dtype, &[length], length / 3).with_strategy(strategy), &values)?;
                }
                check(context, &by_turn(turn, dtype, &[length], length - 1), &values)?;
            }
        }
    }
    let values = Keys::Few.values(DType::I32, 300, 3);
    for place in (0..300).step_by(if every() { 1 } else { 23 }) {
        check(context, &PartitionAt::new(DType::I32, &[300], place), &values)?;
    }
    Ok(())
}

/// Rows of every length, few and many, that begin anywhere in words and wide loads.
fn rows(context: &Context) -> Result<(), Failed> {
    let shapes: [&[usize]; 9] = [&[1, 5], &[5, 1], &[7, 13], &[301, 3], &[3, 5001], &[41, 257], &[2, 3, 999], &[0, 4], &[1001, 33]];
    for (turn, shape) in shapes.into_iter().enumerate() {
        let length = shape[shape.len() - 1];
        let count: usize = shape.iter().product();
        for dtype in [DType::U32, [DType::U8, DType::F16, DType::F64][turn % 3]] {
            for strategy in strategies(length) {
                // A schedule of parts takes its dispatches for every few rows.
                if strategy == OrderStrategy::Parts && shape[0] > 100 {
                    continue;
                }
                let partition = by_turn(turn, dtype, shape, length / 2).with_strategy(strategy);
                check(context, &partition, &Keys::Few.values(dtype, count, 5))?;
            }
            if count > 0 {
                check(context, &by_turn(turn, dtype, shape, count / 2).flattened(), &Keys::Random.values(dtype, count, 6))?;
            }
        }
    }
    check(context, &PartitionAt::new(DType::F16, &[], 0).with_positions(), &Keys::Few.values(DType::F16, 1, 6))
}

/// Limits of the device lowered, so that keys go in pieces, rows in turns, and results window by window.
fn narrow(context: &Context) -> Result<(), Failed> {
    for dtype in [DType::U8, DType::F16, DType::I32, DType::F64] {
        for (turn, (shape, place)) in
            [(&[3][..], 1), (&[20_011], 7), (&[20_011], 15_000), (&[7, 2003], 1001), (&[300, 131], 65), (&[2, 9001], 100)]
                .into_iter()
                .enumerate()
        {
            let count = shape.iter().product();
            let length = shape[shape.len() - 1];
            for strategy in strategies(length) {
                let are_long = length as u64 * dtype.size().max(4) > 16 << 10;
                if (strategy == OrderStrategy::Rows && are_long) || (strategy == OrderStrategy::Parts && shape[0] == 300) {
                    continue;
                }
                check(context, &by_turn(turn, dtype, shape, place).with_strategy(strategy), &Keys::Few.values(dtype, count, 7))?;
            }
            check(context, &PartitionAt::new(dtype, shape, place).with_positions(), &Keys::Random.values(dtype, count, 8))?;
        }
    }
    Ok(())
}

fn repeats(context: &Context) -> Result<(), Failed> {
    for strategy in [OrderStrategy::Rows, OrderStrategy::Parts] {
        let partition = PartitionAt::new(DType::F32, &[40_009], 20_000).with_positions().with_strategy(strategy);
        let keys = tensor(partition.dtype, &partition.shape, &Keys::Few.values(partition.dtype, 40_009, 8))?;
        let first = context.partition_at(&partition, &keys)?.tensor;
        for run in 1..50 {
            ensure(context.partition_at(&partition, &keys)?.tensor == first, || format!("run {run} of {strategy:?} has other bits"))?;
        }
    }
    Ok(())
}

fn refusals(context: &Context) -> Result<(), Failed> {
    let keys = Tensor::from_slice(&[3u32, 1, 2], &[3])?;
    let of = |partition: PartitionAt| context.partition_at(&partition, &keys).err();
    refused("place 3", of(PartitionAt::new(DType::U32, &[3], 3)), "the key at place 3 was asked for of rows of 3")?;
    refused("another type", of(PartitionAt::new(DType::F32, &[3], 0)), "f32")?;
    let long = PartitionAt::new(DType::U8, &[257], 1).with_strategy(OrderStrategy::Comparisons);
    refused("long rows", long.schedule(context.device().capabilities(), &[], None).err(), "257")
}
