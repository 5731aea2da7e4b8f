//! What `glsl/include/scan/exchange.glsl` takes of shared memory.

use crate::{Path, PathChoice, PathNeeds};

/// Slots of an invocation in the largest exchange of a scan (`UNROLL` in `glsl/scan/tiles.comp`).
pub(crate) const SLOTS_EACH: u32 = 4;

/// Entries of the tree or of the lanes, beside those of each invocation; see the test.
const ENTRIES_BESIDE: u32 = 26;

/// Words that look-back shares, and the number of a workgroup's tile.
const WORDS_BESIDE: u32 = 7;

/// A carry of so many words, and whether subgroup arithmetic knows its operator.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exchange {
    /// Slots of an invocation in the largest exchange.
    pub(crate) slots_each: u32,
    pub(crate) state_words: u32,
    pub(crate) has_heads: bool,
    pub(crate) has_arithmetic: bool,
    pub(crate) wide: bool,
}

impl Exchange {
    /// Words of a carry, in scratch and in shared memory.
    pub(crate) fn carry_words(&self) -> u32 {
        self.state_words + u32::from(self.has_heads)
    }

    /// Entries of the tree or of the lanes, for each invocation; see the test.
    fn entries_each(&self) -> u32 {
        self.slots_each + self.slots_each.div_ceil(2) + 1
    }

    pub(crate) fn needs(&self) -> PathNeeds {
        let words = self.carry_words();
        PathNeeds {
            shared_words: self.entries_each() * words,
            shared_words_beside: ENTRIES_BESIDE * words + WORDS_BESIDE,
            arithmetic: self.has_arithmetic,
            wide_arithmetic: self.wide,
            ballots: false,
        }
    }

    /// Entries of each array of shared memory (`EXCHANGE_SLOTS`).
    pub(crate) fn slots(&self, choice: &PathChoice) -> u32 {
        let slots = self.slots_each * choice.workgroup_size;
        let by_lanes = match choice.path {
            Path::SharedMemory => false,
            Path::Subgroup => self.has_arithmetic,
            Path::Shuffle => true,
        };
        if by_lanes {
            let last = slots + choice.workgroup_size + choice.max_subgroups;
            return last + last / 32 + 1;
        }
        let (mut top, mut count) = (0, slots);
        while count > 1 {
            let nodes = count.div_ceil(8);
            top += 8 * nodes;
            count = nodes;
        }
        top + top / 8 + 1
    }

    /// Entries of the array of heads (`EXCHANGE_HEAD_SLOTS`).
    pub(crate) fn head_slots(&self, choice: &PathChoice) -> u32 {
        if self.has_heads { self.slots(choice) } else { 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_is_what_was_asked_for() {
        for (path, has_arithmetic) in [(Path::SharedMemory, true), (Path::Subgroup, true), (Path::Subgroup, false), (Path::Shuffle, false)]
        {
            for workgroup_size in (0..=10).map(|power| 1 << power) {
                for max_subgroups in [1, workgroup_size / 4, workgroup_size / 2, workgroup_size] {
                    for (has_heads, slots_each) in [(false, 4), (true, 4), (true, 5)] {
                        let exchange = Exchange { slots_each, state_words: 2, has_heads, has_arithmetic, wide: false };
                        let choice = PathChoice {
                            path,
                            workgroup_size,
                            subgroup_size: None,
                            full_subgroups: false,
                            max_subgroups: max_subgroups.max(1),
                            reasons: Vec::new(),
                        };
                        let taken = 2 * exchange.slots(&choice) + exchange.head_slots(&choice) + WORDS_BESIDE - 1;
                        let needs = exchange.needs();
                        let asked = needs.shared_words * workgroup_size + needs.shared_words_beside;
                        assert!(taken <= asked, "{path} {workgroup_size} {max_subgroups} {has_heads}: {taken} of {asked}");
                    }
                }
            }
        }
    }
}
