//! `wavelane run union1d`, `intersect1d`, `setdiff1d` and `setxor1d`.

use wavelane::{SetOp, SetOperation, Sort, Tensor};

use super::context_options;
use super::session::{Session, give, moved, moved_tensor, same_kind};
use crate::arguments::{Global, RunSetOperation};
use crate::npy::{self, Array};
use crate::report::{Ending, Failure};
use crate::{convert, files};

pub fn set_operation(global: &Global, op: SetOp, arguments: &RunSetOperation) -> Result<Ending, Failure> {
    let options = context_options(global)?;
    let inputs = [("the first array", Some(&arguments.first)), ("the second array", Some(&arguments.second))];
    files::check(&inputs, &[("-o", arguments.output.as_ref())])?;
    let [first, second] = [npy::read(&arguments.first)?, npy::read(&arguments.second)?];
    same_kind("elements", &second, &first)?;
    let kind = first.kind;
    let [first, second] = [flat(first)?, flat(second)?];
    let session = Session::open(global, &options)?;
    let [first, second] = match arguments.assume_sorted {
        true => [first, second],
        false => [sorted(&session, first)?, sorted(&session, second)?],
    };
    let operation = SetOperation::new(op, moved(kind), first.shape()[0], second.shape()[0]);
    let results = session.finish(session.context.set_operation(&operation, &first, &second))?;
    give(&arguments.output, kind, &results)
}

/// The array in one dimension, as numpy takes it.
fn flat(array: Array) -> Result<Tensor, Failure> {
    let shape = vec![array.bytes.len() / array.kind.size()];
    moved_tensor(Array { shape, ..array })
}

fn sorted(session: &Session, array: Tensor) -> Result<Tensor, Failure> {
    let sort = Sort::new(array.dtype(), array.shape());
    let keys = session.finish(session.context.sort(&sort, &array, None))?.keys;
    // Keys were asked for, and so are there.
    keys.map_or_else(|| Tensor::new(sort.dtype, vec![0], Vec::new()).map_err(convert::failure), Ok)
}
