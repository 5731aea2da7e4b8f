//! How the invocations of a workgroup combine their states: `glsl/reduce/exchange/`, index by index.

use super::memory::Part;
use crate::Path;

/// A workgroup as a device runs it.
pub(super) struct Workgroup {
    pub(super) path: Path,
    pub(super) size: u32,
    pub(super) subgroup_size: u32,
    /// `EXCHANGE_SLOTS`.
    pub(super) slots: u32,
}

impl Workgroup {
    pub(super) fn subgroups(&self) -> u32 {
        self.size / self.subgroup_size
    }

    /// `exchange_workgroup`: what the leader holds.
    pub(super) fn exchange(&self, mut states: Vec<Part>) -> Part {
        if self.path == Path::SharedMemory {
            self.exchange_tree(&mut states, 1, self.size, |local| local);
            return states[0];
        }
        let sums: Vec<Part> = states.chunks(self.subgroup_size as usize).map(sum).collect();
        assert!(sums.len() <= self.slots as usize, "{} subgroups meet in {} slots", sums.len(), self.slots);
        let mut lanes = vec![Part::default(); self.subgroup_size as usize];
        for first in (0..self.subgroups()).step_by(self.subgroup_size as usize) {
            for lane in 0..self.subgroup_size {
                if first + lane < self.subgroups() {
                    lanes[lane as usize] = lanes[lane as usize].combine(sums[(first + lane) as usize]);
                }
            }
        }
        sum(&lanes)
    }

    /// `exchange_tree`: invocation `local` puts its state into slot `local`, and lane 0 of each group of lanes ends with all of them.
    pub(super) fn exchange_tree(&self, states: &mut [Part], step: u32, lanes: u32, lane_of: impl Fn(u32) -> u32) {
        assert!(self.size <= self.slots, "{} invocations meet in {} slots", self.size, self.slots);
        let mut slots = states.to_vec();
        let mut width = lanes;
        while width > 1 {
            let quarter = width.div_ceil(4);
            let before = slots.clone();
            let mut reads = Vec::new();
            for local in 0..self.size {
                let lane = lane_of(local);
                if lane >= quarter {
                    continue;
                }
                for other in (lane + quarter..width).step_by(quarter as usize) {
                    let slot = local + (other - lane) * step;
                    reads.push(slot);
                    states[local as usize] = states[local as usize].combine(before[slot as usize]);
                }
                slots[local as usize] = states[local as usize];
            }
            // Within a round there is no barrier.
            assert!(reads.iter().all(|&slot| lane_of(slot) >= quarter), "a slot is read and written in one round");
            width = quarter;
        }
    }
}

/// `exchange_subgroup`.
pub(super) fn sum(lanes: &[Part]) -> Part {
    lanes.iter().fold(Part::default(), |sum, &part| sum.combine(part))
}
