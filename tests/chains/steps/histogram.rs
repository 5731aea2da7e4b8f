//! Histograms of the current array, of as many elements as its count says, with weights or without.

use libtest_mimic::Failed;
use wavelane::{Bins, DType, Histogram, HistogramBindings, HistogramStrategy};
use wavelane_reference::{self as reference, Values};

use super::chain::Chain;
use super::data::{Random, element};
use super::elements;
use super::planned::Ranges;
use super::rig::Rig;
use super::variants::Variant;

pub fn histogram(chain: &mut Chain, rig: &Rig, variant: &Variant, weights: Option<DType>, random: &mut Random) -> Result<bool, Failed> {
    let (input, dtype) = (chain.input(), variant.dtype);
    if input.dtype != dtype {
        return Ok(false);
    }
    let count = random.pick(&[1, 7, 64, 1000]);
    let even = Bins::Even { bins: count, low: 0.0, high: 64.0 };
    let between = Bins::Edges((0..=count).map(|edge| (edge * edge) as f64 / 16.0 - 20.0).collect());
    let bins = match random.one_in(3) {
        true => between,
        false if dtype.is_float() || random.one_in(2) => even,
        false => Bins::Values { bins: count },
    };
    let strategy = random.pick(&[None, Some(HistogramStrategy::SharedMemory), Some(HistogramStrategy::Results)]);
    let histogram = Histogram { weights, strategy, counted: input.is_counted(), ..Histogram::new(dtype, bins, input.capacity) };
    // Halves have no 1000 even edges up to 64.
    let Ok(lookup) = histogram.lookup_words() else { return Ok(false) };
    let Some(planned) = rig.plan(&histogram, variant.path, bindings)? else { return Ok(false) };
    let given = weights.map(|dtype| elements::draw(dtype, input.capacity, random));
    let live = twin(&histogram, &input.live, given.as_ref())?;
    let upload = |chain: &mut Chain, dtype, values| {
        let at = chain.upload(dtype, values);
        chain.arrays[at].slot
    };
    let lookup = upload(chain, DType::U32, Values::U32(lookup));
    let given = match (weights, given) {
        (Some(dtype), Some(given)) => upload(chain, dtype, given),
        _ => input.slot,
    };
    let result = histogram.result_dtype();
    let output = chain.room_for(result, count, &[input.slot, lookup, given], random);
    let counted = chain.count_slot(&input);
    chain.push(planned, &[("input", input.slot), ("output", output), ("lookup", lookup), ("weights", given), ("count", counted)])?;
    chain.result(output, result, live, count, None)?;
    Ok(true)
}

fn twin(histogram: &Histogram, values: &Values, weights: Option<&Values>) -> Result<Values, Failed> {
    let weights = weights.map(|weights| weights.take(0..values.len()));
    let edges = match &histogram.bins {
        Bins::Even { bins, low, high } => reference::even_edges(element(histogram.dtype), *bins, *low, *high),
        Bins::Edges(edges) => edges.clone(),
        Bins::IntegerEdges(edges) => return Ok(reference::histogram_of_integers(values, edges, weights.as_ref(), histogram.wide)?),
        // The last bin ends before the next value.
        Bins::Values { bins } => (0..*bins).map(|bin| bin as f64).chain([*bins as f64 - 0.5]).collect(),
    };
    Ok(reference::histogram(values, &edges, weights.as_ref(), histogram.wide)?)
}

fn bindings<'a>(&[input, output, scratch, count, lookup, weights, ..]: &Ranges<'a>) -> HistogramBindings<'a> {
    HistogramBindings { input, output, scratch: Some(scratch), count: Some(count), lookup: Some(lookup), weights: Some(weights) }
}
