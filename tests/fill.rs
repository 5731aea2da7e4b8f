//! Fills of every type on every driver, against the CPU twin.

#[path = "elementwise/mod.rs"]
mod elementwise;
mod harness;

use std::process::ExitCode;

use elementwise::{
    LENGTHS, any_bits, begins, context, counts, minimal, narrow, narrow_and_whole, recorded_plan, refused, refused_bindings, same, shared,
};
use harness::gpu::ensure;
use harness::{Case, without_subgroups};
use libtest_mimic::Failed;
use wavelane::device::{Capabilities, Limits};
use wavelane::record::BufferRange;
use wavelane::{Context, DType, Fill, FillBindings, Kernel, Scalar};
use wavelane_reference as reference;

fn main() -> ExitCode {
    harness::main(without_subgroups(vec![
        Case::new("values_are_the_twins", |_| matrix(&context(None)?)),
        Case::new("values_are_the_twins_as_minimal", |_| matrix(&minimal()?)).narrowed(),
        Case::new("limits_are_met_in_pieces", |_| limits()),
        Case::new("counts_on_the_device", |_| counted()),
        Case::new("bindings_that_do_not_fit_are_refused", |_| refusals()),
        Case::once("every_count_that_32_bits_hold_is_planned", &[], large),
    ]))
}

fn check(context: &Context, dtype: DType, count: usize) -> Result<(), Failed> {
    let value = any_bits(dtype, 1, 3 + dtype.size());
    let fill = Fill::new(Scalar::from_bits(dtype, value.bits()[0]), &[count]);
    let outcome = context.fill(&fill)?;
    same(&outcome.tensor, &reference::fill(&value, count)?, || format!("{fill:?}"))
}

fn matrix(context: &Context) -> Result<(), Failed> {
    for dtype in DType::ALL {
        for count in LENGTHS {
            check(context, dtype, count)?;
        }
    }
    let outcome = context.fill(&Fill::new(2.5f32, &[3, 0, 2]))?;
    ensure(outcome.tensor.shape() == [3, 0, 2], || format!("{:?}", outcome.tensor))?;
    ensure(context.fill(&Fill::new(7u16, &[]))?.tensor.to_scalar::<u16>()? == 7, || "a single value is not what it was filled with".into())
}

fn limits() -> Result<(), Failed> {
    for context in narrow()? {
        for dtype in [DType::U8, DType::F16, DType::F32, DType::U64] {
            for count in [4095, 4096, 4097, 100_003] {
                check(&context, dtype, count)?;
            }
        }
    }
    Ok(())
}

/// As many elements as the device says, and not a byte more but for the last word's.
fn counted() -> Result<(), Failed> {
    for context in &narrow_and_whole()? {
        for dtype in [DType::U8, DType::F16, DType::F32, DType::F64] {
            let value = any_bits(dtype, 1, 9);
            let plan = Fill::new(Scalar::from_bits(dtype, value.bits()[0]), &[5003]).counted().plan(context.device(), None)?;
            for count in counts(5003) {
                let given = [None, Some(&count.to_ne_bytes()[..])];
                let bytes = recorded_plan(context, &plan, &given, |ranges| FillBindings { output: ranges[0], count: Some(ranges[1]) })?;
                let want = reference::fill(&value, 5003.min(count as usize))?;
                begins(&bytes[0], (dtype, &want), &[], &[], false, &format!("{count} elements of {dtype}"))?;
            }
        }
    }
    Ok(())
}

fn refusals() -> Result<(), Failed> {
    let context = context(None)?;
    let fill = Fill::new(1u32, &[100]).counted();
    let buffer = shared(&context, "all", 4096)?;
    let all = BufferRange::whole(&buffer);
    let good = FillBindings { output: all.slice(0, 400)?, count: Some(all.slice(1024, 4)?) };
    refused_bindings(
        &context,
        &fill,
        &[
            (FillBindings { output: all.slice(0, 396)?, ..good }, "the output binding has 396 bytes, and the plan needs 400"),
            (FillBindings { output: all.slice(4, 400)?, ..good }, "the output binding starts at byte 4, which is not a multiple of"),
            (FillBindings { count: None, ..good }, "the count binding has 0 bytes, and the plan needs 4"),
            (FillBindings { count: Some(all.slice(256, 4)?), ..good }, "the output and count bindings overlap"),
        ],
    )?;
    refused(
        context.fill(&Fill::new(1u8, &[1 << 16, 1 << 16])).map(|_| ()),
        "shape [65536, 65536] has 4294967296 elements, and at most 4294967295 are supported",
    )
}

/// Plans alone: nobody has 32 GiB for a test.
fn large() -> Result<(), Failed> {
    for name in wavelane::device::Profile::names() {
        let capabilities = wavelane::device::Profile::named(name)?.capabilities;
        for dtype in [DType::U8, DType::F32, DType::F64] {
            let fill = Fill::new(Scalar::zero(dtype), &[u32::MAX as usize]);
            let schedule = fill.schedule(&capabilities, &[], None)?;
            let mut end = 0;
            for dispatch in schedule.dispatches() {
                let (_, range) = dispatch.bindings[0];
                ensure(range.offset == end && range.size <= u64::from(capabilities.limits.max_storage_buffer_range), || {
                    format!("{name}: {range:?} behind {end}")
                })?;
                end = range.offset + range.size;
                let invocations: u64 =
                    dispatch.groups.iter().map(|&groups| u64::from(groups)).product::<u64>() * u64::from(schedule.choice.workgroup_size);
                ensure(invocations * 16 >= range.size, || format!("{name}: {invocations} invocations for {range:?}"))?;
            }
            ensure(end == (u64::from(u32::MAX) * dtype.size()).next_multiple_of(4), || format!("{name}: {end} bytes in all"))?;
        }
    }
    let limits = Limits { max_storage_buffer_range: 128, min_storage_buffer_offset_alignment: 256, ..Limits::default() };
    let broken = Capabilities { device_name: "broken".into(), limits, ..Capabilities::default() };
    refused(
        Fill::new(1u32, &[5]).schedule(&broken, &[], None).map(|_| ()),
        "a fill does not fit broken: maxStorageBufferRange is 128, and minStorageBufferOffsetAlignment 256",
    )?;
    Ok(())
}
