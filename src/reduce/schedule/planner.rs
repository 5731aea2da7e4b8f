//! A schedule in the making: the device's figures, and what every kind of step is made with.

use super::{ReduceSchedule, ReduceStep, ReduceStrategy, StepKernel};
use crate::layout::Layout;
use crate::limits::DeviceLimits;
use crate::reduce::variant::Variant;
use crate::reduce::{NanPolicy, Reduce};
use crate::schedule::StepRange;
use crate::shaders::reduce as shaders;
use crate::{Error, Path, PathChoice, Tuning};

/// What becomes of a workgroup's state (`FINISH_*` in `glsl/reduce/interface.glsl`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Finish {
    Result = 0,
    Partial = 1,
    LastArrival = 2,
}

/// Which invocations share a row (`ROW_*` in `glsl/reduce/interface.glsl`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowMode {
    Workgroup,
    Lanes(u32),
    Subgroup,
}

impl RowMode {
    pub(super) fn number(self) -> u32 {
        match self {
            Self::Workgroup => 0,
            Self::Lanes(_) => 1,
            Self::Subgroup => 2,
        }
    }

    pub(super) fn lanes(self) -> u32 {
        if let Self::Lanes(lanes) = self { lanes } else { 1 }
    }
}

/// A schedule in the making.
pub(super) struct Planner<'a> {
    pub(super) reduce: &'a Reduce,
    pub(super) variant: Variant,
    pub(super) layout: Layout,
    pub(super) limits: DeviceLimits<'a>,
    pub(super) tuning: &'a Tuning,
    pub(super) choice: PathChoice,
    /// Whether a last-arrival scheme may be used.
    pub(super) may_arrive_last: bool,
    pub(super) strategy: ReduceStrategy,
    pub(super) steps: Vec<ReduceStep>,
    /// The most counters and words of states that any step needs.
    pub(super) counters: u64,
    pub(super) partial_words: u64,
    /// Words of states written and read again by all steps.
    pub(super) partial_traffic: u64,
}

impl<'a> Planner<'a> {
    pub(super) fn new(
        reduce: &'a Reduce,
        variant: Variant,
        layout: Layout,
        limits: DeviceLimits<'a>,
        tuning: &'a Tuning,
        choice: PathChoice,
        may_arrive_last: bool,
    ) -> Self {
        let strategy = ReduceStrategy::Nothing;
        let (steps, counters, partial_words, partial_traffic) = (Vec::new(), 0, 0, 0);
        Self { reduce, variant, layout, limits, tuning, choice, may_arrive_last, strategy, steps, counters, partial_words, partial_traffic }
    }

    /// Elements of a wide load.
    pub(super) fn per_quad(&self) -> u64 {
        self.reduce.dtype.per_wide_load()
    }

    pub(super) fn input_range(&self, first: u64, count: u64) -> (Option<StepRange>, u32) {
        if count == 0 {
            return (None, 0);
        }
        let (range, base) = self.limits.range(first, count, self.reduce.dtype.size());
        (Some(range), base)
    }

    pub(super) fn output_range(&self, first: u64, count: u64) -> (StepRange, u32) {
        self.limits.range(first, count, self.variant.result.size())
    }

    /// The specialization constants that all kernels share, in the order of `glsl/reduce/interface.glsl`.
    pub(super) fn constants(&self, finish: Finish, mode: RowMode, exchange_slots: u32) -> [u32; 10] {
        [
            self.choice.workgroup_size,
            self.reduce.op.shader_number(),
            u32::from(self.reduce.nan == NanPolicy::Ignore),
            self.variant.key as u32,
            finish as u32,
            exchange_slots,
            mode.number(),
            mode.lanes(),
            self.variant.scale_exponent,
            u32::from(self.counted()),
        ]
    }

    /// Whether the kernels read how long the axis is. Where it cannot be but empty they need not.
    pub(super) fn counted(&self) -> bool {
        self.reduce.counted && self.layout.count > 0
    }

    /// States that shared memory holds (`EXCHANGE_SLOTS`): one an invocation where invocations meet there, else one a subgroup.
    pub(super) fn exchange_slots(&self, mode: RowMode) -> u32 {
        let invocations_meet = match (self.choice.path, mode) {
            (Path::SharedMemory, _) => true,
            // The tree serves parts of a subgroup too where there are no shuffles.
            (Path::Subgroup, RowMode::Lanes(lanes)) => lanes > 1,
            _ => false,
        };
        if invocations_meet { self.choice.workgroup_size } else { self.choice.max_subgroups }
    }

    /// How many states of each of `results` results a descriptor reaches, behind a counter for each and the count.
    pub(super) fn most_slots(&self, results: u64) -> u64 {
        let counters = (4 * (results + u64::from(self.counted()))).next_multiple_of(16);
        self.limits.reach().saturating_sub(counters) / (results * 4 * u64::from(self.variant.state.words())).max(1)
    }

    /// Notes what scratch a pass over `results` results with `slots` states each takes.
    pub(super) fn take_scratch(&mut self, counters: u64, results: u64, slots: u64) {
        let words = results * slots * u64::from(self.variant.state.words());
        self.counters = self.counters.max(counters);
        self.partial_words = self.partial_words.max(words);
        self.partial_traffic += 2 * words;
    }

    /// The dispatch that combines what partial ones left in scratch, for `results` results from `first` on, `columns` to a slab.
    pub(super) fn combine(&mut self, first: u64, results: u64, slots: u64) -> Result<(), Error> {
        let mode = if slots > 32 { RowMode::Workgroup } else { RowMode::Lanes(1) };
        let groups = if mode == RowMode::Workgroup { results } else { results.div_ceil(u64::from(self.choice.workgroup_size)) };
        let (output, output_base) = self.output_range(first, results);
        let [workgroup_size, operator, _, key_kind, _, exchange_slots, row_mode, _, scale_exponent, counted] =
            self.constants(Finish::Result, mode, self.exchange_slots(mode));
        let constants = shaders::combine::SpecializationConstants {
            workgroup_size,
            operator,
            key_kind,
            exchange_slots,
            row_mode,
            scale_exponent,
            counted,
        };
        let push = shaders::combine::PushConstants {
            results: results as u32,
            slots: slots as u32,
            partials: 0,
            output_base,
            total_count: self.layout.count as u32,
            count_word: 0,
        };
        let module = format!("{}.{}", self.variant.state.name(), self.choice.path.module_name());
        let groups = self.limits.fold(groups)?;
        let kernel = StepKernel::Combine(constants, push);
        self.steps.push(ReduceStep { kernel, module, groups, input: None, pivots: None, output });
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<ReduceSchedule, Error> {
        // The count stands behind the counters, and states begin behind both, on a multiple of 16 bytes.
        let (count_word, count_words) = (self.counters, u64::from(self.counted() && !self.steps.is_empty()));
        let partials = (count_word + count_words).next_multiple_of(4);
        for step in &mut self.steps {
            let (partials_of, count_of) = match &mut step.kernel {
                StepKernel::Rows(_, push) => (&mut push.partials, &mut push.count_word),
                StepKernel::Columns(_, push) => (&mut push.partials, &mut push.count_word),
                StepKernel::Combine(_, push) => (&mut push.partials, &mut push.count_word),
            };
            (*partials_of, *count_of) = (partials as u32, count_word as u32);
        }
        let scratch_bytes = if self.partial_words == 0 { 4 * count_words } else { 4 * (partials + self.partial_words) };
        self.limits.check_whole("a reduction with intermediate states", scratch_bytes)?;
        let input_bytes = (self.layout.elements() * self.reduce.dtype.size()).next_multiple_of(4);
        let output_bytes = self.layout.results() * self.variant.result.size();
        Ok(ReduceSchedule {
            device: self.limits.capabilities.shown_name(),
            last_arrival: self.counters > 0,
            result_dtype: self.variant.result,
            result_shape: self.reduce.result_shape(false)?,
            input_bytes,
            output_bytes,
            scratch_bytes,
            counter_bytes: 4 * self.counters,
            count_offset: (count_words > 0).then_some(4 * count_word),
            binding_alignment: self.limits.alignment(),
            bytes_moved: input_bytes + output_bytes + 4 * self.partial_traffic,
            reduce: self.reduce.clone(),
            choice: self.choice,
            strategy: self.strategy,
            steps: self.steps,
        })
    }
}
