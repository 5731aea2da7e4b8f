//! `wavelane-bench`'s case "sort u32 with u32 values" by the crate `wgpu_sort`, on the same data.
//!
//!     cargo run --release --manifest-path crates/bench/wgpu_sort/Cargo.toml > wgpu_sort.json
//!     # or with: -- --sizes 16,18,20,22 --samples 30 --subgroup 8
//!
//! Prints a line of JSON for the device, and one for each size: the figures, and what failed before there were any. The driver is the first that the loader finds (`VK_DRIVER_FILES`).
//!
//! `wgpu_sort` counts on the invocations of a subgroup going in step, and finds the size of subgroups by trying out sizes until a sort fails. The probe and each size are processes of
//! their own, since a sort may also panic, or wait for ever.

mod child;
mod clock;
mod gpu;
mod sort;

use std::fmt;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use clap::Parser;
use serde_json::{Value, json};

use child::Outcome;

/// The name in `wavelane-bench kernels`.
const CASE: &str = "sort u32 with u32 values";

#[derive(Parser)]
struct Arguments {
    /// Powers of two.
    #[arg(long, value_delimiter = ',', default_value = "16,18,20,22")]
    sizes: Vec<u32>,
    #[arg(long, default_value_t = 30)]
    samples: usize,
    /// The size of subgroups that it is to count on, in place of what its probe finds.
    #[arg(long)]
    subgroup: Option<u32>,
    /// Seconds that the probe, and the samples of one size, may take.
    #[arg(long, default_value_t = 120)]
    limit: u64,
    /// How many processes try each size, until one has figures: sorts that wait for ever do not do so each time.
    #[arg(long, default_value_t = 3)]
    attempts: usize,
    /// What a process that this one starts is for.
    #[arg(long, hide = true)]
    part: Option<Part>,
}

/// The part of a child.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Part {
    /// Tell of the device.
    Device,
    /// Find a size of subgroups.
    Probe,
    /// Measure one array.
    Measure,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Part::Device => "device",
            Part::Probe => "probe",
            Part::Measure => "measure",
        })
    }
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    match (arguments.part, &arguments.sizes[..], arguments.subgroup) {
        (None, ..) => all(&arguments),
        (Some(Part::Device), ..) => said(&gpu::Gpu::new()?.about()?),
        (Some(Part::Probe), ..) => said(&sort::probe(&gpu::Gpu::new()?)),
        (Some(Part::Measure), [log2], Some(subgroup)) => said(&sort::measure(&gpu::Gpu::new()?, *log2, subgroup, arguments.samples)?),
        (Some(Part::Measure), ..) => anyhow::bail!("one size and a subgroup's are needed"),
    }
}

fn said(value: &Value) -> Result<ExitCode> {
    println!("{value}");
    Ok(ExitCode::SUCCESS)
}

/// Everything, each in a process.
fn all(arguments: &Arguments) -> Result<ExitCode> {
    let limit = Duration::from_secs(arguments.limit);
    let run = |part: Part, more: &[String]| child::run(&[&["--part".to_owned(), part.to_string()], more].concat(), limit);
    let mut about = match run(Part::Device, &[])? {
        Outcome::Said(about) => about,
        Outcome::Failed(why) => anyhow::bail!("there is no device: {why}"),
    };
    let found = match (arguments.subgroup, run(Part::Probe, &[])?) {
        (Some(given), _) => Ok(given),
        (None, Outcome::Said(size)) => {
            size.as_u64().map(|size| size as u32).ok_or_else(|| "its probe finds no subgroup size here".to_owned())
        }
        (None, Outcome::Failed(why)) => Err(format!("its probe: {why}")),
    };
    about["samples"] = json!(arguments.samples);
    about["subgroup"] = found.as_ref().map_or_else(|why| json!(why), |size| json!(size));
    println!("{about}");
    for log2 in &arguments.sizes {
        let mut row = json!({"case": CASE, "log2": log2});
        let mut failed = Vec::new();
        match &found {
            Err(why) => failed.push(why.clone()),
            Ok(size) => {
                let asked = [format!("--sizes={log2}"), format!("--subgroup={size}"), format!("--samples={}", arguments.samples)];
                while failed.len() < arguments.attempts.max(1) {
                    match run(Part::Measure, &asked)? {
                        Outcome::Said(figures) if figures.get("wrong").is_none() => {
                            row.as_object_mut().into_iter().zip(figures.as_object()).for_each(|(row, figures)| row.extend(figures.clone()));
                            break;
                        }
                        Outcome::Said(wrong) => failed.push(format!("wrong: {}", wrong["wrong"])),
                        Outcome::Failed(why) => failed.push(why),
                    }
                }
            }
        }
        if !failed.is_empty() {
            row["failed"] = json!(failed);
        }
        println!("{row}");
    }
    Ok(ExitCode::SUCCESS)
}
