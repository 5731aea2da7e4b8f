//! A merge along its path, by invocations or by tiles: `glsl/merge/path.comp`, and `glsl/merge/take.comp` for values.

use super::merging::{Carried, Merging, NUMBERS, PLANNED_NUMBERS, Results};
use crate::Error;
use crate::elementwise::{Elementwise, array_bytes, piece_range};
use crate::schedule::{Place, StepAction, StepRange, dispatch};
use crate::split::blocks;

/// Results of an invocation: as many as make up for its search, and a multiple of 4, so that none shares a word with another's.
pub(super) const RESULTS_EACH: u64 = 16;

impl Merging {
    /// `tile` has the results of an invocation of a workgroup that merges a tile, if one does.
    pub(super) fn along_path(
        &self,
        results: Results,
        tile: Option<u64>,
        scratch: Place,
        device: &Elementwise<'_>,
        actions: &mut Vec<StepAction>,
    ) -> Result<(), Error> {
        let key = self.width.bytes();
        let mut steps = |to: Place, size: u64, options: u32| match tile {
            None => self.path_steps(to, size, options, device, actions),
            Some(each) => self.tile_steps(each, to, size, options, device, actions),
        };
        if let Some(to) = results.keys {
            steps(to, key, 0)?;
        }
        match results.payload {
            None => Ok(()),
            Some(Carried::Positions { to }) => steps(to, 4, NUMBERS),
            Some(Carried::Values { words, from, to }) => {
                steps(scratch, 4, NUMBERS | PLANNED_NUMBERS)?;
                self.take(scratch, words, from, to, device, actions)
            }
        }
    }

    /// An array that is bound whole, or, where it has no elements, another one in its place.
    pub(super) fn whole(&self, places: [Place; 2], number: usize, size: u64) -> (usize, StepRange) {
        let number = if self.lengths[number] > 0 { number } else { 1 - number };
        places[number].bytes(StepRange::first(array_bytes(self.lengths[number], size)))
    }

    /// Results of `size` bytes: keys or numbers.
    fn path_steps(&self, to: Place, size: u64, options: u32, device: &Elementwise<'_>, actions: &mut Vec<StepAction>) -> Result<(), Error> {
        let key = self.width.bytes();
        let output = to.bytes(StepRange::first(array_bytes(self.results(), size)));
        let (first, second) = (self.whole(self.arrays, 0, key), self.whole(self.arrays, 1, key));
        let workgroup_size = device.choice.workgroup_size;
        let parts = self.results().div_ceil(RESULTS_EACH);
        for (parts_before, parts) in blocks(parts, device.limits.most_groups().saturating_mul(u64::from(workgroup_size))) {
            actions.push(dispatch!(
                merge::path,
                self.width.name().into(),
                shader::SpecializationConstants { workgroup_size, results_each: RESULTS_EACH as u32 },
                shader::PushConstants {
                    first_length: self.lengths[0] as u32,
                    second_length: self.lengths[1] as u32,
                    parts: parts as u32,
                    parts_before: parts_before as u32,
                    options: self.options() | options,
                },
                device.groups(parts)?,
                vec![first, second, output, self.counts.map_or(first, |counts| counts.bytes())]
            ));
        }
        Ok(())
    }

    /// Values by the numbers of their keys.
    fn take(
        &self,
        numbers: Place,
        words: u64,
        from: [Place; 2],
        to: Place,
        device: &Elementwise<'_>,
        actions: &mut Vec<StepAction>,
    ) -> Result<(), Error> {
        let size = 4 * words;
        let (first, second) = (self.whole(from, 0, size), self.whole(from, 1, size));
        for (begin, count) in device.pieces("values of a merge", self.results(), size, 1)? {
            actions.push(dispatch!(
                merge::take,
                "default".into(),
                shader::SpecializationConstants { workgroup_size: device.choice.workgroup_size, value_words: words as u32 },
                shader::PushConstants {
                    elements: count as u32,
                    first_length: self.lengths[0] as u32,
                    second_length: self.lengths[1] as u32,
                },
                device.groups(count)?,
                vec![numbers.bytes(piece_range(begin, count, 4)), first, second, to.bytes(piece_range(begin, count, size))]
            ));
        }
        Ok(())
    }
}
