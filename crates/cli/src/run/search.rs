//! `wavelane run searchsorted`.

use wavelane::SearchSorted;
use wavelane_reference::Element;

use super::context_options;
use super::session::{Session, moved, moved_tensor, same_kind, write};
use crate::arguments::{Global, RunSearchSorted};
use crate::npy::{self, Array, Kind};
use crate::report::{Ending, Failure};
use crate::{files, numpy};

pub fn search_sorted(global: &Global, arguments: &RunSearchSorted) -> Result<Ending, Failure> {
    let options = context_options(global)?;
    let inputs = [("the array", Some(&arguments.array)), ("the values", Some(&arguments.values))];
    files::check(&inputs, &[("-o", arguments.output.as_ref())])?;
    let array = npy::read(&arguments.array)?;
    let values = npy::read(&arguments.values)?;
    same_kind("values", &values, &array)?;
    let len = one_dimension(&array.shape)?;
    let search = SearchSorted { side: arguments.side.into(), ..SearchSorted::new(moved(array.kind), len, &values.shape) };
    let (array, values) = (moved_tensor(array)?, moved_tensor(values)?);
    let session = Session::open(global, &options)?;
    let found = session.finish(session.context.search_sorted(&search, &array, &values))?;
    let positions = numpy::convert(found.bytes().to_vec(), Element::U32, Kind::I64);
    write(arguments.output.as_deref(), &Array { kind: Kind::I64, shape: search.values, bytes: positions })
}

/// The elements of a sorted array, as numpy takes one.
pub fn one_dimension(shape: &[usize]) -> Result<usize, Failure> {
    match shape {
        [len] => Ok(*len),
        _ => Err(Failure::new(
            format!("a sorted array has one dimension, and this one of shape {} has {}", npy::shape_text(shape), shape.len()),
            "flatten and sort it: `wavelane run sort INPUT.npy --axis none -o OUT.npy`".to_owned(),
        )),
    }
}
