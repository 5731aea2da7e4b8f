//! Elements in another type. See `docs/kernels/convert.md`.

use serde::{Deserialize, Serialize};
use wavelane_device::{Capabilities, Quirk};
use wavelane_record::BufferRange;

use crate::context::{Context, Outcome, check_input};
use crate::elementwise::{BLOCK, Count, Elementwise, piece_range, size_log2};
use crate::kernel::{Bindings, Kernel, Plan};
use crate::layout::Layout;
use crate::schedule::{BufferUse, MOST_BUFFERS, Schedule, ScheduleParts, dispatch};
use crate::{DType, Error, Path, Tensor, Tuning};

/// Copies elements from one type to another, as `as` does in Rust. Plain data; [`Kernel::plan`] makes it ready for a device.
///
/// ```
/// use wavelane::{Convert, DType};
///
/// let halves = Convert::new(DType::F32, DType::F16, &[344, 403]);
/// // As many as a buffer of the device says, of at most a million.
/// let some = Convert::new(DType::U8, DType::F32, &[1_000_000]).counted();
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Convert {
    /// The type that elements are of.
    pub from: DType,
    /// The type that they become.
    pub to: DType,
    /// Length of each axis.
    pub shape: Vec<usize>,
    /// Whether the number of elements to convert is read on the device, when the work runs; `shape` has the most it can be then.
    #[serde(default)]
    pub counted: bool,
}

/// The buffers of one recording of a [`Convert`].
#[derive(Clone, Copy, Debug)]
pub struct ConvertBindings<'a> {
    /// Where the elements are.
    pub input: BufferRange<'a>,
    /// Where they go.
    pub output: BufferRange<'a>,
    /// The u32 that a counted conversion takes its number of elements from.
    pub count: Option<BufferRange<'a>>,
}

impl<'a> Bindings<'a> for ConvertBindings<'a> {
    fn ranges(&self) -> [Option<BufferRange<'a>>; MOST_BUFFERS] {
        let mut ranges = [None; MOST_BUFFERS];
        ranges[0] = Some(self.input);
        ranges[1] = Some(self.output);
        ranges[2] = self.count;
        ranges
    }
}

impl Convert {
    /// An array of this shape.
    pub fn new(from: DType, to: DType, shape: &[usize]) -> Self {
        Self { from, to, shape: shape.to_vec(), counted: false }
    }

    /// Takes the number of elements from a buffer of the device when the work runs ([`ConvertBindings::count`]). A greater count is taken for the most that
    /// there can be.
    pub fn counted(mut self) -> Self {
        self.counted = true;
        self
    }
}

/// One of `KIND_*` in `glsl/convert/number.glsl`.
fn kind(dtype: DType) -> u32 {
    match dtype {
        DType::U8 | DType::U16 | DType::U32 | DType::U64 => 0,
        DType::I8 | DType::I16 | DType::I32 | DType::I64 => 1,
        DType::F16 | DType::F32 | DType::F64 => 2,
    }
}

impl Kernel for Convert {
    type Bindings<'a> = ConvertBindings<'a>;

    fn schedule_tuned(
        &self,
        capabilities: &Capabilities,
        _quirks: &[&'static Quirk],
        tuning: &Tuning,
        path: Option<Path>,
    ) -> Result<Schedule, Error> {
        let elements = Layout::of(&self.shape, None)?.count;
        let device = Elementwise::new(capabilities, tuning, path);
        let (from, to) = (self.from.size(), self.to.size());
        let workgroup_size = device.choice.workgroup_size;
        let counter = Count::new(self.counted, elements, 2);
        let mut actions = Vec::new();
        for (first, count) in device.pieces("a conversion", elements, from.max(to), BLOCK)? {
            let input = (0, piece_range(first, count, from));
            actions.push(dispatch!(
                convert::write,
                "default".into(),
                shader::SpecializationConstants {
                    workgroup_size,
                    from_size_log2: size_log2(self.from),
                    from_kind: kind(self.from),
                    to_size_log2: size_log2(self.to),
                    to_kind: kind(self.to),
                    counted: counter.constant(),
                },
                shader::PushConstants { elements: count as u32, first: first as u32 },
                device.groups(count.div_ceil(BLOCK))?,
                vec![input, (1, piece_range(first, count, to)), counter.binding(input)]
            ));
        }
        let parts = ScheduleParts {
            kernel: "convert",
            title: format!("{} {:?} to {}{}", self.from, self.shape, self.to, counter.title()),
            strategy: format!("{BLOCK} elements an invocation"),
            buffers: vec![
                device.need("input", BufferUse::Input, elements, from),
                device.need("output", BufferUse::Output, elements, to),
                counter.need(&device),
            ],
            bytes_moved: elements * (from + to) + counter.bytes(),
            choice: device.choice,
            actions,
        };
        Schedule::new(parts, device.limits)
    }
}

impl Context {
    /// Converts an array's elements: all of them, whether or not the conversion is counted.
    ///
    /// # Errors
    /// [`Error::InputMismatch`] if `input` is not what `convert` describes; what [`Kernel::plan`] says; memory, submission, device loss.
    pub fn convert(&self, convert: &Convert, input: &Tensor) -> Result<Outcome<Plan<Convert>>, Error> {
        check_input((convert.from, &convert.shape), input)?;
        let bytes = Layout::of(&convert.shape, None)?.count * convert.to.size();
        // The host knows what it hands over.
        let convert = Convert { counted: false, ..convert.clone() };
        self.run(&convert, &[(0, input.bytes())], |downloads| Tensor::new(convert.to, convert.shape.clone(), downloads.bytes(1, bytes)?))
    }
}
