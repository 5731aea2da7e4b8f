//! Columns: the elements of a result lie apart, those of neighbouring results side by side.

use super::planner::{Finish, Planner, RowMode};
use super::{ReduceStep, ReduceStrategy, StepKernel, module_name};
use crate::Error;
use crate::shaders::reduce::columns as shader;
use crate::split::{Split, blocks};

/// Loads in flight in an invocation (`UNROLL` in `glsl/reduce/columns.comp`).
const UNROLL: u64 = 8;

/// Neighbouring columns that keep memory transactions whole.
const COALESCED_COLUMNS: u64 = 32;

/// A piece of the input, seen by one dispatch: whole slabs, or a part of one.
struct Piece {
    slab: u64,
    slabs: u64,
    /// First element of each column, and how many.
    start: u64,
    count: u64,
    /// First column of each slab, and how many.
    column: u64,
    columns: u64,
    tile: Tile,
    /// States of a column over all pieces, and the first of this one's.
    slots: u64,
    slot_base: u64,
}

/// How a workgroup is shared by columns.
#[derive(Clone, Copy)]
struct Tile {
    columns: u64,
    rows: u64,
    split: Split,
}

impl Planner<'_> {
    pub(super) fn columns(&mut self) -> Result<(), Error> {
        let (slabs, count, inner) = (self.layout.outer, self.layout.count, self.layout.inner);
        let reach_in = self.limits.capacity(self.layout.elements(), self.reduce.dtype.size());
        let reach_out = self.limits.capacity(self.layout.results(), self.variant.result.size());
        let at_once = (reach_in / (count * inner)).min(reach_out / inner);
        if at_once == 0 {
            for slab in 0..slabs {
                self.pieces_of_slab(slab, reach_in, reach_out)?;
            }
            return Ok(());
        }
        for (slab, slabs) in blocks(slabs, at_once) {
            self.whole_slabs(slab, slabs)?;
        }
        Ok(())
    }

    fn whole_slabs(&mut self, slab: u64, slabs: u64) -> Result<(), Error> {
        let (count, columns) = (self.layout.count, self.layout.inner);
        let tile = self.tile(slabs * columns, count, self.most_slots(slabs * columns));
        self.note_strategy(&tile);
        let slots = tile.split.parts;
        let part = Piece { slab, slabs, start: 0, count, column: 0, columns, tile, slots, slot_base: 0 };
        if slots == 1 {
            return self.columns_step(&part, Finish::Result);
        }
        let results = slabs * columns;
        if self.may_arrive_last {
            self.take_scratch(results.div_ceil(tile.columns), results, slots);
            return self.columns_step(&part, Finish::LastArrival);
        }
        self.take_scratch(0, results, slots);
        self.columns_step(&part, Finish::Partial)?;
        self.combine(slab * columns, results, slots)
    }

    /// A slab that descriptors do not reach across: pieces of the axis, and of the columns where a single line of them is too long.
    fn pieces_of_slab(&mut self, slab: u64, reach_in: u64, reach_out: u64) -> Result<(), Error> {
        let (count, inner) = (self.layout.count, self.layout.inner);
        let lines = (reach_in / inner).clamp(1, count);
        let mut width = inner.min(reach_out);
        if lines == 1 {
            width = width.min(reach_in);
        }
        let pieces = |planner: &Self, width: u64| -> Vec<(u64, u64, Tile)> {
            let pieces = blocks(count, lines);
            let most = planner.most_slots(width) / pieces.clone().count() as u64;
            pieces.map(|(start, length)| (start, length, planner.tile(width, length, most))).collect()
        };
        // One state of each piece must lie within a descriptor's reach too, behind the count.
        let reach = self.limits.reach().saturating_sub(if self.counted() { 16 } else { 0 });
        let state_bytes = 4 * u64::from(self.variant.state.words());
        let slots_of = |planner: &Self, width: u64| pieces(planner, width).iter().map(|(_, _, tile)| tile.split.parts).sum::<u64>();
        while width > 1 && width * slots_of(self, width) * state_bytes > reach {
            width = width.div_ceil(2);
        }
        for (column, columns) in blocks(inner, width) {
            let pieces = pieces(self, columns);
            let slots = pieces.iter().map(|(_, _, tile)| tile.split.parts).sum();
            let finish = if slots == 1 { Finish::Result } else { Finish::Partial };
            if slots > 1 {
                self.take_scratch(0, columns, slots);
            }
            let mut slot_base = 0;
            for (start, length, tile) in pieces {
                self.note_strategy(&tile);
                let part = Piece { slab, slabs: 1, start, count: length, column, columns, tile, slots, slot_base };
                self.columns_step(&part, finish)?;
                slot_base += tile.split.parts;
            }
            if slots > 1 {
                self.combine(slab * inner + column, columns, slots)?;
            }
        }
        Ok(())
    }

    fn note_strategy(&mut self, tile: &Tile) {
        let (columns, rows, splits) = (tile.columns as u32, tile.rows as u32, tile.split.parts as u32);
        self.strategy = ReduceStrategy::Columns { columns, rows, splits };
    }

    /// Tiles that keep the device busy: first narrower ones, as long as loads stay coalesced, then more workgroups a column, `most`
    /// of them at most.
    fn tile(&self, results: u64, count: u64, most: u64) -> Tile {
        let workgroup = u64::from(self.choice.workgroup_size);
        let fill = u64::from(self.tuning.fill_workgroups);
        let mut columns = results.min(workgroup);
        while columns > COALESCED_COLUMNS && results.div_ceil(columns) < fill {
            columns = columns.div_ceil(2);
        }
        // More invocations a column than leave each a round of loads would stand idle.
        let rows = (workgroup / columns).min(count / UNROLL).max(1);
        if rows * columns < workgroup {
            columns = results.min(workgroup / rows);
        }
        let wanted = (fill / results.div_ceil(columns)).min(most);
        Tile { columns, rows, split: Split::of(count, wanted, UNROLL * rows) }
    }

    fn columns_step(&mut self, part: &Piece, finish: Finish) -> Result<(), Error> {
        let (count, inner) = (self.layout.count, self.layout.inner);
        let slab_stride = count * inner;
        let tiles = (part.slabs * part.columns).div_ceil(part.tile.columns);
        let first = part.slab * slab_stride + part.start * inner + part.column;
        let span = (part.slabs - 1) * slab_stride + (part.count - 1) * inner + part.columns;
        let (input, input_base) = self.input_range(first, span);
        let pivot_span = (part.slabs - 1) * slab_stride + part.columns;
        let (pivots, pivot_base) = self.input_range(part.slab * slab_stride + part.column, pivot_span);
        let (output, output_base) = self.output_range(part.slab * inner + part.column, part.slabs * part.columns);
        let [workgroup_size, operator, ignore_nan, key_kind, finish, exchange_slots, _, _, scale_exponent, counted] =
            self.constants(finish, RowMode::Workgroup, self.choice.workgroup_size);
        let constants = shader::SpecializationConstants {
            local_size_x: workgroup_size,
            operator,
            ignore_nan,
            key_kind,
            finish,
            exchange_slots,
            scale_exponent,
            counted,
            element_bits: self.reduce.dtype.bits(),
            element_signed: self.reduce.dtype.signed_constant(),
        };
        let push = shader::PushConstants {
            slabs: part.slabs as u32,
            count: part.count as u32,
            columns: part.columns as u32,
            input_base,
            slab_stride: slab_stride as u32,
            row_stride: inner as u32,
            tile_columns: part.tile.columns as u32,
            tile_rows: part.tile.rows as u32,
            tiles: tiles as u32,
            splits: part.tile.split.parts as u32,
            split_rows: part.tile.split.length as u32,
            axis_base: part.start as u32,
            total_count: count as u32,
            slots: part.slots as u32,
            slot_base: part.slot_base as u32,
            partials: 0,
            output_base,
            pivot_base,
            count_word: 0,
        };
        let module = module_name(self.reduce, &self.variant, self.choice.path);
        let groups = self.limits.fold(tiles * part.tile.split.parts)?;
        self.steps.push(ReduceStep { kernel: StepKernel::Columns(constants, push), module, groups, input, pivots, output });
        Ok(())
    }
}
