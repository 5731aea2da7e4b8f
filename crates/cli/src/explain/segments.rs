//! `wavelane explain segreduce`, `wavelane explain segscan` and `wavelane explain reducebykey`.

use wavelane::{ReduceByKey, SegmentForm, SegmentSource};

use super::capabilities;
use super::show::{extents, show};
use crate::arguments::{ExplainArray, ExplainReduceByKey, ExplainSegmentedReduce, ExplainSegmentedScan, Global};
use crate::convert;
use crate::npy::Kind;
use crate::report::{Ending, Failure};
use crate::run::segments::{check_scan, describe_reduce, describe_scan};
use crate::run::session::shape;
use crate::{numpy, reduction};

pub fn reduce(global: &Global, arguments: &ExplainSegmentedReduce) -> Result<Ending, Failure> {
    let array = &arguments.array;
    numpy::check(arguments.reduce.op.0, Kind::of(array.dtype.0))?;
    reduction::check_wide(arguments.reduce.op.0.name(), array.dtype.0, arguments.reduce.wide)?;
    let (elements, told) = (length(array)?, &arguments.segments);
    let form = match (told.length, told.flags) {
        (Some(each), _) => SegmentForm::Length(each.get()),
        (None, true) => SegmentForm::Flags,
        (None, false) => SegmentForm::Offsets,
    };
    let segments = count(told.segments.unwrap_or(0))?;
    let device = capabilities(global)?;
    let reduce = describe_reduce(&arguments.reduce, convert::dtype(array.dtype.0), elements, (form, segments), &device);
    show(global, &reduce, array.json)
}

pub fn scan(global: &Global, arguments: &ExplainSegmentedScan) -> Result<Ending, Failure> {
    let array = &arguments.array;
    check_scan(&arguments.scan, Kind::of(array.dtype.0))?;
    let told = &arguments.segments;
    let source = match (told.offsets, told.keys) {
        (Some(offsets), _) => SegmentSource::Offsets(count(offsets)?),
        (None, Some(key)) => SegmentSource::Keys(convert::dtype(key.0)),
        (None, None) => told.length.map_or(SegmentSource::Flags, |each| SegmentSource::Length(each.get())),
    };
    show(global, &describe_scan(&arguments.scan, convert::dtype(array.dtype.0), length(array)?, source), array.json)
}

pub fn reduce_by_key(global: &Global, arguments: &ExplainReduceByKey) -> Result<Ending, Failure> {
    let array = &arguments.array;
    let (key, dtype) = (convert::dtype(arguments.key.0), convert::dtype(array.dtype.0));
    numpy::check_by_key(arguments.op.0, Kind::of(array.dtype.0))?;
    reduction::check_wide(arguments.op.0.name(), array.dtype.0, arguments.wide)?;
    let op = convert::reduce_op(arguments.op.0);
    let reduce = ReduceByKey { wide: arguments.wide, ..ReduceByKey::new(op, key, dtype, length(array)?) };
    show(global, &reduce, array.json)
}

fn count(count: u64) -> Result<usize, Failure> {
    Ok(shape(&[count])?[0])
}

/// The elements of an array, whatever its shape.
fn length(array: &ExplainArray) -> Result<usize, Failure> {
    let product = extents(array)?.iter().try_fold(1usize, |product, &extent| product.checked_mul(extent));
    product.ok_or_else(|| Failure::usage("the array has more elements than this machine can address".to_owned(), "give fewer".to_owned()))
}
