//! What was recorded: commands and barriers, in their order.

use std::sync::Arc;

use super::scope::Scopes;
use super::{CommandKind, RangeBarrier, Tick};
use crate::barrier::TransferHalf;

/// A command as the tracker remembers it. The label is shared, not copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// What it did.
    pub kind: CommandKind,
    /// Its number, as it was given to the tracker.
    pub index: u32,
    /// The pipeline's name, for one.
    pub label: Option<Arc<str>>,
}

/// One entry of a call that recorded barriers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) barrier: RangeBarrier,
    pub(super) scopes: Scopes,
    /// Tick of the call's first entry.
    pub(super) call: Tick,
    /// Which call it was, from 0.
    pub(super) call_index: u32,
    /// The command recorded last before it.
    pub(super) after: Option<Tick>,
    /// Whether something before it was in its first scope, on its bytes.
    pub(super) matched: bool,
    /// Whether it ordered something on its bytes that was not ordered before.
    pub(super) granted: bool,
}

impl Entry {
    pub(super) fn new(barrier: RangeBarrier, call: Tick, call_index: u32, after: Option<Tick>) -> Self {
        let scopes = barrier.scopes();
        Self { barrier, scopes, call, call_index, after, matched: false, granted: false }
    }
}

#[derive(Clone, Debug)]
enum Event {
    Command(Command),
    Barrier(Entry),
}

/// All events of a recording, found by their ticks.
#[derive(Debug, Default)]
pub(super) struct Events {
    list: Vec<Event>,
}

impl Events {
    pub(super) fn clear(&mut self) {
        self.list.clear();
    }

    /// The tick that the next event gets.
    pub(super) fn next(&self) -> Tick {
        // Four thousand million events do not fit into memory.
        Tick::try_from(self.list.len()).unwrap_or(Tick::MAX)
    }

    pub(super) fn push_command(&mut self, command: Command) -> Tick {
        let tick = self.next();
        self.list.push(Event::Command(command));
        tick
    }

    pub(super) fn push_barrier(&mut self, entry: Entry) -> Tick {
        let tick = self.next();
        self.list.push(Event::Barrier(entry));
        tick
    }

    pub(super) fn barrier(&self, tick: Tick) -> Option<&Entry> {
        match self.list.get(tick as usize) {
            Some(Event::Barrier(entry)) => Some(entry),
            _ => None,
        }
    }

    /// The barriers from `first` on, with their ticks.
    pub(super) fn barriers_from(&self, first: Tick) -> impl Iterator<Item = (Tick, &Entry)> {
        (first..self.next()).filter_map(|tick| self.barrier(tick).map(|entry| (tick, entry)))
    }

    /// The barriers of one call, by the tick of its first.
    pub(super) fn call(&self, call: Tick) -> impl Iterator<Item = (Tick, &Entry)> {
        (call..self.next()).map_while(move |tick| self.barrier(tick).filter(|entry| entry.call == call).map(|entry| (tick, entry)))
    }

    /// The command that an event was: a barrier that changes an image's layout counts as one.
    pub(super) fn command(&self, tick: Tick) -> Command {
        match self.list.get(tick as usize) {
            Some(Event::Command(command)) => command.clone(),
            Some(Event::Barrier(entry)) => {
                let released = entry.barrier.half == Some(TransferHalf::Release);
                let kind = if released { CommandKind::Release } else { CommandKind::Transition };
                Command { kind, index: entry.call_index, label: None }
            }
            None => Command { kind: CommandKind::Before, index: 0, label: None },
        }
    }
}
