//! Each value once: of neighbours, or of the whole array.

use serde::{Deserialize, Serialize};
use wavelane_device::{Capabilities, Quirk};
use wavelane_record::BufferRange;

use super::condition::MaskForm;
use super::elements::{self, Elements, Mode};
use super::pass::{self, Flags, Keep, Pass};
use super::planner::{COUNT, INPUT, OUTPUT, Planner, SCRATCH, SELECTED};
use super::rows::{InRows, Rows};
use super::selection::check_elements;
use super::width::{Kind, Width};
use crate::kernel::{Bindings, Kernel, Plan};
use crate::layout::Layout;
use crate::schedule::{BufferUse, MOST_BUFFERS, Place, Schedule, StepRange};
use crate::split::blocks;
use crate::{Context, DType, Error, Outcome, Path, ScanStrategy, Tensor, Tuning};

/// The schedules' other buffers.
const FIRST: usize = 5;
const COUNTS: usize = 6;
const INVERSE: usize = 7;
const OFFSETS: usize = 8;

/// Each value once, and where and how often it is: of runs of equal neighbours, as run-length encoding has it, or of the whole array, sorted.
///
/// ```
/// use wavelane::{DType, Unique};
///
/// // The values that there are, and how many elements have each.
/// let tally = Unique::new(DType::F32, 1000).with_counts();
/// // Run-length encoding.
/// let runs = Unique::runs(DType::U32, 1000).with_counts();
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Unique {
    /// Type of the elements.
    pub dtype: DType,
    /// Elements of the input.
    pub len: usize,
    /// Whether equal elements count once wherever they are, and values come sorted. Otherwise only neighbours are compared, by their bits.
    pub sorted: bool,
    /// Whether the position of the first element of each value is wanted.
    pub first: bool,
    /// Whether it is wanted how many elements each value or run has.
    pub counts: bool,
    /// Whether it is wanted which value or run each element belongs to.
    pub inverse: bool,
    /// Whether the number of elements is read on the device, when the work runs; `len` is the most it can be then.
    pub counted: bool,
    /// The strategy to take; without one it follows from device and size. A sort takes a single pass for a wish that it need not follow.
    pub strategy: Option<ScanStrategy>,
    /// Elements of a row, if the array is one of rows, whose runs are found each by itself. Sorted values are of the whole array.
    pub row_length: Option<usize>,
}

impl Unique {
    /// The values of an array, sorted, as `np.unique` gives them: all NaN are one and come last, -0 and +0 are one, and of what is one the first element is the value.
    pub fn new(dtype: DType, len: usize) -> Self {
        Self { dtype, len, sorted: true, first: false, counts: false, inverse: false, counted: false, strategy: None, row_length: None }
    }

    /// The value of each run of neighbours that are equal by their bits: -0 and +0 differ, and NaN equals itself.
    pub fn runs(dtype: DType, len: usize) -> Self {
        Self { sorted: false, ..Self::new(dtype, len) }
    }

    /// Gives the position of the first element of each value.
    pub fn with_first(mut self) -> Self {
        self.first = true;
        self
    }

    /// Gives how many elements each value has.
    pub fn with_counts(mut self) -> Self {
        self.counts = true;
        self
    }

    /// Gives which value each element has.
    pub fn with_inverse(mut self) -> Self {
        self.inverse = true;
        self
    }

    /// Takes the number of elements from a buffer of the device when the work runs ([`UniqueBindings::count`]).
    pub fn counted(mut self) -> Self {
        self.counted = true;
        self
    }

    /// Takes a strategy, where it is possible.
    pub fn with_strategy(mut self, strategy: ScanStrategy) -> Self {
        self.strategy = Some(strategy);
        self
    }

    /// Takes the array as rows of so many elements: no run goes on from one row to the next, first positions are counted in the row, and it is told where each row's runs begin
    /// ([`UniqueBindings::offsets`]). The inverse counts the runs of all rows.
    pub fn in_rows(mut self, row_length: usize) -> Self {
        self.row_length = Some(row_length);
        self
    }

    fn plan_runs(&self, len: u64, rows: Option<Rows>, planner: &mut Planner<'_>) -> Result<(), Error> {
        let width = Width::of(self.dtype);
        let starts = match self.first {
            true => Place::start(FIRST),
            false => planner.take_scratch(if self.counts { 4 * len } else { 0 }),
        };
        let pass = Pass {
            width,
            len,
            counted: self.counted,
            flags: Flags::Heads,
            keep: if self.first || self.counts { Keep::Both(starts) } else { Keep::Elements },
            numbered: self.inverse,
            input: Place::start(INPUT),
            mask: Place::start(INPUT),
            output: Place::start(OUTPUT),
            strategy: self.strategy,
            rows,
        };
        let layout = pass.layout(planner)?;
        let scratch = planner.take_scratch(layout.scratch_bytes());
        if self.counted {
            planner.copy_word(Place::start(COUNT), pass::count_of(scratch));
        }
        pass.record(&layout, scratch, planner)?;
        if self.inverse {
            let numbers = Pass { keep: Keep::Numbers, output: Place::start(INVERSE), ..pass };
            numbers.record_behind(&layout, scratch, planner)?;
        }
        if self.counts {
            self.lengths(len, rows, starts, scratch.bytes(StepRange::first(layout.scratch_bytes())), planner)?;
        }
        planner.copy_word(pass::total_of(scratch), Place::start(SELECTED));
        if let Some(rows) = rows {
            planner.copy_words(layout.ranks_of(scratch), Place::start(OFFSETS), rows.offsets());
        }
        planner.strategy = layout.words();
        let reads = layout.reads() + u64::from(self.inverse);
        planner.bytes_moved = (reads + 1) * len * width.bytes()
            + len * (4 * u64::from(self.inverse) + 4 * u64::from(self.first) + 12 * u64::from(self.counts))
            + rows.map_or(0, |rows| 12 * rows.offsets());
        Ok(())
    }

    /// How long runs are, from where they begin.
    fn lengths(
        &self,
        len: u64,
        rows: Option<Rows>,
        starts: Place,
        scratch: elements::Bound,
        planner: &mut Planner<'_>,
    ) -> Result<(), Error> {
        let counted = if self.counted { elements::COUNTED } else { 0 };
        // Each piece has the beginning of the next one's first run, too.
        let most = planner.limits.capacity(len, 4);
        let length = if most >= len { len } else { most.saturating_sub(1).max(1) };
        for (first, count) in blocks(len, length) {
            let (begins, base) = planner.limits.range(first, (count + 1).min(len - first), 4);
            let (output, output_base) = planner.limits.range(first, count, 4);
            let bound = starts.bytes(begins);
            let step = Elements {
                mode: Mode::Lengths,
                width: Width::W32,
                kind: Kind::Unsigned,
                options: elements::TOTAL | counted,
                results: count,
                first,
                total: len,
                length: len,
                input: bound,
                pairs: bound,
                scratch,
                output: Place::start(COUNTS).bytes(output),
                count_word: pass::COUNT_WORD,
                total_word: pass::TOTAL_WORD,
                numbers: 0,
                bound_first: first - u64::from(base),
                output_first: first - u64::from(output_base),
                row_length: rows.map_or(0, |rows| rows.length),
            };
            step.record(planner)?;
        }
        Ok(())
    }

    /// Sorts pairs of a key and a position by a bit at a time, and finds the runs of keys.
    fn plan_sorted(&self, len: u64, planner: &mut Planner<'_>) -> Result<(), Error> {
        let width = Width::of(self.dtype);
        planner.limits.check_reach("unique values", 8 * len)?;
        planner.limits.check_whole("pairs of a key and a position", 8 * len)?;
        let pair_bytes = StepRange::first(8 * len);
        let mut pairs = planner.take_scratch(8 * len);
        let mut spare = planner.take_scratch(8 * len);
        let heads = planner.take_scratch(4 * len);
        let starts = planner.take_scratch(if self.counts { 4 * len } else { 0 });
        let by_bit = |bit: u64, input: Place, output: Place| Pass {
            width: Width::W64,
            len,
            counted: self.counted,
            flags: Flags::NoBits([0, 1 << bit]),
            keep: Keep::Partition,
            numbered: false,
            input,
            mask: input,
            output,
            strategy: self.strategy.filter(|strategy| *strategy != ScanStrategy::SinglePass),
            rows: None,
        };
        let select = |input: Place, output: Place| Pass {
            flags: Flags::Mask(MaskForm::Words),
            keep: Keep::Elements,
            mask: heads,
            strategy: self.strategy,
            ..by_bit(0, input, output)
        };
        let (sort_layout, layout) = (by_bit(0, pairs, spare).layout(planner)?, select(pairs, spare).layout(planner)?);
        let sort_scratch = planner.take_scratch(sort_layout.scratch_bytes());
        let scratch = planner.take_scratch(layout.scratch_bytes());
        // Right behind, so that one binding has both.
        let numbers = planner.take_scratch(if self.inverse { 4 * len } else { 0 });
        if self.counted {
            planner.copy_word(Place::start(COUNT), pass::count_of(sort_scratch));
            planner.copy_word(Place::start(COUNT), pass::count_of(scratch));
        }
        let counted = if self.counted { elements::COUNTED } else { 0 };
        let bound_scratch = scratch.bytes(StepRange::first(layout.scratch_bytes()));
        let whole = Elements {
            mode: Mode::Pairs,
            width,
            kind: Kind::of(self.dtype),
            options: counted,
            results: len,
            first: 0,
            total: len,
            length: len,
            input: Place::start(INPUT).bytes(StepRange::first((len * width.bytes()).next_multiple_of(4))),
            pairs: (INPUT, StepRange::first((len * width.bytes()).next_multiple_of(4))),
            scratch: bound_scratch,
            output: pairs.bytes(pair_bytes),
            count_word: pass::COUNT_WORD,
            total_word: pass::TOTAL_WORD,
            numbers: 0,
            bound_first: 0,
            output_first: 0,
            row_length: 0,
        };
        whole.record(planner)?;
        let words = if width == Width::W64 { 2 } else { 1 };
        for word in 0..words {
            if word > 0 {
                let upper = Elements {
                    options: counted | elements::ORDERED | elements::UPPER,
                    pairs: pairs.bytes(pair_bytes),
                    output: spare.bytes(pair_bytes),
                    ..whole
                };
                upper.record(planner)?;
                std::mem::swap(&mut pairs, &mut spare);
            }
            for bit in 0..8 * width.bytes().min(4) {
                by_bit(bit, pairs, spare).record(&sort_layout, sort_scratch, planner)?;
                std::mem::swap(&mut pairs, &mut spare);
            }
        }
        let sorted = Elements { pairs: pairs.bytes(pair_bytes), ..whole };
        Elements { mode: Mode::Heads, output: heads.bytes(StepRange::first(4 * len)), ..sorted }.record(planner)?;
        // Of the pairs the first of each value.
        let select = select(pairs, spare);
        select.record(&layout, scratch, planner)?;
        if self.counts {
            Pass { keep: Keep::Positions, output: starts, ..select }.record_behind(&layout, scratch, planner)?;
            self.lengths(len, None, starts, bound_scratch, planner)?;
        }
        let firsts = Elements { options: counted | elements::TOTAL, pairs: spare.bytes(pair_bytes), ..sorted };
        let values = (OUTPUT, StepRange::first((len * width.bytes()).next_multiple_of(4)));
        Elements { mode: Mode::Elements, output: values, ..firsts }.record(planner)?;
        if self.first {
            Elements { mode: Mode::Positions, output: (FIRST, StepRange::first(4 * len)), ..firsts }.record(planner)?;
        }
        if self.inverse {
            Pass { keep: Keep::Numbers, output: numbers, ..select }.record_behind(&layout, scratch, planner)?;
            let both = StepRange { offset: scratch.offset, size: numbers.offset + 4 * len - scratch.offset };
            let spread = Elements {
                mode: Mode::Numbers,
                scratch: (SCRATCH, both),
                numbers: (numbers.offset - scratch.offset) / 4,
                output: (INVERSE, StepRange::first(4 * len)),
                ..sorted
            };
            spread.record(planner)?;
        }
        planner.copy_word(pass::total_of(scratch), Place::start(SELECTED));
        let passes = words * 8 * width.bytes().min(4);
        planner.strategy = format!("sorted by {passes} bits, each by {}; then {}", sort_layout.words(), layout.words());
        planner.bytes_moved = passes * (sort_layout.reads() + 1) * 8 * len + 6 * 8 * len;
        Ok(())
    }
}

impl Kernel for Unique {
    type Bindings<'a> = UniqueBindings<'a>;

    fn schedule_tuned(
        &self,
        capabilities: &Capabilities,
        quirks: &[&'static Quirk],
        tuning: &Tuning,
        path: Option<Path>,
    ) -> Result<Schedule, Error> {
        let len = Layout::of(&[self.len], None)?.elements();
        let rows = Rows::of(len, self.row_length)?;
        if rows.is_some() && self.sorted {
            return Err(Error::SortedRows);
        }
        let width = Width::of(self.dtype);
        let widths: &[Width] = if self.sorted { &[Width::W64] } else { &[width] };
        let mut planner = Planner::new(widths, capabilities, quirks, tuning, path)?;
        match len {
            0 => {
                planner.clear_word(Place::start(SELECTED));
                if rows.is_some() {
                    planner.clear_word(Place::start(OFFSETS));
                }
            }
            _ if self.sorted => self.plan_sorted(len, &mut planner)?,
            _ => self.plan_runs(len, rows, &mut planner)?,
        }
        let words = |wanted: bool| if wanted { 4 * len } else { 0 };
        let buffers = vec![
            planner.need("input", BufferUse::Input, len * width.bytes()),
            planner.need("values", BufferUse::Output, len * width.bytes()),
            planner.need("scratch", BufferUse::Scratch, planner.scratch_bytes),
            Planner::need_word("count", BufferUse::Input, self.counted && len > 0),
            Planner::need_word("found", BufferUse::Output, true),
            planner.need("first", BufferUse::Output, words(self.first)),
            planner.need("counts", BufferUse::Output, words(self.counts)),
            planner.need("inverse", BufferUse::Output, words(self.inverse)),
            Rows::need(rows),
        ];
        let what = if self.sorted { "values, sorted," } else { "runs" };
        let parts = [(self.first, "first positions"), (self.counts, "counts"), (self.inverse, "inverse")];
        let with: String = parts.iter().filter(|(wanted, _)| *wanted).map(|(_, name)| format!(", {name}")).collect();
        let count = if self.counted { ", counted by the device" } else { "" };
        planner.finish("unique", format!("{what} of {} {}{}{with}{count}", self.len, self.dtype, Rows::words(rows)), buffers)
    }
}

/// The buffers of one recording of a [`Unique`]. Each output has room for as many as there are elements.
#[derive(Clone, Copy, Debug)]
pub struct UniqueBindings<'a> {
    /// The elements.
    pub input: BufferRange<'a>,
    /// Where each value goes once.
    pub values: BufferRange<'a>,
    /// The 4 bytes of how many values there are; written by a copy.
    pub found: BufferRange<'a>,
    /// Temporary memory; may be left out where there are no elements.
    pub scratch: Option<BufferRange<'a>>,
    /// Where the positions of first elements go, as u32, if they are wanted.
    pub first: Option<BufferRange<'a>>,
    /// Where counts of elements go, as u32, if they are wanted.
    pub counts: Option<BufferRange<'a>>,
    /// Where it goes which value each element has, as u32, if that is wanted.
    pub inverse: Option<BufferRange<'a>>,
    /// The 4 bytes of the count of elements, where it is the device's.
    pub count: Option<BufferRange<'a>>,
    /// Of an array in rows, where each row's runs begin among all, and where the last one's end: a u32 more than there are rows; written by a copy.
    pub offsets: Option<BufferRange<'a>>,
}

impl<'a> Bindings<'a> for UniqueBindings<'a> {
    fn ranges(&self) -> [Option<BufferRange<'a>>; MOST_BUFFERS] {
        let mut ranges = [None; MOST_BUFFERS];
        ranges[INPUT] = Some(self.input);
        ranges[OUTPUT] = Some(self.values);
        ranges[SCRATCH] = self.scratch;
        ranges[COUNT] = self.count;
        ranges[SELECTED] = Some(self.found);
        ranges[FIRST] = self.first;
        ranges[COUNTS] = self.counts;
        ranges[INVERSE] = self.inverse;
        ranges[OFFSETS] = self.offsets;
        ranges
    }
}

/// The results of a [`Unique`].
#[derive(Clone, Debug, PartialEq)]
pub struct UniqueValues {
    /// Each value once.
    pub values: Tensor,
    /// The position of its first element, as u32, if wanted.
    pub first: Option<Tensor>,
    /// How many elements have it, as u32, if wanted.
    pub counts: Option<Tensor>,
    /// Which of the values each element has, as u32, if wanted.
    pub inverse: Option<Tensor>,
    /// Of an array in rows, where each row's runs begin, and where the last one's end, as u32.
    pub offsets: Option<Tensor>,
}

impl UniqueValues {
    /// Values and counts of a plan that has both.
    fn into_runs(self) -> Result<RunLengths, Error> {
        let lengths = self.counts.map_or_else(no_words, Ok)?;
        debug_assert_eq!(lengths.shape(), self.values.shape());
        Ok(RunLengths { values: self.values, lengths })
    }
}

/// Values, and how often each comes.
#[derive(Clone, Debug, PartialEq)]
pub struct RunLengths {
    /// The value of each run.
    pub values: Tensor,
    /// How many elements it has, as u32.
    pub lengths: Tensor,
}

impl Context {
    /// Each value of an array once, or of its runs, whether or not the description is counted.
    ///
    /// # Errors
    /// [`Error::InputMismatch`] if `input` is not what `unique` describes; what [`Kernel::plan`] says; memory, submission, device loss.
    pub fn unique(&self, unique: &Unique, input: &Tensor) -> Result<Outcome<Plan<Unique>, UniqueValues>, Error> {
        check_elements(unique.dtype, unique.len, input)?;
        let unique = Unique { counted: false, ..unique.clone() };
        let Unique { dtype, len, .. } = unique;
        self.run(&unique, &[(INPUT, input.bytes())], |downloads| {
            let found = downloads.word(SELECTED)?;
            let mut of = |buffer: usize, dtype: DType, count: usize| -> Result<Tensor, Error> {
                Tensor::new(dtype, vec![count], downloads.bytes(buffer, count as u64 * dtype.size())?)
            };
            let found = found as usize;
            Ok(UniqueValues {
                values: of(OUTPUT, dtype, found)?,
                first: unique.first.then(|| of(FIRST, DType::U32, found)).transpose()?,
                counts: unique.counts.then(|| of(COUNTS, DType::U32, found)).transpose()?,
                inverse: unique.inverse.then(|| of(INVERSE, DType::U32, len)).transpose()?,
                offsets: unique.row_length.map(|_| downloads.words(OFFSETS)).transpose()?,
            })
        })
    }

    /// The runs of an array's neighbours that are equal by their bits: the value of each, and how long it is.
    ///
    /// # Errors
    /// As [`Context::unique`].
    pub fn run_length_encode(&self, input: &Tensor) -> Result<Outcome<Plan<Unique>, RunLengths>, Error> {
        let len = input.bytes().len() / input.dtype().size() as usize;
        let Outcome { tensor, plan, gpu_time_ns, bytes_moved } = self.unique(&Unique::runs(input.dtype(), len).with_counts(), input)?;
        Ok(Outcome { tensor: tensor.into_runs()?, plan, gpu_time_ns, bytes_moved })
    }

    /// [`Context::run_length_encode`] of each row of so many elements, and where the runs of each row begin.
    ///
    /// # Errors
    /// As [`Context::unique`]; [`Error::RowLength`] if the array is no whole number of rows.
    pub fn run_length_encode_in_rows(&self, input: &Tensor, row_length: usize) -> Result<Outcome<Plan<Unique>, InRows<RunLengths>>, Error> {
        let len = input.bytes().len() / input.dtype().size() as usize;
        let runs = Unique::runs(input.dtype(), len).with_counts().in_rows(row_length);
        let Outcome { mut tensor, plan, gpu_time_ns, bytes_moved } = self.unique(&runs, input)?;
        let offsets = tensor.offsets.take().map_or_else(no_words, Ok)?;
        Ok(Outcome { tensor: InRows { results: tensor.into_runs()?, offsets }, plan, gpu_time_ns, bytes_moved })
    }
}

fn no_words() -> Result<Tensor, Error> {
    Tensor::new(DType::U32, vec![0], Vec::new())
}
