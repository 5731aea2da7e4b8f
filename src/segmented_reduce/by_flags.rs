//! Segments that flags tell: their offsets are found first, in scratch, and how many there are; then they are reduced as segments that the device counts.

use wavelane_device::{Capabilities, Quirk};

use super::schedule::{COUNT, FOUND, INPUT, OFFSETS, OUTPUT, SCRATCH};
use super::{SegmentForm, SegmentedReduce};
use crate::compact::SegmentStarts;
use crate::layout::Layout;
use crate::limits::DeviceLimits;
use crate::schedule::{BufferNeed, BufferUse, COUNT_BYTES, Place, Schedule, ScheduleParts, StepAction, StepRange};
use crate::{Error, Path, Tuning};

pub(super) fn schedule(
    reduce: &SegmentedReduce,
    capabilities: &Capabilities,
    quirks: &[&'static Quirk],
    tuning: &Tuning,
    path: Option<Path>,
) -> Result<Schedule, Error> {
    let elements = Layout::of(&[reduce.length], None)?.count;
    // Whatever it says, there can be as many as elements.
    let told = SegmentedReduce { segments: reduce.length, form: SegmentForm::Offsets, counted: true, ..reduce.clone() };
    let told = super::schedule::schedule(&told, capabilities, quirks, tuning, path)?;
    let limits = DeviceLimits { capabilities };
    let alignment = limits.alignment();
    let (mut actions, mut strategy) = (Vec::new(), told.strategy.clone());
    let (mut scratch_bytes, mut bytes_moved) = (0, told.bytes_moved);
    if elements == 0 {
        actions.push(StepAction::Fill { buffer: FOUND, range: StepRange::first(COUNT_BYTES), word: 0 });
    } else {
        let starts = SegmentStarts::of(elements, capabilities, quirks, tuning, Some(told.choice.path))?;
        let mut place = |bytes: u64| {
            let offset = u64::next_multiple_of(scratch_bytes, alignment);
            scratch_bytes = offset + bytes;
            Place { buffer: SCRATCH, offset }
        };
        let offset_bytes = 4 * (elements + 1);
        let offsets = place(offset_bytes);
        let [for_starts, for_reduce] = [starts.scratch_bytes, told.scratch_bytes()].map(place);
        // Behind the last start stands the end of the array.
        let (buffer, range) = offsets.bytes(StepRange::first(offset_bytes));
        actions.push(StepAction::Fill { buffer, range, word: elements as u32 });
        // Its buffers: flags, positions, scratch, a count that there is not, and how many.
        let places = [Place::start(OFFSETS), offsets, for_starts, Place::start(COUNT), Place::start(FOUND)];
        actions.extend(starts.actions.into_iter().map(|action| action.placed(&places)));
        let places = [Place::start(INPUT), Place::start(OUTPUT), for_reduce, offsets, Place::start(FOUND)];
        actions.extend(told.steps.into_iter().map(|step| step.action.placed(&places)));
        strategy = format!("offsets of segments from flags ({}); then {strategy}", starts.strategy);
        bytes_moved += starts.bytes_moved + offset_bytes;
    }
    let need = |name, usage, bytes| BufferNeed { name, usage, bytes, alignment };
    let mut buffers = told.buffers;
    buffers.truncate(SCRATCH);
    buffers.push(need("scratch", BufferUse::Scratch, scratch_bytes));
    buffers.push(need("flags", BufferUse::Input, 4 * elements));
    buffers.push(need("count", BufferUse::Input, 0));
    buffers.push(BufferNeed { alignment: COUNT_BYTES, ..need("found", BufferUse::Output, COUNT_BYTES) });
    let parts = ScheduleParts {
        kernel: "segmented_reduce",
        title: format!("{} of {elements} {} in segments told by flags → {}", reduce.op, reduce.dtype, reduce.result_dtype()?),
        choice: told.choice,
        strategy,
        buffers,
        actions,
        bytes_moved,
    };
    Schedule::new(parts, limits)
}
