//! Kernels on sorted arrays against their CPU twins.

use wavelane::{DType, Merge, SearchSide, SearchSorted, SetOp, SetOperation};
use wavelane_reference::{self as reference, Element, SearchOptions, Values};

use super::data::{self, Pattern};
use super::trial::{Job, Trial, Trouble, same, tensor};
use crate::convert;

/// Elements of an array, and values.
type Cases = &'static [(usize, usize)];

const QUICK: Cases = &[(257, 1000), (20_003, 501)];
const FULL: Cases = &[(0, 7), (1, 255), (256, 256), (257, 1000), (20_003, 20_011), (300_007, 501)];

pub fn jobs(quick: bool) -> Vec<Job> {
    let cases = if quick { QUICK } else { FULL };
    let sides = [(SearchSide::Left, "left"), (SearchSide::Right, "right")];
    let searches = sides[..if quick { 1 } else { 2 }].iter().flat_map(|&(side, name)| {
        Element::ALL.map(|element| Job::new("searchsorted", name, element, move |trial| search(trial, side, element, cases)).of_one_path())
    });
    let merges = [(false, "keys"), (true, "values")];
    let merges = merges[if quick { 1 } else { 0 }..].iter().flat_map(|&(values, name)| {
        Element::ALL.map(|element| Job::new("merge", name, element, move |trial| merge(trial, values, element, cases)).of_one_path())
    });
    let sets = SetOp::ALL[..if quick { 2 } else { 4 }].iter().flat_map(|&op| {
        Element::ALL.map(|element| Job::new("sets", op.name(), element, move |trial| set_operation(trial, op, element, cases)))
    });
    searches.chain(merges).chain(sets).collect()
}

/// Elements of few kinds, of which many are equal, and of all kinds.
fn keys(element: Element, count: usize) -> [Values; 2] {
    let all = data::of_pattern(if element.is_float() { Pattern::WithNan } else { Pattern::Extreme }, element, count);
    [data::runs(element, count), all]
}

fn sorted(keys: &Values) -> Result<Values, Trouble> {
    let places = reference::sort_places(keys, &[keys.len()], None, &Default::default())?;
    Ok(keys.take(places))
}

fn search(trial: &mut Trial, side: SearchSide, element: Element, cases: Cases) -> Result<(), Trouble> {
    for &(length, count) in cases {
        if trial.is_over() {
            break;
        }
        for (array, values) in keys(element, length).iter().zip(keys(element, count)) {
            let search = SearchSorted { side, ..SearchSorted::new(convert::dtype(element), length, &[count]) };
            let array = sorted(array)?;
            let options = SearchOptions { right: side == SearchSide::Right, ..Default::default() };
            let want = Values::U32(reference::search_sorted(&array, &values, 1, options)?);
            let (array, values) = (tensor(&array, &[length])?, tensor(&values, &[count])?);
            trial.on_each(&format!("{search:?}"), |context| {
                same("positions", &context.search_sorted(&search, &array, &values)?.tensor, &want)?;
                Ok(1)
            })?;
        }
    }
    Ok(())
}

fn merge(trial: &mut Trial, with_values: bool, element: Element, cases: Cases) -> Result<(), Trouble> {
    for &(first, second) in cases {
        if trial.is_over() {
            break;
        }
        for (a, b) in keys(element, first).iter().zip(&keys(element, second)) {
            let (a, b) = (sorted(a)?, sorted(b)?);
            let places = reference::merge_places(&a, &b, false)?;
            let both = Values::from_bits(element, a.bits().into_iter().chain(b.bits()));
            let want = both.take(places.iter().copied());
            let merge = Merge::new(convert::dtype(element), first, second);
            let merge = if with_values { merge.with_values(DType::U64) } else { merge };
            // Each value is where its key comes from, so that it shows which of equal keys it belongs to.
            let from = |begin: usize, count: usize| Values::U64((begin..begin + count).map(|at| (at as u64) << 32 | 5).collect());
            let moved = from(0, first + second).take(places);
            let (a, b) = (tensor(&a, &[first])?, tensor(&b, &[second])?);
            let values = [tensor(&from(0, first), &[first])?, tensor(&from(first, second), &[second])?];
            trial.on_each(&format!("{merge:?}"), |context| {
                let merged = context.merge(&merge, [&a, &b], with_values.then_some([&values[0], &values[1]]))?.tensor;
                match (&merged.keys, &merged.values) {
                    (Some(keys), None) if !with_values => same("keys", keys, &want)?,
                    (Some(keys), Some(values)) if with_values => {
                        same("keys", keys, &want)?;
                        same("values", values, &moved)?;
                    }
                    _ => return Err("keys or values: there, or not there".to_owned().into()),
                }
                Ok(1)
            })?;
        }
    }
    Ok(())
}

fn set_operation(trial: &mut Trial, op: SetOp, element: Element, cases: Cases) -> Result<(), Trouble> {
    let twin = match op {
        SetOp::Union => reference::SetOp::Union,
        SetOp::Intersection => reference::SetOp::Intersection,
        SetOp::Difference => reference::SetOp::Difference,
        SetOp::SymmetricDifference => reference::SetOp::SymmetricDifference,
    };
    for &(first, second) in cases {
        if trial.is_over() {
            break;
        }
        for (a, b) in keys(element, first).iter().zip(&keys(element, second)) {
            let (a, b) = (sorted(a)?, sorted(b)?);
            let want = reference::set_operation(twin, &a, &b)?;
            let operation = SetOperation::new(op, convert::dtype(element), first, second);
            let (a, b) = (tensor(&a, &[first])?, tensor(&b, &[second])?);
            trial.on_each(&format!("{operation:?}"), |context| {
                same("elements", &context.set_operation(&operation, &a, &b)?.tensor, &want)?;
                Ok(1)
            })?;
        }
    }
    Ok(())
}
