//! `wavelane explain`: how a kernel would run, without running it.

mod elementwise;
mod histogram;
mod order_statistics;
mod scan;
mod segments;
pub mod show;
mod sort;
mod sorted;
mod top_k;

use serde_json::{Value, json};
use wavelane::device::{Capabilities, DeviceChoice, Instance, choose, quirks_of};
use wavelane::{ReduceSchedule, SetOp};
use wavelane_reference::Nan;

use crate::arguments::{ExplainKernel, ExplainReduce, Global};
use crate::npy::Kind;
use crate::report::{self, Ending, Failure};
use crate::{compaction, convert, device, numpy, reduction, run};

pub fn run(global: &Global, kernel: &ExplainKernel) -> Result<Ending, Failure> {
    match kernel {
        ExplainKernel::Reduce(arguments) => reduce(global, arguments),
        ExplainKernel::Scan(arguments) => scan::scan(global, arguments),
        ExplainKernel::SegmentedReduce(arguments) => segments::reduce(global, arguments),
        ExplainKernel::SegmentedScan(arguments) => segments::scan(global, arguments),
        ExplainKernel::ReduceByKey(arguments) => segments::reduce_by_key(global, arguments),
        ExplainKernel::Histogram(arguments) => histogram::histogram(global, arguments),
        ExplainKernel::Bincount(arguments) => histogram::bincount(global, arguments),
        ExplainKernel::Sort(arguments) => sort::sort(global, arguments),
        ExplainKernel::Argsort(arguments) => sort::argsort(global, arguments),
        ExplainKernel::SearchSorted(arguments) => sorted::search(global, arguments),
        ExplainKernel::Merge(arguments) => sorted::merge(global, arguments),
        ExplainKernel::Union(arguments) => sorted::sets(global, SetOp::Union, arguments),
        ExplainKernel::Intersection(arguments) => sorted::sets(global, SetOp::Intersection, arguments),
        ExplainKernel::Difference(arguments) => sorted::sets(global, SetOp::Difference, arguments),
        ExplainKernel::SymmetricDifference(arguments) => sorted::sets(global, SetOp::SymmetricDifference, arguments),
        ExplainKernel::TopK(arguments) => top_k::top_k(global, arguments),
        ExplainKernel::Nth(arguments) => order_statistics::nth(global, arguments),
        ExplainKernel::Median(arguments) => order_statistics::median(global, arguments),
        ExplainKernel::Quantile(arguments) => order_statistics::quantile(global, arguments),
        ExplainKernel::Fill(arguments) => elementwise::fill(global, arguments),
        ExplainKernel::Iota(arguments) => elementwise::iota(global, arguments),
        ExplainKernel::Convert(arguments) => elementwise::convert(global, arguments),
        ExplainKernel::Take(arguments) => elementwise::take(global, arguments),
        ExplainKernel::Put(arguments) => elementwise::put(global, arguments),
        ExplainKernel::Transform(arguments) => elementwise::transform(global, arguments),
        ExplainKernel::Compaction(kernel) => compaction::explain(global, kernel),
    }
}

fn reduce(global: &Global, arguments: &ExplainReduce) -> Result<Ending, Failure> {
    let (op, element) = (arguments.op.0, arguments.dtype.0);
    let path = convert::path(global)?;
    numpy::check(op, Kind::of(element))?;
    reduction::check_wide(op.name(), element, arguments.wide)?;
    let shape = run::session::shape(&arguments.shape.clone().unwrap_or_else(|| arguments.n.into_iter().collect()))?;
    let axis = numpy::axis(arguments.axis, shape.len(), "reduce the whole array")?;
    let capabilities = capabilities(global)?;
    let reduce = reduction::describe(op, element, &shape, axis, Nan::from(arguments.nan), arguments.wide, &capabilities);
    let schedule = reduce.schedule(&capabilities, &quirks_of(&capabilities), path).map_err(convert::failure)?;
    if arguments.json {
        report::print(&format!("{:#}\n", to_json(&schedule)))?;
    } else {
        report::print(&format!("{}\n", schedule.explain()))?;
    }
    Ok(Ending::Done)
}

/// The capabilities to plan for: a profile's own where no device is named, so that none needs to be there.
pub fn capabilities(global: &Global) -> Result<Capabilities, Failure> {
    let profile = device::profile(global)?;
    let choice = device::choice(global);
    match profile {
        Some(profile) if choice == DeviceChoice::Best => {
            let name = profile.name;
            Ok(Capabilities { profile: Some(name), ..profile.capabilities })
        }
        profile => {
            let instance = Instance::new(&device::instance_options(global)).map_err(device::failure)?;
            let adapters = instance.adapters().map_err(device::failure)?;
            let real = choose(&adapters, &choice).map_err(device::failure)?.capabilities();
            device::check_validation(&instance.take_validation_messages())?;
            Ok(profile.map_or_else(|| real.clone(), |profile| real.restrict(&profile)))
        }
    }
}

fn to_json(schedule: &ReduceSchedule) -> Value {
    let dispatches: Vec<Value> = schedule
        .steps
        .iter()
        .map(|step| json!({ "kernel": step.kernel(), "module": step.module, "groups": step.groups, "shared_bytes": step.shared_bytes() }))
        .collect();
    json!({
        "kernel": "reduce",
        "reduce": schedule.reduce,
        "device": schedule.device,
        "path": schedule.choice.path,
        "reasons": schedule.choice.reasons,
        "workgroup_size": schedule.choice.workgroup_size,
        "required_subgroup_size": schedule.choice.subgroup_size,
        "full_subgroups": schedule.choice.full_subgroups,
        "strategy": format!("{:?}", schedule.strategy),
        "last_arrival": schedule.last_arrival,
        "result": { "dtype": schedule.result_dtype, "shape": schedule.result_shape },
        "dispatches": dispatches,
        "barriers": schedule.barriers(),
        "scratch_bytes": schedule.scratch_bytes,
        "bytes_moved": schedule.bytes_moved,
    })
}
