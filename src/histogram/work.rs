//! The schedule of a histogram: `glsl/histogram/count.comp` on the pieces of the input that descriptors reach, once for each pass and each part of the results.

use wavelane_device::{Capabilities, Quirk};

use super::Histogram;
use super::geometry::Geometry;
use super::lookup::Lookup;
use super::strategy::{HistogramStrategy, Place};
use crate::dtype::per_wide_load;
use crate::elementwise::{Elementwise, array_bytes, piece_range};
use crate::schedule::{BufferUse, COUNT_BYTES, Place as At, Schedule, ScheduleParts, StepAction, StepRange, dispatch};
use crate::split::{Split, blocks};
use crate::{DType, Error, Path, Tuning};

/// The schedule's buffers, in their order.
pub(super) const INPUT: usize = 0;
pub(super) const OUTPUT: usize = 1;
pub(super) const SCRATCH: usize = 2;
pub(super) const COUNT: usize = 3;
pub(super) const LOOKUP: usize = 4;
pub(super) const WEIGHTS: usize = 5;

/// Words of an exact sum (`SUM_SIZE`).
const SUM_WORDS: u64 = 11;

/// Words in front of the lookup where the device counts: a wide load.
const HEADER_WORDS: u64 = 4;

/// Wide loads that an invocation has under way (`UNROLL`).
const UNROLL: u64 = 4;

/// The most wide loads of an invocation. Software drivers end the loops of an invocation after 65535 turns of all of them together; an element of which a bin is
/// searched takes some twenty, and one more for each word of an exact sum.
const MOST_LOADS: u64 = 256;
const MOST_LOADS_EXACT: u64 = 128;

/// The most dispatches.
const MOST_DISPATCHES: u64 = 1 << 15;

/// What is added to a bin (`WEIGHTS_*`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Weights {
    None = 0,
    Words = 1,
    Unsigned = 2,
    Signed = 3,
    Float = 4,
}

impl Weights {
    fn of(histogram: &Histogram) -> Result<Self, Error> {
        match histogram.weights {
            None => Ok(Self::None),
            Some(DType::U32) if histogram.wide => Ok(Self::Unsigned),
            Some(DType::I32) if histogram.wide => Ok(Self::Signed),
            Some(DType::U32 | DType::I32) => Ok(Self::Words),
            Some(DType::F32) => Ok(Self::Float),
            Some(dtype) => Err(Error::WeightType { dtype }),
        }
    }

    fn is_exact(self) -> bool {
        matches!(self, Self::Unsigned | Self::Signed | Self::Float)
    }
}

/// A schedule in the making.
struct Work<'a> {
    histogram: &'a Histogram,
    device: Elementwise<'a>,
    geometry: Geometry,
    place: Place,
    weights: Weights,
    counted: bool,
    fill_workgroups: u64,
    actions: Vec<StepAction>,
    scratch_bytes: u64,
    /// How often elements are read.
    reads: u64,
}

pub(super) fn schedule(
    histogram: &Histogram,
    capabilities: &Capabilities,
    quirks: &[&'static Quirk],
    tuning: &Tuning,
    path: Option<Path>,
) -> Result<Schedule, Error> {
    let geometry = Geometry::of(histogram)?;
    let weights = Weights::of(histogram)?;
    let lookup = Lookup::of(&histogram.bins, histogram.dtype)?;
    let device = Elementwise::because(
        "invocations meet in atomics on shared memory, whatever their subgroup, so there is one path",
        capabilities,
        tuning,
        path,
    );
    let bin_words = if weights.is_exact() { SUM_WORDS } else { 1 };
    let place = Place::of(&geometry, bin_words, histogram.strategy, (capabilities, quirks, tuning));
    let counted = histogram.counted && geometry.span > 0;
    let mut work = Work {
        histogram,
        device,
        geometry,
        place,
        weights,
        counted,
        fill_workgroups: tuning.fill_workgroups.into(),
        actions: Vec::new(),
        scratch_bytes: 0,
        reads: 0,
    };
    work.record(lookup.as_ref())?;
    work.finish(lookup.as_ref())
}

impl Work<'_> {
    /// So many bytes of scratch, beginning where a binding may.
    fn take_scratch(&mut self, bytes: u64) -> At {
        let offset = self.scratch_bytes.next_multiple_of(self.device.limits.alignment());
        self.scratch_bytes = offset + bytes.next_multiple_of(4);
        At { buffer: SCRATCH, offset }
    }

    fn result_bytes(&self) -> u64 {
        self.geometry.bins() * self.histogram.result_dtype().size()
    }

    fn record(&mut self, lookup: Option<&Lookup>) -> Result<(), Error> {
        if self.result_bytes() == 0 {
            return Ok(());
        }
        let Some(lookup) = lookup.filter(|_| self.geometry.span > 0) else {
            self.clear(At::start(OUTPUT), self.result_bytes());
            return Ok(());
        };
        let found = self.lookup(lookup);
        if !self.weights.is_exact() {
            self.clear(At::start(OUTPUT), self.result_bytes());
            return self.count(lookup, found, (At::start(OUTPUT), 4));
        }
        let bytes = 4 * SUM_WORDS * self.geometry.bins();
        let sums = self.take_scratch(bytes);
        self.clear(sums, bytes);
        self.count(lookup, found, (sums, 4 * SUM_WORDS))?;
        self.round(sums)
    }

    fn clear(&mut self, at: At, bytes: u64) {
        let range = StepRange { offset: at.offset, size: bytes };
        self.actions.push(StepAction::Fill { buffer: at.buffer, range, word: 0 });
    }

    /// What is bound as the lookup, and at which of its words that begins. Where the device counts, it stands behind the count in scratch.
    fn lookup(&mut self, lookup: &Lookup) -> Option<((usize, StepRange), u32)> {
        let bytes = 4 * lookup.words.len() as u64;
        let whole = StepRange::first(bytes);
        if !self.counted {
            return (bytes > 0).then_some(((LOOKUP, whole), 0));
        }
        let at = self.take_scratch(4 * HEADER_WORDS + bytes);
        let copy = |from, to, size| StepAction::Copy { from, from_offset: 0, to: SCRATCH, range: StepRange { offset: to, size } };
        self.actions.push(copy(COUNT, at.offset, COUNT_BYTES));
        if bytes > 0 {
            self.actions.push(copy(LOOKUP, at.offset + 4 * HEADER_WORDS, bytes));
        }
        Some((at.bytes(StepRange::first(4 * HEADER_WORDS + bytes)), HEADER_WORDS as u32))
    }

    /// Adds all elements to bins of `size` bytes each at `results`.
    fn count(&mut self, lookup: &Lookup, found: Option<((usize, StepRange), u32)>, (results, size): (At, u64)) -> Result<(), Error> {
        let Geometry { span, row_length, row_pitch, segments, segment_length, segment_bins } = self.geometry;
        let (dtype, limits) = (self.histogram.dtype, self.device.limits);
        let per_load = per_wide_load(dtype.size());
        let loads = if self.weights.is_exact() { MOST_LOADS_EXACT } else { MOST_LOADS };
        let widest = if self.weights == Weights::None { dtype.size() } else { dtype.size().max(4) };
        let pieces: Vec<(u64, u64)> = self.device.pieces("a histogram", span, widest, loads * per_load)?.collect();
        let windows: Vec<(u64, u64)> = blocks(self.geometry.bins(), self.window(size)?).collect();
        let passes: Vec<(u64, u64)> = blocks(segment_bins, self.place.pass_bins).collect();
        let rounds = (windows.len() * passes.len()) as u64;
        if rounds * pieces.len() as u64 > MOST_DISPATCHES {
            let limit = format!("maxStorageBufferRange is {}", limits.capabilities.limits.max_storage_buffer_range);
            let what = format!(
                "a histogram of {} bins and {} pieces of elements in {} dispatches",
                self.geometry.bins(),
                pieces.len(),
                rounds * pieces.len() as u64
            );
            return Err(limits.unplannable(what, limit));
        }
        self.reads = rounds;
        for &(first, count) in &pieces {
            let input = (INPUT, piece_range(first, count, dtype.size()));
            let weights = if self.weights == Weights::None { input } else { (WEIGHTS, piece_range(first, count, 4)) };
            for (&(window, window_bins), &(pass, pass_bins)) in
                windows.iter().flat_map(|window| passes.iter().map(move |pass| (window, pass)))
            {
                let results = results.bytes(StepRange { offset: window * size, size: window_bins * size });
                for part in self.parts(first, count, loads * per_load)? {
                    let groups = limits.fold(part.groups)?;
                    self.actions.push(dispatch!(
                        histogram::count,
                        format!("w{}", dtype.bits()),
                        shader::SpecializationConstants {
                            workgroup_size: self.device.choice.workgroup_size,
                            shared_words: self.place.words as u32,
                            find: lookup.find as u32,
                            weights: self.weights as u32,
                            kind: kind(dtype),
                            rows: u32::from(row_pitch > row_length || self.histogram.channels > 1),
                            shares: u32::from(self.place.strategy == HistogramStrategy::SharedMemory),
                        },
                        shader::PushConstants {
                            elements: count as u32,
                            first: first as u32,
                            origin: if segments == 1 { first as u32 } else { 0 },
                            segment_first: part.segment as u32,
                            segment_pitch: if segments == 1 { 0 } else { row_pitch as u32 },
                            segment_length: if segments == 1 { count as u32 } else { segment_length as u32 },
                            parts: part.split.parts as u32,
                            part_length: part.split.length as u32,
                            groups: part.groups as u32,
                            row_pitch: row_pitch as u32,
                            row_length: row_length as u32,
                            channels: self.histogram.channels as u32,
                            counted_channels: self.histogram.counted_channels as u32,
                            bins: self.histogram.bins.count() as u32,
                            bins_first: pass as u32,
                            bins_end: (pass + pass_bins) as u32,
                            window_first: window as u32,
                            window_end: (window + window_bins) as u32,
                            copies_log2: self.place.copies_log2,
                            least_low: lookup.least as u32,
                            least_high: (lookup.least >> 32) as u32,
                            most_low: lookup.most as u32,
                            most_high: (lookup.most >> 32) as u32,
                            shift: lookup.shift,
                            live: lookup.live,
                            lookup: found.map_or(0, |(_, word)| word),
                            low: lookup.low,
                            scale: lookup.scale,
                            options: u32::from(self.counted),
                        },
                        groups,
                        vec![input, found.map_or(input, |(range, _)| range), results, weights]
                    ));
                }
            }
        }
        Ok(())
    }

    /// Bins that one descriptor reaches: all, or as many as begin at a multiple of every alignment.
    fn window(&self, size: u64) -> Result<u64, Error> {
        let (limits, bins) = (self.device.limits, self.geometry.bins());
        if bins * size <= limits.reach() {
            return Ok(bins);
        }
        let length = limits.reach() / size / limits.alignment() * limits.alignment();
        if length == 0 {
            let limit = format!("maxStorageBufferRange is {}", limits.capabilities.limits.max_storage_buffer_range);
            return Err(limits.unplannable(format!("a part of {} bins", limits.alignment()), limit));
        }
        Ok(length)
    }

    /// The dispatches of a piece: which segments, and how many workgroups each of them has.
    fn parts(&self, first: u64, count: u64, most: u64) -> Result<Vec<Part>, Error> {
        let Geometry { row_pitch, segments, segment_length, .. } = self.geometry;
        let most_groups = self.device.limits.most_groups();
        let workgroup = u64::from(self.device.choice.workgroup_size);
        let (begin, end, length) = match segments {
            1 => (0, 1, count),
            _ => (first / row_pitch, ((first + count - 1) / row_pitch + 1).min(segments), segment_length),
        };
        // A workgroup with few elements has more to do with its bins than with them.
        let per_load = per_wide_load(self.histogram.dtype.size());
        let grain = (UNROLL * workgroup * per_load).max(self.place.words).next_multiple_of(per_load);
        let wanted = self.fill_workgroups.div_ceil(end - begin).min(most_groups);
        let mut split = Split::of(length, wanted, grain);
        if split.length > most * workgroup {
            split = Split { parts: length.div_ceil(most * workgroup), length: most * workgroup };
        }
        if split.parts > most_groups {
            let limit = format!("maxComputeWorkGroupCount is {:?}", self.device.limits.capabilities.limits.max_compute_work_group_count);
            return Err(self.device.limits.unplannable(format!("a histogram of rows of {length} elements"), limit));
        }
        let chunk = most_groups / split.parts;
        Ok(blocks(end - begin, chunk).map(|(at, count)| Part { segment: begin + at, groups: count * split.parts, split }).collect())
    }

    /// Rounds exact sums to results.
    fn round(&mut self, sums: At) -> Result<(), Error> {
        let wide = self.histogram.wide;
        let size = self.histogram.result_dtype().size();
        for (first, count) in self.device.pieces("sums of weights", self.geometry.bins(), 4 * SUM_WORDS, 1)? {
            self.actions.push(dispatch!(
                histogram::round,
                "default".into(),
                shader::SpecializationConstants { workgroup_size: self.device.choice.workgroup_size, wide: u32::from(wide) },
                shader::PushConstants { bins: count as u32 },
                self.device.groups(count)?,
                vec![sums.bytes(piece_range(first, count, 4 * SUM_WORDS)), (OUTPUT, piece_range(first, count, size))]
            ));
        }
        Ok(())
    }

    fn finish(self, lookup: Option<&Lookup>) -> Result<Schedule, Error> {
        let Self { histogram, device, geometry, place, weights, counted, actions, scratch_bytes, reads, .. } = self;
        let size = histogram.dtype.size();
        let used = lookup.filter(|_| reads > 0);
        let lookup_bytes = used.map_or(0, |lookup| 4 * lookup.words.len() as u64);
        let counted = counted && reads > 0;
        let weight_bytes = if weights == Weights::None { 0 } else { 4 * geometry.span };
        let result_bytes = geometry.bins() * histogram.result_dtype().size();
        let strategy = match used {
            Some(lookup) => format!("{}, {}", place.describe(geometry.segment_bins), lookup.describe()),
            None => "no element can be in a bin".into(),
        };
        let buffers = vec![
            device.need("input", BufferUse::Input, if reads > 0 { geometry.span } else { 0 }, size),
            device.need("output", BufferUse::Output, result_bytes, 1),
            device.need("scratch", BufferUse::Scratch, scratch_bytes, 1),
            crate::schedule::BufferNeed {
                alignment: COUNT_BYTES,
                ..device.need("count", BufferUse::Input, u64::from(counted), COUNT_BYTES)
            },
            device.need("lookup", BufferUse::Input, lookup_bytes, 1),
            device.need("weights", BufferUse::Input, if reads > 0 { weight_bytes } else { 0 }, 1),
        ];
        // Results are cleared, and then read and written.
        let moved = reads * (array_bytes(geometry.span, size) + weight_bytes) + 2 * lookup_bytes + 3 * result_bytes + 3 * scratch_bytes;
        let parts = ScheduleParts {
            kernel: "histogram",
            title: title(histogram),
            strategy,
            bytes_moved: moved,
            buffers,
            choice: device.choice,
            actions,
        };
        Schedule::new(parts, device.limits)
    }
}

/// Neighbouring segments that one dispatch counts.
#[derive(Clone, Copy, Debug)]
struct Part {
    segment: u64,
    groups: u64,
    split: Split,
}

/// What elements are (`KEY_*` in `glsl/include/key.glsl`).
fn kind(dtype: DType) -> u32 {
    match dtype {
        _ if dtype.is_float() => 2,
        _ if dtype.is_signed_integer() => 1,
        _ => 0,
    }
}

fn title(histogram: &Histogram) -> String {
    let Histogram { dtype, rows, width, channels, counted_channels, pitch, .. } = histogram;
    let mut title = match (*rows, *channels) {
        (1, 1) => format!("{} of {width} {dtype}", histogram.bins.words()),
        (_, 1) => format!("{} of {rows} rows of {width} {dtype}", histogram.bins.words()),
        _ => format!("{} of {counted_channels} of {channels} channels of {rows} × {width} {dtype}", histogram.bins.words()),
    };
    if *rows > 1 && *pitch != width * channels {
        title += &format!(", rows {pitch} apart");
    }
    if histogram.each_row {
        title += ", each row";
    }
    if let Some(weights) = histogram.weights {
        title += &format!(", weighted by {weights} in {}", histogram.result_dtype());
    }
    if histogram.counted {
        title += ", as many as the device counts";
    }
    title
}
