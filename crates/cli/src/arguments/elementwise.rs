//! Options of the kernels that treat elements one by one.

use std::path::PathBuf;

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use wavelane::TransformOp;

use super::{DTypeChoice, numbers};

#[derive(Debug, Args)]
pub struct RunFill {
    /// Type of the elements
    #[arg(long, value_enum)]
    pub dtype: DTypeChoice,
    /// Extents of the array, such as 2,3
    #[arg(long, value_delimiter = ',', value_name = "N,N,…", allow_hyphen_values = true, value_parser = numbers::extent)]
    pub shape: Vec<u64>,
    /// The value
    #[arg(long, allow_hyphen_values = true)]
    pub value: String,
    /// Write the result to a file [default: as text to standard output]
    #[arg(short, long, value_name = "OUT.npy")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct RunIota {
    /// Type of the elements
    #[arg(long, value_enum)]
    pub dtype: DTypeChoice,
    /// How many
    #[arg(long, allow_negative_numbers = true, value_parser = numbers::count)]
    pub n: u64,
    /// The first element
    #[arg(long, default_value = "0", allow_hyphen_values = true)]
    pub start: String,
    /// What each is more than the one before
    #[arg(long, default_value = "1", allow_hyphen_values = true)]
    pub step: String,
    /// Write the result to a file [default: as text to standard output]
    #[arg(short, long, value_name = "OUT.npy")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct RunConvert {
    /// Array to convert
    #[arg(value_name = "INPUT.npy")]
    pub input: PathBuf,
    /// Type that its elements become
    #[arg(long, value_enum)]
    pub dtype: DTypeChoice,
    /// Write the result to a file [default: as text to standard output]
    #[arg(short, long, value_name = "OUT.npy")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct RunTake {
    /// Array to take from
    #[arg(value_name = "INPUT.npy")]
    pub input: PathBuf,
    /// Integers that say which elements; negative ones count from the end
    #[arg(long, value_name = "I.npy")]
    pub indices: PathBuf,
    /// Axis that they are along; negative counts from the last [default: the whole array as one]
    #[arg(long, value_name = "K", allow_negative_numbers = true, value_parser = numbers::axis)]
    pub axis: Option<i64>,
    /// Write the result to a file [default: as text to standard output]
    #[arg(short, long, value_name = "OUT.npy")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct RunPut {
    /// Array of which a changed copy is made
    #[arg(value_name = "INPUT.npy")]
    pub input: PathBuf,
    /// Integers that say which elements change; negative ones count from the end
    #[arg(long, value_name = "I.npy")]
    pub indices: PathBuf,
    /// What they change to, taken from the start again where there are fewer
    #[arg(long, value_name = "V.npy")]
    pub values: PathBuf,
    /// Write the result to a file [default: as text to standard output]
    #[arg(short, long, value_name = "OUT.npy")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct RunTransform {
    /// What to compute
    #[arg(value_enum, value_name = "OP")]
    pub op: TransformChoice,
    /// First operand
    #[arg(value_name = "A.npy")]
    pub a: PathBuf,
    /// Second operand, for operators of two; its shape stretches as numpy's do
    #[arg(value_name = "B.npy")]
    pub b: Option<PathBuf>,
    /// Write the result to a file [default: as text to standard output]
    #[arg(short, long, value_name = "OUT.npy")]
    pub output: Option<PathBuf>,
}

/// What `explain` has to know of an array.
#[derive(Debug, Args)]
pub struct ExplainArray {
    /// Type of the elements
    #[arg(long, value_enum)]
    pub dtype: DTypeChoice,
    /// Elements of a one-dimensional array
    #[arg(long, required_unless_present = "shape", conflicts_with = "shape", allow_negative_numbers = true, value_parser = numbers::count)]
    pub n: Option<u64>,
    /// Extents of an array, such as 2,3,4
    #[arg(long, value_delimiter = ',', value_name = "N,N,…", allow_hyphen_values = true, value_parser = numbers::extent)]
    pub shape: Option<Vec<u64>>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct ExplainFill {
    #[command(flatten)]
    pub array: ExplainArray,
    /// As many elements as a buffer of the device says, those given at most
    #[arg(long)]
    pub counted: bool,
}

#[derive(Debug, Args)]
pub struct ExplainConvert {
    #[command(flatten)]
    pub array: ExplainArray,
    /// Type that the elements become
    #[arg(long, value_enum)]
    pub to: DTypeChoice,
}

#[derive(Debug, Args)]
pub struct ExplainTake {
    #[command(flatten)]
    pub array: ExplainArray,
    /// How many indices
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = numbers::count)]
    pub indices: u64,
    /// Axis that they are along; negative counts from the last [default: the whole array as one]
    #[arg(long, value_name = "K", allow_negative_numbers = true, value_parser = numbers::axis)]
    pub axis: Option<i64>,
}

#[derive(Debug, Args)]
pub struct ExplainPut {
    #[command(flatten)]
    pub array: ExplainArray,
    /// How many indices
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = numbers::count)]
    pub indices: u64,
}

#[derive(Debug, Args)]
pub struct ExplainTransform {
    /// What to compute
    #[arg(value_enum, value_name = "OP")]
    pub op: TransformChoice,
    #[command(flatten)]
    pub array: ExplainArray,
    /// Extents of the second operand [default: the first one's]
    #[arg(long, value_delimiter = ',', value_name = "N,N,…", allow_hyphen_values = true, value_parser = numbers::extent)]
    pub with: Option<Vec<u64>>,
}

/// An operator of elements, by its name on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransformChoice(pub TransformOp);

impl ValueEnum for TransformChoice {
    fn value_variants<'a>() -> &'a [Self] {
        static ALL: [TransformChoice; TransformOp::ALL.len()] = {
            let mut all = [TransformChoice(TransformOp::Neg); TransformOp::ALL.len()];
            let mut at = 0;
            while at < all.len() {
                all[at] = TransformChoice(TransformOp::ALL[at]);
                at += 1;
            }
            all
        };
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.name()))
    }
}
