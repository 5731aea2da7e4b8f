//! `wavelane run sort` and `wavelane run argsort`.

use std::path::Path;

use wavelane::{ContextOptions, DType, Sort, Sorted, Tensor};
use wavelane_reference::Element;

use super::context_options;
use super::segments::offsets;
use super::session::{Session, moved, moved_tensor, write};
use crate::arguments::{Global, RunArgsort, RunSort, SortAxis, SortOptions};
use crate::npy::{self, Array, Kind};
use crate::outputs::Outputs;
use crate::report::{Ending, Failure};
use crate::{convert, files, numpy};

pub fn sort(global: &Global, arguments: &RunSort) -> Result<Ending, Failure> {
    let options = context_options(global)?;
    let inputs = [("the input", Some(&arguments.input)), ("--values", arguments.values.as_ref()), arguments.segments.named()];
    files::check(&inputs, &[("-o", arguments.output.as_ref()), ("--out-values", arguments.out_values.as_ref())])?;
    let array = npy::read(&arguments.input)?;
    let (kind, shape) = (array.kind, array.shape.clone());
    let mut sort = describe(&arguments.options, moved(kind), &shape)?;
    let values = arguments.values.as_deref().map(|path| Values::read("--values", path, &shape)).transpose()?;
    if let Some(values) = &values {
        sort = sort.with_values(values.tensor.dtype());
    }
    let keys = moved_tensor(array)?;
    let told = arguments.segments.offsets.as_deref().map(|path| offsets(path, keys.shape().iter().product())).transpose()?;
    let sorted = run(global, &options, &mut sort, &keys, values.as_ref().map(|values| &values.tensor), told.as_ref())?;
    let is_whole = arguments.options.is_whole() || told.is_some();
    let mut outputs = Outputs::default();
    if let (Some(values), Some(tensor)) = (values, &sorted.values) {
        outputs.file(arguments.out_values.as_deref(), result(&sort, is_whole, values.kind, narrowed(tensor.bytes(), values.kind)));
    }
    let bytes = sorted.keys.map_or_else(Vec::new, |keys| keys.bytes().to_vec());
    outputs.file_or_text(arguments.output.as_deref(), result(&sort, is_whole, kind, bytes));
    outputs.write()?;
    Ok(Ending::Done)
}

pub fn argsort(global: &Global, arguments: &RunArgsort) -> Result<Ending, Failure> {
    let options = context_options(global)?;
    files::check(&[("the input", Some(&arguments.input)), arguments.segments.named()], &[("-o", arguments.output.as_ref())])?;
    let array = npy::read(&arguments.input)?;
    let sort = describe(&arguments.options, moved(array.kind), &array.shape)?;
    let mut sort = Sort { keys: false, ..sort.with_positions() };
    let keys = moved_tensor(array)?;
    let told = arguments.segments.offsets.as_deref().map(|path| offsets(path, keys.shape().iter().product())).transpose()?;
    let sorted = run(global, &options, &mut sort, &keys, None, told.as_ref())?;
    let is_whole = arguments.options.is_whole() || told.is_some();
    let positions = sorted.values.map_or_else(Vec::new, |positions| positions.bytes().to_vec());
    write(arguments.output.as_deref(), &result(&sort, is_whole, Kind::I64, numpy::convert(positions, Element::U32, Kind::I64)))
}

/// Sorts on the device; segments where offsets tell of them, and what is outside of these stays as it is.
fn run(
    global: &Global,
    options: &ContextOptions,
    sort: &mut Sort,
    keys: &Tensor,
    values: Option<&Tensor>,
    offsets: Option<&Tensor>,
) -> Result<Sorted, Failure> {
    let session = Session::open(global, options)?;
    let Some(offsets) = offsets else { return session.finish(session.context.sort(sort, keys, values)) };
    *sort = sort.clone().in_segments(offsets.shape()[0].saturating_sub(1));
    let mut sorted = session.finish(session.context.sort_in_segments(sort, keys, values, offsets))?;
    let bounds: Vec<u32> = offsets.to_vec().map_err(convert::failure)?;
    let ends = (bounds.first().copied().unwrap_or(0) as usize, bounds.last().copied().unwrap_or(0) as usize);
    let count = keys.shape().iter().product::<usize>();
    let places: Vec<u8> = (0..ends.0).chain(ends.0..ends.1).chain(0..count - ends.1).flat_map(|at| (at as u32).to_ne_bytes()).collect();
    let given = values.map_or(&places[..], Tensor::bytes);
    for (tensor, input) in [(&mut sorted.keys, keys.bytes()), (&mut sorted.values, given)] {
        if let Some(tensor) = tensor {
            *tensor = kept_outside(tensor, input, ends).map_err(convert::failure)?;
        }
    }
    Ok(sorted)
}

/// Sorted elements between two places, and what was there before them and behind.
fn kept_outside(sorted: &Tensor, input: &[u8], (first, end): (usize, usize)) -> Result<Tensor, wavelane::Error> {
    let size = sorted.dtype().size() as usize;
    let bytes = [&input[..first * size], &sorted.bytes()[first * size..end * size], &input[end * size..]].concat();
    Tensor::new(sorted.dtype(), sorted.shape().to_vec(), bytes)
}

/// What `run` and `explain` have in common.
pub fn describe(options: &SortOptions, dtype: DType, shape: &[usize]) -> Result<Sort, Failure> {
    let mut sort = Sort { descending: options.descending, ..Sort::new(dtype, shape) };
    match options.axis {
        // A single value has no axis to sort along, and is sorted.
        None => {}
        Some(SortAxis::Whole) => sort = sort.flattened(),
        Some(SortAxis::Along(given)) => sort.axis = numpy::axis(Some(given), shape.len(), "sort along the last axis")?,
    }
    if let Some([begin, end]) = options.bits.as_deref() {
        sort = sort.by_bits(*begin, *end);
    }
    // Bits that elements do not have are said before a device is looked for. No elements have more than 64, nor some that end before they begin.
    let never = options.bits.as_deref().is_some_and(|bits| matches!(bits, [begin, end] if begin > end || *end > 64));
    let refused = |error| if never { convert::failure(error).told_by_options() } else { convert::failure(error) };
    sort.clone().double_buffered().is_swapped().map_err(refused)?;
    Ok(sort)
}

/// The type that values have while they move: the narrow ones are words by then.
pub fn values_dtype(dtype: DType) -> DType {
    if dtype.size() < 4 { DType::U32 } else { dtype }
}

/// Values that move with keys, and what they are in their file.
pub struct Values {
    pub kind: Kind,
    pub tensor: Tensor,
}

impl Values {
    /// Those of a file that `option` names.
    pub fn read(option: &str, path: &Path, shape: &[usize]) -> Result<Self, Failure> {
        let array = npy::read(path)?;
        if array.shape != shape {
            return Err(Failure::new(
                format!(
                    "{option} {} has the shape {}, and the array {}",
                    path.display(),
                    npy::shape_text(&array.shape),
                    npy::shape_text(shape)
                ),
                "give one value for each element".to_owned(),
            ));
        }
        let (kind, dtype) = (array.kind, values_dtype(moved(array.kind)));
        let tensor = Tensor::new(dtype, array.shape, widened(array.bytes, kind)).map_err(convert::failure)?;
        Ok(Self { kind, tensor })
    }
}

/// Each element of fewer than 4 bytes as the low bytes of a word: values are bits that move.
fn widened(bytes: Vec<u8>, kind: Kind) -> Vec<u8> {
    match kind.size() {
        1 => bytes.into_iter().flat_map(|byte| u32::from(byte).to_ne_bytes()).collect(),
        2 => bytes.chunks_exact(2).flat_map(|pair| u32::from(u16::from_ne_bytes([pair[0], pair[1]])).to_ne_bytes()).collect(),
        _ => bytes,
    }
}

/// Values as they are in files, of words that moved.
pub fn narrowed(bytes: &[u8], kind: Kind) -> Vec<u8> {
    let words = bytes.chunks_exact(4).map(|word| u32::from_ne_bytes([word[0], word[1], word[2], word[3]]));
    match kind.size() {
        1 => words.map(|word| word as u8).collect(),
        2 => words.flat_map(|word| (word as u16).to_ne_bytes()).collect(),
        _ => bytes.to_vec(),
    }
}

/// The whole array as one, and segments of it, come flat, as numpy has it: a single value, too, if it is asked for.
fn result(sort: &Sort, is_whole: bool, kind: Kind, bytes: Vec<u8>) -> Array {
    let flat = sort.axis.is_none() && (is_whole || !sort.shape.is_empty());
    Array { kind, shape: if flat { vec![bytes.len() / kind.size()] } else { sort.shape.clone() }, bytes }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrow_values_come_back_as_they_were() {
        let bytes: Vec<u8> = (0..64u8).map(|at| at.wrapping_mul(37)).collect();
        for kind in [Kind::Bool, Kind::U8, Kind::I8, Kind::U16, Kind::I16, Kind::F16, Kind::F32, Kind::I64] {
            let wide = widened(bytes.clone(), kind);
            assert_eq!(wide.len(), bytes.len() / kind.size() * kind.size().max(4), "{}", kind.name());
            assert_eq!(narrowed(&wide, kind), bytes, "{}", kind.name());
        }
    }
}
