//! Rows that workgroups have room for, sorted as a whole in shared memory: `glsl/sort/local.comp`.

use super::bindings::{INPUT, OUTPUT, OUTPUT_VALUES, VALUES};
use super::parts::{KEYS, NUMBERS, options_of};
use super::planner::{EXCHANGE, Planner};
use super::tiles::{COUNTER_WORDS, keys_each, slots, tile, words};
use super::{Payload, SortForm};
use crate::compact::width::Width;
use crate::schedule::{Place, StepAction, StepRange, dispatch};
use crate::split::blocks;
use crate::{Error, PathNeeds};

/// What a tile takes of shared memory; with `has_from` also where its keys came from, for the values or rows that they belong to.
pub(super) fn needs(width: Width, has_from: bool) -> PathNeeds {
    let exchange = EXCHANGE.needs();
    let from = if has_from { slots(keys_each(width)) } else { 0 };
    PathNeeds {
        shared_words: exchange.shared_words + slots(keys_each(width)) * words(width) + from + COUNTER_WORDS,
        shared_words_beside: exchange.shared_words_beside + 2,
        ..exchange
    }
}

/// Segments of an array: how many, where their offsets are, and what is bound of these.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segments {
    pub(super) count: u64,
    pub(super) table: Place,
    pub(super) table_bytes: u64,
}

/// Where keys and values come from and go.
#[derive(Clone, Copy, Debug)]
struct Ways {
    keys: Place,
    keys_to: Place,
    /// Nothing where a key's value is its position.
    values: Option<Place>,
    values_to: Place,
}

/// What one dispatch does.
#[derive(Clone, Copy, Debug)]
struct Work {
    first_row: u64,
    rows: u64,
    /// Rows of a workgroup, or keys in which its segments begin.
    share: u64,
    groups: u64,
    /// The elements that are bound.
    first: u64,
    count: u64,
    /// The count or the offsets.
    table: Option<(Place, u64)>,
    segments: u64,
}

/// Sorts the rows of an array, each of which a tile has room for.
pub(super) fn record_rows(count: Option<Place>, planner: &mut Planner<'_>) -> Result<String, Error> {
    let (rows, row_length, inner) = (planner.layout.results(), planner.layout.count, planner.layout.inner);
    let elements = planner.layout.elements();
    let fill = u64::from(planner.tuning.fill_workgroups);
    let share = (tile(planner.width, &planner.choice) / row_length).min(rows.div_ceil(fill)).max(1);
    let widest = planner.width.bytes().max(4 * u64::from(planner.value_words));
    let reach = planner.limits.capacity(elements, widest);
    let most = if inner == 1 { (reach / row_length).min(rows) } else { rows };
    if most == 0 || inner > 1 && reach < elements {
        return Err(planner.limits.out_of_reach(format!("a sort of {row_length} keys along an axis")));
    }
    let table = count.map(|place| (place, 4));
    let ways = planner.ways(true);
    for (first_row, rows) in blocks(rows, most) {
        let (first, count) = if inner == 1 { (first_row * row_length, rows * row_length) } else { (0, elements) };
        let work = Work { first_row, rows, share, groups: rows.div_ceil(share), first, count, table, segments: 0 };
        record(&work, &ways, planner)?;
    }
    Ok(format!("each workgroup sorts {share} of {rows} rows of {row_length} keys as a whole"))
}

/// Sorts the segments that have at most half a tile of keys. `clears` says whether the results are not cleared yet.
pub(super) fn record_segments(segments: &Segments, clears: bool, planner: &mut Planner<'_>) -> Result<(), Error> {
    let elements = planner.layout.elements();
    let share = tile(planner.width, &planner.choice) / 2;
    let work = Work {
        first_row: 0,
        rows: segments.count,
        share,
        groups: elements.div_ceil(share),
        first: 0,
        count: elements,
        table: Some((segments.table, segments.table_bytes)),
        segments: segments.count,
    };
    let ways = planner.ways(clears);
    record(&work, &ways, planner)
}

impl Planner<'_> {
    /// From where to where keys and values go when there is one way. Narrow keys share words, which are cleared before (if `clears`) and so cannot be where the keys come from.
    fn ways(&mut self, clears: bool) -> Ways {
        let sort = self.sort;
        let [input, output, first_values, output_values] = [INPUT, OUTPUT, VALUES, OUTPUT_VALUES].map(Place::start);
        let is_swapped = sort.is_swapped().unwrap_or(false);
        let stays = sort.form == SortForm::DoubleBuffer && !is_swapped;
        let mut keys = if sort.form == SortForm::InPlace && sort.keys { output } else { input };
        let keys_to = if stays { input } else { output };
        let bytes = self.layout.elements() * self.width.bytes();
        if sort.keys && self.width.bytes() < 4 {
            let range = StepRange::first(bytes.next_multiple_of(4));
            if let Some(copied) = self.copied_keys {
                keys = copied;
            } else if stays {
                // What the second buffer holds is not told.
                let (buffer, to) = output.bytes(range);
                self.actions.push(StepAction::Copy { from: keys.buffer, from_offset: keys.offset, to: buffer, range: to });
                keys = output;
            } else if keys == keys_to {
                keys = self.copy_keys(keys);
            }
            if clears {
                let (buffer, range) = keys_to.bytes(range);
                self.actions.push(StepAction::Fill { buffer, range, word: 0 });
            }
        }
        Ways {
            keys,
            keys_to,
            values: match sort.payload {
                Payload::Values(_) if sort.form == SortForm::InPlace => Some(output_values),
                Payload::Values(_) => Some(first_values),
                _ => None,
            },
            values_to: if stays { first_values } else { output_values },
        }
    }

    /// A copy of the keys in scratch.
    pub(super) fn copy_keys(&mut self, keys: Place) -> Place {
        let bytes = (self.layout.elements() * self.width.bytes()).next_multiple_of(4);
        let to = self.take(bytes);
        let range = StepRange { offset: to.offset, size: bytes };
        self.actions.push(StepAction::Copy { from: keys.buffer, from_offset: keys.offset, to: to.buffer, range });
        to
    }
}

/// Sorts what `work` says: in one dispatch where there are bindings enough, and otherwise the values by the keys, and then the keys.
fn record(work: &Work, ways: &Ways, planner: &mut Planner<'_>) -> Result<(), Error> {
    let (keys, has_values) = (planner.sort.keys, planner.value_words > 0);
    if has_values {
        let action = action(work, ways, planner.value_words, keys && work.table.is_none(), planner)?;
        planner.actions.push(action);
    }
    if keys && (work.table.is_some() || !has_values) {
        let action = action(work, ways, 0, true, planner)?;
        planner.actions.push(action);
    }
    Ok(())
}

fn action(work: &Work, ways: &Ways, value_words: u32, with_keys: bool, planner: &Planner<'_>) -> Result<StepAction, Error> {
    let Work { first, count, .. } = *work;
    let sort = planner.sort;
    let bound = |place: Place, size: u64| {
        let (range, base) = planner.limits.range(first, count, size);
        // What is element `first` of the array is element `base` of what is bound.
        (place.bytes(range), (first - u64::from(base)) as u32)
    };
    let (keys, key_first) = bound(ways.keys, planner.width.bytes());
    let (keys_to, key_base) = bound(ways.keys_to, planner.width.bytes());
    let value_bytes = 4 * u64::from(value_words.max(1));
    let (values_to, value_base) = bound(ways.values_to, value_bytes);
    let output = if value_words > 0 { values_to } else { keys_to };
    // What a dispatch does not touch stands for nothing; another buffer fills the binding.
    let (values, first_value) = ways.values.filter(|_| value_words > 0).map_or((keys, 0), |place| bound(place, value_bytes));
    let table = match work.table {
        Some((place, bytes)) => place.bytes(StepRange::first(bytes)),
        None if value_words > 0 && with_keys => keys_to,
        None => output,
    };
    let mut options = options_of(planner);
    options |= if ways.values.is_none() { NUMBERS } else { 0 } | if with_keys { KEYS } else { 0 };
    // Narrow keys stand in the upper part of a word.
    let shift = 32u32.saturating_sub(8 * planner.width.bytes() as u32);
    let [begin, end] = sort.bits.unwrap_or([0, sort.dtype.bits()]);
    let has_rows = work.segments > 0 || work.share > 1;
    let keys_of_tile = tile(planner.width, &planner.choice) as u32;
    let size = planner.choice.workgroup_size;
    Ok(dispatch!(
        sort::local,
        planner.width.module(planner.choice.path),
        shader::SpecializationConstants {
            workgroup_size: size,
            counter_slots: COUNTER_WORDS * size,
            value_words,
            exchange_slots: EXCHANGE.slots(&planner.choice),
            keys_each: keys_each(planner.width),
            key_slots: slots(keys_of_tile) * words(planner.width),
            from_slots: if has_rows || value_words > 0 { slots(keys_of_tile) } else { 1 },
            has_rows: u32::from(has_rows),
            in_segments: u32::from(work.segments > 0),
        },
        shader::PushConstants {
            row_length: if work.segments > 0 { planner.layout.elements() } else { planner.layout.count } as u32,
            inner: planner.layout.inner as u32,
            first_row: work.first_row as u32,
            rows: work.rows as u32,
            share: work.share as u32,
            first: key_first,
            first_value,
            key_base,
            value_base,
            begin_bit: shift + begin,
            end_bit: shift + end,
            options,
            count_word: 0,
            offsets: 0,
            segments: work.segments as u32,
        },
        planner.limits.fold(work.groups)?,
        vec![keys, table, output, values]
    ))
}
