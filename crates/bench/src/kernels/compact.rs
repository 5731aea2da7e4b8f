//! Kernels that keep some of the elements: half of random ones, or the runs of keys.

use anyhow::Result;
use wavelane::{
    Compare, Condition, DType, MaskForm, Nonzero, NonzeroBindings, Partition, Scalar, Select, SelectBindings, Unique, UniqueBindings,
};
use wavelane_reference::{Compare as Comparison, Values, matches, nonzero, partition, run_length_encode, select, unique_runs};

use super::Bench;
use super::case::{Case, Expected, Inputs, Planned, Prepared, Ranges};
use super::data;

pub fn cases() -> Vec<Case> {
    vec![
        Case::new("select u32 compare", |bench, n| {
            let inputs = vec![("input", data::u32s(n))];
            selected(bench, n, below_half(), inputs, |input, _| kept_by_value(input))
        }),
        Case::new("select u32 mask", |bench, n| {
            let inputs = vec![("input", data::u32s(n)), ("mask", data::mask(n))];
            selected(bench, n, Condition::Mask(MaskForm::Bytes), inputs, |input, inputs| {
                Ok(inputs[1].1.bits().into_iter().take(input.len()).map(|entry| entry != 0).collect())
            })
        }),
        Case::new("partition u32 compare", parted),
        Case::new("nonzero u32", |bench, n| {
            let work = Planned::new(bench, &Nonzero::new(DType::U32, n), |ranges| {
                Some(NonzeroBindings {
                    input: ranges.get("input")?,
                    output: ranges.get("output")?,
                    selected: ranges.get("selected")?,
                    scratch: ranges.get("scratch"),
                    count: None,
                })
            })?;
            Ok(Prepared::new(work, vec![("input", data::half_zero(n))], (n, 4 * n + 4 * kept(n)), |inputs| {
                let positions = nonzero(&inputs[0].1);
                Ok(vec![Expected::count("selected", positions.len()), Expected::exactly("output", Values::U32(positions))])
            }))
        }),
        Case::new("unique u32 runs_of_16", |bench, n| {
            runs(bench, n, Unique::runs(DType::U32, n), 4, |input| vec![Expected::exactly("values", unique_runs(input).values)])
        }),
        Case::new("run_lengths u32 runs_of_16", |bench, n| {
            runs(bench, n, Unique::runs(DType::U32, n).with_counts(), 8, |input| {
                let (values, lengths) = run_length_encode(input);
                vec![Expected::exactly("values", values), Expected::exactly("counts", Values::U32(lengths))]
            })
        }),
    ]
}

fn below_half() -> Condition {
    Condition::Compare(Compare::Lt, Scalar::from(data::HALF))
}

/// Elements that are kept.
fn kept(n: usize) -> usize {
    (0..n as u32).filter(|&at| data::is_kept(at)).count()
}

fn kept_by_value(input: &Values) -> Result<Vec<bool>> {
    Ok(matches(input, Comparison::Lt, &Values::U32(vec![data::HALF]))?)
}

fn bindings<'a>(ranges: &Ranges<'a>) -> Option<SelectBindings<'a>> {
    Some(SelectBindings {
        input: ranges.get("input")?,
        output: ranges.get("output")?,
        selected: ranges.get("selected")?,
        scratch: ranges.get("scratch"),
        mask: ranges.get("mask"),
        count: None,
        offsets: None,
    })
}

fn selected(
    bench: &Bench,
    n: usize,
    condition: Condition,
    inputs: Inputs,
    mask: impl Fn(&Values, &[(&'static str, Values)]) -> Result<Vec<bool>> + 'static,
) -> Result<Prepared> {
    let work = Planned::new(bench, &Select::new(condition, DType::U32, n), |ranges| bindings(ranges))?;
    let mask_bytes = if matches!(condition, Condition::Mask(_)) { n } else { 0 };
    Ok(Prepared::new(work, inputs, (n, 4 * n + mask_bytes + 4 * kept(n)), move |inputs| {
        let input = &inputs[0].1;
        let results = select(input, &mask(input, inputs)?)?;
        Ok(vec![Expected::count("selected", results.len()), Expected::exactly("output", results)])
    }))
}

fn parted(bench: &Bench, n: usize) -> Result<Prepared> {
    let work = Planned::new(bench, &Partition::new(below_half(), DType::U32, n), |ranges| bindings(ranges))?;
    Ok(Prepared::new(work, vec![("input", data::u32s(n))], (n, 8 * n), |inputs| {
        let (results, count) = partition(&inputs[0].1, &kept_by_value(&inputs[0].1)?)?;
        Ok(vec![Expected::count("selected", count), Expected::exactly("output", results)])
    }))
}

/// Runs of equal neighbours, with so many bytes of results for each.
fn runs(
    bench: &Bench,
    n: usize,
    description: Unique,
    bytes: usize,
    expect: impl Fn(&Values) -> Vec<Expected> + 'static,
) -> Result<Prepared> {
    let work = Planned::new(bench, &description, |ranges| {
        Some(UniqueBindings {
            input: ranges.get("input")?,
            values: ranges.get("values")?,
            found: ranges.get("found")?,
            scratch: ranges.get("scratch"),
            first: None,
            counts: ranges.get("counts"),
            inverse: None,
            count: None,
            offsets: None,
        })
    })?;
    Ok(Prepared::new(work, vec![("input", data::keys(n))], (n, 4 * n + bytes * data::runs(n)), move |inputs| {
        let mut all = expect(&inputs[0].1);
        all.extend(all.first().map(|values| Expected::count("found", values.values.len())));
        Ok(all)
    }))
}
