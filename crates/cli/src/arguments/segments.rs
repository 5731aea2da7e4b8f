//! Options of kernels on segments.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use wavelane_reference::Op;

use super::scan::{ScanChoice, StrategyChoice};
use super::{DTypeChoice, ExplainArray, NanChoice, ReduceOp, numbers};

/// What segments are reduced by.
#[derive(Clone, Copy, Debug, Args)]
pub struct SegmentedReduceOptions {
    /// What to compute
    #[arg(long, value_enum)]
    pub op: ReduceOp,
    /// What NaN does
    #[arg(long, value_enum, default_value_t = NanChoice::Propagate)]
    pub nan: NanChoice,
    /// Sum integers of up to 32 bits in 64 bits
    #[arg(long)]
    pub wide: bool,
}

#[derive(Debug, Args)]
pub struct RunSegmentedReduce {
    /// Array to reduce
    #[arg(value_name = "INPUT.npy")]
    pub input: PathBuf,
    #[command(flatten)]
    pub reduce: SegmentedReduceOptions,
    #[command(flatten)]
    pub segments: ReducedSegments,
    /// Write the result to a file [default: as text to standard output]
    #[arg(short, long, value_name = "OUT.npy")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct ExplainSegmentedReduce {
    #[command(flatten)]
    pub array: ExplainArray,
    #[command(flatten)]
    pub reduce: SegmentedReduceOptions,
    #[command(flatten)]
    pub segments: ReducedSegmentKinds,
}

/// What tells the segments that are reduced.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub struct ReducedSegments {
    /// Where each segment begins, and where the last one ends
    #[arg(long, value_name = "O.npy")]
    pub offsets: Option<PathBuf>,
    /// For each element whether a segment begins with it
    #[arg(long, value_name = "F.npy")]
    pub flags: Option<PathBuf>,
    /// Elements of each segment; the last has what is left
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = numbers::length)]
    pub length: Option<NonZeroUsize>,
}

/// What would tell the segments that are reduced.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub struct ReducedSegmentKinds {
    /// Offsets of so many segments
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = numbers::count)]
    pub segments: Option<u64>,
    /// A flag for each element
    #[arg(long)]
    pub flags: bool,
    /// Elements of each segment; the last has what is left
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = numbers::length)]
    pub length: Option<NonZeroUsize>,
}

/// What segments are scanned by, and how.
#[derive(Clone, Copy, Debug, Args)]
pub struct SegmentedScanOptions {
    /// What to combine elements by
    #[arg(long, value_enum)]
    pub op: ScanChoice,
    /// Leave each result's own element out
    #[arg(long)]
    pub exclusive: bool,
    /// Go from the end of each segment to its beginning
    #[arg(long)]
    pub reverse: bool,
    /// Sum integers of up to 32 bits in 64 bits
    #[arg(long)]
    pub wide: bool,
    /// How workgroups find what came before their elements [default: what suits the device]
    #[arg(long, value_enum)]
    pub strategy: Option<StrategyChoice>,
}

#[derive(Debug, Args)]
pub struct RunSegmentedScan {
    /// Array to scan
    #[arg(value_name = "INPUT.npy")]
    pub input: PathBuf,
    #[command(flatten)]
    pub scan: SegmentedScanOptions,
    /// What comes before the first element of each segment
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    pub initial: Option<String>,
    #[command(flatten)]
    pub segments: SegmentFiles,
    /// Write the result to a file [default: as text to standard output]
    #[arg(short, long, value_name = "OUT.npy")]
    pub output: Option<PathBuf>,
}

/// What tells where segments begin.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub struct SegmentFiles {
    /// Where each segment begins, and where the last one ends
    #[arg(long, value_name = "O.npy")]
    pub offsets: Option<PathBuf>,
    /// For each element whether a segment begins with it
    #[arg(long, value_name = "F.npy")]
    pub flags: Option<PathBuf>,
    /// A key for each element: neighbours with equal ones are of one segment
    #[arg(long, value_name = "K.npy")]
    pub keys: Option<PathBuf>,
    /// Elements of each segment; the last has what is left
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = numbers::length)]
    pub length: Option<NonZeroUsize>,
}

#[derive(Debug, Args)]
pub struct ExplainSegmentedScan {
    #[command(flatten)]
    pub array: ExplainArray,
    #[command(flatten)]
    pub scan: SegmentedScanOptions,
    #[command(flatten)]
    pub segments: SegmentKinds,
}

/// What would tell where segments begin.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub struct SegmentKinds {
    /// So many offsets
    #[arg(long, value_name = "COUNT", allow_negative_numbers = true, value_parser = numbers::count)]
    pub offsets: Option<u64>,
    /// A flag for each element
    #[arg(long)]
    pub flags: bool,
    /// A key of this type for each element
    #[arg(long, value_enum, value_name = "DTYPE")]
    pub keys: Option<DTypeChoice>,
    /// Elements of each segment; the last has what is left
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = numbers::length)]
    pub length: Option<NonZeroUsize>,
}

/// An operation that elements beside equal keys are reduced by, by its name on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByKeyOp(pub Op);

impl ValueEnum for ByKeyOp {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: [ByKeyOp; 7] =
            [ByKeyOp(Op::Sum), ByKeyOp(Op::Prod), ByKeyOp(Op::Min), ByKeyOp(Op::Max), ByKeyOp(Op::And), ByKeyOp(Op::Or), ByKeyOp(Op::Xor)];
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.name()))
    }
}

#[derive(Debug, Args)]
pub struct RunReduceByKey {
    /// Keys, of which equal neighbours belong together
    #[arg(value_name = "KEYS.npy")]
    pub keys: PathBuf,
    /// The element beside each key
    #[arg(value_name = "VALUES.npy")]
    pub values: PathBuf,
    /// What to compute
    #[arg(long, value_enum)]
    pub op: ByKeyOp,
    /// Sum integers of up to 32 bits in 64 bits
    #[arg(long)]
    pub wide: bool,
    /// Write the key of each run to a file
    #[arg(long, value_name = "K.npy")]
    pub out_keys: PathBuf,
    /// Write the result of each run to a file
    #[arg(long, value_name = "V.npy")]
    pub out_values: PathBuf,
}

#[derive(Debug, Args)]
pub struct ExplainReduceByKey {
    #[command(flatten)]
    pub array: ExplainArray,
    /// What to compute
    #[arg(long, value_enum)]
    pub op: ByKeyOp,
    /// Type of the keys
    #[arg(long, value_enum, value_name = "DTYPE")]
    pub key: DTypeChoice,
    /// Sum integers of up to 32 bits in 64 bits
    #[arg(long)]
    pub wide: bool,
}
