//! What the tests of histograms share: elements, bins, and the twin's results.

use libtest_mimic::Failed;
use wavelane::device::{Capabilities, Profile, Validation};
use wavelane::{Bins, Context, ContextOptions, DType, Histogram, Path, Tensor};
use wavelane_reference::{self as reference, Values};

use super::data::{Random, element};
use super::harness::gpu::ensure;

pub fn context(path: Option<Path>, profile: Option<Profile>) -> Result<Context, Failed> {
    Ok(Context::new(&ContextOptions { path, profile, validation: Validation::On, ..Default::default() })?)
}

/// The driver's device with limits lowered further than any real one's, so that small arrays meet them.
pub fn narrow() -> Result<Vec<Context>, Failed> {
    let lowers: [fn(&mut Capabilities); 5] = [
        |capabilities| capabilities.limits.max_storage_buffer_range = 12 << 10,
        |capabilities| {
            capabilities.limits.max_storage_buffer_range = 1 << 15;
            capabilities.limits.min_storage_buffer_offset_alignment = 256;
        },
        |capabilities| capabilities.limits.max_compute_work_group_count = [7, 3, 2],
        |capabilities| capabilities.limits.max_compute_work_group_invocations = 1,
        |capabilities| capabilities.limits.max_compute_shared_memory_size = 1024,
    ];
    let real = context(None, None)?.device().capabilities().clone();
    let narrowed = lowers.into_iter().map(|lower| {
        let mut capabilities = real.clone();
        lower(&mut capabilities);
        context(None, Some(Profile { name: "narrow".into(), source: "a limit lowered by a test".into(), capabilities }))
    });
    narrowed.collect()
}

/// What elements are like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Like {
    Equal,
    Any,
    Sorted,
    /// Exactly edges of ten bins from 0 to 1 or to 100, and what is beside them; for floats NaN, infinities and both zeros among them.
    Edges,
}

impl Like {
    pub const ALL: [Self; 4] = [Self::Equal, Self::Any, Self::Sorted, Self::Edges];

    pub fn values(self, dtype: DType, len: usize) -> Values {
        let mut random = Random::new(len as u64 ^ 0x5157);
        let number = |at: usize, random: &mut Random| -> f64 {
            let any = (random.next() >> 11) as f64 / (1u64 << 53) as f64;
            match self {
                Self::Equal => 0.3,
                Self::Any => any * 1.25 - 0.125,
                Self::Sorted => at as f64 / len as f64,
                Self::Edges => (random.next() % 13) as f64 / 10.0 - 0.1,
            }
        };
        let mut bits = Vec::with_capacity(len);
        for at in 0..len {
            let x = number(at, &mut random);
            let special = random.next() % 16;
            let x = match special {
                0 if self == Self::Edges => [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, -f64::NAN][at % 5],
                _ => x,
            };
            // Beside the edge by a bit, now and then.
            let beside = if self == Self::Edges && special == 1 { 1 } else { 0 };
            bits.push(match dtype {
                DType::F16 => u64::from(half::f16::from_f64(x).to_bits()) ^ beside,
                DType::F32 => u64::from((x as f32).to_bits()) ^ beside,
                DType::F64 => x.to_bits() ^ beside,
                DType::I32 => (x * 100.0).round() as i32 as u32 as u64,
                DType::I64 => (x * 100.0).round() as i64 as u64,
                _ => (x * 100.0).round() as u64,
            });
        }
        Values::from_bits(element(dtype), bits)
    }
}

/// Ten bins that divide what [`Like`] gives.
pub fn ten(dtype: DType) -> Bins {
    Bins::Even { bins: 10, low: 0.0, high: if dtype.is_float() { 1.0 } else { 100.0 } }
}

/// Weights of a type: some of them cancel each other, some are as great as they get.
pub fn weights(dtype: DType, len: usize) -> Values {
    let mut random = Random::new(len as u64 ^ 0x77);
    let bits = (0..len).map(|_| {
        let word = random.next();
        match dtype {
            DType::F32 if !word.is_multiple_of(7) => u64::from((((word >> 40) as f32) - 8_388_608.0).to_bits()),
            // Any finite float.
            DType::F32 => u64::from(if word >> 55 & 0xff == 0xff { 0 } else { (word >> 32) as u32 }),
            _ => word >> 32,
        }
    });
    Values::from_bits(element(dtype), bits)
}

/// The twin's histogram of some elements by their positions.
pub fn twin(histogram: &Histogram, values: &Values, weights: Option<&Values>, at: &[usize]) -> Result<Values, Failed> {
    let (values, weights) = (values.take(at.iter().copied()), weights.map(|weights| weights.take(at.iter().copied())));
    let edges = match &histogram.bins {
        Bins::Even { bins, low, high } => reference::even_edges(values.element(), *bins, *low, *high),
        Bins::Edges(edges) => edges.clone(),
        Bins::IntegerEdges(edges) if values.element().is_float() => edges.iter().map(|&edge| edge as f64).collect(),
        Bins::IntegerEdges(edges) => return Ok(reference::histogram_of_integers(&values, edges, weights.as_ref(), histogram.wide)?),
        Bins::Values { bins } => {
            // Sums of counts by value are f64.
            let counts = reference::bincount(&values, *bins, weights.as_ref().filter(|_| histogram.wide))?;
            if histogram.wide || weights.is_none() {
                return Ok(counts);
            }
            (0..*bins).map(|bin| bin as f64).chain([*bins as f64 - 0.5]).collect()
        }
    };
    Ok(reference::histogram(&values, &edges, weights.as_ref(), histogram.wide)?)
}

/// The elements of each histogram that a description gives, in the order of its results.
pub fn positions(histogram: &Histogram, live: usize) -> Vec<Vec<usize>> {
    let Histogram { rows, width, channels, counted_channels, pitch, each_row, .. } = *histogram;
    let mut all = vec![Vec::new(); counted_channels * if each_row { rows } else { 1 }];
    for row in 0..rows {
        for column in 0..width {
            for channel in 0..counted_channels {
                let at = row * pitch + column * channels + channel;
                let of = if each_row { row * counted_channels + channel } else { channel };
                if at < live {
                    all[of].push(at);
                }
            }
        }
    }
    all
}

/// The bytes of all of a description's results, by the twin.
pub fn expected(histogram: &Histogram, values: &Values, weights: Option<&Values>, live: usize) -> Result<Vec<u8>, Failed> {
    let mut bytes = Vec::new();
    for at in positions(histogram, live) {
        bytes.extend(twin(histogram, values, weights, &at)?.to_bytes());
    }
    Ok(bytes)
}

pub fn tensor(dtype: DType, values: &Values) -> Result<Tensor, Failed> {
    Ok(Tensor::new(dtype, vec![values.len()], values.to_bytes())?)
}

/// Runs a histogram, and requires the twin's results to the bit.
pub fn check(context: &Context, histogram: &Histogram, values: &Values) -> Result<(), Failed> {
    let weights = histogram.weights.map(|dtype| weights(dtype, values.len()));
    let given = histogram.weights.zip(weights.as_ref()).map(|(dtype, weights)| tensor(dtype, weights)).transpose()?;
    let outcome = context.histogram(histogram, &tensor(histogram.dtype, values)?, given.as_ref())?;
    let want = expected(histogram, values, weights.as_ref(), values.len())?;
    ensure(outcome.tensor.shape() == histogram.result_shape(), || format!("{histogram:?}: shape {:?}", outcome.tensor.shape()))?;
    match difference(outcome.tensor.bytes(), &want, histogram.result_dtype().size() as usize) {
        None => Ok(()),
        Some(why) => Err(format!("{histogram:?}: {why}\n{}", outcome.plan.explain()).into()),
    }
}

/// Where results differ first.
pub fn difference(got: &[u8], want: &[u8], size: usize) -> Option<String> {
    if got == want {
        return None;
    }
    let at = got.chunks(size).zip(want.chunks(size)).position(|(got, want)| got != want);
    let of = |bytes: &[u8]| at.map(|at| bytes[at * size..][..size].to_vec());
    Some(format!("{} results of {}, and bin {at:?} has {:?} in place of {:?}", got.len() / size, want.len() / size, of(got), of(want)))
}
