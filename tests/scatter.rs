//! Elements to where indices say, of every type, on every driver, against the CPU twin.

#[path = "elementwise/mod.rs"]
mod elementwise;
mod harness;

use std::process::ExitCode;

use elementwise::{
    LENGTHS, Random, any_bits, begins, context, counts, minimal, narrow, narrow_and_whole, recorded, recorded_plan, refused,
    refused_bindings, same, shared, tensor,
};
use harness::gpu::ensure;
use harness::{Case, without_subgroups};
use libtest_mimic::Failed;
use wavelane::record::BufferRange;
use wavelane::{Context, DType, Kernel, Scatter, ScatterBindings, Tensor};
use wavelane_reference as reference;

fn main() -> ExitCode {
    harness::main(without_subgroups(vec![
        Case::new("arrays_are_the_twins", |_| matrix(&context(None)?)),
        Case::new("arrays_are_the_twins_as_minimal", |_| matrix(&minimal()?)).narrowed(),
        Case::new("values_repeat", |_| repeated()),
        Case::new("one_of_several_values_stays", |_| same_index()),
        Case::new("indices_out_of_range_write_nothing", |_| out_of_range()),
        Case::new("limits_are_met_in_pieces", |_| limits()),
        Case::new("recorded_at_offsets", |_| recording()),
        Case::new("counts_on_the_device", |_| counted()),
        Case::new("refusals", |_| refusals()),
    ]))
}

/// `count` of the indices below `below`, each once, in any order.
fn unique(count: usize, below: usize, seed: u64) -> Vec<u32> {
    let mut random = Random(seed);
    let mut all: Vec<u32> = (0..below as u32).collect();
    for at in 0..count {
        all.swap(at, at + random.next() as usize % (below - at));
    }
    all.truncate(count);
    all
}

fn check(context: &Context, dtype: DType, elements: usize, count: usize) -> Result<(), Failed> {
    let (values, into) = (any_bits(dtype, count, 1), any_bits(dtype, elements, 2));
    let indices = unique(count, elements, 3);
    let scatter = Scatter::new(dtype, &[elements], count);
    let outcome = context.scatter(
        &scatter,
        &tensor(dtype, &[count], &values)?,
        &Tensor::from_slice(&indices, &[count])?,
        &tensor(dtype, &[elements], &into)?,
    )?;
    same(&outcome.tensor, &reference::scatter(&values, &indices, &into)?, || format!("{scatter:?}"))
}

fn matrix(context: &Context) -> Result<(), Failed> {
    for dtype in DType::ALL {
        for count in LENGTHS {
            // All elements, so that neighbours in a word are written at once, or some.
            check(context, dtype, count, count)?;
            check(context, dtype, 2 * count + 3, count)?;
        }
    }
    Ok(())
}

fn repeated() -> Result<(), Failed> {
    let mut contexts = narrow()?;
    contexts.push(context(None)?);
    for context in &contexts {
        for dtype in [DType::U8, DType::F16, DType::I32, DType::F64] {
            for repeat in [1, 3, 7, 300] {
                let (values, into) = (any_bits(dtype, repeat, 1), any_bits(dtype, 500, 2));
                let indices = unique(400, 500, 3);
                let scatter = Scatter::new(dtype, &[20, 25], 400).repeating(repeat);
                let outcome = context.scatter(
                    &scatter,
                    &tensor(dtype, &[repeat], &values)?,
                    &Tensor::from_slice(&indices, &[400])?,
                    &tensor(dtype, &[20, 25], &into)?,
                )?;
                let all = values.take((0..400).map(|at| at % repeat));
                same(&outcome.tensor, &reference::scatter(&all, &indices, &into)?, || format!("{scatter:?}"))?;
            }
        }
    }
    // More values than indices, and none at all.
    let context = context(None)?;
    let into = Tensor::from_slice(&[1u32, 2, 3], &[3])?;
    let put = |values: &[u32], indices: &[u32]| -> Result<Vec<u32>, Failed> {
        let scatter = Scatter::new(DType::U32, &[3], indices.len()).repeating(values.len());
        let tensors = (Tensor::from_slice(values, &[values.len()])?, Tensor::from_slice(indices, &[indices.len()])?);
        Ok(context.scatter(&scatter, &tensors.0, &tensors.1, &into)?.tensor.to_vec()?)
    };
    ensure(put(&[7, 8, 9], &[2])? == [1, 2, 7], || "values beyond the indices".into())?;
    ensure(put(&[], &[2])? == [1, 2, 3], || "no values".into())?;
    ensure(put(&[7], &[])? == [1, 2, 3], || "no indices".into())
}

/// Which one is not determined, but it is one of them, whole.
fn same_index() -> Result<(), Failed> {
    let context = context(None)?;
    for dtype in [DType::U8, DType::U16, DType::U32] {
        let (values, into) = (any_bits(dtype, 3000, 1), any_bits(dtype, 10, 2));
        let indices: Vec<u32> = (0..3000).map(|at| at % 10).collect();
        let scatter = Scatter::new(dtype, &[10], 3000);
        let outcome = context.scatter(
            &scatter,
            &tensor(dtype, &[3000], &values)?,
            &Tensor::from_slice(&indices, &[3000])?,
            &tensor(dtype, &[10], &into)?,
        )?;
        let got = reference::Values::from_bytes(into.element(), outcome.tensor.bytes()).ok_or("half an element")?.bits();
        let given = values.bits();
        for (at, bits) in got.iter().enumerate() {
            ensure(given.iter().skip(at).step_by(10).any(|value| value == bits), || format!("{bits} is no value of index {at}"))?;
        }
    }
    Ok(())
}

fn out_of_range() -> Result<(), Failed> {
    let context = context(None)?;
    let into = Tensor::from_slice(&[1u8, 2, 3, 4, 5], &[5])?;
    let values = Tensor::from_slice(&[9u8, 8, 7, 6], &[4])?;
    let indices = Tensor::from_slice(&[5u32, 4, u32::MAX, 1 << 31], &[4])?;
    let got: Vec<u8> = context.scatter(&Scatter::new(DType::U8, &[5], 4), &values, &indices, &into)?.tensor.to_vec()?;
    ensure(got == [1, 2, 3, 4, 8], || format!("{got:?}"))
}

fn limits() -> Result<(), Failed> {
    for context in narrow()? {
        for dtype in [DType::U8, DType::F16, DType::U32] {
            check(&context, dtype, 1000, 1000)?;
        }
        // More indices than a binding has room for.
        let indices: Vec<u32> = (0..5000).map(|at| if at < 500 { at } else { u32::MAX }).collect();
        let values = any_bits(DType::F16, 5000, 4);
        let (scatter, into) = (Scatter::new(DType::F16, &[500], 5000), any_bits(DType::F16, 500, 5));
        let outcome = context.scatter(
            &scatter,
            &tensor(DType::F16, &[5000], &values)?,
            &Tensor::from_slice(&indices, &[5000])?,
            &tensor(DType::F16, &[500], &into)?,
        )?;
        same(&outcome.tensor, &values.take(0..500), || format!("{scatter:?}"))?;
    }
    Ok(())
}

fn recording() -> Result<(), Failed> {
    let context = context(None)?;
    for dtype in [DType::U8, DType::U16, DType::F32, DType::F64] {
        let (values, into) = (any_bits(dtype, 101, 1), any_bits(dtype, 303, 2));
        let indices = unique(101, 303, 3);
        let given = [values.to_bytes(), indices.iter().flat_map(|index| index.to_ne_bytes()).collect(), into.to_bytes()];
        let scatter = Scatter::new(dtype, &[303], 101);
        let bytes = recorded(&context, &scatter, &given.each_ref().map(|bytes| Some(bytes.as_slice())), |ranges| ScatterBindings {
            values: ranges[0],
            indices: ranges[1],
            target: ranges[2],
            count: None,
        })?;
        let want = reference::scatter(&values, &indices, &into)?.to_bytes();
        // What shares the last word stays as it is.
        ensure(bytes[2].starts_with(&want) && bytes[2][want.len()..].iter().all(|&byte| byte == 0xa5), || format!("{dtype} is wrong"))?;
    }
    Ok(())
}

/// By as many indices as the device says: all else in the array stays as it is.
fn counted() -> Result<(), Failed> {
    for context in &narrow_and_whole()? {
        for dtype in [DType::U8, DType::F16, DType::U32, DType::F64] {
            for repeat in [5003, 7] {
                let (values, into) = (any_bits(dtype, repeat, 1), any_bits(dtype, 501, 2));
                // What names no element of the array stands between what does.
                let indices = unique(5003, 5003, 3);
                let given = [values.to_bytes(), indices.iter().flat_map(|index| index.to_ne_bytes()).collect(), into.to_bytes()];
                let plan = Scatter::new(dtype, &[501], 5003).repeating(repeat).counted().plan(context.device(), None)?;
                for count in counts(5003) {
                    let given = [Some(&given[0][..]), Some(&given[1][..]), Some(&given[2][..]), Some(&count.to_ne_bytes()[..])];
                    let bytes = recorded_plan(context, &plan, &given, |ranges| ScatterBindings {
                        values: ranges[0],
                        indices: ranges[1],
                        target: ranges[2],
                        count: Some(ranges[3]),
                    })?;
                    let used = || (0..5003.min(count as usize)).filter(|&at| indices[at] < 501);
                    let at: Vec<u32> = used().map(|at| indices[at]).collect();
                    let want = reference::scatter(&values.take(used().map(|at| at % repeat)), &at, &into)?;
                    begins(&bytes[2], (dtype, &want), &[], &[], true, &format!("{repeat} of {dtype} by {count} indices"))?;
                }
            }
        }
    }
    // The host's own count is of all indices.
    let (values, at) = (Tensor::from_slice(&[7u8, 8], &[2])?, Tensor::from_slice(&[2u32, 0], &[2])?);
    let into = Tensor::from_slice(&[1u8, 2, 3], &[3])?;
    let all = context(None)?.scatter(&Scatter::new(DType::U8, &[3], 2).counted(), &values, &at, &into)?.tensor;
    ensure(all.to_vec::<u8>()? == [8, 2, 7], || format!("{all:?}"))
}

fn refusals() -> Result<(), Failed> {
    let context = context(None)?;
    let scatter = Scatter::new(DType::U32, &[10], 4);
    let into = Tensor::from_slice(&[1u32; 10], &[10])?;
    let four = Tensor::from_slice(&[1u32; 4], &[2, 2])?;
    let five = Tensor::from_slice(&[1u32; 5], &[5])?;
    refused(context.scatter(&scatter, &four, &five, &into), "the plan is for 4 u32, and the array is u32 [5]")?;
    context.scatter(&scatter, &four, &four, &into)?;
    let buffer = shared(&context, "all", 4096)?;
    let all = BufferRange::whole(&buffer);
    let good = ScatterBindings { values: all.slice(0, 16)?, indices: all.slice(1024, 16)?, target: all.slice(2048, 40)?, count: None };
    refused_bindings(
        &context,
        &scatter,
        &[
            (ScatterBindings { values: all.slice(0, 12)?, ..good }, "the values binding has 12 bytes, and the plan needs 16"),
            (ScatterBindings { target: all.slice(2048, 36)?, ..good }, "the target binding has 36 bytes, and the plan needs 40"),
            (ScatterBindings { target: all.slice(1024, 40)?, ..good }, "the indices and target bindings overlap"),
        ],
    )?;
    refused_bindings(
        &context,
        &scatter.counted(),
        &[
            (good, "the count binding has 0 bytes, and the plan needs 4"),
            (ScatterBindings { count: Some(all.slice(2048, 4)?), ..good }, "the target and count bindings overlap"),
        ],
    )?;
    let narrow = narrow()?;
    let name = narrow[0].device().capabilities().shown_name();
    let large = Tensor::from_slice(&[1u32; 1025], &[1025])?;
    refused(
        narrow[0].scatter(&Scatter::new(DType::U32, &[1025], 4), &four, &four, &large),
        &format!(
            "a scatter into an array, which one binding has to hold, of 4100 bytes does not fit {name}: maxStorageBufferRange is 4096"
        ),
    )
}
