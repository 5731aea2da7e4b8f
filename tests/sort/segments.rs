//! Sorts of segments that offsets tell of: of few keys and many, side by side, on every path.

use libtest_mimic::Failed;
use wavelane::{Context, DType, Error, Kernel, Path, Payload, Pipelines, Sort, SortForm, Tensor};
use wavelane_reference::{self as reference, SortOptions, Values};

use super::data::{Random, element, tensor};
use super::harness::Case;
use super::harness::gpu::ensure;
use super::keys::Keys;
use super::recording::{Told, recorded};
use super::support::{context, difference, on_each_path};
use super::{payload_type, with_payload};

pub fn cases() -> Vec<Case> {
    let mut cases = on_each_path("segments::lengths", |context| lengths(context, DType::F32));
    cases.push(Case::new("segments::types", |_| types(&context(None, None)?)));
    cases.push(Case::new("segments::repeats", |_| repeats(&context(None, None)?)));
    cases.push(Case::new("segments::refusals", |_| refusals(&context(None, None)?)));
    cases.push(Case::new("segments::forms", |_| forms(&context(Some(Path::SharedMemory), None)?)).without_subgroups(true));
    cases
}

/// Offsets of segments of these lengths, from `first` on.
fn offsets(first: u32, lengths: impl IntoIterator<Item = u32>) -> Vec<u32> {
    let ends = lengths.into_iter().scan(first, |end, length| {
        *end += length;
        Some(*end)
    });
    std::iter::once(first).chain(ends).collect()
}

/// Segments of which none, several, one and less than one has a workgroup, with a few keys beside them.
fn shapes() -> Vec<Vec<u32>> {
    let mut random = Random::new(9);
    let mut of = |count: usize, below: u64| (0..count).map(|_| (random.next() % below) as u32).collect::<Vec<_>>();
    vec![
        vec![0],
        vec![5],
        offsets(0, [1]),
        offsets(3, [0, 0, 7, 0]),
        offsets(0, of(3000, 5)),
        offsets(1, of(40, 700)),
        // Shares of keys that begin with a segment, and end with one.
        offsets(0, vec![256; 40]),
        offsets(0, [1023, 1, 1024, 1025, 2047, 2048, 2049, 0, 511, 512, 513, 1]),
        offsets(2, of(12, 9000)),
    ]
}

/// Segments with more keys than a workgroup goes through.
fn long_shapes() -> Vec<Vec<u32>> {
    vec![
        offsets(0, [65_536]),
        offsets(0, [65_537]),
        offsets(1, [65_535, 65_536, 3, 65_537, 0, 131_071, 2, 200_001, 1000]),
        offsets(7, [100, 140_000, 0, 0, 5000, 70_001]),
    ]
}

fn check(context: &Context, sort: &Sort, values: &Values, offsets: &[u32]) -> Result<(), Failed> {
    let options = SortOptions { descending: sort.descending, bits: sort.bits, count: None };
    let places = reference::sort_segment_places(values, offsets, &options)?;
    let moved = Values::from_bits(element(payload_type(sort)), (0..values.len() as u64).map(|at| at << 3 | 5));
    let given = tensor(payload_type(sort), &sort.shape, &moved)?;
    let given = Some(&given).filter(|_| matches!(sort.payload, Payload::Values(_)));
    let told = Tensor::from_slice(offsets, &[offsets.len()])?;
    let outcome = context.sort_in_segments(sort, &tensor(sort.dtype, &sort.shape, values)?, given, &told)?;
    // What is outside of all segments is undefined.
    let (first, end) = (offsets[0] as usize, offsets[offsets.len() - 1] as usize);
    let same = |what: &str, got: &Option<Tensor>, want: &[u8], size: usize| -> Result<(), Failed> {
        let got = got.as_ref().map_or(&[][..], Tensor::bytes);
        let part = first * size..end * size;
        ensure(got.len() == want.len(), || format!("{what}: {} bytes", got.len()))?;
        let why = difference(&got[part.clone()], &want[part], size);
        why.map_or(Ok(()), |why| Err(format!("{sort:?} in {:.200?}: {what}: {why}\n{}", offsets, outcome.plan.explain()).into()))
    };
    if sort.keys {
        same("keys", &outcome.tensor.keys, &values.take(places.iter().copied()).to_bytes(), sort.dtype.size() as usize)?;
    }
    match sort.payload {
        Payload::None => Ok(()),
        Payload::Positions => same("positions", &outcome.tensor.values, &positions(&places, offsets), 4),
        Payload::Values(dtype) => {
            same("values", &outcome.tensor.values, &moved.take(places.iter().copied()).to_bytes(), dtype.size() as usize)
        }
    }
}

/// Where keys stood in their segments.
fn positions(places: &[usize], offsets: &[u32]) -> Vec<u8> {
    let mut within: Vec<u32> = (0..places.len() as u32).collect();
    for pair in offsets.windows(2) {
        for at in pair[0] as usize..pair[1] as usize {
            within[at] = places[at] as u32 - pair[0];
        }
    }
    within.into_iter().flat_map(u32::to_ne_bytes).collect()
}

fn sort(dtype: DType, offsets: &[u32], beside: usize) -> Sort {
    let length = offsets[offsets.len() - 1] as usize + beside;
    Sort::new(dtype, &[length]).in_segments(offsets.len() - 1)
}

pub fn lengths(context: &Context, dtype: DType) -> Result<(), Failed> {
    for (turn, offsets) in shapes().into_iter().chain(long_shapes()).enumerate() {
        let sort = Sort { descending: turn % 4 == 3, ..sort(dtype, &offsets, turn % 3) };
        let length = sort.shape[0];
        let sort = with_payload(sort, turn);
        // One descriptor has to reach across keys, values, and counts of the parts of long segments.
        let reach = context.device().capabilities().limits.max_storage_buffer_range as usize;
        if reach < 8 * length + 4 * offsets.len() + 8192 && sort.plan(context.device(), context.path()).is_err() {
            continue;
        }
        check(context, &sort, &Keys::Few.values(dtype, length, 2), &offsets)?;
    }
    Ok(())
}

fn types(context: &Context) -> Result<(), Failed> {
    for (turn, dtype) in DType::ALL.into_iter().enumerate() {
        let long = long_shapes().into_iter().skip(2 + turn % 2).take(usize::from(turn % 3 == 0));
        for (number, offsets) in shapes().into_iter().skip(4 + turn % 2).step_by(2).chain(long).enumerate() {
            let keys = Keys::of(dtype)[(turn + number) % Keys::of(dtype).len()];
            let sort = Sort { descending: number % 2 == 1, ..sort(dtype, &offsets, 1) };
            let sort = if (turn + number) % 4 == 0 { sort.by_bits(1, 5 * dtype.size() as u32) } else { sort };
            let length = sort.shape[0];
            check(context, &with_payload(sort, turn + number), &keys.values(dtype, length, 3), &offsets)?;
        }
    }
    Ok(())
}

/// In place and between two buffers, with offsets that are right, and with offsets that are not: those must do no harm.
fn forms(context: &Context) -> Result<(), Failed> {
    let pipelines = Pipelines::new(context.device());
    let mut turn = 0;
    for dtype in [DType::U8, DType::F16, DType::U32, DType::I64] {
        for offsets in [offsets(0, [3, 0, 5]), offsets(0, [700, 9000, 1, 2, 3]), offsets(0, [5000, 70_000, 4])] {
            for form in [SortForm::OutOfPlace, SortForm::InPlace, SortForm::DoubleBuffer] {
                turn += 1;
                let sort = Sort { form, ..with_payload(sort(dtype, &offsets, 0), turn) };
                let keys = Keys::Few.values(dtype, sort.shape[0], 3);
                let places = reference::sort_segment_places(&keys, &offsets, &SortOptions::default())?;
                // The recording compares positions through the whole array.
                let places = Some(&places[..]).filter(|_| sort.payload != Payload::Positions);
                recorded(context, &pipelines, &sort, &keys, Told { count: None, offsets: Some(&offsets) }, places)?;
                let wrong: Vec<u32> = offsets.iter().rev().map(|offset| offset.wrapping_mul(0x9e37_79b9)).collect();
                recorded(context, &pipelines, &sort, &keys, Told { count: None, offsets: Some(&wrong) }, None)?;
            }
        }
    }
    Ok(())
}

fn repeats(context: &Context) -> Result<(), Failed> {
    // One digit, as there are 50 runs of every kind of segment.
    let offsets = offsets(0, [10, 3000, 66_000, 0, 7]);
    let sort = sort(DType::U8, &offsets, 0).with_positions();
    let keys = tensor(sort.dtype, &sort.shape, &Keys::Few.values(sort.dtype, sort.shape[0], 8))?;
    let told = Tensor::from_slice(&offsets, &[offsets.len()])?;
    let first = context.sort_in_segments(&sort, &keys, None, &told)?.tensor;
    for run in 1..50 {
        let again = context.sort_in_segments(&sort, &keys, None, &told)?.tensor;
        ensure(again == first, || format!("run {run} has other bits"))?;
    }
    Ok(())
}

fn refusals(context: &Context) -> Result<(), Failed> {
    let keys = Tensor::from_slice(&[3u32, 1, 2], &[3])?;
    let sort = Sort::new(DType::U32, &[3]).in_segments(1);
    let told = |offsets: &[u32]| Tensor::from_slice(offsets, &[offsets.len()]);
    for offsets in [&[0, 4][..], &[2, 1], &[0, 1, 2], &[]] {
        let error = context.sort_in_segments(&sort, &keys, None, &told(offsets)?).err();
        ensure(matches!(error, Some(Error::Offsets { .. } | Error::InputMismatch { .. })), || format!("{offsets:?}: {error:?}"))?;
    }
    let error = context.sort(&sort, &keys, None).err();
    ensure(matches!(&error, Some(Error::BindingTooSmall { binding: "offsets", .. })), || format!("{error:?}"))?;
    let error = sort.counted().plan(context.device(), None).err();
    ensure(error == Some(Error::SortCounted), || format!("{error:?}"))
}
