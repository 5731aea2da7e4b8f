//! Elements by index, of every type and along every axis, on every driver, against the CPU twin.

#[path = "elementwise/mod.rs"]
mod elementwise;
mod harness;

use std::process::ExitCode;

use elementwise::{
    LENGTHS, Random, UNTOUCHED, any_bits, begins, context, counts, minimal, narrow, narrow_and_whole, recorded, recorded_plan, refused,
    refused_bindings, same, shared, tensor,
};
use harness::gpu::ensure;
use harness::{Case, without_subgroups};
use libtest_mimic::Failed;
use wavelane::record::BufferRange;
use wavelane::{Context, DType, Gather, GatherBindings, Kernel, Tensor};
use wavelane_reference::{self as reference, Values};

fn main() -> ExitCode {
    harness::main(without_subgroups(vec![
        Case::new("elements_are_the_twins", |_| matrix(&context(None)?)),
        Case::new("elements_are_the_twins_as_minimal", |_| matrix(&minimal()?)).narrowed(),
        Case::new("indices_out_of_range_give_zero", |_| out_of_range()),
        Case::new("limits_are_met_in_pieces", |_| limits()),
        Case::new("recorded_at_offsets", |_| recording()),
        Case::new("counts_on_the_device", |_| counted()),
        Case::new("counts_on_the_device_along_an_axis", |_| counted_along()),
        Case::new("refusals", |_| refusals()),
    ]))
}

fn indices(count: usize, below: usize, seed: u64) -> Vec<u32> {
    let mut random = Random(seed);
    (0..count).map(|_| (random.next() % below.max(1) as u64) as u32).collect()
}

/// What numpy.take means, by the twin for flat indices.
fn expected(values: &Values, gather: &Gather, indices: &[u32]) -> Result<Values, Failed> {
    let (outer, count, inner) = match gather.axis {
        None => (1, values.len(), 1),
        Some(axis) => (gather.shape[..axis].iter().product(), gather.shape[axis], gather.shape[axis + 1..].iter().product()),
    };
    let flat: Vec<u32> = (0..outer)
        .flat_map(|o| indices.iter().flat_map(move |&index| (0..inner).map(move |j| ((o * count + index as usize) * inner + j) as u32)))
        .collect();
    Ok(reference::gather(values, &flat)?)
}

fn check(context: &Context, gather: &Gather, seed: u64) -> Result<(), Failed> {
    let values = any_bits(gather.dtype, gather.shape.iter().product(), seed);
    let below = gather.axis.map_or(values.len(), |axis| gather.shape[axis]);
    let indices = indices(gather.indices.iter().product(), below, seed);
    let input = tensor(gather.dtype, &gather.shape, &values)?;
    let outcome = context.gather(gather, &input, &Tensor::from_slice(&indices, &gather.indices)?)?;
    ensure(outcome.tensor.shape() == gather.result_shape()?, || format!("{gather:?}: shape {:?}", outcome.tensor.shape()))?;
    same(&outcome.tensor, &expected(&values, gather, &indices)?, || format!("{gather:?}"))
}

fn matrix(context: &Context) -> Result<(), Failed> {
    for dtype in DType::ALL {
        for count in LENGTHS {
            check(context, &Gather::new(dtype, &[1009], &[count]), 1)?;
        }
        check(context, &Gather::new(dtype, &[70_001], &[300]), 2)?;
        for axis in 0..3 {
            for indices in [&[][..], &[1], &[9], &[2, 3], &[0]] {
                check(context, &Gather::new(dtype, &[5, 7, 11], indices).along(axis), 3)?;
            }
        }
        check(context, &Gather::new(dtype, &[3, 2], &[4, 5]), 4)?;
        check(context, &Gather::new(dtype, &[0, 7], &[4]).along(1), 5)?;
    }
    Ok(())
}

fn out_of_range() -> Result<(), Failed> {
    let context = context(None)?;
    for dtype in DType::ALL {
        let values = any_bits(dtype, 6, 8);
        let input = tensor(dtype, &[2, 3], &values)?;
        let flat = Tensor::from_slice(&[5u32, 6, u32::MAX, 0, 1 << 31], &[5])?;
        let got = context.gather(&Gather::new(dtype, &[2, 3], &[5]), &input, &flat)?.tensor;
        let bits = values.bits();
        let of = |at: &[Option<usize>]| Values::from_bits(values.element(), at.iter().map(|at| at.map_or(0, |at| bits[at])));
        same(&got, &of(&[Some(5), None, None, Some(0), None]), || format!("{dtype}"))?;
        let along = Tensor::from_slice(&[2u32, 3], &[2])?;
        let got = context.gather(&Gather::new(dtype, &[2, 3], &[2]).along(1), &input, &along)?.tensor;
        same(&got, &of(&[Some(2), None, Some(5), None]), || format!("{dtype} along an axis"))?;
        let empty = context.gather(&Gather::new(dtype, &[0], &[5]), &tensor(dtype, &[0], &values.take([]))?, &flat)?.tensor;
        same(&empty, &of(&[None; 5]), || format!("{dtype} of nothing"))?;
    }
    Ok(())
}

fn limits() -> Result<(), Failed> {
    for context in narrow()? {
        for dtype in [DType::U8, DType::F16, DType::F32, DType::U64] {
            check(&context, &Gather::new(dtype, &[500], &[10_007]), 5)?;
            check(&context, &Gather::new(dtype, &[5, 20, 5], &[300]).along(1), 6)?;
        }
    }
    Ok(())
}

fn recording() -> Result<(), Failed> {
    let context = context(None)?;
    for dtype in [DType::U8, DType::U16, DType::F32, DType::F64] {
        for count in [1, 2, 3, 7, 1001] {
            let values = any_bits(dtype, 301, 7);
            let at = indices(count, 301, 9);
            let gather = Gather::new(dtype, &[301], &[count]);
            let given = [values.to_bytes(), at.iter().flat_map(|index| index.to_ne_bytes()).collect()];
            let bytes = recorded(&context, &gather, &[Some(&given[0]), Some(&given[1]), None], |ranges| GatherBindings {
                input: ranges[0],
                indices: ranges[1],
                output: ranges[2],
                count: None,
            })?;
            let size = count * dtype.size() as usize;
            let want = reference::gather(&values, &at)?.to_bytes();
            ensure(bytes[2][..size] == want && bytes[2][size..].iter().all(|&byte| byte == 0), || format!("{count} of {dtype} are wrong"))?;
        }
    }
    Ok(())
}

fn counted_bytes(context: &Context, plan: &wavelane::Plan<Gather>, input: &Values, at: &[u32], count: u32) -> Result<Vec<u8>, Failed> {
    let given = [input.to_bytes(), at.iter().flat_map(|index| index.to_ne_bytes()).collect(), Vec::new(), count.to_ne_bytes().to_vec()];
    let given = [Some(&given[0][..]), Some(&given[1][..]), None, Some(&given[3][..])];
    let mut bytes = recorded_plan(context, plan, &given, |ranges| GatherBindings {
        input: ranges[0],
        indices: ranges[1],
        output: ranges[2],
        count: Some(ranges[3]),
    })?;
    Ok(bytes.swap_remove(2))
}

/// By as many indices as the device says, and not a byte more but for the last word's.
fn counted() -> Result<(), Failed> {
    for context in &narrow_and_whole()? {
        for dtype in [DType::U8, DType::F16, DType::U32, DType::F64] {
            let (values, at) = (any_bits(dtype, 301, 7), indices(5003, 301, 9));
            let plan = Gather::new(dtype, &[7, 43], &[5003]).counted().plan(context.device(), None)?;
            for count in counts(5003) {
                let bytes = counted_bytes(context, &plan, &values, &at, count)?;
                let want = reference::gather(&values, &at[..5003.min(count as usize)])?;
                begins(&bytes, (dtype, &want), &[], &[], false, &format!("{dtype} by {count} indices"))?;
            }
        }
    }
    // The host's own count is of all indices.
    let (input, at) = (Tensor::from_slice(&[7u8, 8, 9], &[3])?, Tensor::from_slice(&[2u32, 0], &[2])?);
    let all = context(None)?.gather(&Gather::new(DType::U8, &[3], &[2]).counted(), &input, &at)?.tensor;
    ensure(all.to_vec::<u8>()? == [9, 7], || format!("{all:?}"))
}

/// Of each line the results of as many indices as the device says. Others stay as they are, or are 0 if they share a word with one that is written.
fn counted_along() -> Result<(), Failed> {
    for context in &narrow_and_whole()? {
        for dtype in [DType::U8, DType::F16, DType::U32, DType::F64] {
            for (axis, at) in [(0, 301), (1, 301), (2, 301), (1, 6), (2, 7)] {
                let gather = Gather::new(dtype, &[5, 18, 5], &[at]).along(axis);
                let inner: usize = gather.shape[axis + 1..].iter().product();
                let (values, at) = (any_bits(dtype, 450, 7), indices(at, gather.shape[axis], 9));
                let all = expected(&values, &gather, &at)?.to_bytes();
                let plan = gather.clone().counted().plan(context.device(), None)?;
                let most = at.len() as u32;
                for count in [0, 1, 3, most / 2, most - 1, most, most + 1, u32::MAX] {
                    let got = counted_bytes(context, &plan, &values, &at, count)?;
                    let size = dtype.size() as usize;
                    // The element that a byte is of, and its index.
                    let written = |byte: usize| byte < all.len() && byte / size / inner % at.len() < count as usize;
                    let want = |byte: usize| match () {
                        () if written(byte) => all[byte],
                        () if (byte / 4 * 4..byte / 4 * 4 + 4).any(written) => 0,
                        () => UNTOUCHED,
                    };
                    let wrong = (0..got.len()).find(|&byte| got[byte] != want(byte));
                    ensure(wrong.is_none(), || format!("{gather:?} by {count} indices: byte {wrong:?}"))?;
                }
            }
        }
    }
    Ok(())
}

fn refusals() -> Result<(), Failed> {
    let context = context(None)?;
    let gather = Gather::new(DType::U16, &[10], &[4]);
    let input = Tensor::from_slice(&[1u16; 10], &[10])?;
    let wrong = Tensor::from_slice(&[1i32; 4], &[4])?;
    refused(context.gather(&gather, &input, &wrong), "the plan is for u32 [4], and the array is i32 [4]")?;
    refused(Gather::new(DType::U16, &[10], &[4]).along(1).result_shape(), "axis 1 of an array of 1 dimensions does not exist")?;
    let buffer = shared(&context, "all", 4096)?;
    let all = BufferRange::whole(&buffer);
    let good = GatherBindings { input: all.slice(0, 20)?, indices: all.slice(1024, 16)?, output: all.slice(2048, 8)?, count: None };
    refused_bindings(
        &context,
        &gather,
        &[
            (GatherBindings { input: all.slice(0, 16)?, ..good }, "the input binding has 16 bytes, and the plan needs 20"),
            (GatherBindings { indices: all.slice(1024, 12)?, ..good }, "the indices binding has 12 bytes, and the plan needs 16"),
            (GatherBindings { output: all.slice(1024, 8)?, ..good }, "the indices and output bindings overlap"),
        ],
    )?;
    refused_bindings(
        &context,
        &gather.counted(),
        &[
            (good, "the count binding has 0 bytes, and the plan needs 4"),
            (GatherBindings { count: Some(all.slice(2048, 4)?), ..good }, "the output and count bindings overlap"),
        ],
    )?;
    // What is read anywhere cannot be cut into pieces.
    let narrow = narrow()?;
    let name = narrow[0].device().capabilities().shown_name();
    let large = Gather::new(DType::U32, &[1025], &[4]);
    let tensors = (Tensor::from_slice(&[1u32; 1025], &[1025])?, Tensor::from_slice(&[1u32; 4], &[4])?);
    refused(
        narrow[0].gather(&large, &tensors.0, &tensors.1),
        &format!("a gather from an array, which one binding has to hold, of 4100 bytes does not fit {name}: maxStorageBufferRange is 4096"),
    )
}
