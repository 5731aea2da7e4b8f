//! What recording and submitting through Wavelane costs, against the very same Vulkan calls in bare ash.
//!
//! Both are measured in one run, in turns, so that whatever else the machine does falls on both alike. Run it on an idle machine, without
//! layers, and compiled for release: `cargo run --release -p wavelane-bench -- --check`.

mod arguments;
mod bare;
mod latency;
mod open;
mod recording;
mod report;
mod sample;
mod workload;

use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Parser;
use wavelane_record::HazardMode;

use arguments::Arguments;
use report::{Configuration, Report};

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok(report) if arguments.check && !report.keeps_bars() => ExitCode::FAILURE,
        Ok(_) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<Report> {
    let adapter = open::adapter(arguments)?;
    let mut report = Report::new(&adapter);
    // All that the device has, and what every Vulkan 1.1 device has: push descriptors or pooled sets, synchronization2 or not, timeline semaphore or
    // fences.
    for profile in [None, Some("minimal")] {
        let device = open::device(&adapter, profile)?;
        let workload = workload::Workload::new(&device)?;
        let mut measured = vec![recording::dispatches(&workload, arguments)?];
        measured.push(recording::mode(&workload, HazardMode::Checked, "the same, checked for missing barriers", arguments)?);
        measured.push(recording::mode(&workload, HazardMode::Automatic, "the same, with the automatic mode", arguments)?);
        measured.push(latency::recorded(&workload, arguments)?);
        measured.push(latency::sequence(&workload, arguments)?);
        report.configurations.push(Configuration::new(&device, profile, measured));
    }
    print!("{report}");
    if let Some(path) = &arguments.json {
        let text = serde_json::to_string_pretty(&report)? + "\n";
        std::fs::write(path, text).with_context(|| format!("{} cannot be written", path.display()))?;
    }
    Ok(report)
}
