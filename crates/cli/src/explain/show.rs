//! Schedules of the shared form, as text or JSON.

use serde_json::{Value, json};
use wavelane::device::quirks_of;
use wavelane::{Kernel, Schedule};

use super::capabilities;
use crate::arguments::{ExplainArray, Global};
use crate::convert;
use crate::report::{self, Ending, Failure};
use crate::run::session::shape;

pub fn extents(array: &ExplainArray) -> Result<Vec<usize>, Failure> {
    shape(&array.shape.clone().unwrap_or_else(|| array.n.into_iter().collect()))
}

/// How a kernel would run, as text or JSON.
pub fn show<K: Kernel>(global: &Global, kernel: &K, json: bool) -> Result<Ending, Failure> {
    let path = convert::path(global)?;
    let capabilities = capabilities(global)?;
    let schedule = kernel.schedule(&capabilities, &quirks_of(&capabilities), path).map_err(convert::failure)?;
    if json {
        report::print(&format!("{:#}\n", to_json(&schedule)))?;
    } else {
        report::print(&format!("{}\n", schedule.explain()))?;
    }
    Ok(Ending::Done)
}

fn to_json(schedule: &Schedule) -> Value {
    let dispatches: Vec<Value> = schedule
        .dispatches()
        .map(|step| json!({ "kernel": step.kernel, "module": step.module, "groups": step.groups, "shared_bytes": step.shared_bytes }))
        .collect();
    let buffers: Vec<Value> = schedule.buffers.iter().map(|need| json!({ "name": need.name, "bytes": need.bytes })).collect();
    json!({
        "kernel": schedule.kernel,
        "title": schedule.title,
        "device": schedule.device,
        "path": schedule.choice.path,
        "reasons": schedule.choice.reasons,
        "workgroup_size": schedule.choice.workgroup_size,
        "required_subgroup_size": schedule.choice.subgroup_size,
        "full_subgroups": schedule.choice.full_subgroups,
        "strategy": schedule.strategy,
        "buffers": buffers,
        "dispatches": dispatches,
        "barriers": schedule.barriers(),
        "scratch_bytes": schedule.scratch_bytes(),
        "bytes_moved": schedule.bytes_moved,
    })
}
