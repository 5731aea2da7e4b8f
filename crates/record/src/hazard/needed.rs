//! The least barriers that a command needs before it.

use super::scope::Footprint;
use super::state::View;
use super::{RangeBarrier, ResourceRange, Tracker, Use};
use crate::access::Access;

impl Tracker {
    /// Puts the barriers into `needed`, cleared first, that must come before a command with these uses. None, where all is ordered already.
    ///
    /// They are to be recorded in one call, and given to [`Tracker::barrier`] as they are. They are the least: adjacent bytes with the same
    /// two accesses are one entry, and with any entry left out there would be a hazard. Execution dependencies are not limited to
    /// the bytes they name, so where a write comes after reads of several ranges, an entry for one of them is enough, or none beside one that is
    /// there for another reason.
    pub fn needed_barriers(&self, uses: &[Use<'_>], needed: &mut Vec<RangeBarrier>) {
        needed.clear();
        for used in uses {
            let footprint = Footprint::of(used.access);
            let Some(resource) = self.resources.get(&used.resource) else { continue };
            for (start, end, state) in resource.spans.overlapping(used.offset, used.end()) {
                let view = View { order: &self.order, added: &[], at: (used.resource, start) };
                state.conflicts(footprint, view, |conflict| {
                    let range = ResourceRange { resource: used.resource, offset: start, size: end - start };
                    needed.push(RangeBarrier::new(range, conflict.from, used.access));
                });
            }
        }
        if needed.len() > 1 {
            merge(needed);
            self.thin_out(uses, needed);
        }
    }

    /// Takes out, one by one, entries that the others make up for.
    fn thin_out(&self, uses: &[Use<'_>], needed: &mut Vec<RangeBarrier>) {
        // Those that make nothing available first: their execution dependency is the one that others may bring along.
        for writes in [false, true] {
            let mut at = 0;
            while at < needed.len() {
                let entry = needed[at];
                if entry.from.writes() == writes && (!writes || overlapped(needed, at)) {
                    needed.remove(at);
                    if self.all_ordered(uses, needed) {
                        continue;
                    }
                    needed.insert(at, entry);
                }
                at += 1;
            }
        }
    }

    /// Whether all uses are ordered once the barriers are added.
    fn all_ordered(&self, uses: &[Use<'_>], added: &[RangeBarrier]) -> bool {
        uses.iter().all(|used| {
            let footprint = Footprint::of(used.access);
            let Some(resource) = self.resources.get(&used.resource) else { return true };
            resource.spans.overlapping(used.offset, used.end()).all(|(start, end, state)| {
                let mut position = start;
                let mut ordered = true;
                while ordered && position < end {
                    let view = View { order: &self.order, added, at: (used.resource, position) };
                    state.conflicts(footprint, view, |_| ordered = false);
                    // What is added changes only where an added range begins or ends.
                    let ranges = added.iter().filter_map(|barrier| barrier.range).filter(|range| range.resource == used.resource);
                    let ends = ranges.flat_map(|range| [range.offset, range.end()]);
                    position = ends.filter(|&next| next > position).min().map_or(end, |next| next.min(end));
                }
                ordered
            })
        })
    }
}

/// Whether another entry is about some of the same bytes. Only such a one can make what was written there visible.
fn overlapped(needed: &[RangeBarrier], at: usize) -> bool {
    let others = needed.iter().enumerate().filter(|&(other, _)| other != at).filter_map(|(_, other)| other.range);
    needed[at].range.is_some_and(|range| others.into_iter().any(|other| range.overlaps(other)))
}

/// Makes one entry of those that adjoin or overlap and have the same accesses, and of those on the same bytes that together read and write.
fn merge(needed: &mut Vec<RangeBarrier>) {
    needed.sort_unstable_by_key(|barrier| (barrier.range.map(|range| range.resource), barrier.from, barrier.to, barrier.range));
    needed.dedup_by(|next, kept| {
        let (Some(range), Some(so_far)) = (next.range, kept.range) else { return false };
        let joins = (range.resource, next.from, next.to) == (so_far.resource, kept.from, kept.to) && range.offset <= so_far.end();
        if joins {
            let end = range.end().max(so_far.end());
            kept.range = Some(ResourceRange { size: end - so_far.offset, ..so_far });
        }
        joins
    });
    needed.sort_unstable_by_key(|barrier| (barrier.range, barrier.from, barrier.to));
    needed.dedup_by(|next, kept| {
        let both = match (kept.to, next.to) {
            (Access::ComputeRead | Access::ComputeWrite | Access::ComputeReadWrite, Access::ComputeWrite | Access::ComputeReadWrite) => {
                Access::ComputeReadWrite
            }
            _ => return false,
        };
        let joins = (next.range, next.from) == (kept.range, kept.from);
        if joins {
            kept.to = both;
        }
        joins
    });
}
