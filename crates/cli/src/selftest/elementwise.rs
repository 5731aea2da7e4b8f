//! Fill, iota, convert, gather and scatter against their CPU twins. Their invocations exchange nothing, so there is one path.

use wavelane::{Convert, Fill, Gather, Iota, Scalar, Scatter, Tensor};
use wavelane_reference::{self as reference, Element, Values};

use super::data::{self, Pattern};
use super::trial::{Job, Trial, Trouble, near, same, tensor};
use crate::convert;

const QUICK_LENGTHS: [usize; 1] = [4099];
const LENGTHS: [usize; 5] = [0, 1, 257, 4099, 65_537];

pub fn jobs(quick: bool) -> Vec<Job> {
    let lengths: &[usize] = if quick { &QUICK_LENGTHS } else { &LENGTHS };
    let mut jobs = Vec::new();
    let mut add = |job: Job| jobs.push(job.of_one_path());
    for element in Element::ALL {
        add(Job::new("fill", "value", element, move |trial| fill(trial, element, lengths)));
        add(Job::new("iota", "steps", element, move |trial| iota(trial, element, lengths)));
        for to in Element::ALL {
            add(Job::new("convert", to.name(), element, move |trial| to_type(trial, element, to, lengths)));
        }
        add(Job::new("gather", "whole", element, move |trial| gather(trial, element, lengths)));
        add(Job::new("gather", "axis", element, move |trial| gather_along(trial, element)));
        for (op, repeats) in [("each", false), ("repeated", true)] {
            add(Job::new("scatter", op, element, move |trial| scatter(trial, element, repeats, lengths)));
        }
    }
    jobs
}

fn fill(trial: &mut Trial, element: Element, lengths: &[usize]) -> Result<(), Trouble> {
    let value = data::of_pattern(Pattern::Random, element, 1);
    for &length in lengths {
        let fill = Fill::new(scalar(&value), &[length]);
        let want = reference::fill(&value, length)?;
        trial.on_each(&format!("{fill:?}"), |context| {
            same("elements", &context.fill(&fill)?.tensor, &want)?;
            Ok(1)
        })?;
    }
    Ok(())
}

fn iota(trial: &mut Trial, element: Element, lengths: &[usize]) -> Result<(), Trouble> {
    // Integers wrap; halves stay in their range.
    let step = if element.is_float() { Values::F32(vec![-0.375]) } else { Values::I32(vec![-3]) };
    let (start, step) = (reference::convert(&Values::U8(vec![5]), element), reference::convert(&step, element));
    for &length in lengths {
        let described = Iota::new(0u32, 0, length);
        let iota = Iota { start: scalar(&start), step: scalar(&step), ..described };
        let want = reference::iota(element, length, &start, &step)?;
        trial.on_each(&format!("{iota:?}"), |context| {
            near(&context.iota(&iota)?.tensor, &want, |_| reference::iota_bound(element, length, &start, &step))?;
            Ok(1)
        })?;
    }
    Ok(())
}

fn to_type(trial: &mut Trial, from: Element, to: Element, lengths: &[usize]) -> Result<(), Trouble> {
    for &length in lengths {
        for pattern in [Pattern::Extreme, Pattern::WithNan] {
            let input = data::of_pattern(pattern, from, length);
            let convert = Convert::new(convert::dtype(from), convert::dtype(to), &[length]);
            let array = tensor(&input, &[length])?;
            let want = reference::convert(&input, to);
            trial.on_each(&format!("{convert:?}, {pattern:?} values"), |context| {
                near(&context.convert(&convert, &array)?.tensor, &want, |_| Ok(vec![0.0; length]))?;
                Ok(1)
            })?;
        }
    }
    Ok(())
}

fn gather(trial: &mut Trial, element: Element, lengths: &[usize]) -> Result<(), Trouble> {
    for &length in lengths {
        let input = data::of_pattern(Pattern::Extreme, element, length);
        let indices = scattered(2 * length, length);
        let gather = Gather::new(convert::dtype(element), &[length], &[indices.len()]);
        let (array, at) = (tensor(&input, &[length])?, Tensor::from_slice(&indices, &[indices.len()])?);
        let want = reference::gather(&input, &indices)?;
        trial.on_each(&format!("{gather:?}"), |context| {
            same("elements", &context.gather(&gather, &array, &at)?.tensor, &want)?;
            Ok(1)
        })?;
    }
    Ok(())
}

/// Each index takes a row of every slab.
fn gather_along(trial: &mut Trial, element: Element) -> Result<(), Trouble> {
    const SHAPE: [usize; 3] = [7, 33, 5];
    let input = data::of_pattern(Pattern::Random, element, SHAPE.iter().product());
    let indices = scattered(40, SHAPE[1]);
    let gather = Gather::new(convert::dtype(element), &SHAPE, &[indices.len()]).along(1);
    let (array, at) = (tensor(&input, &SHAPE)?, Tensor::from_slice(&indices, &[indices.len()])?);
    let slab = |slab: usize| indices.iter().map(move |&index| slab * SHAPE[1] + index as usize);
    let want = input.take((0..SHAPE[0]).flat_map(slab).flat_map(|row| (0..SHAPE[2]).map(move |at| row * SHAPE[2] + at)));
    trial.on_each(&format!("{gather:?}"), |context| {
        same("elements", &context.gather(&gather, &array, &at)?.tensor, &want)?;
        Ok(1)
    })
}

/// A third of the elements changes, each once: of several values for one, any may stay.
fn scatter(trial: &mut Trial, element: Element, repeats: bool, lengths: &[usize]) -> Result<(), Trouble> {
    for &length in lengths {
        let into = data::of_pattern(Pattern::Random, element, length);
        let indices = scattered(length / 3, length);
        let given = if repeats { indices.len().min(5) } else { indices.len() };
        let values = data::of_pattern(Pattern::Extreme, element, given);
        let scatter = Scatter::new(convert::dtype(element), &[length], indices.len()).repeating(given);
        let (array, at) = (tensor(&into, &[length])?, Tensor::from_slice(&indices, &[indices.len()])?);
        let source = tensor(&values, &[given])?;
        let want = reference::scatter(&values.take((0..indices.len()).map(|at| at % given)), &indices, &into)?;
        trial.on_each(&format!("{scatter:?}"), |context| {
            same("elements", &context.scatter(&scatter, &source, &at, &array)?.tensor, &want)?;
            Ok(1)
        })?;
    }
    Ok(())
}

/// Indices in no order; none comes twice before all have come.
fn scattered(count: usize, length: usize) -> Vec<u32> {
    // A prime that divides no length here.
    (0..count).map(|at| ((at * 7919 + 3) % length) as u32).collect()
}

fn scalar(value: &Values) -> Scalar {
    Scalar::from_bits(convert::dtype(value.element()), value.bits().first().copied().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_come_once() {
        for length in LENGTHS {
            let mut indices = scattered(length, length);
            indices.sort_unstable();
            assert!(indices.iter().copied().eq(0..length as u32), "{length}");
        }
    }
}
