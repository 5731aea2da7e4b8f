//! Where elements are that are not zero.

use serde::{Deserialize, Serialize};
use wavelane_device::{Capabilities, Quirk};
use wavelane_record::BufferRange;

use super::condition::{Compare, Condition};
use super::planner::{COUNT, INPUT, OUTPUT, SCRATCH, SELECTED};
use super::selection::{Select, Work, check_elements};
use crate::kernel::{Bindings, Kernel, Plan};
use crate::schedule::{MOST_BUFFERS, Schedule};
use crate::{Context, DType, Error, Outcome, Path, Scalar, ScanStrategy, Tensor, Tuning};

/// The positions of the elements that are not zero, as u32, and how many there are. NaN is not zero; zeros of both signs are.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Nonzero {
    /// Type of the elements.
    pub dtype: DType,
    /// Elements of the input.
    pub len: usize,
    /// Whether the number of elements is read on the device, when the work runs; `len` is the most it can be then.
    pub counted: bool,
    /// The strategy to take; without one it follows from device and size.
    pub strategy: Option<ScanStrategy>,
}

impl Nonzero {
    /// The positions of all elements that are not zero.
    pub fn new(dtype: DType, len: usize) -> Self {
        Self { dtype, len, counted: false, strategy: None }
    }

    /// Takes the number of elements from a buffer of the device when the work runs ([`NonzeroBindings::count`]).
    pub fn counted(mut self) -> Self {
        self.counted = true;
        self
    }

    /// Takes a strategy, where it is possible.
    pub fn with_strategy(mut self, strategy: ScanStrategy) -> Self {
        self.strategy = Some(strategy);
        self
    }

    fn work(&self) -> Work {
        let condition = Condition::Compare(Compare::Ne, Scalar::from_bits(self.dtype, 0));
        let select =
            Select { positions: true, counted: self.counted, strategy: self.strategy, ..Select::new(condition, self.dtype, self.len) };
        Work { kernel: "nonzero", title: "positions of what is not zero".into(), ..select.work() }
    }
}

impl Kernel for Nonzero {
    type Bindings<'a> = NonzeroBindings<'a>;

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

/// The buffers of one recording of a [`Nonzero`].
#[derive(Clone, Copy, Debug)]
pub struct NonzeroBindings<'a> {
    /// The elements.
    pub input: BufferRange<'a>,
    /// Where the positions go: room for as many as there are elements.
    pub output: BufferRange<'a>,
    /// The 4 bytes of how many there are; written by a copy.
    pub selected: BufferRange<'a>,
    /// Temporary memory; may be left out where there are no elements.
    pub scratch: Option<BufferRange<'a>>,
    /// The 4 bytes of the count of elements, where it is the device's.
    pub count: Option<BufferRange<'a>>,
}

impl<'a> Bindings<'a> for NonzeroBindings<'a> {
    fn ranges(&self) -> [Option<BufferRange<'a>>; MOST_BUFFERS] {
        let mut ranges = [None; MOST_BUFFERS];
        ranges[INPUT] = Some(self.input);
        ranges[OUTPUT] = Some(self.output);
        ranges[SCRATCH] = self.scratch;
        ranges[COUNT] = self.count;
        ranges[SELECTED] = Some(self.selected);
        ranges
    }
}

impl Context {
    /// The positions of the elements of an array that are not zero, in C order, whether or not the description is counted.
    ///
    /// # Errors
    /// [`Error::InputMismatch`] if `input` is not what `nonzero` describes; what [`Kernel::plan`] says; memory, submission, device loss.
    pub fn nonzero(&self, nonzero: &Nonzero, input: &Tensor) -> Result<Outcome<Plan<Nonzero>>, Error> {
        check_elements(nonzero.dtype, nonzero.len, input)?;
        let nonzero = Nonzero { counted: false, ..nonzero.clone() };
        self.run(&nonzero, &[(INPUT, input.bytes())], |downloads| {
            let selected = downloads.word(SELECTED)?;
            Tensor::new(DType::U32, vec![selected as usize], downloads.bytes(OUTPUT, 4 * u64::from(selected))?)
        })
    }
}
