//! `wavelane explain scan`.

use super::show::{extents, show};
use crate::arguments::{ExplainScan, Global};
use crate::npy::Kind;
use crate::report::{Ending, Failure};
use crate::run::scan::describe;

pub fn scan(global: &Global, arguments: &ExplainScan) -> Result<Ending, Failure> {
    let array = &arguments.array;
    let scan = describe(&arguments.scan, Kind::of(array.dtype.0), &extents(array)?)?;
    show(global, &scan, array.json)
}
