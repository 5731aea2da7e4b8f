//! One value in every element of an array. See `docs/kernels/fill.md`.

use serde::{Deserialize, Serialize};
use wavelane_device::{Capabilities, Quirk};
use wavelane_record::BufferRange;

use crate::context::{Context, Outcome};
use crate::elementwise::{Count, Elementwise, QUAD_BYTES, piece_range, size_log2};
use crate::kernel::{Bindings, Kernel, Plan};
use crate::layout::Layout;
use crate::schedule::{BufferUse, MOST_BUFFERS, Schedule, ScheduleParts, dispatch};
use crate::{Error, Path, Scalar, Tensor, Tuning};

/// Writes one value to every element of an array: `numpy.full`. Plain data; [`Kernel::plan`] makes it ready for a device.
///
/// ```
/// use wavelane::Fill;
///
/// let ones = Fill::new(1.0f32, &[344, 403]);
/// // As many as a buffer of the device says, in an array with room for a million.
/// let some = Fill::new(7u16, &[1_000_000]).counted();
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Fill {
    /// The value.
    pub value: Scalar,
    /// Length of each axis.
    pub shape: Vec<usize>,
    /// Whether the number of elements to write is read on the device, when the work runs; `shape` has the most it can be then.
    #[serde(default)]
    pub counted: bool,
}

/// The buffers of one recording of a [`Fill`].
#[derive(Clone, Copy, Debug)]
pub struct FillBindings<'a> {
    /// Where the elements go.
    pub output: BufferRange<'a>,
    /// The u32 that a counted fill takes its number of elements from.
    pub count: Option<BufferRange<'a>>,
}

impl<'a> Bindings<'a> for FillBindings<'a> {
    fn ranges(&self) -> [Option<BufferRange<'a>>; MOST_BUFFERS] {
        let mut ranges = [None; MOST_BUFFERS];
        ranges[0] = Some(self.output);
        ranges[1] = self.count;
        ranges
    }
}

impl Fill {
    /// An array of this shape.
    pub fn new(value: impl Into<Scalar>, shape: &[usize]) -> Self {
        Self { value: value.into(), shape: shape.to_vec(), counted: false }
    }

    /// Takes the number of elements from a buffer of the device when the work runs ([`FillBindings::count`]). A greater count is taken for the most that
    /// there can be.
    pub fn counted(mut self) -> Self {
        self.counted = true;
        self
    }

    /// The value as often as it fits two words.
    fn pattern(&self) -> [u32; 2] {
        let [low, high] = self.value.words();
        match self.value.dtype().size() {
            1 => [low * 0x0101_0101; 2],
            2 => [low * 0x0001_0001; 2],
            4 => [low; 2],
            _ => [low, high],
        }
    }
}

impl Kernel for Fill {
    type Bindings<'a> = FillBindings<'a>;

    fn schedule_tuned(
        &self,
        capabilities: &Capabilities,
        _quirks: &[&'static Quirk],
        tuning: &Tuning,
        path: Option<Path>,
    ) -> Result<Schedule, Error> {
        let elements = Layout::of(&self.shape, None)?.count;
        let (dtype, size) = (self.value.dtype(), self.value.dtype().size());
        let device = Elementwise::new(capabilities, tuning, path);
        let counter = Count::new(self.counted, elements, 1);
        let (workgroup_size, pattern) = (device.choice.workgroup_size, self.pattern());
        let mut actions = Vec::new();
        for (first, count) in device.pieces("a fill", elements, size, QUAD_BYTES / size)? {
            let groups = device.groups((count * size).div_ceil(QUAD_BYTES))?;
            let output = (0, piece_range(first, count, size));
            // Two modules, as nothing else is read that could be bound in the place of a count: the output in it would look as if it was read.
            actions.push(if counter.on_device() {
                dispatch!(
                    fill::counted,
                    "default".into(),
                    shader::SpecializationConstants { workgroup_size, size_log2: size_log2(dtype) },
                    shader::PushConstants { pattern, elements: count as u32, first: first as u32 },
                    groups,
                    vec![output, counter.of_device()]
                )
            } else {
                dispatch!(
                    fill::write,
                    "default".into(),
                    shader::SpecializationConstants { workgroup_size, size_log2: size_log2(dtype) },
                    shader::PushConstants { pattern, elements: count as u32 },
                    groups,
                    vec![output]
                )
            });
        }
        let parts = ScheduleParts {
            kernel: "fill",
            title: format!("{dtype} {:?}{}", self.shape, counter.title()),
            strategy: "16 bytes an invocation".into(),
            bytes_moved: elements * size + counter.bytes(),
            buffers: vec![device.need("output", BufferUse::Output, elements, size), counter.need(&device)],
            choice: device.choice,
            actions,
        };
        Schedule::new(parts, device.limits)
    }
}

impl Context {
    /// An array of one value: all of it, whether or not the fill is counted.
    ///
    /// # Errors
    /// What [`Kernel::plan`] says; memory, submission, device loss.
    pub fn fill(&self, fill: &Fill) -> Result<Outcome<Plan<Fill>>, Error> {
        // The host knows how many it wants.
        let fill = Fill { counted: false, ..fill.clone() };
        let dtype = fill.value.dtype();
        let bytes = Layout::of(&fill.shape, None)?.count * dtype.size();
        self.run(&fill, &[], |downloads| Tensor::new(dtype, fill.shape.clone(), downloads.bytes(0, bytes)?))
    }
}
