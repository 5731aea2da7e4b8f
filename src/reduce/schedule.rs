//! What a reduction does on a device, step by step: which kernels, how many workgroups, which bytes they see. Every limit of the
//! device is met here.

mod columns;
#[cfg(test)]
mod coverage;
mod rows;
mod split;

use wavelane_device::{Capabilities, Quirk, QuirkEffect};

use super::layout::Layout;
use super::variant::Variant;
use super::{NanPolicy, Reduce};
use crate::features::missing_feature;
use crate::shaders::reduce as shaders;
use crate::{DType, Error, Path, PathChoice, PathNeeds, Tuning, select};

/// How elements are shared among invocations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReduceStrategy {
    /// There are no results.
    Nothing,
    /// Rows of neighbouring elements, one invocation each.
    InvocationPerRow,
    /// Rows of neighbouring elements, so many invocations each.
    LanesPerRow(u32),
    /// Rows of neighbouring elements, a subgroup each.
    SubgroupPerRow,
    /// Rows of neighbouring elements, so many workgroups each.
    WorkgroupsPerRow(u32),
    /// Columns, whose elements lie apart: tiles of columns × invocations a column, and so many workgroups a column.
    Columns {
        /// Columns of a tile.
        columns: u32,
        /// Invocations that share a column in a workgroup.
        rows: u32,
        /// Workgroups that share a column.
        splits: u32,
    },
}

/// Bytes of a bound buffer, from the start of the binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepRange {
    /// First byte.
    pub offset: u64,
    /// How many.
    pub size: u64,
}

/// The kernel of a step with its constants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum StepKernel {
    Rows(shaders::rows::SpecializationConstants, shaders::rows::PushConstants),
    Columns(shaders::columns::SpecializationConstants, shaders::columns::PushConstants),
    Combine(shaders::combine::SpecializationConstants, shaders::combine::PushConstants),
}

/// One dispatch.
#[derive(Clone, Debug, PartialEq)]
pub struct ReduceStep {
    pub(super) kernel: StepKernel,
    /// Name of the shader module within the kernel: element, state, path.
    pub module: String,
    /// Group counts.
    pub groups: [u32; 3],
    /// What it reads of the input; nothing where there are no elements, and for steps that read scratch alone.
    pub input: Option<StepRange>,
    /// Where the elements at axis index 0 lie, for the kernels that take others relative to them.
    pub pivots: Option<StepRange>,
    /// What it writes of the output.
    pub output: StepRange,
}

impl ReduceStep {
    /// Name of the kernel: `rows`, `columns` or `combine`.
    pub fn kernel(&self) -> &'static str {
        match self.kernel {
            StepKernel::Rows(..) => "rows",
            StepKernel::Columns(..) => "columns",
            StepKernel::Combine(..) => "combine",
        }
    }

    /// Bytes of shared memory a workgroup takes.
    pub fn shared_bytes(&self) -> u32 {
        match &self.kernel {
            StepKernel::Rows(constants, _) => shaders::rows::module(&self.module).map_or(0, |module| (module.shared_bytes)(constants)),
            StepKernel::Columns(constants, _) => {
                shaders::columns::module(&self.module).map_or(0, |module| (module.shared_bytes)(constants))
            }
            StepKernel::Combine(constants, _) => {
                shaders::combine::module(&self.module).map_or(0, |module| (module.shared_bytes)(constants))
            }
        }
    }
}

/// What a reduction does on a device. Plain data, computed from capabilities alone.
#[derive(Clone, Debug, PartialEq)]
pub struct ReduceSchedule {
    /// What is computed.
    pub reduce: Reduce,
    /// The device it is for, by name.
    pub device: String,
    /// The path, its sizes and reasons.
    pub choice: PathChoice,
    /// How elements are shared among invocations.
    pub strategy: ReduceStrategy,
    /// Whether the workgroup that arrives last combines, so that no second dispatch is needed.
    pub last_arrival: bool,
    /// Type of the results in the output buffer.
    pub result_dtype: DType,
    /// Shape of the results.
    pub result_shape: Vec<usize>,
    /// Bytes that the input binding must have: the elements, rounded up to a multiple of 4.
    pub input_bytes: u64,
    /// Bytes that the output binding must have.
    pub output_bytes: u64,
    /// Bytes that the scratch binding must have; 0 where none is needed.
    pub scratch_bytes: u64,
    /// Bytes at the start of scratch that must be zero before the first step; every step leaves them zero.
    pub counter_bytes: u64,
    /// What the offset of every binding must be a multiple of.
    pub binding_alignment: u64,
    /// The dispatches, in order, with a barrier between each two.
    pub steps: Vec<ReduceStep>,
    /// Bytes read and written, states in scratch included.
    pub bytes_moved: u64,
}

impl ReduceSchedule {
    /// The path taken.
    pub fn path(&self) -> Path {
        self.choice.path
    }
}

pub(super) fn schedule(
    reduce: &Reduce,
    capabilities: &Capabilities,
    quirks: &[&'static Quirk],
    tuning: &Tuning,
    path: Option<Path>,
) -> Result<ReduceSchedule, Error> {
    let variant = Variant::of(reduce)?;
    let layout = Layout::of(reduce)?;
    if layout.count == 0 && reduce.op.needs_elements() {
        return Err(Error::EmptyReduction { op: reduce.op });
    }
    // The one word more is `arrived_last` in `glsl/reduce/finish.glsl`.
    let (shared_words, shared_words_beside) = (variant.state.words(), 1);
    let needs = PathNeeds { shared_words, shared_words_beside, wide_arithmetic: variant.state == super::variant::State::U64 };
    // A type that the device lacks is the better answer than a path that it lacks for that type.
    let floor = shaders::rows::module(&module_name(reduce, &variant, Path::SharedMemory));
    if let Some(feature) = floor.and_then(|module| missing_feature(module.capabilities, capabilities)) {
        return Err(Error::TypeUnsupported { op: reduce.op, dtype: reduce.dtype, feature, device: capabilities.shown_name() });
    }
    let choice = select(capabilities, quirks, tuning, &needs, path)?;
    let last_arrival = !quirks.iter().any(|quirk| quirk.effect == QuirkEffect::ForbidLastWorkgroupDone);

    let mut planner = Planner::new(reduce, variant, layout, capabilities, tuning, choice, last_arrival);
    if layout.results() > 0 {
        planner.check_reach()?;
        // Without elements the rows' kernel stores identities; how the results were laid out does not matter.
        if layout.count == 0 {
            planner.layout = Layout { outer: layout.results(), count: 0, inner: 1 };
        }
        if planner.layout.inner == 1 { planner.rows()? } else { planner.columns()? }
    }
    planner.finish()
}

fn module_name(reduce: &Reduce, variant: &Variant, path: Path) -> String {
    format!("{}.{}.{}", variant.element(reduce.dtype).name(), variant.state.name(), path.module_name())
}

/// What becomes of a workgroup's state (`FINISH_*` in `glsl/reduce/interface.glsl`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Finish {
    Result = 0,
    Partial = 1,
    LastArrival = 2,
}

/// Which invocations share a row (`ROW_*` in `glsl/reduce/interface.glsl`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RowMode {
    Workgroup,
    Lanes(u32),
    Subgroup,
}

impl RowMode {
    fn number(self) -> u32 {
        match self {
            Self::Workgroup => 0,
            Self::Lanes(_) => 1,
            Self::Subgroup => 2,
        }
    }

    fn lanes(self) -> u32 {
        if let Self::Lanes(lanes) = self { lanes } else { 1 }
    }
}

/// A schedule in the making.
struct Planner<'a> {
    reduce: &'a Reduce,
    variant: Variant,
    layout: Layout,
    capabilities: &'a Capabilities,
    tuning: &'a Tuning,
    choice: PathChoice,
    /// Whether a last-arrival scheme may be used.
    may_arrive_last: bool,
    strategy: ReduceStrategy,
    steps: Vec<ReduceStep>,
    /// The most counters and words of states that any step needs.
    counters: u64,
    partial_words: u64,
    /// Words of states written and read again by all steps.
    partial_traffic: u64,
}

impl<'a> Planner<'a> {
    fn new(
        reduce: &'a Reduce,
        variant: Variant,
        layout: Layout,
        capabilities: &'a Capabilities,
        tuning: &'a Tuning,
        choice: PathChoice,
        may_arrive_last: bool,
    ) -> Self {
        let strategy = ReduceStrategy::Nothing;
        let (steps, counters, partial_words, partial_traffic) = (Vec::new(), 0, 0, 0);
        Self {
            reduce,
            variant,
            layout,
            capabilities,
            tuning,
            choice,
            may_arrive_last,
            strategy,
            steps,
            counters,
            partial_words,
            partial_traffic,
        }
    }

    /// Elements of a 16-byte load.
    fn per_quad(&self) -> u64 {
        16 / self.reduce.dtype.size()
    }

    /// What a binding's offset must be a multiple of: the device's figure, and 16 for wide loads.
    fn alignment(&self) -> u64 {
        self.capabilities.limits.min_storage_buffer_offset_alignment.max(16)
    }

    /// The most bytes that a descriptor reaches.
    fn reach(&self) -> u64 {
        u64::from(self.capabilities.limits.max_storage_buffer_range) & !15
    }

    /// A descriptor must hold at least one value, wherever it lies. Vulkan promises a million times as much, but capabilities are data, and
    /// data can say anything.
    fn check_reach(&self) -> Result<(), Error> {
        if self.reach() >= self.alignment() + 16 {
            return Ok(());
        }
        let limits = &self.capabilities.limits;
        let (range, alignment) = (limits.max_storage_buffer_range, limits.min_storage_buffer_offset_alignment);
        let limit = format!("maxStorageBufferRange is {range}, and minStorageBufferOffsetAlignment {alignment}");
        Err(Error::Unplannable { what: "a reduction".into(), device: self.capabilities.shown_name(), limit })
    }

    /// How many neighbouring values of `size` bytes one descriptor reaches, of `total` in all: wherever they begin, unless all fit.
    fn capacity(&self, total: u64, size: u64) -> u64 {
        if (total * size).next_multiple_of(4) <= self.reach() { total.max(1) } else { self.reach().saturating_sub(self.alignment()) / size }
    }

    /// The descriptor's range for `count` values of `size` bytes from value `first` on, and where in it value `first` lies.
    fn range(&self, first: u64, count: u64, size: u64) -> (StepRange, u32) {
        let begin = first * size;
        let offset = begin - begin % self.alignment();
        let end = ((first + count) * size).next_multiple_of(4);
        // The base fits: it is less than the alignment.
        (StepRange { offset, size: end - offset }, ((begin - offset) / size) as u32)
    }

    fn input_range(&self, first: u64, count: u64) -> (Option<StepRange>, u32) {
        if count == 0 {
            return (None, 0);
        }
        let (range, base) = self.range(first, count, self.reduce.dtype.size());
        (Some(range), base)
    }

    fn output_range(&self, first: u64, count: u64) -> (StepRange, u32) {
        self.range(first, count, self.variant.result.size())
    }

    /// The specialization constants that all kernels share, in the order of `glsl/reduce/interface.glsl`.
    fn constants(&self, finish: Finish, mode: RowMode, exchange_slots: u32) -> [u32; 9] {
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
        ]
    }

    /// States that shared memory holds (`EXCHANGE_SLOTS`): one an invocation where invocations meet there, else one a subgroup.
    fn exchange_slots(&self, mode: RowMode) -> u32 {
        let invocations_meet = match (self.choice.path, mode) {
            (Path::SharedMemory, _) => true,
            // The tree serves parts of a subgroup too where there are no shuffles.
            (Path::Subgroup, RowMode::Lanes(lanes)) => lanes > 1,
            _ => false,
        };
        if invocations_meet { self.choice.workgroup_size } else { self.choice.max_subgroups }
    }

    /// Group counts of `groups` workgroups, folded into y where x does not reach.
    fn fold(&self, groups: u64) -> Result<[u32; 3], Error> {
        let [most_x, most_y, _] = self.capabilities.limits.max_compute_work_group_count.map(u64::from);
        let x = groups.min(most_x).max(1);
        let y = groups.div_ceil(x).max(1);
        // Numbers of workgroups are 32 bits wide, those of the padding included.
        if x > most_x || y > most_y || x * y > u64::from(u32::MAX) {
            let limit = format!("maxComputeWorkGroupCount is {:?}", self.capabilities.limits.max_compute_work_group_count);
            let device = self.capabilities.shown_name();
            return Err(Error::Unplannable { what: format!("a dispatch of {groups} workgroups"), device, limit });
        }
        Ok([x as u32, y as u32, 1])
    }

    /// The most workgroups that [`Planner::fold`] accepts.
    fn most_groups(&self) -> u64 {
        let [most_x, most_y, _] = self.capabilities.limits.max_compute_work_group_count.map(u64::from);
        (most_x * most_y).min(u64::from(u32::MAX) - most_x.min(u64::from(u32::MAX) / 2))
    }

    /// How many states of each of `results` results a descriptor reaches, behind a counter for each.
    fn most_slots(&self, results: u64) -> u64 {
        let counters = (4 * results).next_multiple_of(16);
        self.reach().saturating_sub(counters) / (results * 4 * u64::from(self.variant.state.words())).max(1)
    }

    /// Notes what scratch a pass over `results` results with `slots` states each takes.
    fn take_scratch(&mut self, counters: u64, results: u64, slots: u64) {
        let words = results * slots * u64::from(self.variant.state.words());
        self.counters = self.counters.max(counters);
        self.partial_words = self.partial_words.max(words);
        self.partial_traffic += 2 * words;
    }

    /// The dispatch that combines what partial ones left in scratch, for `results` results from `first` on, `columns` to a slab.
    fn combine(&mut self, first: u64, results: u64, slots: u64) -> Result<(), Error> {
        let mode = if slots > 32 { RowMode::Workgroup } else { RowMode::Lanes(1) };
        let groups = if mode == RowMode::Workgroup { results } else { results.div_ceil(u64::from(self.choice.workgroup_size)) };
        let (output, output_base) = self.output_range(first, results);
        let [workgroup_size, operator, _, key_kind, _, exchange_slots, row_mode, _, scale_exponent] =
            self.constants(Finish::Result, mode, self.exchange_slots(mode));
        let constants =
            shaders::combine::SpecializationConstants { workgroup_size, operator, key_kind, exchange_slots, row_mode, scale_exponent };
        let push = shaders::combine::PushConstants {
            results: results as u32,
            slots: slots as u32,
            partials: 0,
            output_base,
            total_count: self.layout.count as u32,
        };
        let module = format!("{}.{}", self.variant.state.name(), self.choice.path.module_name());
        let groups = self.fold(groups)?;
        let kernel = StepKernel::Combine(constants, push);
        self.steps.push(ReduceStep { kernel, module, groups, input: None, pivots: None, output });
        Ok(())
    }

    fn finish(mut self) -> Result<ReduceSchedule, Error> {
        // States begin behind the counters, on a multiple of 16 bytes.
        let partials = self.counters.next_multiple_of(4);
        for step in &mut self.steps {
            match &mut step.kernel {
                StepKernel::Rows(_, push) => push.partials = partials as u32,
                StepKernel::Columns(_, push) => push.partials = partials as u32,
                StepKernel::Combine(_, push) => push.partials = partials as u32,
            }
        }
        let scratch_bytes = if self.partial_words == 0 { 0 } else { 4 * (partials + self.partial_words) };
        if scratch_bytes > self.reach() {
            let what = format!("a reduction with {scratch_bytes} bytes of intermediate states");
            let limit = format!("maxStorageBufferRange is {}", self.capabilities.limits.max_storage_buffer_range);
            return Err(Error::Unplannable { what, device: self.capabilities.shown_name(), limit });
        }
        let input_bytes = (self.layout.elements() * self.reduce.dtype.size()).next_multiple_of(4);
        let output_bytes = self.layout.results() * self.variant.result.size();
        Ok(ReduceSchedule {
            device: self.capabilities.shown_name(),
            last_arrival: self.counters > 0,
            result_dtype: self.variant.result,
            result_shape: self.reduce.result_shape(false)?,
            input_bytes,
            output_bytes,
            scratch_bytes,
            counter_bytes: 4 * self.counters,
            binding_alignment: self.alignment(),
            bytes_moved: input_bytes + output_bytes + 4 * self.partial_traffic,
            reduce: self.reduce.clone(),
            choice: self.choice,
            strategy: self.strategy,
            steps: self.steps,
        })
    }
}
