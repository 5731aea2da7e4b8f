//! `wavelane run take` and `wavelane run put`: elements by index.

use wavelane::{Convert, Gather, Scatter, Tensor};

use super::context_options;
use super::session::{Session, give, moved, moved_tensor, tensor};
use crate::arguments::{Global, RunPut, RunTake};
use crate::npy::{self, Array, Kind};
use crate::report::{Ending, Failure};
use crate::{convert, files, indices, numpy};

pub fn take(global: &Global, arguments: &RunTake) -> Result<Ending, Failure> {
    let indexed = ("--indices", Some(&arguments.indices));
    files::check(&[("the input", Some(&arguments.input)), indexed], &[("-o", arguments.output.as_ref())])?;
    let options = context_options(global)?;
    let array = npy::read(&arguments.input)?;
    let given = npy::read(&arguments.indices)?;
    let axis = numpy::axis(arguments.axis, array.shape.len(), "take from the whole array as one")?;
    let len = axis.map_or_else(|| array.bytes.len() / array.kind.size(), |axis| array.shape[axis]);
    let at = Tensor::from_slice(&indices::within(&arguments.indices, &given, len)?, &given.shape).map_err(convert::failure)?;
    let kind = array.kind;
    let gather = Gather { axis, ..Gather::new(moved(kind), &array.shape, &given.shape) };
    let input = moved_tensor(array)?;
    let session = Session::open(global, &options)?;
    let result = session.finish(session.context.gather(&gather, &input, &at))?;
    give(&arguments.output, kind, &result)
}

pub fn put(global: &Global, arguments: &RunPut) -> Result<Ending, Failure> {
    let (indexed, put) = (("--indices", Some(&arguments.indices)), ("--values", Some(&arguments.values)));
    files::check(&[("the input", Some(&arguments.input)), indexed, put], &[("-o", arguments.output.as_ref())])?;
    let options = context_options(global)?;
    let array = npy::read(&arguments.input)?;
    let given = npy::read(&arguments.indices)?;
    let values = npy::read(&arguments.values)?;
    if values.kind != array.kind && (values.kind == Kind::Bool || array.kind == Kind::Bool) {
        return Err(Failure::new(
            format!("--values {} holds {}, and the array {}", arguments.values.display(), values.kind.name(), array.kind.name()),
            "convert them with array.astype(…)".to_owned(),
        ));
    }
    let len = array.bytes.len() / array.kind.size();
    let mut at = indices::within(&arguments.indices, &given, len)?;
    // As in numpy the last of several values stays.
    indices::only_last(&mut at, len);
    let kind = array.kind;
    let scatter = Scatter::new(moved(kind), &array.shape, at.len()).repeating(values.bytes.len() / values.kind.size());
    let at = Tensor::from_slice(&at, &given.shape).map_err(convert::failure)?;
    let into = moved_tensor(array)?;
    let session = Session::open(global, &options)?;
    let values = as_kind(&session, values, kind)?;
    let result = session.finish(session.context.scatter(&scatter, &values, &at, &into))?;
    give(&arguments.output, kind, &result)
}

/// The array's elements in another type, if they are not of it.
fn as_kind(session: &Session, array: Array, kind: Kind) -> Result<Tensor, Failure> {
    if array.kind == kind {
        return moved_tensor(array);
    }
    let convert = Convert::new(moved(array.kind), moved(kind), &array.shape);
    session.finish(session.context.convert(&convert, &tensor(array)?))
}
