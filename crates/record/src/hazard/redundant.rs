//! Barriers that nothing needed.

use std::fmt;

use super::event::Command;
use super::report::Part;
use super::scope::Stages;
use super::trace::Trace;
use super::{RangeBarrier, ResourceId, ResourceRange, Tick, Tracker};
use crate::access::Access;

/// Why a barrier was not needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Redundancy {
    /// It waits for the host to write, and a submission does that itself.
    Submission,
    /// No command recorded before it used the bytes in the way it waits for. What an earlier submission did is not known here, unless
    /// [`Tracker::assume`] says it.
    NothingBefore,
    /// What it orders was ordered already, by earlier barriers or by another entry of the same call.
    AlreadyOrdered,
    /// No command recorded after it relied on it, and the bytes were written again since.
    NothingAfter,
}

/// A barrier that nothing needed: with all of them left out, every command recorded is still ordered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedundantBarrier {
    /// Why.
    pub reason: Redundancy,
    /// The barrier.
    pub barrier: RangeBarrier,
    /// Name of the buffer or image, where a command used it.
    pub name: Option<String>,
    /// Which of the calls that recorded barriers it belongs to, from 0.
    pub call: u32,
    /// Which entry of the call it is, from 0.
    pub entry: u32,
    /// The command recorded last before it.
    pub after: Option<Command>,
}

impl Tracker {
    /// The barriers so far that nothing needed.
    ///
    /// A barrier is needed if a command recorded after it is ordered through it, alone or as a link in a chain; where several give the same order,
    /// the first of them is the one that counts. It is also needed if what it ordered *on its own bytes* still holds at the end: something may
    /// follow the recording that relies on it, the host reading results first of all. Changes of an image's layout are always needed.
    ///
    /// So what is reported can be left out, all of it at once, and the commands are as ordered as before; and with any one left out, so is what may
    /// follow on its bytes. (A barrier that is not reported may still be one too many, where the same order could be had in several ways.)
    pub fn redundant(&self) -> Vec<RedundantBarrier> {
        let mut needed = self.relied_on.clone();
        let trace = Trace { events: &self.events, order: &self.order };
        let mut mark = |tick: Tick| {
            if let Some(needed) = needed.get_mut(tick as usize) {
                *needed = true;
            }
        };
        for (&id, resource) in &self.resources {
            for (start, end, state) in resource.spans.overlapping(0, u64::MAX) {
                for access in state.useful(state.visible).iter() {
                    trace.mark_visible(state, access, &mut mark);
                }
                let range = ResourceRange { resource: id, offset: start, size: end - start };
                for read in state.reads() {
                    Stages::ALL.iter().for_each(|later| trace.mark_read_done(read, later, range, false, &mut mark));
                }
            }
        }
        let unneeded = |tick: Tick| !needed.get(tick as usize).copied().unwrap_or(true);
        let entries = self.events.barriers_from(0).filter(|&(tick, entry)| unneeded(tick) && !entry.barrier.transition);
        entries
            .map(|(tick, entry)| RedundantBarrier {
                reason: match (entry.barrier.from, entry.matched, entry.granted) {
                    (Access::HostWrite, false, _) => Redundancy::Submission,
                    (_, false, _) => Redundancy::NothingBefore,
                    (_, true, false) => Redundancy::AlreadyOrdered,
                    (_, true, true) => Redundancy::NothingAfter,
                },
                barrier: entry.barrier,
                name: entry.barrier.range.and_then(|range| self.name(range.resource)).map(str::to_owned),
                call: entry.call_index,
                entry: tick - entry.call,
                after: entry.after.map(|tick| self.events.command(tick)),
            })
            .collect()
    }
}

impl RedundantBarrier {
    /// What to do, in one line.
    pub fn advice(&self) -> &'static str {
        match self.reason {
            Redundancy::Submission => "leave it out: what the host wrote before a submission is visible to it",
            Redundancy::NothingBefore => "leave it out, unless work of an earlier submission is what it waits for",
            Redundancy::AlreadyOrdered => "leave it out: the barriers before it are enough",
            Redundancy::NothingAfter => "leave it out, or make it to the access that follows",
        }
    }
}

impl fmt::Display for RedundantBarrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RangeBarrier { range, from, to, .. } = self.barrier;
        write!(f, "entry {} of barrier call {}", self.entry, self.call)?;
        if let Some(after) = &self.after {
            write!(f, ", after the {after},")?;
        }
        write!(f, " from {from:?} to {to:?}")?;
        match (range, &self.name) {
            (None, _) => {}
            (Some(range), Some(name)) => {
                write!(f, " on {}", Part { resource: range.resource, name, range: (range.offset, range.size) })?;
            }
            (Some(range), None) => match range.resource {
                ResourceId::Buffer(_) => write!(f, " on bytes of a buffer that no command uses")?,
                ResourceId::Image(_) => write!(f, " on an image that no command uses")?,
            },
        }
        f.write_str(match self.reason {
            Redundancy::Submission => " is redundant: the submission orders it",
            Redundancy::NothingBefore => " is redundant: nothing recorded before does that",
            Redundancy::AlreadyOrdered => " is redundant: it orders nothing that was not ordered already",
            Redundancy::NothingAfter => " is redundant: no command relied on it before the bytes were written again",
        })
    }
}
