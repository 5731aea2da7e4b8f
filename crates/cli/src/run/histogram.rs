//! `wavelane run histogram` and `wavelane run bincount`.

use std::path::Path;

use wavelane::{Bins, DType, Error, Histogram, Tensor};
use wavelane_reference::Element;

use super::context_options;
use super::session::{Session, tensor, write};
use crate::arguments::{Apart, Global, RunBincount, RunBins, RunHistogram};
use crate::npy::{self, Array, Kind};
use crate::report::{Ending, Failure};
use crate::{convert, files, numpy};

/// Types of weights that are summed as they are.
const SUMMED: [Kind; 3] = [Kind::U32, Kind::I32, Kind::F32];

/// Types of weights that first become one of those, where sums are f64 in any case.
const WIDENED: [Kind; 6] = [Kind::Bool, Kind::U8, Kind::U16, Kind::I8, Kind::I16, Kind::F16];

/// The most results that any device has.
const MOST_RESULTS: u64 = u32::MAX as u64;

pub fn histogram(global: &Global, arguments: &RunHistogram) -> Result<Ending, Failure> {
    let (edges, weighted) = (("--edges", arguments.bins.edges.as_ref()), ("--weights", arguments.weights.as_ref()));
    files::check(&[("the input", Some(&arguments.input)), edges, weighted], &[("-o", arguments.output.as_ref())])?;
    let options = context_options(global)?;
    if arguments.bins.bins.is_none() && arguments.bins.edges.is_none() {
        return Err(no_bins());
    }
    let array = npy::read(&arguments.input)?;
    let bins = bins(&arguments.bins, array.kind)?;
    let weights = arguments.weights.as_deref().map(|path| weights(path, &array, &[])).transpose()?;
    let described = describe(convert::dtype(numpy::element(array.kind)), bins, &array.shape, arguments.apart)?;
    let described = Histogram { weights: weights.as_ref().map(Tensor::dtype), ..described };
    // What is wrong with bins is said before a device is looked for.
    described.lookup_words().map_err(|error| match (&arguments.bins.edges, error) {
        (Some(path), error @ Error::BinEdges { .. }) => Failure::new(format!("--edges {}: {error}", path.display()), error.advice()),
        // Elements that no file has anything to do with.
        (None, error @ Error::TooManyBins { .. }) => convert::failure(error).told_by_options(),
        (_, error) if arguments.bins.are_never_right() => convert::failure(error).told_by_options(),
        (_, error) => convert::failure(error),
    })?;
    let input = tensor(array)?;
    let session = Session::open(global, &options)?;
    let result = session.finish(session.context.histogram(&described, &input, weights.as_ref()))?;
    give(arguments.output.as_deref(), &result, weights.is_some())
}

pub fn bincount(global: &Global, arguments: &RunBincount) -> Result<Ending, Failure> {
    let weighted = ("--weights", arguments.weights.as_ref());
    files::check(&[("the input", Some(&arguments.input)), weighted], &[("-o", arguments.output.as_ref())])?;
    let options = context_options(global)?;
    let array = npy::read(&arguments.input)?;
    let greatest = check_numbers(&arguments.input, &array)?;
    // What asked for so many results is named.
    let asked = |why: String| match greatest {
        Some((at, value)) if usize::try_from(value).is_ok_and(|value| value >= arguments.minlength) => Failure::new(
            format!("element {at} of {} is {value}, and there is no room for as many bins: {why}", arguments.input.display()),
            "leave such values out, or count them with wavelane run unique --counts".to_owned(),
        ),
        _ => Failure::usage(why, "ask for fewer by --minlength".to_owned()),
    };
    let most = greatest.map_or(0, |(_, value)| value as u64).max((arguments.minlength as u64).saturating_sub(1));
    if most >= MOST_RESULTS {
        return Err(asked(Error::TooManyBins { limit: MOST_RESULTS }.to_string()));
    }
    let weights = arguments.weights.as_deref().map(|path| weights(path, &array, &WIDENED)).transpose()?;
    // Of no elements numpy gives counts, whether or not there are weights.
    let weights = weights.filter(|weights| !weights.bytes().is_empty());
    let input = tensor(array)?;
    let session = Session::open(global, &options)?;
    let outcome = session.context.bincount(&input, weights.as_ref(), arguments.minlength);
    let no_room = outcome.as_ref().err().filter(|error| has_no_room(error)).map(ToString::to_string);
    let result = session.finish(outcome).map_err(|failure| no_room.map_or(failure, asked))?;
    give(arguments.output.as_deref(), &result, weights.is_some())
}

/// The histogram of an array of this shape: rows are along its last axis, or the one before channels.
pub fn describe(dtype: DType, bins: Bins, shape: &[usize], apart: Apart) -> Result<Histogram, Failure> {
    let (shape, channels) = match (apart.channels, shape) {
        (None, shape) => (shape, 1),
        (Some(counted), [front @ .., channels]) if (1..=*channels).contains(&counted) => (front, *channels),
        (Some(counted), shape) => {
            let most = shape.last().copied().unwrap_or(0);
            let advice = match most {
                0 => "leave --channels out: the array has none".to_owned(),
                _ => format!("use 1 to {most}, or leave --channels out to count all as one"),
            };
            return Err(Failure::unfit(
                format!("--channels {counted} is out of range for an array of shape {}", npy::shape_text(shape)),
                advice,
            ));
        }
    };
    let (rows, width) = match shape.split_last() {
        Some((&width, front)) => (front.iter().try_fold(1usize, |product, &extent| product.checked_mul(extent)), width),
        None => (Some(1), 1),
    };
    let rows =
        rows.ok_or_else(|| Failure::unfit("the array has more rows than this machine can address".to_owned(), "give fewer".to_owned()))?;
    let image = Histogram::of_image(dtype, bins, rows, width, channels);
    Ok(Histogram { counted_channels: apart.channels.unwrap_or(channels), each_row: apart.rows, ..image })
}

fn no_bins() -> Failure {
    Failure::usage("no bins were given".to_owned(), "use --bins B --range LO HI, or --edges E.npy".to_owned())
}

/// The bins for elements of a kind.
fn bins(given: &RunBins, elements: Kind) -> Result<Bins, Failure> {
    if let (Some(bins), Some([low, high])) = (given.bins, given.range.as_deref()) {
        return Ok(Bins::Even { bins, low: *low, high: *high });
    }
    let Some(path) = &given.edges else { return Err(no_bins()) };
    let edges = npy::read(path)?;
    if edges.shape.len() != 1 || edges.kind == Kind::Bool {
        return Err(Failure::new(
            format!(
                "--edges {} holds {} of shape {}, and edges are numbers in one dimension",
                path.display(),
                edges.kind.name(),
                npy::shape_text(&edges.shape)
            ),
            "flatten them with array.ravel(), or convert with array.astype(…)".to_owned(),
        ));
    }
    if edges.shape[0] < 2 {
        let count = edges.shape[0];
        return Err(Failure::new(
            format!("--edges {} holds {count} {}, and a bin lies between two", path.display(), if count == 1 { "edge" } else { "edges" }),
            "give one edge more than there are bins".to_owned(),
        ));
    }
    if are_exact(edges.kind, elements) {
        return Ok(Bins::IntegerEdges(numpy::integers(&edges)));
    }
    let bytes = numpy::convert(edges.bytes, numpy::element(edges.kind), Kind::F64);
    Ok(Bins::Edges(bytes.chunks_exact(8).map(|chunk| f64::from_ne_bytes(fixed(chunk))).collect()))
}

/// Whether numpy compares elements with edges as integers. Of u64 and a signed type it makes f64.
fn are_exact(edges: Kind, elements: Kind) -> bool {
    let is_integer = |kind: Kind| kind != Kind::Bool && !numpy::element(kind).is_float();
    let is_signed = |kind: Kind| matches!(kind, Kind::I8 | Kind::I16 | Kind::I32 | Kind::I64);
    let meet = |a: Kind, b: Kind| a == Kind::U64 && is_signed(b);
    is_integer(edges) && is_integer(elements) && !meet(edges, elements) && !meet(elements, edges)
}

fn fixed(bytes: &[u8]) -> [u8; 8] {
    let mut array = [0; 8];
    array.iter_mut().zip(bytes).for_each(|(to, &from)| *to = from);
    array
}

/// A weight for each element. Those of a type among `widened` become of one that is summed, which has all of their values.
fn weights(path: &Path, array: &Array, widened: &[Kind]) -> Result<Tensor, Failure> {
    let (weights, shown) = (npy::read(path)?, path.display());
    if weights.shape != array.shape {
        return Err(Failure::new(
            format!("--weights {shown} has the shape {}, and the array {}", npy::shape_text(&weights.shape), npy::shape_text(&array.shape)),
            "give one weight for each element".to_owned(),
        ));
    }
    let wide = match weights.kind {
        Kind::F16 => Element::F32,
        Kind::I8 | Kind::I16 => Element::I32,
        _ => Element::U32,
    };
    match weights.kind {
        kind if SUMMED.contains(&kind) => tensor(weights),
        kind if widened.contains(&kind) => {
            // Truth values are bytes of 0 and 1.
            let from = if kind == Kind::Bool { Element::U8 } else { numpy::element(kind) };
            let bytes = numpy::convert(weights.bytes, from, Kind::of(wide));
            Tensor::new(convert::dtype(wide), weights.shape, bytes).map_err(convert::failure)
        }
        kind => {
            let known: Vec<_> = widened.iter().chain(&SUMMED).map(|kind| kind.name()).collect();
            Err(Failure::new(
                format!("--weights {shown} holds {}, which is not summed; there are: {}", kind.name(), known.join(", ")),
                format!("convert them: {}", numpy::CONVERT),
            ))
        }
    }
}

/// Whether there were too many results.
fn has_no_room(error: &Error) -> bool {
    use wavelane::device::Error::{BufferTooLarge, OutOfMemory};
    matches!(error, Error::TooManyBins { .. } | Error::Device(BufferTooLarge { .. } | OutOfMemory { .. }))
}

/// Refuses what numpy refuses. Gives the greatest element, and where it stands.
fn check_numbers(path: &Path, array: &Array) -> Result<Option<(usize, i128)>, Failure> {
    if array.shape.len() != 1 {
        return Err(Failure::new(
            format!("bincount counts an array of one dimension, and {} has the shape {}", path.display(), npy::shape_text(&array.shape)),
            "flatten it with array.ravel()".to_owned(),
        ));
    }
    if matches!(array.kind, Kind::F16 | Kind::F32 | Kind::F64 | Kind::U64) {
        return Err(Failure::new(
            format!("bincount counts integers that i64 has room for, and {} holds {}", path.display(), array.kind.name()),
            format!("convert it: {}", numpy::CONVERT),
        ));
    }
    let numbers = numpy::integers(array);
    match numbers.iter().enumerate().find(|(_, number)| **number < 0) {
        None => Ok(numbers.into_iter().enumerate().max_by_key(|(_, number)| *number)),
        Some((at, found)) => Err(Failure::new(
            format!("element {at} of {} is {found}, and there is no bin of a negative value", path.display()),
            "leave such values out, or count them with wavelane run histogram --bins B --range LO HI".to_owned(),
        )),
    }
}

/// Counts are i64, as numpy's are; sums are of the weights' type.
fn give(output: Option<&Path>, tensor: &Tensor, weighted: bool) -> Result<Ending, Failure> {
    let from = convert::element(tensor.dtype());
    let kind = if weighted { Kind::of(from) } else { Kind::I64 };
    write(output, &Array { kind, shape: tensor.shape().to_vec(), bytes: numpy::convert(tensor.bytes().to_vec(), from, kind) })
}
