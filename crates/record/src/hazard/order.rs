//! Which stages have waited for which commands.
//!
//! Barriers order the execution of *everything* before them, whichever bytes they name, and chain: compute → transfer, and later transfer → host,
//! orders compute before the host. So this is kept once, not for each byte: for each two stages, up to where the later stage has waited for the
//! earlier one. A barrier costs a few comparisons, and a question one.

use super::Tick;
use super::event::Entry;
use super::scope::{Stages, stage};

#[derive(Debug)]
pub(super) struct Order {
    /// `waited[later][earlier]`: all that ran in stage `earlier` before this tick is done before what is recorded next runs in stage `later`.
    waited: [[Tick; stage::COUNT]; stage::COUNT],
    /// How each of them grew, to tell which barrier was the first to order two commands. One list of the array after the other.
    steps: Vec<Vec<Step>>,
}

/// A barrier that let a later stage wait for more.
#[derive(Clone, Copy, Debug)]
struct Step {
    waited: Tick,
    barrier: Tick,
}

impl Order {
    pub(super) fn new() -> Self {
        Self { waited: [[0; stage::COUNT]; stage::COUNT], steps: vec![Vec::new(); stage::COUNT * stage::COUNT] }
    }

    pub(super) fn clear(&mut self) {
        self.waited = [[0; stage::COUNT]; stage::COUNT];
        self.steps.iter_mut().for_each(Vec::clear);
    }

    /// Whether what ran at `tick` in stage `earlier` is done before what is recorded next runs in stage `later`.
    pub(super) fn ordered(&self, tick: Tick, earlier: usize, later: usize) -> bool {
        self.waited[later][earlier] > tick
    }

    /// Whether a barrier that waits for `stages` waits for what ran at `tick` in stage `earlier`: by itself, or because the stages did.
    pub(super) fn in_scope(&self, tick: Tick, earlier: usize, stages: Stages) -> bool {
        stages.contains(earlier) || stages.iter().any(|stage| self.ordered(tick, earlier, stage))
    }

    /// Takes in the barriers of one call. They do not chain with each other.
    pub(super) fn apply<'a>(&mut self, call: Tick, barriers: impl Iterator<Item = (Tick, &'a Entry)>) {
        let before = self.waited;
        for (tick, entry) in barriers {
            let scopes = entry.scopes;
            for earlier in Stages::ALL.iter() {
                let chained = || scopes.from.iter().map(|stage| before[stage][earlier]).max().unwrap_or(0);
                let waited = if scopes.from.contains(earlier) { call } else { chained() };
                for later in scopes.to.iter() {
                    if waited > self.waited[later][earlier] {
                        self.waited[later][earlier] = waited;
                        self.steps[later * stage::COUNT + earlier].push(Step { waited, barrier: tick });
                    }
                }
            }
        }
    }

    /// The first barrier, of calls before `limit`, after which stage `later` had waited for what ran at `tick` in stage `earlier`.
    pub(super) fn first(&self, tick: Tick, earlier: usize, later: usize, limit: Tick) -> Option<Tick> {
        let steps = &self.steps[later * stage::COUNT + earlier];
        let step = steps.get(steps.partition_point(|step| step.waited <= tick))?;
        (step.barrier < limit).then_some(step.barrier)
    }
}
