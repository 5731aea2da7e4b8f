//! `wavelane explain nth`, `wavelane explain median` and `wavelane explain quantile`: how the keys are found.

use super::show::{extents, show};
use crate::arguments::{ExplainMedian, ExplainNth, ExplainQuantile, Global};
use crate::convert;
use crate::report::{Ending, Failure};
use crate::run::order_statistics::{describe_median, describe_nth, describe_quantile};

pub fn nth(global: &Global, arguments: &ExplainNth) -> Result<Ending, Failure> {
    let array = &arguments.array;
    show(global, &describe_nth(&arguments.options, convert::dtype(array.dtype.0), &extents(array)?)?, array.json)
}

pub fn median(global: &Global, arguments: &ExplainMedian) -> Result<Ending, Failure> {
    let array = &arguments.array;
    let median = describe_median(&arguments.options, convert::dtype(array.dtype.0), &extents(array)?)?;
    show(global, &median.neighbours().map_err(convert::failure)?, array.json)
}

pub fn quantile(global: &Global, arguments: &ExplainQuantile) -> Result<Ending, Failure> {
    let array = &arguments.array;
    let quantile = describe_quantile(&arguments.options, convert::dtype(array.dtype.0), &extents(array)?)?;
    show(global, &quantile.neighbours().map_err(convert::failure)?, array.json)
}
