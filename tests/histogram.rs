//! Histograms of every type on every driver, against the CPU twin, to the bit.

#[allow(dead_code, reason = "not every test takes all patterns")]
#[path = "reduce/data.rs"]
mod data;
mod guarded;
mod harness;
#[path = "histogram/recorded.rs"]
mod recorded;
#[path = "histogram/support.rs"]
mod support;
#[path = "histogram/weights.rs"]
mod weights;

use std::process::ExitCode;

use data::{Pattern, values};
use harness::gpu::ensure;
use harness::{Case, without_subgroups};
use libtest_mimic::Failed;
use support::{Like, check, context, narrow, ten, tensor, weights};
use wavelane::device::Profile;
use wavelane::{Bins, Context, DType, Histogram, HistogramStrategy, Kernel, Path, Tensor};
use wavelane_reference::{self as reference, Values};

/// Lengths around words, wide loads, workgroups of 128 and what those have under way.
const LENGTHS: [usize; 14] = [0, 1, 3, 4, 5, 15, 127, 257, 1000, 2047, 2049, 4097, 10_000, 33_001];

const STRATEGIES: [HistogramStrategy; 2] = [HistogramStrategy::SharedMemory, HistogramStrategy::Results];

fn main() -> ExitCode {
    // Subgroups make no difference to atomics.
    let mut cases = without_subgroups(vec![
        Case::new("lengths_and_types", |_| matrix(&context(None, None)?)),
        Case::new("lengths_and_types_as_minimal", |_| matrix(&context(None, Some(Profile::named("minimal")?))?)).narrowed(),
        Case::new("edges_of_bins", |_| edges(&context(None, None)?)),
        Case::new("edges_that_are_integers", |_| integer_edges(&context(None, None)?)),
        Case::new("numbers_of_bins", |_| numbers_of_bins(&context(None, None)?)),
        Case::new("weights", |_| weights::weighted(&context(None, None)?)),
        Case::new("weights_as_minimal", |_| weights::weighted(&context(None, Some(Profile::named("minimal")?))?)).narrowed(),
        Case::new("weights_that_are_no_numbers", |_| weights::special_weights(&context(None, None)?)),
        Case::new("channels_rows_and_gaps", |_| rows(&context(None, None)?)),
        Case::new("limits_are_met_in_pieces", |_| limits()).narrowed(),
        Case::new("repeats", |_| repeats(&context(None, None)?)),
        Case::new("recorded_at_offsets_with_counts", |_| recorded::recorded(&context(None, None)?)),
        Case::new("bincount", |_| weights::bincount(&context(None, None)?)),
        Case::new("a_forced_path_makes_no_difference", |_| forced()),
        Case::new("refusals", |_| recorded::refusals(&context(None, None)?)),
    ]);
    cases.extend(harness::gpu::restricted(|profile| restricted(&context(None, Some(profile))?)));
    harness::main(cases)
}

fn matrix(context: &Context) -> Result<(), Failed> {
    for dtype in DType::ALL {
        for (turn, len) in LENGTHS.into_iter().enumerate() {
            let like = Like::ALL[turn % 4];
            let strategy = [None, Some(STRATEGIES[turn % 2])][turn / 4 % 2];
            check(context, &Histogram { strategy, ..Histogram::new(dtype, ten(dtype), len) }, &like.values(dtype, len))?;
        }
        for like in Like::ALL {
            for strategy in STRATEGIES {
                check(context, &Histogram::new(dtype, ten(dtype), 1023).with_strategy(strategy), &like.values(dtype, 1023))?;
            }
        }
    }
    for (rows, width) in [(1, 1), (15, 1), (10_000, 1), (1, 10_000)] {
        let image = Histogram::of_image(DType::U8, Bins::Values { bins: 256 }, rows, width, 1);
        check(context, &image, &Like::Any.values(DType::U8, rows * width))?;
    }
    Ok(())
}

/// Each strategy, with elements of one word, of half a one and of two, counted and weighed.
fn restricted(context: &Context) -> Result<(), Failed> {
    for dtype in [DType::U32, DType::F16, DType::F64] {
        for strategy in STRATEGIES {
            let histogram = Histogram::new(dtype, ten(dtype), 10_007).with_strategy(strategy);
            check(context, &histogram, &Like::Edges.values(dtype, 10_007))?;
            check(context, &histogram.weighted(DType::F32), &Like::Any.values(dtype, 10_007))?;
        }
    }
    Ok(())
}

/// Elements at and beside edges, edges that are the same, infinite ones, and those that no element of the type reaches.
fn edges(context: &Context) -> Result<(), Failed> {
    for dtype in DType::ALL {
        let unit = if dtype.is_float() { 0.1 } else { 10.0 };
        let scaled = |edges: &[f64]| Bins::Edges(edges.iter().map(|edge| edge * unit).collect());
        let even = |bins, low, high| Bins::Even { bins, low: low * unit, high: high * unit };
        let elements = Like::Edges.values(dtype, 2001);
        for bins in [
            scaled(&[1.0, 2.0, 2.0, 2.5, 7.0]),
            scaled(&[f64::NEG_INFINITY, -0.5, 0.0, 3.0, f64::INFINITY]),
            scaled(&[3.0, 3.0]),
            scaled(&[-5.0, -3.0, 1e6, 1e12]),
            Bins::Edges((0..3000).map(|edge| f64::from(edge) * unit / 250.0).collect()),
            even(1, 3.0, 3.0),
            even(7, -2.0, 9.0),
            even(500, 1.0, 8.0),
            even(128, 0.0, 12.8),
        ] {
            check(context, &Histogram::new(dtype, bins, 2001), &elements)?;
        }
        // All of the type, the greatest and the least among them.
        let elements = values(dtype, 3001, Pattern::Random, false, 5);
        let (low, high) = match dtype {
            DType::I32 => (-2147483648.0, 2147483647.0),
            DType::I64 => (-9.3e18, 9.3e18),
            DType::U64 => (0.0, 1.9e19),
            DType::U32 => (0.0, 4294967295.0),
            DType::U8 | DType::U16 => (0.0, 65_536.0),
            DType::I8 => (-128.5, 127.0),
            DType::I16 => (-32_768.0, 32_767.0),
            _ => (-60.0, 60.0),
        };
        for bins in [2, 100, 1024, 3000] {
            check(context, &Histogram::new(dtype, Bins::Even { bins, low, high }, 3001), &elements)?;
        }
    }
    Ok(())
}

/// Beside what f64 tells apart, beyond the type, and at its ends.
fn integer_edges(context: &Context) -> Result<(), Failed> {
    let near = 1i128 << 53;
    let wide = [i64::MIN.into(), -near - 1, 0, 5, near, near + 1, near + 2, near + 2, i64::MAX.into(), u64::MAX.into()];
    let time = 1_700_000_000_000_000_000;
    for dtype in [DType::U64, DType::I64, DType::I32, DType::U8, DType::F64, DType::F32] {
        let mut around: Vec<i128> = wide.iter().chain(&[time]).flat_map(|&edge| edge - 3..=edge + 3).collect();
        around.extend((0..200).map(|step| time + 5 * step));
        let in_type = |value: i128| match dtype {
            DType::F64 => (value as f64).to_bits(),
            DType::F32 => u64::from((value as f32).to_bits()),
            _ => value as u64,
        };
        let elements = Values::from_bits(data::element(dtype), around.into_iter().map(in_type));
        for edges in [wide.to_vec(), (0..=10).map(|step| time + 100 * step).collect(), vec![i128::MIN, 0, i128::MAX], vec![7, 7]] {
            check(context, &Histogram::new(dtype, Bins::IntegerEdges(edges), elements.len()), &elements)?;
        }
    }
    Ok(())
}

fn numbers_of_bins(context: &Context) -> Result<(), Failed> {
    let words = values(DType::U32, 20_011, Pattern::Random, false, 3);
    let floats = Like::Any.values(DType::F32, 20_011);
    for bins in [1, 2, 255, 256, 1000, 2049, 4097, 16_385, 1 << 20] {
        let even = Bins::Even { bins, low: 0.0, high: 4_294_967_296.0 };
        check(context, &Histogram::new(DType::U32, even, 20_011), &words)?;
        let even = Bins::Even { bins, low: 0.0, high: 1.0 };
        check(context, &Histogram::new(DType::F32, even, 20_011), &floats)?;
        let small = Values::from_bits(reference::Element::U32, words.bits().into_iter().map(|bits| bits % (bins as u64 + 3)));
        for strategy in STRATEGIES {
            // Hundreds of passes tell no more than a few.
            if bins < 1 << 20 || strategy == HistogramStrategy::Results {
                check(context, &Histogram::new(DType::U32, Bins::Values { bins }, 20_011).with_strategy(strategy), &small)?;
            }
        }
    }
    Ok(())
}

fn rows(context: &Context) -> Result<(), Failed> {
    let bytes = Bins::Values { bins: 256 };
    for (height, width, channels, counted, pitch) in [
        (1, 1, 1, 1, 1),
        (7, 5, 3, 3, 15),
        (33, 61, 4, 3, 244),
        (33, 61, 4, 3, 251),
        (5, 1000, 2, 1, 2048),
        (3, 7, 1, 1, 9),
        (15, 1, 1, 1, 1),
    ] {
        for dtype in [DType::U8, DType::U16, DType::F32, DType::F64] {
            let bins = if dtype == DType::U8 { bytes.clone() } else { ten(dtype) };
            let image = Histogram::of_image(dtype, bins, height, width, channels).first_channels(counted).with_pitch(pitch);
            let elements = Like::Any.values(dtype, image.input_len()?);
            for each_row in [false, true] {
                let image = Histogram { each_row, ..image.clone() };
                check(context, &image, &elements)?;
                check(context, &Histogram { strategy: Some(HistogramStrategy::Results), ..image.clone() }, &elements)?;
                check(context, &image.weighted(if dtype == DType::U8 { DType::F32 } else { DType::U32 }), &elements)?;
            }
        }
    }
    // A gap behind the last row is there, or is not.
    let image = Histogram::of_image(DType::U8, bytes, 2, 3, 1).with_pitch(4);
    let whole = context.histogram(&image, &Tensor::from_slice(&[1u8, 2, 3, 9, 3, 2, 3, 9], &[2, 4])?, None)?.tensor;
    let short = context.histogram(&image, &Tensor::from_slice(&[1u8, 2, 3, 9, 3, 2, 3], &[7])?, None)?.tensor;
    ensure(whole == short && whole.to_vec::<u32>()?[..10] == [0, 1, 2, 3, 0, 0, 0, 0, 0, 0], || format!("{whole:?}"))
}

fn limits() -> Result<(), Failed> {
    for context in narrow()? {
        for dtype in [DType::U8, DType::F16, DType::F32, DType::U64] {
            for histogram in [
                Histogram::new(dtype, ten(dtype), 20_011),
                Histogram::new(dtype, ten(dtype), 20_011).weighted(DType::F32),
                Histogram::of_rows(dtype, ten(dtype), 300, 33),
                Histogram::of_rows(dtype, ten(dtype), 3, 7001).with_pitch(7003),
                Histogram::of_image(dtype, ten(dtype), 30, 100, 3).with_pitch(333).weighted(DType::I32),
            ] {
                let elements = Like::Any.values(dtype, histogram.input_len()?);
                check(&context, &histogram, &elements)?;
            }
        }
        let elements = values(DType::U16, 6007, Pattern::Random, false, 1);
        for strategy in STRATEGIES {
            let histogram = Histogram::new(DType::U16, Bins::Values { bins: 5000 }, 6007).with_strategy(strategy);
            check(&context, &histogram, &elements)?;
            check(&context, &histogram.weighted(DType::F32), &elements)?;
        }
    }
    Ok(())
}

fn repeats(context: &Context) -> Result<(), Failed> {
    const LEN: usize = 20_009;
    let input = tensor(DType::F32, &Like::Any.values(DType::F32, LEN))?;
    let given = tensor(DType::F32, &weights(DType::F32, LEN))?;
    for (histogram, given) in [
        (Histogram::new(DType::F32, ten(DType::F32), LEN), None),
        (Histogram::new(DType::F32, ten(DType::F32), LEN).weighted(DType::F32), Some(&given)),
    ] {
        let first = context.histogram(&histogram, &input, given)?.tensor;
        for _ in 0..50 {
            ensure(context.histogram(&histogram, &input, given)?.tensor == first, || format!("{histogram:?}: another result"))?;
        }
    }
    Ok(())
}

fn forced() -> Result<(), Failed> {
    let elements = Like::Any.values(DType::F32, 3001);
    let histogram = Histogram::new(DType::F32, ten(DType::F32), 3001);
    for path in Path::ALL {
        let context = context(Some(path), None)?;
        check(&context, &histogram, &elements)?;
        let told = histogram.plan(context.device(), Some(path))?.explain();
        ensure(told.contains("so there is one path") && told.contains("forced, which makes no difference"), || told.clone())?;
    }
    Ok(())
}
