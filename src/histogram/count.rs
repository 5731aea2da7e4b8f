//! The dispatches of a histogram: `glsl/histogram/count.comp` on the pieces of the input that descriptors reach, once for each pass and each part of the results.

use super::geometry::Geometry;
use super::lookup::Lookup;
use super::strategy::HistogramStrategy;
use super::work::{INPUT, OUTPUT, SUM_WORDS, WEIGHTS, Weights, Work};
use crate::dtype::per_wide_load;
use crate::elementwise::piece_range;
use crate::schedule::{Place, StepRange, dispatch};
use crate::split::{Split, blocks};
use crate::{DType, Error};

/// Wide loads that an invocation has under way (`UNROLL`).
const UNROLL: u64 = 4;

/// The most wide loads of an invocation. Software drivers end the loops of an invocation after 65535 turns of all of them together; an element of which a bin is
/// searched takes some twenty, and one more for each word of an exact sum.
const MOST_LOADS: u64 = 256;
const MOST_LOADS_EXACT: u64 = 128;

/// The most dispatches.
const MOST_DISPATCHES: u64 = 1 << 15;

impl Work<'_> {
    /// Adds all elements to bins of `size` bytes each at `results`.
    pub(super) fn count(
        &mut self,
        lookup: &Lookup,
        found: Option<((usize, StepRange), u32)>,
        (results, size): (Place, u64),
    ) -> Result<(), Error> {
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
            let what = format!(
                "a histogram of {} bins and {} pieces of elements in {} dispatches",
                self.geometry.bins(),
                pieces.len(),
                rounds * pieces.len() as u64
            );
            return Err(limits.out_of_reach(what));
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
            return Err(limits.out_of_reach(format!("a part of {} bins", limits.alignment())));
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
    pub(super) fn round(&mut self, sums: Place) -> Result<(), Error> {
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
