//! Elements to where indices say. See `docs/kernels/scatter.md`.

use serde::{Deserialize, Serialize};
use wavelane_device::{Capabilities, Quirk};
use wavelane_record::BufferRange;

use crate::context::{Context, Outcome, check_input};
use crate::elementwise::{Count, Elementwise, array_bytes, piece_range, size_log2};
use crate::kernel::{Bindings, Kernel, Plan};
use crate::layout::Layout;
use crate::schedule::{BufferUse, MOST_BUFFERS, Schedule, ScheduleParts, StepRange, dispatch};
use crate::{DType, Error, Path, Tensor, Tuning};

/// Bytes of an index.
const INDEX_BYTES: u64 = 4;

/// Writes values to the elements of an array that indices name: `numpy.put`. Plain data; [`Kernel::plan`] makes it ready for a device.
///
/// ```
/// use wavelane::{DType, Scatter};
///
/// // 10 elements of an array of a million, each with a value of its own.
/// let ten = Scatter::new(DType::F32, &[1000, 1000], 10);
/// // All with one value.
/// let same = Scatter::new(DType::F32, &[1000, 1000], 10).repeating(1);
/// // By as many indices as a buffer of the device says, of at most a thousand.
/// let some = Scatter::new(DType::F32, &[1000, 1000], 1000).counted();
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Scatter {
    /// Type of the elements.
    pub dtype: DType,
    /// Length of each axis of the array; indices count its elements in C order.
    pub shape: Vec<usize>,
    /// How many indices, which are u32.
    pub indices: usize,
    /// How many values: as many, or fewer, which are taken from the start again then. What is more is not read. Without any nothing is written.
    pub values: usize,
    /// Whether the number of indices to write by is read on the device, when the work runs; `indices` is the most it can be then.
    #[serde(default)]
    pub counted: bool,
}

/// The buffers of one recording of a [`Scatter`].
#[derive(Clone, Copy, Debug)]
pub struct ScatterBindings<'a> {
    /// Where the values are.
    pub values: BufferRange<'a>,
    /// Where the indices are, a u32 each.
    pub indices: BufferRange<'a>,
    /// The array.
    pub target: BufferRange<'a>,
    /// The u32 that a counted scatter takes its number of indices from.
    pub count: Option<BufferRange<'a>>,
}

impl<'a> Bindings<'a> for ScatterBindings<'a> {
    fn ranges(&self) -> [Option<BufferRange<'a>>; MOST_BUFFERS] {
        let mut ranges = [None; MOST_BUFFERS];
        ranges[0] = Some(self.values);
        ranges[1] = Some(self.indices);
        ranges[2] = Some(self.target);
        ranges[3] = self.count;
        ranges
    }
}

impl Scatter {
    /// A value for each of `indices` indices.
    pub fn new(dtype: DType, shape: &[usize], indices: usize) -> Self {
        Self { dtype, shape: shape.to_vec(), indices, values: indices, counted: false }
    }

    /// So many values, again and again.
    pub fn repeating(mut self, values: usize) -> Self {
        self.values = values;
        self
    }

    /// Takes the number of indices from a buffer of the device when the work runs ([`ScatterBindings::count`]). A greater count is taken for the most that
    /// there can be.
    pub fn counted(mut self) -> Self {
        self.counted = true;
        self
    }
}

impl Kernel for Scatter {
    type Bindings<'a> = ScatterBindings<'a>;

    fn schedule_tuned(
        &self,
        capabilities: &Capabilities,
        _quirks: &[&'static Quirk],
        tuning: &Tuning,
        path: Option<Path>,
    ) -> Result<Schedule, Error> {
        let elements = Layout::of(&self.shape, None)?.count;
        let given = Layout::of(&[self.indices], None)?.count;
        let values = Layout::of(&[self.values.min(self.indices)], None)?.count;
        let device = Elementwise::new(capabilities, tuning, path);
        let size = self.dtype.size();
        let indices = if elements == 0 || values == 0 { 0 } else { given };
        let (values, repeats) = if indices == 0 { (0, false) } else { (values, values < given) };
        device.check_whole("a scatter into an array", if indices == 0 { 0 } else { array_bytes(elements, size) })?;
        if repeats {
            device.check_whole("a scatter of repeated values", array_bytes(values, size))?;
        }
        let workgroup_size = device.choice.workgroup_size;
        let counter = Count::new(self.counted, indices, 3);
        let mut actions = Vec::new();
        for (first, count) in device.pieces("a scatter", indices, size.max(INDEX_BYTES), 1)? {
            let bound_indices = (1, piece_range(first, count, INDEX_BYTES));
            let bound = if repeats { StepRange::first(array_bytes(values, size)) } else { piece_range(first, count, size) };
            actions.push(dispatch!(
                scatter::put,
                "default".into(),
                shader::SpecializationConstants { workgroup_size, size_log2: size_log2(self.dtype), counted: counter.constant() },
                shader::PushConstants {
                    elements: count as u32,
                    count: elements as u32,
                    first: first as u32,
                    values: if repeats { values as u32 } else { 0 },
                },
                device.groups(count)?,
                vec![(0, bound), bound_indices, (2, StepRange::first(array_bytes(elements, size))), counter.binding(bound_indices)]
            ));
        }
        let parts = ScheduleParts {
            kernel: "scatter",
            title: format!("{} values to {} {:?} by {} indices{}", self.values, self.dtype, self.shape, self.indices, counter.title()),
            strategy: if size < 4 { "an index an invocation, words exchanged" } else { "an index an invocation" }.into(),
            buffers: vec![
                device.need_words("values", BufferUse::Input, values, size),
                device.need_words("indices", BufferUse::Input, indices, INDEX_BYTES),
                device.need_words("target", BufferUse::InPlace, elements, size),
                counter.need(&device),
            ],
            bytes_moved: indices * (2 * size + INDEX_BYTES) + counter.bytes(),
            choice: device.choice,
            actions,
        };
        Schedule::new(parts, device.limits)
    }
}

/// Refuses an array that does not have so many elements, whatever its shape.
fn check_count((dtype, count): (DType, usize), found: &Tensor) -> Result<(), Error> {
    if found.dtype() == dtype && found.bytes().len() as u64 == (count as u64).saturating_mul(dtype.size()) {
        return Ok(());
    }
    let found = format!("{} {:?}", found.dtype(), found.shape());
    Err(Error::InputMismatch { expected: format!("{count} {dtype}"), found })
}

impl Context {
    /// A copy of an array in which values were written by index: by all indices, whether or not the scatter is counted. `values` and `indices` are taken in C order, whatever their shapes.
    ///
    /// # Errors
    /// [`Error::InputMismatch`] if an array is not what `scatter` describes; what [`Kernel::plan`] says; memory, submission, device loss.
    pub fn scatter(&self, scatter: &Scatter, values: &Tensor, indices: &Tensor, into: &Tensor) -> Result<Outcome<Plan<Scatter>>, Error> {
        check_count((scatter.dtype, scatter.values), values)?;
        check_count((DType::U32, scatter.indices), indices)?;
        check_input((scatter.dtype, &scatter.shape), into)?;
        let used = values.bytes().len().min(scatter.indices * scatter.dtype.size() as usize);
        // The host knows what it hands over.
        let scatter = Scatter { counted: false, ..scatter.clone() };
        self.run(&scatter, &[(0, &values.bytes()[..used]), (1, indices.bytes()), (2, into.bytes())], |downloads| {
            Tensor::new(scatter.dtype, scatter.shape.clone(), downloads.bytes(2, into.bytes().len() as u64)?)
        })
    }
}
