//! What a sort does on a device: for each digit a count, places, and a move, from one array to another and back.

use wavelane_device::{Capabilities, Quirk};

use super::bindings::{COUNT, INPUT, OUTPUT, OUTPUT_VALUES, SCRATCH, VALUES};
use super::digits::Digit;
use super::{Payload, Sort, SortForm, SortStrategy, lanes, local, onesweep, segments, sweep, tiles};
use crate::compact::width::{Kind, Width};
use crate::layout::Layout;
use crate::limits::DeviceLimits;
use crate::scan::exchange::Exchange;
use crate::schedule::{BufferNeed, BufferUse, COUNT_BYTES, Place, Schedule, ScheduleParts, StepAction, StepRange};
use crate::{Error, Path, PathChoice, PathNeeds, Tuning, select};

/// A schedule in the making.
pub(super) struct Planner<'a> {
    pub(super) sort: &'a Sort,
    pub(super) limits: DeviceLimits<'a>,
    pub(super) tuning: &'a Tuning,
    strategy: SortStrategy,
    pub(super) choice: PathChoice,
    pub(super) width: Width,
    pub(super) kind: Kind,
    pub(super) layout: Layout,
    pub(super) value_words: u32,
    /// Whether keys and values move together, by ballots.
    pub(super) sweeps: bool,
    /// Whether a workgroup may wait for another as long as it takes.
    is_patient: bool,
    pub(super) actions: Vec<StepAction>,
    scratch_bytes: u64,
    /// Where narrow keys are kept, if what they were in is written over before they are read for the last time.
    pub(super) copied_keys: Option<Place>,
}

/// The exchange of counts between parts.
pub(super) const EXCHANGE: Exchange = Exchange { state_words: 1, slots_each: 1, has_heads: false, has_arithmetic: true, wide: false };

/// One digit's way: where keys and values are, and where they go.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pass {
    pub(super) digit: Digit,
    pub(super) keys: Place,
    /// Nothing where the keys are not needed any more.
    pub(super) keys_to: Option<Place>,
    /// Nothing where a key's value is its position, which no array has yet.
    pub(super) values: Option<Place>,
    pub(super) values_to: Option<Place>,
}

impl<'a> Planner<'a> {
    pub(super) fn new(
        sort: &'a Sort,
        capabilities: &'a Capabilities,
        quirks: &[&'static Quirk],
        tuning: &'a Tuning,
        path: Option<Path>,
    ) -> Result<Self, Error> {
        let value_words = match sort.payload {
            Payload::None => 0,
            Payload::Positions => 1,
            Payload::Values(dtype) if dtype.size() >= 4 => (dtype.size() / 4) as u32,
            Payload::Values(dtype) => return Err(Error::SortValues { dtype }),
        };
        let width = Width::of(sort.dtype);
        let layout = Layout::of(&sort.shape, sort.axis)?;
        if sort.segments.is_some() && sort.counted {
            return Err(Error::SortCounted);
        }
        // Tiles take more of shared memory than other kernels do, as neighbours in the results come from one tile.
        let of_tiles = Tuning { shared_memory_budget: tiles::shared_bytes(tuning), ..tuning.clone() };
        let choose = |tuning: &Tuning, needs: PathNeeds| select(capabilities, quirks, tuning, &needs, path);
        let is_of_several = sort.segments.is_some() || layout.results() > 1;
        let whole = choose(&of_tiles, local::needs(width, value_words > 0 || is_of_several))?;
        let has_room = sort.segments.is_some() || layout.count <= tiles::tile(width, &whole);
        let strategy = match sort.strategy {
            Some(SortStrategy::Local) | None if has_room && (sort.strategy.is_some() || !tuning.sort_by_lanes) => SortStrategy::Local,
            Some(SortStrategy::Local) | None if tuning.sort_by_lanes => SortStrategy::Lanes,
            Some(SortStrategy::Local) | None => SortStrategy::Tiles,
            Some(_) if sort.segments.is_some() => SortStrategy::Local,
            Some(strategy) => strategy,
        };
        let mut sweeps = false;
        let choice = match strategy {
            SortStrategy::Lanes => choose(tuning, EXCHANGE.needs())?,
            SortStrategy::Tiles | SortStrategy::Onesweep => {
                // Workgroups of twice the size may be too large for a path that is asked for, which then goes by tiles.
                let possible = sweep::is_possible(capabilities, width, value_words, &layout);
                let swept = possible.then(|| choose(&sweep::tuned(tuning), sweep::needs()).ok()).flatten();
                let swept = swept.filter(|choice| choice.path != Path::SharedMemory);
                sweeps = swept.is_some() && !tiles::has_rows_enough(tuning, width, &layout);
                swept.filter(|_| sweeps).map_or_else(|| choose(&of_tiles, tiles::needs(capabilities, width, value_words > 0)), Ok)?
            }
            SortStrategy::Local if sort.segments.is_some() => choose(&of_tiles, segments::needs(capabilities, width))?,
            SortStrategy::Local => whole,
        };
        Ok(Self {
            sort,
            strategy,
            limits: DeviceLimits { capabilities },
            tuning,
            choice,
            width,
            kind: Kind::of(sort.dtype),
            layout,
            value_words,
            sweeps,
            is_patient: onesweep::is_patient(capabilities, quirks),
            actions: Vec::new(),
            scratch_bytes: 0,
            copied_keys: None,
        })
    }

    pub(super) fn schedule(mut self) -> Result<Schedule, Error> {
        let elements = self.layout.elements();
        let digits = self.sort.digits()?;
        let (key_bytes, value_bytes) = (elements * self.width.bytes(), 4 * elements * u64::from(self.value_words));
        let counted = self.sort.counted && elements > 0;
        let mut strategy = "there are no keys".to_owned();
        let mut bytes_moved = 0;
        if elements > 0 {
            let sweeps = self.sweeps;
            let moved = |passes: usize| {
                // Where values move by themselves, they need the keys once more.
                let values = if self.value_words > 0 && !sweeps { key_bytes + 2 * value_bytes } else { 2 * value_bytes };
                passes as u64 * (if self.sort.keys || sweeps { 3 * key_bytes } else { 2 * key_bytes } + values)
            };
            if let Some(count) = self.sort.segments {
                // As if all of them were long.
                bytes_moved = moved(digits.len());
                strategy = segments::record(&digits, count as u64, &mut self)?;
            } else if self.strategy == SortStrategy::Local {
                bytes_moved = (if self.sort.keys { 2 * key_bytes } else { key_bytes }) + 2 * value_bytes;
                let table = self.take_count(counted);
                strategy = local::record_rows(table, &mut self)?;
            } else if let Some(ring) = self.ring(digits.len() as u64) {
                bytes_moved = key_bytes + digits.len() as u64 * 2 * (key_bytes + value_bytes);
                let passes = self.passes(&digits, key_bytes, value_bytes);
                strategy = ring.record(&digits, &passes, counted, &mut self)?;
            } else {
                bytes_moved = moved(digits.len());
                let passes = self.passes(&digits, key_bytes, value_bytes);
                let parts = match self.strategy {
                    SortStrategy::Lanes => lanes::parts(&self, key_bytes)?,
                    _ => tiles::parts(&self, key_bytes)?,
                };
                parts.check_dispatches(&self)?;
                let table = self.take(parts.table_bytes());
                self.copy_count(counted, table);
                for pass in &passes {
                    parts.record(pass, table, &mut self)?;
                }
                strategy = parts.words(digits.len());
            }
        }
        let buffers = self.buffers(key_bytes, value_bytes, counted);
        let title = self.title();
        let Self { limits, choice, actions, .. } = self;
        Schedule::new(ScheduleParts { kernel: "sort", title, choice, strategy, buffers, actions, bytes_moved }, limits)
    }

    /// The ring, if workgroups look back: if that was asked for, or where it pays.
    fn ring(&self, digits: u64) -> Option<onesweep::Ring> {
        if !self.sweeps || !onesweep::is_possible(&self.layout) || self.sort.strategy == Some(SortStrategy::Tiles) {
            return None;
        }
        let is_asked_for = self.sort.strategy == Some(SortStrategy::Onesweep);
        onesweep::Ring::of(self, digits, self.is_patient).filter(|ring| is_asked_for || self.is_patient && ring.is_wide(self))
    }

    /// Room for the count, if the device has it, and for nothing otherwise.
    fn take_count(&mut self, counted: bool) -> Option<Place> {
        let place = counted.then(|| self.take(COUNT_BYTES))?;
        self.copy_count(counted, place);
        Some(place)
    }

    pub(super) fn copy_count(&mut self, counted: bool, to: Place) {
        if counted {
            let range = StepRange { offset: to.offset, size: COUNT_BYTES };
            self.actions.push(StepAction::Copy { from: COUNT, from_offset: 0, to: to.buffer, range });
        }
    }

    pub(super) fn take(&mut self, bytes: u64) -> Place {
        let offset = self.scratch_bytes.next_multiple_of(self.limits.alignment());
        self.scratch_bytes = offset + bytes.next_multiple_of(4);
        Place { buffer: SCRATCH, offset }
    }

    /// Keeps narrow keys, if passes over all keys come first that clear the arrays they go to.
    pub(super) fn keep_narrow_keys(&mut self) {
        let Sort { keys, form, .. } = *self.sort;
        if keys && self.width.bytes() < 4 && form != SortForm::OutOfPlace {
            let from = Place::start(if form == SortForm::InPlace { OUTPUT } else { INPUT });
            self.copied_keys = Some(self.copy_keys(from));
        }
    }

    /// Where keys and values are before and behind each digit.
    pub(super) fn passes(&mut self, digits: &[Digit], key_bytes: u64, value_bytes: u64) -> Vec<Pass> {
        let count = digits.len();
        let Sort { keys: wants_keys, payload, form, .. } = *self.sort;
        let [input, output, values, output_values] = [INPUT, OUTPUT, VALUES, OUTPUT_VALUES].map(Place::start);
        // The last digit's array is the output, the one before is scratch, and so on.
        let in_turns = |array: Place, scratch: Place| move |pass: usize| if (count - pass).is_multiple_of(2) { array } else { scratch };
        let both_ways = |first: Place, second: Place| move |pass: usize| if pass.is_multiple_of(2) { first } else { second };
        let spare = |planner: &mut Self, array: usize, bytes: u64| if count > array { planner.take(bytes) } else { Place::start(SCRATCH) };
        let keys: Box<dyn Fn(usize) -> Place> = match form {
            SortForm::DoubleBuffer if wants_keys => Box::new(both_ways(input, output)),
            _ if wants_keys => Box::new(in_turns(output, spare(self, 1, key_bytes))),
            _ => {
                let (first, second) = (spare(self, 1, key_bytes), spare(self, 2, key_bytes));
                Box::new(both_ways(second, first))
            }
        };
        let moved: Box<dyn Fn(usize) -> Place> = match form {
            _ if payload == Payload::None => Box::new(move |_| output_values),
            SortForm::DoubleBuffer => Box::new(both_ways(values, output_values)),
            _ => Box::new(in_turns(output_values, spare(self, 1, value_bytes))),
        };
        let has_values = payload != Payload::None;
        let passes = digits.iter().enumerate().map(|(pass, &digit)| Pass {
            digit,
            keys: if pass > 0 || form == SortForm::InPlace && wants_keys { keys(pass) } else { input },
            keys_to: (wants_keys || pass + 1 < count).then(|| keys(pass + 1)),
            values: match payload {
                Payload::Values(_) if pass == 0 && form != SortForm::InPlace => Some(values),
                Payload::Positions if pass == 0 => None,
                _ => has_values.then(|| moved(pass)),
            },
            values_to: has_values.then(|| moved(pass + 1)),
        });
        passes.collect()
    }

    fn buffers(&self, key_bytes: u64, value_bytes: u64, counted: bool) -> Vec<BufferNeed> {
        let need = |name, usage, bytes: u64, used| BufferNeed {
            name,
            usage,
            bytes: if used { bytes.next_multiple_of(4) } else { 0 },
            alignment: self.limits.alignment(),
        };
        let Sort { keys, payload, form, .. } = *self.sort;
        let of_form = |place: SortForm, usage| if form == place { BufferUse::InPlace } else { usage };
        let in_place = form == SortForm::InPlace;
        let has_first_values = match payload {
            Payload::None => false,
            Payload::Positions => form == SortForm::DoubleBuffer,
            Payload::Values(_) => !in_place,
        };
        vec![
            // Whoever asks for positions alone keeps the keys.
            need(
                "input",
                if keys { of_form(SortForm::DoubleBuffer, BufferUse::Input) } else { BufferUse::Input },
                key_bytes,
                !(in_place && keys),
            ),
            need("output", of_form(SortForm::InPlace, BufferUse::Output), key_bytes, keys),
            need("scratch", BufferUse::Scratch, self.scratch_bytes, true),
            BufferNeed { alignment: COUNT_BYTES, ..need("count", BufferUse::Input, COUNT_BYTES, counted) },
            need("values", of_form(SortForm::DoubleBuffer, BufferUse::Input), value_bytes, has_first_values),
            need(
                "output values",
                if payload == Payload::Positions { BufferUse::Output } else { of_form(SortForm::InPlace, BufferUse::Output) },
                value_bytes,
                payload != Payload::None,
            ),
            BufferNeed {
                alignment: COUNT_BYTES,
                ..need("offsets", BufferUse::Input, segments::offsets_bytes(self.sort), self.sort.segments.is_some() && key_bytes > 0)
            },
        ]
    }

    fn title(&self) -> String {
        let Sort { dtype, shape, axis, descending, bits, keys, payload, counted, form, .. } = self.sort;
        let what = match (keys, payload) {
            (true, Payload::None) => "keys".to_owned(),
            (true, Payload::Values(values)) => format!("keys with values of {values}"),
            (true, Payload::Positions) => "keys with positions".to_owned(),
            (false, _) => "positions of keys".to_owned(),
        };
        let order = if *descending { ", the largest first" } else { "" };
        let by = bits.map_or_else(String::new, |[begin, end]| format!(", by bits {begin} to {end}"));
        let along = axis.filter(|_| shape.len() > 1).map_or_else(String::new, |axis| format!(" along axis {axis}"));
        let along = self.sort.segments.map_or(along, |count| format!(" in {count} segments"));
        let count = if *counted { ", counted by the device" } else { "" };
        let place = match form {
            SortForm::OutOfPlace => "",
            SortForm::InPlace => ", in place",
            SortForm::DoubleBuffer => ", in two buffers",
        };
        format!("{what} of {shape:?} {dtype}{along}{order}{by}{count}{place}")
    }
}
