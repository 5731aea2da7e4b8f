//! Segments of an array, each sorted by itself. Of short ones a workgroup has several and sorts them in shared memory; one that is longer has a workgroup, which goes through it tile by tile; and the longest are
//! cut into parts. Who does which follows from where segments begin, so that each dispatch has as many workgroups as the array has shares of keys, whatever the offsets are.

use wavelane_device::Capabilities;

use super::Sort;
use super::bindings::OFFSETS;
use super::digits::{DIGIT_BITS, Digit};
use super::local::{self, Segments};
use super::parts::{Push, Work, options_of};
use super::planner::{EXCHANGE, Pass, Planner};
use super::tiles;
use crate::compact::width::Width;
use crate::limits::MAX_ELEMENTS;
use crate::schedule::{Place, StepAction, StepRange, dispatch};
use crate::{Error, PathNeeds};

/// The most keys of a segment that one workgroup does, and the keys of a part of a longer one: so many that counts of parts take a hundredth of what the keys do.
const LONGEST: u64 = 1 << 16;

/// Values of a digit.
const VALUES: u64 = 1 << DIGIT_BITS;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Count = 0,
    Move = 1,
    /// A workgroup counts a whole segment and moves it.
    Whole = 2,
}

/// What the tiles of all dispatches take of shared memory.
pub(super) fn needs(capabilities: &Capabilities, width: Width) -> PathNeeds {
    let (a, b) = (local::needs(width, true), tiles::needs(capabilities, width, true));
    PathNeeds {
        shared_words: a.shared_words.max(b.shared_words),
        shared_words_beside: a.shared_words_beside.max(b.shared_words_beside),
        ..b
    }
}

/// Bytes of the offsets.
pub(super) fn offsets_bytes(sort: &Sort) -> u64 {
    sort.segments.map_or(0, |count| 4 * (count as u64).saturating_add(1))
}

/// What is known of an array's segments before their offsets are.
struct Plan {
    segments: Segments,
    elements: u64,
    shortest: u64,
    /// Words of the table behind the offsets: the counts of parts, and the totals of segments.
    counts: u64,
    totals: u64,
    /// Two parts for each share of the keys.
    parts: u64,
    /// What is bound of keys.
    keys: StepRange,
}

/// Sorts an array's segments.
pub(super) fn record(digits: &[Digit], count: u64, planner: &mut Planner<'_>) -> Result<String, Error> {
    let elements = planner.layout.elements();
    if count > MAX_ELEMENTS - 1 {
        return Err(Error::TooManyElements { shape: vec![count as usize], count: count.to_string(), limit: MAX_ELEMENTS - 1 });
    }
    let widest = planner.width.bytes().max(4 * u64::from(planner.value_words));
    planner.limits.check_whole("an array sorted in segments", (elements * widest).next_multiple_of(4))?;
    let shortest = tiles::tile(planner.width, &planner.choice) / 2;
    let chunks = if elements > LONGEST { elements.div_ceil(LONGEST) } else { 0 };
    let counts = count + 1;
    let totals = counts + 2 * chunks * VALUES;
    let table_bytes = 4 * (totals + chunks * VALUES);
    planner.limits.check_whole("the offsets and counts of a sort in segments", table_bytes)?;
    let (key_bytes, value_bytes) = (elements * planner.width.bytes(), 4 * elements * u64::from(planner.value_words));
    let passes = if elements > shortest { planner.passes(digits, key_bytes, value_bytes) } else { Vec::new() };
    let table = planner.take(table_bytes);
    let range = StepRange { offset: table.offset, size: 4 * (count + 1) };
    planner.actions.push(StepAction::Copy { from: OFFSETS, from_offset: 0, to: table.buffer, range });
    let segments = Segments { count, table, table_bytes };
    let (keys, _) = planner.limits.range(0, elements, planner.width.bytes());
    let plan = Plan { segments, elements, shortest, counts, totals, parts: 2 * chunks, keys };
    planner.keep_narrow_keys();
    for pass in &passes {
        plan.record(pass, planner)?;
    }
    local::record_segments(&segments, passes.is_empty(), planner)?;
    Ok(format!("of up to {shortest} keys several a workgroup, of up to {LONGEST} one, longer ones in parts"))
}

impl Plan {
    /// One digit of the segments that no workgroup has room for.
    fn record(&self, pass: &Pass, planner: &mut Planner<'_>) -> Result<(), Error> {
        if let (Some(to), true) = (pass.keys_to, planner.width.bytes() < 4) {
            let (buffer, range) = to.bytes(self.keys);
            planner.actions.push(StepAction::Fill { buffer, range, word: 0 });
        }
        if self.parts > 0 {
            self.step(Stage::Count, pass, None, planner)?;
            self.offsets(planner)?;
        }
        for to in [pass.keys_to.map(|place| (place, false)), pass.values_to.map(|place| (place, true))].into_iter().flatten() {
            self.step(Stage::Whole, pass, Some(to), planner)?;
            if self.parts > 0 {
                self.step(Stage::Move, pass, Some(to), planner)?;
            }
        }
        Ok(())
    }

    fn table(&self) -> (usize, StepRange) {
        self.segments.table.bytes(StepRange::first(self.segments.table_bytes))
    }

    fn offsets(&self, planner: &mut Planner<'_>) -> Result<(), Error> {
        let lines = self.parts / 2 * VALUES;
        let action = dispatch!(
            sort::offsets,
            planner.choice.path.module_name().into(),
            shader::SpecializationConstants {
                workgroup_size: planner.choice.workgroup_size,
                exchange_slots: EXCHANGE.slots(&planner.choice),
                by_invocation: 0,
            },
            shader::PushConstants {
                lines: lines as u32,
                parts: self.parts as u32,
                table: self.counts as u32,
                totals: self.totals as u32,
                values: VALUES as u32,
                offsets: 0,
                segments: self.segments.count as u32,
                row_length: self.elements as u32,
                longest: LONGEST as u32,
            },
            planner.limits.fold(lines)?,
            vec![self.table()]
        );
        planner.actions.push(action);
        Ok(())
    }

    /// A dispatch that counts, or moves keys or values to a place.
    fn step(&self, stage: Stage, pass: &Pass, to: Option<(Place, bool)>, planner: &mut Planner<'_>) -> Result<(), Error> {
        let keys = pass.keys.bytes(self.keys);
        let mut options = options_of(planner);
        // What a stage does not touch stands for nothing; another buffer of the dispatch fills the binding.
        let (mut output, mut values, mut value_words) = (self.table(), keys, 0);
        if let Some((place, are_values)) = to {
            let bytes = if are_values { 4 * u64::from(planner.value_words) } else { planner.width.bytes() };
            let (range, _) = planner.limits.range(0, self.elements, bytes);
            output = place.bytes(range);
            if are_values {
                value_words = planner.value_words;
                match pass.values {
                    Some(place) => values = place.bytes(range),
                    None => options |= super::parts::NUMBERS,
                }
            }
        }
        let parts = if stage == Stage::Whole { self.elements.div_ceil(self.shortest) } else { self.parts };
        let push = Push {
            row_length: self.elements as u32,
            inner: 1,
            parts: self.parts as u32,
            part_length: 0,
            first_row: 0,
            first_part: 0,
            dispatch_parts: parts as u32,
            first: 0,
            first_value: 0,
            window_base: 0,
            window_first: 0,
            window_end: self.elements as u32,
            shift: pass.digit.shift(planner.width),
            digit_mask: pass.digit.mask(),
            table: self.counts as u32,
            totals: self.totals as u32,
            count_word: 0,
            options,
            offsets: 0,
            segments: self.segments.count as u32,
            shortest: self.shortest as u32,
            longest: LONGEST as u32,
        };
        let work = Work { stage: stage as u32, value_words, push, parts, bindings: vec![keys, self.table(), output, values] };
        let action = tiles::action(work, u64::from(tiles::keys_each(planner.width)), DIGIT_BITS, planner)?;
        planner.actions.push(action);
        Ok(())
    }
}
