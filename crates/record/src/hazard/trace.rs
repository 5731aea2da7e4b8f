//! Which barriers an ordering comes from. Where several give the same, the first one is it, so that the later ones can be told to be redundant.

use super::event::{Entry, Events};
use super::order::Order;
use super::scope::Footprint;
use super::state::{Read, State, makes_available};
use super::{NEVER, ResourceRange, Tick};

#[derive(Clone, Copy)]
pub(super) struct Trace<'a> {
    pub(super) events: &'a Events,
    pub(super) order: &'a Order,
}

impl Trace<'_> {
    /// Marks the barriers that order a use after what came before it on the same bytes.
    pub(super) fn mark_use(self, state: &State, range: ResourceRange, later: Footprint, mark: &mut impl FnMut(Tick)) {
        if state.write.is_some() {
            let overwrites = !later.writes.is_empty() && state.read_between(later);
            let relied_on = if overwrites { later.reads } else { later.all() };
            for access in relied_on.and(state.visible).iter() {
                self.mark_visible(state, access, mark);
            }
        }
        if !later.writes.is_empty() && !later.is_host() {
            for read in state.reads() {
                later.stages.iter().for_each(|stage| self.mark_read_done(read, stage, range, true, mark));
            }
        }
    }

    /// Marks the barriers through which the last write is visible to an access.
    pub(super) fn mark_visible(self, state: &State, access: usize, mark: &mut impl FnMut(Tick)) {
        let by = state.visible_by[access];
        if let Some(entry) = self.events.barrier(by) {
            mark(by);
            self.mark_available(state, entry, mark);
        }
    }

    /// Marks the barriers through which the last write was available to a barrier: none, where that barrier makes it available itself.
    fn mark_available(self, state: &State, entry: &Entry, mark: &mut impl FnMut(Tick)) {
        if state.write.is_none_or(|write| write.tick >= entry.call || makes_available(entry.scopes, write)) {
            return;
        }
        let chained = || state.available.iter().enumerate().filter(|&(_, &available)| available < entry.call);
        if let Some((_, &available)) = chained().find(|&(stage, _)| entry.scopes.from.contains(stage)) {
            return mark(available);
        }
        for (stage, &available) in chained() {
            if entry.scopes.from.iter().any(|waiting| self.mark_order(available, stage, waiting, entry.call, mark)) {
                return mark(available);
            }
        }
    }

    /// Marks what a change of layout relies on besides itself.
    pub(super) fn mark_transition(self, state: &State, entry: &Entry, mark: &mut impl FnMut(Tick)) {
        for (earlier, read) in state.reads() {
            if !entry.scopes.from.contains(earlier) {
                let _ordered = entry.scopes.from.iter().any(|waiting| self.mark_order(read.tick, earlier, waiting, entry.call, mark));
            }
        }
        if state.reads().next().is_none() {
            self.mark_available(state, entry, mark);
        }
    }

    /// Marks the barriers that were the first to let a stage wait for a read of a range of bytes. Of those of one call it is the ones that are about
    /// these bytes; `or_others`, where there are none, one whose execution dependency happens to do as well.
    pub(super) fn mark_read_done(
        self,
        (earlier, read): (usize, Read),
        later: usize,
        range: ResourceRange,
        or_others: bool,
        mark: &mut impl FnMut(Tick),
    ) {
        let Some(first) = self.order.first(read.tick, earlier, later, NEVER).and_then(|first| self.events.barrier(first)) else { return };
        let mut found = false;
        for (tick, entry) in self.events.call(first.call) {
            if entry.scopes.to.contains(later) && entry.barrier.range.is_none_or(|own| own.overlaps(range)) {
                let waits = entry.scopes.from.contains(earlier)
                    || entry.scopes.from.iter().any(|waiting| self.mark_order(read.tick, earlier, waiting, entry.call, mark));
                if waits {
                    mark(tick);
                    found = true;
                }
            }
        }
        if or_others && !found {
            self.mark_order(read.tick, earlier, later, NEVER, mark);
        }
    }

    /// Marks a chain of barriers, all of calls before `limit`, that lets stage `later` wait for what ran at `tick` in stage `earlier`. Returns
    /// whether there is one.
    fn mark_order(self, tick: Tick, earlier: usize, later: usize, limit: Tick, mark: &mut impl FnMut(Tick)) -> bool {
        let Some(by) = self.order.first(tick, earlier, later, limit) else { return false };
        let Some(entry) = self.events.barrier(by) else { return false };
        mark(by);
        // The barrier was the first for its stage, so the ones before it are about other stages, and the chain is no longer than there are stages.
        entry.scopes.from.contains(earlier)
            || entry.scopes.from.iter().any(|waiting| self.mark_order(tick, earlier, waiting, entry.call, mark))
    }
}
