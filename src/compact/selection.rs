//! The elements that are selected, in their order.

use serde::{Deserialize, Serialize};
use wavelane_device::{Capabilities, Quirk};
use wavelane_record::BufferRange;

use super::condition::{Condition, MaskForm};
use super::pass::{self, Keep, Pass};
use super::planner::{COUNT, INPUT, OUTPUT, Planner, SCRATCH, SELECTED};
use super::rows::{InRows, Rows};
use super::width::Width;
use crate::context::check_input;
use crate::kernel::{Bindings, Kernel, Plan};
use crate::layout::Layout;
use crate::schedule::{BufferUse, MOST_BUFFERS, Place, Schedule};
use crate::{Context, DType, Error, Outcome, Path, ScanStrategy, Tensor, Tuning};

/// The mask and the offsets of rows, of the schedules' buffers.
pub(super) const MASK: usize = 5;
pub(super) const OFFSETS: usize = 6;

/// A selection: the elements that meet a condition, in their order, and how many there are.
///
/// ```
/// use wavelane::{Compare, Condition, DType, Scalar, Select};
///
/// let positive = Select::new(Condition::Compare(Compare::Gt, Scalar::from(0.0f32)), DType::F32, 1000);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Select {
    /// What is kept.
    pub condition: Condition,
    /// Type of the elements.
    pub dtype: DType,
    /// Elements of the input.
    pub len: usize,
    /// Whether positions are given instead of elements, as u32.
    pub positions: bool,
    /// Whether the number of elements is read on the device, when the work runs; `len` is the most it can be then.
    pub counted: bool,
    /// The strategy to take; without one it follows from device and size.
    pub strategy: Option<ScanStrategy>,
    /// Elements of a row, if the array is one of rows, each of which is treated by itself.
    pub row_length: Option<usize>,
}

impl Select {
    /// The selection of elements.
    pub fn new(condition: Condition, dtype: DType, len: usize) -> Self {
        Self { condition, dtype, len, positions: false, counted: false, strategy: None, row_length: None }
    }

    /// Gives positions instead of elements.
    pub fn positions(mut self) -> Self {
        self.positions = true;
        self
    }

    /// Takes the number of elements from a buffer of the device when the work runs ([`SelectBindings::count`]).
    pub fn counted(mut self) -> Self {
        self.counted = true;
        self
    }

    /// Takes a strategy, where it is possible.
    pub fn with_strategy(mut self, strategy: ScanStrategy) -> Self {
        self.strategy = Some(strategy);
        self
    }

    /// Takes the array as rows of so many elements, each by itself: positions are counted in the row, and it is told where each row's results begin ([`SelectBindings::offsets`]).
    pub fn in_rows(mut self, row_length: usize) -> Self {
        self.row_length = Some(row_length);
        self
    }

    /// Type of the results.
    pub fn result_dtype(&self) -> DType {
        if self.positions { DType::U32 } else { self.dtype }
    }

    pub(super) fn work(&self) -> Work {
        let Self { condition, dtype, len, counted, strategy, row_length, .. } = *self;
        let what = if self.positions { "positions of elements" } else { "elements" };
        Work {
            kernel: "select",
            title: format!("{what} {}", condition.words()),
            condition,
            dtype,
            len,
            keep: if self.positions { Keep::Positions } else { Keep::Elements },
            counted,
            strategy,
            row_length,
        }
    }
}

/// What selections and partitions have in common.
pub(super) struct Work {
    pub(super) kernel: &'static str,
    pub(super) title: String,
    pub(super) condition: Condition,
    pub(super) dtype: DType,
    pub(super) len: usize,
    pub(super) keep: Keep,
    pub(super) counted: bool,
    pub(super) strategy: Option<ScanStrategy>,
    pub(super) row_length: Option<usize>,
}

impl Work {
    pub(super) fn schedule(
        &self,
        capabilities: &Capabilities,
        quirks: &[&'static Quirk],
        tuning: &Tuning,
        path: Option<Path>,
    ) -> Result<Schedule, Error> {
        let (width, len) = (Width::of(self.dtype), Layout::of(&[self.len], None)?.elements());
        let flags = self.condition.flags(self.dtype)?;
        let rows = Rows::of(len, self.row_length)?;
        let mut planner = Planner::new(&[width], capabilities, quirks, tuning, path)?;
        let counted = self.counted && len > 0;
        let result = if self.keep == Keep::Positions { 4 } else { width.bytes() };
        let input_bytes = len * width.bytes();
        let mask_bytes = self.condition.mask_bytes(len);
        if len > 0 {
            let pass = Pass {
                width,
                len,
                counted,
                flags,
                keep: self.keep,
                numbered: false,
                input: Place::start(INPUT),
                mask: Place::start(MASK),
                output: Place::start(OUTPUT),
                strategy: self.strategy,
                rows,
            };
            let layout = pass.layout(&planner)?;
            let scratch = planner.take_scratch(layout.scratch_bytes());
            if counted {
                planner.copy_word(Place::start(COUNT), pass::count_of(scratch));
            }
            planner.strategy = layout.words();
            let mut reads = layout.reads();
            if rows.is_some() && self.keep == Keep::Partition {
                // Where the others of a row go is known when all of the row are counted.
                Pass { keep: Keep::Ranks, ..pass }.record(&layout, scratch, &mut planner)?;
                pass.record_behind(&layout, scratch, &mut planner)?;
                planner.strategy += ", which counts; then elements move within their rows";
                reads += 1;
            } else {
                pass.record(&layout, scratch, &mut planner)?;
            }
            planner.copy_word(pass::total_of(scratch), Place::start(SELECTED));
            planner.bytes_moved =
                reads * (if matches!(self.condition, Condition::Mask(_)) { mask_bytes } else { input_bytes }) + len * result;
            if matches!(self.condition, Condition::Mask(_)) && self.keep != Keep::Positions {
                planner.bytes_moved += reads * input_bytes;
            }
            if let Some(rows) = rows {
                planner.copy_words(layout.ranks_of(scratch), Place::start(OFFSETS), rows.offsets());
                planner.bytes_moved += 12 * rows.offsets();
            }
        } else {
            planner.clear_word(Place::start(SELECTED));
            if rows.is_some() {
                planner.clear_word(Place::start(OFFSETS));
            }
        }
        let buffers = vec![
            planner.need("input", BufferUse::Input, input_bytes),
            planner.need("output", BufferUse::Output, len * result),
            planner.need("scratch", BufferUse::Scratch, planner.scratch_bytes),
            Planner::need_word("count", BufferUse::Input, counted),
            Planner::need_word("selected", BufferUse::Output, true),
            planner.need("mask", BufferUse::Input, mask_bytes),
            Rows::need(rows),
        ];
        let count = if self.counted { ", counted by the device" } else { "" };
        planner.finish(self.kernel, format!("{} of {} {}{}{count}", self.title, self.len, self.dtype, Rows::words(rows)), buffers)
    }
}

impl Kernel for Select {
    type Bindings<'a> = SelectBindings<'a>;

    fn schedule_tuned(
        &self,
        capabilities: &Capabilities,
        quirks: &[&'static Quirk],
        tuning: &Tuning,
        path: Option<Path>,
    ) -> Result<Schedule, Error> {
        self.work().schedule(capabilities, quirks, tuning, path)
    }
}

/// The buffers of one recording of a [`Select`] or a [`crate::Partition`].
#[derive(Clone, Copy, Debug)]
pub struct SelectBindings<'a> {
    /// The elements.
    pub input: BufferRange<'a>,
    /// Where the results go: room for as many as there are elements. A selection leaves what is behind its results as it was.
    pub output: BufferRange<'a>,
    /// The 4 bytes of how many elements are selected; written by a copy.
    pub selected: BufferRange<'a>,
    /// Temporary memory; may be left out where there are no elements.
    pub scratch: Option<BufferRange<'a>>,
    /// An entry for each element, where the condition is a mask.
    pub mask: Option<BufferRange<'a>>,
    /// The 4 bytes of the count of a counted selection.
    pub count: Option<BufferRange<'a>>,
    /// Of an array in rows, where each row's results begin, and where the last one's end: a u32 more than there are rows; written by a copy. A partition, whose rows stay where they
    /// are, tells so how many of each are selected.
    pub offsets: Option<BufferRange<'a>>,
}

impl<'a> Bindings<'a> for SelectBindings<'a> {
    fn ranges(&self) -> [Option<BufferRange<'a>>; MOST_BUFFERS] {
        let mut ranges = [None; MOST_BUFFERS];
        ranges[INPUT] = Some(self.input);
        ranges[OUTPUT] = Some(self.output);
        ranges[SCRATCH] = self.scratch;
        ranges[COUNT] = self.count;
        ranges[SELECTED] = Some(self.selected);
        ranges[MASK] = self.mask;
        ranges[OFFSETS] = self.offsets;
        ranges
    }
}

/// The bytes of a mask, padded to words.
pub(super) fn host_mask(condition: Condition, len: usize, mask: Option<&[u8]>) -> Result<Vec<u8>, Error> {
    let Condition::Mask(form) = condition else { return Ok(Vec::new()) };
    let mask = mask.unwrap_or_default();
    let needed = len as u64 * form.size();
    if mask.len() as u64 != needed {
        return Err(Error::BindingTooSmall { binding: "mask", size: mask.len() as u64, needed });
    }
    let mut bytes = mask.to_vec();
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    Ok(bytes)
}

pub(super) fn check_elements(dtype: DType, len: usize, input: &Tensor) -> Result<(), Error> {
    let elements = input.bytes().len() as u64 / input.dtype().size();
    // Whatever its shape, an array is taken in C order.
    if input.dtype() == dtype && elements == len as u64 { Ok(()) } else { check_input((dtype, &[len]), input) }
}

impl Context {
    /// The elements of an array that are selected, or their positions, whether or not the selection is counted. `mask` has the bytes of a mask, if the condition is one: a u32 or
    /// a byte for each element.
    ///
    /// # Errors
    /// [`Error::InputMismatch`] if `input` is not what `select` describes, [`Error::BindingTooSmall`] if the mask has not an entry for each element; what [`Kernel::plan`] says;
    /// memory, submission, device loss.
    pub fn select(&self, select: &Select, input: &Tensor, mask: Option<&[u8]>) -> Result<Outcome<Plan<Select>>, Error> {
        check_elements(select.dtype, select.len, input)?;
        let mask = host_mask(select.condition, select.len, mask)?;
        let select = Select { counted: false, ..select.clone() };
        let result = select.result_dtype();
        self.run(&select, &[(INPUT, input.bytes()), (MASK, &mask)], |downloads| {
            let selected = downloads.word(SELECTED)?;
            Tensor::new(result, vec![selected as usize], downloads.bytes(OUTPUT, u64::from(selected) * result.size())?)
        })
    }

    /// The elements of each row that are selected, or their positions in the row, and where those of each row begin; an array that is not described in rows is one row.
    ///
    /// # Errors
    /// As [`Context::select`]; [`Error::RowLength`] if the array is no whole number of rows.
    pub fn select_in_rows(&self, select: &Select, input: &Tensor, mask: Option<&[u8]>) -> Result<Outcome<Plan<Select>, InRows>, Error> {
        check_elements(select.dtype, select.len, input)?;
        let mask = host_mask(select.condition, select.len, mask)?;
        let select = Select { counted: false, row_length: select.row_length.or(Some(select.len)), ..select.clone() };
        let result = select.result_dtype();
        self.run(&select, &[(INPUT, input.bytes()), (MASK, &mask)], |downloads| {
            let selected = downloads.word(SELECTED)?;
            let results = Tensor::new(result, vec![selected as usize], downloads.bytes(OUTPUT, u64::from(selected) * result.size())?)?;
            Ok(InRows { results, offsets: downloads.words(OFFSETS)? })
        })
    }

    /// The elements of an array that a mask of truth values selects.
    ///
    /// # Errors
    /// As [`Context::select`].
    pub fn select_by(&self, input: &Tensor, mask: &[bool]) -> Result<Outcome<Plan<Select>>, Error> {
        let len = input.bytes().len() / input.dtype().size() as usize;
        let bytes: Vec<u8> = mask.iter().map(|&set| u8::from(set)).collect();
        self.select(&Select::new(Condition::Mask(MaskForm::Bytes), input.dtype(), len), input, Some(&bytes))
    }
}
