//! `wavelane run fill` and `wavelane run iota`.

use wavelane::{Fill, Iota};

use super::context_options;
use super::session::{Session, give, shape};
use crate::arguments::{Global, RunFill, RunIota};
use crate::npy::Kind;
use crate::report::{Ending, Failure};
use crate::scalar;

pub fn fill(global: &Global, arguments: &RunFill) -> Result<Ending, Failure> {
    let options = context_options(global)?;
    let element = arguments.dtype.0;
    let fill = Fill::new(scalar::parse("--value", element, &arguments.value)?, &shape(&arguments.shape)?);
    let session = Session::open(global, &options)?;
    let result = session.finish(session.context.fill(&fill))?;
    give(&arguments.output, Kind::of(element), &result)
}

pub fn iota(global: &Global, arguments: &RunIota) -> Result<Ending, Failure> {
    let options = context_options(global)?;
    let element = arguments.dtype.0;
    let (start, step) = (scalar::parse("--start", element, &arguments.start)?, scalar::parse("--step", element, &arguments.step)?);
    let iota = Iota { start, step, count: shape(&[arguments.n])?[0], counted: false };
    let session = Session::open(global, &options)?;
    let result = session.finish(session.context.iota(&iota))?;
    give(&arguments.output, Kind::of(element), &result)
}
