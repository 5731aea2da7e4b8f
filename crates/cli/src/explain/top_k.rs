//! `wavelane explain topk`.

use super::show::{extents, show};
use crate::arguments::{ExplainTopK, Global};
use crate::convert;
use crate::report::{Ending, Failure};
use crate::run::top_k::describe;

pub fn top_k(global: &Global, arguments: &ExplainTopK) -> Result<Ending, Failure> {
    let array = &arguments.array;
    let top_k = describe(&arguments.options, convert::dtype(array.dtype.0), &extents(array)?)?;
    show(global, &top_k, array.json)
}
