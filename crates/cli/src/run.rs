//! `wavelane run`: kernels on NumPy files.

mod convert;
mod fill;
mod gather;
pub mod histogram;
mod merge;
pub mod order_statistics;
pub mod scan;
pub mod search;
pub mod segments;
pub mod session;
mod sets;
pub mod sort;
pub mod top_k;
pub mod transform;

use wavelane::device::Capabilities;
use wavelane::{Context, ContextOptions, DType, Outcome, SetOp, Tensor};
use wavelane_reference::{Nan, Op};

use crate::arguments::{Global, PathChoice, RunKernel, RunReduce};
use crate::npy::Array;
use crate::report::{self, Ending, Failure};
use crate::{compaction, device, npy, numpy, reduction, text};

pub fn run(global: &Global, kernel: &RunKernel) -> Result<Ending, Failure> {
    match kernel {
        RunKernel::Reduce(arguments) => reduce(global, arguments),
        RunKernel::Scan(arguments) => scan::scan(global, arguments),
        RunKernel::SegmentedReduce(arguments) => segments::reduce(global, arguments),
        RunKernel::SegmentedScan(arguments) => segments::scan(global, arguments),
        RunKernel::ReduceByKey(arguments) => segments::reduce_by_key(global, arguments),
        RunKernel::Histogram(arguments) => histogram::histogram(global, arguments),
        RunKernel::Bincount(arguments) => histogram::bincount(global, arguments),
        RunKernel::Sort(arguments) => sort::sort(global, arguments),
        RunKernel::Argsort(arguments) => sort::argsort(global, arguments),
        RunKernel::TopK(arguments) => top_k::top_k(global, arguments),
        RunKernel::Nth(arguments) => order_statistics::nth(global, arguments),
        RunKernel::Median(arguments) => order_statistics::median(global, arguments),
        RunKernel::Quantile(arguments) => order_statistics::quantile(global, arguments),
        RunKernel::SearchSorted(arguments) => search::search_sorted(global, arguments),
        RunKernel::Merge(arguments) => merge::merge(global, arguments),
        RunKernel::Union(arguments) => sets::set_operation(global, SetOp::Union, arguments),
        RunKernel::Intersection(arguments) => sets::set_operation(global, SetOp::Intersection, arguments),
        RunKernel::Difference(arguments) => sets::set_operation(global, SetOp::Difference, arguments),
        RunKernel::SymmetricDifference(arguments) => sets::set_operation(global, SetOp::SymmetricDifference, arguments),
        RunKernel::Fill(arguments) => fill::fill(global, arguments).map_err(Failure::told_by_options),
        RunKernel::Iota(arguments) => fill::iota(global, arguments).map_err(Failure::told_by_options),
        RunKernel::Convert(arguments) => convert::convert(global, arguments),
        RunKernel::Take(arguments) => gather::take(global, arguments),
        RunKernel::Put(arguments) => gather::put(global, arguments),
        RunKernel::Transform(arguments) => transform::transform(global, arguments),
        RunKernel::Compaction(kernel) => compaction::run(global, kernel),
    }
}

fn reduce(global: &Global, arguments: &RunReduce) -> Result<Ending, Failure> {
    let op = arguments.op.0;
    let nan = Nan::from(arguments.nan);
    let options = context_options(global)?;
    let array = npy::read(&arguments.input)?;
    // What is wrong whatever the device should be said before a device is looked for.
    let kind = array.kind;
    let element = numpy::element(kind);
    numpy::check(op, kind)?;
    reduction::check_wide(op.name(), element, arguments.wide)?;
    let axis = numpy::axis(arguments.axis, array.shape.len(), "reduce the whole array")?;
    let shape = array.shape.clone();

    let context = context(global, &options)?;
    let reduce = reduction::describe(op, element, &shape, axis, nan, arguments.wide, context.device().capabilities());
    let tensor = Tensor::new(reduce.dtype, shape.clone(), numpy::device_bytes(array)).map_err(crate::convert::failure)?;
    let outcome = context.reduce(&reduce, &tensor);
    // Messages explain a failure better than the failure does.
    device::check_validation(&context.validation_messages())?;
    let outcome = outcome.map_err(crate::convert::failure)?;
    log_outcome(&outcome, context.device().capabilities());
    check_positions(op, nan, &outcome.tensor)?;

    let result_kind = numpy::result_kind(op, kind, arguments.wide);
    let from = crate::convert::element(outcome.tensor.dtype());
    let result = Array {
        kind: result_kind,
        shape: numpy::result_shape(&shape, axis, arguments.keepdims),
        bytes: numpy::convert(outcome.tensor.bytes().to_vec(), from, result_kind),
    };
    match &arguments.output {
        Some(path) => npy::write(path, &result)?,
        None => report::print(&text::of_array(&result))?,
    }
    Ok(Ending::Done)
}

/// The context that the global options ask for.
pub fn context_options(global: &Global) -> Result<ContextOptions, Failure> {
    Ok(ContextOptions {
        device: Some(device::choice(global)),
        profile: device::profile(global)?,
        validation: device::validation(global),
        path: crate::convert::path(global)?,
        ..ContextOptions::default()
    })
}

pub fn context(global: &Global, options: &ContextOptions) -> Result<Context, Failure> {
    let mut context = Context::new(options).map_err(crate::convert::failure)?;
    if global.path == Some(PathChoice::Auto) {
        // What the command line says outweighs WAVELANE_PATH.
        context.set_path(None);
    }
    Ok(context)
}

/// Where nothing but NaN was left out, there is no position: numpy raises an error, the library gives the largest index.
fn check_positions(op: Op, nan: Nan, tensor: &Tensor) -> Result<(), Failure> {
    let positions = matches!(op, Op::ArgMin | Op::ArgMax) && nan == Nan::Ignore && tensor.dtype() == DType::U32;
    let none = u32::MAX.to_ne_bytes();
    match tensor.bytes().chunks_exact(4).position(|index| index == none) {
        Some(at) if positions => Err(Failure::new(
            format!("{} ignoring NaN has no value, as there is nothing but NaN (result {at})", op.name()),
            "use --nan propagate to get the position of the first NaN".to_owned(),
        )),
        _ => Ok(()),
    }
}

fn log_outcome(outcome: &Outcome, capabilities: &Capabilities) {
    let choice = &outcome.plan.schedule().choice;
    log::info!("{}: path {} ({})", capabilities.device_name, choice.path, choice.reasons.join("; "));
    match outcome.gpu_time_ns {
        Some(time) if time > 0.0 => {
            log::info!("{:.3} ms on the device, {:.2} GB/s", time / 1e6, outcome.bytes_moved as f64 / time);
        }
        _ => log::info!("the device gives no usable time"),
    }
    log::debug!("{}", outcome.plan.explain());
}
