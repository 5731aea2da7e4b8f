//! `wavelane explain sort` and `wavelane explain argsort`.

use wavelane::Sort;

use super::show::{extents, show};
use crate::arguments::{ExplainArgsort, ExplainSort, Global};
use crate::convert;
use crate::report::{Ending, Failure};
use crate::run::sort::{describe, values_dtype};

pub fn sort(global: &Global, arguments: &ExplainSort) -> Result<Ending, Failure> {
    let array = &arguments.array;
    let sort = describe(&arguments.options, convert::dtype(array.dtype.0), &extents(array)?)?;
    let sort = arguments.segments.map_or(sort.clone(), |segments| sort.in_segments(segments as usize));
    let sort = match arguments.values {
        None => sort,
        Some(values) => sort.with_values(values_dtype(convert::dtype(values.0))),
    };
    show(global, &sort, array.json)
}

pub fn argsort(global: &Global, arguments: &ExplainArgsort) -> Result<Ending, Failure> {
    let array = &arguments.array;
    let sort = describe(&arguments.options, convert::dtype(array.dtype.0), &extents(array)?)?;
    show(global, &Sort { keys: false, ..sort.with_positions() }, array.json)
}
