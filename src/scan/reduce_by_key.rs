//! Reductions of the elements beside equal keys. See `docs/kernels/reduce_by_key.md`.

use serde::{Deserialize, Serialize};
use wavelane_device::{Capabilities, Quirk};
use wavelane_record::BufferRange;

use super::heads::Heads;
use super::work::{self, INPUT, OUTPUT, Work};
use super::{ScanOp, ScanStrategy, variant};
use crate::context::check_input;
use crate::kernel::{Bindings, Kernel, Plan};
use crate::layout::Layout;
use crate::schedule::{MOST_BUFFERS, Schedule};
use crate::{Context, DType, Error, Outcome, Path, ReduceOp, Tensor, Tuning};

/// A reduction of the elements beside each run of equal keys: what to compute, of what. Plain data; [`Kernel::plan`] makes it ready for a device.
///
/// ```
/// use wavelane::{DType, ReduceByKey, ReduceOp};
///
/// // What each customer paid, of a million payments sorted by customer.
/// let sums = ReduceByKey::new(ReduceOp::Sum, DType::U32, DType::F32, 1_000_000);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ReduceByKey {
    /// The operator: sum, prod, min, max, and, or, xor.
    pub op: ReduceOp,
    /// Type of the keys. They are compared by their bits.
    pub key: DType,
    /// Type of the elements.
    pub dtype: DType,
    /// How many keys and elements there are.
    pub length: usize,
    /// Whether the number of keys and elements is read on the device, when the work runs; `length` is the most it can be then.
    #[serde(default)]
    pub counted: bool,
    /// Sum integers of up to 32 bits into 64 bits instead of wrapping.
    pub wide: bool,
    /// Whether sums and products of floats may be combined in an order that depends on which workgroup is done first.
    pub any_order: bool,
    /// The strategy to take; without one it follows from device and size.
    pub strategy: Option<ScanStrategy>,
}

impl ReduceByKey {
    /// The reduction of `length` elements of `dtype` beside keys of `key`.
    pub fn new(op: ReduceOp, key: DType, dtype: DType, length: usize) -> Self {
        Self { op, key, dtype, length, counted: false, wide: false, any_order: false, strategy: None }
    }

    /// Takes the number of keys and elements from a buffer of the device when the work runs ([`ReduceByKeyBindings::count`]). A greater number is taken for the most
    /// that there can be.
    pub fn counted(mut self) -> Self {
        self.counted = true;
        self
    }

    /// Sums integers of up to 32 bits into 64 bits.
    pub fn wide(mut self) -> Self {
        self.wide = true;
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

    /// Type of the results: the element type, but f32 for f16 elements, u32 for u8 and u16, i32 for i8 and i16, and 64 bits for wide sums.
    ///
    /// # Errors
    /// [`Error::ByKeyOperator`], [`Error::OperatorType`] and [`Error::WideUnsupported`].
    pub fn result_dtype(&self) -> Result<DType, Error> {
        Ok(variant::of(self.scan_op()?, self.dtype, self.wide)?.result)
    }

    fn scan_op(&self) -> Result<ScanOp, Error> {
        match self.op {
            ReduceOp::Sum => Ok(ScanOp::Sum),
            ReduceOp::Prod => Ok(ScanOp::Prod),
            ReduceOp::Min => Ok(ScanOp::Min),
            ReduceOp::Max => Ok(ScanOp::Max),
            ReduceOp::And => Ok(ScanOp::And),
            ReduceOp::Or => Ok(ScanOp::Or),
            ReduceOp::Xor => Ok(ScanOp::Xor),
            op => Err(Error::ByKeyOperator { op }),
        }
    }

    fn work(&self) -> Result<Work, Error> {
        let op = self.scan_op()?;
        Ok(Work {
            kernel: "reduce_by_key",
            title: format!(
                "of {} {} by keys of {}{}",
                self.length,
                self.dtype,
                self.key,
                if self.counted { ", as many as the device counts" } else { "" }
            ),
            op,
            dtype: self.dtype,
            variant: variant::of(op, self.dtype, self.wide)?,
            layout: Layout::of(&[self.length], None)?,
            heads: Heads::Keys(self.key),
            exclusive: false,
            reverse: false,
            initial: None,
            in_place: false,
            counted: self.counted,
            any_order: self.any_order,
            strategy: self.strategy,
            runs: true,
        })
    }
}

impl Kernel for ReduceByKey {
    type Bindings<'a> = ReduceByKeyBindings<'a>;

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

/// The buffers of one recording of a [`ReduceByKey`]. Outputs have room for as many as there are elements.
#[derive(Clone, Copy, Debug)]
pub struct ReduceByKeyBindings<'a> {
    /// The keys.
    pub keys: BufferRange<'a>,
    /// The elements.
    pub input: BufferRange<'a>,
    /// A key for each run. Written by compute shaders; cleared by a fill before, where several keys stand in a word.
    pub key_output: BufferRange<'a>,
    /// The result of each run.
    pub output: BufferRange<'a>,
    /// How many runs there are, a u32. Written by a copy.
    pub runs: BufferRange<'a>,
    /// Temporary memory.
    pub scratch: Option<BufferRange<'a>>,
    /// The 4 bytes of the count of a counted reduction.
    pub count: Option<BufferRange<'a>>,
}

impl<'a> Bindings<'a> for ReduceByKeyBindings<'a> {
    fn ranges(&self) -> [Option<BufferRange<'a>>; MOST_BUFFERS] {
        let mut ranges = [None; MOST_BUFFERS];
        ranges[INPUT] = Some(self.input);
        ranges[OUTPUT] = Some(self.output);
        ranges[work::SCRATCH] = self.scratch;
        ranges[work::COUNT] = self.count;
        ranges[work::RUN_COUNT] = Some(self.runs);
        ranges[work::HEADS] = Some(self.keys);
        ranges[work::RUN_KEYS] = Some(self.key_output);
        ranges
    }
}

/// What a reduction by key gives.
#[derive(Clone, Debug, PartialEq)]
pub struct ReducedByKey {
    /// A key for each run of equal ones.
    pub keys: Tensor,
    /// The result of each run.
    pub values: Tensor,
}

impl Context {
    /// Reduces the elements beside each run of equal keys: all of them, whether or not the device is to count them.
    ///
    /// # Errors
    /// [`Error::InputMismatch`] if `keys` or `input` is not what `reduce` describes; what [`Kernel::plan`] says; memory, submission, device loss.
    pub fn reduce_by_key(
        &self,
        reduce: &ReduceByKey,
        keys: &Tensor,
        input: &Tensor,
    ) -> Result<Outcome<Plan<ReduceByKey>, ReducedByKey>, Error> {
        check_input((reduce.key, &[reduce.length]), keys)?;
        check_input((reduce.dtype, &[reduce.length]), input)?;
        // The host knows what it hands over.
        let reduce = ReduceByKey { counted: false, ..reduce.clone() };
        let result = reduce.result_dtype()?;
        self.run(&reduce, &[(INPUT, input.bytes()), (work::HEADS, keys.bytes())], |downloads| {
            let runs = downloads.word(work::RUN_COUNT)?;
            let of = |dtype: DType, bytes| Tensor::new(dtype, vec![runs as usize], bytes);
            let keys = downloads.bytes(work::RUN_KEYS, u64::from(runs) * reduce.key.size())?;
            let values = downloads.bytes(OUTPUT, u64::from(runs) * result.size())?;
            Ok(ReducedByKey { keys: of(reduce.key, keys)?, values: of(result, values)? })
        })
    }
}
