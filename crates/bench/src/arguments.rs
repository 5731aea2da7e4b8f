//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use wavelane::Path;

/// Measures what recording and submitting through Wavelane costs, against the same Vulkan calls in bare ash; or kernels.
#[derive(Debug, Parser)]
#[command(name = "wavelane-bench", version, args_conflicts_with_subcommands = true)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Option<Command>,
    #[command(flatten)]
    pub recording: Recording,
}

/// What else there is to measure.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Measures kernels on the device's own clock, after their results were compared with the CPU's
    Kernels(Kernels),
}

/// The costs of recording and submitting.
#[derive(Debug, Args)]
pub struct Recording {
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

/// The times of kernels.
#[derive(Debug, Args)]
pub struct Kernels {
    /// Measure only the cases with these words in their names, as `scan sum` or `u32`
    #[arg(value_name = "FILTER")]
    pub filter: Vec<String>,
    /// The device, by its index or a part of its name
    #[arg(long, value_name = "INDEX|NAME")]
    pub device: Option<String>,
    /// The path that every kernel takes; without it `WAVELANE_PATH` says, and `auto` leaves it to selection
    #[arg(long, value_name = "auto|lsm|subgroup|shuffle", value_parser = path)]
    pub path: Option<ForcedPath>,
    /// Numbers of elements, as powers of two
    #[arg(long, value_name = "LOG2,...", value_delimiter = ',', default_value = "16,20,24,26",
        value_parser = clap::value_parser!(u32).range(4..=31))]
    pub sizes: Vec<u32>,
    /// Samples of each figure
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub samples: u32,
    /// Sets of buffers that samples take in turns
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub sets: u32,
    /// Write the figures to a file
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Fail where a bar is broken
    #[arg(long)]
    pub check: bool,
    /// Only list the cases
    #[arg(long)]
    pub list: bool,
}

/// A path that was named, `auto` for none.
#[derive(Clone, Copy, Debug)]
pub struct ForcedPath(pub Option<Path>);

fn path(text: &str) -> Result<ForcedPath, wavelane::Error> {
    Path::parse(text).map(ForcedPath)
}
