//! What a set operation does on a device: marks of the elements that are results, and a selection of these; unions of a merge.

use wavelane_device::{Capabilities, Quirk};

use super::marks::{Length, MARK_BYTES, Marks};
use super::{FIRST, FIRST_COUNT, FOUND, OUTPUT, SCRATCH, SECOND, SECOND_COUNT, SetOp, SetOperation};
use crate::compact::width::{Kind, Width};
use crate::elementwise::Elementwise;
use crate::kernel::Kernel;
use crate::layout::Layout;
use crate::merge::{Counts, Merging, Results};
use crate::schedule::{BufferNeed, BufferUse, COUNT_BYTES, Place, Schedule, ScheduleParts, StepAction, StepRange};
use crate::{Condition, Error, MaskForm, Path, PathChoice, Select, Tuning};

/// A schedule in the making.
pub(super) struct Planner<'a> {
    operation: &'a SetOperation,
    capabilities: &'a Capabilities,
    quirks: &'a [&'static Quirk],
    tuning: &'a Tuning,
    path: Option<Path>,
    device: Elementwise<'a>,
    width: Width,
    kind: Kind,
    actions: Vec<StepAction>,
    scratch_bytes: u64,
    bytes_moved: u64,
    /// Of the selections.
    choice: Option<PathChoice>,
    selected_how: String,
}

/// A sorted array.
#[derive(Clone, Copy)]
struct Array {
    place: Place,
    length: Length,
}

impl<'a> Planner<'a> {
    pub(super) fn new(
        operation: &'a SetOperation,
        capabilities: &'a Capabilities,
        quirks: &'a [&'static Quirk],
        tuning: &'a Tuning,
        path: Option<Path>,
    ) -> Self {
        Self {
            operation,
            capabilities,
            quirks,
            tuning,
            path,
            // What is not a selection exchanges nothing.
            device: Elementwise::new(capabilities, tuning, None),
            width: Width::of(operation.dtype),
            kind: Kind::of(operation.dtype),
            actions: Vec::new(),
            scratch_bytes: 0,
            bytes_moved: 0,
            choice: None,
            selected_how: String::new(),
        }
    }

    pub(super) fn schedule(mut self) -> Result<Schedule, Error> {
        let SetOperation { op, first, second, counted_first, counted_second, .. } = *self.operation;
        // Everything is counted in 32 bits, both arrays together, too.
        Layout::of(&[first.saturating_add(second)], None)?;
        let lengths = [first as u64, second as u64];
        let results = self.operation.most_results() as u64;
        // What is empty has no count that matters, and without results nothing is looked at.
        let looked_at = |length: u64| length > 0 && results > 0;
        let counted = [counted_first && looked_at(lengths[0]), counted_second && looked_at(lengths[1])];
        let counts = counted.contains(&true).then(|| self.take(Counts::BYTES));
        let count_buffers = [FIRST_COUNT, SECOND_COUNT];
        let mut arrays = [FIRST, SECOND].map(|buffer| Array { place: Place::start(buffer), length: Length::default() });
        for (number, array) in arrays.iter_mut().enumerate() {
            array.length.most = lengths[number];
            if let (Some(counts), true) = (counts, counted[number]) {
                let range = StepRange { offset: counts.offset + number as u64 * COUNT_BYTES, size: COUNT_BYTES };
                self.actions.push(StepAction::Copy { from: count_buffers[number], from_offset: 0, to: SCRATCH, range });
                array.length.count = Some(number as u32);
            }
        }
        let (output, found) = (Place::start(OUTPUT), Place::start(FOUND));
        let marks = self.take(MARK_BYTES * results);
        match op {
            _ if results == 0 => self.actions.push(StepAction::Fill { buffer: FOUND, range: StepRange::first(COUNT_BYTES), word: 0 }),
            SetOp::Intersection | SetOp::Difference => {
                self.compare(arrays, op == SetOp::Intersection, counts, marks, output, found)?;
            }
            SetOp::Union => self.unite(arrays, false, counts, marks, output, found)?,
            SetOp::SymmetricDifference => {
                // What is in one alone, and then all of it. A NaN of either stays, as it differs from the other's.
                let counts_of_both = self.take(Counts::BYTES);
                let [a, b] = arrays;
                let mut alone = arrays;
                for (number, pair) in [[a, b], [b, a]].into_iter().enumerate() {
                    let to = self.take(lengths[number] * self.width.bytes());
                    let found = Place { offset: counts_of_both.offset + number as u64 * COUNT_BYTES, ..counts_of_both };
                    self.compare(pair, false, counts, marks, to, found)?;
                    alone[number] = Array { place: to, length: Length { most: lengths[number], count: Some(number as u32) } };
                }
                self.unite(alone, true, Some(counts_of_both), marks, output, found)?;
            }
        }
        let scratch = if results > 0 { self.scratch_bytes } else { 0 };
        let need = |name, usage, count, size| self.device.need(name, usage, count, size);
        let count = |name, usage, used: bool| BufferNeed { alignment: COUNT_BYTES, ..need(name, usage, u64::from(used), COUNT_BYTES) };
        let size = self.width.bytes();
        let is_used = |number: usize| if results > 0 { lengths[number] } else { 0 };
        let buffers = vec![
            need("first", BufferUse::Input, is_used(0), size),
            need("second", BufferUse::Input, is_used(1), size),
            need("output", BufferUse::Output, results, size),
            need("scratch", BufferUse::Scratch, scratch, 1),
            count("first count", BufferUse::Input, counted[0]),
            count("second count", BufferUse::Input, counted[1]),
            count("found", BufferUse::Output, true),
        ];
        let strategy = match op {
            _ if results == 0 => "there are no elements".to_owned(),
            SetOp::Intersection | SetOp::Difference => format!("elements are searched for in the second array; then {}", self.selected_how),
            SetOp::Union => format!("merged; then {}", self.selected_how),
            SetOp::SymmetricDifference => format!("what is in one array alone is searched for, and merged; then {}", self.selected_how),
        };
        let choice = self.choice.unwrap_or(self.device.choice);
        let title = self.operation.title();
        let parts = ScheduleParts {
            kernel: "set_operation",
            title,
            choice,
            strategy,
            buffers,
            bytes_moved: self.bytes_moved,
            actions: self.actions,
        };
        Schedule::new(parts, self.device.limits)
    }

    fn take(&mut self, bytes: u64) -> Place {
        let offset = self.scratch_bytes.next_multiple_of(self.device.limits.alignment());
        self.scratch_bytes = offset + bytes.next_multiple_of(4);
        Place { buffer: SCRATCH, offset }
    }

    /// Elements of the first array, each once, that are in the second, or that are not.
    fn compare(
        &mut self,
        [own, other]: [Array; 2],
        common: bool,
        counts: Option<Place>,
        to_marks: Place,
        output: Place,
        found: Place,
    ) -> Result<(), Error> {
        let marks = Marks {
            width: self.width,
            kind: self.kind,
            elements: own.place,
            parts: [own.length, Length::default()],
            other: other.place,
            other_length: other.length,
            common,
            each_nan: false,
            counts,
            to: to_marks,
        };
        marks.record(&self.device, &mut self.actions)?;
        self.bytes_moved += (own.length.most + other.length.most) * self.width.bytes() + own.length.most * MARK_BYTES;
        self.select(own.place, own.length.most, to_marks, output, found)
    }

    /// Elements of both arrays, each once.
    fn unite(
        &mut self,
        arrays: [Array; 2],
        each_nan: bool,
        counts: Option<Place>,
        to_marks: Place,
        output: Place,
        found: Place,
    ) -> Result<(), Error> {
        let [first, second] = arrays.map(|array| array.length);
        let total = first.most + second.most;
        let merged = self.take(total * self.width.bytes());
        let merging = Merging {
            width: self.width,
            kind: self.kind,
            descending: false,
            lengths: [first.most, second.most],
            arrays: arrays.map(|array| array.place),
            counts: counts.map(|place| Counts { place, first: first.count.is_some(), second: second.count.is_some() }),
        };
        let results = Results::keys(merged);
        let strategy = merging.strategy(results, None, self.tuning, &self.device)?;
        let scratch = self.take(merging.scratch_bytes(results, strategy, &self.device));
        merging.record(results, strategy, scratch, (self.tuning, &self.device), &mut self.actions)?;
        let marks = Marks {
            width: self.width,
            kind: self.kind,
            elements: merged,
            parts: [first, second],
            other: merged,
            other_length: Length::default(),
            common: false,
            each_nan,
            counts,
            to: to_marks,
        };
        marks.record(&self.device, &mut self.actions)?;
        self.bytes_moved += total * (3 * self.width.bytes() + MARK_BYTES);
        self.select(merged, total, to_marks, output, found)
    }

    /// The elements that are marked, and how many there are.
    fn select(&mut self, from: Place, len: u64, marks: Place, to: Place, found: Place) -> Result<(), Error> {
        let select = Select::new(Condition::Mask(MaskForm::Words), self.operation.dtype, len as usize);
        let schedule = select.schedule_tuned(self.capabilities, self.quirks, self.tuning, self.path)?;
        let scratch = self.take(schedule.scratch_bytes());
        // Nothing of these is counted or in rows.
        let none = scratch;
        let places = [from, to, scratch, none, found, marks, none];
        self.bytes_moved += schedule.bytes_moved;
        self.selected_how = schedule.strategy;
        self.choice = Some(schedule.choice);
        self.actions.extend(schedule.steps.into_iter().map(|step| step.action.placed(&places)));
        Ok(())
    }
}
