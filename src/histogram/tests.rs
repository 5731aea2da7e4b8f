//! Schedules of histograms, on every profile and on devices narrower than any: legal, and every element counted once in each bin.

use wavelane_device::{Capabilities, Profile, quirks_of};

use super::{Bins, Histogram, HistogramStrategy};
use crate::schedule::{Schedule, StepAction, legal};
use crate::shaders::histogram::count::PushConstants;
use crate::{DType, Error, Kernel, Path};

fn devices() -> Vec<Capabilities> {
    legal::devices(&[
        |device| device.limits.max_storage_buffer_range = 12 << 10,
        |device| {
            device.limits.max_storage_buffer_range = 1 << 15;
            device.limits.min_storage_buffer_offset_alignment = 256;
        },
        |device| device.limits.max_compute_work_group_count = [7, 65_535, 2],
        |device| device.limits.max_compute_work_group_count = [7, 3, 2],
        |device| device.limits.max_compute_work_group_invocations = 1,
        |device| device.limits.max_compute_shared_memory_size = 2048,
    ])
}

fn histograms() -> Vec<Histogram> {
    let values = |bins| Bins::Values { bins };
    let plain = vec![
        Histogram::new(DType::U8, values(256), 0),
        Histogram::new(DType::U8, values(1), 1),
        Histogram::new(DType::U8, values(256), 20_011),
        Histogram::new(DType::U32, values(3000), 20_011),
        Histogram::new(DType::F16, Bins::Even { bins: 300, low: -1.0, high: 1.0 }, 70_001),
        Histogram::new(DType::F32, Bins::Even { bins: 9000, low: 0.0, high: 1.0 }, 30_001),
        Histogram::new(DType::F64, Bins::Edges(vec![0.0, 0.5, 7.0]), 4099),
        Histogram::new(DType::U32, values(1 << 15), 30_001),
        Histogram::new(DType::U8, Bins::Even { bins: 5, low: 300.0, high: 400.0 }, 100),
        Histogram::of_image(DType::U8, values(256), 100, 161, 4).first_channels(3).with_pitch(700),
        Histogram::of_rows(DType::U16, values(100), 300, 77),
        Histogram::of_rows(DType::U16, values(100), 3, 70_001).with_pitch(70_013),
        Histogram::of_rows(DType::U16, values(100), 0, 5),
        Histogram::of_rows(DType::U16, values(100), 5, 0),
    ];
    let mut all = vec![Histogram::new(DType::U8, values(256), u32::MAX as usize)];
    for histogram in plain {
        for strategy in [None, Some(HistogramStrategy::SharedMemory), Some(HistogramStrategy::Results)] {
            for (weights, wide) in [(None, false), (Some(DType::I32), false), (Some(DType::F32), false), (Some(DType::U32), true)] {
                let counted = strategy.is_some() && wide;
                all.push(Histogram { strategy, weights, wide, counted, ..histogram.clone() });
            }
        }
    }
    all
}

#[test]
fn schedules_are_legal_and_count_every_element_once() {
    let mut planned = 0;
    for device in devices() {
        for histogram in histograms() {
            let schedule = match histogram.schedule(&device, &quirks_of(&device), None) {
                Ok(schedule) => schedule,
                // Descriptors of a few kilobytes do not reach across many bins.
                Err(Error::Unplannable { .. } | Error::TooManyBins { .. }) if device.limits.max_storage_buffer_range < 1 << 20 => continue,
                // Nor do 21 workgroups at a time get through 2^32 elements in a bearable number of dispatches, or one invocation a workgroup.
                Err(Error::Unplannable { .. }) if histogram.width > 1 << 24 => continue,
                Err(error) => panic!("{histogram:?} on {}: {error}", device.device_name),
            };
            legal::check(&schedule, &device);
            covers(&histogram, &schedule);
            planned += 1;
        }
    }
    assert!(planned > 2000, "only {planned} were planned");
}

/// As many bins as the words of one descriptor tell of, and no more.
#[test]
fn the_most_bins_are_said() -> Result<(), Error> {
    let mut device = wavelane_device::Profile::named("minimal").expect("the least device").capabilities;
    device.limits.max_storage_buffer_range = 1 << 16;
    let of = |bins: u64| {
        let bins = Bins::Even { bins: bins as usize, low: 0.0, high: 1.0 };
        Histogram::new(DType::F64, bins, 4).schedule(&device, &[], None).map(drop)
    };
    let Err(Error::TooManyBins { limit }) = of(10_000) else { panic!("10000 bins of 8 bytes in 64 KiB") };
    assert!((8000..=8192).contains(&limit), "{limit}");
    of(limit)?;
    assert!(matches!(of(limit + 1), Err(Error::TooManyBins { .. })));
    Ok(())
}

/// That the workgroups of each pass and each part of the results have every element once.
fn covers(histogram: &Histogram, schedule: &Schedule) {
    let label = || format!("{histogram:?} on {}", schedule.device);
    let dispatches: Vec<_> = schedule.dispatches().filter(|dispatch| dispatch.kernel == "histogram.count").collect();
    let pushes: Vec<PushConstants> = dispatches.iter().map(|dispatch| bytemuck::pod_read_unaligned(&dispatch.push)).collect();
    let counts = histogram.width > 0 && histogram.rows > 0 && histogram.bins != Bins::Even { bins: 5, low: 300.0, high: 400.0 };
    assert_eq!(!pushes.is_empty(), counts, "{}", label());
    let mut rounds: Vec<[u32; 4]> =
        pushes.iter().map(|push| [push.window_first, push.window_end, push.bins_first, push.bins_end]).collect();
    rounds.sort_unstable();
    rounds.dedup();
    let bins: usize = histogram.result_shape().iter().product();
    let area: u64 = rounds.iter().map(|[a, b, c, d]| u64::from(b - a) * u64::from(d - c)).sum();
    let segment_bins = bins / if histogram.each_row { histogram.rows.max(1) } else { 1 };
    assert!(!counts || area == bins as u64 * segment_bins as u64, "{}: {rounds:?}", label());
    // All rounds are made in the same way.
    let ends = [rounds.first(), rounds.last()];
    for round in ends.into_iter().flatten().copied() {
        let mut ranges = Vec::new();
        for (push, dispatch) in pushes.iter().zip(&dispatches) {
            if [push.window_first, push.window_end, push.bins_first, push.bins_end] != round {
                continue;
            }
            let groups: u64 = dispatch.groups.iter().map(|&count| u64::from(count)).product();
            assert!(groups >= u64::from(push.groups), "{}", label());
            assert!(
                push.bins_end - push.bins_first <= dispatch.shared_bytes || histogram.strategy != Some(HistogramStrategy::SharedMemory)
            );
            for group in 0..push.groups {
                let (segment, part) = (u64::from(push.segment_first + group / push.parts), u64::from(group % push.parts));
                let offset = part * u64::from(push.part_length);
                let begin = u64::from(push.origin) + segment * u64::from(push.segment_pitch) + offset;
                let length = u64::from(push.part_length).min(u64::from(push.segment_length) - offset);
                let (first, end) = (u64::from(push.first), u64::from(push.first) + u64::from(push.elements));
                let loads = length.div_ceil(u64::from(schedule.choice.workgroup_size)).div_ceil(2);
                assert!(loads <= 65_535, "{}: {loads} wide loads", label());
                let (begin, end) = (begin.max(first), (begin + length).min(end));
                if begin < end {
                    ranges.push((begin, end));
                }
            }
        }
        ranges.sort_unstable();
        assert!(ranges.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{}: elements twice", label());
        let seen: u64 = ranges.iter().map(|(begin, end)| end - begin).sum();
        let row = histogram.width * histogram.channels;
        let span = (histogram.rows - 1) * histogram.pitch + row;
        // Rows with a histogram each leave out what is between them.
        assert_eq!(seen, if histogram.each_row { histogram.rows * row } else { span } as u64, "{}", label());
    }
}

#[test]
fn results_are_cleared_and_scratch_is_as_stated() -> Result<(), Error> {
    let device = Profile::named("minimal").map_err(Error::Device)?.capabilities;
    let schedule = |histogram: Histogram| histogram.schedule(&device, &[], None);
    let plain = schedule(Histogram::new(DType::U8, Bins::Values { bins: 256 }, 1000))?;
    assert!(matches!(plain.steps[0].action, StepAction::Fill { buffer: 1, word: 0, .. }));
    assert_eq!((plain.steps.len(), plain.barriers(), plain.scratch_bytes()), (2, 1, 0));
    let sums = schedule(Histogram::new(DType::U8, Bins::Values { bins: 256 }, 1000).weighted(DType::F32))?;
    assert_eq!((sums.dispatches().count(), sums.scratch_bytes()), (2, 11 * 4 * 256));
    let edges = Bins::Edges((0..100).map(f64::from).collect());
    let counted = schedule(Histogram::new(DType::F32, edges, 1000).counted())?;
    assert_eq!((counted.scratch_bytes(), counted.bytes_of("lookup"), counted.bytes_of("count")), (16 + 4 * 99, 4 * 99, 4));
    // Nothing is counted where there is nothing, and nothing has to be bound for it.
    let empty = schedule(Histogram::new(DType::U8, Bins::Values { bins: 256 }, 0).counted())?;
    assert_eq!((empty.dispatches().count(), empty.bytes_of("count"), empty.bytes_of("output")), (0, 0, 1024));
    Ok(())
}

#[test]
fn scratch_is_as_stated_of_every_type() -> Result<(), Error> {
    for device in legal::devices(&[]) {
        for dtype in DType::ALL {
            for bins in [1, 10, 1000] {
                let even = Bins::Even { bins, low: 0.0, high: 1024.0 };
                for len in [1, 1000, 1 << 22] {
                    let plain = Histogram::new(dtype, even.clone(), len);
                    let rows = Histogram::of_rows(dtype, even.clone(), 3, len);
                    let lookup = 4 * plain.lookup_words()?.len() as u64;
                    let exact = 44 * bins as u64;
                    for (histogram, stated) in [
                        (plain.clone(), 0),
                        (plain.clone().weighted(DType::F32), exact),
                        (rows.clone(), 0),
                        (rows.weighted(DType::F32), 3 * exact),
                        (plain.clone().counted(), 16 + lookup),
                    ] {
                        let got = histogram.schedule(&device, &[], None)?.scratch_bytes();
                        assert_eq!(got, stated, "{histogram:?} on {}", device.shown_name());
                    }
                }
            }
        }
    }
    Ok(())
}

#[test]
fn strategies_follow_from_the_number_of_bins() -> Result<(), Error> {
    let device = Profile::named("minimal").map_err(Error::Device)?.capabilities;
    let strategy = |bins: usize| -> Result<String, Error> {
        Ok(Histogram::new(DType::U32, Bins::Values { bins }, 1 << 20).schedule(&device, &[], Some(Path::Subgroup))?.strategy)
    };
    assert!(strategy(16)?.contains("in shared memory, 32 of each"), "{}", strategy(16)?);
    assert!(strategy(256)?.contains("of each bin, bins by shift"), "{}", strategy(256)?);
    assert!(strategy(1 << 20)?.starts_with("counted in the results"), "{}", strategy(1 << 20)?);
    let forced = Histogram::new(DType::U32, Bins::Values { bins: 1 << 20 }, 1 << 20).with_strategy(HistogramStrategy::SharedMemory);
    assert!(forced.schedule(&device, &[], None)?.strategy.contains("passes"));
    Ok(())
}

#[test]
fn what_cannot_be_is_an_error() -> Result<(), Error> {
    let device = Profile::named("minimal").map_err(Error::Device)?.capabilities;
    let refused = |histogram: Histogram, text: &str| {
        let said = histogram.schedule(&device, &[], None).map_err(|error| (error.to_string(), error.advice()));
        assert!(said.as_ref().is_err_and(|(said, advice)| said.contains(text) && !advice.is_empty()), "{said:?}, and not {text}");
    };
    let values = |bins| Bins::Values { bins };
    let image = Histogram::of_image(DType::U8, values(256), 4, 10, 3);
    refused(image.clone().first_channels(4), "4 of 3 channels were to be counted");
    refused(image.clone().first_channels(0), "0 of 3 channels");
    refused(image.clone().with_pitch(29), "rows of 30 elements were said to begin 29 elements apart");
    refused(image.clone().weighted(DType::F64), "weights of f64 are not summed");
    refused(Histogram::of_image(DType::U8, values(256), 1 << 16, 1 << 16, 1), "has 4294967296 elements");
    refused(Histogram::of_image(DType::U8, values(256), usize::MAX, usize::MAX, 3), "more than 2^64 elements");
    refused(Histogram::of_rows(DType::U8, values(1 << 16), 1 << 16, 1), "more than 4294967295 bins");
    refused(Histogram::new(DType::F32, values(3), 1), "bins by value are of integers");
    refused(Histogram::new(DType::U8, values(0), 1), "a histogram of 0 bins");
    Ok(())
}
