//! `wavelane selftest`: every kernel, path and type against its CPU twin on this device.

mod compare;
mod data;
mod elementwise;
mod histograms;
mod order_statistics;
mod progress;
mod reductions;
mod runs;
mod scans;
mod segments;
mod selection;
mod sorted;
mod sorts;
mod table;
mod top_k;
mod transforms;
mod trial;

use std::time::Instant;

use serde_json::{Value, json};
use wavelane::Path;
use wavelane::device::Capabilities;

use crate::arguments::{Global, SelftestArguments};
use crate::report::{self, Ending, Failure};
use crate::{device, run};
use progress::Progress;
use table::Counts;
use trial::Job;

pub fn run(global: &Global, arguments: &SelftestArguments) -> Result<Ending, Failure> {
    let started = Instant::now();
    let options = run::context_options(global)?;
    let mut context = run::context(global, &options)?;
    let paths = context.path().map_or_else(|| Path::ALL.to_vec(), |path| vec![path]);
    let jobs = jobs(arguments.quick);
    let mut progress = Progress::new(jobs.len());
    let mut rows = Vec::new();
    for job in &jobs {
        let what = format!("{} {} {}", job.kernel, job.op, job.element.name());
        progress.step(&what);
        let began = Instant::now();
        rows.extend(job.run(&mut context, &paths)?);
        log::debug!("{what}: {:.3} s", began.elapsed().as_secs_f64());
    }
    progress.finish();
    // The table goes by kernel, and by path.
    let place = |kernel: &str| jobs.iter().position(|job| job.kernel == kernel);
    rows.sort_by_key(|row| (place(row.kernel), paths.iter().position(|path| path.name() == row.path)));

    let counts = Counts::of(&rows);
    let capabilities = context.device().capabilities();
    let seconds = started.elapsed().as_secs_f64();
    if arguments.json {
        let report = json!({
            "device": identity(capabilities),
            "quick": arguments.quick,
            "validated": global.validate,
            "seconds": seconds,
            "counts": counts,
            "rows": rows,
        });
        report::print(&format!("{report:#}\n"))?;
    } else {
        report::print(&format!("{}\n\n{}in {seconds:.1} s\n", headline(capabilities), table::text(&rows)))?;
    }
    device::check_validation(&context.validation_messages())?;
    if counts.ok + counts.failed == 0 {
        return Err(Failure::new(
            "nothing could be checked: the device can take none of the paths asked for".to_owned(),
            "leave --path out, or use --path lsm, which every device can take".to_owned(),
        ));
    }
    Ok(if counts.failed == 0 { Ending::Done } else { Ending::Bad })
}

/// What is to be checked, kernel after kernel.
fn jobs(quick: bool) -> Vec<Job> {
    let families = [
        reductions::jobs,
        scans::jobs,
        segments::jobs,
        selection::jobs,
        runs::jobs,
        histograms::jobs,
        sorts::jobs,
        sorted::jobs,
        top_k::jobs,
        order_statistics::jobs,
        elementwise::jobs,
        transforms::jobs,
    ];
    families.into_iter().flat_map(|jobs| jobs(quick)).collect()
}

fn identity(capabilities: &Capabilities) -> Value {
    json!({
        "name": capabilities.device_name,
        "type": capabilities.device_type,
        "api_version": capabilities.api_version.to_string(),
        "driver": capabilities.driver_name,
        "driver_info": capabilities.driver_info,
        "subgroup_size": capabilities.subgroup.size,
        "profile": capabilities.profile,
    })
}

fn headline(capabilities: &Capabilities) -> String {
    let profile = capabilities.profile.as_ref().map(|profile| format!(", as {profile}")).unwrap_or_default();
    format!(
        "{}{profile}: Vulkan {}, driver {} {}, subgroups of {}",
        capabilities.device_name, capabilities.api_version, capabilities.driver_name, capabilities.driver_info, capabilities.subgroup.size
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quick_look_has_every_kernel_and_type() {
        let (quick, full) = (jobs(true), jobs(false));
        assert!(quick.len() * 2 < full.len());
        for job in &full {
            assert!(quick.iter().any(|other| (other.kernel, other.element) == (job.kernel, job.element)), "{}", job.kernel);
        }
        for job in &quick {
            assert!(full.iter().any(|other| (other.kernel, other.op, other.element) == (job.kernel, job.op, job.element)), "{}", job.op);
        }
    }
}
