//! The command line.

mod elementwise;
mod histogram;
pub mod numbers;
mod order_statistics;
mod scan;
mod segments;
mod sort;
mod sorted;
mod top_k;

use std::path::PathBuf;

use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};
use wavelane::device::Profile;
use wavelane_reference::{Element, Nan, Op};

use crate::compaction::{ExplainCompactionKernel, RunCompaction};
use crate::npy::Kind;
pub use elementwise::{
    ExplainArray, ExplainConvert, ExplainFill, ExplainPut, ExplainTake, ExplainTransform, RunConvert, RunFill, RunIota, RunPut, RunTake,
    RunTransform,
};
pub use histogram::{Apart, ExplainBincount, ExplainHistogram, RunBincount, RunBins, RunHistogram};
pub use order_statistics::{
    ExplainMedian, ExplainNth, ExplainQuantile, MedianOptions, NthOptions, QuantileOptions, RunMedian, RunNth, RunQuantile,
};
pub use scan::{ExplainScan, RunScan, ScanOptions};
pub use segments::{
    ExplainReduceByKey, ExplainSegmentedReduce, ExplainSegmentedScan, RunReduceByKey, RunSegmentedReduce, RunSegmentedScan,
    SegmentedReduceOptions, SegmentedScanOptions,
};
pub use sort::{ExplainArgsort, ExplainSort, RunArgsort, RunSort, SortAxis, SortOptions, axis as sort_axis};
pub use sorted::{ExplainMerge, ExplainPair, ExplainSearchSorted, RunMerge, RunSearchSorted, RunSetOperation};
pub use top_k::{ExplainTopK, RunTopK, TopKOptions};

/// GPU kernels on Vulkan that pick shared memory or subgroups per device.
#[derive(Debug, Parser)]
#[command(name = "wavelane", version, max_term_width = 120)]
pub struct Arguments {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Clone, Debug, Default, Args)]
pub struct Global {
    /// Device to use: its index in `wavelane info`, or a part of its name [default: $WAVELANE_DEVICE, or the best]
    #[arg(long, global = true, value_name = "INDEX|NAME")]
    pub device: Option<String>,
    /// How the lanes of a workgroup exchange data [default: $WAVELANE_PATH, or auto]
    #[arg(long, global = true, value_name = "PATH")]
    pub path: Option<PathChoice>,
    #[arg(long, global = true, value_name = "NAME", help = profiles())]
    pub profile: Option<String>,
    /// Turn the validation layer on; any message of its makes the command fail
    #[arg(long, global = true)]
    pub validate: bool,
    /// Say more on standard error (-vv: more still)
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub verbose: u8,
}

fn profiles() -> String {
    format!("Simulate a device: narrow the real one to a profile's limits and features [{}, or a .json file]", Profile::names().join(", "))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PathChoice {
    /// What suits the device
    Auto,
    /// Subgroup arithmetic
    Subgroup,
    /// Subgroup shuffles
    Shuffle,
    /// Local shared memory
    Lsm,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show the devices, what they can do, and which path each kernel would take
    Info {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Run a kernel on NumPy files
    Run {
        #[command(subcommand)]
        kernel: RunKernel,
    },
    /// Show how a kernel would run, and why, without running it
    Explain {
        #[command(subcommand)]
        kernel: ExplainKernel,
    },
    /// Check every kernel, path and type against its CPU twin on this device
    Selftest(SelftestArguments),
}

#[derive(Debug, Subcommand)]
pub enum RunKernel {
    /// Reduce an array, whole or along an axis
    Reduce(RunReduce),
    #[command(flatten)]
    Compaction(RunCompaction),
    /// Scan an array, whole or along an axis: running sums, products, extremes
    Scan(RunScan),
    /// Reduce each segment of an array
    #[command(name = "segreduce")]
    SegmentedReduce(RunSegmentedReduce),
    /// Scan each segment of an array
    #[command(name = "segscan")]
    SegmentedScan(RunSegmentedScan),
    /// Reduce the elements beside each run of equal keys
    #[command(name = "reducebykey")]
    ReduceByKey(RunReduceByKey),
    /// Count how many elements are in each bin, or sum their weights
    Histogram(RunHistogram),
    /// Count how often each value occurs, or sum its weights
    Bincount(RunBincount),
    /// Sort an array, along an axis or whole, and values with it
    Sort(RunSort),
    /// The positions that sort an array
    Argsort(RunArgsort),
    /// Where values belong in a sorted array
    #[command(name = "searchsorted")]
    SearchSorted(RunSearchSorted),
    /// Merge two sorted arrays, and values with them
    Merge(RunMerge),
    /// What is in one of two arrays, or in both, sorted, each value once
    #[command(name = "union1d")]
    Union(RunSetOperation),
    /// What is in two arrays, sorted, each value once
    #[command(name = "intersect1d")]
    Intersection(RunSetOperation),
    /// What is in an array and not in another, sorted, each value once
    #[command(name = "setdiff1d")]
    Difference(RunSetOperation),
    /// What is in one of two arrays and not in both, sorted, each value once
    #[command(name = "setxor1d")]
    SymmetricDifference(RunSetOperation),
    /// The largest or smallest elements of each row, in order, and where they stand
    #[command(name = "topk")]
    TopK(RunTopK),
    /// The element that a sort would have at a place, of each row
    Nth(RunNth),
    /// The median of an array, or of each row
    Median(RunMedian),
    /// Quantiles of an array, or of each row
    Quantile(RunQuantile),
    /// Make an array of one value
    Fill(RunFill),
    /// Make an array of numbers in equal steps
    Iota(RunIota),
    /// Convert an array's elements to another type
    Convert(RunConvert),
    /// Take elements of an array by index
    #[command(alias = "gather")]
    Take(RunTake),
    /// Change elements of an array by index
    #[command(alias = "scatter")]
    Put(RunPut),
    /// Compute an operator of each element, or of each pair of two arrays
    Transform(RunTransform),
}

#[derive(Debug, Args)]
pub struct RunReduce {
    /// Array to reduce
    #[arg(value_name = "INPUT.npy")]
    pub input: PathBuf,
    /// What to compute
    #[arg(long, value_enum)]
    pub op: ReduceOp,
    /// Axis to reduce along; negative counts from the last [default: the whole array]
    #[arg(long, value_name = "K", allow_negative_numbers = true, value_parser = numbers::axis)]
    pub axis: Option<i64>,
    /// Keep the reduced axis, with an extent of 1
    #[arg(long)]
    pub keepdims: bool,
    /// What NaN does
    #[arg(long, value_enum, default_value_t = NanChoice::Propagate)]
    pub nan: NanChoice,
    /// Sum integers of up to 32 bits in 64 bits
    #[arg(long)]
    pub wide: bool,
    /// Write the result to a file [default: as text to standard output]
    #[arg(short, long, value_name = "OUT.npy")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub enum ExplainKernel {
    /// How a reduction would run
    Reduce(ExplainReduce),
    #[command(flatten)]
    Compaction(ExplainCompactionKernel),
    /// How a scan would run
    Scan(ExplainScan),
    /// How a reduction of segments would run
    #[command(name = "segreduce")]
    SegmentedReduce(ExplainSegmentedReduce),
    /// How a scan of segments would run
    #[command(name = "segscan")]
    SegmentedScan(ExplainSegmentedScan),
    /// How a reduction by key would run
    #[command(name = "reducebykey")]
    ReduceByKey(ExplainReduceByKey),
    /// How a histogram would run
    Histogram(ExplainHistogram),
    /// How the occurrences of values would be counted
    Bincount(ExplainBincount),
    /// How an array would be sorted
    Sort(ExplainSort),
    /// How the positions that sort an array would be found
    Argsort(ExplainArgsort),
    /// How values would be searched for in a sorted array
    #[command(name = "searchsorted")]
    SearchSorted(ExplainSearchSorted),
    /// How two sorted arrays would be merged
    Merge(ExplainMerge),
    /// How it would be found what is in one of two sorted arrays, or in both
    #[command(name = "union1d")]
    Union(ExplainPair),
    /// How it would be found what is in two sorted arrays
    #[command(name = "intersect1d")]
    Intersection(ExplainPair),
    /// How it would be found what is in a sorted array and not in another
    #[command(name = "setdiff1d")]
    Difference(ExplainPair),
    /// How it would be found what is in one of two sorted arrays and not in both
    #[command(name = "setxor1d")]
    SymmetricDifference(ExplainPair),
    /// How the largest or smallest elements would be found
    #[command(name = "topk")]
    TopK(ExplainTopK),
    /// How the element at a place would be found
    Nth(ExplainNth),
    /// How the neighbours of a median would be found
    Median(ExplainMedian),
    /// How the neighbours of quantiles would be found
    Quantile(ExplainQuantile),
    /// How an array would be filled
    Fill(ExplainFill),
    /// How numbers in equal steps would be made
    Iota(ExplainArray),
    /// How elements would be converted
    Convert(ExplainConvert),
    /// How elements would be taken by index
    #[command(alias = "gather")]
    Take(ExplainTake),
    /// How elements would be changed by index
    #[command(alias = "scatter")]
    Put(ExplainPut),
    /// How an operator of elements would run
    Transform(ExplainTransform),
}

#[derive(Debug, Args)]
pub struct ExplainReduce {
    /// What to compute
    #[arg(long, value_enum, default_value_t = ReduceOp(Op::Sum))]
    pub op: ReduceOp,
    /// Type of the elements
    #[arg(long, value_enum)]
    pub dtype: DTypeChoice,
    /// Elements of a one-dimensional array
    #[arg(long, required_unless_present = "shape", conflicts_with = "shape", allow_negative_numbers = true, value_parser = numbers::count)]
    pub n: Option<u64>,
    /// Extents of an array, such as 2,3,4
    #[arg(long, value_delimiter = ',', value_name = "N,N,…", allow_hyphen_values = true, value_parser = numbers::extent)]
    pub shape: Option<Vec<u64>>,
    /// Axis to reduce along; negative counts from the last [default: the whole array]
    #[arg(long, value_name = "K", allow_negative_numbers = true, value_parser = numbers::axis)]
    pub axis: Option<i64>,
    /// What NaN does
    #[arg(long, value_enum, default_value_t = NanChoice::Propagate)]
    pub nan: NanChoice,
    /// Sum integers of up to 32 bits in 64 bits
    #[arg(long)]
    pub wide: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Copy, Debug, Args)]
pub struct SelftestArguments {
    /// Fewer operators, and fewer and smaller arrays
    #[arg(long)]
    pub quick: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// An operation of the reduction, by its name on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReduceOp(pub Op);

impl ValueEnum for ReduceOp {
    fn value_variants<'a>() -> &'a [Self] {
        static ALL: [ReduceOp; Op::ALL.len()] = {
            let mut all = [ReduceOp(Op::Sum); Op::ALL.len()];
            let mut at = 0;
            while at < all.len() {
                all[at] = ReduceOp(Op::ALL[at]);
                at += 1;
            }
            all
        };
        &ALL
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        Some(clap::builder::PossibleValue::new(self.0.name()))
    }
}

/// A type of elements, by its name on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DTypeChoice(pub Element);

impl ValueEnum for DTypeChoice {
    fn value_variants<'a>() -> &'a [Self] {
        static ALL: [DTypeChoice; 11] = [
            DTypeChoice(Element::U8),
            DTypeChoice(Element::U16),
            DTypeChoice(Element::I8),
            DTypeChoice(Element::I16),
            DTypeChoice(Element::U32),
            DTypeChoice(Element::I32),
            DTypeChoice(Element::F32),
            DTypeChoice(Element::U64),
            DTypeChoice(Element::I64),
            DTypeChoice(Element::F64),
            DTypeChoice(Element::F16),
        ];
        &ALL
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        Some(clap::builder::PossibleValue::new(self.0.name()).alias(Kind::of(self.0).numpy_name()))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum NanChoice {
    /// NaN comes through, as in numpy.sum
    Propagate,
    /// NaN is skipped, as in numpy.nansum
    Ignore,
}

impl From<NanChoice> for Nan {
    fn from(choice: NanChoice) -> Nan {
        match choice {
            NanChoice::Propagate => Nan::Propagate,
            NanChoice::Ignore => Nan::Ignore,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    fn parse(line: &str) -> Result<Arguments, clap::Error> {
        Arguments::try_parse_from(std::iter::once("wavelane").chain(line.split_whitespace()))
    }

    #[test]
    fn the_definition_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn global_options_stand_anywhere() {
        for line in ["--path lsm run reduce --op max x.npy", "run --path lsm reduce --op max x.npy", "run reduce x.npy --op max --path lsm"]
        {
            let arguments = parse(line).unwrap();
            assert_eq!(arguments.global.path, Some(PathChoice::Lsm), "{line}");
            let Command::Run { kernel: RunKernel::Reduce(reduce) } = arguments.command else { panic!("{line}") };
            assert_eq!((reduce.op.0, reduce.axis, reduce.nan), (Op::Max, None, NanChoice::Propagate));
        }
    }

    #[test]
    fn negative_axes() {
        let Command::Run { kernel: RunKernel::Reduce(reduce) } = parse("run reduce --op argmin --axis -2 x.npy").unwrap().command else {
            panic!()
        };
        assert_eq!((reduce.op.0, reduce.axis), (Op::ArgMin, Some(-2)));
    }

    #[test]
    fn every_operation_and_type_has_its_name() {
        for op in Op::ALL {
            assert!(parse(&format!("run reduce --op {} x.npy", op.name())).is_ok());
        }
        for element in Element::ALL {
            assert!(parse(&format!("explain reduce --dtype {} --n 5", element.name())).is_ok());
        }
        assert!(parse("explain reduce --dtype float32 --shape 2,3,4 --axis 1").is_ok());
    }

    #[test]
    fn wrong_lines_are_refused() {
        for line in [
            "",
            "run",
            "run reduce x.npy",
            "run reduce --op median x.npy",
            "run reduce --op sum",
            "run reduce --op sum --axis 99999999999999999999 x.npy",
            "run reduce --op sum --axis 1.5 x.npy",
            "run reduce --op sum --path fast x.npy",
            "explain reduce --dtype f32",
            "explain reduce --dtype f32 --n 5 --shape 5",
            "explain reduce --dtype f32 --n -5",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
