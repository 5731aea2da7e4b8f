//! Options of partitions: by a condition, or around a place of the order.

use std::path::PathBuf;

use clap::{ArgGroup, Args};

use super::{ExplainCompaction, InRows};
use crate::arguments::{SortAxis, numbers};
use crate::files;
use crate::report::Failure;

// Either a condition, as a selection has it, or a place. What belongs to the place excludes conditions, and does not require the place: the parser drops what is required where it conflicts with what is given.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("condition").required(true).args(["compare", "mask", "k"])))]
pub struct RunPartition {
    /// Array to partition
    #[arg(value_name = "INPUT.npy")]
    pub input: PathBuf,
    /// Elements that compare so with a value come first
    #[arg(long = "where", num_args = 2, value_names = ["lt|le|gt|ge|eq|ne", "VALUE"], allow_negative_numbers = true, allow_hyphen_values = true)]
    pub compare: Option<Vec<String>>,
    /// Elements whose entry in an array of truth values is set come first
    #[arg(long, value_name = "M.npy")]
    pub mask: Option<PathBuf>,
    /// The element that a sort would have at this place stands there, those before it are none larger, those behind it none smaller; negative counts from the last
    #[arg(long, visible_alias = "kth", value_name = "K", conflicts_with = "rows", allow_negative_numbers = true, value_parser = numbers::place)]
    pub k: Option<i64>,
    /// With --k: none takes the whole array as one row [default: rows are along the last axis]
    #[arg(long, value_name = "K|none", conflicts_with_all = ["compare", "mask"], allow_negative_numbers = true, value_parser = crate::arguments::sort_axis)]
    pub axis: Option<SortAxis>,
    #[command(flatten)]
    pub in_rows: InRows,
    /// Write the result to a file [default: as text to standard output]
    #[arg(short, long, value_name = "OUT.npy")]
    pub output: Option<PathBuf>,
    /// With --k: write where the elements stood in their rows, as np.argpartition
    #[arg(long, value_name = "I.npy", conflicts_with_all = ["compare", "mask"])]
    pub out_indices: Option<PathBuf>,
}

impl RunPartition {
    pub(super) fn check_files(&self) -> Result<(), Failure> {
        // The parser drops what --out-offsets requires where --k is given.
        if self.k.is_some() && self.in_rows.out_offsets.is_some() {
            return Err(Failure::usage(
                "--out-offsets has no effect with --k".to_owned(),
                "leave it out: around a place rows keep all their elements".to_owned(),
            ));
        }
        let inputs = [("the input", Some(&self.input)), ("--mask", self.mask.as_ref())];
        let outputs = [
            ("-o", self.output.as_ref()),
            ("--out-offsets", self.in_rows.out_offsets.as_ref()),
            ("--out-indices", self.out_indices.as_ref()),
        ];
        files::check(&inputs, &outputs)
    }
}

/// What an explained partition works on.
#[derive(Debug, Args)]
pub struct ExplainPartition {
    #[command(flatten)]
    pub array: ExplainCompaction,
    /// Place in the order that elements are arranged around, from 0; negative counts from the last [default: a condition]
    #[arg(long, visible_alias = "kth", value_name = "K", conflicts_with = "mask", allow_negative_numbers = true, value_parser = numbers::place)]
    pub k: Option<i64>,
}
