//! Options of kernels on sorted arrays.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use wavelane::SearchSide;

use super::{DTypeChoice, ExplainArray};

/// Where a value goes among elements that are equal to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Side {
    /// Before them
    Left,
    /// Behind them
    Right,
}

impl From<Side> for SearchSide {
    fn from(side: Side) -> Self {
        match side {
            Side::Left => SearchSide::Left,
            Side::Right => SearchSide::Right,
        }
    }
}

#[derive(Debug, Args)]
pub struct RunSearchSorted {
    /// Sorted array to search in, ascending and of one dimension
    #[arg(value_name = "A.npy")]
    pub array: PathBuf,
    /// Values to search for, of any shape
    #[arg(value_name = "V.npy")]
    pub values: PathBuf,
    /// Where a value goes among elements that are equal to it
    #[arg(long, value_enum, default_value_t = Side::Left)]
    pub side: Side,
    /// Write the result to a file [default: as text to standard output]
    #[arg(short, long, value_name = "OUT.npy")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct ExplainSearchSorted {
    /// The sorted array
    #[command(flatten)]
    pub array: ExplainArray,
    /// How many values
    #[arg(long, value_name = "N")]
    pub values: u64,
    /// Where a value goes among elements that are equal to it
    #[arg(long, value_enum, default_value_t = Side::Left)]
    pub side: Side,
}

#[derive(Debug, Args)]
pub struct RunMerge {
    /// First sorted array, of one dimension
    #[arg(value_name = "A.npy")]
    pub first: PathBuf,
    /// Second one
    #[arg(value_name = "B.npy")]
    pub second: PathBuf,
    /// Both have the largest element first, and NaN before it
    #[arg(long)]
    pub descending: bool,
    /// Move a value with each element of the first array
    #[arg(long, value_name = "VA.npy", requires_all = ["second_values", "out_values"])]
    pub values: Option<PathBuf>,
    /// And one with each of the second
    #[arg(long, value_name = "VB.npy", requires = "values")]
    pub second_values: Option<PathBuf>,
    /// Write the values in the order of their elements
    #[arg(long, value_name = "W.npy", requires = "values")]
    pub out_values: Option<PathBuf>,
    /// Write the result to a file [default: as text to standard output]
    #[arg(short, long, value_name = "OUT.npy")]
    pub output: Option<PathBuf>,
}

/// Two sorted arrays.
#[derive(Debug, Args)]
pub struct ExplainPair {
    /// The first array
    #[command(flatten)]
    pub array: ExplainArray,
    /// Elements of the second
    #[arg(long, value_name = "N")]
    pub second: u64,
}

#[derive(Debug, Args)]
pub struct ExplainMerge {
    #[command(flatten)]
    pub pair: ExplainPair,
    /// Both have the largest element first, and NaN before it
    #[arg(long)]
    pub descending: bool,
    /// Type of values that move with the elements, if there are any
    #[arg(long, value_enum, value_name = "TYPE")]
    pub values: Option<DTypeChoice>,
}

#[derive(Debug, Args)]
pub struct RunSetOperation {
    /// First array, of any shape
    #[arg(value_name = "A.npy")]
    pub first: PathBuf,
    /// Second one
    #[arg(value_name = "B.npy")]
    pub second: PathBuf,
    /// Take both as sorted, which saves sorting them; elements may come several times
    #[arg(long)]
    pub assume_sorted: bool,
    /// Write the result to a file [default: as text to standard output]
    #[arg(short, long, value_name = "OUT.npy")]
    pub output: Option<PathBuf>,
}
