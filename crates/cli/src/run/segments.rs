//! `wavelane run segreduce`, `wavelane run segscan` and `wavelane run reducebykey`.

use std::num::NonZeroUsize;
use std::path::Path;

use wavelane::device::Capabilities;
use wavelane::{DType, FloatResult, ReduceByKey, SegmentForm, SegmentSource, SegmentedReduce, SegmentedScan, Tensor};
use wavelane_reference::Nan;

use super::context_options;
use super::scan::{initial, result_kind};
use super::session::{Session, give, moved, moved_tensor, tensor};
use crate::arguments::{Global, RunReduceByKey, RunSegmentedReduce, RunSegmentedScan, SegmentedReduceOptions, SegmentedScanOptions};
use crate::npy::{self, Array, Kind};
use crate::outputs::Outputs;
use crate::report::{Ending, Failure};
use crate::{convert, files, numpy, reduction};

pub fn reduce(global: &Global, arguments: &RunSegmentedReduce) -> Result<Ending, Failure> {
    let given = &arguments.segments;
    let inputs = [("the input", Some(&arguments.input)), ("--offsets", given.offsets.as_ref()), ("--flags", given.flags.as_ref())];
    files::check(&inputs, &[("-o", arguments.output.as_ref())])?;
    let options = context_options(global)?;
    let array = npy::read(&arguments.input)?;
    // What is wrong whatever the device should be said before a device is looked for.
    let op = arguments.reduce.op.0;
    let (kind, element, length) = (array.kind, numpy::element(array.kind), line("the input", &arguments.input, &array)?);
    numpy::check(op, kind)?;
    reduction::check_wide(op.name(), element, arguments.reduce.wide)?;
    let (form, segments, told) = if let Some(path) = &given.offsets {
        let offsets = offsets(path, length)?;
        (SegmentForm::Offsets, offsets.shape()[0].saturating_sub(1), Some(offsets))
    } else if let Some(path) = &given.flags {
        (SegmentForm::Flags, 0, Some(flags(path, length)?))
    } else {
        (SegmentForm::Length(given.length.map_or(0, NonZeroUsize::get)), 0, None)
    };
    let session = Session::open(global, &options)?;
    let capabilities = session.context.device().capabilities();
    let reduce = describe_reduce(&arguments.reduce, convert::dtype(element), length, (form, segments), capabilities);
    let reduced = session.finish(session.context.segmented_reduce(&reduce, &tensor(array)?, told.as_ref()))?;
    let to = numpy::result_kind(op, kind, arguments.reduce.wide);
    give(&arguments.output, to, &as_kind(&reduced, to)?)
}

/// What `run segreduce` and `explain segreduce` have in common.
pub fn describe_reduce(
    options: &SegmentedReduceOptions,
    dtype: DType,
    length: usize,
    (form, segments): (SegmentForm, usize),
    device: &Capabilities,
) -> SegmentedReduce {
    let op = convert::reduce_op(options.op.0);
    let reduce = match form {
        SegmentForm::Offsets => SegmentedReduce::new(op, dtype, length, segments),
        SegmentForm::Flags => SegmentedReduce::by_flags(op, dtype, length),
        SegmentForm::Length(each) => SegmentedReduce::of_length(op, dtype, length, each),
    };
    SegmentedReduce {
        nan: convert::nan_policy(Nan::from(options.nan)),
        wide: options.wide,
        float_result: if device.features.shader_float64 { FloatResult::F64 } else { FloatResult::F32 },
        ..reduce
    }
}

pub fn scan(global: &Global, arguments: &RunSegmentedScan) -> Result<Ending, Failure> {
    let told = &arguments.segments;
    let [by_offsets, by_flags] = [("--offsets", told.offsets.as_ref()), ("--flags", told.flags.as_ref())];
    let inputs = [("the input", Some(&arguments.input)), by_offsets, by_flags, ("--keys", told.keys.as_ref())];
    files::check(&inputs, &[("-o", arguments.output.as_ref())])?;
    let options = context_options(global)?;
    let array = npy::read(&arguments.input)?;
    let (kind, length) = (array.kind, line("the input", &arguments.input, &array)?);
    check_scan(&arguments.scan, kind)?;
    let (source, segments) = if let Some(path) = &told.offsets {
        let offsets = offsets(path, length)?;
        (SegmentSource::Offsets(offsets.shape()[0]), Some(offsets))
    } else if let Some(path) = &told.keys {
        let keys = npy::read(path)?;
        same_length("--keys", path, &keys, length)?;
        (SegmentSource::Keys(moved(keys.kind)), Some(moved_tensor(keys)?))
    } else if let Some(path) = &told.flags {
        (SegmentSource::Flags, Some(flags(path, length)?))
    } else {
        (SegmentSource::Length(told.length.map_or(0, NonZeroUsize::get)), None)
    };
    let mut scan = describe_scan(&arguments.scan, convert::dtype(numpy::element(kind)), length, source);
    scan.initial = arguments.initial.as_deref().map(|text| initial(kind, text)).transpose()?;
    scan.result_dtype().map_err(convert::failure)?;
    let session = Session::open(global, &options)?;
    let scanned = session.finish(session.context.segmented_scan(&scan, &tensor(array)?, segments.as_ref()))?;
    let to = result_kind(scan.op, scan.wide, kind);
    give(&arguments.output, to, &as_kind(&scanned, to)?)
}

/// Refuses what is wrong whatever the device.
pub fn check_scan(options: &SegmentedScanOptions, kind: Kind) -> Result<(), Failure> {
    numpy::check_scan(options.op.0, kind)?;
    reduction::check_wide(options.op.0.name(), numpy::element(kind), options.wide)
}

/// What `run segscan` and `explain segscan` have in common.
pub fn describe_scan(options: &SegmentedScanOptions, dtype: DType, length: usize, segments: SegmentSource) -> SegmentedScan {
    SegmentedScan {
        exclusive: options.exclusive,
        reverse: options.reverse,
        wide: options.wide,
        strategy: options.strategy.map(Into::into),
        ..SegmentedScan::new(options.op.0, dtype, length, segments)
    }
}

pub fn reduce_by_key(global: &Global, arguments: &RunReduceByKey) -> Result<Ending, Failure> {
    let outputs = [("--out-keys", Some(&arguments.out_keys)), ("--out-values", Some(&arguments.out_values))];
    files::check(&[("the keys", Some(&arguments.keys)), ("the values", Some(&arguments.values))], &outputs)?;
    let options = context_options(global)?;
    let keys = npy::read(&arguments.keys)?;
    let values = npy::read(&arguments.values)?;
    let (op, kind, key_kind) = (arguments.op.0, values.kind, keys.kind);
    let length = line("the keys", &arguments.keys, &keys)?;
    same_length("the values", &arguments.values, &values, length)?;
    numpy::check_by_key(op, kind)?;
    reduction::check_wide(op.name(), numpy::element(kind), arguments.wide)?;
    let (key, dtype) = (moved(key_kind), convert::dtype(numpy::element(kind)));
    let reduce = ReduceByKey { wide: arguments.wide, ..ReduceByKey::new(convert::reduce_op(op), key, dtype, length) };
    reduce.result_dtype().map_err(convert::failure)?;
    let session = Session::open(global, &options)?;
    let outcome = session.context.reduce_by_key(&reduce, &moved_tensor(keys)?, &tensor(values)?);
    let reduced = session.finish(outcome)?;
    let array = |kind, tensor: &Tensor| Array { kind, shape: tensor.shape().to_vec(), bytes: tensor.bytes().to_vec() };
    let to = numpy::result_kind(op, kind, arguments.wide);
    let mut outputs = Outputs::default();
    outputs.file(Some(&arguments.out_keys), array(key_kind, &reduced.keys));
    outputs.file(Some(&arguments.out_values), array(to, &as_kind(&reduced.values, to)?));
    outputs.write()?;
    Ok(Ending::Done)
}

/// A device's result as numpy's type.
fn as_kind(tensor: &Tensor, to: Kind) -> Result<Tensor, Failure> {
    let bytes = numpy::convert(tensor.bytes().to_vec(), convert::element(tensor.dtype()), to);
    Tensor::new(moved(to), tensor.shape().to_vec(), bytes).map_err(convert::failure)
}

/// The length of an array of one dimension.
fn line(name: &str, path: &Path, array: &Array) -> Result<usize, Failure> {
    match array.shape[..] {
        [length] => Ok(length),
        _ => Err(Failure::new(
            format!("{name} {} has the shape {}, and one dimension is needed", path.display(), npy::shape_text(&array.shape)),
            "flatten it with array.ravel()".to_owned(),
        )),
    }
}

fn same_length(name: &str, path: &Path, array: &Array, length: usize) -> Result<(), Failure> {
    match line(name, path, array)? {
        found if found == length => Ok(()),
        found => Err(Failure::new(
            format!("{name} {} has {found} elements, and {length} are needed", path.display()),
            "give one for each element".to_owned(),
        )),
    }
}

/// Flags as the device takes them: whatever they are, a segment begins where numpy calls them nonzero.
fn flags(path: &Path, length: usize) -> Result<Tensor, Failure> {
    let flags = npy::read(path)?;
    same_length("--flags", path, &flags, length)?;
    let element = numpy::element(flags.kind);
    let truths = numpy::convert(numpy::device_bytes(flags), element, Kind::Bool);
    let words: Vec<u32> = truths.into_iter().map(u32::from).collect();
    Tensor::from_slice(&words, &[length]).map_err(convert::failure)
}

/// Offsets as the device takes them, into an array of `length` elements. What the library refuses is refused here, where the file has a name.
pub fn offsets(path: &Path, length: usize) -> Result<Tensor, Failure> {
    let array = &npy::read(path)?;
    let refused = |what: String| {
        let advice = "give where each segment begins, ascending, and where the last one ends".to_owned();
        Err(Failure::new(format!("--offsets {}{what}", path.display()), advice))
    };
    if line("--offsets", path, array)? == 0 {
        return refused(" has no elements, and there is at least one offset".to_owned());
    }
    if array.kind == Kind::Bool || numpy::element(array.kind).is_float() {
        return Err(Failure::new(
            format!("--offsets {} holds {}, and offsets are integers", path.display(), array.kind.name()),
            "convert with array.astype(…)".to_owned(),
        ));
    }
    let offset = |(at, number): (usize, i128)| {
        u32::try_from(number).map_err(|_| {
            Failure::new(
                format!("--offsets {}: offset {at} is {number}, which no element has", path.display()),
                "offsets count from 0, up to the number of elements".to_owned(),
            )
        })
    };
    let offsets = numpy::integers(array).into_iter().enumerate().map(offset).collect::<Result<Vec<u32>, _>>()?;
    let mut before = 0;
    for (at, &offset) in offsets.iter().enumerate() {
        if offset as usize > length {
            return refused(format!(": offset {at} is {offset}, and the array has {length} elements"));
        }
        if offset < before {
            return refused(format!(": offset {at} is {offset}, and the one before it {before}"));
        }
        before = offset;
    }
    Tensor::from_slice(&offsets, &[offsets.len()]).map_err(convert::failure)
}
