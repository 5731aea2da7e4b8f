//! Schedules of selections, partitions and runs, in rows and not, on every profile and on devices narrower than any: legal, every element moved once in every
//! part of the output that it may go to, and every row's count left once.

use wavelane_device::{Capabilities, quirks_of};

use super::planner::SCRATCH;
use super::{Condition, MaskForm, Partition, Select, Unique};
use crate::schedule::{BufferUse, Schedule, StepAction, legal};
use crate::shaders::compact as shaders;
use crate::{DType, Error, Kernel, Path, ScanStrategy};

const STAGE_REDUCE: u32 = 0;
const OPTION_PARTITION: u32 = 2;
const OPTION_RANKS: u32 = 32;

fn devices() -> Vec<Capabilities> {
    legal::devices(&[
        |device| device.limits.max_storage_buffer_range = 12 << 10,
        |device| {
            device.limits.max_storage_buffer_range = 1 << 15;
            device.limits.min_storage_buffer_offset_alignment = 1024;
        },
        |device| device.limits.max_compute_work_group_count = [7, 65_535, 65_535],
        |device| device.limits.max_compute_shared_memory_size = 4096,
    ])
}

const MOST: usize = u32::MAX as usize;

/// Bytes that one descriptor reaches on some devices, where the end of the last tile is no number of 32 bits.
const LONG: usize = MOST - 19;

/// Elements, and the length of a row; 2^32 - 1 is 65537 times 65535.
const ARRAYS: [(usize, Option<usize>); 12] = [
    (0, Some(0)),
    (0, Some(7)),
    (1, Some(1)),
    (20_000, None),
    (20_000, Some(10)),
    (20_000, Some(20_000)),
    (2_000_000, Some(1)),
    (10_000_003, None),
    (LONG, None),
    (MOST, None),
    (MOST, Some(65_537)),
    (MOST, Some(MOST)),
];

const STRATEGIES: [Option<ScanStrategy>; 3] = [None, Some(ScanStrategy::ReduceThenScan), Some(ScanStrategy::SinglePass)];

/// What a schedule may be refused for.
fn is_right(error: &Error, device: &Capabilities, len: usize) -> bool {
    match error {
        Error::PathUnavailable { .. } | Error::StrategyUnavailable { .. } => true,
        // An array in more pieces than dispatches are recorded for, or more rows than a short binding counts.
        Error::Unplannable { .. } => len >= LONG || device.limits.max_storage_buffer_range < 1 << 20,
        _ => false,
    }
}

#[test]
fn schedules_are_legal_and_cover_every_element_and_row() {
    let mut planned = 0;
    for device in devices() {
        let quirks = quirks_of(&device);
        // An array of many pieces has as many parts of the output for each, and that is one schedule like another, only longer.
        let longest = if device.limits.max_storage_buffer_range < 1 << 20 { 20_000 } else { MOST };
        for (len, row_length) in ARRAYS.into_iter().filter(|(len, _)| *len <= longest) {
            for strategy in STRATEGIES {
                for dtype in [DType::U8, DType::F16, DType::U32, DType::F64].into_iter().filter(|&dtype| len < LONG || dtype == DType::U8) {
                    let condition = Condition::Mask(if strategy.is_none() { MaskForm::Words } else { MaskForm::Bytes });
                    let counted = strategy.is_some();
                    let select = Select { strategy, row_length, counted, ..Select::new(condition, dtype, len) };
                    let partition = Partition { strategy, row_length, counted, ..Partition::new(condition, dtype, len) };
                    let runs = Unique { strategy, row_length, counted, first: counted, counts: true, ..Unique::runs(dtype, len) };
                    let path = Some(Path::SharedMemory);
                    let schedules = [(select.schedule(&device, &quirks, path), false), (partition.schedule(&device, &quirks, path), true)];
                    let others = || [select.clone().positions().schedule(&device, &quirks, path), runs.schedule(&device, &quirks, path)];
                    let others = (len < LONG).then(others).into_iter().flatten().map(|schedule| (schedule, false));
                    for (schedule, parts) in schedules.into_iter().chain(others) {
                        let label = || format!("{len} {dtype} in rows of {row_length:?}, {strategy:?}, on {}", device.device_name);
                        match schedule {
                            Ok(schedule) => {
                                legal::check(&schedule, &device);
                                covers(&schedule, len as u64, row_length, parts, &label());
                                planned += 1;
                            }
                            Err(error) => assert!(is_right(&error, &device, len), "{}: {error}", label()),
                        }
                    }
                }
            }
        }
    }
    assert!(planned > 2000, "only {planned} were planned");
}

/// That elements that a partition moves meet every result of their row, that each row's count is left by one dispatch, and that these fill scratch to its end.
fn covers(schedule: &Schedule, len: u64, row_length: Option<usize>, parts: bool, label: &str) {
    let (mut ranked, mut results) = (0, 0);
    let mut ranks = None;
    let tiles = schedule.dispatches().filter(|dispatch| ["compact.select", "compact.runs"].contains(&dispatch.kernel));
    for dispatch in tiles {
        // Those of `compact.runs` are the same.
        let push: shaders::select::PushConstants = bytemuck::pod_read_unaligned(&dispatch.push);
        let per_load = if dispatch.module.starts_with("w64") {
            2
        } else if dispatch.module.starts_with("w32") {
            4
        } else {
            8
        };
        let tile = 4 * per_load * u64::from(schedule.choice.workgroup_size);
        assert!(u64::from(push.tiles) * tile < 1 << 32, "{label}: elements beyond the last wrap around");
        let constants = |id: u32| dispatch.constants.iter().find(|(known, _)| *known == id).map(|&(_, value)| value);
        assert_eq!(constants(5), Some(u32::from(row_length.is_some())), "{label}");
        assert_eq!(u64::from(push.row_length), row_length.unwrap_or(0) as u64, "{label}");
        if push.options & OPTION_RANKS != 0 {
            assert_ne!(constants(1), Some(STAGE_REDUCE), "{label}: counts before they are known");
            assert_eq!(u64::from(push.first), ranked, "{label}: {}", schedule.explain());
            ranked += u64::from(push.elements);
            let scratch = dispatch.bindings[2].1.offset;
            ranks = Some(scratch + 4 * u64::from(push.row_ranks));
        }
        if push.options & OPTION_PARTITION != 0 && constants(1) != Some(STAGE_REDUCE) {
            let (first, end) = (u64::from(push.first), u64::from(push.first) + u64::from(push.elements));
            // The results that the elements' rows have in this part of the output.
            let (begin, behind) = match row_length.map(|length| length as u64) {
                Some(length) => (first / length * length, end.div_ceil(length) * length),
                None => (0, len),
            };
            let window = u64::from(push.window_first).max(begin)..u64::from(push.window_end).min(behind);
            results += window.end.saturating_sub(window.start) * u64::from(push.elements);
            assert!(!window.is_empty(), "{label}: a dispatch without results");
        }
    }
    if let (true, Some(length)) = (parts, row_length.map(|length| length as u64).filter(|_| len > 0)) {
        let pieces: u64 = pieces(schedule)
            .into_iter()
            .map(|(first, count)| {
                let (begin, behind) = (first / length * length, (first + count).div_ceil(length) * length);
                (behind - begin) * count
            })
            .sum();
        assert_eq!(results, pieces, "{label}: {}", schedule.explain());
    }
    let Some(rows) = row_length.map(|length| len.checked_div(length as u64).unwrap_or(0)) else {
        return assert_eq!(ranked, 0, "{label}");
    };
    assert_eq!(ranked, len, "{label}: {}", schedule.explain());
    let offsets = schedule.buffers.iter().position(|need| need.name == "offsets").unwrap_or_else(|| panic!("{label}: no offsets"));
    assert_eq!((schedule.buffers[offsets].bytes, schedule.buffers[offsets].usage), (4 * (rows + 1), BufferUse::Output), "{label}");
    let written = schedule.steps.iter().find_map(|step| match step.action {
        StepAction::Copy { from, from_offset, to, range } if to == offsets => Some((from, Some(from_offset), range.size)),
        StepAction::Fill { buffer, range, word: 0 } if buffer == offsets => Some((SCRATCH, None, range.size)),
        _ => None,
    });
    assert_eq!(written, Some((SCRATCH, ranks, 4 * (rows + 1))), "{label}");
    if let Some(ranks) = ranks {
        assert_eq!(ranks + 4 * (rows + 1), schedule.scratch_bytes(), "{label}");
    }
}

/// The elements that the dispatches which leave counts are given.
fn pieces(schedule: &Schedule) -> Vec<(u64, u64)> {
    let pushed = schedule.dispatches().map(|dispatch| bytemuck::pod_read_unaligned::<shaders::select::PushConstants>(&dispatch.push));
    let ranking = pushed.filter(|push| push.options & OPTION_RANKS != 0);
    ranking.map(|push| (u64::from(push.first), u64::from(push.elements))).collect()
}
