//! `wavelane run convert`.

use wavelane::Convert;

use super::context_options;
use super::session::{Session, give, tensor};
use crate::arguments::{Global, RunConvert};
use crate::npy::{self, Kind};
use crate::report::{Ending, Failure};
use crate::{convert, numpy};

pub fn convert(global: &Global, arguments: &RunConvert) -> Result<Ending, Failure> {
    let options = context_options(global)?;
    let array = npy::read(&arguments.input)?;
    let (from, to) = (numpy::element(array.kind), arguments.dtype.0);
    let convert = Convert::new(convert::dtype(from), convert::dtype(to), &array.shape);
    let input = tensor(array)?;
    let session = Session::open(global, &options)?;
    let result = session.finish(session.context.convert(&convert, &input))?;
    give(&arguments.output, Kind::of(to), &result)
}
