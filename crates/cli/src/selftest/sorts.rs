//! Sorts against their CPU twin: bit for bit, so that equal keys show their order.

use wavelane::{DType, Payload, Sort};
use wavelane_reference::{self as reference, Element, SortOptions, Values};

use super::data::{self, Pattern};
use super::trial::{Job, Trial, Trouble, same, tensor};
use crate::convert;

/// Arrays and the axes that they are sorted along.
type Cases = &'static [(&'static [usize], Option<usize>)];

const QUICK: Cases = &[(&[257], Some(0)), (&[20_003], None), (&[7, 33, 65], Some(1)), (&[3, 5000], Some(1))];
const FULL: Cases = &[
    (&[0], None),
    (&[1], None),
    (&[255], None),
    (&[2049], None),
    (&[20_011], None),
    (&[300_007], None),
    (&[7, 33, 65], Some(0)),
    (&[7, 33, 65], Some(1)),
    (&[7, 33, 65], Some(2)),
    (&[3, 5000], Some(1)),
    (&[33_001, 2], Some(0)),
];

/// What moves, and which way.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    Keys,
    Descending,
    Bits,
    Values,
    Positions,
}

pub fn jobs(quick: bool) -> Vec<Job> {
    let all = [(By::Keys, "keys"), (By::Positions, "places"), (By::Values, "values"), (By::Descending, "reverse"), (By::Bits, "bits")];
    let (chosen, cases) = if quick { (&all[1..3], QUICK) } else { (&all[..], FULL) };
    let of = |&(by, name): &(By, &'static str)| {
        Element::ALL.map(|element| Job::new("sort", name, element, move |trial| check(trial, by, element, cases)))
    };
    chosen.iter().flat_map(of).collect()
}

fn check(trial: &mut Trial, by: By, element: Element, cases: Cases) -> Result<(), Trouble> {
    for &(shape, axis) in cases {
        if trial.is_over() {
            break;
        }
        let count = shape.iter().product();
        let all = data::of_pattern(if element.is_float() { Pattern::WithNan } else { Pattern::Extreme }, element, count);
        // Few keys, so that many are equal; and many of them.
        for keys in [data::runs(element, count), all] {
            one(trial, &sort(by, element, shape, axis), &keys)?;
        }
    }
    Ok(())
}

fn sort(by: By, element: Element, shape: &[usize], axis: Option<usize>) -> Sort {
    let dtype = convert::dtype(element);
    let sort = Sort { axis, ..Sort::new(dtype, shape) };
    match by {
        By::Keys => sort,
        By::Descending => sort.descending().with_positions(),
        By::Bits => sort.by_bits(dtype.size() as u32, 5 * dtype.size() as u32),
        By::Values => sort.with_values(DType::U64),
        By::Positions => Sort { keys: false, ..sort.with_positions() },
    }
}

fn one(trial: &mut Trial, sort: &Sort, keys: &Values) -> Result<(), Trouble> {
    let options = SortOptions { descending: sort.descending, bits: sort.bits, count: None };
    let places = reference::sort_places(keys, &sort.shape, sort.axis, &options)?;
    // Each value is where it came from, so that it shows which of equal keys it belongs to.
    let values = Values::U64((0..keys.len() as u64).map(|at| at << 32 | 5).collect());
    let given = matches!(sort.payload, Payload::Values(_)).then(|| tensor(&values, &sort.shape)).transpose()?;
    let moved = match sort.payload {
        Payload::None => None,
        Payload::Values(_) => Some(values.take(places.iter().copied())),
        Payload::Positions => Some(positions(sort, &places)),
    };
    let array = tensor(keys, &sort.shape)?;
    let sorted = sort.keys.then(|| keys.take(places.iter().copied()));
    let label = format!("{:?} {} along {:?}", sort.shape, sort.dtype, sort.axis);
    trial.on_each(&label, |context| {
        let outcome = context.sort(sort, &array, given.as_ref())?.tensor;
        for (what, got, want) in [("keys", &outcome.keys, &sorted), ("values", &outcome.values, &moved)] {
            match (got, want) {
                (Some(got), Some(want)) => same(what, got, want)?,
                (None, None) => {}
                _ => return Err(format!("{what}: there, or not there").into()),
            }
        }
        Ok(1)
    })
}

/// Where keys stood along the axis.
fn positions(sort: &Sort, places: &[usize]) -> Values {
    let inner: usize = sort.axis.map_or(1, |axis| sort.shape[axis + 1..].iter().product());
    let length = sort.axis.map_or(places.len(), |axis| sort.shape[axis]);
    Values::U32(places.iter().map(|place| (place / inner % length) as u32).collect())
}
