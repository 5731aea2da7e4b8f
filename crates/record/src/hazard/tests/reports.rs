//! What is needed, what is redundant, and how it reads.

use super::{Recording, whole};
use crate::access::Access::*;
use crate::hazard::{RangeBarrier, Redundancy, ResourceRange, Use};

fn buffer(id: u64) -> ResourceRange {
    ResourceRange::buffer(id, 0, 64)
}

#[test]
fn a_hazard_says_who_and_where_and_what_to_add() {
    let mut recording = Recording::new();
    recording.done(&[whole(1, ComputeRead), whole(2, ComputeWrite)]);
    let raw = recording.hazard(&[whole(2, ComputeRead)]);
    let (text, advice) = raw.map(|hazard| (hazard.to_string(), hazard.advice())).unwrap_or_default();
    assert_eq!(
        text,
        "read-after-write: the dispatch 1 `scale` reads bytes 0..64 of buffer `b` (ComputeRead) that the dispatch 0 `scale` wrote (ComputeWrite), and \
         no barrier between them makes the first write visible"
    );
    assert_eq!(
        advice,
        "before the dispatch 1 `scale`, add `recorder.barrier(&[BufferBarrier::new(range, Access::ComputeWrite, Access::ComputeRead)])`, where \
         `range` is bytes 0..64 of `b`"
    );
    let war = recording.hazard(&[Use::buffer(1, "a", 32, 64, ComputeWrite)]).map(|hazard| hazard.to_string());
    assert_eq!(
        war.as_deref(),
        Some(
            "write-after-read: the dispatch 1 `scale` writes bytes 32..64 of buffer `a` (ComputeWrite) that the dispatch 0 `scale` reads \
             (ComputeRead), and no barrier makes the write wait"
        )
    );
}

#[test]
fn a_hazard_of_bytes_that_are_known_in_pieces_is_one_range() {
    let mut recording = Recording::new();
    recording.done(&[whole(1, ComputeWrite)]);
    // Cuts the range: visible to the transfer here, and nowhere to the shader.
    recording.barrier(&[RangeBarrier::new(ResourceRange::buffer(1, 16, 8), ComputeWrite, TransferRead)]);
    let range = recording.hazard(&[whole(1, ComputeRead)]).map(|hazard| (hazard.offset, hazard.size));
    assert_eq!(range, Some((0, 64)));
}

#[test]
fn needed_barriers_are_as_few_as_they_can_be() {
    let mut recording = Recording::new();
    assert_eq!(recording.needed(&[whole(1, ComputeRead)]), []);
    // Ping-pong: the barrier for what is read orders what is overwritten as well.
    recording.done(&[whole(1, ComputeRead), whole(2, ComputeWrite)]);
    let swap = [whole(2, ComputeRead), whole(1, ComputeWrite)];
    assert_eq!(recording.needed(&swap), [RangeBarrier::new(buffer(2), ComputeWrite, ComputeRead)]);
    recording.barrier(&[RangeBarrier::new(buffer(2), ComputeWrite, ComputeRead)]);
    assert_eq!(recording.needed(&swap), []);
    recording.done(&swap);
    // Two uses of the same bytes are one entry, and pieces side by side, too.
    let uses = [whole(1, ComputeRead), whole(1, ComputeWrite)];
    assert_eq!(recording.needed(&uses), [RangeBarrier::new(buffer(1), ComputeWrite, ComputeReadWrite)]);
    let pieces = [Use::buffer(1, "a", 0, 32, TransferRead), Use::buffer(1, "a", 32, 32, TransferRead)];
    assert_eq!(recording.needed(&pieces), [RangeBarrier::new(buffer(1), ComputeWrite, TransferRead)]);
    // Reads of two ranges by the same stage need one execution dependency.
    let mut reads = Recording::new();
    reads.done(&[whole(1, ComputeRead), whole(2, ComputeRead)]);
    assert_eq!(reads.needed(&[whole(1, TransferWrite), whole(2, TransferWrite)]).len(), 1);
}

#[test]
fn redundant_barriers_are_told_with_the_reason() {
    let mut recording = Recording::new();
    recording.barrier(&[RangeBarrier::new(buffer(1), HostWrite, ComputeRead)]);
    recording.done(&[whole(1, ComputeRead), whole(2, ComputeWrite)]);
    recording.barrier(&[
        RangeBarrier::new(buffer(2), TransferWrite, ComputeRead),
        RangeBarrier::new(buffer(2), ComputeWrite, ComputeRead),
        RangeBarrier::new(buffer(2), ComputeWrite, ComputeRead),
    ]);
    recording.done(&[whole(2, ComputeRead), whole(3, ComputeWrite)]);
    recording.barrier(&[RangeBarrier::new(buffer(3), ComputeWrite, IndirectRead)]);
    recording.barrier(&[RangeBarrier::new(buffer(3), ComputeWrite, ComputeWrite)]);
    recording.done(&[whole(3, ComputeWrite)]);
    recording.barrier(&[RangeBarrier::new(buffer(3), ComputeWrite, HostRead)]);
    recording.barrier(&[RangeBarrier::new(buffer(9), ComputeWrite, HostRead)]);
    let found = recording.tracker.redundant();
    let reasons: Vec<_> = found.iter().map(|found| (found.call, found.entry, found.reason)).collect();
    assert_eq!(
        reasons,
        [
            (0, 0, Redundancy::Submission),
            (1, 0, Redundancy::NothingBefore),
            (1, 2, Redundancy::AlreadyOrdered),
            (2, 0, Redundancy::NothingAfter),
            (5, 0, Redundancy::NothingBefore),
        ]
    );
    let texts: Vec<_> = found.iter().map(ToString::to_string).collect();
    assert_eq!(
        texts,
        [
            "entry 0 of barrier call 0 from HostWrite to ComputeRead on bytes 0..64 of buffer `a` is redundant: the submission orders it",
            "entry 0 of barrier call 1, after the dispatch 0 `scale`, from TransferWrite to ComputeRead on bytes 0..64 of buffer `b` is redundant: \
             nothing recorded before does that",
            "entry 2 of barrier call 1, after the dispatch 0 `scale`, from ComputeWrite to ComputeRead on bytes 0..64 of buffer `b` is redundant: it \
             orders nothing that was not ordered already",
            "entry 0 of barrier call 2, after the dispatch 1 `scale`, from ComputeWrite to IndirectRead on bytes 0..64 of buffer `c` is redundant: no \
             command relied on it before the bytes were written again",
            "entry 0 of barrier call 5, after the dispatch 2 `scale`, from ComputeWrite to HostRead on bytes of a buffer that no command uses is \
             redundant: nothing recorded before does that",
        ]
    );
}

#[test]
fn barriers_that_name_what_they_order_are_not_redundant() {
    let mut recording = Recording::new();
    recording.done(&[whole(1, ComputeRead), whole(2, ComputeWrite)]);
    // The second entry is not the only one that makes the write wait, but the one that says so.
    recording.barrier(&[RangeBarrier::new(buffer(2), ComputeWrite, ComputeRead), RangeBarrier::new(buffer(1), ComputeRead, ComputeWrite)]);
    recording.done(&[whole(2, ComputeRead), whole(1, ComputeWrite)]);
    // In a call of its own it is one too many, as all has waited already.
    recording.barrier(&[RangeBarrier::new(buffer(1), ComputeWrite, ComputeRead)]);
    recording.barrier(&[RangeBarrier::new(buffer(2), ComputeRead, ComputeWrite)]);
    recording.done(&[whole(1, ComputeRead), whole(2, ComputeWrite)]);
    let found: Vec<_> = recording.tracker.redundant().iter().map(|found| (found.call, found.entry, found.reason)).collect();
    assert_eq!(found, [(2, 0, Redundancy::AlreadyOrdered)]);
}

#[test]
fn links_of_a_chain_are_not_redundant() {
    let mut recording = Recording::new();
    recording.done(&[whole(1, ComputeWrite)]);
    recording.barrier(&[RangeBarrier::new(buffer(1), ComputeWrite, TransferRead)]);
    recording.barrier(&[RangeBarrier::new(buffer(9), TransferRead, VertexShaderRead)]);
    recording.barrier(&[RangeBarrier::new(buffer(1), VertexShaderRead, HostRead)]);
    assert_eq!(recording.hazard(&[whole(1, HostRead)]), None);
    assert_eq!(recording.tracker.redundant(), [], "nor what holds at the end");
}
