//! The rules again, slowly: for each byte, each question goes through the whole recording, with Vulkan's own masks.

use std::collections::BTreeSet;

use ash::vk::{AccessFlags2 as A, PipelineStageFlags2 as S};

use crate::access::Access;
use crate::hazard::{HazardKind, RangeBarrier, ResourceRange};

/// A step of a recording.
#[derive(Clone, Debug)]
pub enum Step {
    Command(Vec<(ResourceRange, Access)>),
    /// The barriers of one call.
    Barriers(Vec<RangeBarrier>),
}

/// Which hazard, the step of the earlier command, and how that reads.
pub type Finding = (HazardKind, usize, Option<Access>);

const WRITES: [A; 5] = [A::SHADER_STORAGE_WRITE, A::TRANSFER_WRITE, A::HOST_WRITE, A::COLOR_ATTACHMENT_WRITE, A::MEMORY_WRITE];
const GRAPHICS: [S; 5] = [S::DRAW_INDIRECT, S::VERTEX_INPUT, S::VERTEX_SHADER, S::FRAGMENT_SHADER, S::COLOR_ATTACHMENT_OUTPUT];
const COMPUTE: [S; 2] = [S::DRAW_INDIRECT, S::COMPUTE_SHADER];

type Stages = BTreeSet<S>;
/// Accesses of the memory, each with its stage.
type Accesses = BTreeSet<(S, A)>;

fn stages(access: Access) -> Stages {
    match access.masks2().0 {
        S::ALL_COMMANDS => GRAPHICS.into_iter().chain(COMPUTE).chain([S::ALL_TRANSFER]).collect(),
        stage => [stage].into(),
    }
}

fn accesses(access: Access) -> Accesses {
    if access == Access::Anything {
        let commands = Access::ALL.into_iter().filter(|&other| other != access && other.masks2().0 != S::HOST);
        return commands.flat_map(accesses).collect();
    }
    let (stage, mask) = access.masks2();
    (0..64).map(|bit| A::from_raw(1 << bit)).filter(|&one| mask.contains(one)).map(|one| (stage, one)).collect()
}

fn writes(access: Access) -> Accesses {
    accesses(access).into_iter().filter(|(_, one)| WRITES.contains(one)).collect()
}

fn reads(access: Access) -> Accesses {
    accesses(access).into_iter().filter(|(_, one)| !WRITES.contains(one)).collect()
}

/// The stages a barrier waits for.
fn first_scope(barrier: &RangeBarrier) -> Stages {
    let named = stages(barrier.from);
    let earlier = |order: &[S]| match order.iter().rposition(|stage| named.contains(stage)) {
        Some(last) => order[..=last].to_vec(),
        None => Vec::new(),
    };
    named.iter().copied().chain(earlier(&GRAPHICS)).chain(earlier(&COMPUTE)).collect()
}

/// The stages that wait for a barrier.
fn second_scope(barrier: &RangeBarrier) -> Stages {
    let named = stages(barrier.to);
    let later = |order: &[S]| match order.iter().position(|stage| named.contains(stage)) {
        Some(first) => order[first..].to_vec(),
        None => Vec::new(),
    };
    named.iter().copied().chain(later(&GRAPHICS)).chain(later(&COMPUTE)).collect()
}

/// The stages that wait, after some calls, for what ran in one stage before them.
fn waiting(calls: &[Step], stage: S) -> Stages {
    let mut waiting = Stages::new();
    for call in calls {
        let Step::Barriers(barriers) = call else { continue };
        let in_scope = |barrier: &&RangeBarrier| {
            let scope = first_scope(barrier);
            scope.contains(&stage) || !scope.is_disjoint(&waiting)
        };
        let more: Stages = barriers.iter().filter(in_scope).flat_map(second_scope).collect();
        waiting.extend(more);
    }
    waiting
}

fn covers(barrier: &RangeBarrier, byte: ResourceRange) -> bool {
    barrier.range.is_none_or(|range| {
        range.resource == byte.resource && range.offset <= byte.offset && byte.offset < range.offset.saturating_add(range.size)
    })
}

/// What a write of a byte is visible to after some calls.
fn visible(calls: &[Step], written: &Accesses, byte: ResourceRange) -> Accesses {
    let mut chain = Stages::new();
    let mut visible = Accesses::new();
    for call in calls {
        let Step::Barriers(barriers) = call else { continue };
        let mut more = Stages::new();
        for barrier in barriers {
            let makes_available = covers(barrier, byte) && writes(barrier.from).is_superset(written);
            let chained = !first_scope(barrier).is_disjoint(&chain);
            if makes_available || chained {
                more.extend(second_scope(barrier));
                if covers(barrier, byte) {
                    visible.extend(accesses(barrier.to));
                    if barrier.to.masks2().0 == S::HOST {
                        visible.extend(accesses(Access::HostRead).union(&accesses(Access::HostWrite)));
                    }
                }
            }
        }
        chain.extend(more);
    }
    visible
}

fn accesses_of(step: &Step, byte: ResourceRange) -> Vec<Access> {
    match step {
        Step::Command(uses) => {
            let covered = |range: &ResourceRange| covers(&RangeBarrier::new(*range, Access::Anything, Access::Anything), byte);
            uses.iter().filter(|(range, _)| covered(range)).map(|&(_, access)| access).collect()
        }
        Step::Barriers(_) => Vec::new(),
    }
}

/// What stands between a use of a byte and the steps before it.
pub fn findings(before: &[Step], byte: ResourceRange, later: Access) -> BTreeSet<Finding> {
    let mut found = BTreeSet::new();
    let host = later.masks2().0 == S::HOST;
    let last_write = before.iter().rposition(|step| accesses_of(step, byte).into_iter().any(Access::writes));
    let since = last_write.map_or(0, |at| at + 1);
    let readers: Vec<(usize, Access)> = (since..before.len())
        .flat_map(|at| accesses_of(&before[at], byte).into_iter().map(move |access| (at, access)))
        .filter(|(_, access)| access.masks2().0 != S::HOST)
        .collect();
    if let Some(at) = last_write {
        let written: Accesses = accesses_of(&before[at], byte).into_iter().flat_map(writes).collect();
        let by_host = written == writes(Access::HostWrite);
        let visible = visible(&before[since..], &written, byte);
        if !by_host && !visible.is_superset(&reads(later)) {
            found.insert((HazardKind::ReadAfterWrite, at, None));
        } else if !by_host && (readers.is_empty() || host) && !visible.is_superset(&writes(later)) {
            found.insert((HazardKind::WriteAfterWrite, at, None));
        }
    }
    if later.writes() && !host {
        for (at, reader) in readers {
            let wait = |stage: &S| waiting(&before[at + 1..], *stage).is_superset(&stages(later));
            if !stages(reader).iter().all(wait) {
                found.insert((HazardKind::WriteAfterRead, at, Some(reader)));
            }
        }
    }
    found
}

/// The bytes of a range.
pub fn bytes(range: ResourceRange) -> impl Iterator<Item = ResourceRange> {
    (range.offset..range.offset.saturating_add(range.size)).map(move |offset| ResourceRange { offset, size: 1, ..range })
}

/// Whether a step, a command, has a hazard with the steps before it.
pub fn has_hazard(steps: &[Step], at: usize) -> bool {
    match &steps[at] {
        Step::Command(uses) => {
            uses.iter().any(|&(range, access)| bytes(range).any(|byte| !findings(&steps[..at], byte, access).is_empty()))
        }
        Step::Barriers(_) => false,
    }
}
