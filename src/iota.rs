//! Numbers in equal steps. See `docs/kernels/iota.md`.

use serde::{Deserialize, Serialize};
use wavelane_device::{Capabilities, Quirk};
use wavelane_record::BufferRange;

use crate::context::{Context, Outcome};
use crate::elementwise::{Count, Elementwise, QUAD_BYTES, piece_range, size_log2};
use crate::kernel::{Bindings, Kernel, Plan};
use crate::layout::Layout;
use crate::schedule::{BufferUse, MOST_BUFFERS, Schedule, ScheduleParts, dispatch};
use crate::{DType, Error, Path, Scalar, Tensor, Tuning};

/// Writes start, start + step, start + 2 step and so on: `start + step * numpy.arange(count)`. Plain data; [`Kernel::plan`] makes it ready for a device.
///
/// ```
/// use wavelane::Iota;
///
/// // The indices of an array.
/// let indices = Iota::new(0u32, 1, 1_000_000);
/// let halves = Iota::new(-1.0f32, 0.5, 5);
/// // As many as a buffer of the device says, in an array with room for a million.
/// let some = Iota::new(0u32, 1, 1_000_000).counted();
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Iota {
    /// The first element.
    pub start: Scalar,
    /// What each element is more than the one before, in the same type.
    pub step: Scalar,
    /// How many elements.
    pub count: usize,
    /// Whether the number of elements to write is read on the device, when the work runs; `count` is the most it can be then.
    #[serde(default)]
    pub counted: bool,
}

/// The buffers of one recording of an [`Iota`].
#[derive(Clone, Copy, Debug)]
pub struct IotaBindings<'a> {
    /// Where the elements go.
    pub output: BufferRange<'a>,
    /// The u32 that a counted iota takes its number of elements from.
    pub count: Option<BufferRange<'a>>,
}

impl<'a> Bindings<'a> for IotaBindings<'a> {
    fn ranges(&self) -> [Option<BufferRange<'a>>; MOST_BUFFERS] {
        let mut ranges = [None; MOST_BUFFERS];
        ranges[0] = Some(self.output);
        ranges[1] = self.count;
        ranges
    }
}

impl Iota {
    /// So many numbers.
    pub fn new<T: crate::Element>(start: T, step: T, count: usize) -> Self {
        Self { start: start.into(), step: step.into(), count, counted: false }
    }

    /// Takes the number of elements from a buffer of the device when the work runs ([`IotaBindings::count`]). A greater count is taken for the most that
    /// there can be.
    pub fn counted(mut self) -> Self {
        self.counted = true;
        self
    }
}

/// The words that the shader takes a number as: f16 is computed in f32.
fn number(value: Scalar) -> [u32; 2] {
    match value.dtype() {
        DType::F16 => [half::f16::from_bits(value.bits() as u16).to_f32().to_bits(), 0],
        _ => value.words(),
    }
}

impl Kernel for Iota {
    type Bindings<'a> = IotaBindings<'a>;

    fn schedule_tuned(
        &self,
        capabilities: &Capabilities,
        _quirks: &[&'static Quirk],
        tuning: &Tuning,
        path: Option<Path>,
    ) -> Result<Schedule, Error> {
        let dtype = self.start.dtype();
        if self.step.dtype() != dtype {
            return Err(Error::TypesDiffer { what: "iota", first: dtype, second: self.step.dtype() });
        }
        let elements = Layout::of(&[self.count], None)?.count;
        let device = Elementwise::new(capabilities, tuning, path);
        let module = match dtype {
            DType::U8 | DType::U16 | DType::I8 | DType::I16 | DType::U32 | DType::I32 => "integer32",
            DType::U64 | DType::I64 => "integer64",
            DType::F16 | DType::F32 => "f32",
            DType::F64 => "f64",
        };
        let found = crate::shaders::iota::write::module(module).map(|module| module.capabilities);
        device.check_features("iota", dtype, found.unwrap_or_default())?;
        let (size, workgroup_size) = (dtype.size(), device.choice.workgroup_size);
        let (start, step) = (number(self.start), number(self.step));
        let counter = Count::new(self.counted, elements, 1);
        let mut actions = Vec::new();
        for (first, count) in device.pieces("iota", elements, size, QUAD_BYTES / size)? {
            let groups = device.groups((count * size).div_ceil(QUAD_BYTES))?;
            let output = (0, piece_range(first, count, size));
            // Two modules, as nothing else is read that could be bound in the place of a count: the output in it would look as if it was read.
            actions.push(if counter.on_device() {
                dispatch!(
                    iota::counted,
                    module.into(),
                    shader::SpecializationConstants { workgroup_size, size_log2: size_log2(dtype) },
                    shader::PushConstants { start, step, elements: count as u32, first: first as u32 },
                    groups,
                    vec![output, counter.of_device()]
                )
            } else {
                dispatch!(
                    iota::write,
                    module.into(),
                    shader::SpecializationConstants { workgroup_size, size_log2: size_log2(dtype) },
                    shader::PushConstants { start, step, elements: count as u32, first: first as u32 },
                    groups,
                    vec![output]
                )
            });
        }
        let parts = ScheduleParts {
            kernel: "iota",
            title: format!("{dtype} [{}]{}", self.count, counter.title()),
            strategy: "16 bytes an invocation".into(),
            buffers: vec![device.need("output", BufferUse::Output, elements, size), counter.need(&device)],
            bytes_moved: elements * size + counter.bytes(),
            choice: device.choice,
            actions,
        };
        Schedule::new(parts, device.limits)
    }
}

impl Context {
    /// An array of numbers in equal steps: all of it, whether or not the iota is counted.
    ///
    /// # Errors
    /// What [`Kernel::plan`] says; memory, submission, device loss.
    pub fn iota(&self, iota: &Iota) -> Result<Outcome<Plan<Iota>>, Error> {
        let dtype = iota.start.dtype();
        let bytes = Layout::of(&[iota.count], None)?.count * dtype.size();
        // The host knows how many it wants.
        let iota = Iota { counted: false, ..*iota };
        self.run(&iota, &[], |downloads| Tensor::new(dtype, vec![iota.count], downloads.bytes(0, bytes)?))
    }
}
