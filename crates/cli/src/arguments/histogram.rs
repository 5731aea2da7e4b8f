//! Options of histograms.

use std::path::PathBuf;

use clap::Args;

use super::{DTypeChoice, ExplainArray, numbers};

#[derive(Debug, Args)]
pub struct RunHistogram {
    /// Array whose elements are counted
    #[arg(value_name = "INPUT.npy")]
    pub input: PathBuf,
    #[command(flatten)]
    pub bins: RunBins,
    /// Sum these weights instead of counting: u32, i32 or f32, one for each element
    #[arg(long, value_name = "W.npy")]
    pub weights: Option<PathBuf>,
    #[command(flatten)]
    pub apart: Apart,
    /// Write the result to a file [default: as text to standard output]
    #[arg(short, long, value_name = "OUT.npy")]
    pub output: Option<PathBuf>,
}

/// Which bins there are.
#[derive(Debug, Args)]
pub struct RunBins {
    /// So many bins of one width, over --range
    #[arg(long, value_name = "B", requires = "range", conflicts_with = "edges", allow_negative_numbers = true, value_parser = numbers::size)]
    pub bins: Option<usize>,
    /// Where the first bin begins, and where the last one ends
    #[arg(long, value_names = ["LO", "HI"], num_args = 2, requires = "bins", conflicts_with = "edges", allow_hyphen_values = true, value_parser = numbers::bound)]
    pub range: Option<Vec<f64>>,
    /// The edges of bins, ascending, one more than there are bins
    #[arg(long, value_name = "E.npy")]
    pub edges: Option<PathBuf>,
}

impl RunBins {
    /// Whether no elements have such bins.
    pub fn are_never_right(&self) -> bool {
        let is_range = |range: &[f64]| matches!(range, [low, high] if low < high && low.is_finite() && high.is_finite());
        self.bins == Some(0) || self.range.as_deref().is_some_and(|range| !is_range(range))
    }
}

/// What has a histogram of its own.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct Apart {
    /// A histogram of each of the first N values along the last axis, which are a pixel's channels
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = numbers::size)]
    pub channels: Option<usize>,
    /// A histogram of each row
    #[arg(long)]
    pub rows: bool,
}

#[derive(Debug, Args)]
pub struct RunBincount {
    /// Integers, each of which is the number of a bin
    #[arg(value_name = "INPUT.npy")]
    pub input: PathBuf,
    /// Sum these weights, in f64, instead of counting: bool, u8, u16, i8, i16, u32, i32, f16 or f32, one for each element
    #[arg(long, value_name = "W.npy")]
    pub weights: Option<PathBuf>,
    /// Give at least so many results
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true, value_parser = numbers::size)]
    pub minlength: usize,
    /// Write the result to a file [default: as text to standard output]
    #[arg(short, long, value_name = "OUT.npy")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct ExplainHistogram {
    #[command(flatten)]
    pub array: ExplainArray,
    /// So many bins of one width
    #[arg(long, value_name = "B", allow_negative_numbers = true, value_parser = numbers::size)]
    pub bins: usize,
    /// Where the first bin begins, and where the last one ends
    #[arg(long, value_names = ["LO", "HI"], num_args = 2, default_values = ["0", "1"], allow_hyphen_values = true, value_parser = numbers::bound)]
    pub range: Vec<f64>,
    /// Type of weights, if there are any
    #[arg(long, value_enum, value_name = "TYPE")]
    pub weights: Option<DTypeChoice>,
    #[command(flatten)]
    pub apart: Apart,
}

#[derive(Debug, Args)]
pub struct ExplainBincount {
    #[command(flatten)]
    pub array: ExplainArray,
    /// Results: one more than the greatest element
    #[arg(long, value_name = "B", allow_negative_numbers = true, value_parser = numbers::size)]
    pub bins: usize,
    /// Type of weights, if there are any
    #[arg(long, value_enum, value_name = "TYPE")]
    pub weights: Option<DTypeChoice>,
}
