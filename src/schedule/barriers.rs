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
    let mut steps = Vec::with_capacity(actions.len());
    for action in actions {
        let new = touches(&action);
        let mut barriers: Vec<StepBarrier> = Vec::new();
        for touch in &new {
            for earlier in &pending {
                let conflict = earlier.buffer == touch.buffer
                    && earlier.range.overlaps(touch.range)
                    && (earlier.access.writes() || touch.access.writes());
                if conflict {
                    add(
                        &mut barriers,
                        StepBarrier { buffer: earlier.buffer, range: earlier.range, from: earlier.access, to: touch.access },
                    );
                }
            }
        }
        if !barriers.is_empty() {
            // What the barriers name is ordered before everything that the same kind of step does from here on.
            pending.retain(|earlier| !barriers.iter().any(|barrier| covers(barrier, earlier)));
        }
        pending.extend(new);
        steps.push(Step { barriers, action });
    }
    steps
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
    use super::*;

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
    fn reads_of_the_same_bytes_need_none() {
        assert!(barriers(vec![copy(0, 1, 0, 8), copy(0, 2, 0, 8)]).iter().all(Vec::is_empty));
    }
}
