//! Fill, iota and conversion: of as many elements as the current array has, by its count if it has one.

use libtest_mimic::Failed;
use wavelane::{Convert, ConvertBindings, Fill, FillBindings, Iota, IotaBindings};
use wavelane_reference as reference;

use super::chain::Chain;
use super::data::{Random, element};
use super::planned::Ranges;
use super::rig::Rig;
use super::variants::Variant;
use super::{elements, twin};

pub fn fill(chain: &mut Chain, rig: &Rig, variant: &Variant, random: &mut Random) -> Result<bool, Failed> {
    let (input, dtype) = (chain.input(), variant.dtype);
    let value = elements::small_scalar(dtype, random);
    let fill = Fill { counted: input.is_counted(), ..Fill::new(value, &[input.capacity]) };
    let Some(planned) = rig.plan(&fill, variant.path, fill_bindings)? else { return Ok(false) };
    let live = reference::fill(&twin::value(value).ok_or("no value")?, input.len())?;
    let (output, count) = (chain.room_for(dtype, input.capacity, &[], random), chain.count_slot(&input));
    chain.push(planned, &[("output", output), ("count", count)])?;
    chain.result(output, dtype, live, input.capacity, input.count)?;
    Ok(true)
}

fn fill_bindings<'a>(&[output, count, ..]: &Ranges<'a>) -> FillBindings<'a> {
    FillBindings { output, count: Some(count) }
}

pub fn iota(chain: &mut Chain, rig: &Rig, variant: &Variant, random: &mut Random) -> Result<bool, Failed> {
    let (input, dtype) = (chain.input(), variant.dtype);
    let (start, step) = (elements::small_scalar(dtype, random), elements::small_scalar(dtype, random));
    let iota = Iota { start, step, count: input.capacity, counted: input.is_counted() };
    let Some(planned) = rig.plan(&iota, variant.path, iota_bindings)? else { return Ok(false) };
    let [start, step] = [start, step].map(twin::value);
    let live = reference::iota(element(dtype), input.len(), &start.ok_or("no value")?, &step.ok_or("no value")?)?;
    let (output, count) = (chain.room_for(dtype, input.capacity, &[], random), chain.count_slot(&input));
    chain.push(planned, &[("output", output), ("count", count)])?;
    chain.result(output, dtype, live, input.capacity, input.count)?;
    Ok(true)
}

fn iota_bindings<'a>(&[output, count, ..]: &Ranges<'a>) -> IotaBindings<'a> {
    IotaBindings { output, count: Some(count) }
}

/// The current array in the variant's type.
pub fn convert(chain: &mut Chain, rig: &Rig, variant: &Variant, random: &mut Random) -> Result<bool, Failed> {
    let (input, dtype) = (chain.input(), variant.dtype);
    if input.dtype == dtype {
        return Ok(false);
    }
    let convert = Convert { counted: input.is_counted(), ..Convert::new(input.dtype, dtype, &[input.capacity]) };
    let Some(planned) = rig.plan(&convert, variant.path, convert_bindings)? else { return Ok(false) };
    let output = chain.room_for(dtype, input.capacity, &[input.slot], random);
    let count = chain.count_slot(&input);
    chain.push(planned, &[("input", input.slot), ("output", output), ("count", count)])?;
    chain.result(output, dtype, reference::convert(&input.live, element(dtype)), input.capacity, input.count)?;
    Ok(true)
}

fn convert_bindings<'a>(&[input, output, count, ..]: &Ranges<'a>) -> ConvertBindings<'a> {
    ConvertBindings { input, output, count: Some(count) }
}
