//! The kernels' index arithmetic, invocation by invocation: `rows.comp`, `columns.comp`, `combine.comp`.

use super::super::{ReduceSchedule, ReduceStep, StepKernel};
use super::counted::{piece_count, share_of};
use super::memory::{Memory, Part, StepNumber};
use super::workgroup::{Workgroup, sum};
use crate::Path;
use crate::shaders::reduce as shaders;

const FINISH_RESULT: u32 = 0;
const FINISH_LAST_ARRIVAL: u32 = 2;
const ROW_WORKGROUP: u32 = 0;
const ROW_LANES: u32 = 1;
const COLUMN_UNROLL: u32 = 8;

/// What the device decides for itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    /// Invocations of a subgroup.
    pub(super) subgroup_size: u32,
    /// Whether workgroups run in the opposite order.
    pub(super) backwards: bool,
}

struct Walk<'a, 'b> {
    memory: &'a mut Memory<'b>,
    step: &'a ReduceStep,
    number: StepNumber,
    path: Path,
    run: Run,
}

/// Runs all steps of a schedule.
pub(super) fn walk(schedule: &ReduceSchedule, memory: &mut Memory, run: Run) {
    for (number, step) in schedule.steps.iter().enumerate() {
        let mut walk = Walk { memory, step, number, path: schedule.choice.path, run };
        match &step.kernel {
            StepKernel::Rows(constants, push) => walk.rows(constants, push),
            StepKernel::Columns(constants, push) => walk.columns(constants, push),
            StepKernel::Combine(constants, push) => walk.combine(constants, push),
        }
    }
}

impl Walk<'_, '_> {
    /// Numbers of the workgroups, in the order in which they run.
    fn groups(&self) -> Vec<u32> {
        let [x, y, z] = self.step.groups;
        // `workgroup_number` of each.
        let at = |z: u32| move |y_of: u32| (0..x).map(move |x_of| (z * y + y_of) * x + x_of);
        let mut groups: Vec<u32> = (0..z).flat_map(|z| (0..y).flat_map(at(z))).collect();
        if self.run.backwards {
            groups.reverse();
        }
        groups
    }

    fn workgroup(&self, size: u32, slots: u32) -> Workgroup {
        let subgroup_size = if self.path == Path::SharedMemory { 1 } else { self.run.subgroup_size };
        assert!(size.is_multiple_of(subgroup_size), "a workgroup of {size} is not made of full subgroups of {subgroup_size}");
        Workgroup { path: self.path, size, subgroup_size, slots }
    }

    fn rows(&mut self, constants: &shaders::rows::SpecializationConstants, push: &shaders::rows::PushConstants) {
        let size = constants.workgroup_size;
        let workgroup = self.workgroup(size, constants.exchange_slots);
        for group in self.groups() {
            // Row, split, lane, lanes of an invocation.
            let path = self.path;
            let place = |local: u32| match constants.row_mode {
                ROW_WORKGROUP => (group / push.splits, group % push.splits, local, size),
                ROW_LANES => {
                    let lanes = constants.lanes_per_row;
                    assert!(size.is_multiple_of(lanes));
                    (group * (size / lanes) + local / lanes, 0, local % lanes, lanes)
                }
                _ => {
                    assert_ne!(path, Path::SharedMemory, "a subgroup's row without subgroups");
                    let lanes = workgroup.subgroup_size;
                    (group * workgroup.subgroups() + local / lanes, 0, local % lanes, lanes)
                }
            };
            let mut states = Vec::with_capacity(size as usize);
            for local in 0..size {
                let (row, split, lane, lanes) = place(local);
                let live = row < push.rows;
                states.push(self.row_state(constants, push, if live { row } else { 0 }, (split, lane, lanes), live));
            }
            if constants.row_mode == ROW_WORKGROUP {
                let (row, split, ..) = place(0);
                if row >= push.rows {
                    continue;
                }
                self.finish_row(constants, push, row, split, workgroup.exchange(states));
                if constants.finish == FINISH_LAST_ARRIVAL && self.memory.arrive(row, push.splits) {
                    let mut states = vec![Part::default(); size as usize];
                    for slot in 0..push.slots {
                        let state = &mut states[(slot % size) as usize];
                        *state = state.combine(self.memory.load_partial(push.partials, row * push.slots + slot, self.number, true));
                    }
                    self.memory.store_result(self.step.output, push.output_base + row, workgroup.exchange(states));
                }
                continue;
            }
            if constants.row_mode != ROW_LANES {
                let lanes = workgroup.subgroup_size as usize;
                states = states.chunks(lanes).flat_map(|subgroup| vec![sum(subgroup); lanes]).collect();
            } else if self.path == Path::Shuffle && constants.lanes_per_row > 1 {
                let lanes = constants.lanes_per_row;
                assert!(lanes <= workgroup.subgroup_size, "{lanes} lanes of a row do not lie in a subgroup of {}", workgroup.subgroup_size);
                states = states.chunks(lanes as usize).flat_map(|row| vec![sum(row); lanes as usize]).collect();
            } else if constants.lanes_per_row > 1 {
                workgroup.exchange_tree(&mut states, 1, constants.lanes_per_row, |local| place(local).2);
            }
            for local in 0..size {
                let (row, _, lane, _) = place(local);
                if row < push.rows && lane == 0 {
                    self.finish_row(constants, push, row, 0, states[local as usize]);
                }
            }
        }
    }

    fn finish_row(
        &mut self,
        constants: &shaders::rows::SpecializationConstants,
        push: &shaders::rows::PushConstants,
        row: u32,
        split: u32,
        state: Part,
    ) {
        if constants.finish == FINISH_RESULT {
            self.memory.store_result(self.step.output, push.output_base + row, state);
        } else {
            self.memory.store_partial(push.partials, row * push.slots + push.slot_base + split, state, self.number);
        }
    }

    fn row_state(
        &mut self,
        constants: &shaders::rows::SpecializationConstants,
        push: &shaders::rows::PushConstants,
        row: u32,
        (split, lane, lanes): (u32, u32, u32),
        live: bool,
    ) -> Part {
        const UNROLL: u32 = 4;
        let length = piece_count(self.memory, constants.counted, push.total_count, push.count_word, push.axis_base, push.count);
        let length = if live { length } else { 0 };
        let (range, per_quad) = (self.step.input, self.memory.per_quad());
        // Without elements there is no pivot either, and what is read in its place does not count.
        if self.step.pivots.is_some() {
            let result = live.then(|| self.memory.result_number(self.step.output, push.output_base + row));
            self.memory.pivot(self.step.pivots, push.pivot_base + row * push.pivot_stride, result);
        }
        let mut sum = Part::default();
        let begin = push.input_base + row * push.row_stride;
        let end = begin + length;
        let (first_quad, last_quad) = (begin.div_ceil(per_quad), end / per_quad);
        let head_end = (first_quad * per_quad).min(end);
        let tail_begin = (last_quad * per_quad).max(head_end);

        let grain = UNROLL * constants.workgroup_size;
        let share = share_of(constants.counted, length.div_ceil(per_quad), push.splits, grain, push.split_quads);
        let mut quad = first_quad + split * share;
        let quad_end = (quad + share).min(last_quad);
        quad += lane;
        while quad + (UNROLL - 1) * lanes < quad_end {
            for k in 0..UNROLL {
                let quad = quad + k * lanes;
                sum = sum.combine(self.memory.quad(range, quad, push.axis_base + quad * per_quad - begin));
            }
            quad += UNROLL * lanes;
        }
        while quad < quad_end {
            sum = sum.combine(self.memory.quad(range, quad, push.axis_base + quad * per_quad - begin));
            quad += lanes;
        }
        let head = if split == 0 { begin + lane..head_end } else { 0..0 };
        let tail = if split == push.splits - 1 { tail_begin + lane..end } else { 0..0 };
        for i in head.step_by(lanes as usize).chain(tail.step_by(lanes as usize)) {
            sum = sum.combine(self.memory.element(range, i, push.axis_base + i - begin));
        }
        sum
    }

    fn columns(&mut self, constants: &shaders::columns::SpecializationConstants, push: &shaders::columns::PushConstants) {
        let size = constants.local_size_x;
        let workgroup = self.workgroup(size, constants.exchange_slots);
        let columns = push.slabs * push.columns;
        for group in self.groups() {
            let (tile, split) = if push.splits > 1 { (group % push.tiles, group / push.tiles) } else { (group, 0) };
            let place = |local: u32| if push.tile_rows > 1 { (local % push.tile_columns, local / push.tile_columns) } else { (local, 0) };
            let live = |local: u32| {
                let (x, y) = place(local);
                split < push.splits && tile * push.tile_columns + x < columns && x < push.tile_columns && y < push.tile_rows
            };
            let number = |local: u32| if live(local) { tile * push.tile_columns + place(local).0 } else { 0 };
            let mut states = Vec::with_capacity(size as usize);
            let length = piece_count(self.memory, constants.counted, push.total_count, push.count_word, push.axis_base, push.count);
            let share = share_of(constants.counted, length, push.splits, COLUMN_UNROLL * push.tile_rows, push.split_rows);
            for local in 0..size {
                let (number, y) = (number(local), place(local).1);
                let begin = split * share;
                let end = if live(local) { (begin + share).min(length) } else { 0 };
                let offset = (number / push.columns) * push.slab_stride + number % push.columns;
                let result = live(local).then(|| self.memory.result_number(self.step.output, push.output_base + number));
                self.memory.pivot(self.step.pivots, push.pivot_base + offset, result);
                states.push(self.column_state(push, push.input_base + offset, begin + y, end));
            }
            self.finish_tile(&workgroup, push, (tile, split), states, constants.finish == FINISH_RESULT);
            if constants.finish == FINISH_LAST_ARRIVAL && split < push.splits && self.memory.arrive(tile, push.splits) {
                let mut states = vec![Part::default(); size as usize];
                for local in (0..size).filter(|&local| live(local)) {
                    for slot in (place(local).1..push.slots).step_by(push.tile_rows as usize) {
                        let index = number(local) * push.slots + slot;
                        let state = &mut states[local as usize];
                        *state = state.combine(self.memory.load_partial(push.partials, index, self.number, true));
                    }
                }
                self.finish_tile(&workgroup, push, (tile, split), states, true);
            }
        }
    }

    fn column_state(&mut self, push: &shaders::columns::PushConstants, base: u32, begin: u32, end: u32) -> Part {
        let mut sum = Part::default();
        let mut i = begin;
        while i < end {
            // Full rounds first, as the shader does; each is checked as a whole before it is begun.
            let round = if end - i > (COLUMN_UNROLL - 1) * push.tile_rows { COLUMN_UNROLL } else { 1 };
            for k in 0..round {
                let row = i + k * push.tile_rows;
                sum = sum.combine(self.memory.element(self.step.input, base + row * push.row_stride, push.axis_base + row));
            }
            i += round * push.tile_rows;
        }
        sum
    }

    fn finish_tile(
        &mut self,
        workgroup: &Workgroup,
        push: &shaders::columns::PushConstants,
        (tile, split): (u32, u32),
        mut states: Vec<Part>,
        result: bool,
    ) {
        let (columns, rows) = (push.tile_columns, push.tile_rows);
        assert!(columns * rows <= workgroup.size, "a tile of {columns} × {rows} in a workgroup of {}", workgroup.size);
        if workgroup.path == Path::SharedMemory && rows > 1 {
            workgroup.exchange_tree(&mut states, columns, rows, |local| local / columns);
        }
        // On the other paths subgroup after subgroup takes a column, lane after lane an invocation of it, wrapping round.
        for x in 0..columns {
            let state = match workgroup.path {
                Path::SharedMemory => states[x as usize],
                _ => (0..rows).fold(Part::default(), |sum, row| sum.combine(states[(row * columns + x) as usize])),
            };
            let number = tile * columns + x;
            if number >= push.slabs * push.columns || split >= push.splits {
                continue;
            }
            if result {
                self.memory.store_result(self.step.output, push.output_base + number, state);
            } else {
                self.memory.store_partial(push.partials, number * push.slots + push.slot_base + split, state, self.number);
            }
        }
    }

    fn combine(&mut self, constants: &shaders::combine::SpecializationConstants, push: &shaders::combine::PushConstants) {
        let size = constants.workgroup_size;
        let workgroup = self.workgroup(size, constants.exchange_slots);
        for group in self.groups() {
            let shared = constants.row_mode == ROW_WORKGROUP;
            let mut states = vec![Part::default(); size as usize];
            for local in 0..size {
                let (result, lane, lanes) = if shared { (group, local, size) } else { (group * size + local, 0, 1) };
                let state = &mut states[local as usize];
                for slot in (lane..push.slots).step_by(lanes as usize).filter(|_| result < push.results) {
                    *state = state.combine(self.memory.load_partial(push.partials, result * push.slots + slot, self.number, false));
                }
                // The count is only divided by, so its place is all that can be wrong.
                let _ = piece_count(self.memory, constants.counted, push.total_count, push.count_word, 0, push.total_count);
                if !shared && result < push.results {
                    self.memory.store_result(self.step.output, push.output_base + result, *state);
                }
            }
            if shared && group < push.results {
                self.memory.store_result(self.step.output, push.output_base + group, workgroup.exchange(states));
            }
        }
    }
}
