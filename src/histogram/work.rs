//! The schedule of a histogram: results are cleared, elements are counted (`count.rs`), and sums that lost nothing are rounded.

use wavelane_device::{Capabilities, Quirk};

use super::Histogram;
use super::geometry::Geometry;
use super::lookup::Lookup;
use super::strategy::Place;
use crate::elementwise::{Elementwise, array_bytes};
use crate::schedule::{BufferNeed, BufferUse, COUNT_BYTES, Place as At, Schedule, ScheduleParts, StepAction, StepRange};
use crate::{DType, Error, Path, Tuning};

/// The schedule's buffers, in their order.
pub(super) const INPUT: usize = 0;
pub(super) const OUTPUT: usize = 1;
pub(super) const SCRATCH: usize = 2;
pub(super) const COUNT: usize = 3;
pub(super) const LOOKUP: usize = 4;
pub(super) const WEIGHTS: usize = 5;

/// Words of an exact sum (`SUM_SIZE`).
pub(super) const SUM_WORDS: u64 = 11;

/// Words in front of the lookup where the device counts: a wide load.
const HEADER_WORDS: u64 = 4;

/// What is added to a bin (`WEIGHTS_*`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Weights {
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

    pub(super) fn is_exact(self) -> bool {
        matches!(self, Self::Unsigned | Self::Signed | Self::Float)
    }
}

/// A schedule in the making.
pub(super) struct Work<'a> {
    pub(super) histogram: &'a Histogram,
    pub(super) device: Elementwise<'a>,
    pub(super) geometry: Geometry,
    pub(super) place: Place,
    pub(super) weights: Weights,
    pub(super) counted: bool,
    pub(super) fill_workgroups: u64,
    pub(super) actions: Vec<StepAction>,
    pub(super) scratch_bytes: u64,
    /// How often elements are read.
    pub(super) reads: u64,
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
        let room = self.device.limits.reach() / 4 - HEADER_WORDS;
        if lookup.words.len() as u64 > room {
            // As many as are among the words of one descriptor.
            let each = lookup.words.len() as u64 / u64::from(lookup.live);
            return Err(Error::TooManyBins { limit: room / each.max(1) });
        }
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
            BufferNeed { alignment: COUNT_BYTES, ..device.need("count", BufferUse::Input, u64::from(counted), COUNT_BYTES) },
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
