//! Following a recording allocates nothing once its lists have grown.

#[path = "../../../tests/counting/mod.rs"]
mod counting;

use std::sync::Arc;

use counting::{Counting, allocations};
use wavelane_record::Access;
use wavelane_record::hazard::{CommandKind, CommandName, RangeBarrier, ResourceRange, Tracker, Use};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A frame: fills, tiles written piece by piece, and a reduction that reads them, in both modes.
fn frame(tracker: &mut Tracker, label: &Arc<str>, needed: &mut Vec<RangeBarrier>) -> usize {
    tracker.clear();
    let mut hazards = 0;
    for index in 0..200 {
        let tile = u64::from(index % 16) * 64;
        let uses = [
            Use::buffer(1, "tiles", tile, 64, Access::ComputeWrite),
            Use::buffer(2, "counters", 0, 64, if index % 7 == 0 { Access::TransferRead } else { Access::ComputeReadWrite }),
            Use::buffer(1, "tiles", 1024, 1024, Access::ComputeRead),
        ];
        let name = CommandName { kind: CommandKind::Dispatch, index, label: Some(label) };
        hazards += usize::from(index % 50 == 49 && tracker.check(name, &uses).is_err());
        tracker.needed_barriers(&uses, needed);
        assert_eq!(tracker.barrier(needed), Ok(()));
        assert_eq!(tracker.command(name, &uses), Ok(()));
        let part = ResourceRange::buffer(1, tile / 2, 40);
        assert_eq!(tracker.barrier(&[RangeBarrier::new(part, Access::ComputeWrite, Access::ComputeRead)]), Ok(()));
    }
    hazards
}

#[test]
fn a_warm_tracker_allocates_nothing() {
    let (mut tracker, mut needed, label) = (Tracker::new(), Vec::new(), Arc::from("reduce"));
    let cold = allocations();
    let hazards = frame(&mut tracker, &label, &mut needed);
    assert!(allocations() > cold, "the counter counts");
    assert!(hazards > 0, "with hazards there are names to copy");
    let mut quiet = || {
        let before = allocations();
        let hazards = frame(&mut tracker, &label, &mut needed);
        (allocations() - before, hazards)
    };
    // Names are copied for hazards that are reported, once each.
    for _ in 0..3 {
        assert_eq!(quiet(), (hazards as u64, hazards));
    }
}
