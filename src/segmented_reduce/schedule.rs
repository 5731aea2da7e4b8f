//! What a reduction of segments does on a device, step by step.

use wavelane_device::{Capabilities, Quirk};

use super::{SegmentForm, SegmentedReduce};
use crate::features::missing_feature;
use crate::layout::Layout;
use crate::limits::DeviceLimits;
use crate::reduce::variant::Variant;
use crate::scan::exchange::Exchange;
use crate::schedule::{BufferNeed, BufferUse, COUNT_BYTES, Schedule, ScheduleParts, StepAction, StepRange, dispatch};
use crate::shaders::segmented_reduce as shaders;
use crate::split::blocks;
use crate::{Error, NanPolicy, Path, PathChoice, Tuning, select};

/// The schedule's buffers, in their order.
pub(super) const INPUT: usize = 0;
pub(super) const OUTPUT: usize = 1;
pub(super) const SCRATCH: usize = 2;
pub(super) const OFFSETS: usize = 3;
pub(super) const COUNT: usize = 4;
pub(super) const FOUND: usize = 5;

/// Wide loads of an invocation in a tile (`UNROLL` in the shader).
const UNROLL: u64 = 4;

/// Slots of an invocation in the exchange: its wide loads, and what it has of tiles before.
const SLOTS_EACH: u32 = 5;

/// Words that a workgroup shares beside the exchange and the marks of segments' beginnings.
const WORDS_BESIDE: u32 = 16;

/// Bits of `options` (`OPTION_*` in the shader).
const BEFORE: u32 = 1;
const BEHIND: u32 = 2;
const RECORD: u32 = 4;
const PIVOTS: u32 = 8;

/// The most tiles of a workgroup: llvmpipe leaves its loops after 65535 rounds in all, and a tile takes up to 200.
const MOST_TILES: u64 = 256;

/// The most elements of a dispatch: with as many segments as a descriptor reaches the offsets of, their sum fits 32 bits.
const MOST_ELEMENTS: u64 = 1 << 31;

/// Elements that the end of a segment is as much work as. Without it a few workgroups had all of the short segments where one long one lies beside them: on an H200
/// 2^16 of one element beside one of 2^26 took 4.8 times as long as the elements alone.
const END_WEIGHT: u64 = 16;

/// Elements and what ends weigh, together: shares of them must fit 32 bits, the last one rounded up.
const MOST_ITEMS: u64 = 1 << 31;

/// Elements that a descriptor reaches, and the workgroups for them.
#[derive(Clone, Copy, Debug)]
struct Piece {
    first: u64,
    count: u64,
    groups: u64,
    group_base: u64,
}

struct Planner<'a> {
    reduce: &'a SegmentedReduce,
    variant: Variant,
    elements: u64,
    segments: u64,
    limits: DeviceLimits<'a>,
    choice: PathChoice,
    exchange: Exchange,
}

pub(super) fn schedule(
    reduce: &SegmentedReduce,
    capabilities: &Capabilities,
    quirks: &[&'static Quirk],
    tuning: &Tuning,
    path: Option<Path>,
) -> Result<Schedule, Error> {
    let variant = reduce.variant()?;
    let elements = Layout::of(&[reduce.length], None)?.count;
    let segments = Layout::of(&[reduce.segments], None)?.count;
    if let SegmentForm::Length(each) = reduce.form
        && (each == 0 || segments != elements.div_ceil(each as u64))
    {
        return Err(if each == 0 { Error::SegmentLength } else { Error::SegmentCount { segments, length: elements, each: each as u64 } });
    }
    let limits = DeviceLimits { capabilities };
    let exchange =
        Exchange { slots_each: SLOTS_EACH, state_words: variant.state.words(), has_heads: true, has_arithmetic: false, wide: false };
    let module = format!("{}.{}", variant.element(reduce.dtype).element_module(), variant.state.name());
    // A type that the device lacks is the better answer than a path that it lacks for that type.
    let floor = shaders::tiles::module(&format!("{module}.{}", Path::SharedMemory.module_name()));
    if let Some(feature) = floor.and_then(|module| missing_feature(module.capabilities, capabilities)) {
        return Err(Error::TypeUnsupported { op: reduce.op.name(), dtype: reduce.dtype, feature, device: capabilities.shown_name() });
    }
    let mut needs = exchange.needs();
    // A bit for each element of two tiles, and a word for what is left of one.
    needs.shared_words += (2 * UNROLL * reduce.dtype.per_wide_load() / 32).max(1) as u32;
    needs.shared_words_beside += 2 + WORDS_BESIDE;
    let choice = select(capabilities, quirks, tuning, &needs, path)?;
    Planner { reduce, variant, elements, segments, limits, choice, exchange }.schedule(tuning)
}

impl Planner<'_> {
    fn schedule(&self, tuning: &Tuning) -> Result<Schedule, Error> {
        let (elements, segments) = (self.elements, self.segments);
        let result = self.variant.result.size();
        let mut actions = Vec::new();
        let mut strategy = "there are no segments".into();
        let mut scratch_bytes = 0;
        if segments > 0 {
            self.limits.check_reach("a reduction of segments", elements * self.reduce.dtype.size())?;
            if self.each() == 0 {
                self.limits.check_whole("offsets", 4 * (segments + 1))?;
            }
            self.limits.check_whole("results", segments * result)?;
            let pieces = self.pieces(tuning)?;
            let groups: u64 = pieces.iter().map(|piece| piece.groups).sum();
            if groups > 1 {
                scratch_bytes = 4 * self.records(groups);
            }
            if self.counted() {
                // Behind the records: storage buffers are few.
                let range = StepRange { offset: scratch_bytes, size: COUNT_BYTES };
                actions.push(StepAction::Copy { from: COUNT, from_offset: 0, to: SCRATCH, range });
                scratch_bytes += COUNT_BYTES;
            }
            let scratch = if scratch_bytes > 0 { (SCRATCH, StepRange::first(scratch_bytes)) } else { (OUTPUT, self.results()) };
            for piece in &pieces {
                actions.push(self.tiles(piece, pieces.len(), groups, scratch)?);
            }
            if groups > 1 {
                actions.push(self.combine(groups, scratch));
            }
            strategy = match groups {
                1 => "one workgroup".into(),
                _ => format!("{groups} workgroups with an equal share of elements and segments, joined by another"),
            };
        }
        let alignment = self.limits.alignment();
        let need = |name, usage, bytes| BufferNeed { name, usage, bytes, alignment };
        let input_bytes = (elements * self.reduce.dtype.size()).next_multiple_of(4);
        let offset_bytes = if segments > 0 && self.each() == 0 { 4 * (segments + 1) } else { 0 };
        let buffers = vec![
            need("input", BufferUse::Input, if segments > 0 { input_bytes } else { 0 }),
            need("output", BufferUse::Output, segments * result),
            need("scratch", BufferUse::Scratch, scratch_bytes),
            need("offsets", BufferUse::Input, offset_bytes),
            BufferNeed { alignment: COUNT_BYTES, ..need("count", BufferUse::Input, if self.counted() { COUNT_BYTES } else { 0 }) },
        ];
        let parts = ScheduleParts {
            kernel: "segmented_reduce",
            title: format!(
                "{} of {elements} {} in {segments} segments{} → {}",
                self.reduce.op,
                self.reduce.dtype,
                if self.counted() { ", or as many as the device counts" } else { "" },
                self.variant.result
            ),
            choice: self.choice.clone(),
            strategy,
            buffers,
            actions,
            bytes_moved: input_bytes + offset_bytes + segments * result + 2 * scratch_bytes,
        };
        Schedule::new(parts, self.limits)
    }

    /// Whether the kernel reads how many segments there are.
    fn counted(&self) -> bool {
        self.reduce.counted && self.segments > 0
    }

    /// Elements of a segment where all have as many; else 0.
    fn each(&self) -> u64 {
        // One segment is what a longer one is, too, and has a number that shaders can take.
        if let SegmentForm::Length(each) = self.reduce.form { (each as u64).min(self.elements) } else { 0 }
    }

    /// The binding of offsets; where there are none another buffer of the dispatch fills it.
    fn offsets(&self) -> (usize, StepRange) {
        if self.each() > 0 { (OUTPUT, self.results()) } else { (OFFSETS, StepRange::first(4 * (self.segments + 1))) }
    }

    /// Elements that the end of a segment is as much work as, in the shares of workgroups. Where there are so many that shaders cannot count them, one.
    fn end_weight(&self) -> u64 {
        if self.elements + END_WEIGHT * self.segments < MOST_ITEMS { END_WEIGHT } else { 1 }
    }

    /// Words of the records of so many workgroups.
    fn records(&self, groups: u64) -> u64 {
        if groups > 1 { groups * u64::from(2 * self.variant.state.words() + 2) } else { 0 }
    }

    /// Elements of a tile.
    fn tile(&self) -> u64 {
        UNROLL * u64::from(self.choice.workgroup_size) * self.quad()
    }

    /// Elements of a wide load.
    fn quad(&self) -> u64 {
        self.reduce.dtype.per_wide_load()
    }

    fn results(&self) -> StepRange {
        StepRange::first(self.segments * self.variant.result.size())
    }

    /// The array in parts that descriptors reach, each beginning where a binding can.
    fn pieces(&self, tuning: &Tuning) -> Result<Vec<Piece>, Error> {
        let reach = self.limits.capacity(self.elements, self.reduce.dtype.size()).min(MOST_ELEMENTS);
        let unit = self.limits.alignment() / self.reduce.dtype.size();
        let length = if reach < self.elements { reach - reach % unit } else { self.elements };
        if length == 0 && self.elements > 0 {
            return Err(self.limits.out_of_reach("a wide load".into()));
        }
        let mut parts: Vec<_> = blocks(self.elements, length).collect();
        if parts.is_empty() {
            // Segments without elements have results.
            parts.push((0, 0));
        }
        let all = parts.len() as u64;
        let fill = u64::from(tuning.fill_workgroups).div_ceil(all);
        let most = self.limits.most_groups();
        let mut group_base = 0;
        let pieces = parts.into_iter().map(|(first, count)| {
            // All ends may be in one part.
            let tiles = (count + self.end_weight() * self.segments).div_ceil(self.tile());
            let groups = tiles.min(fill).max(tiles.div_ceil(MOST_TILES)).clamp(1, most);
            let piece = Piece { first, count, groups, group_base };
            group_base += groups;
            piece
        });
        Ok(pieces.collect())
    }

    fn tiles(&self, piece: &Piece, pieces: usize, groups: u64, scratch: (usize, StepRange)) -> Result<StepAction, Error> {
        let reduce = self.reduce;
        let (input, _) = self.limits.range(piece.first, piece.count, reduce.dtype.size());
        let offsets = self.offsets();
        // Without elements nothing is read; another buffer of the dispatch fills the binding.
        let input = if piece.count > 0 { (INPUT, input) } else { offsets };
        let mut options = 0;
        options |= if piece.first > 0 { BEFORE } else { 0 };
        options |= if piece.first + piece.count < self.elements { BEHIND } else { 0 };
        options |= if groups > 1 { RECORD } else { 0 };
        options |= if pieces == 1 && piece.count > 0 { PIVOTS } else { 0 };
        let (element, state) = (self.variant.element(reduce.dtype).element_module(), self.variant.state.name());
        let path = self.module_path();
        Ok(dispatch!(
            segmented_reduce::tiles,
            format!("{element}.{state}.{path}"),
            shader::SpecializationConstants {
                workgroup_size: self.choice.workgroup_size,
                operator: reduce.op.shader_number(),
                ignore_nan: u32::from(reduce.nan == NanPolicy::Ignore),
                key_kind: self.variant.key as u32,
                scale_exponent: self.variant.scale_exponent,
                exchange_slots: self.exchange.slots(&self.choice),
                mark_words: 2 * self.tile().div_ceil(32) as u32,
                counted: u32::from(self.counted()),
                even: u32::from(self.each() > 0),
                element_bits: reduce.dtype.bits(),
                element_signed: reduce.dtype.signed_constant(),
            },
            shader::PushConstants {
                most_segments: self.segments as u32,
                groups: piece.groups as u32,
                group_base: piece.group_base as u32,
                first: piece.first as u32,
                count: piece.count as u32,
                options,
                count_word: self.records(groups) as u32,
                segment_length: self.each() as u32,
                length: self.elements as u32,
                end_weight: self.end_weight() as u32,
            },
            self.limits.fold(piece.groups)?,
            vec![input, (OUTPUT, self.results()), scratch, offsets]
        ))
    }

    fn combine(&self, groups: u64, scratch: (usize, StepRange)) -> StepAction {
        let reduce = self.reduce;
        let offsets = self.offsets();
        dispatch!(
            segmented_reduce::combine,
            format!("{}.{}", self.variant.state.name(), self.module_path()),
            shader::SpecializationConstants {
                workgroup_size: self.choice.workgroup_size,
                operator: reduce.op.shader_number(),
                key_kind: self.variant.key as u32,
                scale_exponent: self.variant.scale_exponent,
                exchange_slots: self.exchange.slots(&self.choice),
                even: u32::from(self.each() > 0),
            },
            shader::PushConstants {
                groups: groups as u32,
                most_segments: self.segments as u32,
                segment_length: self.each() as u32,
                length: self.elements as u32,
            },
            [1, 1, 1],
            // Binding 0 is of the elements, which this one does not read.
            vec![offsets, (OUTPUT, self.results()), scratch, offsets]
        )
    }

    /// The path's modules. Subgroup arithmetic knows no segments, so its path meets in shared memory.
    fn module_path(&self) -> &'static str {
        match self.choice.path {
            Path::Subgroup => Path::SharedMemory.module_name(),
            path => path.module_name(),
        }
    }
}
