//! Partitions on every driver and path, against the CPU twin.

#[allow(dead_code, reason = "not every test takes all patterns")]
#[path = "reduce/data.rs"]
mod data;
mod harness;
#[path = "select/support.rs"]
mod support;

use std::process::ExitCode;

use data::{Pattern, tensor, values};
use harness::Case;
use harness::gpu::ensure;
use libtest_mimic::Failed;
use support::{Density, LENGTHS, context, difference, on_each_path, on_narrow_devices, pivots, size, twin_compare, twin_value};
use wavelane::{Compare, Condition, Context, DType, Kernel, MaskForm, Partition, ScanStrategy};
use wavelane_reference::{self as reference, Values};

fn main() -> ExitCode {
    let mut cases = on_each_path("lengths", lengths);
    cases.extend(on_narrow_devices(narrow));
    cases.push(Case::new("repeats", |_| repeats(&context(None, None)?)));
    cases.push(Case::new("refusals", |_| refusals(&context(None, None)?)));
    harness::main(cases)
}

fn check(context: &Context, partition: &Partition, values: &Values, mask: &[bool]) -> Result<(), Failed> {
    let bytes: Vec<u8> = match partition.condition {
        Condition::Mask(MaskForm::Words) => mask.iter().flat_map(|&set| u32::from(set).to_ne_bytes()).collect(),
        _ => mask.iter().map(|&set| u8::from(set)).collect(),
    };
    let outcome = context.partition(partition, &tensor(partition.dtype, &[values.len()], values)?, Some(&bytes))?;
    let (parted, selected) = outcome.tensor;
    let (want, wanted) = reference::partition(values, mask).map_err(|error| error.to_string())?;
    ensure(selected as usize == wanted, || format!("{partition:?}: {selected} selected, not {wanted}"))?;
    match difference(parted.bytes(), &want.to_bytes(), size(partition.dtype)) {
        None => Ok(()),
        Some(why) => Err(format!("{partition:?}: {why}\n{}", outcome.plan.explain()).into()),
    }
}

fn lengths(context: &Context) -> Result<(), Failed> {
    let mut turn = 0;
    for (at, len) in LENGTHS.into_iter().enumerate() {
        for dtype in [[DType::U8, DType::F16][at % 2], DType::F32, DType::I64] {
            let values = values(dtype, len, Pattern::Random, false, 1);
            for strategy in [None, Some(ScanStrategy::OneWorkgroup), Some(ScanStrategy::ReduceThenScan)] {
                turn += 1;
                let form = if turn % 2 == 0 { MaskForm::Words } else { MaskForm::Bytes };
                let partition = Partition { strategy, ..Partition::new(Condition::Mask(form), dtype, len) };
                check(context, &partition, &values, &Density::ALL[turn / 2 % 4].mask(len))?;
            }
        }
    }
    for dtype in DType::ALL {
        let values = values(dtype, 9001, Pattern::Ties, false, 2);
        for pivot in pivots(dtype) {
            let compare = Compare::ALL[turn % 6];
            turn += 1;
            let mask = reference::matches(&values, twin_compare(compare), &twin_value(pivot)?).map_err(|error| error.to_string())?;
            check(context, &Partition::new(Condition::Compare(compare, pivot), dtype, 9001), &values, &mask)?;
        }
    }
    Ok(())
}

fn narrow(context: &Context) -> Result<(), Failed> {
    for dtype in [DType::U8, DType::F16, DType::I32, DType::U64] {
        for len in [3, 20_011, 33_001] {
            let values = values(dtype, len, Pattern::Random, false, 11);
            for density in Density::ALL {
                check(context, &Partition::new(Condition::Mask(MaskForm::Words), dtype, len), &values, &density.mask(len))?;
            }
        }
    }
    Ok(())
}

fn repeats(context: &Context) -> Result<(), Failed> {
    let values = values(DType::F16, 40_009, Pattern::Random, false, 17);
    let mask = Density::Half.mask(40_009);
    let partition = Partition::new(Condition::Mask(MaskForm::Bytes), DType::F16, 40_009);
    for _ in 0..50 {
        check(context, &partition, &values, &mask)?;
    }
    Ok(())
}

fn refusals(context: &Context) -> Result<(), Failed> {
    let partition = Partition::new(Condition::Mask(MaskForm::Bytes), DType::U32, 5000).with_strategy(ScanStrategy::SinglePass);
    let error = partition.schedule(context.device().capabilities(), &[], None).err().ok_or("a single pass was taken")?.to_string();
    ensure(error == "a single pass was asked for, but how many elements are selected must be known before the others are moved", || error)?;
    let long = Partition { len: 10_000_000, strategy: Some(ScanStrategy::OneWorkgroup), ..partition };
    let error = long.schedule(context.device().capabilities(), &[], None).err().ok_or("one workgroup takes everything")?.to_string();
    ensure(error == "one workgroup was asked for, but it takes at most 256 tiles", || error)
}
