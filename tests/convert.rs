//! Conversions between every two types on every driver, against the CPU twin, bit for bit but for NaN.

#[path = "elementwise/mod.rs"]
mod elementwise;
mod harness;

use std::process::ExitCode;

use elementwise::{
    LENGTHS, any_bits, begins, context, counts, element, minimal, narrow, narrow_and_whole, numbers, recorded, recorded_plan, refused,
    refused_bindings, same, shared, tensor,
};
use half::f16;
use harness::gpu::ensure;
use harness::{Case, without_subgroups};
use libtest_mimic::Failed;
use wavelane::record::BufferRange;
use wavelane::{Context, Convert, ConvertBindings, DType, Kernel};
use wavelane_reference::{self as reference, Values};

fn main() -> ExitCode {
    harness::main(without_subgroups(vec![
        Case::new("every_two_types", |_| pairs(&context(None)?, &DType::ALL)),
        Case::new("every_two_types_as_minimal", |_| pairs(&minimal()?, &[DType::U8, DType::F16, DType::I64, DType::F64])).narrowed(),
        Case::new("every_half", |_| every_half()),
        Case::new("limits_are_met_in_pieces", |_| limits()),
        Case::new("recorded_at_offsets", |_| recording()),
        Case::new("counts_on_the_device", |_| counted()),
        Case::new("refusals", |_| refusals()),
    ]))
}

fn check(context: &Context, from: DType, to: DType, values: &Values) -> Result<(), Failed> {
    let convert = Convert::new(from, to, &[values.len()]);
    let outcome = context.convert(&convert, &tensor(from, &[values.len()], values)?)?;
    same(&outcome.tensor, &reference::convert(values, element(to)), || format!("{from} to {to}"))
}

/// Numbers at which a type ends or a rounding turns, in f64, and their neighbours.
fn edges() -> Vec<f64> {
    let mut edges = vec![0.0, -0.0, 0.5, 1.0, 1.5, 2.5, f64::NAN, f64::INFINITY, f64::from(f32::MIN_POSITIVE), f64::from(f32::MAX), 5e-324];
    // Powers of two from the least subnormal number of f32 up; those of f16 and the ends of integers are among them.
    edges.extend((-151..=129).map(|exponent| 2f64.powi(exponent)));
    edges.extend([
        65504.0,
        65519.0,
        65520.0,
        2f64.powi(-24) * 1.5,
        2f64.powi(-25),
        2049.0,
        2051.0,
        16_777_217.0,
        16_777_219.0,
        4_294_967_295.0,
    ]);
    edges.extend([f64::from(f32::MAX) * (1.0 + 2f64.powi(-25)), 1e300, f64::MAX]);
    edges.iter().flat_map(|&x| [x, x.next_up(), x.next_down(), -x, f64::from((x as f32).next_down()), x - 0.5]).collect()
}

fn pairs(context: &Context, dtypes: &[DType]) -> Result<(), Failed> {
    for &from in dtypes {
        let edges = reference::convert(&Values::F64(edges()), element(from));
        for &to in dtypes {
            check(context, from, to, &edges)?;
            check(context, from, to, &any_bits(from, 4097, 1))?;
            check(context, from, to, &numbers(from, 1000, 2))?;
        }
    }
    // Each way of tails on its own.
    for (from, to) in
        [(DType::U8, DType::F64), (DType::F64, DType::U8), (DType::F16, DType::F32), (DType::F32, DType::F16), (DType::U16, DType::U16)]
    {
        for count in LENGTHS {
            check(context, from, to, &any_bits(from, count, 3))?;
        }
    }
    Ok(())
}

/// All there are.
fn every_half() -> Result<(), Failed> {
    let context = context(None)?;
    let all = Values::F16((0..=u16::MAX).map(f16::from_bits).collect());
    for to in [DType::F32, DType::F64, DType::I32, DType::U8] {
        check(&context, DType::F16, to, &all)?;
    }
    // Halfway between any two neighbours, and beside it.
    let numbers = all.to_f64();
    let between = numbers.windows(2).flat_map(|pair| {
        let middle = ((pair[0] + pair[1]) / 2.0) as f32;
        [middle, middle.next_up(), middle.next_down()]
    });
    check(&context, DType::F32, DType::F16, &Values::F32(between.collect()))
}

fn limits() -> Result<(), Failed> {
    for context in narrow()? {
        for (from, to) in [(DType::U8, DType::F32), (DType::F64, DType::F16), (DType::U32, DType::U32), (DType::U16, DType::U8)] {
            for count in [4096, 4097, 50_021] {
                check(&context, from, to, &any_bits(from, count, 4))?;
            }
        }
    }
    Ok(())
}

fn recording() -> Result<(), Failed> {
    let context = context(None)?;
    for (from, to) in [(DType::F32, DType::U8), (DType::U8, DType::F16), (DType::I64, DType::F32)] {
        for count in [1, 3, 6, 1001] {
            let values = any_bits(from, count, 5);
            let convert = Convert::new(from, to, &[count]);
            let given = values.to_bytes();
            let bytes = recorded(&context, &convert, &[Some(&given), None], |ranges| ConvertBindings {
                input: ranges[0],
                output: ranges[1],
                count: None,
            })?;
            let size = count * to.size() as usize;
            let got = tensor(to, &[count], &Values::from_bytes(element(to), &bytes[1][..size]).ok_or("half an element")?)?;
            same(&got, &reference::convert(&values, element(to)), || format!("{count} of {from} to {to}"))?;
            ensure(bytes[0].starts_with(&given), || "the input changed".into())?;
        }
    }
    Ok(())
}

/// As many elements as the device says, and not a byte more but for the last word's.
fn counted() -> Result<(), Failed> {
    let types =
        [(DType::U8, DType::F64), (DType::F64, DType::U8), (DType::F16, DType::F32), (DType::F32, DType::F16), (DType::U8, DType::U8)];
    for context in &narrow_and_whole()? {
        for (from, to) in types {
            let values = any_bits(from, 5003, 6);
            let plan = Convert::new(from, to, &[5003]).counted().plan(context.device(), None)?;
            for count in counts(5003) {
                let given = [Some(&values.to_bytes()[..]), None, Some(&count.to_ne_bytes()[..])];
                let bytes = recorded_plan(context, &plan, &given, |ranges| ConvertBindings {
                    input: ranges[0],
                    output: ranges[1],
                    count: Some(ranges[2]),
                })?;
                let want = reference::convert(&values.take(0..5003.min(count as usize)), element(to));
                begins(&bytes[1], (to, &want), &[], &[], false, &format!("{count} elements of {from} to {to}"))?;
            }
        }
    }
    // The host's own count is of the whole array.
    let convert = Convert::new(DType::U32, DType::U8, &[3]).counted();
    let all = context(None)?.convert(&convert, &wavelane::Tensor::from_slice(&[1u32, 2, 3], &[3])?)?.tensor;
    ensure(all.to_vec::<u8>()? == [1, 2, 3], || format!("{all:?}"))
}

fn refusals() -> Result<(), Failed> {
    let context = context(None)?;
    let convert = Convert::new(DType::F32, DType::F16, &[5]);
    let input = wavelane::Tensor::from_slice(&[1u32; 5], &[5])?;
    refused(context.convert(&convert, &input), "the plan is for f32 [5], and the array is u32 [5]")?;
    let buffer = shared(&context, "all", 4096)?;
    let all = BufferRange::whole(&buffer);
    let good = ConvertBindings { input: all.slice(0, 20)?, output: all.slice(1024, 12)?, count: None };
    refused_bindings(
        &context,
        &convert,
        &[
            (ConvertBindings { input: all.slice(0, 16)?, ..good }, "the input binding has 16 bytes, and the plan needs 20"),
            (ConvertBindings { output: all.slice(1024, 8)?, ..good }, "the output binding has 8 bytes, and the plan needs 12"),
            (ConvertBindings { output: all.slice(0, 12)?, ..good }, "the input and output bindings overlap"),
        ],
    )?;
    refused_bindings(
        &context,
        &convert.counted(),
        &[
            (good, "the count binding has 0 bytes, and the plan needs 4"),
            (ConvertBindings { count: Some(all.slice(1024, 4)?), ..good }, "the output and count bindings overlap"),
        ],
    )
}
