//! Follows a recording.

use std::collections::HashMap;

use super::event::{Entry, Events};
use super::order::Order;
use super::scope::Footprint;
use super::spans::Spans;
use super::state::{Conflict, State, View};
use super::trace::Trace;
use super::{Command, CommandKind, CommandName, Hazard, RangeBarrier, ResourceId, ResourceRange, Tick, Use};
use crate::access::Access;

/// Follows a recording and knows of each byte who used it last and what is ordered after that. See [the module](super).
#[derive(Debug)]
pub struct Tracker {
    pub(super) resources: HashMap<ResourceId, Resource>,
    pub(super) events: Events,
    pub(super) order: Order,
    /// For each event, whether it is a barrier that a later command relies on.
    pub(super) relied_on: Vec<bool>,
    calls: u32,
    last_command: Option<Tick>,
}

#[derive(Debug)]
pub(super) struct Resource {
    name: Option<String>,
    pub(super) spans: Spans<State>,
    /// Whether it was used since the last [`Tracker::clear`].
    used: bool,
}

impl Default for Tracker {
    fn default() -> Self {
        Self::new()
    }
}

impl Tracker {
    /// A tracker of an empty recording. Of what was done before nothing is known, and all of it is taken to be ordered.
    pub fn new() -> Self {
        Self {
            resources: HashMap::new(),
            events: Events::default(),
            order: Order::new(),
            relied_on: Vec::new(),
            calls: 0,
            last_command: None,
        }
    }

    /// Forgets the recording. Memory is kept, but for what it has of buffers that the recording did not use.
    pub fn clear(&mut self) {
        self.resources.retain(|_, resource| {
            resource.spans.clear();
            std::mem::take(&mut resource.used)
        });
        self.events.clear();
        self.order.clear();
        self.relied_on.clear();
        (self.calls, self.last_command) = (0, None);
    }

    /// Says that something was done with the bytes before the recording that nothing orders yet: by other code in the same command buffer, or in an
    /// earlier submission. [`Access::HostWrite`] says the opposite: all that was done is visible to everything.
    pub fn assume(&mut self, range: ResourceRange, access: Access) {
        if let Some(resource) = self.resources.get_mut(&range.resource) {
            resource.spans.remove(range.offset, range.end());
        }
        let tick = self.push_command(Command { kind: CommandKind::Before, index: 0, label: None });
        let used = Use { resource: range.resource, name: "", offset: range.offset, size: range.size, access };
        self.put(tick, &used);
    }

    /// Checks a command against all before it, and takes it in.
    ///
    /// # Errors
    ///
    /// The first hazard there is. The command is then not taken in, as if it had not been recorded.
    pub fn command(&mut self, name: CommandName<'_>, uses: &[Use<'_>]) -> Result<(), Hazard> {
        self.check(name, uses)?;
        self.record(name, uses);
        Ok(())
    }

    /// Checks a command against all before it.
    ///
    /// # Errors
    ///
    /// The first hazard there is.
    pub fn check(&self, name: CommandName<'_>, uses: &[Use<'_>]) -> Result<(), Hazard> {
        for used in uses {
            let Some(resource) = self.resources.get(&used.resource) else { continue };
            let footprint = Footprint::of(used.access);
            let mut hazard: Option<(Conflict, ResourceRange)> = None;
            for (start, end, state) in resource.spans.overlapping(used.offset, used.end()) {
                let mut first = None;
                let view = View { order: &self.order, added: &[], at: (used.resource, start) };
                state.conflicts(footprint, view, |conflict| first = first.or(Some(conflict)));
                hazard = match (hazard, first) {
                    (None, None) => continue,
                    (None, Some(conflict)) => Some((conflict, ResourceRange { resource: used.resource, offset: start, size: end - start })),
                    // The same hazard on the bytes that follow.
                    (Some((conflict, range)), Some(next)) if conflict == next && range.end() == start => {
                        Some((conflict, ResourceRange { size: end - range.offset, ..range }))
                    }
                    (found, _) => {
                        hazard = found;
                        break;
                    }
                };
            }
            if let Some((conflict, range)) = hazard {
                return Err(self.hazard(conflict, range, used.name, name.command(), used.access));
            }
        }
        Ok(())
    }

    /// Takes in a command without a check: for who reports a hazard and goes on.
    pub fn record(&mut self, name: CommandName<'_>, uses: &[Use<'_>]) {
        let tick = self.push_command(name.command());
        self.last_command = Some(tick);
        let Self { resources, events, order, relied_on, .. } = self;
        let trace = Trace { events, order };
        for used in uses {
            let footprint = Footprint::of(used.access);
            let spans = resources.get(&used.resource).map(|resource| resource.spans.overlapping(used.offset, used.end()));
            for (start, end, state) in spans.into_iter().flatten() {
                let range = ResourceRange { resource: used.resource, offset: start, size: end - start };
                trace.mark_use(state, range, footprint, &mut |tick| relied_on[tick as usize] = true);
            }
        }
        // Who is ordered after a command's write is also ordered after its reads, so the writes come last.
        for writes in [false, true] {
            for used in uses.iter().filter(|used| used.access.writes() == writes) {
                self.put(tick, used);
            }
        }
    }

    /// Takes in the barriers of one call.
    ///
    /// # Errors
    ///
    /// The first hazard of a change of layout with what came before it. No barrier is then taken in. Others have none.
    pub fn barrier(&mut self, barriers: &[RangeBarrier]) -> Result<(), Hazard> {
        let call = self.events.next();
        let entry = |barrier: &RangeBarrier| Entry::new(*barrier, call, self.calls, self.last_command);
        for entry in barriers.iter().filter(|barrier| barrier.transition).map(entry) {
            self.check_transition(&entry)?;
        }
        for barrier in barriers {
            let tick = self.events.next();
            let mut entry = Entry::new(*barrier, call, self.calls, self.last_command);
            let Self { resources, events, order, relied_on, .. } = self;
            let (mut matched, mut granted) = (false, false);
            let mut apply = |state: &mut State| {
                let (this_matched, this_granted) = state.apply(tick, &entry, order);
                (matched, granted) = (matched | this_matched, granted | this_granted);
            };
            match barrier.range {
                None => resources.values_mut().for_each(|resource| resource.spans.change_all(&mut apply)),
                Some(range) if barrier.transition => {
                    let spans = &mut Self::resource(resources, range.resource, "").spans;
                    let trace = Trace { events, order };
                    for (_, _, state) in spans.overlapping(range.offset, range.end()) {
                        trace.mark_transition(state, &entry, &mut |tick| relied_on[tick as usize] = true);
                    }
                    spans.set(range.offset, range.end(), State::transitioned(tick, &entry));
                }
                Some(range) => {
                    if let Some(resource) = resources.get_mut(&range.resource) {
                        resource.spans.change(range.offset, range.end(), apply);
                    }
                }
            }
            (entry.matched, entry.granted) = (matched, granted);
            events.push_barrier(entry);
            relied_on.push(false);
        }
        self.order.apply(call, self.events.barriers_from(call));
        self.calls += 1;
        Ok(())
    }

    /// The name of a buffer or image, if a command used it.
    pub(super) fn name(&self, resource: ResourceId) -> Option<&str> {
        self.resources.get(&resource).and_then(|resource| resource.name.as_deref())
    }

    fn check_transition(&self, entry: &Entry) -> Result<(), Hazard> {
        let Some(range) = entry.barrier.range else { return Ok(()) };
        let Some(resource) = self.resources.get(&range.resource) else { return Ok(()) };
        for (start, end, state) in resource.spans.overlapping(range.offset, range.end()) {
            if let Some(conflict) = state.conflict_of_transition(entry, &self.order) {
                let range = ResourceRange { offset: start, size: end - start, ..range };
                let later = Command { kind: CommandKind::Transition, index: entry.call_index, label: None };
                return Err(self.hazard(conflict, range, self.name(range.resource).unwrap_or_default(), later, entry.barrier.to));
            }
        }
        Ok(())
    }

    fn hazard(&self, conflict: Conflict, range: ResourceRange, name: &str, later: Command, to: Access) -> Hazard {
        let ResourceRange { resource, offset, size } = range;
        let earlier = self.events.command(conflict.earlier);
        Hazard { kind: conflict.kind, earlier, later, resource, name: name.to_owned(), offset, size, from: conflict.from, to }
    }

    fn push_command(&mut self, command: Command) -> Tick {
        self.relied_on.push(false);
        self.events.push_command(command)
    }

    fn put(&mut self, tick: Tick, used: &Use<'_>) {
        let spans = &mut Self::resource(&mut self.resources, used.resource, used.name).spans;
        match used.access {
            // Execution waits for the host and the host for execution, at submissions.
            Access::HostRead => {}
            Access::HostWrite => {
                spans.remove(used.offset, used.end());
            }
            access if access.writes() => spans.set(used.offset, used.end(), State::written(tick, access)),
            access => spans.change_or_insert(used.offset, used.end(), State::UNTOUCHED, |state| state.read(tick, access)),
        }
    }

    fn resource<'a>(resources: &'a mut HashMap<ResourceId, Resource>, id: ResourceId, name: &str) -> &'a mut Resource {
        let resource = resources.entry(id).or_insert_with(|| Resource { name: None, spans: Spans::new(), used: true });
        // In another recording the number may be another resource's.
        let stale = !std::mem::replace(&mut resource.used, true) && resource.name.as_deref() != Some(name);
        if (stale || resource.name.is_none()) && !name.is_empty() {
            resource.name = Some(name.to_owned());
        }
        resource
    }
}
