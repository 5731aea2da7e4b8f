//! Rows that a workgroup goes through for each digit: `glsl/radix_select/rows.comp`.

use super::decode;
use super::digits::{DIGIT_BITS, digits};
use super::planner::{EXCHANGE, Planner};
use super::table::{TABLE_BYTES, Table};
use super::wanted::Wanted;
use crate::Error;
use crate::schedule::dispatch;
use crate::split::blocks;

/// Tiles of the longest row, which bounds the loops of an invocation: a tile takes 40 rounds where results are gathered, and 4 for a digit.
const MOST_TILES: u64 = 512;

/// Tiles of a row that one workgroup goes through sooner than many can be dispatched several times.
pub(super) const SHORT_TILES: u64 = 4;

pub(super) fn can(planner: &Planner<'_>) -> bool {
    planner.keys.row_length <= MOST_TILES * planner.tile()
}

pub(super) fn record(wanted: &Wanted<'_>, planner: &mut Planner<'_>) -> Result<(), Error> {
    let (all_rows, length, places) = (planner.keys.rows, planner.keys.row_length, wanted.places());
    let row_bytes = Table::bytes_of(places.len() as u64, 0, 0);
    planner.limits.check_whole("the table of a row", row_bytes)?;
    let in_table = TABLE_BYTES.max(row_bytes).min(planner.limits.reach()) / row_bytes;
    let reach = planner.limits.capacity(all_rows * length, planner.width.bytes()) / length;
    let at_once = reach.min(planner.rows_of_results(wanted)?).min(in_table).min(all_rows);
    planner.check_dispatches(all_rows.div_ceil(at_once.max(1)).saturating_mul(places.len() as u64))?;
    let at = planner.take_scratch(at_once * row_bytes);
    for (first_row, rows) in blocks(all_rows, at_once) {
        let table = Table { rows, lines: rows * places.len() as u64, values: 0, parts: 0 };
        table.clear(at, &places, planner);
        let (keys, mut push) = planner.bound_keys(first_row * length, rows * length);
        let bound_table = at.bytes(table.range());
        let [key_results, positions] = match wanted {
            Wanted::First(first) => planner.bound_results(first, first_row * first.count, rows * first.count, &mut push),
            // What is found goes to the table.
            Wanted::At(_) => [bound_table; 2],
        };
        (push.rows, push.lines, push.first_row) = (rows as u32, table.lines as u32, first_row as u32);
        let action = dispatch!(
            radix_select::rows,
            planner.width.module(planner.choice.path),
            shader::SpecializationConstants {
                workgroup_size: planner.choice.workgroup_size,
                digit_bits: DIGIT_BITS,
                counter_slots: 1 << DIGIT_BITS,
                exchange_slots: EXCHANGE.slots(&planner.choice),
            },
            bytemuck::cast(push),
            planner.limits.fold(table.lines)?,
            vec![keys, bound_table, key_results, positions]
        );
        planner.actions.push(action);
        if let Wanted::At(wanted) = wanted {
            decode::record(wanted, first_row, &table, at, planner)?;
        }
    }
    let digits = digits(planner.width, DIGIT_BITS).len() as u64;
    planner.strategy = format!("{digits} digits, each row by a workgroup");
    let passes = if matches!(wanted, Wanted::First(_)) { digits + 1 } else { digits * places.len() as u64 };
    planner.bytes_moved += passes * all_rows * length * planner.width.bytes();
    Ok(())
}
