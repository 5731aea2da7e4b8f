//! Options of scans.

use std::path::PathBuf;

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use wavelane::{ScanOp, ScanStrategy};

use super::{ExplainArray, numbers};

/// What is scanned by, and how.
#[derive(Debug, Args)]
pub struct ScanOptions {
    /// What to combine elements by
    #[arg(long, value_enum)]
    pub op: ScanChoice,
    /// Axis to scan along; negative counts from the last [default: the whole array as one]
    #[arg(long, value_name = "K", allow_negative_numbers = true, value_parser = numbers::axis)]
    pub axis: Option<i64>,
    /// Leave each result's own element out
    #[arg(long)]
    pub exclusive: bool,
    /// Go from the end of the axis to its beginning
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
pub struct RunScan {
    /// Array to scan
    #[arg(value_name = "INPUT.npy")]
    pub input: PathBuf,
    #[command(flatten)]
    pub scan: ScanOptions,
    /// What comes before the first element
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    pub initial: Option<String>,
    /// Write the result to a file [default: as text to standard output]
    #[arg(short, long, value_name = "OUT.npy")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct ExplainScan {
    #[command(flatten)]
    pub array: ExplainArray,
    #[command(flatten)]
    pub scan: ScanOptions,
}

/// An operator of the scan, by its name on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScanChoice(pub ScanOp);

impl ValueEnum for ScanChoice {
    fn value_variants<'a>() -> &'a [Self] {
        static ALL: [ScanChoice; ScanOp::ALL.len()] = {
            let mut all = [ScanChoice(ScanOp::Sum); ScanOp::ALL.len()];
            let mut at = 0;
            while at < all.len() {
                all[at] = ScanChoice(ScanOp::ALL[at]);
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StrategyChoice {
    /// One workgroup does everything
    OneWorkgroup,
    /// Elements are read twice
    ReduceThenScan,
    /// Elements are read once, and workgroups look back at the ones before them
    SinglePass,
}

impl From<StrategyChoice> for ScanStrategy {
    fn from(choice: StrategyChoice) -> ScanStrategy {
        match choice {
            StrategyChoice::OneWorkgroup => ScanStrategy::OneWorkgroup,
            StrategyChoice::ReduceThenScan => ScanStrategy::ReduceThenScan,
            StrategyChoice::SinglePass => ScanStrategy::SinglePass,
        }
    }
}
