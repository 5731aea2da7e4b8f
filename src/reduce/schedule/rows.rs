//! Rows of neighbouring elements.

use super::planner::{Finish, Planner, RowMode};
use super::{ReduceStep, ReduceStrategy, StepKernel, module_name};
use crate::shaders::reduce::rows as shader;
use crate::split::{Split, blocks};
use crate::{Error, Path};

/// Loads in flight in an invocation (`UNROLL` in `glsl/reduce/rows.comp`).
const UNROLL: u64 = 4;

/// Wide loads that make a lane worth having where a few share a row. Measured on an
/// H200, shared memory alone: rows of 1000 f32 ran at 3.1 TB/s with 2 and at 3.7 with 4, rows of 64 at 4.1 and 4.3.
const QUADS_PER_LANE: u64 = 4;

/// A piece of consecutive rows, seen by one dispatch.
struct Piece {
    /// First row.
    row: u64,
    /// How many.
    rows: u64,
    /// First element of each.
    start: u64,
    /// How many.
    count: u64,
    /// How workgroups share a row.
    split: Split,
    /// States of a row over all pieces, and the first of this one's.
    slots: u64,
    slot_base: u64,
}

impl Planner<'_> {
    pub(super) fn rows(&mut self) -> Result<(), Error> {
        let (rows, count) = (self.layout.outer, self.layout.count);
        let reach_in = self.limits.capacity(self.layout.elements(), self.reduce.dtype.size());
        let reach_out = self.limits.capacity(rows, self.variant.result.size());
        if count > reach_in {
            // A row is longer than a descriptor reaches: row by row, piece by piece, and one more dispatch that combines.
            for row in 0..rows {
                self.pieces_of_row(row, reach_in)?;
            }
            return Ok(());
        }
        // Rows without elements are out of no descriptor's reach.
        let at_once = reach_in.checked_div(count).unwrap_or(rows).min(reach_out).min(self.limits.most_groups()).max(1);
        for (row, rows) in blocks(rows, at_once) {
            self.whole_rows(row, rows)?;
        }
        Ok(())
    }

    fn whole_rows(&mut self, row: u64, rows: u64) -> Result<(), Error> {
        let count = self.layout.count;
        let mode = self.row_mode(rows);
        let split = match mode {
            RowMode::Workgroup => self.row_split(rows, count, self.most_slots(rows)),
            _ => Split::whole(count.div_ceil(self.per_quad())),
        };
        self.strategy = match mode {
            RowMode::Workgroup => ReduceStrategy::WorkgroupsPerRow(split.parts as u32),
            RowMode::Lanes(1) => ReduceStrategy::InvocationPerRow,
            RowMode::Lanes(lanes) => ReduceStrategy::LanesPerRow(lanes),
            RowMode::Subgroup => ReduceStrategy::SubgroupPerRow,
        };
        let piece = Piece { row, rows, start: 0, count, split, slots: split.parts, slot_base: 0 };
        if split.parts == 1 {
            return self.rows_step(&piece, mode, Finish::Result);
        }
        if self.may_arrive_last {
            self.take_scratch(rows, rows, split.parts);
            return self.rows_step(&piece, mode, Finish::LastArrival);
        }
        self.take_scratch(0, rows, split.parts);
        self.rows_step(&piece, mode, Finish::Partial)?;
        self.combine(row, rows, split.parts)
    }

    fn pieces_of_row(&mut self, row: u64, reach: u64) -> Result<(), Error> {
        let length = reach - reach % self.per_quad();
        let pieces = blocks(self.layout.count, length);
        let most = self.most_slots(1) / pieces.clone().count() as u64;
        let splits: Vec<_> = pieces.clone().map(|(_, count)| self.row_split(1, count, most)).collect();
        let slots = splits.iter().map(|split| split.parts).sum();
        self.strategy = ReduceStrategy::WorkgroupsPerRow(slots as u32);
        self.take_scratch(0, 1, slots);
        let mut slot_base = 0;
        for ((start, count), split) in pieces.zip(splits) {
            let piece = Piece { row, rows: 1, start, count, split, slots, slot_base };
            self.rows_step(&piece, RowMode::Workgroup, Finish::Partial)?;
            slot_base += split.parts;
        }
        self.combine(row, 1, slots)
    }

    /// Who shares a row: whole workgroups where it gives each invocation a wide load or where there are few rows.
    fn row_mode(&self, rows: u64) -> RowMode {
        let (count, workgroup) = (self.layout.count, u64::from(self.choice.workgroup_size));
        let quads = count / self.per_quad();
        let fill = u64::from(self.tuning.fill_workgroups);
        // Below this a row is too short to share.
        if count <= 16 && (rows >= workgroup || count <= 1) {
            return RowMode::Lanes(1);
        }
        if quads >= workgroup || (rows < fill && quads >= workgroup / 2) {
            return RowMode::Workgroup;
        }
        // A few wide loads each keep more of them busy than one each does, and meet sooner.
        let lanes = (quads / QUADS_PER_LANE).max(4).next_power_of_two().min(workgroup);
        if self.choice.path == Path::SharedMemory {
            return RowMode::Lanes(lanes as u32);
        }
        let subgroup = workgroup / self.limits.subgroups_of_workgroup(&self.choice);
        if lanes < subgroup { RowMode::Lanes(lanes as u32) } else { RowMode::Subgroup }
    }

    /// At most `most` parts.
    fn row_split(&self, rows: u64, count: u64, most: u64) -> Split {
        let quads = count.div_ceil(self.per_quad());
        let wanted = (u64::from(self.tuning.fill_workgroups) / rows.max(1)).min(most);
        Split::of(quads, wanted, UNROLL * u64::from(self.choice.workgroup_size))
    }

    fn rows_step(&mut self, piece: &Piece, mode: RowMode, finish: Finish) -> Result<(), Error> {
        let workgroup = u64::from(self.choice.workgroup_size);
        let groups = match mode {
            RowMode::Workgroup => piece.rows * piece.split.parts,
            RowMode::Lanes(lanes) => piece.rows.div_ceil(workgroup / u64::from(lanes)),
            RowMode::Subgroup => piece.rows.div_ceil(self.limits.subgroups_of_workgroup(&self.choice)),
        };
        let stride = self.layout.count;
        let first = piece.row * stride + piece.start;
        // The rows of a piece of a row do not lie side by side, but then there is one only.
        let span = (piece.rows - 1) * stride + piece.count;
        let (input, input_base) = self.input_range(first, span);
        let pivot_span = if stride == 0 { 0 } else { (piece.rows - 1) * stride + 1 };
        let (pivots, pivot_base) = self.input_range(piece.row * stride, pivot_span);
        let (output, output_base) = self.output_range(piece.row, piece.rows);
        let [workgroup_size, operator, ignore_nan, key_kind, finish, exchange_slots, row_mode, lanes_per_row, scale_exponent, counted] =
            self.constants(finish, mode, self.exchange_slots(mode));
        let constants = shader::SpecializationConstants {
            workgroup_size,
            operator,
            ignore_nan,
            key_kind,
            finish,
            exchange_slots,
            row_mode,
            lanes_per_row,
            scale_exponent,
            counted,
            element_bits: self.reduce.dtype.bits(),
            element_signed: self.reduce.dtype.signed_constant(),
        };
        let push = shader::PushConstants {
            rows: piece.rows as u32,
            count: piece.count as u32,
            input_base,
            row_stride: stride as u32,
            splits: piece.split.parts as u32,
            split_quads: piece.split.length as u32,
            axis_base: piece.start as u32,
            total_count: self.layout.count as u32,
            slots: piece.slots as u32,
            slot_base: piece.slot_base as u32,
            partials: 0,
            output_base,
            pivot_base,
            pivot_stride: stride as u32,
            count_word: 0,
        };
        let module = module_name(self.reduce, &self.variant, self.choice.path);
        let groups = self.limits.fold(groups)?;
        self.steps.push(ReduceStep { kernel: StepKernel::Rows(constants, push), module, groups, input, pivots, output });
        Ok(())
    }
}
