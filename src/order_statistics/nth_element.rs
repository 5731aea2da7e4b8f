//! The keys that a sort would have at some places, without sorting.

use serde::{Deserialize, Serialize};
use wavelane_device::{Capabilities, Quirk};
use wavelane_record::BufferRange;

use crate::context::check_input;
use crate::kernel::{Bindings, Kernel, Plan};
use crate::layout::Layout;
use crate::radix_select::{At, Keys, Planner, Wanted};
use crate::schedule::{BufferUse, MOST_BUFFERS, Place, Schedule, ScheduleParts};
use crate::{Context, DType, Error, OrderStrategy, Outcome, Path, Tensor, Tuning};

/// The schedule's buffers, in their order.
const INPUT: usize = 0;
const OUTPUT: usize = 1;
const SCRATCH: usize = 2;

/// Of each row the keys that an ascending sort would have at some places, as `np.partition(a, k)[..., k]`. All NaN are one and larger than everything else, and come as one of them; -0 and +0 are one, and come
/// as +0.
///
/// ```
/// use wavelane::{DType, NthElement};
///
/// let smallest = NthElement::new(DType::F32, &[64, 1000], 0);
/// // The quarters of the whole array.
/// let quarters = NthElement::of_places(DType::U8, &[1001], &[250, 500, 750]).flattened();
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct NthElement {
    /// Type of the keys.
    pub dtype: DType,
    /// Lengths of the array's axes.
    pub shape: Vec<usize>,
    /// The places in the order of each row: results are those of all rows for the first place, then for the next.
    pub places: Vec<usize>,
    /// Whether the whole array is one row. Otherwise rows are along the last axis.
    pub flattened: bool,
    /// The strategy to take; without one it follows from device and size.
    pub strategy: Option<OrderStrategy>,
}

impl NthElement {
    /// The key at one place of each row along the last axis.
    pub fn new(dtype: DType, shape: &[usize], place: usize) -> Self {
        Self::of_places(dtype, shape, &[place])
    }

    /// The keys at several places.
    pub fn of_places(dtype: DType, shape: &[usize], places: &[usize]) -> Self {
        Self { dtype, shape: shape.to_vec(), places: places.to_vec(), flattened: false, strategy: None }
    }

    /// Takes the whole array as one row.
    pub fn flattened(mut self) -> Self {
        self.flattened = true;
        self
    }

    /// Takes a strategy, where it is possible.
    pub fn with_strategy(mut self, strategy: OrderStrategy) -> Self {
        self.strategy = Some(strategy);
        self
    }

    /// The shape of the results: how many places there are, and the rows.
    pub fn result_shape(&self) -> Vec<usize> {
        [&[self.places.len()], self.row_shape()].concat()
    }

    /// The array's shape without the axis that rows are along.
    pub(super) fn row_shape(&self) -> &[usize] {
        match self.shape.split_last() {
            Some((_, rows)) if !self.flattened => rows,
            _ => &[],
        }
    }

    fn layout(&self) -> Result<Layout, Error> {
        Layout::of(&self.shape, if self.flattened { None } else { self.shape.len().checked_sub(1) })
    }

    /// Keys of a row.
    pub(super) fn row_length(&self) -> Result<u64, Error> {
        Ok(self.layout()?.count)
    }

    fn title(&self) -> String {
        let Self { dtype, shape, places, flattened, .. } = self;
        let of = if !flattened && shape.len() > 1 { "each row of " } else { "" };
        let what = match places.as_slice() {
            [place] => format!("the key at place {place}"),
            places => format!("the keys at {} places", places.len()),
        };
        format!("{what} of {of}{shape:?} {dtype}")
    }
}

/// The buffers of one recording of a [`NthElement`].
#[derive(Clone, Copy, Debug)]
pub struct NthElementBindings<'a> {
    /// The keys.
    pub input: BufferRange<'a>,
    /// Where the keys found go.
    pub output: BufferRange<'a>,
    /// Temporary memory; may be left out where the plan takes none.
    pub scratch: Option<BufferRange<'a>>,
}

impl<'a> Bindings<'a> for NthElementBindings<'a> {
    fn ranges(&self) -> [Option<BufferRange<'a>>; MOST_BUFFERS] {
        let mut ranges = [None; MOST_BUFFERS];
        ranges[INPUT] = Some(self.input);
        ranges[OUTPUT] = Some(self.output);
        ranges[SCRATCH] = self.scratch;
        ranges
    }
}

impl Kernel for NthElement {
    type Bindings<'a> = NthElementBindings<'a>;

    fn schedule_tuned(
        &self,
        capabilities: &Capabilities,
        quirks: &[&'static Quirk],
        tuning: &Tuning,
        path: Option<Path>,
    ) -> Result<Schedule, Error> {
        let layout = self.layout()?;
        let (rows, row_length) = (layout.results(), layout.count);
        let places: Vec<u64> = self.places.iter().map(|&place| place as u64).collect();
        if let Some(&place) = places.iter().find(|&&place| place >= row_length) {
            return Err(Error::Place { place, row_length });
        }
        // So that the results are no more than an array may have.
        let results = Layout::of(&self.result_shape(), None)?.elements();
        let keys = Keys { dtype: self.dtype, descending: false, rows, row_length, input: Place::start(INPUT) };
        let mut planner = Planner::new(keys, SCRATCH, capabilities, quirks, tuning, path)?;
        if results > 0 {
            planner.find(&Wanted::At(At { places: &places, keys: Place::start(OUTPUT) }), self.strategy)?;
            planner.bytes_moved += results * self.dtype.size();
        }
        let input_bytes = if results > 0 { rows * row_length * self.dtype.size() } else { 0 };
        let buffers = vec![
            planner.need("input", BufferUse::Input, input_bytes),
            planner.need("output", BufferUse::Output, results * self.dtype.size()),
            planner.need("scratch", BufferUse::Scratch, planner.scratch_bytes),
        ];
        let Planner { limits, choice, actions, strategy, bytes_moved, .. } = planner;
        Schedule::new(ScheduleParts { kernel: "nth_element", title: self.title(), choice, strategy, buffers, actions, bytes_moved }, limits)
    }
}

impl Context {
    /// Finds the keys at places of the order of rows.
    ///
    /// # Errors
    /// [`Error::InputMismatch`] if `keys` is not what `nth` describes; [`Error::Place`] if rows have no such place; what [`Kernel::plan`] says; memory, submission, device loss.
    pub fn nth_element(&self, nth: &NthElement, keys: &Tensor) -> Result<Outcome<Plan<NthElement>>, Error> {
        check_input((nth.dtype, &nth.shape), keys)?;
        let shape = nth.result_shape();
        self.run(nth, &[(INPUT, keys.bytes())], |downloads| {
            let results = shape.iter().product::<usize>() as u64;
            Tensor::new(nth.dtype, shape.clone(), downloads.bytes(OUTPUT, results * nth.dtype.size())?)
        })
    }
}
