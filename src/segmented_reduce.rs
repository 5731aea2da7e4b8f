//! Reductions of an array's segments, each as if it were an array of its own. See `docs/kernels/segmented_reduce.md`.

mod by_flags;
mod schedule;

use serde::{Deserialize, Serialize};
use wavelane_device::{Capabilities, Quirk};
use wavelane_record::BufferRange;

use crate::context::check_input;
use crate::kernel::{Bindings, Kernel, Plan};
use crate::offsets::{self, check_offsets};
use crate::reduce::variant::Variant;
use crate::schedule::{MOST_BUFFERS, Schedule};
use crate::{Context, DType, Error, FloatResult, NanPolicy, Outcome, Path, Reduce, ReduceOp, Tensor, Tuning};

use schedule::{COUNT, FOUND, INPUT, OFFSETS, OUTPUT, SCRATCH};

/// What tells where the segments of a reduction are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SegmentForm {
    /// Ascending u32: segment k is the elements from offset k up to offset k + 1, so there is one offset more. Segments may be empty.
    #[default]
    Offsets,
    /// Nothing: each segment has so many elements, and the last what is left.
    Length(usize),
    /// A u32 for each element, not zero where a segment begins. One begins with the first element in any case. How many there are is told.
    Flags,
}

/// A reduction of each segment of an array: what to compute, of what. Plain data; [`Kernel::plan`] makes it ready for a device.
///
/// ```
/// use wavelane::{DType, ReduceOp, SegmentedReduce};
///
/// // The greatest of each of 1000 lists that lie behind each other, a million elements in all.
/// let greatest = SegmentedReduce::new(ReduceOp::Max, DType::F32, 1_000_000, 1000);
/// // Of each 16 neighbours.
/// let of_sixteen = SegmentedReduce::of_length(ReduceOp::Max, DType::F32, 1_000_000, 16);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SegmentedReduce {
    /// The operator.
    pub op: ReduceOp,
    /// Type of the elements.
    pub dtype: DType,
    /// How many elements there are.
    pub length: usize,
    /// How many segments there are; of those that flags tell the most that there can be, which is one for each element.
    pub segments: usize,
    /// What tells where they are.
    #[serde(default)]
    pub form: SegmentForm,
    /// Whether the number of segments is read on the device, when the work runs; `segments` is the most it can be then.
    #[serde(default)]
    pub counted: bool,
    /// What happens to NaN.
    pub nan: NanPolicy,
    /// Sum integers of up to 32 bits into 64 bits (two words, so that devices without `shaderInt64` can too) instead of wrapping.
    pub wide: bool,
    /// The type of means, variances and norms of integers.
    pub float_result: FloatResult,
}

impl SegmentedReduce {
    /// The reduction of each of `segments` segments that offsets tell, with NaN propagating.
    pub fn new(op: ReduceOp, dtype: DType, length: usize, segments: usize) -> Self {
        let form = SegmentForm::Offsets;
        Self {
            op,
            dtype,
            length,
            segments,
            form,
            counted: false,
            nan: NanPolicy::default(),
            wide: false,
            float_result: FloatResult::default(),
        }
    }

    /// The reduction of each `each` neighbours; of what is left behind the last of those, too.
    pub fn of_length(op: ReduceOp, dtype: DType, length: usize, each: usize) -> Self {
        Self { form: SegmentForm::Length(each), ..Self::new(op, dtype, length, length.div_ceil(each.max(1))) }
    }

    /// The reduction of each segment that a flag begins.
    pub fn by_flags(op: ReduceOp, dtype: DType, length: usize) -> Self {
        Self { form: SegmentForm::Flags, ..Self::new(op, dtype, length, length) }
    }

    /// Takes the number of segments from a buffer of the device when the work runs ([`SegmentedReduceBindings::count`]): as many results are written, and one offset more is read.
    /// A greater number is taken for the most that there can be. Not for flags, which tell it themselves.
    pub fn counted(mut self) -> Self {
        self.counted = true;
        self
    }

    /// Leaves NaN out.
    pub fn ignoring_nan(mut self) -> Self {
        self.nan = NanPolicy::Ignore;
        self
    }

    /// Sums integers of up to 32 bits into 64 bits.
    pub fn wide(mut self) -> Self {
        self.wide = true;
        self
    }

    /// Gives means, variances and norms of integers as `float_result`.
    pub fn with_float_result(mut self, float_result: FloatResult) -> Self {
        self.float_result = float_result;
        self
    }

    /// Type of the results in the output buffer, as of [`Reduce::result_dtype`].
    ///
    /// # Errors
    /// [`Error::OperatorType`] and [`Error::WideUnsupported`].
    pub fn result_dtype(&self) -> Result<DType, Error> {
        Ok(self.variant()?.result)
    }

    fn variant(&self) -> Result<Variant, Error> {
        let Self { op, dtype, nan, wide, float_result, .. } = *self;
        Variant::of(&Reduce { nan, wide, float_result, ..Reduce::new(op, dtype, &[]) })
    }
}

impl Kernel for SegmentedReduce {
    type Bindings<'a> = SegmentedReduceBindings<'a>;

    fn schedule_tuned(
        &self,
        capabilities: &Capabilities,
        quirks: &[&'static Quirk],
        tuning: &Tuning,
        path: Option<Path>,
    ) -> Result<Schedule, Error> {
        match self.form {
            SegmentForm::Flags => by_flags::schedule(self, capabilities, quirks, tuning, path),
            _ => schedule::schedule(self, capabilities, quirks, tuning, path),
        }
    }
}

/// The buffers of one recording of a [`SegmentedReduce`].
#[derive(Clone, Copy, Debug)]
pub struct SegmentedReduceBindings<'a> {
    /// The elements; may be left out where there are none.
    pub input: Option<BufferRange<'a>>,
    /// The offsets or flags of [`SegmentedReduce::form`], where it names any.
    pub told: Option<BufferRange<'a>>,
    /// Where the results go, one for each segment.
    pub output: BufferRange<'a>,
    /// Temporary memory; may be left out where none is needed.
    pub scratch: Option<BufferRange<'a>>,
    /// The 4 bytes of the count of a counted reduction.
    pub count: Option<BufferRange<'a>>,
    /// The 4 bytes of how many segments flags begin; written by a copy.
    pub found: Option<BufferRange<'a>>,
}

impl<'a> Bindings<'a> for SegmentedReduceBindings<'a> {
    fn ranges(&self) -> [Option<BufferRange<'a>>; MOST_BUFFERS] {
        let mut ranges = [None; MOST_BUFFERS];
        ranges[INPUT] = self.input;
        ranges[OUTPUT] = Some(self.output);
        ranges[SCRATCH] = self.scratch;
        ranges[OFFSETS] = self.told;
        ranges[COUNT] = self.count;
        ranges[FOUND] = self.found;
        ranges
    }
}

impl Context {
    /// Reduces each segment of an array: all of them, whether or not the device is to count them. `told` has what [`SegmentedReduce::form`] names; nothing (`None`) for segments
    /// of one length.
    ///
    /// # Errors
    /// [`Error::InputMismatch`] if `input` or what `told` has is not what `reduce` describes, [`Error::Offsets`] for offsets that do not ascend or go beyond the last
    /// element; what [`Kernel::plan`] says; memory, submission, device loss.
    pub fn segmented_reduce<'a>(
        &self,
        reduce: &SegmentedReduce,
        input: &Tensor,
        told: impl Into<Option<&'a Tensor>>,
    ) -> Result<Outcome<Plan<SegmentedReduce>>, Error> {
        check_input((reduce.dtype, &[reduce.length]), input)?;
        let told = told.into();
        match reduce.form {
            SegmentForm::Offsets => check_offsets(offsets::told("offsets", told)?, reduce.segments.saturating_add(1), reduce.length)?,
            SegmentForm::Flags => check_input((DType::U32, &[reduce.length]), offsets::told("flags", told)?)?,
            SegmentForm::Length(_) => {}
        }
        // The host knows what it hands over.
        let reduce = SegmentedReduce { counted: false, ..reduce.clone() };
        let result = reduce.result_dtype()?;
        let uploads = [(INPUT, input.bytes()), (OFFSETS, told.map_or(&[][..], Tensor::bytes))];
        self.run(&reduce, &uploads, |downloads| {
            let segments = if reduce.form == SegmentForm::Flags { downloads.word(FOUND)? as usize } else { reduce.segments };
            Tensor::new(result, vec![segments], downloads.bytes(OUTPUT, segments as u64 * result.size())?)
        })
    }
}
