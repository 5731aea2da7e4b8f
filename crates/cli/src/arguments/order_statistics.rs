//! Options of order statistics.

use std::path::PathBuf;

use clap::Args;

use super::{ExplainArray, SortAxis, numbers};

/// Along what keys are ordered, where rows are along the last axis if nothing is said.
#[derive(Debug, Args)]
pub struct NthOptions {
    /// Place in the order, from 0; negative counts from the last
    #[arg(long, value_name = "K", allow_negative_numbers = true, value_parser = numbers::place)]
    pub k: i64,
    /// none takes the whole array as one row [default: rows are along the last axis]
    #[arg(long, value_name = "K|none", allow_negative_numbers = true, value_parser = super::sort::axis)]
    pub axis: Option<SortAxis>,
}

/// Along what keys are ordered, where the whole array is if nothing is said, as by numpy.
#[derive(Debug, Args)]
pub struct MedianOptions {
    /// The last axis takes rows along it [default: none, which takes the whole array]
    #[arg(long, value_name = "K|none", allow_negative_numbers = true, value_parser = super::sort::axis)]
    pub axis: Option<SortAxis>,
}

/// Which quantiles.
#[derive(Debug, Args)]
pub struct QuantileOptions {
    /// Numbers from 0 to 1; of several results have an axis in front
    #[arg(long, value_name = "Q,…", required = true, value_delimiter = ',', allow_hyphen_values = true, value_parser = numbers::quantile)]
    pub q: Vec<f64>,
    #[command(flatten)]
    pub along: MedianOptions,
}

#[derive(Debug, Args)]
pub struct RunNth {
    /// Array whose elements are ordered
    #[arg(value_name = "INPUT.npy")]
    pub input: PathBuf,
    #[command(flatten)]
    pub options: NthOptions,
    /// Write the result to a file [default: as text to standard output]
    #[arg(short, long, value_name = "OUT.npy")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct RunMedian {
    /// Array whose median is found
    #[arg(value_name = "INPUT.npy")]
    pub input: PathBuf,
    #[command(flatten)]
    pub options: MedianOptions,
    /// Write the result to a file [default: as text to standard output]
    #[arg(short, long, value_name = "OUT.npy")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct RunQuantile {
    /// Array whose quantiles are found
    #[arg(value_name = "INPUT.npy")]
    pub input: PathBuf,
    #[command(flatten)]
    pub options: QuantileOptions,
    /// Write the result to a file [default: as text to standard output]
    #[arg(short, long, value_name = "OUT.npy")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct ExplainNth {
    #[command(flatten)]
    pub array: ExplainArray,
    #[command(flatten)]
    pub options: NthOptions,
}

#[derive(Debug, Args)]
pub struct ExplainMedian {
    #[command(flatten)]
    pub array: ExplainArray,
    #[command(flatten)]
    pub options: MedianOptions,
}

#[derive(Debug, Args)]
pub struct ExplainQuantile {
    #[command(flatten)]
    pub array: ExplainArray,
    #[command(flatten)]
    pub options: QuantileOptions,
}
