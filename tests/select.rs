//! Selections and positions of what is not zero on every driver and path, against the CPU twin.

#[allow(dead_code, reason = "not every test takes all patterns")]
#[path = "reduce/data.rs"]
mod data;
mod harness;
#[path = "select/support.rs"]
mod support;

use std::process::ExitCode;

use data::{Pattern, Random, tensor, values};
use harness::Case;
use harness::gpu::ensure;
use libtest_mimic::Failed;
use support::{
    Density, LENGTHS, STRATEGIES, UNTOUCHED, context, difference, finish, on_each_path, on_narrow_devices, patterns, pivots,
    select_bindings, size, twin_compare, twin_value, word,
};
use wavelane::record::Recorder;
use wavelane::{
    Compare, Condition, Context, DType, Error, Kernel, MaskForm, Nonzero, Partition, Pipelines, Plan, Scalar, ScanStrategy, Select, Tensor,
};
use wavelane_reference::{self as reference, Values};

fn main() -> ExitCode {
    let mut cases = on_each_path("lengths", lengths);
    cases.extend(on_each_path("comparisons", comparisons));
    cases.extend(on_narrow_devices(narrow));
    cases.push(Case::new("repeats", |_| repeats(&context(None, None)?)));
    cases.push(Case::new("stalled_tile", |_| stalled_tile(&context(None, None)?)));
    cases.push(Case::new("counted", |_| counted(&context(None, None)?)));
    cases.push(Case::new("refusals", |_| refusals(&context(None, None)?)));
    cases.push(Case::new("longer_than_a_descriptor", |_| long_input(&context(None, None)?)));
    harness::main(cases)
}

/// A selection by a mask, against the twin: elements or positions.
fn check_mask(context: &Context, select: &Select, values: &Values, mask: &[bool]) -> Result<(), Failed> {
    let Condition::Mask(form) = select.condition else { return Err("not a mask".into()) };
    let bytes: Vec<u8> = match form {
        MaskForm::Bytes => mask.iter().enumerate().map(|(at, &set)| u8::from(set) * (1 + at as u8 % 200)).collect(),
        // Any bit counts.
        MaskForm::Words => mask.iter().enumerate().flat_map(|(at, &set)| (u32::from(set) << (at % 32)).to_ne_bytes()).collect(),
    };
    let input = tensor(select.dtype, &[values.len()], values)?;
    let outcome = context.select(select, &input, Some(&bytes))?;
    let want = if select.positions {
        Values::U32(mask.iter().enumerate().filter(|(_, set)| **set).map(|(at, _)| at as u32).collect())
    } else {
        reference::select(values, mask).map_err(|error| error.to_string())?
    };
    compare(select, &outcome.tensor, &want, &outcome.plan.explain())
}

fn compare(select: &Select, got: &Tensor, want: &Values, plan: &str) -> Result<(), Failed> {
    match difference(got.bytes(), &want.to_bytes(), size(select.result_dtype())) {
        None => Ok(()),
        Some(why) => Err(format!("{select:?}: {why}\n{plan}").into()),
    }
}

fn lengths(context: &Context) -> Result<(), Failed> {
    let mut turn = 0;
    for (at, len) in LENGTHS.into_iter().enumerate() {
        for dtype in [[DType::U8, DType::F16][at % 2], DType::U32, DType::F64] {
            let values = values(dtype, len, Pattern::Random, false, 1);
            // Each length has two of the strategies, so that all of them meet all kinds of lengths.
            for _ in 0..2 {
                turn += 1;
                let strategy = STRATEGIES[turn / 3 % 4];
                let form = if turn % 2 == 0 { MaskForm::Words } else { MaskForm::Bytes };
                let select = Select { strategy, positions: turn % 5 == 0, ..Select::new(Condition::Mask(form), dtype, len) };
                check_mask(context, &select, &values, &Density::ALL[turn / 2 % 4].mask(len))?;
            }
        }
    }
    for dtype in DType::ALL {
        for len in [0, 1, 777, 9001] {
            let values = values(dtype, len, Pattern::Ties, false, 2);
            let outcome = context.nonzero(&Nonzero::new(dtype, len), &tensor(dtype, &[len], &values)?)?;
            let want = reference::nonzero(&values);
            ensure(outcome.tensor.to_vec::<u32>()? == want, || format!("nonzero of {len} {dtype}: {}", outcome.plan.explain()))?;
        }
    }
    Ok(())
}

fn comparisons(context: &Context) -> Result<(), Failed> {
    for dtype in DType::ALL {
        for pattern in patterns(dtype) {
            let values = values(dtype, 1031, *pattern, false, 5);
            let input = tensor(dtype, &[1031], &values)?;
            for pivot in pivots(dtype) {
                for compare in Compare::ALL {
                    let select = Select::new(Condition::Compare(compare, pivot), dtype, 1031);
                    let outcome = context.select(&select, &input, None)?;
                    let mask =
                        reference::matches(&values, twin_compare(compare), &twin_value(pivot)?).map_err(|error| error.to_string())?;
                    let want = reference::select(&values, &mask).map_err(|error| error.to_string())?;
                    self::compare(&select, &outcome.tensor, &want, &outcome.plan.explain())?;
                }
            }
        }
    }
    Ok(())
}

fn narrow(context: &Context) -> Result<(), Failed> {
    for dtype in [DType::U8, DType::F16, DType::I32, DType::U64] {
        for (turn, len) in [3, 20_011, 33_001].into_iter().enumerate() {
            let values = values(dtype, len, Pattern::Random, false, 11);
            for (density, form) in [(Density::Half, MaskForm::Words), (Density::All, MaskForm::Bytes), (Density::Sparse, MaskForm::Words)] {
                for positions in [false, true] {
                    let select = Select { positions, ..Select::new(Condition::Mask(form), dtype, len) };
                    check_mask(context, &select, &values, &density.mask(len))?;
                }
            }
            let single = Select::new(Condition::Mask(MaskForm::Bytes), dtype, len).with_strategy(ScanStrategy::SinglePass);
            match check_mask(context, &single, &values, &Density::Half.mask(len)) {
                Err(failed) if failed.message().is_some_and(|text| text.contains("a descriptor of this device does not reach")) => {
                    ensure(turn > 0, || "3 elements do not fit".into())?;
                }
                other => other?,
            }
        }
    }
    Ok(())
}

fn repeats(context: &Context) -> Result<(), Failed> {
    let values = values(DType::F16, 40_009, Pattern::Random, false, 17);
    let input = tensor(DType::F16, &[40_009], &values)?;
    for strategy in [ScanStrategy::ReduceThenScan, ScanStrategy::SinglePass] {
        let condition = Condition::Compare(Compare::Lt, Scalar::from(half::f16::from_f32(0.01)));
        let select = Select::new(condition, DType::F16, 40_009).with_strategy(strategy);
        let first = context.select(&select, &input, None)?.tensor;
        for _ in 0..50 {
            ensure(context.select(&select, &input, None)?.tensor == first, || format!("{select:?}: another result"))?;
        }
    }
    Ok(())
}

/// A tile whose workgroup publishes nothing: another does its work.
fn stalled_tile(context: &Context) -> Result<(), Failed> {
    let device = context.device();
    const LEN: usize = 60_000;
    let elements: Vec<u32> = (0..LEN as u32).map(|at| at.wrapping_mul(2_654_435_761)).collect();
    let want: Vec<u32> = elements.iter().copied().filter(|&x| x < 0x6000_0000).collect();
    let condition = Condition::Compare(Compare::Lt, Scalar::from(0x6000_0000u32));
    let select = Select::new(condition, DType::U32, LEN).with_strategy(ScanStrategy::SinglePass);
    let pipelines = Pipelines::new(device);
    for tile in [1, 5] {
        let mut schedule = select.schedule(device.capabilities(), device.quirks(), None)?;
        let tile_length = 16 * schedule.choice.workgroup_size as usize;
        schedule.hold_tile_back(tile);
        let buffers = support::buffers(device, &schedule, &[("input", bytemuck::cast_slice(&elements))])?;
        let plan = Plan::new(select.clone(), schedule.clone(), &pipelines)?;
        let mut recorder = Recorder::new(device)?;
        plan.record(&mut recorder, &select_bindings(&buffers))?;
        let found = finish(recorder, &schedule, &buffers)?;
        ensure(word(&found[4]) as usize == want.len(), || format!("{} selected of {}", word(&found[4]), want.len()))?;
        ensure(found[1].starts_with(bytemuck::cast_slice(&want)), || format!("tile {tile} held back: wrong elements"))?;
        // Behind four words, a status for each tile, and the ticket.
        let fallbacks = 4 * (4 + LEN.div_ceil(tile_length) + 1);
        ensure(word(&found[2][fallbacks..]) > 0, || "no workgroup did another's work".into())?;
    }
    Ok(())
}

/// The device has the number of elements: from none to more than there is room for. Nothing behind the results is written.
fn counted(context: &Context) -> Result<(), Failed> {
    let device = context.device();
    let pipelines = Pipelines::new(device);
    for (dtype, len) in [(DType::U8, 9001), (DType::F16, 9001), (DType::U32, 9001), (DType::I64, 20_011)] {
        let values = values(dtype, len, Pattern::Random, false, 23);
        let mask = Density::Half.mask(len);
        let bytes: Vec<u8> = mask.iter().map(|&set| u8::from(set)).collect();
        for (count, strategy) in [0, 1, 4097, len - 1, len, usize::MAX].into_iter().zip(STRATEGIES.into_iter().cycle()) {
            let live = count.min(len);
            let select = Select { strategy, ..Select::new(Condition::Mask(MaskForm::Bytes), dtype, len).counted() };
            let partition = Partition { strategy: None, ..Partition::new(select.condition, dtype, len).counted() };
            let contents: [(&str, &[u8]); 3] = [("input", &values.to_bytes()), ("mask", &bytes), ("count", &(count as u32).to_ne_bytes())];
            let live_mask: Vec<bool> = mask.iter().enumerate().map(|(at, &set)| set && at < live).collect();
            let chosen = reference::select(&values, &live_mask).map_err(|error| error.to_string())?.to_bytes();
            let others: Vec<bool> = mask.iter().enumerate().map(|(at, &set)| !set && at < live).collect();
            let others = reference::select(&values, &others).map_err(|error| error.to_string())?.to_bytes();
            for parts in [false, true] {
                let schedule = match parts {
                    false => select.schedule(device.capabilities(), &[], None)?,
                    true => partition.schedule(device.capabilities(), &[], None)?,
                };
                let buffers = support::buffers(device, &schedule, &contents)?;
                let mut recorder = Recorder::new(device)?;
                match parts {
                    false => Plan::new(select.clone(), schedule.clone(), &pipelines)?.record(&mut recorder, &select_bindings(&buffers))?,
                    true => {
                        Plan::new(partition.clone(), schedule.clone(), &pipelines)?.record(&mut recorder, &select_bindings(&buffers))?
                    }
                }
                let found = finish(recorder, &schedule, &buffers)?;
                let label = || format!("{count} of {len} {dtype}, {strategy:?}, partition {parts}");
                ensure(word(&found[4]) as usize * size(dtype) == chosen.len(), || format!("{}: {} selected", label(), word(&found[4])))?;
                let want = if parts { [&chosen[..], &others].concat() } else { chosen.clone() };
                ensure(found[1].starts_with(&want), || format!("{}: wrong elements", label()))?;
                let behind = &found[1][want.len()..];
                ensure(behind.iter().all(|&byte| byte == UNTOUCHED), || format!("{}: written behind the results", label()))?;
            }
        }
    }
    Ok(())
}

fn refusals(context: &Context) -> Result<(), Failed> {
    let says = |error: &Error, text: &str| ensure(error.to_string().contains(text), || format!("{error}, and not {text}"));
    let device = context.device();
    let four = Tensor::from_slice(&[1u32, 2, 3, 4], &[4])?;
    let by = Condition::Compare(Compare::Lt, Scalar::from(1.0f32));
    let error = context.select(&Select::new(by, DType::U32, 4), &four, None).err().ok_or("a value of another type was taken")?;
    says(&error, "elements were asked for as f32, and they are u32")?;
    let masked = Select::new(Condition::Mask(MaskForm::Bytes), DType::U32, 4);
    let error = context.select(&masked, &four, Some(&[1, 2, 3])).err().ok_or("a short mask was taken")?;
    says(&error, "the mask binding has 3 bytes, and the plan needs 4")?;
    let error = context.select(&masked, &four, None).err().ok_or("no mask was taken")?;
    says(&error, "the mask binding has 0 bytes, and the plan needs 4")?;
    let error = context.nonzero(&Nonzero::new(DType::U32, 5), &four).err().ok_or("a short array was taken")?;
    says(&error, "the plan is for u32 [5], and the array is u32 [4]")?;
    let long = Select { len: 1 << 32, ..masked.clone() };
    let error = long.schedule(device.capabilities(), &[], None).err().ok_or("2^32 elements were taken")?;
    says(&error, "has 4294967296 elements, and at most 4294967295 are supported")?;
    let mut capabilities = device.capabilities().clone();
    capabilities.limits.max_storage_buffer_range = 256;
    let error = Select { len: 50_000, ..masked.clone() }.schedule(&capabilities, &[], None).err().ok_or("64 elements fit into nothing")?;
    says(&error, "maxStorageBufferRange is 256")?;
    let quirks = [&harness::gpu::FORBIDS];
    let single = masked.with_strategy(ScanStrategy::SinglePass);
    let error = single.schedule(device.capabilities(), &quirks, None).err().ok_or("a single pass on a device that cannot")?;
    says(&error, "a single pass was asked for, but workgroups of this device cannot rely")?;
    Ok(())
}

/// 160 MiB, where lavapipe's descriptors reach 128.
fn long_input(context: &Context) -> Result<(), Failed> {
    const LEN: usize = 40 << 20;
    let mut random = Random::new(9);
    let elements: Vec<u32> = (0..LEN).map(|_| random.next() as u32).collect();
    let select = Select::new(Condition::Compare(Compare::Lt, Scalar::from(0xf000_0000u32)), DType::U32, LEN);
    let outcome = context.select(&select, &Tensor::from_slice(&elements, &[LEN])?, None)?;
    let want: Vec<u32> = elements.into_iter().filter(|&x| x < 0xf000_0000).collect();
    ensure(outcome.tensor.to_vec::<u32>()? == want, || format!("wrong elements\n{}", outcome.plan.explain()))
}
