//! `wavelane run nth`, `wavelane run partition --k`, `wavelane run median` and `wavelane run quantile`.

use wavelane::{DType, Error, Median, NthElement, PartitionAt, Quantile, Tensor};

use super::context_options;
use super::session::{Session, moved, moved_tensor, write};
use super::top_k::{WHOLE, is_flat, keys_and_positions};
use crate::arguments::{Global, MedianOptions, NthOptions, QuantileOptions, RunMedian, RunNth, RunQuantile, SortAxis};
use crate::compaction::RunPartition;
use crate::npy::{self, Array, Kind};
use crate::report::{Ending, Failure};

pub fn nth(global: &Global, arguments: &RunNth) -> Result<Ending, Failure> {
    let options = context_options(global)?;
    let array = npy::read(&arguments.input)?;
    let kind = array.kind;
    let nth = describe_nth(&arguments.options, moved(kind), &array.shape)?;
    let keys = moved_tensor(array)?;
    let session = Session::open(global, &options)?;
    let found = session.finish(session.context.nth_element(&nth, &keys))?;
    // One place is asked for, and is no axis.
    let shape = found.shape()[1..].to_vec();
    write(arguments.output.as_deref(), &Array { kind, shape, bytes: found.bytes().to_vec() })
}

pub fn partition_at(global: &Global, arguments: &RunPartition, k: i64) -> Result<Ending, Failure> {
    let options = context_options(global)?;
    let array = npy::read(&arguments.input)?;
    let kind = array.kind;
    let mut partition = describe_partition(k, arguments.axis, moved(kind), &array.shape)?;
    partition.positions = arguments.out_indices.is_some();
    let keys = moved_tensor(array)?;
    let session = Session::open(global, &options)?;
    let found = session.finish(session.context.partition_at(&partition, &keys))?;
    let paths = [arguments.output.as_deref(), arguments.out_indices.as_deref()];
    keys_and_positions(paths, kind, partition.result_shape(), found.keys, found.positions)
}

pub fn median(global: &Global, arguments: &RunMedian) -> Result<Ending, Failure> {
    let options = context_options(global)?;
    let array = npy::read(&arguments.input)?;
    let kind = array.kind;
    let median = describe_median(&arguments.options, moved(kind), &array.shape)?;
    let keys = moved_tensor(array)?;
    let session = Session::open(global, &options)?;
    let found = session.finish(session.context.median(&median, &keys))?;
    let kind = if median.dtype.is_float() { kind } else { Kind::F64 };
    write(arguments.output.as_deref(), &of(kind, &found, found.shape()))
}

pub fn quantile(global: &Global, arguments: &RunQuantile) -> Result<Ending, Failure> {
    let options = context_options(global)?;
    let array = npy::read(&arguments.input)?;
    if array.kind == Kind::Bool {
        return Err(Failure::new(
            "quantiles lie between numbers, and elements are bool".to_owned(),
            "convert them first: wavelane run convert".to_owned(),
        ));
    }
    let quantile = describe_quantile(&arguments.options, moved(array.kind), &array.shape)?;
    let keys = moved_tensor(array)?;
    let session = Session::open(global, &options)?;
    let found = session.finish(session.context.quantile(&quantile, &keys))?;
    // One number is no axis.
    let shape = if quantile.q.len() == 1 { &found.shape()[1..] } else { found.shape() };
    write(arguments.output.as_deref(), &of(Kind::F64, &found, shape))
}

fn of(kind: Kind, tensor: &Tensor, shape: &[usize]) -> Array {
    Array { kind, shape: shape.to_vec(), bytes: tensor.bytes().to_vec() }
}

/// What `run` and `explain` have in common.
pub fn describe_nth(options: &NthOptions, dtype: DType, shape: &[usize]) -> Result<NthElement, Failure> {
    let (flattened, place) = place(options.k, options.axis, shape)?;
    Ok(NthElement { flattened, ..NthElement::new(dtype, shape, place) })
}

/// What `run` and `explain` have in common.
pub fn describe_partition(k: i64, axis: Option<SortAxis>, dtype: DType, shape: &[usize]) -> Result<PartitionAt, Failure> {
    let (flattened, place) = place(k, axis, shape)?;
    Ok(PartitionAt { flattened, ..PartitionAt::new(dtype, shape, place) })
}

/// Whether the whole array is one row, and the place in the order of rows that `k` says.
fn place(k: i64, axis: Option<SortAxis>, shape: &[usize]) -> Result<(bool, usize), Failure> {
    let flattened = is_flat(axis, shape.len(), "take rows along the last axis")?;
    let row_length = if flattened { shape.iter().product() } else { shape.last().copied().unwrap_or(1) };
    let place = if k < 0 { k.checked_add_unsigned(row_length as u64).and_then(|k| u64::try_from(k).ok()) } else { Some(k as u64) };
    let place = place.and_then(|place| usize::try_from(place).ok()).filter(|&place| place < row_length);
    // A place that there is none of is said before a device is looked for.
    let place = place.ok_or_else(|| {
        let advice = match row_length {
            0 => "give rows with elements".to_owned(),
            length => format!("use 0 to {}, or -{length} to -1", length - 1),
        };
        Failure::unfit(format!("--k {} is no place of rows of {row_length}", k), advice)
    })?;
    Ok((flattened, place))
}

/// What `run` and `explain` have in common.
pub fn describe_median(options: &MedianOptions, dtype: DType, shape: &[usize]) -> Result<Median, Failure> {
    Ok(Median { flattened: is_whole(options, shape)?, ..Median::new(dtype, shape) })
}

/// What `run` and `explain` have in common.
pub fn describe_quantile(options: &QuantileOptions, dtype: DType, shape: &[usize]) -> Result<Quantile, Failure> {
    let quantile = Quantile { flattened: is_whole(&options.along, shape)?, ..Quantile::new(dtype, shape, &options.q) };
    quantile.neighbours().map_err(|error| match error {
        Error::QuantileRange { .. } => Failure::usage(error.to_string(), error.advice()),
        error => crate::convert::failure(error),
    })?;
    Ok(quantile)
}

/// The whole array is one row if nothing is said, as numpy has it.
fn is_whole(options: &MedianOptions, shape: &[usize]) -> Result<bool, Failure> {
    is_flat(Some(options.axis.unwrap_or(SortAxis::Whole)), shape.len(), WHOLE)
}
