//! Rows that a workgroup goes through for each digit: `glsl/radix_select/rows.comp`.

use super::digits::{DIGIT_BITS, digits};
use super::planner::{EXCHANGE, First, Planner};
use super::table::{TABLE_BYTES, Table};
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

pub(super) fn record(first: &First, planner: &mut Planner<'_>) -> Result<(), Error> {
    let (rows, length) = (planner.keys.rows, planner.keys.row_length);
    let reach = planner.limits.capacity(rows * length, planner.width.bytes()) / length;
    let in_table = TABLE_BYTES.min(planner.limits.reach()) / Table::bytes_of(1, 0, 0);
    let at_once = reach.min(planner.rows_of_results(first)?).min(in_table).min(rows);
    planner.check_dispatches(rows.div_ceil(at_once.max(1)))?;
    let at = planner.take_scratch(Table::bytes_of(at_once, 0, 0));
    for (first_row, rows) in blocks(rows, at_once) {
        let table = Table { rows, lines: rows, values: 0, parts: 0 };
        table.clear(at, &[first.count - 1], planner);
        let (keys, mut push) = planner.bound_keys(first_row * length, rows * length);
        let [key_results, positions] = planner.bound_results(first, first_row, rows, &mut push);
        (push.rows, push.lines, push.first_row) = (rows as u32, rows as u32, first_row as u32);
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
            planner.limits.fold(rows)?,
            vec![keys, at.bytes(table.range()), key_results, positions]
        );
        planner.actions.push(action);
    }
    let digits = digits(planner.width, DIGIT_BITS).len() as u64;
    planner.strategy = format!("{digits} digits, each row by a workgroup");
    planner.bytes_moved += (digits + 1) * rows * length * planner.width.bytes();
    Ok(())
}
