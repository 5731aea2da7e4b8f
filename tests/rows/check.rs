//! One kernel on an array in rows, against its twin.

use libtest_mimic::Failed;
use wavelane::{Condition, Context, MaskForm, Partition, Select, Tensor, Unique};
use wavelane_reference::{self as reference, Values};

use super::data::tensor;
use super::support::{difference, size};

/// The bytes of a mask, where the condition is one.
fn mask_bytes(condition: Condition, mask: &[bool]) -> Option<Vec<u8>> {
    match condition {
        Condition::Compare(..) => None,
        Condition::Mask(MaskForm::Bytes) => Some(mask.iter().map(|&set| u8::from(set)).collect()),
        Condition::Mask(MaskForm::Words) => Some(mask.iter().flat_map(|&set| u32::from(set).to_ne_bytes()).collect()),
    }
}

/// Compares results by their bits.
struct Check<'a> {
    label: String,
    plan: &'a str,
}

impl Check<'_> {
    fn same(&self, what: &str, got: &Tensor, want: &Values) -> Result<(), Failed> {
        match difference(got.bytes(), &want.to_bytes(), size(got.dtype())) {
            None => Ok(()),
            Some(why) => Err(format!("{}: {what}: {why}\n{}", self.label, self.plan).into()),
        }
    }

    fn same_words(&self, what: &str, got: Option<&Tensor>, want: Vec<u32>) -> Result<(), Failed> {
        self.same(what, got.ok_or_else(|| format!("{}: no {what}", self.label))?, &Values::U32(want))
    }
}

pub fn select(context: &Context, select: &Select, values: &Values, mask: &[bool]) -> Result<(), Failed> {
    let input = tensor(select.dtype, &[values.len()], values)?;
    let outcome = context.select_in_rows(select, &input, mask_bytes(select.condition, mask).as_deref())?;
    let row_length = select.row_length.ok_or("no rows")?;
    let (results, offsets) = match select.positions {
        true => reference::positions_in_rows(mask, row_length).map(|(places, offsets)| (Values::U32(places), offsets))?,
        false => reference::select_in_rows(values, mask, row_length)?,
    };
    let check = Check { label: format!("{select:?}"), plan: &outcome.plan.explain() };
    check.same_words("offsets", Some(&outcome.tensor.offsets), offsets)?;
    check.same("results", &outcome.tensor.results, &results)
}

pub fn partition(context: &Context, partition: &Partition, values: &Values, mask: &[bool]) -> Result<(), Failed> {
    let input = tensor(partition.dtype, &[values.len()], values)?;
    let outcome = context.partition_in_rows(partition, &input, mask_bytes(partition.condition, mask).as_deref())?;
    let (results, offsets) = reference::partition_in_rows(values, mask, partition.row_length.ok_or("no rows")?)?;
    let check = Check { label: format!("{partition:?}"), plan: &outcome.plan.explain() };
    check.same_words("offsets", Some(&outcome.tensor.offsets), offsets)?;
    check.same("elements", &outcome.tensor.results, &results)
}

pub fn runs(context: &Context, unique: &Unique, values: &Values) -> Result<(), Failed> {
    let outcome = context.unique(unique, &tensor(unique.dtype, &[values.len()], values)?)?;
    let (want, offsets) = reference::unique_runs_in_rows(values, unique.row_length.ok_or("no rows")?)?;
    let check = Check { label: format!("{unique:?}"), plan: &outcome.plan.explain() };
    let found = &outcome.tensor;
    check.same_words("offsets", found.offsets.as_ref(), offsets)?;
    check.same("values", &found.values, &want.values)?;
    let beside = [
        ("first", unique.first, &found.first, want.first),
        ("counts", unique.counts, &found.counts, want.counts),
        ("inverse", unique.inverse, &found.inverse, want.inverse),
    ];
    for (what, _, got, want) in beside.into_iter().filter(|(_, wanted, ..)| *wanted) {
        check.same_words(what, got.as_ref(), want)?;
    }
    Ok(())
}
