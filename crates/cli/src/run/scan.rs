//! `wavelane run scan`.

use wavelane::{Scan, ScanOp, Tensor};

use super::context_options;
use super::session::{Session, give, tensor};
use crate::arguments::{Global, RunScan, ScanOptions};
use crate::npy::{self, Kind};
use crate::report::{Ending, Failure};
use crate::{convert, numpy, scalar};

pub fn scan(global: &Global, arguments: &RunScan) -> Result<Ending, Failure> {
    let options = context_options(global)?;
    let array = npy::read(&arguments.input)?;
    // What is wrong whatever the device should be said before a device is looked for.
    let (kind, shape) = (array.kind, array.shape.clone());
    let element = numpy::element(kind);
    let mut scan = describe(&arguments.scan, convert::dtype(element), &shape)?;
    scan.initial = arguments.initial.as_deref().map(|text| scalar::parse("--initial", element, text)).transpose()?;
    let result = scan.result_dtype().map_err(convert::failure)?;
    let input = tensor(array)?;
    let session = Session::open(global, &options)?;
    let scanned = session.finish(session.context.scan(&scan, &input))?;
    let to = result_kind(scan.op, scan.wide, kind);
    let bytes = numpy::convert(scanned.bytes().to_vec(), convert::element(result), to);
    // The whole array as one comes flat, as numpy has it.
    let shape = if scan.axis.is_none() { vec![bytes.len() / to.size()] } else { shape };
    let flat = Tensor::new(super::session::moved(to), shape, bytes).map_err(convert::failure)?;
    give(&arguments.output, to, &flat)
}

/// What `run scan` and `explain scan` have in common.
pub fn describe(options: &ScanOptions, dtype: wavelane::DType, shape: &[usize]) -> Result<Scan, Failure> {
    Ok(Scan {
        axis: numpy::axis(options.axis, shape.len())?,
        exclusive: options.exclusive,
        reverse: options.reverse,
        wide: options.wide,
        strategy: options.strategy.map(Into::into),
        ..Scan::new(options.op.0, dtype, shape)
    })
}

/// The type of numpy's result.
pub fn result_kind(op: ScanOp, wide: bool, input: Kind) -> Kind {
    match (op, input) {
        // numpy counts truth values in its default integer.
        (ScanOp::Sum | ScanOp::Prod, Kind::Bool) => Kind::I64,
        (_, Kind::U8 | Kind::U16 | Kind::U32) if wide => Kind::U64,
        (_, Kind::I32) if wide => Kind::I64,
        // A byte has no room for them. numpy takes 64 bits, as `--wide` does.
        (ScanOp::Sum | ScanOp::Prod, Kind::U8 | Kind::U16) => Kind::U32,
        _ => input,
    }
}
