//! The barriers that the steps of a schedule need among each other, from the bytes that each of them reads and writes.

use wavelane_record::Access;

use super::{Step, StepAction, StepRange};

/// A barrier in front of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepBarrier {
    /// Which of the schedule's buffers.
    pub buffer: usize,
    /// Which of its bytes.
    pub range: StepRange,
    /// What earlier steps did with them.
    pub from: Access,
    /// What this step does.
    pub to: Access,
}

/// What a step does with some bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    pub(super) buffer: usize,
    range: StepRange,
    pub(super) access: Access,
}

pub(super) fn touches(action: &StepAction) -> Vec<Touch> {
    match action {
        StepAction::Fill { buffer, range, .. } => vec![Touch { buffer: *buffer, range: *range, access: Access::TransferWrite }],
        StepAction::Copy { from, from_offset, to, range } => {
            let read = StepRange { offset: *from_offset, size: range.size };
            vec![
                Touch { buffer: *from, range: read, access: Access::TransferRead },
                Touch { buffer: *to, range: *range, access: Access::TransferWrite },
            ]
        }
        StepAction::Dispatch(dispatch) => {
            let bound = dispatch.bindings.iter().zip(dispatch.descriptions);
            bound.map(|(&(buffer, range), description)| Touch { buffer, range, access: description.access }).collect()
        }
    }
}

/// The actions, each behind the barriers that it needs.
pub(super) fn between(actions: Vec<StepAction>) -> Vec<Step> {
    // What was done since the last barrier that covers it.
    let mut pending: Vec<Touch> = Vec::new();
    // Writes that a barrier made visible to copies or to dispatches, and not to the other ones: to which.
    let mut seen: Vec<(Touch, bool)> = Vec::new();
    let mut steps = Vec::with_capacity(actions.len());
    for action in actions {
        let new = touches(&action);
        let mut barriers: Vec<StepBarrier> = Vec::new();
        for touch in &new {
            let conflicts = pending.iter().filter(|earlier| earlier.access.writes() || touch.access.writes());
            let unseen = seen.iter().filter(|(_, by_copies)| !touch.access.writes() && *by_copies != is_copy(touch.access));
            for earlier in conflicts.chain(unseen.map(|(earlier, _)| earlier)) {
                if earlier.buffer == touch.buffer && earlier.range.overlaps(touch.range) {
                    add(
                        &mut barriers,
                        StepBarrier { buffer: earlier.buffer, range: earlier.range, from: earlier.access, to: touch.access },
                    );
                }
            }
        }
        // What the barriers name is ordered before everything that the same kind of step does from here on.
        let covering = |earlier: &Touch| barriers.iter().find(|barrier| covers(barrier, earlier)).map(|barrier| is_copy(barrier.to));
        seen.retain(|(earlier, by_copies)| covering(earlier).is_none_or(|copies| copies == *by_copies));
        pending.retain(|earlier| {
            let covered = covering(earlier);
            if let (Some(by_copies), true) = (covered, earlier.access.writes()) {
                seen.push((*earlier, by_copies));
            }
            covered.is_none()
        });
        let overwritten = |earlier: &Touch| {
            let within = |touch: &Touch| touch.range.offset <= earlier.range.offset && earlier.range.end() <= touch.range.end();
            new.iter().any(|touch| touch.access.writes() && touch.buffer == earlier.buffer && within(touch))
        };
        seen.retain(|(earlier, _)| !overwritten(earlier));
        pending.extend(new);
        steps.push(Step { barriers, action });
    }
    steps
}

/// Whether a copy or a fill does it, and not a dispatch.
fn is_copy(access: Access) -> bool {
    matches!(access, Access::TransferRead | Access::TransferWrite)
}

fn covers(barrier: &StepBarrier, touch: &Touch) -> bool {
    barrier.buffer == touch.buffer && barrier.range.offset <= touch.range.offset && touch.range.end() <= barrier.range.end()
}

/// One barrier for all that is done to neighbouring bytes between the same two accesses.
fn add(barriers: &mut Vec<StepBarrier>, new: StepBarrier) {
    let same = |known: &&mut StepBarrier| (known.buffer, known.from, known.to) == (new.buffer, new.from, new.to);
    match barriers.iter_mut().find(same) {
        Some(known) => {
            let offset = known.range.offset.min(new.range.offset);
            known.range = StepRange { offset, size: known.range.end().max(new.range.end()) - offset };
        }
        None => barriers.push(new),
    }
}

#[cfg(test)]
mod tests {
    use wavelane_record::BindingDescription;

    use super::*;
    use crate::schedule::DispatchStep;

    fn fill(buffer: usize, offset: u64, size: u64) -> StepAction {
        StepAction::Fill { buffer, range: StepRange { offset, size }, word: 0 }
    }

    fn copy(from: usize, to: usize, offset: u64, size: u64) -> StepAction {
        StepAction::Copy { from, from_offset: offset, to, range: StepRange { offset, size } }
    }

    fn barriers(actions: Vec<StepAction>) -> Vec<Vec<(usize, u64, u64, Access, Access)>> {
        let of = |step: Step| step.barriers.iter().map(|b| (b.buffer, b.range.offset, b.range.size, b.from, b.to)).collect();
        between(actions).into_iter().map(of).collect()
    }

    use Access::{TransferRead, TransferWrite};

    #[test]
    fn reads_wait_for_writes_of_the_same_bytes() {
        let found = barriers(vec![fill(0, 0, 16), copy(0, 1, 0, 8), copy(0, 2, 16, 8)]);
        assert_eq!(found, [vec![], vec![(0, 0, 16, TransferWrite, TransferRead)], vec![]]);
    }

    #[test]
    fn writes_wait_for_reads_and_writes() {
        let found = barriers(vec![copy(0, 1, 0, 8), fill(0, 0, 8), fill(1, 4, 8)]);
        assert_eq!(found[1], [(0, 0, 8, TransferRead, TransferWrite)]);
        assert_eq!(found[2], [(1, 0, 8, TransferWrite, TransferWrite)]);
    }

    #[test]
    fn what_a_barrier_ordered_is_not_ordered_again() {
        let found = barriers(vec![fill(0, 0, 8), copy(0, 1, 0, 8), copy(0, 2, 0, 8)]);
        assert_eq!(found.iter().map(Vec::len).collect::<Vec<_>>(), [0, 1, 0]);
    }

    #[test]
    fn what_dispatches_may_read_copies_may_not_yet() {
        let dispatch = |buffer, description: &'static [BindingDescription]| {
            StepAction::Dispatch(DispatchStep {
                kernel: "a.b",
                module: "c".into(),
                groups: [1; 3],
                shared_bytes: 0,
                bindings: vec![(buffer, StepRange { offset: 0, size: 8 })],
                spirv: &[],
                constants: Vec::new(),
                descriptions: description,
                push: Vec::new(),
            })
        };
        const WRITES: [BindingDescription; 1] = [BindingDescription::storage_buffer(Access::ComputeWrite)];
        const READS: [BindingDescription; 1] = [BindingDescription::storage_buffer(Access::ComputeRead)];
        let found = barriers(vec![dispatch(0, &WRITES), dispatch(0, &READS), dispatch(0, &READS), copy(0, 1, 0, 8), copy(0, 2, 0, 8)]);
        assert_eq!(found[1], [(0, 0, 8, Access::ComputeWrite, Access::ComputeRead)]);
        assert_eq!(found[3], [(0, 0, 8, Access::ComputeWrite, TransferRead)]);
        assert_eq!(found.iter().map(Vec::len).collect::<Vec<_>>(), [0, 1, 0, 1, 0]);
    }

    #[test]
    fn reads_of_the_same_bytes_need_none() {
        assert!(barriers(vec![copy(0, 1, 0, 8), copy(0, 2, 0, 8)]).iter().all(Vec::is_empty));
    }
}
