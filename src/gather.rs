//! Elements by index. See `docs/kernels/gather.md`.

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

/// Takes elements by index, from a whole array or along an axis: `numpy.take`. Plain data; [`Kernel::plan`] makes it ready for a device.
///
/// ```
/// use wavelane::{DType, Gather};
///
/// // 10 rows of an array of 344 rows and 403 columns, in any order.
/// let rows = Gather::new(DType::F32, &[344, 403], &[10]).along(0);
/// assert_eq!(rows.result_shape().unwrap(), [10, 403]);
/// // By as many indices as a buffer of the device says, of at most a million.
/// let some = Gather::new(DType::F32, &[344, 403], &[1_000_000]).counted();
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Gather {
    /// Type of the elements.
    pub dtype: DType,
    /// Length of each axis of the input.
    pub shape: Vec<usize>,
    /// The axis that indices are along; the whole array as one where there is none.
    pub axis: Option<usize>,
    /// Length of each axis of the indices, which are u32.
    pub indices: Vec<usize>,
    /// Whether the number of indices to take elements by is read on the device, when the work runs; `indices` has the most it can be then.
    #[serde(default)]
    pub counted: bool,
}

/// The buffers of one recording of a [`Gather`].
#[derive(Clone, Copy, Debug)]
pub struct GatherBindings<'a> {
    /// Where the elements are.
    pub input: BufferRange<'a>,
    /// Where the indices are, a u32 each.
    pub indices: BufferRange<'a>,
    /// Where the results go.
    pub output: BufferRange<'a>,
    /// The u32 that a counted gather takes its number of indices from.
    pub count: Option<BufferRange<'a>>,
}

impl<'a> Bindings<'a> for GatherBindings<'a> {
    fn ranges(&self) -> [Option<BufferRange<'a>>; MOST_BUFFERS] {
        let mut ranges = [None; MOST_BUFFERS];
        ranges[0] = Some(self.input);
        ranges[1] = Some(self.indices);
        ranges[2] = Some(self.output);
        ranges[3] = self.count;
        ranges
    }
}

impl Gather {
    /// Of a whole array.
    pub fn new(dtype: DType, shape: &[usize], indices: &[usize]) -> Self {
        Self { dtype, shape: shape.to_vec(), axis: None, indices: indices.to_vec(), counted: false }
    }

    /// Along `axis`: each index takes all that has it there.
    pub fn along(mut self, axis: usize) -> Self {
        self.axis = Some(axis);
        self
    }

    /// Takes the number of indices from a buffer of the device when the work runs ([`GatherBindings::count`]). A greater count is taken for the most that
    /// there can be.
    pub fn counted(mut self) -> Self {
        self.counted = true;
        self
    }

    /// Shape of the results: the indices', in place of the axis that they are along.
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`].
    pub fn result_shape(&self) -> Result<Vec<usize>, Error> {
        let Some(axis) = self.axis else { return Ok(self.indices.clone()) };
        match self.shape.get(axis) {
            Some(_) => Ok([&self.shape[..axis], &self.indices, &self.shape[axis + 1..]].concat()),
            None => Err(Error::AxisOutOfRange { axis, rank: self.shape.len() }),
        }
    }
}

impl Kernel for Gather {
    type Bindings<'a> = GatherBindings<'a>;

    fn schedule_tuned(
        &self,
        capabilities: &Capabilities,
        _quirks: &[&'static Quirk],
        tuning: &Tuning,
        path: Option<Path>,
    ) -> Result<Schedule, Error> {
        let layout = Layout::of(&self.shape, self.axis)?;
        let lines = Layout::of(&self.indices, None)?.count;
        let results = Layout::of(&self.result_shape()?, None)?.count;
        let device = Elementwise::new(capabilities, tuning, path);
        let size = self.dtype.size();
        let (inputs, indices) = if results == 0 { (0, 0) } else { (layout.elements(), lines) };
        let flat = layout.outer == 1 && layout.inner == 1;
        device.check_whole("a gather from an array", array_bytes(inputs, size))?;
        if !flat {
            device.check_whole("a gather along an axis by indices", array_bytes(indices, INDEX_BYTES))?;
        }
        let workgroup_size = device.choice.workgroup_size;
        let counter = Count::new(self.counted, results, 3);
        let per_invocation = (4 / size).max(1);
        let mut actions = Vec::new();
        for (first, count) in device.pieces("a gather", results, size.max(INDEX_BYTES), per_invocation)? {
            let whole_indices = (1, StepRange::first(array_bytes(indices, INDEX_BYTES)));
            let bound_indices = if flat { (1, piece_range(first, count, INDEX_BYTES)) } else { whole_indices };
            // Of an array without elements every index is out of range, and nothing is read of what is bound in its place.
            let input = if inputs == 0 { bound_indices } else { (0, StepRange::first(array_bytes(inputs, size))) };
            actions.push(dispatch!(
                gather::take,
                "default".into(),
                shader::SpecializationConstants {
                    workgroup_size,
                    size_log2: size_log2(self.dtype),
                    flat: u32::from(flat),
                    counted: counter.constant(),
                },
                shader::PushConstants {
                    elements: count as u32,
                    first: first as u32,
                    count: layout.count as u32,
                    inner: layout.inner as u32,
                    lines: lines as u32,
                },
                device.groups(count.div_ceil(per_invocation))?,
                vec![input, bound_indices, (2, piece_range(first, count, size)), counter.binding(bound_indices)]
            ));
        }
        let along = self.axis.map_or_else(String::new, |axis| format!(" along axis {axis}"));
        let parts = ScheduleParts {
            kernel: "gather",
            title: format!("{} {:?}{along} by {:?} indices{}", self.dtype, self.shape, self.indices, counter.title()),
            strategy: if flat { "an index a result" } else { "an index for all results that share it" }.into(),
            buffers: vec![
                device.need_words("input", BufferUse::Input, inputs, size),
                device.need_words("indices", BufferUse::Input, indices, INDEX_BYTES),
                device.need_words("output", BufferUse::Output, results, size),
                counter.need(&device),
            ],
            bytes_moved: results * 2 * size + INDEX_BYTES * if flat { results } else { indices } + counter.bytes(),
            choice: device.choice,
            actions,
        };
        Schedule::new(parts, device.limits)
    }
}

impl Context {
    /// Takes elements of an array by index: by all indices, whether or not the gather is counted.
    ///
    /// # Errors
    /// [`Error::InputMismatch`] if `input` or `indices` is not what `gather` describes; what [`Kernel::plan`] says; memory, submission, device loss.
    pub fn gather(&self, gather: &Gather, input: &Tensor, indices: &Tensor) -> Result<Outcome<Plan<Gather>>, Error> {
        check_input((gather.dtype, &gather.shape), input)?;
        check_input((DType::U32, &gather.indices), indices)?;
        let shape = gather.result_shape()?;
        let bytes = Layout::of(&shape, None)?.count * gather.dtype.size();
        // The host knows what it hands over.
        let gather = Gather { counted: false, ..gather.clone() };
        self.run(&gather, &[(0, input.bytes()), (1, indices.bytes())], |downloads| {
            Tensor::new(gather.dtype, shape, downloads.bytes(2, bytes)?)
        })
    }
}
