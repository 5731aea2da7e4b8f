//! Each rule by itself.

use super::{Recording, whole};
use crate::access::Access::{self, *};
use crate::barrier::TransferHalf;
use crate::hazard::HazardKind::{ReadAfterWrite, WriteAfterRead, WriteAfterWrite};
use crate::hazard::{RangeBarrier, ResourceRange, SelfOverlap, Use};

/// Uses one after the other of the same bytes, with barriers between them.
fn hazard(earlier: Access, barriers: &[(Access, Access)], later: Access) -> Option<crate::hazard::HazardKind> {
    let mut recording = Recording::new();
    recording.done(&[whole(1, earlier)]);
    barriers.iter().for_each(|&(from, to)| recording.barrier(&[RangeBarrier::new(ResourceRange::buffer(1, 0, 64), from, to)]));
    recording.hazard(&[whole(1, later)]).map(|hazard| hazard.kind)
}

#[test]
fn reads_need_the_write_to_be_visible_to_them() {
    assert_eq!(hazard(ComputeWrite, &[], ComputeRead), Some(ReadAfterWrite));
    assert_eq!(hazard(ComputeWrite, &[(ComputeWrite, ComputeRead)], ComputeRead), None);
    assert_eq!(hazard(ComputeWrite, &[(ComputeReadWrite, ComputeReadWrite)], ComputeRead), None);
    assert_eq!(hazard(ComputeWrite, &[(ComputeWrite, ComputeWrite)], ComputeRead), Some(ReadAfterWrite), "visible to writes only");
    assert_eq!(hazard(ComputeWrite, &[(ComputeWrite, ComputeRead)], UniformRead), Some(ReadAfterWrite), "another access of the stage");
    assert_eq!(hazard(ComputeWrite, &[(TransferWrite, ComputeRead)], ComputeRead), Some(ReadAfterWrite), "another stage's writes");
    assert_eq!(hazard(ComputeWrite, &[(ComputeRead, ComputeRead)], ComputeRead), Some(ReadAfterWrite), "reads make nothing available");
    assert_eq!(
        hazard(ComputeWrite, &[(ComputeWrite, IndirectRead)], ComputeRead),
        Some(ReadAfterWrite),
        "later stages wait, but do not see"
    );
    assert_eq!(hazard(ComputeWrite, &[(Anything, Anything)], IndirectRead), None);
    assert_eq!(hazard(ComputeRead, &[], UniformRead), None, "reads are no hazard to reads");
}

#[test]
fn writes_need_the_reads_before_them_to_be_done() {
    assert_eq!(hazard(ComputeRead, &[], ComputeWrite), Some(WriteAfterRead), "dispatches may overlap");
    assert_eq!(hazard(ComputeRead, &[(ComputeRead, ComputeWrite)], ComputeWrite), None);
    assert_eq!(hazard(ComputeRead, &[(ComputeRead, ComputeRead)], ComputeWrite), None, "execution is enough");
    assert_eq!(hazard(ComputeRead, &[(TransferRead, ComputeWrite)], ComputeWrite), Some(WriteAfterRead));
    assert_eq!(hazard(ComputeRead, &[(ComputeRead, TransferWrite)], ComputeWrite), Some(WriteAfterRead));
    assert_eq!(hazard(IndirectRead, &[(ComputeRead, TransferWrite)], TransferWrite), None, "waiting for a shader waits for its arguments");
    assert_eq!(hazard(ComputeRead, &[(IndirectRead, TransferWrite)], TransferWrite), Some(WriteAfterRead), "not the other way round");
    assert_eq!(hazard(TransferRead, &[(TransferRead, IndirectRead)], ComputeWrite), None, "arguments that wait make the shader wait");
    assert_eq!(hazard(VertexAttributeRead, &[(FragmentShaderRead, ComputeWrite)], ComputeWrite), None);
}

#[test]
fn writes_need_the_write_before_them_to_be_visible() {
    assert_eq!(hazard(ComputeWrite, &[], ComputeWrite), Some(WriteAfterWrite));
    assert_eq!(hazard(ComputeWrite, &[(ComputeRead, ComputeWrite)], ComputeWrite), Some(WriteAfterWrite), "execution is not enough");
    assert_eq!(hazard(ComputeWrite, &[(ComputeWrite, ComputeWrite)], ComputeWrite), None);
    assert_eq!(
        hazard(TransferWrite, &[(TransferWrite, ComputeRead)], ComputeReadWrite),
        Some(WriteAfterWrite),
        "seen, but not to be written"
    );
    assert_eq!(hazard(TransferWrite, &[(TransferWrite, ComputeReadWrite)], ComputeReadWrite), None);
}

#[test]
fn a_write_after_a_read_that_saw_the_last_write_waits_for_the_read_only() {
    let mut recording = Recording::new();
    let range = ResourceRange::buffer(1, 0, 64);
    recording.done(&[whole(1, ComputeWrite)]);
    recording.barrier(&[RangeBarrier::new(range, ComputeWrite, TransferRead)]);
    recording.done(&[whole(1, TransferRead)]);
    assert_eq!(recording.hazard(&[whole(1, ComputeWrite)]).map(|hazard| hazard.kind), Some(WriteAfterRead));
    recording.barrier(&[RangeBarrier::new(range, TransferRead, ComputeWrite)]);
    assert_eq!(recording.hazard(&[whole(1, ComputeWrite)]), None);
}

#[test]
fn barriers_chain_through_stages() {
    let chain = [(ComputeRead, TransferRead), (TransferRead, ColorAttachmentWrite)];
    assert_eq!(hazard(ComputeRead, &chain, ColorAttachmentWrite), None);
    assert_eq!(hazard(ComputeRead, &[chain[1], chain[0]], ColorAttachmentWrite), Some(WriteAfterRead), "in their order");
    // What the first makes available, the second makes visible.
    assert_eq!(hazard(ComputeWrite, &[(ComputeWrite, TransferRead), (TransferRead, HostRead)], HostRead), None);
    assert_eq!(hazard(ComputeWrite, &[(ComputeWrite, TransferRead), (ComputeRead, HostRead)], HostRead), Some(ReadAfterWrite), "no link");
    assert_eq!(
        hazard(ComputeWrite, &[(ComputeRead, TransferRead), (TransferWrite, HostRead)], HostRead),
        Some(ReadAfterWrite),
        "not available"
    );
    assert_eq!(hazard(ComputeWrite, &[(ComputeWrite, IndirectRead), (ComputeRead, HostRead)], HostRead), None, "linked by a later stage");
}

#[test]
fn entries_of_one_call_do_not_chain() {
    let range = ResourceRange::buffer(1, 0, 64);
    let links = [RangeBarrier::new(range, ComputeWrite, TransferRead), RangeBarrier::new(range, TransferRead, HostRead)];
    let mut recording = Recording::new();
    recording.done(&[whole(1, ComputeWrite)]);
    recording.barrier(&links);
    assert_eq!(recording.hazard(&[whole(1, HostRead)]).map(|hazard| hazard.kind), Some(ReadAfterWrite));
    recording.barrier(&links);
    assert_eq!(recording.hazard(&[whole(1, HostRead)]), None);
}

#[test]
fn memory_is_of_the_bytes_named_and_execution_of_all() {
    let mut recording = Recording::new();
    recording.done(&[whole(1, ComputeWrite), whole(2, ComputeRead)]);
    recording.barrier(&[RangeBarrier::new(ResourceRange::buffer(1, 16, 16), ComputeWrite, ComputeRead)]);
    let part = |offset, size| Use::buffer(1, "a", offset, size, ComputeRead);
    assert_eq!(recording.hazard(&[part(16, 16)]), None);
    let before = recording.hazard(&[part(0, 64)]).map(|hazard| (hazard.offset, hazard.size));
    assert_eq!(before, Some((0, 16)));
    let after = recording.hazard(&[part(20, 44)]).map(|hazard| (hazard.offset, hazard.size));
    assert_eq!(after, Some((32, 32)));
    assert_eq!(recording.hazard(&[whole(2, ComputeWrite)]), None, "the dispatch before is done, whichever bytes the barrier names");
    // A link of a chain may be about other bytes, too.
    recording.barrier(&[RangeBarrier::new(ResourceRange::buffer(9, 0, 4), ComputeRead, TransferRead)]);
    recording.barrier(&[RangeBarrier::new(ResourceRange::buffer(1, 16, 16), TransferRead, HostRead)]);
    assert_eq!(recording.hazard(&[Use::buffer(1, "a", 16, 16, HostRead)]), None);
    recording.barrier(&[RangeBarrier::memory(ComputeWrite, ComputeRead)]);
    assert_eq!(recording.hazard(&[part(0, 64)]), None, "a global barrier is about all bytes");
}

#[test]
fn each_byte_remembers_its_own_last_write() {
    let mut recording = Recording::new();
    recording.done(&[whole(1, ComputeWrite)]);
    recording.barrier(&[RangeBarrier::new(ResourceRange::buffer(1, 0, 64), ComputeWrite, TransferWrite)]);
    recording.done(&[Use::buffer(1, "a", 8, 8, TransferWrite)]);
    let hazard = recording.hazard(&[whole(1, TransferRead)]);
    let hazard = hazard.map(|hazard| (hazard.earlier.index, hazard.from, hazard.offset, hazard.size));
    assert_eq!(hazard, Some((0, ComputeWrite, 0, 8)), "available and the stage waits, but not visible to the read");
    assert_eq!(
        recording.needed(&[whole(1, TransferRead)]),
        [
            RangeBarrier::new(ResourceRange::buffer(1, 0, 8), ComputeWrite, TransferRead),
            RangeBarrier::new(ResourceRange::buffer(1, 8, 8), TransferWrite, TransferRead),
            RangeBarrier::new(ResourceRange::buffer(1, 16, 48), ComputeWrite, TransferRead),
        ]
    );
    assert_eq!(recording.hazard(&[Use::buffer(1, "a", 64, 64, ComputeWrite)]), None, "bytes beside it");
    assert_eq!(recording.hazard(&[Use::buffer(1, "a", 4, 0, ComputeRead)]), None, "no bytes");
}

#[test]
fn the_host_is_ordered_by_submissions_but_for_what_it_reads() {
    assert_eq!(hazard(HostWrite, &[], ComputeRead), None);
    assert_eq!(hazard(HostRead, &[], ComputeWrite), None);
    assert_eq!(hazard(ComputeRead, &[], HostWrite), None);
    assert_eq!(hazard(ComputeWrite, &[], HostRead), Some(ReadAfterWrite));
    assert_eq!(hazard(ComputeWrite, &[], HostWrite), Some(WriteAfterWrite));
    assert_eq!(hazard(ComputeWrite, &[(ComputeWrite, HostRead)], HostWrite), None);
    assert_eq!(hazard(ComputeWrite, &[(Anything, Anything)], HostRead), Some(ReadAfterWrite), "the host is no command");
    assert_eq!(hazard(ComputeWrite, &[(Anything, HostRead)], HostRead), None);
}

#[test]
fn what_came_before_can_be_declared() {
    let mut recording = Recording::new();
    let range = ResourceRange::buffer(1, 0, 64);
    recording.tracker.assume(range, Anything);
    let hazard = recording.hazard(&[whole(1, ComputeRead)]).map(|hazard| hazard.to_string());
    assert_eq!(
        hazard.as_deref(),
        Some(
            "read-after-write: the dispatch 0 `scale` reads bytes 0..64 of buffer `a` (ComputeRead) that the work before this recording wrote \
             (Anything), and no barrier between them makes the first write visible"
        )
    );
    recording.barrier(&[RangeBarrier::new(range, ComputeWrite, ComputeRead)]);
    assert!(recording.hazard(&[whole(1, ComputeRead)]).is_some(), "it may have been a copy");
    recording.barrier(&[RangeBarrier::new(range, Anything, ComputeRead)]);
    assert_eq!(recording.hazard(&[whole(1, ComputeRead)]), None);
    recording.tracker.assume(range, TransferRead);
    assert_eq!(recording.needed(&[whole(1, ComputeWrite)]), [RangeBarrier::new(range, TransferRead, ComputeWrite)]);
    recording.tracker.assume(range, HostWrite);
    assert_eq!(recording.needed(&[whole(1, ComputeReadWrite)]), []);
}

#[test]
fn a_change_of_layout_is_a_write_of_the_barrier() {
    let image = ResourceRange::image(1);
    let used = |access| [Use::image(1, "map", access)];
    let mut recording = Recording::new();
    recording.barrier(&[RangeBarrier::transition(image, Anything, ComputeWrite)]);
    recording.done(&used(ComputeWrite));
    let wrong = recording.tracker.barrier(&[RangeBarrier::transition(image, TransferWrite, SampledRead)]);
    let (text, advice) = wrong.err().map(|hazard| (hazard.to_string(), hazard.advice())).unwrap_or_default();
    assert_eq!(
        text,
        "write-after-write: the layout change of barrier call 1 writes image `map` (SampledRead) that the dispatch 0 `scale` wrote (ComputeWrite), \
         and no barrier between them makes the first write visible"
    );
    assert_eq!(advice, "let the barrier that changes the layout of `map` be from Access::ComputeWrite, which is what it must wait for");
    recording.barrier(&[RangeBarrier::transition(image, ComputeWrite, SampledRead)]);
    assert_eq!(recording.hazard(&used(SampledRead)), None);
    assert_eq!(recording.hazard(&used(TransferRead)).map(|hazard| hazard.kind), Some(ReadAfterWrite));
    assert_eq!(recording.needed(&used(TransferRead)), [RangeBarrier::new(image, SampledRead, TransferRead)]);
    recording.done(&used(SampledRead));
    let wrong = recording.tracker.barrier(&[RangeBarrier::transition(image, TransferRead, ComputeWrite)]);
    assert_eq!(wrong.err().map(|hazard| hazard.kind), Some(WriteAfterRead));
    recording.barrier(&[RangeBarrier::transition(image, SampledRead, ComputeWrite)]);
    assert_eq!(recording.hazard(&used(ComputeWrite)), None);
    assert_eq!(recording.tracker.redundant(), []);
}

#[test]
fn half_of_a_change_of_ownership_orders_its_own_side() {
    let range = ResourceRange::buffer(1, 0, 64);
    let half = |half| RangeBarrier::transfer(range, TransferWrite, TransferRead, half);
    let mut recording = Recording::new();
    recording.done(&[whole(1, TransferWrite), whole(2, TransferRead)]);
    recording.barrier(&[half(TransferHalf::Release)]);
    let given = recording.hazard(&[whole(1, TransferRead)]);
    let (text, advice) = given.map(|hazard| (hazard.to_string(), hazard.advice())).unwrap_or_default();
    assert!(text.contains("that the release of ownership by barrier call 0 wrote (TransferRead)"), "{text}");
    assert!(advice.starts_with("release the ownership of `"), "{advice}");
    assert_eq!(recording.hazard(&[whole(2, TransferWrite)]).map(|hazard| hazard.kind), Some(WriteAfterRead), "nothing waits for it");

    let mut recording = Recording::new();
    recording.done(&[whole(2, TransferRead)]);
    recording.barrier(&[half(TransferHalf::Acquire)]);
    assert_eq!(recording.hazard(&[whole(1, TransferRead)]), None);
    assert_eq!(recording.hazard(&[whole(1, ComputeRead)]).map(|hazard| hazard.kind), Some(ReadAfterWrite));
    assert_eq!(recording.hazard(&[whole(2, TransferWrite)]).map(|hazard| hazard.kind), Some(WriteAfterRead), "it waits for nothing");
    recording.done(&[whole(1, TransferRead)]);
    assert!(recording.tracker.barrier(&[half(TransferHalf::Acquire)]).is_err(), "what is used here is not another's to give");
    assert!(recording.tracker.barrier(&[RangeBarrier::transfer(range, TransferRead, TransferRead, TransferHalf::Release)]).is_ok());
}

#[test]
fn bindings_of_one_command_that_overlap_are_a_hint() {
    let uses =
        [Use::buffer(1, "a", 0, 16, ComputeRead), Use::buffer(2, "b", 0, 16, ComputeWrite), Use::buffer(1, "a", 8, 16, ComputeWrite)];
    let mut recording = Recording::new();
    recording.done(&uses);
    let overlap = SelfOverlap::find(&uses).map(|overlap| (overlap.uses, overlap.offset, overlap.size));
    assert_eq!(overlap, Some(((0, 2), 8, 8)));
    assert_eq!(SelfOverlap::find(&uses[..2]), None);
    assert_eq!(SelfOverlap::find(&[uses[0], uses[0]]), None, "reads do not matter");
    // Who waits for the write has waited for the read of the same dispatch.
    recording.barrier(&[RangeBarrier::new(ResourceRange::buffer(1, 8, 16), ComputeWrite, ComputeWrite)]);
    assert_eq!(recording.hazard(&[Use::buffer(1, "a", 8, 16, ComputeWrite)]), None);
}
