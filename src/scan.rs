//! Scans: running sums, products, extremes and bits, of a whole array or along one axis. See `docs/kernels/scan.md`.

mod columns;
pub(crate) mod exchange;
mod heads;
mod operator;
mod reduce_by_key;
mod segmented_scan;
#[cfg(test)]
mod tests;
mod tiles;
mod variant;
mod work;

use serde::{Deserialize, Serialize};
use wavelane_device::{Capabilities, Quirk};
use wavelane_record::BufferRange;

pub use operator::ScanOp;
pub use reduce_by_key::{ReduceByKey, ReduceByKeyBindings, ReducedByKey};
pub use segmented_scan::{SegmentSource, SegmentedScan, SegmentedScanBindings};

use crate::context::check_input;
use crate::kernel::{Bindings, Kernel, Plan};
use crate::layout::Layout;
use crate::schedule::{MOST_BUFFERS, Schedule};
use crate::{Context, DType, Error, Outcome, Path, Scalar, Tensor, Tuning};

use heads::Heads;
use work::{INPUT, OUTPUT, Work};

/// How workgroups find what came before their elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScanStrategy {
    /// One workgroup does everything.
    OneWorkgroup,
    /// A first dispatch reduces what each workgroup has, a second one scans it. Elements are read twice.
    ReduceThenScan,
    /// One dispatch, in which each workgroup looks back at what the ones before it have published, and does the work of one that publishes nothing for a while. Elements
    /// are read once. Not in place.
    SinglePass,
}

/// A scan: what to compute, of what. Plain data; [`Kernel::plan`] makes it ready for a device.
///
/// ```
/// use wavelane::{DType, Scan, ScanOp};
///
/// // Where each of 1000 lists begins in one array, from their lengths.
/// let offsets = Scan::new(ScanOp::Sum, DType::U32, &[1000]).exclusive();
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Scan {
    /// The operator.
    pub op: ScanOp,
    /// Type of the elements.
    pub dtype: DType,
    /// Length of each axis of the input, which lies in C order.
    pub shape: Vec<usize>,
    /// The axis to scan along; the whole array in C order where there is none.
    pub axis: Option<usize>,
    /// Whether a result leaves its own element out.
    pub exclusive: bool,
    /// Whether the scan goes from the end of the axis to its beginning.
    pub reverse: bool,
    /// What comes before the first element of each line, of the elements' type.
    pub initial: Option<Scalar>,
    /// Sum integers of up to 32 bits into 64 bits (two words, so that devices without `shaderInt64` can too) instead of wrapping.
    pub wide: bool,
    /// Whether results replace the elements: [`ScanBindings::input`] is not used then.
    pub in_place: bool,
    /// Whether the length along the axis (of the whole array without one) is read on the device, when the work runs; `shape` has the most it
    /// can be then.
    pub counted: bool,
    /// Whether sums and products of floats may be combined in an order that depends on which workgroup is done first, so that their last digits differ from run
    /// to run: a single pass then does for them.
    pub any_order: bool,
    /// The strategy to take; without one it follows from device and size.
    pub strategy: Option<ScanStrategy>,
}

impl Scan {
    /// The inclusive scan of a whole array, forwards.
    pub fn new(op: ScanOp, dtype: DType, shape: &[usize]) -> Self {
        Self {
            op,
            dtype,
            shape: shape.to_vec(),
            axis: None,
            exclusive: false,
            reverse: false,
            initial: None,
            wide: false,
            in_place: false,
            counted: false,
            any_order: false,
            strategy: None,
        }
    }

    /// Scans along `axis` alone.
    pub fn along(mut self, axis: usize) -> Self {
        self.axis = Some(axis);
        self
    }

    /// Leaves each result's own element out.
    pub fn exclusive(mut self) -> Self {
        self.exclusive = true;
        self
    }

    /// Goes from the end to the beginning.
    pub fn reverse(mut self) -> Self {
        self.reverse = true;
        self
    }

    /// Begins with a value of the elements' type.
    pub fn with_initial(mut self, initial: impl Into<Scalar>) -> Self {
        self.initial = Some(initial.into());
        self
    }

    /// Sums integers of up to 32 bits into 64 bits.
    pub fn wide(mut self) -> Self {
        self.wide = true;
        self
    }

    /// Replaces the elements by the results.
    pub fn in_place(mut self) -> Self {
        self.in_place = true;
        self
    }

    /// Takes the length along the axis, or of the whole array, from a buffer of the device when the work runs ([`ScanBindings::count`]). Results of the elements beyond are
    /// not written.
    pub fn counted(mut self) -> Self {
        self.counted = true;
        self
    }

    /// Lets floats be combined in any order.
    pub fn in_any_order(mut self) -> Self {
        self.any_order = true;
        self
    }

    /// Takes a strategy, where it is possible.
    pub fn with_strategy(mut self, strategy: ScanStrategy) -> Self {
        self.strategy = Some(strategy);
        self
    }

    /// Type of the results in the output buffer: the element type, but f32 for f16 elements, u32 for u8 and u16, i32 for i8 and i16, and 64 bits for wide sums.
    ///
    /// # Errors
    /// [`Error::OperatorType`] and [`Error::WideUnsupported`].
    pub fn result_dtype(&self) -> Result<DType, Error> {
        Ok(variant::of(self.op, self.dtype, self.wide)?.result)
    }

    fn work(&self) -> Result<Work, Error> {
        let layout = match self.axis {
            // Of nothing there are no results, however long the other axes are.
            axis if self.shape.contains(&0) && axis.is_none_or(|axis| axis < self.shape.len()) => Layout { outer: 0, count: 0, inner: 1 },
            axis => Layout::of(&self.shape, axis)?,
        };
        let along = self.axis.map_or_else(|| "as one".into(), |axis| format!("along axis {axis}"));
        let counted = if self.counted { ", its length counted by the device" } else { "" };
        Ok(Work {
            kernel: "scan",
            title: format!("of {} {:?} {along}{counted}", self.dtype, self.shape),
            op: self.op,
            dtype: self.dtype,
            variant: variant::of(self.op, self.dtype, self.wide)?,
            layout,
            heads: if layout.outer > 1 { Heads::Rows } else { Heads::None },
            exclusive: self.exclusive,
            reverse: self.reverse,
            initial: self.initial,
            in_place: self.in_place,
            counted: self.counted,
            any_order: self.any_order,
            strategy: self.strategy,
            runs: false,
        })
    }
}

impl Kernel for Scan {
    type Bindings<'a> = ScanBindings<'a>;

    fn schedule_tuned(
        &self,
        capabilities: &Capabilities,
        quirks: &[&'static Quirk],
        tuning: &Tuning,
        path: Option<Path>,
    ) -> Result<Schedule, Error> {
        self.work()?.schedule(capabilities, quirks, tuning, path)
    }
}

/// The buffers of one recording of a [`Scan`].
#[derive(Clone, Copy, Debug)]
pub struct ScanBindings<'a> {
    /// The elements. Not looked at where results replace them.
    pub input: Option<BufferRange<'a>>,
    /// Where the results go, or the elements that results replace.
    pub output: BufferRange<'a>,
    /// Temporary memory; may be left out where none is needed.
    pub scratch: Option<BufferRange<'a>>,
    /// The 4 bytes of the count of a counted scan.
    pub count: Option<BufferRange<'a>>,
}

impl<'a> Bindings<'a> for ScanBindings<'a> {
    fn ranges(&self) -> [Option<BufferRange<'a>>; MOST_BUFFERS] {
        let mut ranges = [None; MOST_BUFFERS];
        ranges[INPUT] = self.input;
        ranges[OUTPUT] = Some(self.output);
        ranges[work::SCRATCH] = self.scratch;
        ranges[work::COUNT] = self.count;
        ranges
    }
}

impl Context {
    /// Scans an array: all of it, whether or not the scan is counted or in place.
    ///
    /// # Errors
    /// [`Error::InputMismatch`] if `input` is not what `scan` describes; what [`Kernel::plan`] says; memory, submission, device loss.
    pub fn scan(&self, scan: &Scan, input: &Tensor) -> Result<Outcome<Plan<Scan>>, Error> {
        check_input((scan.dtype, &scan.shape), input)?;
        // The host knows what it hands over.
        let scan = Scan { counted: false, ..scan.clone() };
        let result = scan.result_dtype()?;
        let elements = if scan.in_place { OUTPUT } else { INPUT };
        self.run(&scan, &[(elements, input.bytes())], |downloads| {
            let count = (input.bytes().len() as u64 / scan.dtype.size()) * result.size();
            Tensor::new(result, scan.shape.clone(), downloads.bytes(OUTPUT, count)?)
        })
    }
}
