//! What all kinds of scans have in common: what is computed, and the steps that it takes on a device.

use wavelane_device::{Capabilities, Quirk, QuirkEffect};

use super::exchange::{Exchange, SLOTS_EACH};
use super::{Heads, ScanOp, ScanStrategy, variant};
use crate::features::missing_feature;
use crate::layout::Layout;
use crate::limits::DeviceLimits;
use crate::reduce::variant::Variant;
use crate::schedule::{BufferNeed, BufferUse, COUNT_BYTES, Schedule, ScheduleParts, StepAction, StepRange};
use crate::shaders::scan as shaders;
use crate::{DType, Error, Path, PathChoice, Scalar, Tuning, select};

/// The schedule's buffers, in their order.
pub(super) const INPUT: usize = 0;
pub(super) const OUTPUT: usize = 1;
pub(super) const SCRATCH: usize = 2;
pub(super) const COUNT: usize = 3;
pub(super) const HEADS: usize = 4;
pub(super) const RUN_KEYS: usize = 5;
pub(super) const RUN_COUNT: usize = 6;

/// What is scanned, and how.
#[derive(Clone, Debug)]
pub(crate) struct Work {
    pub(super) kernel: &'static str,
    /// The end of a sentence that begins with the operator.
    pub(super) title: String,
    pub(super) op: ScanOp,
    pub(super) dtype: DType,
    pub(super) variant: Variant,
    pub(super) layout: Layout,
    pub(super) heads: Heads,
    pub(super) exclusive: bool,
    pub(super) reverse: bool,
    pub(super) initial: Option<Scalar>,
    pub(super) in_place: bool,
    pub(super) counted: bool,
    pub(super) any_order: bool,
    pub(super) strategy: Option<ScanStrategy>,
    /// Of each segment of equal keys the last result alone is kept, one behind another, and a key beside it; how many there are goes to a buffer of its own.
    pub(super) runs: bool,
}

/// A schedule in the making.
pub(super) struct Planner<'a> {
    pub(super) work: &'a Work,
    pub(super) limits: DeviceLimits<'a>,
    pub(super) tuning: &'a Tuning,
    pub(super) choice: PathChoice,
    pub(super) exchange: Exchange,
    /// Whether a workgroup may rely on what others wrote in the same dispatch.
    pub(super) may_look_back: bool,
    pub(super) actions: Vec<StepAction>,
    /// How the work is shared, in words.
    pub(super) strategy: String,
    pub(super) scratch_words: u64,
    /// Byte of scratch where the bits of segments' beginnings are, if they are made there.
    pub(super) heads_at: u64,
    /// Word of scratch that counts the segments, where runs are stored.
    pub(super) runs_word: u64,
    /// Words of scratch that are written and read again.
    pub(super) scratch_traffic: u64,
    /// How often the elements are read.
    pub(super) reads: u64,
}

impl Work {
    pub(super) fn schedule(
        &self,
        capabilities: &Capabilities,
        quirks: &[&'static Quirk],
        tuning: &Tuning,
        path: Option<Path>,
    ) -> Result<Schedule, Error> {
        if let Some(initial) = self.initial.filter(|initial| initial.dtype() != self.dtype) {
            return Err(Error::ElementType { asked: initial.dtype(), found: self.dtype });
        }
        if self.in_place && self.variant.result.size() != self.dtype.size() {
            return Err(Error::InPlaceSize { dtype: self.dtype, result: self.variant.result });
        }
        let limits = DeviceLimits { capabilities };
        let has_heads = self.heads.is_some() && self.layout.inner == 1;
        let exchange = Exchange {
            slots_each: SLOTS_EACH,
            state_words: self.variant.state.words(),
            has_heads,
            has_arithmetic: self.op.has_arithmetic() && !has_heads,
            wide: self.variant.state == crate::reduce::variant::State::U64,
        };
        // A type that the device lacks is the better answer than a path that it lacks for that type.
        let floor = shaders::tiles::module(&self.module(Path::SharedMemory));
        if let Some(feature) = floor.and_then(|module| missing_feature(module.capabilities, capabilities)) {
            return Err(Error::TypeUnsupported { op: self.op.name(), dtype: self.dtype, feature, device: capabilities.shown_name() });
        }
        let by_scans = Tuning { paths: tuning.scan_paths, ..tuning.clone() };
        let choice = select(capabilities, quirks, &by_scans, &exchange.needs(), path)?;
        let may_look_back = !quirks.iter().any(|quirk| quirk.effect == QuirkEffect::ForbidLastWorkgroupDone);
        let mut planner = Planner {
            work: self,
            limits,
            tuning,
            choice,
            exchange,
            may_look_back,
            actions: Vec::new(),
            strategy: "there are no elements".into(),
            scratch_words: 0,
            heads_at: 0,
            runs_word: 0,
            scratch_traffic: 0,
            reads: 0,
        };
        if self.layout.elements() > 0 {
            limits.check_reach("a scan", self.layout.elements() * self.dtype.size().max(self.variant.result.size()))?;
            if self.layout.inner == 1 { planner.tiles()? } else { planner.columns()? }
        }
        if self.runs {
            planner.count_runs();
        }
        planner.finish()
    }

    /// Name of the shader module, element and state.
    pub(super) fn module_of_state(&self) -> String {
        format!("{}.{}", self.variant.element(self.dtype).element_module(), self.variant.state.name())
    }

    pub(super) fn module(&self, path: Path) -> String {
        format!("{}.{}", self.module_of_state(), path.module_name())
    }

    /// Whether results are the same whatever the order in which elements are combined.
    pub(super) fn is_exact(&self) -> bool {
        variant::is_exact(&self.variant)
    }

    /// What needs no pipeline of its own (`OPTION_*`).
    pub(super) fn options(&self) -> u32 {
        u32::from(self.exclusive) | u32::from(self.initial.is_some()) << 1
    }

    /// The initial value as the shaders take it: widened, as elements are.
    pub(super) fn initial_words(&self) -> [u32; 2] {
        match self.initial {
            None => [0; 2],
            Some(initial) if self.dtype == DType::F16 => [half::f16::from_bits(initial.bits() as u16).to_f32().to_bits(), 0],
            Some(initial) if self.dtype == DType::I8 => [initial.bits() as i8 as u32, 0],
            Some(initial) if self.dtype == DType::I16 => [initial.bits() as i16 as u32, 0],
            Some(initial) => initial.words(),
        }
    }
}

impl Planner<'_> {
    /// Whether the kernels read how long the axis is.
    pub(super) fn counted(&self) -> bool {
        self.work.counted && self.work.layout.count > 0
    }

    /// The buffer that elements are read from.
    pub(super) fn source(&self) -> usize {
        if self.work.in_place { OUTPUT } else { INPUT }
    }

    /// The copy of the count to its word of scratch.
    pub(super) fn take_count(&mut self, word: u64) {
        if self.counted() {
            let range = StepRange { offset: 4 * word, size: COUNT_BYTES };
            self.actions.push(StepAction::Copy { from: COUNT, from_offset: 0, to: SCRATCH, range });
        }
    }

    /// All words of scratch.
    pub(super) fn scratch(&self) -> StepRange {
        StepRange::first(4 * self.scratch_words)
    }

    /// Bytes moved to make a bit for each element of offsets: those are read, and the bits cleared, read and written.
    fn making_heads(&self, made_bytes: u64) -> u64 {
        if let Heads::Offsets(count) = self.work.heads { 4 * count + 3 * made_bytes } else { 0 }
    }

    fn finish(self) -> Result<Schedule, Error> {
        let work = self.work;
        let elements = work.layout.elements();
        let input_bytes = (elements * work.dtype.size()).next_multiple_of(4);
        let output_bytes = (elements * work.variant.result.size()).next_multiple_of(4);
        let head_bytes = if elements > 0 { work.heads.bytes(elements) } else { 0 };
        let made_bytes = if elements > 0 { work.heads.scratch_bytes(elements) } else { 0 };
        let scratch_bytes = if made_bytes > 0 { self.heads_at + made_bytes } else { 4 * self.scratch_words };
        let told = work.heads.input(elements).filter(|_| elements > 0);
        let count_bytes = if self.counted() { COUNT_BYTES } else { 0 };
        let alignment = self.limits.alignment();
        let need = |name, usage, bytes, alignment| BufferNeed { name, usage, bytes, alignment };
        let in_or_out = if work.in_place { BufferUse::InPlace } else { BufferUse::Output };
        let mut buffers = vec![
            need("input", BufferUse::Input, if work.in_place { 0 } else { input_bytes }, alignment),
            need("output", in_or_out, output_bytes, alignment),
            need("scratch", BufferUse::Scratch, scratch_bytes, alignment),
            need("count", BufferUse::Input, count_bytes, COUNT_BYTES),
        ];
        if let Some((name, bytes)) = told {
            buffers.push(need(name, BufferUse::Input, bytes, alignment));
        }
        if work.runs {
            buffers.resize(RUN_KEYS, need("keys", BufferUse::Input, 0, alignment));
            buffers.push(need("key output", BufferUse::Output, head_bytes, alignment));
            buffers.push(need("runs", BufferUse::Output, COUNT_BYTES, COUNT_BYTES));
        }
        let exclusive = if work.exclusive { "exclusive " } else { "" };
        let reverse = if work.reverse { ", backwards" } else { "" };
        let in_place = if work.in_place { ", in place" } else { "" };
        let bytes_moved = self.reads * (input_bytes + head_bytes)
            + output_bytes
            + 4 * self.scratch_traffic
            + self.making_heads(made_bytes)
            + if work.runs { 2 * head_bytes } else { 0 };
        let parts = ScheduleParts {
            kernel: work.kernel,
            title: format!("{exclusive}{} {}{reverse}{in_place} → {}", work.op, work.title, work.variant.result),
            choice: self.choice,
            strategy: self.strategy,
            buffers,
            actions: self.actions,
            bytes_moved,
        };
        Schedule::new(parts, self.limits)
    }
}
