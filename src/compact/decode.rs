//! Runs, written out.

use serde::{Deserialize, Serialize};
use wavelane_device::{Capabilities, Quirk};
use wavelane_record::BufferRange;

use super::elements::{self, Elements, Mode};
use super::planner::{COUNT, INPUT, OUTPUT, Planner, SCRATCH, SELECTED};
use super::selection::check_elements;
use super::unique::RunLengths;
use super::width::{Kind, Width};
use crate::kernel::{Bindings, Kernel, Plan};
use crate::layout::Layout;
use crate::schedule::{BufferUse, MOST_BUFFERS, Place, Schedule, StepRange};
use crate::split::blocks;
use crate::{Context, DType, Error, Outcome, Path, Scan, ScanOp, Tensor, Tuning};

/// The lengths, of the schedule's buffers.
const LENGTHS: usize = 5;

/// Run-length decoding: each value as often as its length says, as `np.repeat` does. Lengths are u32 and may be 0; their sum must be less than 2^32.
///
/// ```
/// use wavelane::{DType, RunLengthDecode};
///
/// // 100 runs that make up at most 5000 elements.
/// let decode = RunLengthDecode::new(DType::F32, 100, 5000);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RunLengthDecode {
    /// Type of the values.
    pub dtype: DType,
    /// How many runs there are.
    pub runs: usize,
    /// Elements that the output has room for. Those beyond it are not written; how many there would be is told.
    pub capacity: usize,
    /// Whether the number of runs is read on the device, when the work runs; `runs` is the most it can be then.
    pub counted: bool,
}

impl RunLengthDecode {
    /// The decoding of all runs.
    pub fn new(dtype: DType, runs: usize, capacity: usize) -> Self {
        Self { dtype, runs, capacity, counted: false }
    }

    /// Takes the number of runs from a buffer of the device when the work runs ([`RunLengthDecodeBindings::count`]).
    pub fn counted(mut self) -> Self {
        self.counted = true;
        self
    }
}

impl Kernel for RunLengthDecode {
    type Bindings<'a> = RunLengthDecodeBindings<'a>;

    fn schedule_tuned(
        &self,
        capabilities: &Capabilities,
        quirks: &[&'static Quirk],
        tuning: &Tuning,
        path: Option<Path>,
    ) -> Result<Schedule, Error> {
        let (runs, capacity) = (Layout::of(&[self.runs], None)?.elements(), Layout::of(&[self.capacity], None)?.elements());
        let width = Width::of(self.dtype);
        let mut planner = Planner::new(&[], capabilities, quirks, tuning, path)?;
        let counted = self.counted && runs > 0;
        let value_bytes = (runs * width.bytes()).next_multiple_of(4);
        if runs > 0 {
            planner.limits.check_reach("decoding of runs", runs.max(capacity) * width.bytes().max(4))?;
            planner.limits.check_whole("values", value_bytes)?;
            planner.limits.check_whole("lengths", 4 * runs)?;
            let ends = planner.take_scratch(4 * runs);
            let scan = Scan { counted, ..Scan::new(ScanOp::Sum, DType::U32, &[self.runs]) };
            let scan = scan.schedule_tuned(capabilities, quirks, tuning, path)?;
            let scratch = planner.take_scratch(scan.scratch_bytes());
            // The scan's buffers: input, output, scratch, count.
            let places = [Place::start(LENGTHS), ends, scratch, Place::start(COUNT)];
            planner.actions.extend(scan.steps.into_iter().map(|step| step.action.placed(&places)));
            planner.choice = scan.choice;
            let (count, decoded) = (planner.take_scratch(4), planner.take_scratch(4));
            if counted {
                planner.copy_word(Place::start(COUNT), count);
            }
            let window = |first: u64, results: u64, mode: Mode, output: elements::Bound| Elements {
                mode,
                width,
                kind: Kind::Unsigned,
                options: if counted { elements::COUNTED } else { 0 },
                results,
                first,
                total: capacity,
                length: runs,
                input: (INPUT, StepRange::first(value_bytes)),
                pairs: ends.bytes(StepRange::first(4 * runs)),
                scratch: count.bytes(StepRange::first(4)),
                output,
                count_word: 0,
                total_word: 0,
                numbers: 0,
                bound_first: 0,
                output_first: first,
                row_length: 0,
            };
            window(0, 1, Mode::Decoded, decoded.bytes(StepRange::first(4))).record(&mut planner)?;
            // Parts that begin where a binding may.
            let limits = planner.limits;
            let reach = limits.reach() / width.bytes();
            let length = if capacity <= reach { capacity } else { reach / limits.alignment() * limits.alignment() };
            if length == 0 && capacity > 0 {
                return Err(limits.unplannable("a part of the elements".into(), format!("maxStorageBufferRange is {}", limits.reach())));
            }
            for (first, results) in blocks(capacity, length) {
                let (range, _) = limits.range(first, results, width.bytes());
                window(first, results, Mode::Decode, (OUTPUT, range)).record(&mut planner)?;
            }
            planner.copy_word(decoded, Place::start(SELECTED));
            planner.strategy = format!("ends of runs by a scan ({}); then each element finds its run", scan.strategy);
            planner.bytes_moved = scan.bytes_moved + 4 * runs + value_bytes + capacity * width.bytes();
        } else {
            planner.clear_word(Place::start(SELECTED));
        }
        let buffers = vec![
            planner.need("values", BufferUse::Input, value_bytes),
            planner.need("output", BufferUse::Output, if runs > 0 { capacity * width.bytes() } else { 0 }),
            planner.need("scratch", BufferUse::Scratch, planner.scratch_bytes),
            Planner::need_word("count", BufferUse::Input, counted),
            Planner::need_word("decoded", BufferUse::Output, true),
            planner.need("lengths", BufferUse::Input, 4 * runs),
        ];
        let count = if self.counted { ", counted by the device" } else { "" };
        planner.finish("run_length_decode", format!("of {} runs of {}{count} → at most {}", self.runs, self.dtype, self.capacity), buffers)
    }
}

/// The buffers of one recording of a [`RunLengthDecode`].
#[derive(Clone, Copy, Debug)]
pub struct RunLengthDecodeBindings<'a> {
    /// The value of each run.
    pub values: BufferRange<'a>,
    /// How long each run is, as u32.
    pub lengths: BufferRange<'a>,
    /// Where the elements go.
    pub output: BufferRange<'a>,
    /// The 4 bytes of how many elements all runs have, whether or not there is room for them; written by a copy.
    pub decoded: BufferRange<'a>,
    /// Temporary memory; may be left out where there are no runs.
    pub scratch: Option<BufferRange<'a>>,
    /// The 4 bytes of the count of runs, where it is the device's.
    pub count: Option<BufferRange<'a>>,
}

impl<'a> Bindings<'a> for RunLengthDecodeBindings<'a> {
    fn ranges(&self) -> [Option<BufferRange<'a>>; MOST_BUFFERS] {
        let mut ranges = [None; MOST_BUFFERS];
        ranges[INPUT] = Some(self.values);
        ranges[OUTPUT] = Some(self.output);
        ranges[SCRATCH] = self.scratch;
        ranges[COUNT] = self.count;
        ranges[SELECTED] = Some(self.decoded);
        ranges[LENGTHS] = Some(self.lengths);
        ranges
    }
}

impl Context {
    /// Each value as often as its length says.
    ///
    /// # Errors
    /// [`Error::InputMismatch`] where there is not one length, a u32, for each value; [`Error::TooManyElements`] where they make up 2^32 elements or more; what [`Kernel::plan`] says; memory, submission,
    /// device loss.
    pub fn run_length_decode(&self, runs: &RunLengths) -> Result<Outcome<Plan<RunLengthDecode>>, Error> {
        let RunLengths { values, lengths } = runs;
        let dtype = values.dtype();
        let count = values.bytes().len() / dtype.size() as usize;
        check_elements(DType::U32, count, lengths)?;
        let sum: u64 = lengths.to_vec::<u32>()?.into_iter().map(u64::from).sum();
        let capacity = usize::try_from(sum).unwrap_or(usize::MAX);
        let decode = RunLengthDecode::new(dtype, count, capacity);
        self.run(&decode, &[(INPUT, values.bytes()), (LENGTHS, lengths.bytes())], |downloads| {
            Tensor::new(dtype, vec![capacity], downloads.bytes(OUTPUT, sum * dtype.size())?)
        })
    }
}
