//! What recording and submitting through Wavelane costs, against the very same Vulkan calls in bare ash; and how long kernels take.
//!
//! The former two are measured in one run, in turns, so that whatever else the machine does falls on both alike. Run it on an idle machine, without
//! layers, and compiled for release: `cargo run --release -p wavelane-bench -- --check`, and `cargo run --release -p wavelane-bench -- kernels --check`.

mod arguments;
mod bare;
mod kernels;
mod latency;
mod open;
mod recording;
mod report;
mod sample;
mod workload;

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Parser;
use serde::Serialize;

use arguments::{Arguments, Command, Recording};
use report::{Configuration, Measure, Report};
use workload::Workload;

type Run = fn(&'static str, &Workload, &Recording) -> Result<Measure>;
const MEASURES: [(&str, Run); 6] = [
    ("record a sequence, for each dispatch", recording::whole),
    ("record a dispatch and its barrier alone", recording::dispatches),
    ("the same, with missing barriers looked for", recording::checked),
    ("the same, with missing barriers inserted", recording::automatic),
    ("submit to wait, recorded anew", latency::recorded),
    ("submit to wait, a sequence again", latency::sequence),
];

fn main() -> ExitCode {
    let Arguments { command, recording } = Arguments::parse();
    let kept = match &command {
        Some(Command::Kernels(kernels)) => kernels::run(kernels),
        None => run(&recording).map(|report| !recording.check || report.keeps_bars()),
    };
    match kept {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Recording) -> Result<Report> {
    let adapter = open::adapter(arguments.device.as_deref())?;
    let mut report = Report::new(&adapter);
    // All that the device has, and what every Vulkan 1.1 device has: push descriptors or pooled sets, synchronization2 or not, timeline semaphore or
    // fences.
    for profile in [None, Some("minimal")] {
        let device = open::device(&adapter, profile)?;
        let workload = Workload::new(&device)?;
        let mut measured = Vec::new();
        for (name, measure) in MEASURES {
            if arguments.only.as_deref().is_none_or(|part| name.contains(part)) {
                measured.push(measure(name, &workload, arguments)?);
            }
        }
        report.configurations.push(Configuration::new(&device, profile, measured));
    }
    print!("{report}");
    if let Some(path) = &arguments.json {
        write_json(path, &report)?;
    }
    Ok(report)
}

fn write_json(path: &Path, report: &impl Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(report)? + "\n";
    std::fs::write(path, text).with_context(|| format!("{} cannot be written", path.display()))
}
