//! Keys at places of the order of rows and around them, medians and quantiles against their CPU twins: bit for bit.

use wavelane::{Median, NthElement, PartitionAt, Quantile};
use wavelane_reference::{self as reference, Element, Values};

use super::data::{self, Pattern};
use super::trial::{Job, Trial, Trouble, same, tensor};
use crate::convert;

type Shapes = &'static [&'static [usize]];

const QUICK: Shapes = &[&[257], &[40_003], &[33, 65], &[3, 5000]];
const FULL: Shapes = &[&[1], &[255], &[2049], &[300_007], &[77, 33, 65], &[33, 2049], &[33_001, 2]];

/// What is computed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    Places,
    Around,
    Median,
    Quantiles,
}

pub fn jobs(quick: bool) -> Vec<Job> {
    let all = [(Of::Places, "places"), (Of::Around, "around"), (Of::Median, "median"), (Of::Quantiles, "quantile")];
    let (chosen, shapes) = if quick { (&all[..2], QUICK) } else { (&all[..], FULL) };
    let of = |&(of, name): &(Of, &'static str)| {
        Element::ALL.map(|element| Job::new("nth", name, element, move |trial| check(trial, of, element, shapes)))
    };
    chosen.iter().flat_map(of).collect()
}

fn check(trial: &mut Trial, of: Of, element: Element, shapes: Shapes) -> Result<(), Trouble> {
    for &shape in shapes {
        if trial.is_over() {
            break;
        }
        let count = shape.iter().product();
        let all = data::of_pattern(if element.is_float() { Pattern::WithNan } else { Pattern::Extreme }, element, count);
        // Few keys, so that many are equal; and many of them.
        for keys in [data::runs(element, count), all] {
            if of == Of::Around {
                around(trial, shape, &keys)?;
            } else {
                one(trial, of, shape, &keys)?;
            }
        }
    }
    Ok(())
}

fn one(trial: &mut Trial, of: Of, shape: &[usize], keys: &Values) -> Result<(), Trouble> {
    let dtype = convert::dtype(keys.element());
    let length = shape.last().copied().unwrap_or(1);
    let places = [length / 2, length - 1, length / 3];
    let q = [0.5, 0.1, 1.0];
    let axis = shape.len().checked_sub(1);
    let want = match of {
        Of::Places | Of::Around => reference::nth_element(keys, shape, axis, &places)?,
        Of::Median => reference::median(keys, shape, axis)?,
        Of::Quantiles => reference::quantile(keys, shape, axis, &q)?,
    };
    let array = tensor(keys, shape)?;
    trial.on_each(&format!("{shape:?} {dtype}"), |context| {
        let outcome = match of {
            Of::Places | Of::Around => context.nth_element(&NthElement::of_places(dtype, shape, &places), &array)?,
            Of::Median => context.median(&Median::new(dtype, shape), &array)?,
            Of::Quantiles => context.quantile(&Quantile::new(dtype, shape, &q), &array)?,
        };
        same("results", &outcome.tensor, &want)?;
        Ok(1)
    })
}

fn around(trial: &mut Trial, shape: &[usize], keys: &Values) -> Result<(), Trouble> {
    let length = shape.last().copied().unwrap_or(1);
    let partition = PartitionAt::new(convert::dtype(keys.element()), shape, length / 3).with_positions();
    let places = reference::partition_places(keys, shape, shape.len().checked_sub(1), partition.place)?;
    let positions = Values::U32(places.iter().map(|place| (place % length) as u32).collect());
    let (array, arranged) = (tensor(keys, shape)?, keys.take(places));
    trial.on_each(&format!("{shape:?} {}", partition.dtype), |context| {
        let outcome = context.partition_at(&partition, &array)?.tensor;
        for (what, got, want) in [("keys", &outcome.keys, &arranged), ("positions", &outcome.positions, &positions)] {
            match got {
                Some(got) => same(what, got, want)?,
                None => return Err(format!("{what}: not there").into()),
            }
        }
        Ok(1)
    })
}
