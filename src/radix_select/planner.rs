//! A schedule with a radix select in it, in the making: what its dispatches have in common.

use wavelane_device::{Capabilities, Quirk};

use super::wanted::{First, Wanted};
use super::{OrderStrategy, compare, digits, parts, rows};
use crate::compact::width::{Kind, Width};
use crate::limits::DeviceLimits;
use crate::scan::exchange::{Exchange, SLOTS_EACH};
use crate::schedule::{BufferNeed, BufferUse, Place, StepAction, StepRange};
use crate::{DType, Error, Path, PathChoice, PathNeeds, Tuning, select};

/// What all dispatches are told by push constants, as radix_select/interface.glsl has them.
pub(super) type Push = crate::shaders::radix_select::count::PushConstants;

/// The exchange of counts.
pub(super) const EXCHANGE: Exchange =
    Exchange { state_words: 1, slots_each: SLOTS_EACH, has_heads: false, has_arithmetic: true, wide: false };

/// Words of shared memory beside the exchange: counters, the value chosen, what is before a part.
const WORDS_BESIDE: u32 = (1 << digits::DIGIT_BITS) + 4;

/// Rounds of an invocation's loops, of which llvmpipe does 65535 in all.
pub(super) const MOST_ROUNDS: u64 = 60_000;

/// The most invocations of a workgroup: keys of a tile on either side of the threshold are counted in half a word each.
const MOST_INVOCATIONS: u32 = 1024;

/// The most dispatches: as many as a digit of a sort may take.
const MOST_DISPATCHES: u64 = 1 << 14;

/// Bits of `options` (`OPTION_*`).
pub(super) const SPLIT: u32 = 1;
const DESCENDING: u32 = 2;
pub(super) const UPPER: u32 = 4;
const KEYS: u32 = 8;
const POSITIONS: u32 = 16;
pub(super) const AT: u32 = 32;
const AROUND: u32 = 64;
const KIND_SHIFT: u32 = 8;

/// The keys of which the first ones are found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Keys {
    pub(crate) dtype: DType,
    /// Whether the largest come first.
    pub(crate) descending: bool,
    pub(crate) rows: u64,
    /// Keys of a row: 1 at least.
    pub(crate) row_length: u64,
    pub(crate) input: Place,
}

/// A schedule in the making.
pub(crate) struct Planner<'a> {
    pub(crate) limits: DeviceLimits<'a>,
    pub(super) tuning: &'a Tuning,
    pub(crate) choice: PathChoice,
    pub(super) keys: Keys,
    pub(super) width: Width,
    scratch: usize,
    pub(crate) actions: Vec<StepAction>,
    /// How the work is shared, in words.
    pub(crate) strategy: String,
    /// Bytes of scratch that are given out.
    pub(crate) scratch_bytes: u64,
    pub(crate) bytes_moved: u64,
}

impl<'a> Planner<'a> {
    /// `scratch` is which of the schedule's buffers that is.
    pub(crate) fn new(
        keys: Keys,
        scratch: usize,
        capabilities: &'a Capabilities,
        quirks: &[&'static Quirk],
        tuning: &'a Tuning,
        path: Option<Path>,
    ) -> Result<Self, Error> {
        let exchange = EXCHANGE.needs();
        let needs = PathNeeds { shared_words_beside: exchange.shared_words_beside + WORDS_BESIDE, ..exchange };
        let sized = Tuning { workgroup_size: tuning.workgroup_size.min(MOST_INVOCATIONS), ..tuning.clone() };
        Ok(Self {
            limits: DeviceLimits { capabilities },
            tuning,
            choice: select(capabilities, quirks, &sized, &needs, path)?,
            keys,
            width: Width::of(keys.dtype),
            scratch,
            actions: Vec::new(),
            strategy: "nothing is to be found".into(),
            scratch_bytes: 0,
            bytes_moved: 0,
        })
    }

    /// So many bytes of scratch, beginning where a binding may.
    pub(crate) fn take_scratch(&mut self, bytes: u64) -> Place {
        let offset = self.scratch_bytes.next_multiple_of(self.limits.alignment());
        self.scratch_bytes = offset + bytes.next_multiple_of(4);
        Place { buffer: self.scratch, offset }
    }

    /// A buffer among the bindings.
    pub(crate) fn need(&self, name: &'static str, usage: BufferUse, bytes: u64) -> BufferNeed {
        BufferNeed { name, usage, bytes: bytes.next_multiple_of(4), alignment: self.limits.alignment() }
    }

    /// Whether the first keys are found in their order already, not in the row's.
    pub(crate) fn sorts(&self, strategy: Option<OrderStrategy>) -> Result<bool, Error> {
        Ok(self.strategy_of(1, strategy, true)? == OrderStrategy::Comparisons)
    }

    /// Finds what is wanted of each row.
    pub(crate) fn find(&mut self, wanted: &Wanted<'_>, strategy: Option<OrderStrategy>) -> Result<(), Error> {
        let size = self.width.bytes();
        self.limits.check_reach("keys", self.keys.rows * self.keys.row_length * size)?;
        if let (Some(keys), true) = (wanted.keys(), size < 4) {
            // Several keys share a word, and are put into it one by one.
            let (buffer, range) = keys.bytes(StepRange::first((self.keys.rows * wanted.results() * size).next_multiple_of(4)));
            self.actions.push(StepAction::Fill { buffer, range, word: 0 });
        }
        let places = if let Wanted::At(at) = wanted { at.places.len() as u64 } else { 1 };
        match self.strategy_of(places, strategy, self.rows_of_results(wanted).is_ok())? {
            OrderStrategy::Comparisons => compare::record(wanted, self),
            OrderStrategy::Rows => rows::record(wanted, self),
            OrderStrategy::Parts => parts::record(wanted, self),
        }
    }

    /// Keys that a workgroup takes at once.
    pub(super) fn tile(&self) -> u64 {
        u64::from(self.choice.workgroup_size) * u64::from(SLOTS_EACH) * self.width.per_wide_load()
    }

    /// The strategy for so many places of each row, of which descriptors reach across all results, or do not.
    fn strategy_of(&self, places: u64, forced: Option<OrderStrategy>, reaches_results: bool) -> Result<OrderStrategy, Error> {
        let Keys { rows, row_length, .. } = self.keys;
        let is_reached = self.limits.capacity(rows * row_length, self.width.bytes()) >= row_length;
        let can = |strategy| match strategy {
            OrderStrategy::Comparisons => is_reached && compare::can(self),
            OrderStrategy::Rows => is_reached && rows::can(self),
            OrderStrategy::Parts => true,
        };
        if let Some(strategy) = forced {
            let refused = || self.limits.unplannable(format!("{strategy:?} in rows of {row_length} keys"), "they are too long".into());
            return if can(strategy) { Ok(strategy) } else { Err(refused()) };
        }
        let are_many = 2 * rows * places >= u64::from(self.tuning.fill_workgroups) || row_length <= rows::SHORT_TILES * self.tile();
        Ok(match () {
            () if can(OrderStrategy::Comparisons) => OrderStrategy::Comparisons,
            () if are_many && reaches_results && can(OrderStrategy::Rows) => OrderStrategy::Rows,
            () => OrderStrategy::Parts,
        })
    }

    /// The rows that one dispatch may have, as far as their results are reached by descriptors.
    pub(super) fn rows_of_results(&self, wanted: &Wanted<'_>) -> Result<u64, Error> {
        let rows = match wanted {
            Wanted::First(first) => self.results_at_once(first) / first.count,
            // The results of a row are far from each other, and may be bound one by one.
            Wanted::At(_) => self.limits.capacity(self.keys.rows * wanted.results(), self.width.bytes()),
        };
        match rows {
            0 => Err(self.limits.out_of_reach(format!("the first {} keys of a row", wanted.results()))),
            rows => Ok(rows),
        }
    }

    /// How many results descriptors reach, wherever they begin.
    pub(super) fn results_at_once(&self, first: &First) -> u64 {
        let of = |size: u64, place: Option<Place>| place.map_or(u64::MAX, |_| self.limits.capacity(self.keys.rows * first.count, size));
        of(self.width.bytes(), first.keys).min(of(4, first.positions))
    }

    /// That it does not take more dispatches than anyone would wait for to be planned.
    pub(super) fn check_dispatches(&self, count: u64) -> Result<(), Error> {
        if count <= MOST_DISPATCHES {
            return Ok(());
        }
        let Keys { rows, row_length, .. } = self.keys;
        Err(self.limits.out_of_reach(format!("a search of {rows} rows of {row_length} keys in {count} dispatches")))
    }

    /// What is bound of the keys from the array's key `first` on, and what a shader is told of them.
    pub(super) fn bound_keys(&self, first: u64, count: u64) -> ((usize, StepRange), Push) {
        let (range, base) = self.limits.range(first, count, self.width.bytes());
        let Keys { descending, row_length, dtype, .. } = self.keys;
        let push = Push {
            row_length: row_length as u32,
            rows: 0,
            lines: 0,
            parts: 1,
            part_length: row_length as u32,
            first_row: 0,
            first_part: 0,
            dispatch_parts: 0,
            first: (first - u64::from(base)) as u32,
            bound_words: (range.size / 4) as u32,
            shift: 0,
            digit_mask: 0,
            first_results: 0,
            around: 0,
            first_key: 0,
            first_position: 0,
            window_first: 0,
            window: 0,
            rows_each: 1,
            all_rows: self.keys.rows as u32,
            options: (Kind::of(dtype) as u32) << KIND_SHIFT | if descending { DESCENDING } else { 0 },
        };
        (self.keys.input.bytes(range), push)
    }

    /// What is bound of the `count` results from `begin` on, and stored by a dispatch: their keys and positions. What is not wanted stands for nothing.
    pub(super) fn bound_results(&self, first: &First, begin: u64, count: u64, push: &mut Push) -> [(usize, StepRange); 2] {
        (push.first_results, push.window_first, push.window) = (first.count as u32, begin as u32, count as u32);
        if let Some(place) = first.around {
            push.options |= AROUND;
            push.around = place as u32;
        }
        let mut of = |place: Option<Place>, size: u64, option: u32| {
            let place = place?;
            let (range, base) = self.limits.range(begin, count, size);
            let base = (begin - u64::from(base)) as u32;
            push.options |= option;
            if option == KEYS {
                push.first_key = base;
            } else {
                push.first_position = base;
            }
            Some(place.bytes(range))
        };
        let (keys, positions) = (of(first.keys, self.width.bytes(), KEYS), of(first.positions, 4, POSITIONS));
        // One of them is there: whoever wants neither has nothing to find.
        let either = keys.or(positions).unwrap_or((self.scratch, StepRange::first(4)));
        [keys.unwrap_or(either), positions.unwrap_or(either)]
    }
}
