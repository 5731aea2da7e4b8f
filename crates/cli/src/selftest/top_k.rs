//! The first keys of rows against their CPU twin: bit for bit, so that equal keys show which of them were taken.

use wavelane::TopK;
use wavelane_reference::{self as reference, Element, Values};

use super::data::{self, Pattern};
use super::trial::{Job, Trial, Trouble, same, tensor};
use crate::convert;

/// Arrays, and how many of each row.
type Cases = &'static [(&'static [usize], usize)];

const QUICK: Cases = &[(&[257], 9), (&[40_003], 100), (&[33, 65], 3), (&[3, 5000], 1)];
const FULL: Cases = &[
    (&[0], 0),
    (&[1], 1),
    (&[255], 254),
    (&[2049], 2049),
    (&[20_011], 1),
    (&[300_007], 5000),
    (&[77, 33, 65], 7),
    (&[33, 2049], 20),
    (&[33_001, 2], 1),
];

pub fn jobs(quick: bool) -> Vec<Job> {
    let all = [(false, "largest"), (true, "smallest")];
    let (chosen, cases) = if quick { (&all[..1], QUICK) } else { (&all[..], FULL) };
    let of = |&(smallest, name): &(bool, &'static str)| {
        Element::ALL.map(|element| Job::new("topk", name, element, move |trial| check(trial, smallest, element, cases)))
    };
    chosen.iter().flat_map(of).collect()
}

fn check(trial: &mut Trial, smallest: bool, element: Element, cases: Cases) -> Result<(), Trouble> {
    for &(shape, k) in cases {
        if trial.is_over() {
            break;
        }
        let count = shape.iter().product();
        let all = data::of_pattern(if element.is_float() { Pattern::WithNan } else { Pattern::Extreme }, element, count);
        // Few keys, so that many are equal; and many of them.
        for keys in [data::runs(element, count), all] {
            one(trial, &TopK { smallest, ..TopK::new(convert::dtype(element), shape, k) }, &keys)?;
        }
    }
    Ok(())
}

fn one(trial: &mut Trial, top_k: &TopK, keys: &Values) -> Result<(), Trouble> {
    let places = reference::top_k_places(keys, &top_k.shape, top_k.shape.len().checked_sub(1), top_k.k, top_k.smallest)?;
    let length = top_k.shape.last().map_or(1, |&length| length.max(1));
    let positions = Values::U32(places.iter().map(|place| (place % length) as u32).collect());
    let (array, first) = (tensor(keys, &top_k.shape)?, keys.take(places));
    let label = format!("{} of {:?} {}", top_k.k, top_k.shape, top_k.dtype);
    trial.on_each(&label, |context| {
        let outcome = context.top_k(top_k, &array)?.tensor;
        for (what, got, want) in [("keys", &outcome.keys, &first), ("positions", &outcome.positions, &positions)] {
            match got {
                Some(got) => same(what, got, want)?,
                None => return Err(format!("{what}: not there").into()),
            }
        }
        Ok(1)
    })
}
