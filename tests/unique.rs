//! Runs and unique values on every driver and path, against the CPU twin.

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
use support::{LENGTHS, Runs, STRATEGIES, context, difference, finish, on_each_path, on_narrow_devices, patterns, size, word};
use wavelane::record::{BufferRange, Recorder};
use wavelane::{Context, DType, Kernel, Pipelines, Plan, Tensor, Unique, UniqueBindings};
use wavelane_reference::{self as reference, Values};

fn main() -> ExitCode {
    let mut cases = on_each_path("runs", runs);
    cases.extend(on_each_path("sorted", sorted));
    cases.extend(on_narrow_devices(narrow));
    cases.push(Case::new("repeats", |_| repeats(&context(None, None)?)));
    cases.push(Case::new("counted", |_| counted(&context(None, None)?)));
    cases.push(Case::new("refusals", |_| refusals(&context(None, None)?)));
    harness::main(cases)
}

fn check(context: &Context, unique: &Unique, values: &Values) -> Result<(), Failed> {
    let outcome = context.unique(unique, &tensor(unique.dtype, &[values.len()], values)?)?;
    let want = if unique.sorted { reference::unique(values) } else { reference::unique_runs(values) };
    let got = &outcome.tensor;
    let same = |name: &str, got: &[u8], want: &[u8], size: usize| match difference(got, want, size) {
        None => Ok(()),
        Some(why) => Err(Failed::from(format!("{unique:?}: {name}: {why}\n{}", outcome.plan.explain()))),
    };
    same("values", got.values.bytes(), &want.values.to_bytes(), size(unique.dtype))?;
    let words = |name: &str, wanted: bool, got: &Option<Tensor>, want: &[u32]| match (wanted, got) {
        (true, Some(got)) => same(name, got.bytes(), bytemuck::cast_slice(want), 4),
        (false, None) => Ok(()),
        _ => Err(format!("{name} is not what was wanted").into()),
    };
    words("first", unique.first, &got.first, &want.first)?;
    words("counts", unique.counts, &got.counts, &want.counts)?;
    words("inverse", unique.inverse, &got.inverse, &want.inverse)
}

/// Every combination of what can be wanted, one after the other.
fn wishes(unique: Unique, turn: usize) -> Unique {
    Unique { first: turn % 2 == 1, counts: turn / 2 % 2 == 1, inverse: turn / 4 % 2 == 1, ..unique }
}

fn runs(context: &Context) -> Result<(), Failed> {
    let mut turn = 0;
    for (at, len) in LENGTHS.into_iter().enumerate() {
        for dtype in [[DType::U8, DType::F16][at % 2], DType::I32, DType::F64] {
            for _ in 0..2 {
                turn += 1;
                let values = Runs::ALL[turn % 4].values(dtype, len);
                let unique = Unique { strategy: STRATEGIES[turn / 4 % 4], ..wishes(Unique::runs(dtype, len), turn + turn / 8) };
                check(context, &unique, &values)?;
            }
        }
    }
    for dtype in DType::ALL {
        for pattern in patterns(dtype) {
            check(context, &Unique::runs(dtype, 5003).with_counts(), &values(dtype, 5003, *pattern, false, 3))?;
        }
    }
    Ok(())
}

fn sorted(context: &Context) -> Result<(), Failed> {
    let mut turn = 0;
    for dtype in DType::ALL {
        for pattern in patterns(dtype) {
            turn += 1;
            check(context, &wishes(Unique::new(dtype, 1031), turn), &values(dtype, 1031, *pattern, false, 3))?;
        }
    }
    for len in [0, 1, 2, 257, 1024, 5003, 10_007] {
        turn += 1;
        let dtype = [DType::U8, DType::F16, DType::F32, DType::I64][turn % 4];
        check(context, &wishes(Unique::new(dtype, len), turn), &Runs::ALL[turn % 4].values(dtype, len))?;
    }
    Ok(())
}

fn narrow(context: &Context) -> Result<(), Failed> {
    for dtype in [DType::U8, DType::F16, DType::I32, DType::U64] {
        for (turn, len) in [3, 20_011, 33_001].into_iter().enumerate() {
            for runs in Runs::ALL {
                check(context, &wishes(Unique::runs(dtype, len), 7 - turn), &runs.values(dtype, len))?;
            }
        }
        check(context, &wishes(Unique::new(dtype, 500), 7), &values(dtype, 500, Pattern::Ties, false, 6))?;
    }
    Ok(())
}

fn repeats(context: &Context) -> Result<(), Failed> {
    let values = Runs::Random.values(DType::U32, 40_009);
    for strategy in STRATEGIES {
        for _ in 0..13 {
            check(context, &Unique { strategy, ..wishes(Unique::runs(DType::U32, 40_009), 7) }, &values)?;
        }
    }
    Ok(())
}

/// The device has the number of elements.
fn counted(context: &Context) -> Result<(), Failed> {
    let device = context.device();
    let pipelines = Pipelines::new(device);
    const LEN: usize = 9001;
    let values = Runs::Random.values(DType::I32, LEN);
    let Values::I32(elements) = &values else { return Err("another type".into()) };
    for sorted in [false, true] {
        for (count, strategy) in [0, 1, 4097, LEN, usize::MAX].into_iter().zip(STRATEGIES.into_iter().cycle()) {
            let live = Values::I32(elements[..count.min(LEN)].to_vec());
            let unique = Unique { sorted, strategy, ..wishes(Unique::new(DType::I32, LEN), 7) }.counted();
            let schedule = unique.schedule(device.capabilities(), &[], None)?;
            let buffers = support::buffers(device, &schedule, &[("input", &values.to_bytes()), ("count", &(count as u32).to_ne_bytes())])?;
            let whole = |index: usize| BufferRange::whole(&buffers[index]);
            let bindings = UniqueBindings {
                input: whole(0),
                values: whole(1),
                scratch: Some(whole(2)),
                count: Some(whole(3)),
                found: whole(4),
                first: Some(whole(5)),
                counts: Some(whole(6)),
                inverse: Some(whole(7)),
                offsets: None,
            };
            let mut recorder = Recorder::new(device)?;
            Plan::new(unique.clone(), schedule.clone(), &pipelines)?.record(&mut recorder, &bindings)?;
            let found = finish(recorder, &schedule, &buffers)?;
            let want = if sorted { reference::unique(&live) } else { reference::unique_runs(&live) };
            let same = |name: &str, got: &[u8], want: &[u8]| ensure(got.starts_with(want), || format!("{name} of {count}, {unique:?}"));
            ensure(word(&found[4]) as usize == want.first.len(), || format!("{} found of {count}, {unique:?}", word(&found[4])))?;
            same("values", &found[1], &want.values.to_bytes())?;
            same("first", &found[5], bytemuck::cast_slice(&want.first))?;
            same("counts", &found[6], bytemuck::cast_slice(&want.counts))?;
            same("inverse", &found[7], bytemuck::cast_slice(&want.inverse))?;
        }
    }
    Ok(())
}

fn refusals(context: &Context) -> Result<(), Failed> {
    let mut capabilities = context.device().capabilities().clone();
    capabilities.limits.max_storage_buffer_range = 1 << 20;
    let error = Unique::new(DType::U32, 1 << 18).schedule(&capabilities, &[], None).err().ok_or("pairs fit into nothing")?.to_string();
    ensure(error.starts_with("pairs of a key and a position of 2097152 bytes does not fit"), || error)?;
    let input = Tensor::from_slice(&[1u32, 2], &[2])?;
    let error = context.unique(&Unique::runs(DType::F32, 2), &input).err().ok_or("another type was taken")?.to_string();
    ensure(error == "the plan is for f32 [2], and the array is u32 [2]", || error)
}
