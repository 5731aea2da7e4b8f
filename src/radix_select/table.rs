//! The table of a radix select: what is known of the lines so far (`glsl/radix_select/interface.glsl`).

use super::planner::Planner;
use crate::schedule::{Place, StepAction, StepRange};

/// Bytes of the table, at most: rows that are more take their turns.
pub(super) const TABLE_BYTES: u64 = 1 << 20;

/// Words of a line beside its counts: both words of the key found, and the place.
const LINE_WORDS: u64 = 3;

/// The table of some rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Table {
    pub(super) rows: u64,
    /// Lines: those of all rows for each place.
    pub(super) lines: u64,
    /// Values of a digit that are counted for each line; none where a workgroup has a row.
    pub(super) values: u64,
    /// Parts of a row that are split at the threshold.
    pub(super) parts: u64,
}

impl Table {
    /// Bytes of a table for so many lines and parts.
    pub(super) fn bytes_of(lines: u64, values: u64, all_parts: u64) -> u64 {
        4 * (lines * (LINE_WORDS + values) + 2 * all_parts)
    }

    pub(super) fn bytes(&self) -> u64 {
        Self::bytes_of(self.lines, self.values, self.rows * self.parts)
    }

    pub(super) fn range(&self) -> StepRange {
        StepRange::first(self.bytes())
    }

    /// Nothing is found and nothing counted, and each line looks for its place.
    pub(super) fn clear(&self, at: Place, places: &[u64], planner: &mut Planner<'_>) {
        let mut fill = |first: u64, words: u64, word: u32| {
            if words > 0 {
                let (buffer, range) = at.bytes(StepRange { offset: 4 * first, size: 4 * words });
                planner.actions.push(StepAction::Fill { buffer, range, word });
            }
        };
        if self.values > 0 {
            fill(0, 2 * self.lines, 0);
            fill(LINE_WORDS * self.lines, self.values * self.lines, 0);
        }
        for (number, &place) in (0..).zip(places) {
            fill(2 * self.lines + number * self.rows, self.rows, place as u32);
        }
    }
}
