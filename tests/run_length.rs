//! Run lengths on every driver and path, against the CPU twin, and there and back.

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
use support::{LENGTHS, Runs, UNTOUCHED, context, difference, finish, on_each_path, on_narrow_devices, size, word};
use wavelane::record::{BufferRange, Recorder};
use wavelane::{Context, DType, Error, Kernel, Pipelines, Plan, RunLengthDecode, RunLengthDecodeBindings, RunLengths, Tensor};
use wavelane_reference::{self as reference, Values};

fn main() -> ExitCode {
    let mut cases = on_each_path("there_and_back", there_and_back);
    cases.extend(on_each_path("decode", decode));
    cases.extend(on_narrow_devices(narrow));
    cases.push(Case::new("counted", |_| counted(&context(None, None)?)));
    cases.push(Case::new("refusals", |_| refusals(&context(None, None)?)));
    harness::main(cases)
}

fn check_both(context: &Context, dtype: DType, values: &Values) -> Result<(), Failed> {
    let input = tensor(dtype, &[values.len()], values)?;
    let outcome = context.run_length_encode(&input)?;
    let (want, lengths) = reference::run_length_encode(values);
    let got = &outcome.tensor;
    if let Some(why) = difference(got.values.bytes(), &want.to_bytes(), size(dtype)) {
        return Err(format!("values of {} {dtype}: {why}\n{}", values.len(), outcome.plan.explain()).into());
    }
    if let Some(why) = difference(got.lengths.bytes(), bytemuck::cast_slice(&lengths), 4) {
        return Err(format!("lengths of {} {dtype}: {why}\n{}", values.len(), outcome.plan.explain()).into());
    }
    let back = context.run_length_decode(got)?;
    match difference(back.tensor.bytes(), input.bytes(), size(dtype)) {
        None => Ok(()),
        Some(why) => Err(format!("{} {dtype} back: {why}\n{}", values.len(), back.plan.explain()).into()),
    }
}

fn there_and_back(context: &Context) -> Result<(), Failed> {
    for (turn, len) in LENGTHS.into_iter().enumerate() {
        for dtype in [[DType::U8, DType::F16][turn % 2], DType::I32, DType::F64] {
            check_both(context, dtype, &Runs::ALL[turn % 4].values(dtype, len))?;
        }
    }
    Ok(())
}

/// Lengths that no encoding gives: zeros, at the ends too.
fn decode(context: &Context) -> Result<(), Failed> {
    let mut random = Random::new(5);
    for dtype in DType::ALL {
        for runs in [0, 1, 2, 255, 1000, 5003] {
            let values = values(dtype, runs, Pattern::Random, false, 1);
            let lengths: Vec<u32> = (0..runs)
                .map(|at| if at % 3 == 0 || at + 1 == runs { 0 } else { (random.next() % if at == 7 { 9000 } else { 9 }) as u32 })
                .collect();
            let tensors = RunLengths { values: tensor(dtype, &[runs], &values)?, lengths: Tensor::from_slice(&lengths, &[runs])? };
            let outcome = context.run_length_decode(&tensors)?;
            let want = reference::run_length_decode(&values, &lengths).map_err(|error| error.to_string())?;
            if let Some(why) = difference(outcome.tensor.bytes(), &want.to_bytes(), size(dtype)) {
                return Err(format!("{runs} runs of {dtype}: {why}\n{}", outcome.plan.explain()).into());
            }
        }
    }
    Ok(())
}

fn narrow(context: &Context) -> Result<(), Failed> {
    for dtype in [DType::U8, DType::F16, DType::I32, DType::U64] {
        for len in [3, 20_011, 33_001] {
            for runs in [Runs::One, Runs::Ties] {
                let values = runs.values(dtype, len);
                match check_both(context, dtype, &values) {
                    // As many runs as make their own array too long.
                    Err(failed) if runs == Runs::Ties && failed.message().is_some_and(|text| text.contains("does not fit")) => {}
                    other => other?,
                }
            }
        }
    }
    Ok(())
}

/// The device has the number of runs, and there is less room than they take.
fn counted(context: &Context) -> Result<(), Failed> {
    let device = context.device();
    let pipelines = Pipelines::new(device);
    const RUNS: usize = 3001;
    let values: Vec<u32> = (0..RUNS as u32).map(|at| at.wrapping_mul(2_654_435_761)).collect();
    let lengths: Vec<u32> = values.iter().map(|value| value >> 28).collect();
    for count in [0, 1, 100, RUNS, usize::MAX] {
        for capacity in [1, 2500, 60_000] {
            let decode = RunLengthDecode::new(DType::U32, RUNS, capacity).counted();
            let schedule = decode.schedule(device.capabilities(), &[], None)?;
            let contents: [(&str, &[u8]); 3] = [
                ("values", bytemuck::cast_slice(&values)),
                ("lengths", bytemuck::cast_slice(&lengths)),
                ("count", &(count as u32).to_ne_bytes()),
            ];
            let buffers = support::buffers(device, &schedule, &contents)?;
            let whole = |index: usize| BufferRange::whole(&buffers[index]);
            let bindings = RunLengthDecodeBindings {
                values: whole(0),
                output: whole(1),
                scratch: Some(whole(2)),
                count: Some(whole(3)),
                decoded: whole(4),
                lengths: whole(5),
            };
            let mut recorder = Recorder::new(device)?;
            Plan::new(decode.clone(), schedule.clone(), &pipelines)?.record(&mut recorder, &bindings)?;
            let found = finish(recorder, &schedule, &buffers)?;
            let live = count.min(RUNS);
            let want: Vec<u32> =
                values[..live].iter().zip(&lengths).flat_map(|(&value, &length)| std::iter::repeat_n(value, length as usize)).collect();
            let label = || format!("{count} of {RUNS} runs, room for {capacity}");
            ensure(word(&found[4]) as usize == want.len(), || format!("{}: {} decoded, not {}", label(), word(&found[4]), want.len()))?;
            let there: &[u8] = bytemuck::cast_slice(&want[..want.len().min(capacity)]);
            ensure(found[1].starts_with(there), || format!("{}: wrong elements", label()))?;
            ensure(found[1][there.len()..].iter().all(|&byte| byte == UNTOUCHED), || format!("{}: written behind them", label()))?;
        }
    }
    Ok(())
}

fn refusals(context: &Context) -> Result<(), Failed> {
    let [values, lengths] = [Tensor::from_slice(&[1u32, 2], &[2])?, Tensor::from_slice(&[1u32, 2, 3], &[3])?];
    let error = context.run_length_decode(&RunLengths { values: values.clone(), lengths }).err().ok_or("a length too many was taken")?;
    ensure(error.to_string() == "the plan is for u32 [2], and the array is u32 [3]", || error.to_string())?;
    let lengths = Tensor::from_slice(&[u32::MAX, 2], &[2])?;
    let error = context.run_length_decode(&RunLengths { values, lengths }).err().ok_or("2^32 elements were taken")?;
    ensure(matches!(error, Error::TooManyElements { .. }), || error.to_string())
}
