//! The CPU twins of scans and reductions of an array's segments, each as if it were an array of its own.

use crate::convert::convert;
use crate::error::Error;
use crate::lines::Line;
use crate::number::Number;
use crate::reduce::{Nan, Op, reduce};
use crate::scan::{ScanOp, ScanOptions, scan_lines};
use crate::values::{Element, Values, each_type};

/// How an array is divided into segments.
#[derive(Clone, Copy, Debug)]
pub enum Segments<'a> {
    /// Segment k begins at offset k and ends before offset k + 1. Segments may be empty, and elements before the first and behind the last offset
    /// belong to none.
    Offsets(&'a [u32]),
    /// A segment begins where the element's flag is not zero, and at the first element.
    Flags(&'a [u32]),
    /// Segments of one length; the last has what is left.
    Length(usize),
    /// A segment begins where the element's key differs, by its bits, from the one before.
    Keys(&'a Values),
}

/// Where each segment of an array of `len` elements begins and ends.
pub fn segment_bounds(segments: &Segments, len: usize) -> Result<Vec<(usize, usize)>, Error> {
    match *segments {
        Segments::Offsets(offsets) => {
            let falls = |at: usize| offsets[at] as usize > len || (at > 0 && offsets[at] < offsets[at - 1]);
            match (0..offsets.len()).find(|&at| falls(at)) {
                Some(at) => Err(Error::Offset { at, len }),
                None if offsets.is_empty() => Err(Error::Offset { at: 0, len }),
                None => Ok(offsets.windows(2).map(|pair| (pair[0] as usize, pair[1] as usize)).collect()),
            }
        }
        Segments::Flags(flags) if flags.len() != len => Err(Error::Length { what: "flags", wanted: len, len: flags.len() }),
        Segments::Flags(flags) => Ok(divided(len, |at| flags[at] != 0)),
        Segments::Length(0) => Err(Error::NoLength),
        Segments::Length(length) => Ok((0..len).step_by(length).map(|begin| (begin, begin.saturating_add(length).min(len))).collect()),
        Segments::Keys(keys) if keys.len() != len => Err(Error::Length { what: "keys", wanted: len, len: keys.len() }),
        Segments::Keys(keys) => {
            let bits = keys.bits();
            Ok(divided(len, |at| bits[at] != bits[at - 1]))
        }
    }
}

/// All elements in segments that begin at the first one and where `begins` says so.
fn divided(len: usize, begins: impl Fn(usize) -> bool) -> Vec<(usize, usize)> {
    let begins: Vec<usize> = (0..len).filter(|&at| at == 0 || begins(at)).collect();
    let ends = begins.iter().copied().skip(1).chain([len]);
    begins.iter().copied().zip(ends).collect()
}

/// Scans each segment, in reverse from its own end. Elements of no segment come as 0.
pub fn segmented_scan(op: ScanOp, input: &Values, segments: &Segments, options: &ScanOptions) -> Result<Values, Error> {
    scan_lines(op, input, segment_lines(segments, input.len())?, options)
}

/// The segments as lines of the array.
pub(crate) fn segment_lines(segments: &Segments, len: usize) -> Result<impl Iterator<Item = Line>, Error> {
    let bounds = segment_bounds(segments, len)?;
    Ok(bounds.into_iter().map(|(begin, end)| Line { start: begin, stride: 1, length: end - begin }))
}

/// Reduces each segment, as [`reduce`] does an array; argmin and argmax count from its beginning. Where [`reduce`] has no value, a segment has what
/// changes no other value: the greatest for min and the least for max, of floats NaN; the index is `u32::MAX`, also of only NaN that are ignored.
pub fn segmented_reduce(op: Op, input: &Values, segments: &Segments, nan: Nan, wide: bool) -> Result<Values, Error> {
    let bounds = segment_bounds(segments, input.len())?;
    if matches!(input.element(), Element::U8 | Element::U16) {
        return segmented_reduce(op, &convert(input, Element::U32), segments, nan, wide);
    }
    if matches!(input.element(), Element::I8 | Element::I16) {
        return segmented_reduce(op, &convert(input, Element::I32), segments, nan, wide);
    }
    let nothing = of_nothing(op, input, nan, wide)?;
    let mut bits = Vec::with_capacity(bounds.len());
    for (begin, end) in bounds {
        let result = match reduce(op, &input.take(begin..end), &[end - begin], None, nan, wide) {
            Err(Error::Empty { .. } | Error::AllNan { .. }) => nothing.bits(),
            result => result?.bits(),
        };
        bits.extend(result);
    }
    Ok(Values::from_bits(nothing.element(), bits))
}

/// The result of a segment that has no element.
fn of_nothing(op: Op, input: &Values, nan: Nan, wide: bool) -> Result<Values, Error> {
    fn extreme<T: Number>(_data: &[T], op: Op) -> Values {
        T::values(vec![if op == Op::Min { T::GREATEST } else { T::LEAST }])
    }
    match op {
        Op::ArgMin | Op::ArgMax => Ok(Values::U32(vec![u32::MAX])),
        Op::Min | Op::Max if input.element().is_float() => Ok(crate::convert(&Values::F64(vec![f64::NAN]), input.element())),
        Op::Min | Op::Max => Ok(each_type!(input, data => extreme(data, op))),
        _ => reduce(op, &input.take([]), &[0], None, nan, wide),
    }
}

/// A key for each run of equal ones (by their bits), and the reduction of the elements that stand beside it.
pub fn reduce_by_key(op: Op, keys: &Values, input: &Values, nan: Nan, wide: bool) -> Result<(Values, Values), Error> {
    let segments = Segments::Keys(keys);
    let results = segmented_reduce(op, input, &segments, nan, wide)?;
    let begins = segment_bounds(&segments, input.len())?.into_iter().map(|(begin, _)| begin);
    Ok((keys.take(begins), results))
}
