//! All keys of rows around the one that a sort would have at a place, without sorting.

use serde::{Deserialize, Serialize};
use wavelane_device::{Capabilities, Quirk};
use wavelane_record::BufferRange;

use crate::context::check_input;
use crate::kernel::{Bindings, Kernel, Plan};
use crate::layout::Layout;
use crate::radix_select::{First, Keys, Planner, Wanted};
use crate::schedule::{BufferUse, MOST_BUFFERS, Place, Schedule, ScheduleParts};
use crate::{Context, DType, Error, OrderStrategy, Outcome, Path, Tensor, Tuning};

/// The schedule's buffers, in their order.
const INPUT: usize = 0;
const OUTPUT: usize = 1;
const SCRATCH: usize = 2;
const POSITIONS: usize = 3;

/// The keys of each row, with the one at a place of its ascending order standing there, none behind it smaller and none before it larger, as by `np.partition`. Those smaller than it, those equal to it, and
/// those larger keep their order. All NaN are one and larger than everything else, -0 and +0 are one; all keep their bits.
///
/// ```
/// use wavelane::{DType, PartitionAt};
///
/// let around_the_middle = PartitionAt::new(DType::F32, &[64, 1001], 500);
/// // Where the 100 nearest of all stand, in no order: the first 100 of these positions.
/// let nearest = PartitionAt::positions(DType::F32, &[100_000], 99);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PartitionAt {
    /// Type of the keys.
    pub dtype: DType,
    /// Lengths of the array's axes.
    pub shape: Vec<usize>,
    /// The place in the order of each row.
    pub place: usize,
    /// Whether the whole array is one row. Otherwise rows are along the last axis.
    pub flattened: bool,
    /// Whether the keys are wanted.
    pub keys: bool,
    /// Whether their positions in the row are wanted, as u32.
    pub positions: bool,
    /// The strategy to take; without one it follows from device and size.
    pub strategy: Option<OrderStrategy>,
}

impl PartitionAt {
    /// The keys along the last axis, around the one at `place`.
    pub fn new(dtype: DType, shape: &[usize], place: usize) -> Self {
        Self { dtype, shape: shape.to_vec(), place, flattened: false, keys: true, positions: false, strategy: None }
    }

    /// Where these keys stand along the last axis, as `np.argpartition` says, and not the keys.
    pub fn positions(dtype: DType, shape: &[usize], place: usize) -> Self {
        Self { keys: false, positions: true, ..Self::new(dtype, shape, place) }
    }

    /// Both of them.
    pub fn with_positions(mut self) -> Self {
        self.positions = true;
        self
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

    /// The shape of the results: the array's; of an array that is one row its length.
    pub fn result_shape(&self) -> Vec<usize> {
        if self.flattened { vec![self.shape.iter().product()] } else { self.shape.clone() }
    }

    fn layout(&self) -> Result<Layout, Error> {
        Layout::of(&self.shape, if self.flattened { None } else { self.shape.len().checked_sub(1) })
    }

    fn title(&self) -> String {
        let Self { dtype, shape, place, flattened, keys, positions, .. } = self;
        let what = match (keys, positions) {
            (true, true) => "keys with positions",
            (true, false) => "keys",
            (false, _) => "positions of the keys",
        };
        let of = if !flattened && shape.len() > 1 { "each row of " } else { "" };
        format!("{what} around the one at place {place} of {of}{shape:?} {dtype}")
    }
}

/// The buffers of one recording of a [`PartitionAt`].
#[derive(Clone, Copy, Debug)]
pub struct PartitionAtBindings<'a> {
    /// The keys.
    pub input: BufferRange<'a>,
    /// Where the keys of each row go, if they are wanted.
    pub output: Option<BufferRange<'a>>,
    /// Temporary memory; may be left out where the plan takes none.
    pub scratch: Option<BufferRange<'a>>,
    /// Where the positions of the keys of each row go, if they are wanted.
    pub positions: Option<BufferRange<'a>>,
}

impl<'a> Bindings<'a> for PartitionAtBindings<'a> {
    fn ranges(&self) -> [Option<BufferRange<'a>>; MOST_BUFFERS] {
        let mut ranges = [None; MOST_BUFFERS];
        ranges[INPUT] = Some(self.input);
        ranges[OUTPUT] = self.output;
        ranges[SCRATCH] = self.scratch;
        ranges[POSITIONS] = self.positions;
        ranges
    }
}

impl Kernel for PartitionAt {
    type Bindings<'a> = PartitionAtBindings<'a>;

    fn schedule_tuned(
        &self,
        capabilities: &Capabilities,
        quirks: &[&'static Quirk],
        tuning: &Tuning,
        path: Option<Path>,
    ) -> Result<Schedule, Error> {
        let layout = self.layout()?;
        let (rows, row_length, size) = (layout.results(), layout.count, self.dtype.size());
        if self.place as u64 >= row_length {
            return Err(Error::Place { place: self.place as u64, row_length });
        }
        let keys = Keys { dtype: self.dtype, descending: false, rows, row_length, input: Place::start(INPUT) };
        let mut planner = Planner::new(keys, SCRATCH, capabilities, quirks, tuning, path)?;
        let is_any = rows > 0 && (self.keys || self.positions);
        let used = |wanted: bool, bytes: u64| if is_any && wanted { rows * row_length * bytes } else { 0 };
        if is_any {
            let first = First {
                count: row_length,
                around: Some(self.place as u64),
                keys: self.keys.then_some(Place::start(OUTPUT)),
                positions: self.positions.then_some(Place::start(POSITIONS)),
            };
            planner.find(&Wanted::First(first), self.strategy)?;
            planner.bytes_moved += used(self.keys, size) + used(self.positions, 4);
        }
        let buffers = vec![
            planner.need("input", BufferUse::Input, used(true, size)),
            planner.need("output", BufferUse::Output, used(self.keys, size)),
            planner.need("scratch", BufferUse::Scratch, planner.scratch_bytes),
            planner.need("positions", BufferUse::Output, used(self.positions, 4)),
        ];
        let Planner { limits, choice, actions, strategy, bytes_moved, .. } = planner;
        Schedule::new(
            ScheduleParts { kernel: "partition_at", title: self.title(), choice, strategy, buffers, actions, bytes_moved },
            limits,
        )
    }
}

/// The results of a [`PartitionAt`].
#[derive(Clone, Debug, PartialEq)]
pub struct PartitionedAt {
    /// The keys, if they are wanted.
    pub keys: Option<Tensor>,
    /// Where each stood in its row, if that is wanted.
    pub positions: Option<Tensor>,
}

impl Context {
    /// Arranges the keys of rows around the one at a place of their order.
    ///
    /// # Errors
    /// [`Error::InputMismatch`] if `keys` is not what `partition` describes; [`Error::Place`] if rows have no such place; what [`Kernel::plan`] says; memory, submission, device loss.
    pub fn partition_at(&self, partition: &PartitionAt, keys: &Tensor) -> Result<Outcome<Plan<PartitionAt>, PartitionedAt>, Error> {
        check_input((partition.dtype, &partition.shape), keys)?;
        let shape = partition.result_shape();
        self.run(partition, &[(INPUT, keys.bytes())], |downloads| {
            let results = shape.iter().product::<usize>() as u64;
            let mut of = |buffer: usize, dtype: DType| Tensor::new(dtype, shape.clone(), downloads.bytes(buffer, results * dtype.size())?);
            let keys = if partition.keys { Some(of(OUTPUT, partition.dtype)?) } else { None };
            Ok(PartitionedAt { keys, positions: if partition.positions { Some(of(POSITIONS, DType::U32)?) } else { None } })
        })
    }
}
