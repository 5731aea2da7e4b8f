//! Scans of an array's segments, each as if it were an array of its own. See `docs/kernels/segmented_scan.md`.

use serde::{Deserialize, Serialize};
use wavelane_device::{Capabilities, Quirk};
use wavelane_record::BufferRange;

use super::heads::Heads;
use super::work::{self, INPUT, OUTPUT, Work};
use super::{ScanOp, ScanStrategy, variant};
use crate::context::check_input;
use crate::kernel::{Bindings, Kernel, Plan};
use crate::layout::Layout;
use crate::offsets::{check_offsets, told};
use crate::schedule::{MOST_BUFFERS, Schedule};
use crate::{Context, DType, Error, Outcome, Path, Scalar, Tensor, Tuning};

/// What tells where segments begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SegmentSource {
    /// A u32 for each element, not zero where a segment begins. One begins with the first element in any case.
    Flags,
    /// A key of this type for each element: neighbours whose keys have the same bits are of one segment.
    Keys(DType),
    /// So many u32 offsets, ascending: segment k is the elements from offset k up to offset k + 1, and may be empty. Elements before the first offset, and
    /// behind the last, are segments of their own.
    Offsets(usize),
    /// Nothing: each segment has so many elements, and the last what is left.
    Length(usize),
}

/// A scan of each segment of an array: what to compute, of what. Plain data; [`Kernel::plan`] makes it ready for a device.
///
/// ```
/// use wavelane::{DType, ScanOp, SegmentSource, SegmentedScan};
///
/// // Running sums of 1000 lists that lie behind each other, a million elements in all.
/// let sums = SegmentedScan::new(ScanOp::Sum, DType::F32, 1_000_000, SegmentSource::Offsets(1001));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SegmentedScan {
    /// The operator.
    pub op: ScanOp,
    /// Type of the elements.
    pub dtype: DType,
    /// How many elements there are.
    pub length: usize,
    /// What tells where segments begin.
    pub segments: SegmentSource,
    /// Whether a result leaves its own element out.
    pub exclusive: bool,
    /// Whether segments are scanned from their end to their beginning.
    pub reverse: bool,
    /// What comes before the first element of each segment, of the elements' type.
    pub initial: Option<Scalar>,
    /// Sum integers of up to 32 bits into 64 bits instead of wrapping.
    pub wide: bool,
    /// Whether results replace the elements: [`SegmentedScanBindings::input`] is not used then.
    pub in_place: bool,
    /// Whether the length is read on the device, when the work runs; `length` is the most it can be then. The last segment ends there.
    pub counted: bool,
    /// Whether sums and products of floats may be combined in an order that depends on which workgroup is done first.
    pub any_order: bool,
    /// The strategy to take; without one it follows from device and size.
    pub strategy: Option<ScanStrategy>,
}

impl SegmentedScan {
    /// The inclusive scan of each segment, forwards.
    pub fn new(op: ScanOp, dtype: DType, length: usize, segments: SegmentSource) -> Self {
        Self {
            op,
            dtype,
            length,
            segments,
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

    /// Leaves each result's own element out.
    pub fn exclusive(mut self) -> Self {
        self.exclusive = true;
        self
    }

    /// Goes from the end of each segment to its beginning.
    pub fn reverse(mut self) -> Self {
        self.reverse = true;
        self
    }

    /// Begins each segment with a value of the elements' type.
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

    /// Takes the length from a buffer of the device when the work runs ([`SegmentedScanBindings::count`]). Results of the elements beyond are not written.
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
        let by = match self.segments {
            SegmentSource::Flags => "told by flags".into(),
            SegmentSource::Keys(key) => format!("of equal {key} keys"),
            SegmentSource::Offsets(count) => format!("from {count} offsets"),
            SegmentSource::Length(length) => format!("of {length}"),
        };
        let counted = if self.counted { ", their end counted by the device" } else { "" };
        Ok(Work {
            kernel: "segmented_scan",
            title: format!("of {} {}, in segments {by}{counted}", self.length, self.dtype),
            op: self.op,
            dtype: self.dtype,
            variant: variant::of(self.op, self.dtype, self.wide)?,
            layout: Layout::of(&[self.length], None)?,
            heads: match self.segments {
                SegmentSource::Flags => Heads::Flags,
                SegmentSource::Keys(key) => Heads::Keys(key),
                SegmentSource::Offsets(count) => Heads::Offsets(Layout::of(&[count], None)?.count),
                SegmentSource::Length(0) => return Err(Error::SegmentLength),
                // One segment is what a longer one is, too, and has a number that shaders can take.
                SegmentSource::Length(length) => Heads::Length((length as u64).min(self.length.max(1) as u64)),
            },
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

impl Kernel for SegmentedScan {
    type Bindings<'a> = SegmentedScanBindings<'a>;

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

/// The buffers of one recording of a [`SegmentedScan`].
#[derive(Clone, Copy, Debug)]
pub struct SegmentedScanBindings<'a> {
    /// The elements. Not looked at where results replace them.
    pub input: Option<BufferRange<'a>>,
    /// Where the results go, or the elements that results replace.
    pub output: BufferRange<'a>,
    /// The flags, keys or offsets of [`SegmentedScan::segments`], where it names any.
    pub segments: Option<BufferRange<'a>>,
    /// Temporary memory; may be left out where none is needed.
    pub scratch: Option<BufferRange<'a>>,
    /// The 4 bytes of the count of a counted scan.
    pub count: Option<BufferRange<'a>>,
}

impl<'a> Bindings<'a> for SegmentedScanBindings<'a> {
    fn ranges(&self) -> [Option<BufferRange<'a>>; MOST_BUFFERS] {
        let mut ranges = [None; MOST_BUFFERS];
        ranges[INPUT] = self.input;
        ranges[OUTPUT] = Some(self.output);
        ranges[work::SCRATCH] = self.scratch;
        ranges[work::COUNT] = self.count;
        ranges[work::HEADS] = self.segments;
        ranges
    }
}

impl Context {
    /// Scans each segment of an array: all of it, whether or not the scan is counted or in place. `segments` has what [`SegmentedScan::segments`] names; nothing
    /// (`None`) for segments of one length.
    ///
    /// # Errors
    /// [`Error::InputMismatch`] if `input` or `segments` is not what `scan` describes, [`Error::Offsets`] for offsets that do not ascend or go beyond the last element; what [`Kernel::plan`] says;
    /// memory, submission, device loss.
    pub fn segmented_scan<'a>(
        &self,
        scan: &SegmentedScan,
        input: &Tensor,
        segments: impl Into<Option<&'a Tensor>>,
    ) -> Result<Outcome<Plan<SegmentedScan>>, Error> {
        let segments = segments.into();
        check_input((scan.dtype, &[scan.length]), input)?;
        match scan.segments {
            SegmentSource::Flags => check_input((DType::U32, &[scan.length]), told("flags", segments)?)?,
            SegmentSource::Keys(key) => check_input((key, &[scan.length]), told("keys", segments)?)?,
            SegmentSource::Offsets(count) => check_offsets(told("offsets", segments)?, count, scan.length)?,
            SegmentSource::Length(_) => {}
        }
        // The host knows what it hands over.
        let scan = SegmentedScan { counted: false, ..scan.clone() };
        let result = scan.result_dtype()?;
        let elements = if scan.in_place { OUTPUT } else { INPUT };
        let told = segments.map_or(&[][..], Tensor::bytes);
        let uploads = [(elements, input.bytes()), (work::HEADS, told)];
        self.run(&scan, &uploads, |downloads| {
            Tensor::new(result, vec![scan.length], downloads.bytes(OUTPUT, scan.length as u64 * result.size())?)
        })
    }
}
