//! Reductions of an array's segments, each as if it were an array of its own. See `docs/kernels/segmented_reduce.md`.

mod schedule;

use serde::{Deserialize, Serialize};
use wavelane_device::{Capabilities, Quirk};
use wavelane_record::BufferRange;

use crate::context::check_input;
use crate::kernel::{Bindings, Kernel, Plan};
use crate::offsets::check_offsets;
use crate::reduce::variant::Variant;
use crate::schedule::{MOST_BUFFERS, Schedule};
use crate::{Context, DType, Error, FloatResult, NanPolicy, Outcome, Path, Reduce, ReduceOp, Tensor, Tuning};

use schedule::{INPUT, OFFSETS, OUTPUT, SCRATCH};

/// A reduction of each segment of an array: what to compute, of what. Plain data; [`Kernel::plan`] makes it ready for a device.
///
/// Segments of one length are rows: [`Reduce`] along the last axis does them without being told where they begin.
///
/// ```
/// use wavelane::{DType, ReduceOp, SegmentedReduce};
///
/// // The greatest of each of 1000 lists that lie behind each other, a million elements in all.
/// let greatest = SegmentedReduce::new(ReduceOp::Max, DType::F32, 1_000_000, 1000);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SegmentedReduce {
    /// The operator.
    pub op: ReduceOp,
    /// Type of the elements.
    pub dtype: DType,
    /// How many elements there are.
    pub length: usize,
    /// How many segments there are. Segment k is the elements from offset k up to offset k + 1, so there is one offset more.
    pub segments: usize,
    /// What happens to NaN.
    pub nan: NanPolicy,
    /// Sum integers of up to 32 bits into 64 bits (two words, so that devices without `shaderInt64` can too) instead of wrapping.
    pub wide: bool,
    /// The type of means, variances and norms of integers.
    pub float_result: FloatResult,
}

impl SegmentedReduce {
    /// The reduction of each of `segments` segments, with NaN propagating.
    pub fn new(op: ReduceOp, dtype: DType, length: usize, segments: usize) -> Self {
        Self { op, dtype, length, segments, nan: NanPolicy::default(), wide: false, float_result: FloatResult::default() }
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
        schedule::schedule(self, capabilities, quirks, tuning, path)
    }
}

/// The buffers of one recording of a [`SegmentedReduce`].
#[derive(Clone, Copy, Debug)]
pub struct SegmentedReduceBindings<'a> {
    /// The elements; may be left out where there are none.
    pub input: Option<BufferRange<'a>>,
    /// A u32 for the beginning of each segment, ascending, and one for the end of the last.
    pub offsets: BufferRange<'a>,
    /// Where the results go, one for each segment.
    pub output: BufferRange<'a>,
    /// Temporary memory; may be left out where none is needed.
    pub scratch: Option<BufferRange<'a>>,
}

impl<'a> Bindings<'a> for SegmentedReduceBindings<'a> {
    fn ranges(&self) -> [Option<BufferRange<'a>>; MOST_BUFFERS] {
        let mut ranges = [None; MOST_BUFFERS];
        ranges[INPUT] = self.input;
        ranges[OUTPUT] = Some(self.output);
        ranges[SCRATCH] = self.scratch;
        ranges[OFFSETS] = Some(self.offsets);
        ranges
    }
}

impl Context {
    /// Reduces each segment of an array.
    ///
    /// # Errors
    /// [`Error::InputMismatch`] if `input` or `offsets` is not what `reduce` describes, [`Error::Offsets`] for offsets that do not ascend or go beyond the last
    /// element; what [`Kernel::plan`] says; memory, submission, device loss.
    pub fn segmented_reduce(
        &self,
        reduce: &SegmentedReduce,
        input: &Tensor,
        offsets: &Tensor,
    ) -> Result<Outcome<Plan<SegmentedReduce>>, Error> {
        check_input((reduce.dtype, &[reduce.length]), input)?;
        check_offsets(offsets, reduce.segments.saturating_add(1), reduce.length)?;
        let result = reduce.result_dtype()?;
        self.run(reduce, &[(INPUT, input.bytes()), (OFFSETS, offsets.bytes())], |downloads| {
            Tensor::new(result, vec![reduce.segments], downloads.bytes(OUTPUT, reduce.segments as u64 * result.size())?)
        })
    }
}
