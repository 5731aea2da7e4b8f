//! Tests of the tracker: rule by rule, and against a model.

use std::sync::Arc;

use super::{CommandKind, CommandName, Hazard, RangeBarrier, Tracker, Use};
use crate::access::Access;

mod model;
mod properties;
mod reports;
mod rules;

/// Dispatches of one pipeline, numbered as they come.
struct Recording {
    tracker: Tracker,
    label: Arc<str>,
    dispatches: u32,
}

impl Recording {
    fn new() -> Self {
        Self { tracker: Tracker::new(), label: "scale".into(), dispatches: 0 }
    }

    /// A dispatch that must have no hazard.
    fn done(&mut self, uses: &[Use<'_>]) {
        let name = CommandName { kind: CommandKind::Dispatch, index: self.dispatches, label: Some(&self.label) };
        assert_eq!(self.tracker.command(name, uses), Ok(()));
        self.dispatches += 1;
    }

    /// The hazard of a dispatch, which is not taken in.
    fn hazard(&self, uses: &[Use<'_>]) -> Option<Hazard> {
        let name = CommandName { kind: CommandKind::Dispatch, index: self.dispatches, label: Some(&self.label) };
        self.tracker.check(name, uses).err()
    }

    fn barrier(&mut self, barriers: &[RangeBarrier]) {
        assert_eq!(self.tracker.barrier(barriers), Ok(()));
    }

    fn needed(&self, uses: &[Use<'_>]) -> Vec<RangeBarrier> {
        let mut needed = Vec::new();
        self.tracker.needed_barriers(uses, &mut needed);
        needed
    }
}

/// All 64 bytes of buffer 1, 2 or 3, which are called `a`, `b` and `c`.
fn whole(id: u64, access: Access) -> Use<'static> {
    Use::buffer(id, ["", "a", "b", "c"][id as usize], 0, 64, access)
}
