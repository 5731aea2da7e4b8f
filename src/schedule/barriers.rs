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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Touch {
    pub(super) buffer: usize,
    pub(super) range: StepRange,
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
            // Bytes that are bound twice are used in both ways at once.
            let mut touches: Vec<Touch> = Vec::with_capacity(dispatch.bindings.len());
            for (&(buffer, range), description) in dispatch.bindings.iter().zip(dispatch.descriptions) {
                match touches.iter_mut().find(|touch| (touch.buffer, touch.range) == (buffer, range)) {
                    Some(touch) if touch.access != description.access => touch.access = Access::ComputeReadWrite,
                    Some(_) => {}
                    None => touches.push(Touch { buffer, range, access: description.access }),
                }
            }
            touches
        }
    }
}

/// What was done, and which kinds of later commands a barrier has ordered behind it.
#[derive(Debug)]
struct Pending {
    touch: Touch,
    ordered_before: Vec<Kind>,
    /// Of a read the steps whose barriers order these commands behind it without naming it.
    passed: Vec<(Kind, usize)>,
}

/// Barriers order shaders and copies apart from each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Shader,
    Copy,
}

impl Kind {
    fn of(access: Access) -> Self {
        if matches!(access, Access::TransferRead | Access::TransferWrite) { Self::Copy } else { Self::Shader }
    }
}

/// The actions, each behind the barriers that it needs.
pub(super) fn between(actions: Vec<StepAction>) -> Vec<Step> {
    let mut pending: Vec<Pending> = Vec::new();
    let mut steps: Vec<Step> = Vec::with_capacity(actions.len());
    for action in actions {
        let new = touches(&action);
        let mut barriers: Vec<StepBarrier> = Vec::new();
        let conflicts = |writes_before: bool| {
            let of = move |touch: &Touch, pending: &Pending| {
                let earlier = pending.touch;
                let conflict = earlier.buffer == touch.buffer
                    && earlier.range.overlaps(touch.range)
                    && earlier.access.writes() == writes_before
                    && (writes_before || touch.access.writes())
                    && !pending.ordered_before.contains(&Kind::of(touch.access));
                conflict.then_some(StepBarrier { buffer: earlier.buffer, range: earlier.range, from: earlier.access, to: touch.access })
            };
            let pending = &pending;
            new.iter().flat_map(move |touch| pending.iter().filter_map(move |earlier| of(touch, earlier)))
        };
        for barrier in conflicts(true) {
            add(&mut barriers, barrier);
        }
        // Writes have to wait for reads, and no more: any barrier between the two kinds of steps sees to that. Yet those that do are told of the buffer, too: with synchronization2, validation layers from before
        // 1.4 look at no others than a barrier names.
        let known: Vec<StepBarrier> = conflicts(false).collect();
        for barrier in known {
            let (before, behind) = (Kind::of(barrier.from), Kind::of(barrier.to));
            let read = pending.iter().find(|earlier| is_for(&barrier, &earlier.touch));
            let passed = read.and_then(|earlier| earlier.passed.iter().find(|passed| passed.0 == behind));
            let call = match passed {
                Some(&(_, step)) => &mut steps[step].barriers,
                None => &mut barriers,
            };
            let same =
                |other: &&mut StepBarrier| other.buffer == barrier.buffer && (Kind::of(other.from), Kind::of(other.to)) == (before, behind);
            match call.iter_mut().find(same) {
                Some(other) => other.range = hull(other.range, barrier.range),
                None => call.push(barrier),
            }
            for earlier in pending.iter_mut().filter(|earlier| is_for(&barrier, &earlier.touch)) {
                note(&mut earlier.ordered_before, behind);
            }
        }
        for Pending { touch, passed, .. } in pending.iter_mut().filter(|pending| !pending.touch.access.writes()) {
            for barrier in barriers.iter().filter(|barrier| Kind::of(barrier.from) == Kind::of(touch.access)) {
                let kind = Kind::of(barrier.to);
                if !passed.iter().any(|&(known, _)| known == kind) {
                    passed.push((kind, steps.len()));
                }
            }
        }
        // What the barriers name is ordered before everything that the same kind of step does from here on.
        for barrier in &barriers {
            for earlier in pending.iter_mut().filter(|earlier| covers(barrier, &earlier.touch)) {
                note(&mut earlier.ordered_before, Kind::of(barrier.to));
            }
        }
        // Whoever waits for a step that writes bytes over waits for what that step waited for: all of them, or, where steps go through them piece by piece, the first ones or the last.
        pending.retain_mut(|earlier| {
            let is_over = |touch: &&Touch| {
                touch.access.writes() && touch.buffer == earlier.touch.buffer && earlier.ordered_before.contains(&Kind::of(touch.access))
            };
            let left = new.iter().filter(is_over).fold(earlier.touch.range, |range, touch| without(range, touch.range));
            earlier.touch.range = left;
            left.size > 0
        });
        // Whoever waits for the last of several steps that do the same to the same bytes waits for all of them.
        pending.retain(|earlier| !new.contains(&earlier.touch));
        pending.extend(new.into_iter().map(|touch| Pending { touch, ordered_before: Vec::new(), passed: Vec::new() }));
        steps.push(Step { barriers, action });
    }
    steps
}

fn note(kinds: &mut Vec<Kind>, kind: Kind) {
    if !kinds.contains(&kind) {
        kinds.push(kind);
    }
}

/// The bytes of both, and those between.
fn hull(a: StepRange, b: StepRange) -> StepRange {
    let offset = a.offset.min(b.offset);
    StepRange { offset, size: a.end().max(b.end()) - offset }
}

/// The bytes that are left when others are taken away from the front or the back. From the middle none are.
fn without(range: StepRange, others: StepRange) -> StepRange {
    let is_front = others.offset <= range.offset && range.offset < others.end();
    let is_back = others.offset < range.end() && range.end() <= others.end();
    match (is_front, is_back) {
        _ if range.size == 0 => range,
        (true, true) => StepRange { offset: range.offset, size: 0 },
        (true, false) => StepRange { offset: others.end(), size: range.end() - others.end() },
        (false, true) => StepRange { offset: range.offset, size: others.offset - range.offset },
        (false, false) => range,
    }
}

fn within(inner: StepRange, outer: StepRange) -> bool {
    outer.offset <= inner.offset && inner.end() <= outer.end()
}

/// Whether a read is the one that a barrier is for.
fn is_for(barrier: &StepBarrier, read: &Touch) -> bool {
    (read.buffer, read.range, read.access) == (barrier.buffer, barrier.range, barrier.from)
}

fn covers(barrier: &StepBarrier, touch: &Touch) -> bool {
    let same = barrier.buffer == touch.buffer && Kind::of(barrier.from) == Kind::of(touch.access);
    same && within(touch.range, barrier.range) && (barrier.from.writes() || !touch.access.writes())
}

/// One barrier for all that is done to neighbouring bytes between the same two accesses.
fn add(barriers: &mut Vec<StepBarrier>, new: StepBarrier) {
    let same = |known: &&mut StepBarrier| (known.buffer, known.from, known.to) == (new.buffer, new.from, new.to);
    match barriers.iter_mut().find(same) {
        Some(known) => known.range = hull(known.range, new.range),
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

    type Found = (usize, u64, u64, Access, Access);

    fn barriers(actions: Vec<StepAction>) -> Vec<Vec<Found>> {
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
    fn copies_are_not_ordered_by_what_orders_shaders() {
        let touch = |access| Touch { buffer: 0, range: StepRange::first(8), access };
        let barrier = StepBarrier { buffer: 0, range: StepRange::first(8), from: Access::ComputeWrite, to: Access::ComputeRead };
        assert!(covers(&barrier, &touch(Access::ComputeWrite)) && covers(&barrier, &touch(Access::ComputeRead)));
        assert!(!covers(&barrier, &touch(TransferRead)));
        let from_read = StepBarrier { from: Access::ComputeRead, to: Access::ComputeWrite, ..barrier };
        assert!(!covers(&from_read, &touch(Access::ComputeWrite)));
    }

    #[test]
    fn writes_wait_for_the_last_of_several_reads() {
        let found = barriers(vec![fill(0, 0, 8), copy(0, 1, 0, 8), fill(0, 0, 8), copy(0, 1, 0, 8), fill(0, 0, 8)]);
        assert_eq!(found[4], [(0, 0, 8, TransferRead, TransferWrite)]);
        assert_eq!(found[3], [(0, 0, 8, TransferWrite, TransferRead), (1, 0, 8, TransferWrite, TransferWrite)]);
    }

    #[test]
    fn every_read_that_a_write_waits_for_is_named_in_a_barrier_between_them() {
        // There and back: the barrier of what is read next orders the write, too, and says so.
        let found = barriers(vec![copy(0, 1, 0, 8), copy(1, 0, 0, 8)]);
        assert_eq!(found[1], [(1, 0, 8, TransferWrite, TransferRead), (0, 0, 8, TransferRead, TransferWrite)]);
        // The write comes later, and needs no call of its own.
        let found = barriers(vec![copy(0, 1, 0, 8), copy(1, 2, 0, 8), fill(0, 0, 8)]);
        assert_eq!(found[1], [(1, 0, 8, TransferWrite, TransferRead), (0, 0, 8, TransferRead, TransferWrite)]);
        assert_eq!(found[2], []);
    }

    #[test]
    fn what_was_written_over_in_pieces_is_waited_for_by_the_pieces() {
        let found = barriers(vec![fill(0, 0, 16), fill(0, 0, 8), fill(0, 8, 8), fill(0, 0, 16)]);
        assert_eq!(found[1], [(0, 0, 16, TransferWrite, TransferWrite)]);
        assert_eq!(found[2], []);
        assert_eq!(found[3], [(0, 0, 16, TransferWrite, TransferWrite)]);
        // Of the first fill nothing is left, so that what is read behind it waits for the pieces that it reads.
        let found = barriers(vec![fill(0, 0, 16), fill(0, 0, 8), fill(0, 8, 8), copy(0, 1, 8, 8)]);
        assert_eq!(found[3], [(0, 8, 8, TransferWrite, TransferRead)]);
    }

    #[test]
    fn bytes_are_taken_from_the_ends() {
        let range = |offset, size| StepRange { offset, size };
        assert_eq!(without(range(4, 8), range(0, 6)), range(6, 6));
        assert_eq!(without(range(4, 8), range(8, 8)), range(4, 4));
        assert_eq!(without(range(4, 8), range(6, 2)), range(4, 8));
        assert_eq!(without(range(4, 8), range(0, 4)), range(4, 8));
        assert_eq!(without(range(4, 8), range(4, 8)).size, 0);
    }

    #[test]
    fn reads_of_the_same_bytes_need_none() {
        assert!(barriers(vec![copy(0, 1, 0, 8), copy(0, 2, 0, 8)]).iter().all(Vec::is_empty));
    }
}
