//! What a kernel does on a device, step by step: which modules, how many workgroups, which bytes they see, and the barriers between. The form
//! that the schedules of all kernels but the reduction share. Plain data, computed from capabilities alone.

mod barriers;
mod explain;
#[cfg(test)]
pub(crate) mod legal;
mod place;

use wavelane_record::{Access, BindingDescription};

use crate::limits::DeviceLimits;
use crate::{Error, Path, PathChoice};

pub use barriers::StepBarrier;
pub(crate) use place::Place;

/// The most buffers that a kernel binds.
pub const MOST_BUFFERS: usize = 9;

/// Bytes of a count that the device has.
pub(crate) const COUNT_BYTES: u64 = 4;

/// Bytes of a bound buffer, from the start of the binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepRange {
    /// First byte.
    pub offset: u64,
    /// How many.
    pub size: u64,
}

impl StepRange {
    /// The first `size` bytes.
    pub(crate) const fn first(size: u64) -> Self {
        Self { offset: 0, size }
    }

    pub(crate) fn end(self) -> u64 {
        self.offset + self.size
    }

    fn overlaps(self, other: Self) -> bool {
        self.size > 0 && other.size > 0 && self.offset < other.end() && other.offset < self.end()
    }
}

/// What a kernel does with a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferUse {
    /// It only reads.
    Input,
    /// It writes, and what was there does not matter.
    Output,
    /// It reads what was there, and writes.
    InPlace,
    /// Temporary memory: nothing that was there matters, and nothing that is left.
    Scratch,
}

/// A buffer that a kernel's bindings must have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferNeed {
    /// Its name among the bindings.
    pub name: &'static str,
    /// What is done with it.
    pub usage: BufferUse,
    /// Bytes that the binding must have; 0 where it may be left out.
    pub bytes: u64,
    /// What the binding's offset must be a multiple of.
    pub alignment: u64,
}

/// What one step does.
#[derive(Clone, Debug, PartialEq)]
pub enum StepAction {
    /// Writes a word again and again.
    Fill {
        /// Which of the schedule's buffers.
        buffer: usize,
        /// Which of its bytes.
        range: StepRange,
        /// The word.
        word: u32,
    },
    /// Copies bytes from one buffer to another.
    Copy {
        /// Which of the schedule's buffers is read.
        from: usize,
        /// From which byte on.
        from_offset: u64,
        /// Which is written.
        to: usize,
        /// Which of its bytes.
        range: StepRange,
    },
    /// Runs a shader.
    Dispatch(DispatchStep),
}

/// A shader, its constants, and what it is bound to.
#[derive(Clone, PartialEq)]
pub struct DispatchStep {
    /// The kernel's source: family and name, such as `scan.tiles`.
    pub kernel: &'static str,
    /// Name of the shader module within the kernel.
    pub module: String,
    /// Group counts.
    pub groups: [u32; 3],
    /// Bytes of shared memory a workgroup takes.
    pub shared_bytes: u32,
    /// For each binding of the shader: which of the schedule's buffers, and which of its bytes.
    pub bindings: Vec<(usize, StepRange)>,
    pub(crate) spirv: &'static [u32],
    pub(crate) constants: Vec<(u32, u32)>,
    pub(crate) descriptions: &'static [BindingDescription],
    pub(crate) push: Vec<u8>,
}

impl std::fmt::Debug for DispatchStep {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { kernel, module, groups, shared_bytes, bindings, constants, .. } = self;
        f.debug_struct("DispatchStep")
            .field("kernel", kernel)
            .field("module", module)
            .field("groups", groups)
            .field("shared_bytes", shared_bytes)
            .field("bindings", bindings)
            .field("constants", constants)
            .finish_non_exhaustive()
    }
}

/// One command, and the barriers in front of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// What earlier steps did that this one must wait for.
    pub barriers: Vec<StepBarrier>,
    /// The command.
    pub action: StepAction,
}

/// What a kernel does on a device. Plain data, computed from capabilities alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    /// The kernel's name.
    pub kernel: &'static str,
    /// What is computed, in words.
    pub title: String,
    /// The device it is for, by name.
    pub device: String,
    /// The path, its sizes and reasons.
    pub choice: PathChoice,
    /// How the work is shared among workgroups, in words.
    pub strategy: String,
    /// What must be bound, in the order of the kernel's bindings.
    pub buffers: Vec<BufferNeed>,
    /// The commands, in order.
    pub steps: Vec<Step>,
    /// Bytes read and written, scratch included; at most, where the device counts.
    pub bytes_moved: u64,
}

impl Schedule {
    /// The path taken.
    pub fn path(&self) -> Path {
        self.choice.path
    }

    /// Bytes of temporary memory.
    pub fn scratch_bytes(&self) -> u64 {
        self.buffers.iter().filter(|need| need.usage == BufferUse::Scratch).map(|need| need.bytes).sum()
    }

    /// What the offset of most bindings must be a multiple of: the largest of [`BufferNeed::alignment`].
    pub fn binding_alignment(&self) -> u64 {
        self.buffers.iter().map(|need| need.alignment).max().unwrap_or(4)
    }

    /// The bytes that a binding must have.
    pub fn bytes_of(&self, name: &str) -> u64 {
        self.buffers.iter().find(|need| need.name == name).map_or(0, |need| need.bytes)
    }

    /// How a buffer is written last, if it is: what a barrier behind the recording names as the access before.
    pub fn written_by(&self, buffer: usize) -> Option<Access> {
        let mut writes = self.steps.iter().rev().flat_map(|step| barriers::touches(&step.action)).filter(|touch| touch.access.writes());
        writes.find(|touch| touch.buffer == buffer).map(|touch| touch.access)
    }

    /// The dispatches among the steps.
    pub fn dispatches(&self) -> impl Iterator<Item = &DispatchStep> {
        self.steps.iter().filter_map(|step| match &step.action {
            StepAction::Dispatch(dispatch) => Some(dispatch),
            _ => None,
        })
    }

    /// Barrier calls that `record` makes between the steps.
    pub fn barriers(&self) -> usize {
        self.steps.iter().filter(|step| !step.barriers.is_empty()).count()
    }

    /// The schedule of steps that are known, with the barriers that they need among each other.
    pub(crate) fn new(parts: ScheduleParts, limits: DeviceLimits<'_>) -> Result<Self, Error> {
        let ScheduleParts { kernel, title, choice, strategy, buffers, actions, bytes_moved } = parts;
        debug_assert!(buffers.len() <= MOST_BUFFERS);
        for action in &actions {
            let StepAction::Dispatch(dispatch) = action else { continue };
            for &(buffer, range) in &dispatch.bindings {
                limits.check_whole(buffers[buffer].name, range.size)?;
            }
        }
        Ok(Self {
            kernel,
            title,
            device: limits.capabilities.shown_name(),
            choice,
            strategy,
            steps: barriers::between(actions),
            buffers,
            bytes_moved,
        })
    }
}

/// A schedule without what follows from it.
pub(crate) struct ScheduleParts {
    pub(crate) kernel: &'static str,
    pub(crate) title: String,
    pub(crate) choice: PathChoice,
    pub(crate) strategy: String,
    pub(crate) buffers: Vec<BufferNeed>,
    pub(crate) actions: Vec<StepAction>,
    pub(crate) bytes_moved: u64,
}

/// A dispatch of a generated kernel, `$module` in `crate::shaders`: its constants, push constants, workgroups, and bindings.
macro_rules! dispatch {
    ($family:ident :: $kernel:ident, $module:expr, $constants:expr, $push:expr, $groups:expr, $bindings:expr) => {{
        use crate::shaders::$family::$kernel as shader;
        let name: String = $module;
        let module = shader::module(&name);
        let constants: shader::SpecializationConstants = $constants;
        let push: shader::PushConstants = $push;
        crate::schedule::StepAction::Dispatch(crate::schedule::DispatchStep {
            kernel: concat!(stringify!($family), ".", stringify!($kernel)),
            groups: $groups,
            shared_bytes: module.map_or(0, |module| (module.shared_bytes)(&constants)),
            bindings: $bindings,
            spirv: module.map(|module| module.spirv).unwrap_or_default(),
            constants: constants.entries().to_vec(),
            descriptions: &shader::BINDINGS,
            push: bytemuck::bytes_of(&push).to_vec(),
            module: name,
        })
    }};
}
pub(crate) use dispatch;
