//! Long rows, of which all workgroups go through parts for each digit: `glsl/radix_select/count.comp`, `choose.comp` and `gather.comp`.

use super::decode;
use super::digits::{DIGIT_BITS, Digit, LONG_DIGIT_BITS, digits};
use super::planner::{EXCHANGE, Planner, Push, SPLIT, UPPER};
use super::table::{TABLE_BYTES, Table};
use super::wanted::{First, Wanted};
use crate::Error;
use crate::schedule::{Place, StepAction, StepRange, dispatch};
use crate::split::blocks;

/// The most tiles of a part, which bounds the loops of an invocation.
const MOST_TILES: u64 = 1024;

/// The shortest row whose digits are long ones, and the shared memory that these should have.
const LONG_ROW: u64 = 1 << 17;
const LONG_BYTES: u32 = 12 << 10;

/// How rows are shared.
struct Parts {
    digit_bits: u32,
    parts: u64,
    part_length: u64,
    /// Rows at once.
    chunk: u64,
    /// Places that are looked for in each.
    places: u64,
}

/// Parts that are bound at once.
#[derive(Clone, Copy)]
struct Piece {
    first_part: u64,
    parts: u64,
    first: u64,
    count: u64,
}

pub(super) fn record(wanted: &Wanted<'_>, planner: &mut Planner<'_>) -> Result<(), Error> {
    let (rows, length, size) = (planner.keys.rows, planner.keys.row_length, planner.width.bytes());
    let places = wanted.places();
    let shared = Parts::of(wanted, planner)?;
    let digits = digits(planner.width, shared.digit_bits);
    let at = planner.take_scratch(shared.table(shared.chunk).bytes());
    // Results that descriptors do not reach across are stored window by window.
    let (at_once, windows) = match wanted {
        Wanted::First(first) => {
            let at_once = planner.results_at_once(first).max(1);
            (at_once, (shared.chunk * first.count).div_ceil(at_once))
        }
        Wanted::At(_) => (1, 0),
    };
    let dispatches = shared.pieces(0, shared.chunk, planner)?.len() as u64 * (digits.len() as u64 + 1 + windows) + places.len() as u64;
    planner.check_dispatches(dispatches.saturating_mul(rows.div_ceil(shared.chunk)))?;
    for (first_row, rows) in blocks(rows, shared.chunk) {
        let table = shared.table(rows);
        table.clear(at, &places, planner);
        let pieces = shared.pieces(first_row, rows, planner)?;
        for digit in &digits {
            for piece in &pieces {
                shared.count(piece, first_row, &table, at, Some(digit), planner)?;
            }
            shared.choose(&table, at, digit, planner)?;
        }
        match wanted {
            Wanted::At(wanted) => decode::record(wanted, first_row, &table, at, planner)?,
            Wanted::First(first) => {
                for piece in &pieces {
                    shared.count(piece, first_row, &table, at, None, planner)?;
                }
                for (begin, results) in blocks(rows * first.count, at_once) {
                    for piece in &pieces {
                        let window = (first_row * first.count + begin, results);
                        shared.gather(piece, first_row, &table, at, (first, window), planner)?;
                    }
                }
            }
        }
    }
    planner.strategy =
        format!("{} digits, each counted by {} workgroups of {} keys", digits.len(), rows * shared.parts, shared.part_length);
    let passes = digits.len() as u64 * places.len() as u64 + if windows > 0 { 1 + windows } else { 0 };
    planner.bytes_moved += passes * rows * length * size;
    Ok(())
}

impl Parts {
    fn of(wanted: &Wanted<'_>, planner: &Planner<'_>) -> Result<Self, Error> {
        let (rows, length) = (planner.keys.rows, planner.keys.row_length);
        let most_shared = planner.limits.capabilities.limits.max_compute_shared_memory_size;
        let is_long = length >= LONG_ROW && planner.tuning.shared_memory_budget.min(most_shared) >= LONG_BYTES;
        let digit_bits = if is_long { LONG_DIGIT_BITS } else { DIGIT_BITS };
        let tile = planner.tile();
        let places = wanted.places().len() as u64;
        let parts = u64::from(planner.tuning.fill_workgroups).div_ceil(rows * places).min(length.div_ceil(tile)).max(1);
        // A piece of the keys has one part at least, wherever it begins.
        let reach = planner.limits.capacity(rows * length, planner.width.bytes());
        let part_length = length.div_ceil(parts).next_multiple_of(tile).min(MOST_TILES * tile).min(reach);
        if part_length == 0 {
            return Err(planner.limits.out_of_reach("a key".into()));
        }
        let parts = length.div_ceil(part_length);
        let row_bytes = Table::bytes_of(places, 1 << digit_bits, parts);
        planner.limits.check_whole("the table of a row", row_bytes)?;
        let budget = TABLE_BYTES.max(row_bytes).min(planner.limits.reach());
        let results = match wanted {
            Wanted::First(first) if planner.results_at_once(first) > 0 => (planner.results_at_once(first) / first.count).max(1),
            _ => planner.rows_of_results(wanted)?,
        };
        let chunk = (budget / row_bytes).min(rows).min(results);
        Ok(Self { digit_bits, parts, part_length, chunk, places })
    }

    fn table(&self, rows: u64) -> Table {
        Table { rows, lines: rows * self.places, values: 1 << self.digit_bits, parts: self.parts }
    }

    /// The parts of some rows, as many at once as a binding reaches.
    fn pieces(&self, first_row: u64, rows: u64, planner: &Planner<'_>) -> Result<Vec<Piece>, Error> {
        let length = planner.keys.row_length;
        let (first, count, all) = (first_row * length, rows * length, rows * self.parts);
        let reach = planner.limits.capacity(count, planner.width.bytes());
        if reach >= count {
            return Ok(vec![Piece { first_part: 0, parts: all, first, count }]);
        }
        let begin = |part: u64| first + part / self.parts * length + part % self.parts * self.part_length;
        let each = reach / self.part_length;
        planner.check_dispatches(all.div_ceil(each.max(1)))?;
        let pieces = blocks(all, each).map(|(first_part, parts)| {
            let at = begin(first_part);
            let end = if first_part + parts == all { first + count } else { begin(first_part + parts) };
            Piece { first_part, parts, first: at, count: end - at }
        });
        Ok(pieces.collect())
    }

    /// What a dispatch over a piece of some rows binds and is told.
    fn piece(&self, piece: &Piece, first_row: u64, table: &Table, planner: &Planner<'_>) -> ((usize, StepRange), Push) {
        let (keys, push) = planner.bound_keys(piece.first, piece.count);
        let push = Push {
            rows: table.rows as u32,
            lines: table.lines as u32,
            parts: self.parts as u32,
            part_length: self.part_length as u32,
            first_row: first_row as u32,
            first_part: piece.first_part as u32,
            dispatch_parts: piece.parts as u32,
            ..push
        };
        (keys, push)
    }

    /// Counts by a digit, or, without one, splits at the threshold.
    fn count(
        &self,
        piece: &Piece,
        first_row: u64,
        table: &Table,
        at: Place,
        digit: Option<&Digit>,
        planner: &mut Planner<'_>,
    ) -> Result<(), Error> {
        let (keys, mut push) = self.piece(piece, first_row, table, planner);
        // A part is split for its row, and counted for each of the row's lines.
        let places = if digit.is_some() { table.lines / table.rows } else { 1 };
        match digit {
            Some(digit) => {
                (push.shift, push.digit_mask) = (digit.shift, (1 << digit.bits) - 1);
                push.options |= if digit.upper { UPPER } else { 0 };
            }
            None => push.options |= SPLIT,
        }
        let action = dispatch!(
            radix_select::count,
            planner.width.name().into(),
            shader::SpecializationConstants {
                workgroup_size: planner.choice.workgroup_size,
                digit_bits: self.digit_bits,
                counter_slots: 1 << self.digit_bits,
            },
            push,
            planner.limits.fold(piece.parts * places)?,
            vec![keys, at.bytes(table.range())]
        );
        planner.actions.push(action);
        Ok(())
    }

    fn choose(&self, table: &Table, at: Place, digit: &Digit, planner: &mut Planner<'_>) -> Result<(), Error> {
        let (_, push) = planner.bound_keys(0, 0);
        let push = Push {
            rows: table.rows as u32,
            lines: table.lines as u32,
            shift: digit.shift,
            options: push.options | if digit.upper { UPPER } else { 0 },
            ..push
        };
        let action: StepAction = dispatch!(
            radix_select::choose,
            planner.choice.path.module_name().into(),
            shader::SpecializationConstants {
                workgroup_size: planner.choice.workgroup_size,
                digit_bits: self.digit_bits,
                exchange_slots: EXCHANGE.slots(&planner.choice),
            },
            bytemuck::cast(push),
            planner.limits.fold(table.lines)?,
            vec![at.bytes(table.range())]
        );
        planner.actions.push(action);
        Ok(())
    }

    fn gather(
        &self,
        piece: &Piece,
        first_row: u64,
        table: &Table,
        at: Place,
        (first, window): (&First, (u64, u64)),
        planner: &mut Planner<'_>,
    ) -> Result<(), Error> {
        let (keys, mut push) = self.piece(piece, first_row, table, planner);
        let [key_results, positions] = planner.bound_results(first, window.0, window.1, &mut push);
        let action = dispatch!(
            radix_select::gather,
            planner.width.module(planner.choice.path),
            shader::SpecializationConstants {
                workgroup_size: planner.choice.workgroup_size,
                digit_bits: self.digit_bits,
                exchange_slots: EXCHANGE.slots(&planner.choice),
            },
            bytemuck::cast(push),
            planner.limits.fold(piece.parts)?,
            vec![keys, at.bytes(table.range()), key_results, positions]
        );
        planner.actions.push(action);
        Ok(())
    }
}
