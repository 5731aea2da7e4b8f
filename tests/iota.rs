//! Numbers in equal steps of every type on every driver, against the CPU twin.

#[path = "elementwise/mod.rs"]
mod elementwise;
mod harness;

use std::process::ExitCode;

use elementwise::{
    LENGTHS, any_bits, begins, computes, context, counts, element, minimal, narrow, narrow_and_whole, near, recorded, recorded_plan,
    refused, refused_bindings, same, shared, tensor,
};
use half::f16;
use harness::gpu::ensure;
use harness::{Case, without_subgroups};
use libtest_mimic::Failed;
use wavelane::record::BufferRange;
use wavelane::{Context, DType, Error, Iota, IotaBindings, Kernel, Scalar};
use wavelane_reference::{self as reference, Values};

fn main() -> ExitCode {
    harness::main(without_subgroups(vec![
        Case::new("numbers_are_the_twins", |_| matrix(&context(None)?)),
        Case::new("numbers_are_the_twins_as_minimal", |_| matrix(&minimal()?)).narrowed(),
        Case::new("limits_are_met_in_pieces", |_| limits()),
        Case::new("recorded_at_offsets", |_| recording()),
        Case::new("counts_on_the_device", |_| counted()),
        Case::new("refusals", |_| refusals()),
    ]))
}

/// Starts and steps of a type: plain ones, and such that integers wrap and floats round.
fn ends(dtype: DType) -> Vec<(Values, Values)> {
    let float = |data: [f64; 2]| match dtype {
        DType::F16 => Values::F16(data.map(f16::from_f64).to_vec()),
        DType::F32 => Values::F32(data.map(|x| x as f32).to_vec()),
        _ => Values::F64(data.to_vec()),
    };
    let pairs = if dtype.is_float() {
        vec![float([0.0, 1.0]), float([-3.5, 0.1]), float([1.0, -0.001]), float([f64::INFINITY, -1.0])]
    } else {
        let plain = |start: u64, step: u64| Values::from_bits(element(dtype), [start, step]);
        vec![plain(0, 1), plain(5, u64::MAX), plain(u64::MAX - 3, 3), any_bits(dtype, 2, 5)]
    };
    pairs.iter().map(|pair| (pair.take([0]), pair.take([1]))).collect()
}

fn iota(dtype: DType, start: &Values, step: &Values, count: usize) -> Iota {
    Iota { start: Scalar::from_bits(dtype, start.bits()[0]), step: Scalar::from_bits(dtype, step.bits()[0]), count, counted: false }
}

fn check(context: &Context, dtype: DType, start: &Values, step: &Values, count: usize) -> Result<(), Failed> {
    let iota = iota(dtype, start, step, count);
    let outcome = match context.iota(&iota) {
        Ok(outcome) => outcome,
        Err(Error::FeatureMissing { .. }) if dtype == DType::F64 && !computes(context, dtype) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    let want = reference::iota(element(dtype), count, start, step)?;
    let bounds = reference::iota_bound(element(dtype), count, start, step)?;
    near(&outcome.tensor, &want, &bounds, || format!("{iota:?}"))
}

fn matrix(context: &Context) -> Result<(), Failed> {
    for dtype in DType::ALL {
        for (at, (start, step)) in ends(dtype).into_iter().enumerate() {
            let lengths = if at == 0 { &LENGTHS[..] } else { &[5, 257, 65_537][..] };
            for &count in lengths {
                check(context, dtype, &start, &step, count)?;
            }
        }
    }
    Ok(())
}

fn limits() -> Result<(), Failed> {
    for context in narrow()? {
        for dtype in [DType::U8, DType::U16, DType::I32, DType::F16, DType::F32, DType::I64] {
            let (start, step) = ends(dtype).swap_remove(1);
            for count in [4096, 4097, 50_021] {
                check(&context, dtype, &start, &step, count)?;
            }
        }
    }
    Ok(())
}

fn recording() -> Result<(), Failed> {
    let context = context(None)?;
    for dtype in [DType::U8, DType::U16, DType::U32, DType::I64] {
        for count in [1, 3, 5, 1001] {
            let (start, step) = ends(dtype).swap_remove(2);
            let bytes =
                recorded(&context, &iota(dtype, &start, &step, count), &[None], |ranges| IotaBindings { output: ranges[0], count: None })?;
            let size = count * dtype.size() as usize;
            let got = tensor(dtype, &[count], &Values::from_bytes(element(dtype), &bytes[0][..size]).ok_or("half an element")?)?;
            same(&got, &reference::iota(element(dtype), count, &start, &step)?, || format!("{count} of {dtype}"))?;
            ensure(bytes[0][size..].iter().all(|&byte| byte == 0), || "the rest of the last word is not 0".into())?;
        }
    }
    Ok(())
}

/// As many elements as the device says, and not a byte more but for the last word's.
fn counted() -> Result<(), Failed> {
    for context in &narrow_and_whole()? {
        for dtype in [DType::U8, DType::F16, DType::F32, DType::I64, DType::F64] {
            if dtype == DType::F64 && !computes(context, dtype) {
                continue;
            }
            let (start, step) = ends(dtype).swap_remove(1);
            let plan = iota(dtype, &start, &step, 5003).counted().plan(context.device(), None)?;
            for count in counts(5003) {
                let given = [None, Some(&count.to_ne_bytes()[..])];
                let bytes = recorded_plan(context, &plan, &given, |ranges| IotaBindings { output: ranges[0], count: Some(ranges[1]) })?;
                let written = 5003.min(count as usize);
                let want = reference::iota(element(dtype), written, &start, &step)?;
                let bounds = reference::iota_bound(element(dtype), written, &start, &step)?;
                begins(&bytes[0], (dtype, &want), &bounds, &[], false, &format!("{count} elements of {dtype}"))?;
            }
        }
    }
    // The host's own count is of the whole array.
    let all = context(None)?.iota(&Iota::new(1u32, 1, 3).counted())?.tensor;
    ensure(all.to_vec::<u32>()? == [1, 2, 3], || format!("{all:?}"))
}

fn refusals() -> Result<(), Failed> {
    let context = minimal()?;
    let buffer = shared(&context, "all", 4096)?;
    let all = BufferRange::whole(&buffer);
    let good = IotaBindings { output: all.slice(0, 400)?, count: Some(all.slice(1024, 4)?) };
    refused_bindings(
        &context,
        &Iota::new(0u32, 1, 100).counted(),
        &[
            (IotaBindings { count: None, ..good }, "the count binding has 0 bytes, and the plan needs 4"),
            (IotaBindings { count: Some(all.slice(256, 4)?), ..good }, "the output and count bindings overlap"),
        ],
    )?;
    let differ = Iota { start: 1u32.into(), step: 1i32.into(), count: 4, counted: false };
    refused(differ.plan(context.device(), None), "iota takes elements of one type, and was given u32 and i32")?;
    let name = context.device().capabilities().shown_name();
    refused(
        Iota::new(0.0f64, 1.0, 4).plan(context.device(), None),
        &format!("iota of f64 needs shaderFloat64, which {name} does not have"),
    )?;
    refused(
        Iota::new(0u8, 1, 1 << 32).plan(context.device(), None),
        "shape [4294967296] has 4294967296 elements, and at most 4294967295 are supported",
    )
}
