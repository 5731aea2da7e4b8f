//! The command line.

use std::path::PathBuf;

use clap::Parser;

/// Measures what recording and submitting through Wavelane costs, against the same Vulkan calls in bare ash.
#[derive(Debug, Parser)]
#[command(name = "wavelane-bench", version)]
pub struct Arguments {
    /// The device, by its index or a part of its name
    #[arg(long, value_name = "INDEX|NAME")]
    pub device: Option<String>,
    /// Rounds of each measurement; each gives one ratio
    #[arg(long, default_value_t = 31, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub rounds: u32,
    /// Samples of each side in a round, taken in turns
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub samples: u32,
    /// Measure only what has this in its name
    #[arg(long, value_name = "TEXT")]
    pub only: Option<String>,
    /// Write the figures to a file
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Fail where a ratio is above its bar
    #[arg(long)]
    pub check: bool,
}
