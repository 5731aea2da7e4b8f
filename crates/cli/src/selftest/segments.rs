//! Scans and reductions of segments, and reductions by key, against their CPU twins.

use wavelane::{DType, ReduceByKey, ScanOp, SegmentForm, SegmentSource, SegmentedReduce, SegmentedScan, Tensor};
use wavelane_reference::{self as reference, Element, Nan, Op, ScanOptions, Segments, Values};

use super::data;
use super::scans::{self, is_reverse, like, twin};
use super::trial::{Job, Trial, Trouble, near, same, tensor};
use crate::convert;

const QUICK_REDUCTIONS: [Op; 2] = [Op::Sum, Op::ArgMax];
const QUICK_SCANS: [ScanOp; 1] = [ScanOp::Sum];
const QUICK_BY_KEY: [Op; 1] = [Op::Sum];
const BY_KEY: [Op; 7] = [Op::Sum, Op::Prod, Op::Min, Op::Max, Op::And, Op::Or, Op::Xor];

const QUICK_LENGTHS: [usize; 1] = [2049];
/// For one workgroup, and for several, which take pipelines of their own. Those take drivers that run on the CPU long, and what workgroups leave for each other
/// is the operator's business alone, so scans and reductions by key have several where they add.
const SHORT_LENGTHS: [usize; 4] = [0, 1, 257, 4001];
const LENGTHS: [usize; 5] = [0, 1, 257, 4001, 50_021];

pub fn jobs(quick: bool) -> Vec<Job> {
    let lengths = move |several: bool| -> &'static [usize] {
        match (quick, several) {
            (true, _) => &QUICK_LENGTHS,
            (false, true) => &LENGTHS,
            (false, false) => &SHORT_LENGTHS,
        }
    };
    let scanned = scans::each(if quick { &QUICK_SCANS } else { &ScanOp::ALL }).map(|(op, element)| {
        let lengths = lengths(op == ScanOp::Sum);
        Job::new("segscan", op.name(), element, move |trial| scan(trial, op, element, lengths))
    });
    let reduced = data::each(if quick { &QUICK_REDUCTIONS } else { &Op::ALL }).map(|(op, element)| {
        let lengths = lengths(true);
        Job::new("segreduce", op.name(), element, move |trial| reduce(trial, op, element, lengths))
    });
    let by_key = data::each(if quick { &QUICK_BY_KEY } else { &BY_KEY }).map(|(op, element)| {
        let lengths = lengths(op == Op::Sum);
        Job::new("reducebykey", op.name(), element, move |trial| by_key_of(trial, op, element, lengths))
    });
    scanned.chain(reduced).chain(by_key).collect()
}

/// Where segments of about so many elements begin, and where the last ends. Some are empty, the last among them.
fn offsets(length: usize, each: usize) -> Vec<u32> {
    let begins = (0..length).step_by(each.max(1)).flat_map(|at| [at; 2].into_iter().take(1 + usize::from(at % 7 == 0)));
    begins.chain([length; 2]).map(|at| at as u32).collect()
}

/// A flag for each element with which a segment begins.
fn flags(length: usize, each: usize) -> Vec<u32> {
    let mut flags = vec![0; length];
    for at in offsets(length, each) {
        if let Some(flag) = flags.get_mut(at as usize) {
            // Whatever is not zero is a flag.
            *flag = 1 + at;
        }
    }
    flags
}

/// A key for each element, of runs of about so many.
fn keys(element: Element, length: usize, each: usize) -> Values {
    let keys: Vec<u32> = (0..length).map(|at| (at / each.max(1)) as u32).collect();
    reference::convert(&Values::U32(keys), element)
}

fn words(words: &[u32]) -> Result<Tensor, Trouble> {
    Ok(Tensor::from_slice(words, &[words.len()])?)
}

/// Segments told by flags, keys, offsets or one length. Each way takes pipelines of its own, so each operator and each type has all, but not each pair.
fn scan(trial: &mut Trial, op: ScanOp, element: Element, lengths: &[usize]) -> Result<(), Trouble> {
    let most = data::most_of(like(op), element);
    for (turn, length) in lengths.iter().map(|&length| length.min(most)).enumerate() {
        let each = [3, 300, length.max(1)][turn % 3];
        let input = data::random(like(op), element, length);
        let (offsets, flags, keys) = (offsets(length, each), flags(length, each), keys(Element::U16, length, each));
        let (source, segments, told) = match (op as usize + element as usize) % 4 {
            0 => (SegmentSource::Flags, Segments::Flags(&flags), Some(words(&flags)?)),
            1 => (SegmentSource::Keys(DType::U16), Segments::Keys(&keys), Some(tensor(&keys, &[length])?)),
            2 => (SegmentSource::Offsets(offsets.len()), Segments::Offsets(&offsets), Some(words(&offsets)?)),
            _ => (SegmentSource::Length(each), Segments::Length(each), None),
        };
        let options = ScanOptions { exclusive: turn % 3 == 2, reverse: is_reverse(op, element), ..ScanOptions::default() };
        let scan = SegmentedScan {
            exclusive: options.exclusive,
            reverse: options.reverse,
            ..SegmentedScan::new(op, convert::dtype(element), length, source)
        };
        let array = tensor(&input, &[length])?;
        let want = reference::segmented_scan(twin(op), &input, &segments, &options)?;
        let bounds = |result| reference::segmented_scan_bound(twin(op), &input, &segments, &options, result);
        trial.on_each(&format!("{scan:?}"), |context| {
            near(&context.segmented_scan(&scan, &array, told.as_ref())?.tensor, &want, bounds)?;
            Ok(1)
        })?;
    }
    Ok(())
}

/// Segments of 0 to 4 elements, of some hundred, and one of all; told by offsets, flags or one length, as in [`scan`].
fn reduce(trial: &mut Trial, op: Op, element: Element, lengths: &[usize]) -> Result<(), Trouble> {
    let most = data::most_of(op, element);
    for length in lengths.iter().map(|&length| length.min(most)) {
        let input = data::random(op, element, length);
        let array = tensor(&input, &[length])?;
        for each in [3, 300, length.max(1)] {
            if trial.is_over() {
                return Ok(());
            }
            let (offsets, flags) = (offsets(length, each), flags(length, each));
            let (reduce_op, dtype) = (convert::reduce_op(op), convert::dtype(element));
            let way = [SegmentForm::Offsets, SegmentForm::Length(each), SegmentForm::Flags][(op as usize + element as usize) % 3];
            let (reduce, segments, told) = match way {
                SegmentForm::Offsets => {
                    (SegmentedReduce::new(reduce_op, dtype, length, offsets.len() - 1), Segments::Offsets(&offsets), Some(words(&offsets)?))
                }
                SegmentForm::Length(each) => (SegmentedReduce::of_length(reduce_op, dtype, length, each), Segments::Length(each), None),
                SegmentForm::Flags => (SegmentedReduce::by_flags(reduce_op, dtype, length), Segments::Flags(&flags), Some(words(&flags)?)),
            };
            let want = reference::segmented_reduce(op, &input, &segments, Nan::Propagate, false)?;
            let bounds = |result| reference::segmented_reduce_bound(op, &input, &segments, Nan::Propagate, result);
            trial.on_each(&format!("{reduce:?} by {each}"), |context| {
                near(&context.segmented_reduce(&reduce, &array, told.as_ref())?.tensor, &want, bounds)?;
                Ok(1)
            })?;
        }
    }
    Ok(())
}

/// Keys of every size, one for each operator and type.
fn by_key_of(trial: &mut Trial, op: Op, element: Element, lengths: &[usize]) -> Result<(), Trouble> {
    const KEYS: [Element; 4] = [Element::U32, Element::U8, Element::F16, Element::I64];
    let most = data::most_of(op, element);
    for (turn, length) in lengths.iter().map(|&length| length.min(most)).enumerate() {
        let each = [3, 300, length.max(1)][turn % 3];
        let (input, keys) = (data::random(op, element, length), keys(KEYS[(op as usize + element as usize) % 4], length, each));
        let reduce = ReduceByKey::new(convert::reduce_op(op), convert::dtype(keys.element()), convert::dtype(element), length);
        let (array, key_array) = (tensor(&input, &[length])?, tensor(&keys, &[length])?);
        let (want_keys, want) = reference::reduce_by_key(op, &keys, &input, Nan::Propagate, false)?;
        let bounds = |result| reference::segmented_reduce_bound(op, &input, &Segments::Keys(&keys), Nan::Propagate, result);
        trial.on_each(&format!("{reduce:?} by {each}"), |context| {
            let got = context.reduce_by_key(&reduce, &key_array, &array)?.tensor;
            same("keys", &got.keys, &want_keys)?;
            near(&got.values, &want, bounds)?;
            Ok(1)
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_ways_tell_the_same_segments() {
        assert_eq!(offsets(10, 3), [0, 0, 3, 6, 9, 10, 10]);
        assert_eq!(flags(10, 3), [1, 0, 0, 4, 0, 0, 7, 0, 0, 10]);
        assert_eq!(keys(Element::U8, 10, 3), Values::U8(vec![0, 0, 0, 1, 1, 1, 2, 2, 2, 3]));
        assert_eq!((offsets(0, 3), flags(0, 3)), (vec![0, 0], vec![]));
    }
}
