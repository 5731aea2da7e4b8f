//! How many elements are in each of some bins. See `docs/kernels/histogram.md`.

mod bins;
mod count;
mod geometry;
mod host;
mod keys;
mod lookup;
mod strategy;
#[cfg(test)]
mod tests;
mod work;

use serde::{Deserialize, Serialize};
use wavelane_device::{Capabilities, Quirk};
use wavelane_record::BufferRange;

use crate::kernel::{Bindings, Kernel};
use crate::schedule::{MOST_BUFFERS, Schedule};
use crate::{DType, Error, Path, Tuning};

pub use bins::Bins;
pub use strategy::HistogramStrategy;
use work::{COUNT, INPUT, LOOKUP, OUTPUT, SCRATCH, WEIGHTS};

/// How many elements of an array are in each bin, or the sum of their weights. Plain data; [`Kernel::plan`] makes it ready for a device.
///
/// ```
/// use wavelane::{Bins, DType, Histogram};
///
/// // A million floats, in 100 bins from 0 to 1.
/// let floats = Histogram::new(DType::F32, Bins::Even { bins: 100, low: 0.0, high: 1.0 }, 1_000_000);
/// // Red, green and blue of an image whose rows begin 8192 bytes apart.
/// let image = Histogram::of_image(DType::U8, Bins::Values { bins: 256 }, 1080, 1920, 4).first_channels(3).with_pitch(8192);
/// // A histogram of each row.
/// let rows = Histogram::of_rows(DType::U16, Bins::Values { bins: 1000 }, 344, 403);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Histogram {
    /// Type of the elements.
    pub dtype: DType,
    /// The bins.
    pub bins: Bins,
    /// Rows of elements; 1 for an array that has none.
    pub rows: usize,
    /// Elements of each channel in a row.
    pub width: usize,
    /// Channels, whose elements take turns.
    pub channels: usize,
    /// How many of the channels are counted, from the first on.
    pub counted_channels: usize,
    /// Elements from the beginning of a row to that of the next, of all channels.
    pub pitch: usize,
    /// Whether each row has a histogram of its own.
    pub each_row: bool,
    /// The type of the weights, if there are any: u32, i32 or f32. Each element has one, at the same place.
    pub weights: Option<DType>,
    /// Whether sums of weights are f64, and not of the weights' own type.
    pub wide: bool,
    /// Whether the number of elements is read on the device, when the work runs: as many as lie in memory from the beginning on, gaps between rows among them.
    pub counted: bool,
    /// The strategy to take; without one it follows from device and bins.
    pub strategy: Option<HistogramStrategy>,
}

impl Histogram {
    /// Of an array.
    pub fn new(dtype: DType, bins: Bins, len: usize) -> Self {
        Self::of_image(dtype, bins, 1, len, 1)
    }

    /// Of an image whose pixels have `channels` values each: a histogram for each channel.
    pub fn of_image(dtype: DType, bins: Bins, height: usize, width: usize, channels: usize) -> Self {
        Self {
            dtype,
            bins,
            rows: height,
            width,
            channels,
            counted_channels: channels,
            pitch: width.saturating_mul(channels),
            each_row: false,
            weights: None,
            wide: false,
            counted: false,
            strategy: None,
        }
    }

    /// Of each row of an array.
    pub fn of_rows(dtype: DType, bins: Bins, rows: usize, len: usize) -> Self {
        Self { each_row: true, ..Self::of_image(dtype, bins, rows, len, 1) }
    }

    /// Counts so many of the channels.
    pub fn first_channels(mut self, channels: usize) -> Self {
        self.counted_channels = channels;
        self
    }

    /// Rows begin so many elements apart.
    pub fn with_pitch(mut self, pitch: usize) -> Self {
        self.pitch = pitch;
        self
    }

    /// Sums weights of a type instead of counting.
    pub fn weighted(mut self, weights: DType) -> Self {
        self.weights = Some(weights);
        self
    }

    /// Gives sums of weights as f64: exact sums, rounded once.
    pub fn wide(mut self) -> Self {
        self.wide = true;
        self
    }

    /// Takes the number of elements from a buffer of the device when the work runs ([`HistogramBindings::count`]). A greater count is taken for the most that
    /// there can be.
    pub fn counted(mut self) -> Self {
        self.counted = true;
        self
    }

    /// Takes a strategy, where it is possible.
    pub fn with_strategy(mut self, strategy: HistogramStrategy) -> Self {
        self.strategy = Some(strategy);
        self
    }

    /// Type of the results: u32 for counts.
    pub fn result_dtype(&self) -> DType {
        match self.weights {
            None => DType::U32,
            Some(_) if self.wide => DType::F64,
            Some(dtype) => dtype,
        }
    }

    /// Shape of the results: the bins, behind the channels if there are several in a pixel, behind the rows if each has a histogram.
    pub fn result_shape(&self) -> Vec<usize> {
        let rows = self.each_row.then_some(self.rows);
        let channels = (self.channels > 1).then_some(self.counted_channels);
        rows.into_iter().chain(channels).chain([self.bins.count()]).collect()
    }

    /// Elements of the input, gaps between rows among them.
    ///
    /// # Errors
    /// [`Error::Rows`], [`Error::TooManyElements`].
    pub fn input_len(&self) -> Result<usize, Error> {
        Ok(geometry::Geometry::of(self)?.span as usize)
    }

    /// What the buffer [`HistogramBindings::lookup`] has to hold: how bins are found, which depends on the description alone. Empty where nothing has to be looked up.
    ///
    /// # Errors
    /// What [`Bins::edges`] says.
    pub fn lookup_words(&self) -> Result<Vec<u32>, Error> {
        Ok(lookup::Lookup::of(&self.bins, self.dtype)?.map_or_else(Vec::new, |lookup| lookup.words))
    }
}

impl Kernel for Histogram {
    type Bindings<'a> = HistogramBindings<'a>;

    fn schedule_tuned(
        &self,
        capabilities: &Capabilities,
        quirks: &[&'static Quirk],
        tuning: &Tuning,
        path: Option<Path>,
    ) -> Result<Schedule, Error> {
        work::schedule(self, capabilities, quirks, tuning, path)
    }
}

/// The buffers of one recording of a [`Histogram`].
#[derive(Clone, Copy, Debug)]
pub struct HistogramBindings<'a> {
    /// The elements.
    pub input: BufferRange<'a>,
    /// Where the counts or sums go. What was there does not matter.
    pub output: BufferRange<'a>,
    /// Temporary memory; may be left out where the schedule needs none.
    pub scratch: Option<BufferRange<'a>>,
    /// The 4 bytes of the count of a counted histogram.
    pub count: Option<BufferRange<'a>>,
    /// What [`Histogram::lookup_words`] gives; may be left out where that is nothing.
    pub lookup: Option<BufferRange<'a>>,
    /// A weight for each element, if there are weights.
    pub weights: Option<BufferRange<'a>>,
}

impl<'a> Bindings<'a> for HistogramBindings<'a> {
    fn ranges(&self) -> [Option<BufferRange<'a>>; MOST_BUFFERS] {
        let mut ranges = [None; MOST_BUFFERS];
        ranges[INPUT] = Some(self.input);
        ranges[OUTPUT] = Some(self.output);
        ranges[SCRATCH] = self.scratch;
        ranges[COUNT] = self.count;
        ranges[LOOKUP] = self.lookup;
        ranges[WEIGHTS] = self.weights;
        ranges
    }
}
