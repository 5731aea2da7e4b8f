//! Where a device's limits end and the work does not; and lengths that the device counts.

use libtest_mimic::Failed;
use wavelane::device::{Buffer, BufferDescription, Capabilities, MemoryUse};
use wavelane::record::{Access, BufferBarrier, BufferRange, Recorder};
use wavelane::{DType, Kernel, Path, ScanOp, SegmentSource, SegmentedScan, SegmentedScanBindings};

use super::check::{Checked, Source, check};
use super::data::{Pattern, values};
use super::harness::gpu::{ensure, lowered};
use super::harness::{Case, every, narrowed};
use super::segments::Division;
use super::{SOURCES, context};

pub fn cases() -> Vec<Case> {
    let mut cases = narrowed(vec![
        Case::new("limits::storage_range_of_16_kib", |_| narrow(|capabilities| capabilities.limits.max_storage_buffer_range = 1 << 14)),
        Case::new("limits::offsets_of_1_kib", |_| {
            narrow(|capabilities| {
                capabilities.limits.max_storage_buffer_range = 1 << 15;
                capabilities.limits.min_storage_buffer_offset_alignment = 1024;
            })
        }),
        Case::new("limits::7_workgroups_in_x", |_| {
            narrow(|capabilities| capabilities.limits.max_compute_work_group_count = [7, 65_535, 1])
        }),
        Case::new("limits::workgroups_of_32", |_| narrow(|capabilities| capabilities.limits.max_compute_work_group_invocations = 32)),
    ]);
    cases.push(Case::new("counted", |_| counted()));
    cases
}

/// The driver's device with a limit lowered further than any real one, so that small arrays meet it.
fn narrow(lower: fn(&mut Capabilities)) -> Result<(), Failed> {
    let profile = lowered(lower)?;
    for (side, path) in [Path::SharedMemory, Path::Shuffle].into_iter().enumerate() {
        let context = context(Some(path), Some(profile.clone()))?;
        // f16 has results wider than its elements.
        for (number, (op, dtype)) in
            [(ScanOp::Sum, DType::U32), (ScanOp::Max, DType::F16), (ScanOp::Xor, DType::U64)].into_iter().enumerate()
        {
            for (turn, source) in SOURCES.into_iter().enumerate() {
                // Each by one path or the other: pipelines are what costs time.
                if !(number + turn + side).is_multiple_of(2) && !every() {
                    continue;
                }
                for division in [Division::Random, Division::Even(1000), Division::Huge] {
                    let scan = SegmentedScan { reverse: turn % 2 == 0, ..SegmentedScan::new(op, dtype, 30_011, source.described(0)) };
                    let values = values(dtype, 30_011, Pattern::Random, false, 11);
                    let checked = check(&context, &scan, source, &values, &division.offsets(30_011, 3))?;
                    ensure(checked == Checked::Equal || dtype.size() == 8, || format!("{scan:?} did not run"))?;
                }
            }
        }
    }
    Ok(())
}

/// Lengths that stand in a buffer, also one longer than planned for.
fn counted() -> Result<(), Failed> {
    const MOST: usize = 20_011;
    let context = context(None, None)?;
    let device = context.device();
    for (source, division) in [
        (Source::Flags, Division::Random),
        (Source::Keys(DType::U32), Division::Random),
        (Source::Offsets, Division::Random),
        (Source::Length(1000), Division::Even(1000)),
    ] {
        let offsets = division.offsets(MOST, 9);
        for reverse in [false, true] {
            let scan =
                SegmentedScan { reverse, ..SegmentedScan::new(ScanOp::Sum, DType::U32, MOST, source.described(offsets.len())).counted() };
            let plan = scan.plan(device, None)?;
            let buffer = |name: &'static str| -> Result<Buffer, Failed> {
                let size = plan.schedule().bytes_of(name).max(4);
                Ok(Buffer::new(device, &BufferDescription { size, memory: MemoryUse::Shared, name })?)
            };
            let (input, output, scratch, count) = (buffer("input")?, buffer("output")?, buffer("scratch")?, buffer("count")?);
            let told = match scan.segments {
                SegmentSource::Flags => buffer("flags")?,
                SegmentSource::Keys(_) => buffer("keys")?,
                SegmentSource::Offsets(_) => buffer("offsets")?,
                // There is none, and what is handed over is not looked at.
                SegmentSource::Length(_) => buffer("nothing")?,
            };
            let elements: Vec<u32> = (0..MOST as u32).map(|at| at.wrapping_mul(2_654_435_761)).collect();
            input.write(0, bytemuck::cast_slice(&elements))?;
            told.write(0, source.tensor(&offsets, MOST)?.as_ref().map_or(&[][..], wavelane::Tensor::bytes))?;
            for live in [0, 1, 3, 2048, 12_345, MOST, MOST + 5] {
                output.write(0, &[0xee; 4 * MOST])?;
                count.write(0, &(live as u32).to_ne_bytes())?;
                let mut recorder = Recorder::new(device)?;
                let [input, written, segments, scratch, count] = [&input, &output, &told, &scratch, &count].map(BufferRange::whole);
                let bindings = SegmentedScanBindings {
                    input: Some(input),
                    output: written,
                    segments: Some(segments),
                    scratch: Some(scratch),
                    count: Some(count),
                };
                plan.record(&mut recorder, &bindings)?;
                recorder.barrier(&[BufferBarrier::new(written, Access::ComputeWrite, Access::HostRead)])?;
                recorder.submit()?.wait(std::time::Duration::from_secs(60))?;
                let mut got = vec![0u32; MOST];
                output.read(0, bytemuck::cast_slice_mut(&mut got))?;
                let live = live.min(MOST);
                let mut want = vec![0xeeee_eeee_u32; MOST];
                let begins: Vec<usize> = std::iter::once(0).chain(offsets.iter().map(|&at| at as usize)).chain([live]).collect();
                for pair in begins.windows(2).filter(|pair| pair[0] < live) {
                    let range = pair[0]..pair[1].min(live);
                    let mut sum = 0u32;
                    let mut step = |at: usize| {
                        sum = sum.wrapping_add(elements[at]);
                        want[at] = sum;
                    };
                    if reverse { range.rev().for_each(&mut step) } else { range.for_each(&mut step) }
                }
                let differ = (0..MOST).find(|&at| got[at] != want[at]);
                ensure(differ.is_none(), || format!("{source:?}, reverse {reverse}, {live} of {MOST}: result {differ:?} is wrong"))?;
            }
        }
    }
    Ok(())
}
