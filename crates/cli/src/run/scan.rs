//! `wavelane run scan`.

use wavelane::{Scalar, Scan, ScanOp, Tensor};

use super::context_options;
use super::session::{Session, give, tensor};
use crate::arguments::{Global, RunScan, ScanOptions};
use crate::npy::{self, Kind};
use crate::report::{Ending, Failure};
use crate::{convert, numpy, reduction, scalar};

pub fn scan(global: &Global, arguments: &RunScan) -> Result<Ending, Failure> {
    let options = context_options(global)?;
    let array = npy::read(&arguments.input)?;
    // What is wrong whatever the device should be said before a device is looked for.
    let (kind, shape) = (array.kind, array.shape.clone());
    let mut scan = describe(&arguments.scan, kind, &shape)?;
    scan.initial = arguments.initial.as_deref().map(|text| initial(kind, text)).transpose()?;
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

/// What the scan begins with. Truth values are 0 and 1, whatever room there is where they are computed.
pub fn initial(kind: Kind, text: &str) -> Result<Scalar, Failure> {
    match (kind, text) {
        (Kind::Bool, "0" | "false" | "False") => Ok(0u32.into()),
        (Kind::Bool, "1" | "true" | "True") => Ok(1u32.into()),
        (Kind::Bool, _) => Err(scalar::refused(text, format!("--initial {text} is no bool value"), "give true or false".to_owned())),
        _ => scalar::parse("--initial", numpy::element(kind), text),
    }
}

/// What `run scan` and `explain scan` have in common.
pub fn describe(options: &ScanOptions, kind: Kind, shape: &[usize]) -> Result<Scan, Failure> {
    let (op, element) = (options.op.0, numpy::element(kind));
    numpy::check_scan(op, kind)?;
    reduction::check_wide(op.name(), element, options.wide)?;
    let axis = numpy::axis(options.axis, shape.len(), "scan the whole array as one")?;
    if options.strategy.is_some() && axis.is_some_and(|axis| shape[axis + 1..].iter().any(|&extent| extent != 1)) {
        return Err(Failure::unfit(
            "--strategy has no effect along an axis that is not the last".to_owned(),
            "leave --strategy out: there is one way along other axes".to_owned(),
        ));
    }
    Ok(Scan {
        axis,
        exclusive: options.exclusive,
        reverse: options.reverse,
        wide: options.wide,
        strategy: options.strategy.map(Into::into),
        ..Scan::new(op, convert::dtype(element), shape)
    })
}

/// The type of numpy's result.
pub fn result_kind(op: ScanOp, wide: bool, input: Kind) -> Kind {
    match (op, input) {
        // numpy counts truth values in its default integer.
        (ScanOp::Sum | ScanOp::Prod, Kind::Bool) => Kind::I64,
        (_, Kind::U8 | Kind::U16 | Kind::U32) if wide => Kind::U64,
        (_, Kind::I8 | Kind::I16 | Kind::I32) if wide => Kind::I64,
        // A byte has no room for them. numpy takes 64 bits, as `--wide` does.
        (ScanOp::Sum | ScanOp::Prod, Kind::U8 | Kind::U16) => Kind::U32,
        (ScanOp::Sum | ScanOp::Prod, Kind::I8 | Kind::I16) => Kind::I32,
        _ => input,
    }
}
