//! A merge along its path, a tile at a time in the shared memory of a workgroup: `glsl/merge/tiles.comp`.

use super::merging::Merging;
use crate::elementwise::{Elementwise, array_bytes};
use crate::schedule::{Place, StepAction, StepRange, dispatch};
use crate::split::blocks;
use crate::{Error, Tuning};

/// Results of an invocation, of so many words each: odd, so that neighbours' are in different banks, and below `MOST_EACH` of the shader.
const MOST_WORDS: u64 = 15;

/// Words beside a tile.
const BOUNDS: u64 = 2;

impl Merging {
    /// Results of each invocation that merges a part of a tile; none where there is no room for one.
    pub(super) fn tile(&self, tuning: &Tuning, device: &Elementwise<'_>) -> Option<u64> {
        let limits = &device.limits.capabilities.limits;
        let room = u64::from(tuning.shared_memory_budget.min(limits.max_compute_shared_memory_size) / 4).saturating_sub(BOUNDS);
        let size = u64::from(device.choice.workgroup_size);
        let most = (room / (size * self.tile_words())).min(MOST_WORDS / self.tile_words());
        // A tile of narrow keys ends with a word.
        let each = if size.is_multiple_of(4) { most.saturating_sub(1) | 1 } else { most - most % 4 };
        (1..=most).contains(&each).then_some(each)
    }

    /// Words of shared memory that a key takes.
    fn tile_words(&self) -> u64 {
        self.width.bytes().div_ceil(4)
    }

    /// Results of `size` bytes: keys or numbers.
    pub(super) fn tile_steps(
        &self,
        each: u64,
        to: Place,
        size: u64,
        options: u32,
        device: &Elementwise<'_>,
        actions: &mut Vec<StepAction>,
    ) -> Result<(), Error> {
        let key = self.width.bytes();
        let output = to.bytes(StepRange::first(array_bytes(self.results(), size)));
        let (first, second) = (self.whole(self.arrays, 0, key), self.whole(self.arrays, 1, key));
        let workgroup_size = device.choice.workgroup_size;
        let tile = each * u64::from(workgroup_size);
        for (tiles_before, tiles) in blocks(self.results().div_ceil(tile), device.limits.most_groups()) {
            actions.push(dispatch!(
                merge::tiles,
                self.width.name().into(),
                shader::SpecializationConstants {
                    workgroup_size,
                    results_each: each as u32,
                    tile_slots: (tile * self.tile_words()) as u32
                },
                shader::PushConstants {
                    first_length: self.lengths[0] as u32,
                    second_length: self.lengths[1] as u32,
                    tiles: tiles as u32,
                    tiles_before: tiles_before as u32,
                    options: self.options() | options,
                },
                device.limits.fold(tiles)?,
                vec![first, second, output, self.counts.map_or(first, |counts| counts.bytes())]
            ));
        }
        Ok(())
    }
}
