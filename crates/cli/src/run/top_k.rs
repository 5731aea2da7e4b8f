//! `wavelane run topk`.

use std::path::Path;

use wavelane::{DType, Error, Tensor, TopK};
use wavelane_reference::Element;

use super::context_options;
use super::session::{Session, moved, moved_tensor};
use crate::arguments::{Global, RunTopK, SortAxis, TopKOptions};
use crate::npy::{self, Array, Kind};
use crate::outputs::Outputs;
use crate::report::{Ending, Failure};
use crate::{files, numpy};

pub fn top_k(global: &Global, arguments: &RunTopK) -> Result<Ending, Failure> {
    let options = context_options(global)?;
    let outputs = [("-o", arguments.output.as_ref()), ("--out-indices", arguments.out_indices.as_ref())];
    files::check(&[("the input", Some(&arguments.input))], &outputs)?;
    let array = npy::read(&arguments.input)?;
    let kind = array.kind;
    let mut top_k = describe(&arguments.options, moved(kind), &array.shape)?;
    top_k.positions = arguments.out_indices.is_some();
    let keys = moved_tensor(array)?;
    let session = Session::open(global, &options)?;
    let first = session.finish(session.context.top_k(&top_k, &keys))?;
    let paths = [arguments.output.as_deref(), arguments.out_indices.as_deref()];
    keys_and_positions(paths, kind, top_k.result_shape(), first.keys, first.positions)
}

/// Keys of a kind, and where they stood, if that is there.
pub fn keys_and_positions(
    [output, indices]: [Option<&Path>; 2],
    kind: Kind,
    shape: Vec<usize>,
    keys: Option<Tensor>,
    positions: Option<Tensor>,
) -> Result<Ending, Failure> {
    let mut outputs = Outputs::default();
    if let Some(positions) = positions {
        let bytes = numpy::convert(positions.bytes().to_vec(), Element::U32, Kind::I64);
        outputs.file(indices, Array { kind: Kind::I64, shape: shape.clone(), bytes });
    }
    let bytes = keys.map_or_else(Vec::new, |keys| keys.bytes().to_vec());
    outputs.file_or_text(output, Array { kind, shape, bytes });
    outputs.write()?;
    Ok(Ending::Done)
}

/// What `run` and `explain` have in common.
pub fn describe(options: &TopKOptions, dtype: DType, shape: &[usize]) -> Result<TopK, Failure> {
    let too_many = |row_length: usize| {
        let error = Error::TopKCount { k: options.k, row_length: row_length as u64 };
        Failure::unfit(error.to_string(), error.advice())
    };
    let flattened = is_flat(options.axis, shape.len(), "take rows along the last axis")?;
    let row_length = if flattened { shape.iter().product() } else { shape.last().copied().unwrap_or(1) };
    // More than there are is said before a device is looked for.
    let k = usize::try_from(options.k).ok().filter(|&k| k <= row_length).ok_or_else(|| too_many(row_length))?;
    Ok(TopK { smallest: options.smallest, flattened, ..TopK::new(dtype, shape, k) })
}

/// What is done with the array where it is one row.
pub const WHOLE: &str = "take the whole array";

/// Whether the whole array is one row; rows are along the last axis else. `left_out` says what happens without the option.
pub fn is_flat(axis: Option<SortAxis>, dimensions: usize, left_out: &str) -> Result<bool, Failure> {
    match axis {
        None => Ok(false),
        Some(SortAxis::Whole) => Ok(true),
        Some(SortAxis::Along(given)) => {
            let axis = numpy::axis(Some(given), dimensions, left_out)?;
            if axis.is_some_and(|axis| axis + 1 == dimensions) {
                return Ok(false);
            }
            let advice = match left_out {
                WHOLE => format!("transpose the array, or leave --axis out to {WHOLE}"),
                _ => format!("transpose the array, leave --axis out to {left_out}, or {WHOLE} by --axis none"),
            };
            Err(Failure::unfit(
                format!("--axis {given} is not the last axis of an array of {dimensions} dimensions, and rows are along that"),
                advice,
            ))
        }
    }
}
