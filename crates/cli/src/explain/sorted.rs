//! `wavelane explain` of kernels on sorted arrays.

use wavelane::{Merge, SearchSorted, SetOp, SetOperation};

use super::show::{extents, show};
use crate::arguments::{ExplainMerge, ExplainPair, ExplainSearchSorted, Global};
use crate::convert;
use crate::report::{Ending, Failure};
use crate::run::search::one_dimension;
use crate::run::session::shape;
use crate::run::sort::values_dtype;

pub fn search(global: &Global, arguments: &ExplainSearchSorted) -> Result<Ending, Failure> {
    let array = &arguments.array;
    let len = one_dimension(&extents(array)?)?;
    let search = SearchSorted::new(convert::dtype(array.dtype.0), len, &shape(&[arguments.values])?);
    show(global, &SearchSorted { side: arguments.side.into(), ..search }, array.json)
}

/// Elements of both arrays.
fn lengths(pair: &ExplainPair) -> Result<[usize; 2], Failure> {
    Ok([one_dimension(&extents(&pair.array)?)?, shape(&[pair.second])?[0]])
}

pub fn merge(global: &Global, arguments: &ExplainMerge) -> Result<Ending, Failure> {
    let array = &arguments.pair.array;
    let [first, second] = lengths(&arguments.pair)?;
    let merge = Merge { descending: arguments.descending, ..Merge::new(convert::dtype(array.dtype.0), first, second) };
    let merge = match arguments.values {
        None => merge,
        Some(values) => merge.with_values(values_dtype(convert::dtype(values.0))),
    };
    show(global, &merge, array.json)
}

pub fn sets(global: &Global, op: SetOp, pair: &ExplainPair) -> Result<Ending, Failure> {
    let [first, second] = lengths(pair)?;
    show(global, &SetOperation::new(op, convert::dtype(pair.array.dtype.0), first, second), pair.array.json)
}
