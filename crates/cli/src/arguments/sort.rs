//! Options of sorts.

use std::path::PathBuf;

use clap::Args;

use super::{DTypeChoice, ExplainArray, numbers};

/// How keys are compared, and along what.
#[derive(Debug, Args)]
pub struct SortOptions {
    /// Axis to sort along; negative counts from the last, and none takes the whole array as one row [default: the last]
    #[arg(long, value_name = "K|none", allow_negative_numbers = true, value_parser = axis)]
    pub axis: Option<SortAxis>,
    /// The largest first, and NaN before it; equal elements stay in their order
    #[arg(long)]
    pub descending: bool,
    /// Compare by the bits from B to before E alone: of the unsigned numbers that have the elements' order
    #[arg(long, value_names = ["B", "E"], num_args = 2, allow_negative_numbers = true, value_parser = numbers::bit)]
    pub bits: Option<Vec<u32>>,
}

impl SortOptions {
    /// Whether the whole array was asked for as one row.
    pub fn is_whole(&self) -> bool {
        self.axis == Some(SortAxis::Whole)
    }
}

/// Where segments are.
#[derive(Debug, Args)]
pub struct SortSegments {
    /// Sort segments of the flattened array, each by itself: from each of these integers up to the next. Elements outside of all stay
    #[arg(long, value_name = "O.npy", conflicts_with = "axis")]
    pub offsets: Option<PathBuf>,
}

impl SortSegments {
    /// The file that tells of them, for messages.
    pub fn named(&self) -> (&'static str, Option<&PathBuf>) {
        ("--offsets", self.offsets.as_ref())
    }
}

/// An axis, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SortAxis {
    Along(i64),
    Whole,
}

pub fn axis(text: &str) -> Result<SortAxis, String> {
    match text {
        "none" | "None" => Ok(SortAxis::Whole),
        _ => text.parse().map(SortAxis::Along).map_err(|_| "an axis is a whole number, or none".to_owned()),
    }
}

#[derive(Debug, Args)]
pub struct RunSort {
    /// Array to sort
    #[arg(value_name = "INPUT.npy")]
    pub input: PathBuf,
    #[command(flatten)]
    pub options: SortOptions,
    #[command(flatten)]
    pub segments: SortSegments,
    /// Move a value with each element
    #[arg(long, value_name = "V.npy", requires = "out_values")]
    pub values: Option<PathBuf>,
    /// Write the values in the order of their elements
    #[arg(long, value_name = "W.npy", requires = "values")]
    pub out_values: Option<PathBuf>,
    /// Write the result to a file [default: as text to standard output]
    #[arg(short, long, value_name = "OUT.npy")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct RunArgsort {
    /// Array whose order is found
    #[arg(value_name = "INPUT.npy")]
    pub input: PathBuf,
    #[command(flatten)]
    pub options: SortOptions,
    #[command(flatten)]
    pub segments: SortSegments,
    /// Write the result to a file [default: as text to standard output]
    #[arg(short, long, value_name = "OUT.npy")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct ExplainSort {
    #[command(flatten)]
    pub array: ExplainArray,
    #[command(flatten)]
    pub options: SortOptions,
    /// Type of values that move with the elements, if there are any
    #[arg(long, value_enum, value_name = "TYPE")]
    pub values: Option<DTypeChoice>,
    /// Sort so many segments of the array, each by itself
    #[arg(long, value_name = "S", conflicts_with = "axis", allow_negative_numbers = true, value_parser = numbers::bit)]
    pub segments: Option<u32>,
}

#[derive(Debug, Args)]
pub struct ExplainArgsort {
    #[command(flatten)]
    pub array: ExplainArray,
    #[command(flatten)]
    pub options: SortOptions,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_are_numbers_or_none() {
        assert_eq!(axis("-2"), Ok(SortAxis::Along(-2)));
        assert_eq!(axis("none"), Ok(SortAxis::Whole));
        for wrong in ["", "all", "1.5", "99999999999999999999"] {
            assert!(axis(wrong).is_err(), "{wrong}");
        }
    }
}
