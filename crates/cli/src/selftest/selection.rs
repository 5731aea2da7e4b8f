//! Selections, positions of what is not zero, and partitions against their CPU twins.

use wavelane::{Compare, Condition, MaskForm, Nonzero, Partition, Scalar, Select};
use wavelane_reference::{self as reference, Element, Values};

use super::data::{self, Pattern};
use super::trial::{Job, Trial, Trouble, same, same_words, tensor};
use crate::convert;

const QUICK_LENGTHS: [usize; 2] = [257, 20_003];
const LENGTHS: [usize; 7] = [0, 1, 257, 2049, 4097, 20_011, 100_003];

/// A comparison, or a mask.
#[derive(Clone, Copy)]
enum By {
    Compare(reference::Compare),
    Mask,
}

impl By {
    fn all() -> impl Iterator<Item = By> {
        reference::Compare::ALL.into_iter().map(By::Compare).chain([By::Mask])
    }

    fn name(self) -> &'static str {
        match self {
            By::Compare(compare) => compare.name(),
            By::Mask => "mask",
        }
    }
}

pub fn jobs(quick: bool) -> Vec<Job> {
    let lengths: &[usize] = if quick { &QUICK_LENGTHS } else { &LENGTHS };
    // Comparisons share their pipelines, so all of them are quick.
    let pairs = || By::all().flat_map(|by| Element::ALL.map(|element| (by, element)));
    let selected = pairs().map(|(by, element)| Job::new("select", by.name(), element, move |trial| select(trial, by, element, lengths)));
    let nonzeros = Element::ALL.map(|element| Job::new("nonzero", "where", element, move |trial| nonzero(trial, element, lengths)));
    let parted =
        pairs().map(|(by, element)| Job::new("partition", by.name(), element, move |trial| partition(trial, by, element, lengths)));
    let in_rows = Element::ALL.into_iter().flat_map(|element| {
        let parted = Job::new("partition", "rows", element, move |trial| partition_in_rows(trial, element, lengths));
        [Job::new("select", "rows", element, move |trial| select_in_rows(trial, element, lengths)), parted]
    });
    selected.chain(nonzeros).chain(parted).chain(in_rows).collect()
}

/// What is selected from, and how it is told to the device and to the CPU.
struct Selected {
    input: Values,
    condition: Condition,
    mask: Vec<bool>,
    /// The mask's bytes, where the condition is one.
    bytes: Option<Vec<u8>>,
}

impl Selected {
    fn of(by: By, element: Element, length: usize, turn: usize) -> Result<Selected, Trouble> {
        let input = data::of_pattern(PATTERNS[turn % PATTERNS.len()], element, length);
        let By::Compare(compare) = by else {
            let mask: Vec<bool> = (0..length).map(|at| at % 3 == 0 || at % 7 == 4).collect();
            let bytes = mask.iter().map(|&set| u8::from(set)).collect();
            return Ok(Selected { input, condition: Condition::Mask(MaskForm::Bytes), mask, bytes: Some(bytes) });
        };
        let value = if length == 0 { data::of_pattern(Pattern::Random, element, 1) } else { middling(&input) };
        let bits = value.bits().first().copied().unwrap_or(0);
        let asked = Compare::ALL.into_iter().find(|asked| asked.name() == compare.name()).unwrap_or(Compare::Lt);
        let condition = Condition::Compare(asked, Scalar::from_bits(convert::dtype(element), bits));
        let mask = reference::matches(&input, compare, &value)?;
        Ok(Selected { input, condition, mask, bytes: None })
    }
}

/// One of the elements, so that some are equal to it, with others on either side.
fn middling(input: &Values) -> Values {
    let some = input.take((0..9).map(|at| at * input.len() / 9));
    let numbers = some.to_f64();
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_by(|&a, &b| numbers[a].total_cmp(&numbers[b]));
    some.take([order[order.len() / 2]])
}

const PATTERNS: [Pattern; 3] = [Pattern::Extreme, Pattern::Random, Pattern::WithNan];

fn select(trial: &mut Trial, by: By, element: Element, lengths: &[usize]) -> Result<(), Trouble> {
    for (turn, &length) in lengths.iter().enumerate() {
        let Selected { input, condition, mask, bytes } = Selected::of(by, element, length, turn)?;
        let select = Select::new(condition, convert::dtype(element), length);
        let array = tensor(&input, &[length])?;
        let want = reference::select(&input, &mask)?;
        trial.on_each(&format!("{select:?}"), |context| {
            same("elements", &context.select(&select, &array, bytes.as_deref())?.tensor, &want)?;
            Ok(1)
        })?;
    }
    Ok(())
}

fn nonzero(trial: &mut Trial, element: Element, lengths: &[usize]) -> Result<(), Trouble> {
    for &length in lengths {
        let input = data::of_pattern(Pattern::Extreme, element, length);
        let nonzero = Nonzero::new(convert::dtype(element), length);
        let array = tensor(&input, &[length])?;
        let want = reference::nonzero(&input);
        trial.on_each(&format!("{nonzero:?}"), |context| {
            same_words("positions", Some(&context.nonzero(&nonzero, &array)?.tensor), &want)?;
            Ok(1)
        })?;
    }
    Ok(())
}

fn partition(trial: &mut Trial, by: By, element: Element, lengths: &[usize]) -> Result<(), Trouble> {
    for (turn, &length) in lengths.iter().enumerate() {
        let Selected { input, condition, mask, bytes } = Selected::of(by, element, length, turn)?;
        let partition = Partition::new(condition, convert::dtype(element), length);
        let array = tensor(&input, &[length])?;
        let (want, selected) = reference::partition(&input, &mask)?;
        trial.on_each(&format!("{partition:?}"), |context| {
            let (got, found) = context.partition(&partition, &array, bytes.as_deref())?.tensor;
            if found as usize != selected {
                return Err(format!("{found} selected where the CPU has {selected}").into());
            }
            same("elements", &got, &want)?;
            Ok(1)
        })?;
    }
    Ok(())
}

/// Lengths of rows: within a wide load, beside its bounds, and longer than a tile.
const ROW_LENGTHS: [usize; 4] = [1, 3, 9, 4999];

/// For each length of a row as many as make about that many elements.
fn rows(lengths: &[usize]) -> impl Iterator<Item = (usize, usize)> + '_ {
    ROW_LENGTHS.into_iter().flat_map(|row_length| lengths.iter().map(move |length| (row_length, length / row_length * row_length)))
}

fn select_in_rows(trial: &mut Trial, element: Element, lengths: &[usize]) -> Result<(), Trouble> {
    for (turn, (row_length, length)) in rows(lengths).enumerate() {
        let Selected { input, condition, mask, bytes } = Selected::of(By::Mask, element, length, turn)?;
        let select = Select::new(condition, convert::dtype(element), length).in_rows(row_length);
        let array = tensor(&input, &[length])?;
        let (want, offsets) = reference::select_in_rows(&input, &mask, row_length)?;
        let (places, _) = reference::positions_in_rows(&mask, row_length)?;
        trial.on_each(&format!("{select:?}"), |context| {
            let got = context.select_in_rows(&select, &array, bytes.as_deref())?.tensor;
            same("elements", &got.results, &want)?;
            same_words("offsets", Some(&got.offsets), &offsets)?;
            let got = context.select_in_rows(&select.clone().positions(), &array, bytes.as_deref())?.tensor;
            same_words("positions", Some(&got.results), &places)?;
            Ok(2)
        })?;
    }
    Ok(())
}

fn partition_in_rows(trial: &mut Trial, element: Element, lengths: &[usize]) -> Result<(), Trouble> {
    for (turn, (row_length, length)) in rows(lengths).enumerate() {
        let Selected { input, condition, mask, bytes } = Selected::of(By::Mask, element, length, turn)?;
        let partition = Partition::new(condition, convert::dtype(element), length).in_rows(row_length);
        let array = tensor(&input, &[length])?;
        let (want, offsets) = reference::partition_in_rows(&input, &mask, row_length)?;
        trial.on_each(&format!("{partition:?}"), |context| {
            let got = context.partition_in_rows(&partition, &array, bytes.as_deref())?.tensor;
            same("elements", &got.results, &want)?;
            same_words("offsets", Some(&got.offsets), &offsets)?;
            Ok(1)
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_comparison_has_its_twin() {
        assert_eq!(Compare::ALL.map(Compare::name), reference::Compare::ALL.map(reference::Compare::name));
    }

    #[test]
    fn some_elements_are_selected_and_some_are_not() {
        for by in By::all() {
            for (turn, element) in (0..3).flat_map(|turn| Element::ALL.map(|element| (turn, element))) {
                let Ok(selected) = Selected::of(by, element, 20_003, turn) else { panic!("{}", by.name()) };
                assert!(selected.mask.contains(&true) && selected.mask.contains(&false), "{} {element:?} {turn}", by.name());
            }
        }
    }
}
