//! A row's keys in parts, each counted and moved by itself: what invocations and workgroups that do so have in common.

use super::digits::Digit;
use super::planner::{EXCHANGE, Pass, Planner};
use super::{lanes, sweep, tiles};
use crate::Error;
use crate::compact::width::Width;
use crate::schedule::{Place, StepAction, StepRange, dispatch};
use crate::split::blocks;

/// What both kernels are told by push constants, as sort/interface.glsl has them.
pub(super) type Push = crate::shaders::sort::lanes::PushConstants;

/// Bytes of counts of all rows and parts that are counted at once, beside a hundredth of the keys'.
const TABLE_BYTES: u64 = 63 << 10;

/// The most dispatches of a digit: twice as many as 2^31 keys of 4 bytes need with values where descriptors reach 128 MiB.
const MOST_DISPATCHES: u64 = 1 << 14;

/// Parts whose counts one invocation adds up.
const PARTS_OF_INVOCATION: u64 = 32;

/// Bits of `options` (`OPTION_*`).
const COUNTED: u32 = 1;
const DESCENDING: u32 = 2;
pub(super) const NUMBERS: u32 = 4;
pub(super) const KEYS: u32 = 8;
const KIND_SHIFT: u32 = 8;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    Count = 0,
    Move = 1,
    Rows = 2,
}

/// Who does a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Worker {
    /// One of so many invocations of a workgroup: `glsl/sort/lanes.comp`.
    Lane { lanes: u64 },
    /// A workgroup, whose invocations take so many keys each at once: `glsl/sort/tiles.comp`.
    Workgroup { keys_each: u64 },
}

/// How the keys are shared.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parts {
    pub(super) worker: Worker,
    pub(super) rows: u64,
    pub(super) row_length: u64,
    pub(super) inner: u64,
    /// Parts of a row, and the keys of one.
    pub(super) parts: u64,
    pub(super) part_length: u64,
    /// Rows that are counted at once.
    pub(super) chunk: u64,
    pub(super) digit_bits: u32,
    /// Whether each row is one part, and is counted and moved at once.
    pub(super) by_rows: bool,
}

/// What a dispatch moves: keys or values of so many bytes, to some of the places that they go to.
#[derive(Clone, Copy)]
struct Moved {
    to: Place,
    bytes: u64,
    are_values: bool,
    /// The first result that is bound, and how many are.
    first: u64,
    count: u64,
}

/// What every dispatch is told of the keys.
pub(super) fn options_of(planner: &Planner<'_>) -> u32 {
    let sort = planner.sort;
    (planner.kind as u32) << KIND_SHIFT | if sort.counted { COUNTED } else { 0 } | if sort.descending { DESCENDING } else { 0 }
}

/// One dispatch of either kernel.
pub(super) struct Work {
    pub(super) stage: u32,
    pub(super) value_words: u32,
    pub(super) push: Push,
    pub(super) parts: u64,
    pub(super) bindings: Vec<(usize, StepRange)>,
}

/// What is bound of keys that lie side by side.
#[derive(Clone, Copy)]
pub(super) struct Piece {
    pub(super) first_part: u64,
    pub(super) parts: u64,
    pub(super) first: u64,
    pub(super) count: u64,
}

impl Parts {
    /// How many counts' lines of a part there may be at once, those of totals among them.
    pub(super) fn budget(planner: &Planner<'_>, key_bytes: u64, digit_bits: u32) -> u64 {
        (TABLE_BYTES + key_bytes / 100).min(planner.limits.reach().saturating_sub(4)) / (4 << digit_bits)
    }

    /// The parts of each row, and as many rows at once as the counts have room for.
    pub(super) fn in_chunks(self, planner: &Planner<'_>, budget: u64) -> Result<Self, Error> {
        let parts = self.row_length.div_ceil(self.part_length);
        // Totals of a row take as much as a part does.
        let chunk = (budget / (parts + 1)).min(self.rows);
        if chunk == 0 {
            let limit = format!("scratch holds the counts of {budget} parts");
            return Err(planner.limits.unplannable(format!("a sort of {} rows of {} keys", self.rows, self.row_length), limit));
        }
        Ok(Self { parts, chunk, by_rows: false, ..self })
    }

    fn digit_values(&self) -> u64 {
        1 << self.digit_bits
    }

    /// A word for the count, then counts and totals.
    pub(super) fn table_bytes(&self) -> u64 {
        if self.by_rows { 4 } else { 4 * (1 + (self.parts + 1) * self.chunk * self.digit_values()) }
    }

    pub(super) fn words(&self, digits: usize) -> String {
        let Self { rows, parts, part_length, .. } = self;
        let who = if matches!(self.worker, Worker::Lane { .. }) { "invocations" } else { "workgroups" };
        match self.by_rows {
            true => format!("{digits} digits, each moved by {rows} {who} of a row"),
            false => format!("{digits} digits, each counted and moved by {} {who} of {part_length} keys", rows * parts),
        }
    }

    pub(super) fn record(&self, pass: &Pass, table: Place, planner: &mut Planner<'_>) -> Result<(), Error> {
        let size = planner.width.bytes();
        let elements = planner.layout.elements();
        if let (Some(to), true) = (pass.keys_to, size < 4) {
            // Several keys share a word, and are put into it one by one.
            let (buffer, range) = to.bytes(StepRange::first((elements * size).next_multiple_of(4)));
            planner.actions.push(StepAction::Fill { buffer, range, word: 0 });
        }
        if planner.sweeps {
            for (first_row, rows) in blocks(self.rows, self.chunk) {
                sweep::step(self, Stage::Count, pass, (first_row, rows), table, planner)?;
                self.offsets(rows, table, planner)?;
                sweep::step(self, Stage::Move, pass, (first_row, rows), table, planner)?;
            }
            return Ok(());
        }
        for (first_row, rows) in blocks(self.rows, self.chunk) {
            let pieces = self.pieces(first_row, rows, planner)?;
            if !self.by_rows {
                for piece in &pieces {
                    self.step(Stage::Count, pass, piece, (first_row, rows), None, table, planner)?;
                }
                self.offsets(rows, table, planner)?;
            }
            let stage = if self.by_rows { Stage::Rows } else { Stage::Move };
            let value_bytes = 4 * u64::from(planner.value_words);
            for (to, bytes, are_values) in [(pass.keys_to, size, false), (pass.values_to, value_bytes, true)] {
                let Some(to) = to else { continue };
                for (first, count) in self.windows(first_row, rows, bytes, planner)? {
                    let moved = Moved { to, bytes, are_values, first, count };
                    for piece in &pieces {
                        self.step(stage, pass, piece, (first_row, rows), Some(moved), table, planner)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// That it does not take more dispatches than anyone would wait for to be planned.
    pub(super) fn check_dispatches(&self, planner: &Planner<'_>) -> Result<(), Error> {
        let (_, count) = self.span(0, self.chunk);
        let value_bytes = 4 * u64::from(planner.value_words);
        let pieces = count.div_ceil(planner.limits.capacity(count, planner.width.bytes().max(value_bytes)).max(1));
        let windows = |bytes: u64| if bytes == 0 { 0 } else { count.div_ceil(planner.limits.capacity(count, bytes).max(1)) };
        let each = pieces.saturating_mul(1 + windows(planner.width.bytes()) + windows(value_bytes));
        if each.saturating_mul(self.rows.div_ceil(self.chunk)) <= MOST_DISPATCHES {
            return Ok(());
        }
        Err(planner.limits.out_of_reach(format!("a sort of {count} keys in {pieces} pieces")))
    }

    /// The elements of rows, from the first one's first to the last one's last.
    fn span(&self, first_row: u64, rows: u64) -> (u64, u64) {
        if self.inner == 1 {
            return (first_row * self.row_length, rows * self.row_length);
        }
        let line = self.row_length * self.inner;
        let first = first_row / self.inner * line;
        let end = ((first_row + rows - 1) / self.inner + 1) * line;
        (first, end - first)
    }

    /// The parts of some rows, as many at once as a binding reaches the keys and values of.
    fn pieces(&self, first_row: u64, rows: u64, planner: &Planner<'_>) -> Result<Vec<Piece>, Error> {
        let all = rows * self.parts;
        let widest = planner.width.bytes().max(4 * u64::from(planner.value_words));
        let (first, count) = self.span(first_row, rows);
        let reach = planner.limits.capacity(count, widest);
        if reach >= count {
            return Ok(vec![Piece { first_part: 0, parts: all, first, count }]);
        }
        if self.inner > 1 {
            return Err(planner.limits.out_of_reach(format!("a sort of {count} keys along another axis than the last")));
        }
        let each = reach / self.part_length;
        if each == 0 {
            return Err(planner.limits.out_of_reach(format!("a sort of {} keys at once", self.part_length)));
        }
        let begin = |part: u64| {
            let (row, part) = (part / self.parts, part % self.parts);
            first + row * self.row_length + part * self.part_length
        };
        let pieces = blocks(all, each).map(|(first_part, parts)| {
            let at = begin(first_part);
            let end = if first_part + parts == all { first + count } else { begin(first_part + parts) };
            Piece { first_part, parts, first: at, count: end - at }
        });
        Ok(pieces.collect())
    }

    /// The results of some rows in parts that a binding reaches.
    fn windows(&self, first_row: u64, rows: u64, bytes: u64, planner: &Planner<'_>) -> Result<Vec<(u64, u64)>, Error> {
        let (first, count) = self.span(first_row, rows);
        let reach = planner.limits.capacity(count, bytes);
        if reach == 0 {
            return Err(planner.limits.out_of_reach("a sorted key".into()));
        }
        Ok(blocks(count, reach).map(|(at, count)| (first + at, count)).collect())
    }

    fn offsets(&self, rows: u64, table: Place, planner: &mut Planner<'_>) -> Result<(), Error> {
        let lines = rows * self.digit_values();
        let bound = table.bytes(StepRange::first(self.table_bytes()));
        // A workgroup for a line of few parts is mostly idle.
        let by_invocation = matches!(self.worker, Worker::Lane { .. }) || self.parts <= PARTS_OF_INVOCATION;
        let groups = if by_invocation { lines.div_ceil(u64::from(planner.choice.workgroup_size)) } else { lines };
        let action = dispatch!(
            sort::offsets,
            planner.choice.path.module_name().into(),
            shader::SpecializationConstants {
                workgroup_size: planner.choice.workgroup_size,
                exchange_slots: EXCHANGE.slots(&planner.choice),
                by_invocation: u32::from(by_invocation),
            },
            shader::PushConstants {
                lines: lines as u32,
                parts: self.parts as u32,
                table: 1,
                totals: (1 + lines * self.parts) as u32,
                values: self.digit_values() as u32,
                offsets: 0,
                segments: 0,
                row_length: 0,
                longest: 0,
            },
            planner.limits.fold(groups)?,
            vec![bound]
        );
        planner.actions.push(action);
        Ok(())
    }

    /// What a dispatch over a piece of some rows is told, where all of the arrays is bound.
    pub(super) fn push(&self, digit: &Digit, piece: &Piece, (first_row, rows): (u64, u64), options: u32, width: Width) -> Push {
        Push {
            row_length: self.row_length as u32,
            inner: self.inner as u32,
            parts: self.parts as u32,
            part_length: self.part_length as u32,
            first_row: first_row as u32,
            first_part: piece.first_part as u32,
            dispatch_parts: piece.parts as u32,
            first: 0,
            first_value: 0,
            window_base: 0,
            window_first: 0,
            window_end: 0,
            shift: digit.shift(width),
            digit_mask: digit.mask(),
            table: 1,
            totals: (1 + rows * self.digit_values() * self.parts) as u32,
            count_word: 0,
            options,
            offsets: 0,
            segments: 0,
            shortest: 0,
            longest: 0,
        }
    }

    /// One dispatch over a piece of some rows.
    #[allow(clippy::too_many_arguments, reason = "a dispatch is that much")]
    fn step(
        &self,
        stage: Stage,
        pass: &Pass,
        piece: &Piece,
        (first_row, rows): (u64, u64),
        moved: Option<Moved>,
        table: Place,
        planner: &mut Planner<'_>,
    ) -> Result<(), Error> {
        let size = planner.width.bytes();
        let (keys, key_base) = planner.limits.range(piece.first, piece.count, size);
        let keys = pass.keys.bytes(keys);
        let bound_table = table.bytes(StepRange::first(self.table_bytes()));
        let mut options = options_of(planner);
        // What a stage does not touch stands for nothing; another buffer of the dispatch fills the binding.
        let (mut output, mut values, mut value_base, mut value_words) = (bound_table, keys, 0, 0);
        let (mut window_base, mut window_first, mut window_end) = (0, 0, 0);
        if let Some(Moved { to, bytes, are_values, first, count }) = moved {
            let (range, base) = planner.limits.range(first, count, bytes);
            output = to.bytes(range);
            (window_base, window_first, window_end) = (first - u64::from(base), first, first + count);
            if are_values {
                value_words = planner.value_words;
                match pass.values {
                    Some(place) => {
                        let (range, base) = planner.limits.range(piece.first, piece.count, bytes);
                        (values, value_base) = (place.bytes(range), base);
                    }
                    None => options |= NUMBERS,
                }
            }
        }
        let push = Push {
            first: (piece.first - u64::from(key_base)) as u32,
            first_value: (piece.first - u64::from(value_base)) as u32,
            window_base: window_base as u32,
            window_first: window_first as u32,
            window_end: window_end as u32,
            ..self.push(&pass.digit, piece, (first_row, rows), options, planner.width)
        };
        let bindings = vec![keys, bound_table, output, values];
        let work = Work { stage: stage as u32, value_words, push, parts: piece.parts, bindings };
        let action = match self.worker {
            Worker::Lane { lanes } => lanes::action(work, lanes, self.digit_bits, planner)?,
            Worker::Workgroup { keys_each } => tiles::action(work, keys_each, self.digit_bits, planner)?,
        };
        planner.actions.push(action);
        Ok(())
    }
}
