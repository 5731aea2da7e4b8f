//! What a reduction does on a device, step by step: which kernels, how many workgroups, which bytes they see. Every limit of the
//! device is met here.

mod columns;
#[cfg(test)]
mod coverage;
mod planner;
mod rows;

use wavelane_device::{Capabilities, Quirk, QuirkEffect};

use self::planner::Planner;
use super::Reduce;
use super::variant::Variant;
use crate::features::missing_feature;
use crate::layout::Layout;
use crate::limits::DeviceLimits;
use crate::schedule::StepRange;
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
    /// Where in scratch the count of a counted reduction is copied to before the first step, in bytes: right behind the counters.
    pub count_offset: Option<u64>,
    /// What the offset of every binding must be a multiple of.
    pub binding_alignment: u64,
    /// The dispatches, in order, with a barrier between each two.
    pub steps: Vec<ReduceStep>,
    /// Bytes read and written, states in scratch included; at most, where the device counts.
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
    let layout = Layout::of(&reduce.shape, reduce.axis)?;
    if layout.count == 0 && reduce.op.needs_elements() {
        return Err(Error::EmptyReduction { op: reduce.op });
    }
    // The one word more is `arrived_last` in `glsl/reduce/finish.glsl`.
    let (shared_words, shared_words_beside) = (variant.state.words(), 1);
    let needs = PathNeeds {
        shared_words,
        shared_words_beside,
        arithmetic: true,
        wide_arithmetic: variant.state == super::variant::State::U64,
        ballots: false,
    };
    // A type that the device lacks is the better answer than a path that it lacks for that type.
    let floor = shaders::rows::module(&module_name(reduce, &variant, Path::SharedMemory));
    if let Some(feature) = floor.and_then(|module| missing_feature(module.capabilities, capabilities)) {
        return Err(Error::TypeUnsupported { op: reduce.op.name(), dtype: reduce.dtype, feature, device: capabilities.shown_name() });
    }
    let choice = select(capabilities, quirks, tuning, &needs, path)?;
    let last_arrival = !quirks.iter().any(|quirk| quirk.effect == QuirkEffect::ForbidLastWorkgroupDone);

    let mut planner = Planner::new(reduce, variant, layout, DeviceLimits { capabilities }, tuning, choice, last_arrival);
    if layout.results() > 0 {
        let bytes = layout.elements() * reduce.dtype.size() + layout.results() * variant.result.size();
        planner.limits.check_reach("a reduction", bytes)?;
        // Without elements the rows' kernel stores identities; how the results were laid out does not matter.
        if layout.count == 0 {
            planner.layout = Layout { outer: layout.results(), count: 0, inner: 1 };
        }
        if planner.layout.inner == 1 { planner.rows()? } else { planner.columns()? }
    }
    planner.finish()
}

fn module_name(reduce: &Reduce, variant: &Variant, path: Path) -> String {
    format!("{}.{}.{}", variant.element(reduce.dtype).element_module(), variant.state.name(), path.module_name())
}
