//! Histograms in recordings: offsets, counts of the device, guards, and what is refused.

use libtest_mimic::Failed;
use wavelane::record::Recorder;
use wavelane::{Bins, Context, DType, Error, Histogram, HistogramBindings, Kernel, Tensor};

use super::guarded::Memory;
use super::harness::gpu::ensure;
use super::support::{Like, difference, expected, ten, weights};

/// At offsets, twice, with counts of the device from none to more than there are; nothing beside the bindings is written, and scratch is as stated.
pub fn recorded(context: &Context) -> Result<(), Failed> {
    let even = |dtype| Histogram::new(dtype, ten(dtype), 5003);
    let search = Bins::Edges((0..200).map(|edge| f64::from(edge) / 199.0).collect());
    for histogram in [
        Histogram::new(DType::U8, Bins::Values { bins: 77 }, 5003),
        even(DType::F16),
        Histogram::new(DType::F32, search.clone(), 5003),
        Histogram::new(DType::F64, search, 5003).weighted(DType::F32),
        even(DType::I32).weighted(DType::I32),
        Histogram::of_rows(DType::U16, ten(DType::U16), 5, 1000).with_pitch(1001).weighted(DType::F32).wide(),
    ] {
        let span = histogram.input_len()?;
        let elements = Like::Any.values(histogram.dtype, span);
        let given = histogram.weights.map(|dtype| weights(dtype, span));
        for (counted, count) in [(false, 0), (true, 0), (true, 1), (true, 4097), (true, span - 1), (true, span), (true, u32::MAX as usize)]
        {
            let live = if counted { count.min(span) } else { span };
            let plan = Histogram { counted, ..histogram.clone() }.plan(context.device(), None)?;
            let memory = Memory::new(context, &plan)?;
            memory.write(0, &elements.to_bytes())?;
            if counted {
                memory.write(3, &(count as u32).to_ne_bytes())?;
            }
            memory.write(4, bytemuck::cast_slice(&histogram.lookup_words()?))?;
            if let Some(given) = &given {
                memory.write(5, &given.to_bytes())?;
            }
            let bindings = HistogramBindings {
                input: memory.needed(0)?,
                output: memory.needed(1)?,
                scratch: memory.range(2)?,
                count: memory.range(3)?,
                lookup: memory.range(4)?,
                weights: memory.range(5)?,
            };
            let want = expected(&histogram, &elements, given.as_ref(), live)?;
            for _ in 0..2 {
                memory.run(context, &plan, &bindings)?;
                memory.check_guards()?;
                if let Some(why) = difference(&memory.read(1)?, &want, histogram.result_dtype().size() as usize) {
                    return Err(format!("{histogram:?}, {count} counted {counted}: {why}").into());
                }
            }
        }
    }
    Ok(())
}

pub fn refusals(context: &Context) -> Result<(), Failed> {
    let says = |result: Result<(), Error>, text: &str| match result {
        Err(error) => ensure(error.to_string().contains(text) && !error.advice().is_empty(), || format!("{error}, and not {text}")),
        Ok(()) => Err(format!("taken, and not {text}").into()),
    };
    let four = Tensor::from_slice(&[1i32, 2, -3, 4], &[4])?;
    let floats = Tensor::from_slice(&[1f32, 2.0, 3.0], &[3])?;
    let plain = Histogram::new(DType::I32, ten(DType::I32), 4);
    let weighted = plain.clone().weighted(DType::F32);
    says(
        context.histogram(&Histogram::new(DType::I32, ten(DType::I32), 5), &four, None).map(drop),
        "the plan is for 5 i32, and the array is i32 [4]",
    )?;
    says(context.histogram(&plain, &floats, None).map(drop), "the plan is for 4 i32, and the array is f32 [3]")?;
    says(context.histogram(&plain, &four, Some(&floats)).map(drop), "the plan is for no weights, and the array is f32 [3]")?;
    says(context.histogram(&weighted, &four, None).map(drop), "the plan takes 4 f32 weights, and none were given")?;
    says(context.histogram(&weighted, &four, Some(&floats)).map(drop), "the plan is for 4 f32 weights, and the array is f32 [3]")?;
    says(context.bincount(&four, None, 0).map(drop), "element 2 is -3, and there is no bin of a negative value")?;
    says(context.bincount(&floats, None, 0).map(drop), "bins by value are of integers, and elements are f32")?;
    let great = Tensor::from_slice(&[u64::MAX], &[1])?;
    says(context.bincount(&great, None, 0).map(drop), "a histogram of more than 4294967295 bins")?;
    let plan = weighted.plan(context.device(), None)?;
    let memory = Memory::new(context, &plan)?;
    let good = HistogramBindings {
        input: memory.needed(0)?,
        output: memory.needed(1)?,
        scratch: memory.range(2)?,
        count: None,
        lookup: memory.range(4)?,
        weights: memory.range(5)?,
    };
    for (bindings, text) in [
        (HistogramBindings { weights: None, ..good }, "the weights binding has 0 bytes, and the plan needs 16"),
        (HistogramBindings { lookup: None, ..good }, "the lookup binding has 0 bytes"),
        (HistogramBindings { scratch: None, ..good }, "the scratch binding has 0 bytes, and the plan needs 440"),
        (HistogramBindings { output: memory.needed(5)?, ..good }, "the output binding has 16 bytes, and the plan needs 40"),
    ] {
        let mut recorder = Recorder::new(context.device())?;
        says(plan.record(&mut recorder, &bindings), text)?;
    }
    Ok(())
}
