//! Unique values and run lengths against their CPU twins.

use wavelane::{RunLengths, Tensor, Unique};
use wavelane_reference::{self as reference, Element};

use super::data;
use super::trial::{Job, Trial, Trouble, same, same_words, tensor};
use crate::convert;

const QUICK_LENGTHS: [usize; 1] = [4099];
const LENGTHS: [usize; 6] = [0, 1, 257, 2049, 4099, 20_011];

/// A sort by a bit at a time has many steps.
const MOST_SORTED: usize = 4099;

pub fn jobs(quick: bool) -> Vec<Job> {
    let lengths: &[usize] = if quick { &QUICK_LENGTHS } else { &LENGTHS };
    let kinds = [("sorted", true), ("runs", false)].into_iter().flat_map(|kind| Element::ALL.map(|element| (kind, element)));
    let uniques =
        kinds.map(|((op, sorted), element)| Job::new("unique", op, element, move |trial| unique(trial, sorted, element, lengths)));
    let encoded = Element::ALL.map(|element| Job::new("rle", "encode", element, move |trial| encode(trial, element, lengths)));
    let decoded = Element::ALL.map(|element| Job::new("rle", "decode", element, move |trial| decode(trial, element, lengths)));
    let in_rows = Element::ALL.map(|element| Job::new("rle", "rows", element, move |trial| encode_in_rows(trial, element, lengths)));
    uniques.chain(encoded).chain(decoded).chain(in_rows).collect()
}

/// With everything that can be asked for.
fn unique(trial: &mut Trial, sorted: bool, element: Element, lengths: &[usize]) -> Result<(), Trouble> {
    for length in lengths.iter().copied().filter(|&length| !sorted || length <= MOST_SORTED) {
        let input = data::runs(element, length);
        let unique = Unique { sorted, ..Unique::new(convert::dtype(element), length).with_first().with_counts().with_inverse() };
        let array = tensor(&input, &[length])?;
        let want = if sorted { reference::unique(&input) } else { reference::unique_runs(&input) };
        trial.on_each(&format!("{unique:?}"), |context| {
            let got = context.unique(&unique, &array)?.tensor;
            same("values", &got.values, &want.values)?;
            same_words("first positions", got.first.as_ref(), &want.first)?;
            same_words("counts", got.counts.as_ref(), &want.counts)?;
            same_words("inverse", got.inverse.as_ref(), &want.inverse)?;
            Ok(1)
        })?;
    }
    Ok(())
}

fn encode(trial: &mut Trial, element: Element, lengths: &[usize]) -> Result<(), Trouble> {
    for &length in lengths {
        let input = data::runs(element, length);
        let array = tensor(&input, &[length])?;
        let (values, counts) = reference::run_length_encode(&input);
        trial.on_each(&format!("{length} elements"), |context| {
            let got = context.run_length_encode(&array)?.tensor;
            same("values", &got.values, &values)?;
            same_words("lengths", Some(&got.lengths), &counts)?;
            Ok(1)
        })?;
    }
    Ok(())
}

/// Rows that begin anywhere in wide loads, and one.
fn encode_in_rows(trial: &mut Trial, element: Element, lengths: &[usize]) -> Result<(), Trouble> {
    for &length in lengths {
        for row_length in [7, length.max(1)] {
            let length = length / row_length * row_length;
            let input = data::runs(element, length);
            let array = tensor(&input, &[length])?;
            let (want, offsets) = reference::unique_runs_in_rows(&input, row_length)?;
            trial.on_each(&format!("{length} elements in rows of {row_length}"), |context| {
                let got = context.run_length_encode_in_rows(&array, row_length)?.tensor;
                same("values", &got.results.values, &want.values)?;
                same_words("lengths", Some(&got.results.lengths), &want.counts)?;
                same_words("offsets", Some(&got.offsets), &offsets)?;
                Ok(1)
            })?;
        }
    }
    Ok(())
}

/// Runs of nothing, too.
fn decode(trial: &mut Trial, element: Element, lengths: &[usize]) -> Result<(), Trouble> {
    for runs in lengths.iter().map(|&length| length / 4) {
        let values = data::runs(element, runs);
        let counts: Vec<u32> = (0..runs as u32).map(|at| at * 7 % 9).collect();
        let given = RunLengths { values: tensor(&values, &[runs])?, lengths: Tensor::from_slice(&counts, &[runs])? };
        let want = reference::run_length_decode(&values, &counts)?;
        trial.on_each(&format!("{runs} runs"), |context| {
            same("elements", &context.run_length_decode(&given)?.tensor, &want)?;
            Ok(1)
        })?;
    }
    Ok(())
}
