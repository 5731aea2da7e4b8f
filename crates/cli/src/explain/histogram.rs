//! `wavelane explain histogram` and `wavelane explain bincount`.

use wavelane::{Bins, Histogram};

use super::show::{extents, show};
use crate::arguments::{Apart, ExplainBincount, ExplainHistogram, Global};
use crate::convert;
use crate::report::{Ending, Failure};
use crate::run::histogram::describe;

pub fn histogram(global: &Global, arguments: &ExplainHistogram) -> Result<Ending, Failure> {
    let ([low, high], array) = (range(&arguments.range), &arguments.array);
    let bins = Bins::Even { bins: arguments.bins, low, high };
    let described = describe(convert::dtype(array.dtype.0), bins, &extents(array)?, arguments.apart)?;
    let weights = arguments.weights.map(|weights| convert::dtype(weights.0));
    show(global, &Histogram { weights, ..described }, array.json)
}

pub fn bincount(global: &Global, arguments: &ExplainBincount) -> Result<Ending, Failure> {
    let array = &arguments.array;
    let bins = Bins::Values { bins: arguments.bins };
    let described = describe(convert::dtype(array.dtype.0), bins, &extents(array)?, Apart::default())?;
    let weights = arguments.weights.map(|weights| convert::dtype(weights.0));
    show(global, &Histogram { weights, wide: weights.is_some(), ..described }, array.json)
}

/// The two numbers that the command line has made sure of.
fn range(given: &[f64]) -> [f64; 2] {
    [given.first().copied().unwrap_or(0.0), given.get(1).copied().unwrap_or(1.0)]
}
