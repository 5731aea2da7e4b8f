//! Selections, partitions, unique values and run lengths on NumPy files, and how they would run.

mod partition;
mod rows;

use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args, Subcommand};
use wavelane::{
    Compare, Condition, DType, Error, MaskForm, Nonzero, Partition, RunLengthDecode, RunLengths, Scalar, Select, Tensor, Unique,
};

use crate::arguments::{DTypeChoice, Global, numbers};
use crate::explain::show::show;
use crate::npy::{self, Array, Kind};
use crate::outputs::Outputs;
use crate::report::{self, Ending, Failure};
use crate::run::session::{Session, write};
use crate::{convert, files, numpy, run, text};
use partition::ExplainPartition;
pub use partition::RunPartition;
use rows::InRows;

/// Which elements are selected.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("condition").required(true).args(["compare", "mask"])))]
pub struct Selection {
    /// Elements that compare so with a value
    #[arg(long = "where", num_args = 2, value_names = ["lt|le|gt|ge|eq|ne", "VALUE"], allow_negative_numbers = true, allow_hyphen_values = true)]
    pub compare: Option<Vec<String>>,
    /// Elements whose entry in an array of truth values is set
    #[arg(long, value_name = "M.npy")]
    pub mask: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct RunSelect {
    /// Array to select from
    #[arg(value_name = "INPUT.npy")]
    pub input: PathBuf,
    #[command(flatten)]
    pub selection: Selection,
    #[command(flatten)]
    pub in_rows: InRows,
    /// Write the result to a file [default: as text to standard output]
    #[arg(short, long, value_name = "OUT.npy")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct RunNonzero {
    /// Array to look through
    #[arg(value_name = "INPUT.npy")]
    pub input: PathBuf,
    /// Write the result to a file [default: as text to standard output]
    #[arg(short, long, value_name = "OUT.npy")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct RunUnique {
    /// Array to look through
    #[arg(value_name = "INPUT.npy")]
    pub input: PathBuf,
    /// Write how many elements each value has
    #[arg(long, value_name = "C.npy")]
    pub counts: Option<PathBuf>,
    /// Write which value each element has
    #[arg(long, value_name = "I.npy")]
    pub inverse: Option<PathBuf>,
    /// Write the position of the first element of each value
    #[arg(long, value_name = "F.npy")]
    pub index: Option<PathBuf>,
    /// Compare neighbours only, by their bits, and sort nothing
    #[arg(long)]
    pub runs: bool,
    /// Write the values to a file [default: as text to standard output]
    #[arg(short, long, value_name = "OUT.npy")]
    pub output: Option<PathBuf>,
}

// Which of the options are needed is checked by hand: the parser would ask for an input and for what excludes it at once.
#[derive(Debug, Args)]
#[command(override_usage = "wavelane run rle <INPUT.npy> [OPTIONS], or wavelane run rle --decode <VALUES.npy> --lengths <L.npy> [OPTIONS]")]
pub struct RunRle {
    /// Array to encode
    #[arg(value_name = "INPUT.npy")]
    pub input: Option<PathBuf>,
    /// Write how long each run is
    #[arg(long, value_name = "L.npy")]
    pub out_lengths: Option<PathBuf>,
    #[command(flatten)]
    pub in_rows: InRows,
    /// Write runs out: the value of each
    #[arg(long, value_name = "VALUES.npy")]
    pub decode: Option<PathBuf>,
    /// How long each run is that is written out
    #[arg(long, value_name = "L.npy")]
    pub lengths: Option<PathBuf>,
    /// Write the values, or the elements, to a file [default: as text to standard output]
    #[arg(short, long, value_name = "OUT.npy")]
    pub output: Option<PathBuf>,
}

/// What an explained kernel works on.
#[derive(Debug, Args)]
pub struct ExplainCompaction {
    /// Type of the elements
    #[arg(long, value_enum)]
    pub dtype: DTypeChoice,
    /// Elements of the array
    #[arg(long, allow_negative_numbers = true, value_parser = numbers::count)]
    pub n: u64,
    /// Whether a mask of truth values selects elements [default: a comparison]
    #[arg(long)]
    pub mask: bool,
    /// Elements of a row, if each is treated by itself
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = numbers::count)]
    pub row_length: Option<u64>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// What an explained search for what is not zero works on.
#[derive(Debug, Args)]
pub struct ExplainNonzero {
    /// Type of the elements
    #[arg(long, value_enum)]
    pub dtype: DTypeChoice,
    /// Elements of the array
    #[arg(long, allow_negative_numbers = true, value_parser = numbers::count)]
    pub n: u64,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// What an explained kernel of runs works on.
#[derive(Debug, Args)]
pub struct ExplainRuns {
    /// Type of the elements
    #[arg(long, value_enum)]
    pub dtype: DTypeChoice,
    /// Elements of the array
    #[arg(long, allow_negative_numbers = true, value_parser = numbers::count)]
    pub n: u64,
    /// With counts
    #[arg(long)]
    pub counts: bool,
    /// With which value each element has
    #[arg(long)]
    pub inverse: bool,
    /// With the position of the first element of each value
    #[arg(long)]
    pub index: bool,
    /// Compare neighbours only
    #[arg(long)]
    pub runs: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// What explained run lengths are.
#[derive(Debug, Args)]
pub struct ExplainRle {
    /// Type of the elements
    #[arg(long, value_enum)]
    pub dtype: DTypeChoice,
    /// Elements of the array
    #[arg(long, allow_negative_numbers = true, value_parser = numbers::count)]
    pub n: u64,
    /// Runs to write out into as many elements
    #[arg(long, value_name = "RUNS", allow_negative_numbers = true, value_parser = numbers::count)]
    pub decode: Option<u64>,
    /// Elements of a row, if each is treated by itself
    #[arg(long, value_name = "N", conflicts_with = "decode", allow_negative_numbers = true, value_parser = numbers::count)]
    pub row_length: Option<u64>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// The kernels, under `run`.
#[derive(Debug, Subcommand)]
pub enum RunCompaction {
    /// Keep the elements that meet a condition, in their order
    Select(RunSelect),
    /// The positions of the elements that are not zero
    Nonzero(RunNonzero),
    /// Put the elements that meet a condition before the others, or the smaller before the larger around a place
    Partition(RunPartition),
    /// Each value once
    Unique(RunUnique),
    /// Run-length encode, or decode
    Rle(RunRle),
}

/// The kernels, under `explain`.
#[derive(Debug, Subcommand)]
pub enum ExplainCompactionKernel {
    /// How a selection would run
    Select(ExplainCompaction),
    /// How positions of what is not zero would be found
    Nonzero(ExplainNonzero),
    /// How a partition would run
    Partition(ExplainPartition),
    /// How values would be found once each
    Unique(ExplainRuns),
    /// How run lengths would be found, or written out
    Rle(ExplainRle),
}

pub fn run(global: &Global, kernel: &RunCompaction) -> Result<Ending, Failure> {
    match kernel {
        RunCompaction::Select(arguments) => run_select(global, arguments),
        RunCompaction::Nonzero(arguments) => run_nonzero(global, arguments),
        RunCompaction::Partition(arguments) => run_partition(global, arguments),
        RunCompaction::Unique(arguments) => run_unique(global, arguments),
        RunCompaction::Rle(arguments) => run_rle(global, arguments),
    }
}

fn run_select(global: &Global, arguments: &RunSelect) -> Result<Ending, Failure> {
    arguments.check_files()?;
    let input = Input::read(&arguments.input)?;
    let rows = arguments.in_rows.of(&input)?;
    let (condition, mask) = condition(&arguments.selection, &input)?;
    let session = Session::open(global, &run::context_options(global)?)?;
    let select = Select::new(condition, input.dtype(), input.len());
    let mut outputs = Outputs::default();
    let selected = match &rows {
        None => session.finish(session.context.select(&select, &input.tensor, mask.as_deref()))?,
        Some(rows) => {
            let outcome = session.finish(session.context.select_in_rows(&select.in_rows(rows.length), &input.tensor, mask.as_deref()))?;
            outputs.file(arguments.in_rows.out_offsets.as_deref(), rows.offsets(&outcome.offsets));
            outcome.results
        }
    };
    outputs.file_or_text(arguments.output.as_deref(), input.like(selected.bytes()));
    outputs.write()?;
    Ok(Ending::Done)
}

fn run_partition(global: &Global, arguments: &RunPartition) -> Result<Ending, Failure> {
    arguments.check_files()?;
    if let Some(k) = arguments.k {
        return run::order_statistics::partition_at(global, arguments, k);
    }
    let input = Input::read(&arguments.input)?;
    let rows = arguments.in_rows.of(&input)?;
    let selection = Selection { compare: arguments.compare.clone(), mask: arguments.mask.clone() };
    let (condition, mask) = condition(&selection, &input)?;
    let session = Session::open(global, &run::context_options(global)?)?;
    let partition = Partition::new(condition, input.dtype(), input.len());
    let mut outputs = Outputs::default();
    let (parted, selected) = match &rows {
        None => {
            let (parted, selected) = session.finish(session.context.partition(&partition, &input.tensor, mask.as_deref()))?;
            (input.like(parted.bytes()), selected)
        }
        Some(rows) => {
            let partition = partition.in_rows(rows.length);
            let outcome = session.finish(session.context.partition_in_rows(&partition, &input.tensor, mask.as_deref()))?;
            outputs.file(arguments.in_rows.out_offsets.as_deref(), rows.offsets(&outcome.offsets));
            let selected = outcome.offsets.to_vec::<u32>().map_err(convert::failure)?.last().copied().unwrap_or_default();
            // Rows stay where they are, so the array keeps its shape.
            (Array { shape: input.shape.clone(), ..input.like(outcome.results.bytes()) }, selected)
        }
    };
    outputs.file_or_text(arguments.output.as_deref(), parted);
    outputs.write()?;
    match &arguments.output {
        Some(_) => report::print(&format!("{selected}\n"))?,
        // Beside the elements as text a count would be taken for one.
        None => log::info!("{selected} elements are selected"),
    }
    Ok(Ending::Done)
}

fn run_nonzero(global: &Global, arguments: &RunNonzero) -> Result<Ending, Failure> {
    let input = Input::read(&arguments.input)?;
    let session = Session::open(global, &run::context_options(global)?)?;
    let outcome = session.finish(session.context.nonzero(&Nonzero::new(input.dtype(), input.len()), &input.tensor))?;
    write(arguments.output.as_deref(), &positions(&outcome))
}

fn run_unique(global: &Global, arguments: &RunUnique) -> Result<Ending, Failure> {
    let (output, index) = (("-o", arguments.output.as_ref()), ("--index", arguments.index.as_ref()));
    let (counts, inverse) = (("--counts", arguments.counts.as_ref()), ("--inverse", arguments.inverse.as_ref()));
    files::check(&[("the input", Some(&arguments.input))], &[output, index, counts, inverse])?;
    let input = Input::read(&arguments.input)?;
    let session = Session::open(global, &run::context_options(global)?)?;
    let unique = Unique {
        sorted: !arguments.runs,
        first: arguments.index.is_some(),
        counts: arguments.counts.is_some(),
        inverse: arguments.inverse.is_some(),
        ..Unique::new(input.dtype(), input.len())
    };
    let outcome = session.finish(session.context.unique(&unique, &input.tensor))?;
    let found = &outcome;
    let mut outputs = Outputs::default();
    for (path, tensor) in [(&arguments.index, &found.first), (&arguments.counts, &found.counts)] {
        if let Some(tensor) = tensor {
            outputs.file(path.as_deref(), positions(tensor));
        }
    }
    if let Some(inverse) = &found.inverse {
        // Of an array of any shape the inverse has that shape, as numpy's has.
        outputs.file(arguments.inverse.as_deref(), Array { shape: input.shape.clone(), ..positions(inverse) });
    }
    outputs.file_or_text(arguments.output.as_deref(), input.like(found.values.bytes()));
    outputs.write()?;
    Ok(Ending::Done)
}

fn run_rle(global: &Global, arguments: &RunRle) -> Result<Ending, Failure> {
    arguments.check()?;
    let inputs = [("the input", arguments.input.as_ref()), ("--lengths", arguments.lengths.as_ref())];
    let decoded = [("--decode", arguments.decode.as_ref()), inputs[1]];
    let (output, lengths) = (("-o", arguments.output.as_ref()), ("--out-lengths", arguments.out_lengths.as_ref()));
    let outputs = [output, lengths, ("--out-offsets", arguments.in_rows.out_offsets.as_ref())];
    files::check(if arguments.decode.is_some() { &decoded } else { &inputs }, &outputs)?;
    if let (Some(values), Some(lengths)) = (&arguments.decode, &arguments.lengths) {
        return decode(global, values, lengths, arguments.output.as_deref());
    }
    let Some(path) = &arguments.input else {
        return Err(nothing_to_encode());
    };
    let input = Input::read(path)?;
    let session = Session::open(global, &run::context_options(global)?)?;
    let mut outputs = Outputs::default();
    let outcome = match arguments.in_rows.of(&input)? {
        None => session.finish(session.context.run_length_encode(&input.tensor))?,
        Some(rows) => {
            let outcome = session.finish(session.context.run_length_encode_in_rows(&input.tensor, rows.length))?;
            outputs.file(arguments.in_rows.out_offsets.as_deref(), rows.offsets(&outcome.offsets));
            outcome.results
        }
    };
    let RunLengths { values, lengths } = &outcome;
    if arguments.output.is_none() && arguments.out_lengths.is_none() {
        // Both as text: a value and its length on a line.
        outputs.write()?;
        let columns = text::of_array(&input.like(values.bytes()));
        let counts = lengths.to_vec::<u32>().map_err(convert::failure)?;
        let lines: String = columns.lines().zip(counts).map(|(value, length)| format!("{value} {length}\n")).collect();
        report::print(&lines)?;
        return Ok(Ending::Done);
    }
    outputs.file(arguments.out_lengths.as_deref(), positions(lengths));
    outputs.file_or_text(arguments.output.as_deref(), input.like(values.bytes()));
    outputs.write()?;
    Ok(Ending::Done)
}

impl RunRle {
    /// Refuses options that exclude or need each other.
    fn check(&self) -> Result<(), Failure> {
        const WITH_DECODE: &str = "use --decode VALUES.npy --lengths L.npy to write runs out, or INPUT.npy --out-lengths L.npy to encode";
        let wrong = |what: &str, advice: &str| Err(Failure::usage(what.to_owned(), advice.to_owned()));
        match (&self.decode, &self.lengths) {
            (None, Some(_)) => wrong("--lengths has no effect without --decode", WITH_DECODE),
            (None, None) if self.input.is_none() => Err(nothing_to_encode()),
            (None, None) => Ok(()),
            (Some(_), None) => wrong("--decode needs --lengths", WITH_DECODE),
            (Some(_), Some(_)) if self.input.is_some() => {
                wrong("--decode names the values of runs, and there is an input beside it", WITH_DECODE)
            }
            (Some(_), Some(_)) if self.out_lengths.is_some() => wrong("--out-lengths has no effect with --decode", WITH_DECODE),
            (Some(_), Some(_)) if self.in_rows.rows => wrong(
                "--rows has no effect with --decode",
                "leave it out: runs are written out one behind the other, whatever rows they are of",
            ),
            (Some(_), Some(_)) => Ok(()),
        }
    }
}

fn nothing_to_encode() -> Failure {
    Failure::usage(
        "rle was given nothing to encode".to_owned(),
        "name a .npy file, or give --decode VALUES.npy --lengths L.npy to write runs out".to_owned(),
    )
}

fn decode(global: &Global, values: &Path, lengths: &Path, output: Option<&Path>) -> Result<Ending, Failure> {
    let (values, shown) = (Input::read(values)?, values.display());
    let found = npy::read(lengths)?;
    let words = lengths_of(lengths, &found)?;
    if words.len() != values.len() {
        return Err(Failure::new(
            format!("--decode {shown} has {} values, and --lengths {} {} lengths", values.len(), lengths.display(), words.len()),
            "give one length for each value".to_owned(),
        ));
    }
    let lengths = Tensor::from_slice(&words, &[words.len()]).map_err(convert::failure)?;
    let session = Session::open(global, &run::context_options(global)?)?;
    let runs = RunLengths { values: values.tensor.clone(), lengths };
    let outcome = session.finish(session.context.run_length_decode(&runs))?;
    write(output, &values.like(outcome.bytes()))
}

/// Lengths as the device takes them.
fn lengths_of(path: &Path, array: &Array) -> Result<Vec<u32>, Failure> {
    let integers = array.kind != Kind::Bool && !numpy::element(array.kind).is_float();
    let wrong = |what: String| Failure::new(what, "lengths are integers from 0 to 4294967295".to_owned());
    if !integers {
        return Err(wrong(format!("--lengths {} is of type {}", path.display(), array.kind.name())));
    }
    numpy::integers(array)
        .into_iter()
        .map(|length| {
            u32::try_from(length).map_err(|_| wrong(format!("--lengths {}: {length} is not the length of a run", path.display())))
        })
        .collect()
}

/// An array as the device sees it, and as it was.
struct Input {
    kind: Kind,
    shape: Vec<usize>,
    tensor: Tensor,
}

impl Input {
    fn read(path: &Path) -> Result<Self, Failure> {
        let array = npy::read(path)?;
        let (kind, shape) = (array.kind, array.shape.clone());
        let (dtype, bytes) = (convert::dtype(numpy::element(kind)), numpy::device_bytes(array));
        let tensor = Tensor::new(dtype, shape.clone(), bytes).map_err(convert::failure)?;
        Ok(Self { kind, shape, tensor })
    }

    fn dtype(&self) -> DType {
        self.tensor.dtype()
    }

    fn len(&self) -> usize {
        self.tensor.bytes().len() / self.dtype().size() as usize
    }

    /// Results of the device as an array of the input's type.
    fn like(&self, bytes: &[u8]) -> Array {
        let bytes = numpy::convert(bytes.to_vec(), convert::element(self.dtype()), self.kind);
        Array { kind: self.kind, shape: vec![bytes.len() / self.kind.size()], bytes }
    }
}

/// u32 of the device as numpy's positions and counts.
fn positions(tensor: &Tensor) -> Array {
    let bytes = numpy::convert(tensor.bytes().to_vec(), convert::element(tensor.dtype()), Kind::I64);
    Array { kind: Kind::I64, shape: vec![bytes.len() / 8], bytes }
}

/// What is selected, and the bytes of the mask if it is one.
fn condition(selection: &Selection, input: &Input) -> Result<(Condition, Option<Vec<u8>>), Failure> {
    if let Some(path) = &selection.mask {
        let (mask, shown) = (npy::read(path)?, path.display());
        if mask.kind != Kind::Bool {
            return Err(Failure::new(
                format!("--mask {shown} is of type {}", mask.kind.name()),
                "use an array of truth values, such as a > 0".to_owned(),
            ));
        }
        if mask.bytes.len() != input.len() {
            return Err(Failure::new(
                format!("--mask {shown} has {} entries, and the array {} elements", mask.bytes.len(), input.len()),
                "give one entry for each element".to_owned(),
            ));
        }
        // Of a mask that lies otherwise nobody can tell which entry is meant for which element. A flat one is taken in the order of the elements.
        if mask.shape != input.shape && mask.shape.len() != 1 {
            return Err(Failure::new(
                format!("--mask {shown} has the shape {}, and the array {}", npy::shape_text(&mask.shape), npy::shape_text(&input.shape)),
                "give a mask of the array's shape, or a flat one: mask.reshape(a.shape), or mask.ravel()".to_owned(),
            ));
        }
        return Ok((Condition::Mask(MaskForm::Bytes), Some(mask.bytes)));
    }
    let [compare, value] = selection.compare.as_deref().unwrap_or_default() else {
        return Err(Failure::usage("--where takes a comparison and a value".to_owned(), "such as --where lt 3".to_owned()));
    };
    let Some(compare) = Compare::ALL.into_iter().find(|known| known.name() == compare) else {
        return Err(Failure::usage(format!("there is no comparison '{compare}'"), "use lt, le, gt, ge, eq or ne".to_owned()));
    };
    let value = scalar(value, input)?;
    Ok((Condition::Compare(compare, value), None))
}

impl RunSelect {
    fn check_files(&self) -> Result<(), Failure> {
        let inputs = [("the input", Some(&self.input)), ("--mask", self.selection.mask.as_ref())];
        files::check(&inputs, &[("-o", self.output.as_ref()), ("--out-offsets", self.in_rows.out_offsets.as_ref())])
    }
}

/// A value on the command line as one of the array's type. Truth values have words too.
fn scalar(text: &str, input: &Input) -> Result<Scalar, Failure> {
    let plain = match (input.kind, text) {
        (Kind::Bool, "True" | "true") => "1",
        (Kind::Bool, "False" | "false") => "0",
        _ => text,
    };
    crate::scalar::parse("--where", numpy::element(input.kind), plain)
}

/// A partition around place `k`, of one row or of such as have a length.
fn explain_partition_at(
    global: &Global,
    (k, dtype): (i64, DType),
    len: usize,
    row_length: Option<usize>,
    json: bool,
) -> Result<Ending, Failure> {
    let shape = match row_length {
        None => vec![len],
        Some(length) if len.checked_rem(length) == Some(0) => vec![len / length, length],
        Some(length) => return Err(convert::failure(Error::RowLength { length: len as u64, row_length: length as u64 })),
    };
    let partition = run::order_statistics::describe_partition(k, None, dtype, &shape)?;
    show(global, &partition, json)
}

pub fn explain(global: &Global, kernel: &ExplainCompactionKernel) -> Result<Ending, Failure> {
    let extent = |n: u64| {
        usize::try_from(n)
            .map_err(|_| Failure::usage(format!("{n} elements are more than this machine can address"), "give fewer".to_owned()))
    };
    let selected = |arguments: &ExplainCompaction| -> Result<(Condition, DType, usize), Failure> {
        let dtype = convert::dtype(arguments.dtype.0);
        let zero = Condition::Compare(Compare::Gt, Scalar::from_bits(dtype, 0));
        Ok((if arguments.mask { Condition::Mask(MaskForm::Bytes) } else { zero }, dtype, extent(arguments.n)?))
    };
    match kernel {
        ExplainCompactionKernel::Select(arguments) => {
            let (condition, dtype, len) = selected(arguments)?;
            let row_length = arguments.row_length.map(extent).transpose()?;
            show(global, &Select { row_length, ..Select::new(condition, dtype, len) }, arguments.json)
        }
        ExplainCompactionKernel::Nonzero(arguments) => {
            show(global, &Nonzero::new(convert::dtype(arguments.dtype.0), extent(arguments.n)?), arguments.json)
        }
        ExplainCompactionKernel::Partition(ExplainPartition { array: arguments, k }) => {
            let (condition, dtype, len) = selected(arguments)?;
            let row_length = arguments.row_length.map(extent).transpose()?;
            if let Some(k) = k {
                return explain_partition_at(global, (*k, dtype), len, row_length, arguments.json);
            }
            show(global, &Partition { row_length, ..Partition::new(condition, dtype, len) }, arguments.json)
        }
        ExplainCompactionKernel::Unique(arguments) => {
            let unique = Unique {
                sorted: !arguments.runs,
                first: arguments.index,
                counts: arguments.counts,
                inverse: arguments.inverse,
                ..Unique::new(convert::dtype(arguments.dtype.0), extent(arguments.n)?)
            };
            show(global, &unique, arguments.json)
        }
        ExplainCompactionKernel::Rle(arguments) => {
            let (dtype, len) = (convert::dtype(arguments.dtype.0), extent(arguments.n)?);
            match arguments.decode {
                Some(runs) => show(global, &RunLengthDecode::new(dtype, extent(runs)?, len), arguments.json),
                None => {
                    let row_length = arguments.row_length.map(extent).transpose()?;
                    show(global, &Unique { row_length, ..Unique::runs(dtype, len).with_counts() }, arguments.json)
                }
            }
        }
    }
}
