//! Reductions: sums, products, extremes, bits, truth values, means, variances, norms and positions of extremes, of a whole array
//! or along one axis. See `docs/kernels/reduce.md`.

mod explain;
mod operator;
mod plan;
mod schedule;
pub(crate) mod variant;

use serde::{Deserialize, Serialize};
use wavelane_device::{Capabilities, Quirk};

pub use operator::ReduceOp;
pub use plan::{ReduceBindings, ReducePlan, ScratchState};
pub use schedule::{ReduceSchedule, ReduceStep, ReduceStrategy};

use crate::{DType, DeviceClass, Error, Path, Tuning};

/// What happens to NaN among the elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NanPolicy {
    /// The result is NaN, or the position of the first NaN: `numpy.min`, `numpy.argmin`.
    #[default]
    Propagate,
    /// NaN is left out: `numpy.nanmin`, `numpy.nansum`. The minimum, mean and variance of nothing but NaN are NaN, and the position of
    /// its minimum is [`u32::MAX`].
    Ignore,
}

/// The type of means, variances and norms of integers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FloatResult {
    /// f32, on every device.
    #[default]
    F32,
    /// f64, as numpy has it; needs `shaderFloat64`.
    F64,
}

/// A reduction: what to compute, of what. Plain data; [`Reduce::plan`] makes it ready for a device.
///
/// ```
/// use wavelane::{DType, Reduce, ReduceOp};
///
/// // The maximum of each row of a 344 × 403 array.
/// let rows = Reduce::new(ReduceOp::Max, DType::F32, &[344, 403]).along(1);
/// assert_eq!(rows.result_shape(false).unwrap(), [344]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Reduce {
    /// The operator.
    pub op: ReduceOp,
    /// Type of the elements.
    pub dtype: DType,
    /// Length of each axis of the input, which lies in C order.
    pub shape: Vec<usize>,
    /// The axis to reduce along; the whole array where there is none.
    pub axis: Option<usize>,
    /// What happens to NaN.
    pub nan: NanPolicy,
    /// Sum integers of up to 32 bits into 64 bits (two words, so that devices without `shaderInt64` can too) instead of wrapping.
    pub wide: bool,
    /// The type of means, variances and norms of integers.
    pub float_result: FloatResult,
    /// Whether the length along the axis (of the whole array without one) is read on the device, when the work runs; `shape` has the most it
    /// can be then.
    #[serde(default)]
    pub counted: bool,
}

impl Reduce {
    /// The reduction of a whole array, with NaN propagating.
    pub fn new(op: ReduceOp, dtype: DType, shape: &[usize]) -> Self {
        let (nan, float_result) = (NanPolicy::default(), FloatResult::default());
        Self { op, dtype, shape: shape.to_vec(), axis: None, nan, wide: false, float_result, counted: false }
    }

    /// Reduces along `axis` alone.
    pub fn along(mut self, axis: usize) -> Self {
        self.axis = Some(axis);
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

    /// Takes the length along the axis, or of the whole array, from a buffer of the device when the work runs: a u32 that another kernel
    /// counted ([`ReduceBindings::count`]). The shape says how long the axis can be at most, where elements lie, and what is planned for; a
    /// greater count is taken for that.
    ///
    /// The host cannot know whether there are elements. Of none, the least element is the greatest value of an integer type, and the greatest the
    /// least one; NaN for floats; and the position of either is [`u32::MAX`].
    ///
    /// ```
    /// use wavelane::{DType, Reduce, ReduceOp};
    ///
    /// // The mean of as many values as were appended to a list with room for a million.
    /// let mean = Reduce::new(ReduceOp::Mean, DType::F32, &[1_000_000]).counted();
    /// ```
    pub fn counted(mut self) -> Self {
        self.counted = true;
        self
    }

    /// Type of the results in the output buffer: the element type for sums, products, extremes and bits (f32 for f16 elements, u32 for u8 and u16, i32 for i8 and i16; 64 bits for
    /// wide sums), u32 for truth values (0 or 1) and positions, a float type for means, variances and norms.
    ///
    /// # Errors
    /// [`Error::OperatorType`] and [`Error::WideUnsupported`].
    pub fn result_dtype(&self) -> Result<DType, Error> {
        Ok(variant::Variant::of(self)?.result)
    }

    /// Shape of the results: the input's without the reduced axis, or with length 1 there if `keep_dims`.
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`].
    pub fn result_shape(&self, keep_dims: bool) -> Result<Vec<usize>, Error> {
        let rank = self.shape.len();
        let mut shape = self.shape.clone();
        match self.axis {
            None if keep_dims => shape.fill(1),
            None => shape.clear(),
            Some(axis) if axis >= rank => return Err(Error::AxisOutOfRange { axis, rank }),
            Some(axis) if keep_dims => shape[axis] = 1,
            Some(axis) => {
                shape.remove(axis);
            }
        }
        Ok(shape)
    }

    /// What a device would do, from its capabilities alone: no device is touched, so it can be one that is not here.
    ///
    /// # Errors
    /// Whatever makes the reduction impossible, on this device or any: see [`Error`].
    pub fn schedule(&self, capabilities: &Capabilities, quirks: &[&'static Quirk], path: Option<Path>) -> Result<ReduceSchedule, Error> {
        let tuning = Tuning::of(DeviceClass::of(capabilities));
        self.schedule_tuned(capabilities, quirks, &tuning, path)
    }

    /// [`Reduce::schedule`] with the caller's own tuning.
    ///
    /// # Errors
    /// As [`Reduce::schedule`].
    pub fn schedule_tuned(
        &self,
        capabilities: &Capabilities,
        quirks: &[&'static Quirk],
        tuning: &Tuning,
        path: Option<Path>,
    ) -> Result<ReduceSchedule, Error> {
        schedule::schedule(self, capabilities, quirks, tuning, path)
    }
}
