//! The tracker against the model, on random recordings of two buffers of 16 bytes and an image.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::model::{self, Step, bytes, findings, has_hazard};
use crate::access::Access;
use crate::hazard::{CommandKind, CommandName, HazardKind, RangeBarrier, ResourceId, ResourceRange, Tracker, Use};

fn name(index: usize) -> CommandName<'static> {
    CommandName { kind: CommandKind::Other, index: index as u32, label: None }
}

fn uses(step: &[(ResourceRange, Access)]) -> Vec<Use<'static>> {
    step.iter()
        .map(|&(range, access)| Use { resource: range.resource, name: "data", offset: range.offset, size: range.size, access })
        .collect()
}

fn range() -> impl Strategy<Value = ResourceRange> {
    let part = (1..3u64, 0..16u64, 1..16u64).prop_map(|(id, offset, size)| ResourceRange::buffer(id, offset, size.min(16 - offset)));
    prop_oneof![4 => part, 2 => (1..3u64).prop_map(|id| ResourceRange::buffer(id, 0, 16)), 1 => Just(ResourceRange::image(1))]
}

/// What one command may do: no command both copies and dispatches.
fn command() -> impl Strategy<Value = Step> {
    use Access::*;
    let accesses = prop_oneof![
        6 => Just(&[ComputeRead, ComputeWrite, ComputeReadWrite, UniformRead, SampledRead, IndirectRead][..]),
        4 => Just(&[TransferRead, TransferWrite][..]),
        1 => Just(&[VertexAttributeRead, IndexRead, VertexShaderRead, FragmentShaderRead, ColorAttachmentWrite][..]),
        1 => Just(&[HostRead][..]),
        1 => Just(&[HostWrite][..]),
        1 => Just(&[Anything][..]),
    ];
    accesses.prop_flat_map(|set| prop::collection::vec((range(), prop::sample::select(set)), 1..4)).prop_map(Step::Command)
}

/// Mostly what recordings have, and anything else now and then.
fn access() -> impl Strategy<Value = Access> {
    use Access::*;
    prop_oneof![
        4 => prop::sample::select(&[ComputeRead, ComputeWrite, ComputeReadWrite, TransferRead, TransferWrite][..]),
        1 => prop::sample::select(&Access::ALL[..]),
    ]
}

fn barrier() -> impl Strategy<Value = RangeBarrier> {
    prop_oneof![
        9 => (range(), access(), access()).prop_map(|(range, from, to)| RangeBarrier::new(range, from, to)),
        1 => (access(), access()).prop_map(|(from, to)| RangeBarrier::memory(from, to)),
    ]
}

fn recording() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![1 => command(), 1 => prop::collection::vec(barrier(), 1..4).prop_map(Step::Barriers)];
    prop::collection::vec(step, 1..14)
}

/// Takes in a step, with its hazards.
fn record(tracker: &mut Tracker, at: usize, step: &Step) {
    match step {
        Step::Command(list) => tracker.record(name(at), &uses(list)),
        Step::Barriers(barriers) => assert_eq!(tracker.barrier(barriers), Ok(())),
    }
}

fn all_bytes() -> impl Iterator<Item = ResourceRange> {
    [ResourceRange::buffer(1, 0, 16), ResourceRange::buffer(2, 0, 16), ResourceRange::image(1)].into_iter().flat_map(bytes)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// Each command of a recording, and every access to every byte after it.
    #[test]
    fn hazards_are_those_of_the_model(steps in recording()) {
        let mut tracker = Tracker::new();
        for (at, step) in steps.iter().enumerate() {
            if let Step::Command(list) = step {
                let checked = tracker.check(name(at), &uses(list));
                prop_assert_eq!(checked.is_err(), has_hazard(&steps, at), "{:?}", checked);
                if let Err(hazard) = checked {
                    let range = ResourceRange { resource: hazard.resource, offset: hazard.offset, size: hazard.size };
                    let finding =
                        (hazard.kind, hazard.earlier.index as usize, (hazard.kind == HazardKind::WriteAfterRead).then_some(hazard.from));
                    for byte in bytes(range) {
                        prop_assert!(findings(&steps[..at], byte, hazard.to).contains(&finding), "{:?}", hazard);
                    }
                    // The barrier it asks for settles it.
                    let mut mended = steps[..at].to_vec();
                    mended.push(Step::Barriers(vec![hazard.barrier()]));
                    for byte in bytes(range) {
                        let left = findings(&mended, byte, hazard.to);
                        prop_assert!(!left.contains(&finding), "{:?}", hazard);
                    }
                }
            }
            record(&mut tracker, at, step);
        }
        for byte in all_bytes() {
            for access in Access::ALL {
                let expected: BTreeSet<HazardKind> = findings(&steps, byte, access).into_iter().map(|(kind, ..)| kind).collect();
                let found = tracker.check(name(steps.len()), &uses(&[(byte, access)]));
                prop_assert_eq!(found.is_err(), !expected.is_empty(), "{:?} of {:?}: {:?}", access, byte, found);
                prop_assert!(found.is_ok() || found.is_err_and(|hazard| expected.contains(&hazard.kind)));
            }
        }
    }

    /// A cleared tracker is as good as a new one.
    #[test]
    fn nothing_is_left_after_a_clear(first in recording(), second in recording()) {
        let (mut used, mut new) = (Tracker::new(), Tracker::new());
        first.iter().enumerate().for_each(|(at, step)| record(&mut used, at, step));
        used.clear();
        for (at, step) in second.iter().enumerate() {
            if let Step::Command(list) = step {
                prop_assert_eq!(used.check(name(at), &uses(list)), new.check(name(at), &uses(list)));
            }
            record(&mut used, at, step);
            record(&mut new, at, step);
        }
        // Only names are known from before.
        let barriers = |tracker: &Tracker| tracker.redundant().into_iter().map(|found| (found.barrier, found.reason, found.call)).collect::<Vec<_>>();
        prop_assert_eq!(barriers(&used), barriers(&new));
    }

    /// With the barriers needed there is no hazard, with any one of them left out there is.
    #[test]
    fn needed_barriers_are_enough_and_the_least(steps in recording()) {
        let mut tracker = Tracker::new();
        let mut recorded: Vec<Step> = Vec::new();
        let mut needed = Vec::new();
        for step in &steps {
            if let Step::Command(list) = step {
                tracker.needed_barriers(&uses(list), &mut needed);
                let command_after = |barriers: &[RangeBarrier]| {
                    let mut steps = recorded.clone();
                    steps.extend([Step::Barriers(barriers.to_vec()), step.clone()]);
                    has_hazard(&steps, steps.len() - 1)
                };
                prop_assert!(!command_after(&needed), "not enough: {:?}", needed);
                for left_out in 0..needed.len() {
                    let mut fewer = needed.clone();
                    fewer.remove(left_out);
                    prop_assert!(command_after(&fewer), "{:?} is one too many of {:?}", needed[left_out], needed);
                }
                recorded.push(Step::Barriers(needed.clone()));
                record(&mut tracker, 0, &Step::Barriers(needed.clone()));
                prop_assert_eq!(tracker.check(name(0), &uses(list)), Ok(()));
            }
            record(&mut tracker, 0, step);
            recorded.push(step.clone());
        }
        // What the automatic mode adds is never redundant.
        let given = |barrier: &RangeBarrier| steps.iter().any(|step| matches!(step, Step::Barriers(list) if list.contains(barrier)));
        let redundant = tracker.redundant();
        prop_assert!(redundant.iter().all(|redundant| given(&redundant.barrier)), "{:?}", redundant);
    }

    /// With any one of the redundant barriers left out, and with all, no command has a hazard that it had not; with any one, what may follow on its
    /// bytes is the same.
    #[test]
    fn redundant_barriers_can_be_left_out(steps in recording(), mend in any::<bool>()) {
        let mut tracker = Tracker::new();
        let mut recorded: Vec<Step> = Vec::new();
        for step in &steps {
            // Half of the recordings have no hazards.
            if let (Step::Command(list), true) = (step, mend) {
                let mut needed = Vec::new();
                tracker.needed_barriers(&uses(list), &mut needed);
                recorded.push(Step::Barriers(needed.clone()));
                record(&mut tracker, 0, &Step::Barriers(needed));
            }
            record(&mut tracker, recorded.len(), step);
            recorded.push(step.clone());
        }
        let calls: Vec<usize> = (0..recorded.len()).filter(|&at| matches!(recorded[at], Step::Barriers(_))).collect();
        let redundant = tracker.redundant();
        let sets = (0..redundant.len()).map(|one| one..one + 1).chain(std::iter::once(0..redundant.len()));
        for set in sets {
            let mut fewer = recorded.clone();
            for left_out in redundant[set.clone()].iter().rev() {
                if let Step::Barriers(list) = &mut fewer[calls[left_out.call as usize]] {
                    prop_assert_eq!(list.remove(left_out.entry as usize), left_out.barrier);
                }
            }
            for at in 0..fewer.len() {
                prop_assert!(has_hazard(&recorded, at) || !has_hazard(&fewer, at), "step {} needs one of {:?}", at, &redundant[set.clone()]);
            }
            // Execution is ordered beyond a barrier's own bytes, so that of several left out one may be missed on the bytes of another.
            for left_out in redundant[set.clone()].iter().filter(|_| set.len() == 1) {
                let own = all_bytes().filter(|byte| left_out.barrier.range.is_none_or(|range| range.contains((byte.resource, byte.offset))));
                for byte in own {
                    for access in Access::ALL {
                        let before: BTreeSet<model::Finding> = findings(&recorded, byte, access);
                        let after = findings(&fewer, byte, access);
                        prop_assert!(!before.is_empty() || after.is_empty(), "{:?} of {:?} after the recording needs {:?}", access, byte, left_out);
                    }
                }
            }
        }
    }
}

/// The generators make what the properties are about; else they would hold of nothing.
#[test]
fn the_recordings_have_hazards_of_every_kind_and_redundant_barriers_for_every_reason() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (mut kinds, mut reasons, mut least) = (BTreeSet::new(), std::collections::HashSet::new(), BTreeSet::new());
    for _ in 0..300 {
        let Ok(tree) = recording().new_tree(&mut runner) else { continue };
        let steps = tree.current();
        let mut tracker = Tracker::new();
        let mut needed = Vec::new();
        for (at, step) in steps.iter().enumerate() {
            if let Step::Command(list) = step {
                kinds.extend(tracker.check(name(at), &uses(list)).err().map(|hazard| hazard.kind));
                tracker.needed_barriers(&uses(list), &mut needed);
                least.insert(needed.len());
            }
            record(&mut tracker, at, step);
        }
        reasons.extend(tracker.redundant().into_iter().map(|redundant| redundant.reason));
    }
    assert_eq!((kinds.len(), reasons.len()), (3, 4), "{kinds:?} {reasons:?}");
    assert!(least.contains(&0) && least.contains(&1) && least.contains(&3), "{least:?}");
    assert!(all_bytes().any(|byte| matches!(byte.resource, ResourceId::Image(_))));
}
