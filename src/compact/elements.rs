//! What stands between and behind compactions: `glsl/compact/elements.comp`.

use super::planner::Planner;
use super::width::{Kind, Width};
use crate::Error;
use crate::schedule::{StepRange, dispatch};

/// What a dispatch does (`MODE_*`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Lengths = 0,
    Pairs = 1,
    Heads = 2,
    Elements = 3,
    Positions = 4,
    Numbers = 5,
    Decode = 6,
    Decoded = 7,
}

/// Bits of [`Elements::options`] (`OPTION_*`).
pub(super) const COUNTED: u32 = 1;
pub(super) const ORDERED: u32 = 2;
pub(super) const UPPER: u32 = 4;
pub(super) const TOTAL: u32 = 8;

/// Results of an invocation; in [`Mode::Decode`] of an invocation of each workgroup (`DECODE_EACH`).
const EACH: u64 = 8;
const DECODE_EACH: u64 = 16;

/// A binding: which of the schedule's buffers, and which of its bytes.
pub(super) type Bound = (usize, StepRange);

/// One dispatch. What a mode does not touch is bound to whatever else is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Elements {
    pub(super) mode: Mode,
    pub(super) width: Width,
    pub(super) kind: Kind,
    pub(super) options: u32,
    /// Results of this dispatch.
    pub(super) results: u64,
    /// The first of them.
    pub(super) first: u64,
    /// Results in all, at most.
    pub(super) total: u64,
    /// Elements of the input.
    pub(super) length: u64,
    pub(super) input: Bound,
    pub(super) pairs: Bound,
    pub(super) scratch: Bound,
    pub(super) output: Bound,
    /// Words of the bound scratch.
    pub(super) count_word: u64,
    pub(super) total_word: u64,
    pub(super) numbers: u64,
    /// What is at the beginning of the bound pairs, and of the bound output.
    pub(super) bound_first: u64,
    pub(super) output_first: u64,
    /// Elements of a row; 0 where the array is not in rows.
    pub(super) row_length: u64,
}

impl Elements {
    pub(super) fn record(&self, planner: &mut Planner<'_>) -> Result<(), Error> {
        let workgroup_size = planner.choice.workgroup_size;
        let each = if self.mode == Mode::Decode { DECODE_EACH } else { EACH };
        let groups = self.results.div_ceil(each * u64::from(workgroup_size));
        let action = dispatch!(
            compact::elements,
            self.width.name().to_owned(),
            shader::SpecializationConstants { workgroup_size, mode: self.mode as u32 },
            shader::PushConstants {
                results: self.results as u32,
                first: self.first as u32,
                total: self.total as u32,
                length: self.length as u32,
                count_word: self.count_word as u32,
                total_word: self.total_word as u32,
                numbers: self.numbers as u32,
                bound_first: self.bound_first as u32,
                output_first: self.output_first as u32,
                row_length: self.row_length as u32,
                options: self.options | (self.kind as u32) << 8,
            },
            planner.limits.fold(groups)?,
            vec![self.input, self.pairs, self.scratch, self.output]
        );
        planner.actions.push(action);
        Ok(())
    }
}
