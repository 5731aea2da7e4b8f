//! Options of the first keys of rows.

use std::path::PathBuf;

use clap::Args;

use super::{ExplainArray, SortAxis, numbers};

/// Which keys, and of what.
#[derive(Debug, Args)]
pub struct TopKOptions {
    /// How many of each row
    #[arg(long, value_name = "K", allow_negative_numbers = true, value_parser = numbers::count)]
    pub k: u64,
    /// The smallest, the smallest first, instead of the largest
    #[arg(long)]
    pub smallest: bool,
    /// none takes the whole array as one row [default: rows are along the last axis]
    #[arg(long, value_name = "K|none", allow_negative_numbers = true, value_parser = super::sort::axis)]
    pub axis: Option<SortAxis>,
}

#[derive(Debug, Args)]
pub struct RunTopK {
    /// Array of which the largest elements are found
    #[arg(value_name = "INPUT.npy")]
    pub input: PathBuf,
    #[command(flatten)]
    pub options: TopKOptions,
    /// Write the elements to a file [default: as text to standard output]
    #[arg(short, long, value_name = "OUT.npy")]
    pub output: Option<PathBuf>,
    /// Write where they stand in their rows
    #[arg(long, value_name = "I.npy")]
    pub out_indices: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct ExplainTopK {
    #[command(flatten)]
    pub array: ExplainArray,
    #[command(flatten)]
    pub options: TopKOptions,
}
