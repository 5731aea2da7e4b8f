//! What is known of a byte: who wrote it last, to whom that is visible, and who has read it since.

use super::event::Entry;
use super::order::Order;
use super::scope::{Accesses, Footprint, Scopes, stage};
use super::{HazardKind, NEVER, RangeBarrier, ResourceId, Tick};
use crate::access::Access;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct State {
    pub(super) write: Option<Write>,
    /// Accesses that the write is visible to.
    pub(super) visible: Accesses,
    /// For each of them, the barrier that first made it so.
    pub(super) visible_by: [Tick; Accesses::COUNT],
    /// For each stage, the first barrier that made the write available and let the stage wait. Chains begin here.
    pub(super) available: [Tick; stage::COUNT],
    /// For each stage, the last read since the write.
    pub(super) reads: [Option<Read>; stage::COUNT],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Write {
    pub(super) tick: Tick,
    pub(super) access: Access,
    /// What a barrier must make available to make the write available. Nothing where a change of layout wrote: that is available by itself.
    pub(super) scope: Accesses,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Read {
    pub(super) tick: Tick,
    pub(super) access: Access,
}

/// A use that is not ordered after an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Conflict {
    pub(super) kind: HazardKind,
    pub(super) earlier: Tick,
    pub(super) from: Access,
}

/// The ordering there is, and barriers that might be added to it, for the byte at a position of a resource.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) order: &'a Order,
    pub(super) added: &'a [RangeBarrier],
    pub(super) at: (ResourceId, u64),
}

impl View<'_> {
    fn ordered(&self, tick: Tick, earlier: usize, later: usize) -> bool {
        let orders = |scopes: Scopes| scopes.to.contains(later) && self.order.in_scope(tick, earlier, scopes.from);
        self.order.ordered(tick, earlier, later) || self.added.iter().any(|barrier| orders(barrier.scopes()))
    }
}

impl State {
    /// Never written, never read.
    pub(super) const UNTOUCHED: Self = Self {
        write: None,
        visible: Accesses::NONE,
        visible_by: [NEVER; Accesses::COUNT],
        available: [NEVER; stage::COUNT],
        reads: [None; stage::COUNT],
    };

    pub(super) const fn written(tick: Tick, access: Access) -> Self {
        Self { write: Some(Write { tick, access, scope: Footprint::of(access).writes }), ..Self::UNTOUCHED }
    }

    /// After a change of layout.
    pub(super) fn transitioned(tick: Tick, entry: &Entry) -> Self {
        let write = Write { tick, access: entry.barrier.to, scope: Accesses::NONE };
        let mut state = Self { write: Some(write), ..Self::UNTOUCHED };
        state.make_available(tick, entry.scopes);
        state.make_visible(tick, entry.scopes);
        state
    }

    pub(super) fn read(&mut self, tick: Tick, access: Access) {
        for stage in Footprint::of(access).stages.iter() {
            self.reads[stage] = Some(Read { tick, access });
        }
    }

    pub(super) fn reads(&self) -> impl Iterator<Item = (usize, Read)> {
        self.reads.iter().enumerate().filter_map(|(stage, read)| read.map(|read| (stage, read)))
    }

    /// Whether a read stands between the last write and `later`, a write. Such a write is ordered after the read, and the read saw the last write
    /// already. Not so for the host, which waits for all execution but has its own view of memory.
    pub(super) fn read_between(&self, later: Footprint) -> bool {
        !later.is_host() && self.reads.iter().any(Option::is_some)
    }

    /// Hands out each earlier access that a use is not ordered after.
    pub(super) fn conflicts(&self, later: Footprint, view: View<'_>, mut found: impl FnMut(Conflict)) {
        if let Some(write) = self.write {
            let mut conflict = |kind| found(Conflict { kind, earlier: write.tick, from: write.access });
            let visible = self.visible_with(view);
            if !visible.contains(later.reads) {
                conflict(HazardKind::ReadAfterWrite);
            } else if !visible.contains(later.writes) && !self.read_between(later) {
                conflict(HazardKind::WriteAfterWrite);
            }
        }
        // The host writes once it has waited for the submission, and so for all reads of it.
        if later.writes.is_empty() || later.is_host() {
            return;
        }
        for (earlier, read) in self.reads() {
            if later.stages.iter().any(|stage| !view.ordered(read.tick, earlier, stage)) {
                found(Conflict { kind: HazardKind::WriteAfterRead, earlier: read.tick, from: read.access });
            }
        }
    }

    /// Whether what came before is not in the first scope of a change of layout, which reads and writes all bytes.
    pub(super) fn conflict_of_transition(&self, entry: &Entry, order: &Order) -> Option<Conflict> {
        let unordered = |&(stage, read): &(usize, Read)| !order.in_scope(read.tick, stage, entry.scopes.from);
        if let Some((_, read)) = self.reads().find(unordered) {
            return Some(Conflict { kind: HazardKind::WriteAfterRead, earlier: read.tick, from: read.access });
        }
        let write = self.write.filter(|_| self.reads().next().is_none() && !self.in_scope(entry.scopes, entry.call, order))?;
        Some(Conflict { kind: HazardKind::WriteAfterWrite, earlier: write.tick, from: write.access })
    }

    /// Takes in a barrier on these bytes. Returns whether something was in its first scope, and whether it ordered anything anew.
    pub(super) fn apply(&mut self, tick: Tick, entry: &Entry, order: &Order) -> (bool, bool) {
        let (mut matched, mut granted) = (false, false);
        if self.in_scope(entry.scopes, entry.call, order) {
            matched = true;
            let new = self.make_visible(tick, entry.scopes);
            granted |= !self.useful(new).is_empty();
        }
        if self.write.is_some_and(|write| makes_available(entry.scopes, write)) {
            self.make_available(tick, entry.scopes);
        }
        for (earlier, read) in self.reads() {
            if order.in_scope(read.tick, earlier, entry.scopes.from) {
                matched = true;
                granted |= entry.scopes.to.iter().any(|later| !order.ordered(read.tick, earlier, later));
            }
        }
        (matched, granted)
    }

    fn make_available(&mut self, tick: Tick, scopes: Scopes) {
        for stage in scopes.to.iter() {
            // The first one counts. Ticks only grow.
            self.available[stage] = self.available[stage].min(tick);
        }
    }

    /// Of accesses that the write is visible to, those for which that matters: what writes after a read waits for the read, and needs no more.
    pub(super) fn useful(&self, visible: Accesses) -> Accesses {
        if self.reads.iter().any(Option::is_some) { visible.without(Accesses::COMMAND_WRITES) } else { visible }
    }

    /// Returns what it was not visible to before.
    fn make_visible(&mut self, tick: Tick, scopes: Scopes) -> Accesses {
        let new = scopes.visible.without(self.visible);
        new.iter().for_each(|access| self.visible_by[access] = tick);
        self.visible = self.visible.or(new);
        new
    }

    /// Whether a barrier makes the last write available, or is chained to one of an earlier call that did.
    fn in_scope(&self, scopes: Scopes, call: Tick, order: &Order) -> bool {
        let Some(write) = self.write else { return false };
        let chained = |(stage, &available): (usize, &Tick)| available < call && order.in_scope(available, stage, scopes.from);
        makes_available(scopes, write) || self.available.iter().enumerate().any(chained)
    }

    fn visible_with(&self, view: View<'_>) -> Accesses {
        let here = view.added.iter().filter(|barrier| barrier.range.is_none_or(|range| range.contains(view.at)));
        let in_scope = here.map(|barrier| barrier.scopes()).filter(|&scopes| self.in_scope(scopes, NEVER, view.order));
        in_scope.fold(self.visible, |visible, scopes| visible.or(scopes.visible))
    }
}

/// Whether a barrier makes a write available, by itself.
pub(super) fn makes_available(scopes: Scopes, write: Write) -> bool {
    !write.scope.is_empty() && scopes.available.contains(write.scope)
}
