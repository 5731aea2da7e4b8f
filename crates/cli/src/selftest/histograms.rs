//! Histograms and counts of values against their CPU twins.

use wavelane::{Bins, DType, Histogram, HistogramStrategy};
use wavelane_reference::{self as reference, Element, Values};

use super::data::{self, Pattern};
use super::trial::{Job, Trial, Trouble, same, tensor};
use crate::convert;

const QUICK_LENGTHS: [usize; 2] = [257, 20_003];
const LENGTHS: [usize; 5] = [0, 1, 2049, 20_011, 300_007];

/// What bins are found by.
#[derive(Clone, Copy)]
enum By {
    Even,
    Edges,
    Values,
}

pub fn jobs(quick: bool) -> Vec<Job> {
    let lengths: &[usize] = if quick { &QUICK_LENGTHS } else { &LENGTHS };
    let job =
        move |by: By, name, element| Job::new("histogram", name, element, move |trial| check(trial, by, element, lengths)).of_one_path();
    let mut jobs = Vec::new();
    for element in Element::ALL {
        jobs.push(job(By::Even, "even", element));
        jobs.push(job(By::Edges, "edges", element));
        if !element.is_float() {
            jobs.push(job(By::Values, "values", element));
        }
    }
    jobs
}

fn check(trial: &mut Trial, by: By, element: Element, lengths: &[usize]) -> Result<(), Trouble> {
    for &length in lengths {
        let input = match by {
            // Values that are bins are small ones.
            By::Values => {
                Values::from_bits(element, data::of_pattern(Pattern::Random, element, length).bits().into_iter().map(|bits| bits % 700))
            }
            _ => data::of_pattern(if element.is_float() { Pattern::WithNan } else { Pattern::Extreme }, element, length),
        };
        for (bins, weights) in bins(by, element).iter().zip([Element::F32, Element::I32]) {
            one(trial, bins, &input, None)?;
            one(trial, bins, &input, Some(weights))?;
        }
    }
    Ok(())
}

fn bins(by: By, element: Element) -> Vec<Bins> {
    let high = if element.is_float() { 100.0 } else { 65_536.0 };
    match by {
        By::Even => [10, 700].map(|bins| Bins::Even { bins, low: 0.0, high }).to_vec(),
        By::Edges => vec![Bins::Edges((0..40).map(|edge| f64::from(edge * edge) / 1521.0 * high).collect())],
        By::Values => [256, 20_000].map(|bins| Bins::Values { bins }).to_vec(),
    }
}

fn one(trial: &mut Trial, bins: &Bins, input: &Values, weight: Option<Element>) -> Result<(), Trouble> {
    // Random floats for weights: their sums have to be exact, whatever their order.
    let weights = weight.map(|element| data::of_pattern(Pattern::Random, element, input.len()));
    let want = match bins {
        Bins::Even { bins, low, high } => {
            reference::histogram(input, &reference::even_edges(input.element(), *bins, *low, *high), weights.as_ref(), false)?
        }
        Bins::Edges(edges) => reference::histogram(input, edges, weights.as_ref(), false)?,
        Bins::IntegerEdges(edges) => reference::histogram_of_integers(input, edges, weights.as_ref(), false)?,
        Bins::Values { bins } => reference::bincount(input, *bins, weights.as_ref())?,
    };
    let dtype: DType = convert::dtype(input.element());
    let array = tensor(input, &[input.len()])?;
    let given = weights.as_ref().map(|weights| tensor(weights, &[input.len()])).transpose()?;
    for strategy in [HistogramStrategy::SharedMemory, HistogramStrategy::Results] {
        let mut histogram = Histogram::new(dtype, bins.clone(), input.len()).with_strategy(strategy);
        histogram.weights = weight.map(convert::dtype);
        histogram.wide = weight.is_some() && matches!(bins, Bins::Values { .. });
        let label = format!("{} bins of {} {dtype} in {strategy}, weights {weight:?}", bins.count(), input.len());
        trial.on_each(&label, |context| {
            same("bins", &context.histogram(&histogram, &array, given.as_ref())?.tensor, &want)?;
            Ok(1)
        })?;
    }
    Ok(())
}
