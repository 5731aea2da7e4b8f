//! A merge by ranks: how many of the other array's keys come before each is searched for, and keys and values are put there by `glsl/merge/put.comp`. Everything goes in pieces that bindings reach.

use super::merging::{Carried, Merging, NUMBERS, Results, SECOND_ELEMENTS};
use crate::compact::width::Width;
use crate::elementwise::{Elementwise, array_bytes, piece_range};
use crate::schedule::{Place, StepAction, StepRange, dispatch};
use crate::search_sorted::{self, Search};
use crate::split::blocks;
use crate::{Error, SearchSide};

/// The most dispatches that move elements of one array.
const MOST_DISPATCHES: usize = 1 << 14;

/// What is put in its places: elements of so many bytes, or their numbers.
#[derive(Clone, Copy)]
struct Moved {
    width: Width,
    from: [Place; 2],
    to: Place,
    are_numbers: bool,
}

impl Merging {
    pub(super) fn by_ranks(
        &self,
        results: Results,
        scratch: Place,
        device: &Elementwise<'_>,
        actions: &mut Vec<StepAction>,
    ) -> Result<(), Error> {
        let second = (4 * self.lengths[0]).next_multiple_of(device.limits.alignment());
        let ranks = [scratch, Place { offset: scratch.offset + second, ..scratch }];
        for (own, side) in [(0, SearchSide::Left), (1, SearchSide::Right)] {
            self.search(own, side, ranks[own], device, actions)?;
        }
        if let Some(to) = results.keys {
            let size = self.width.bytes();
            if size < 4 {
                // Several keys share a word, and are put into it one by one.
                let (buffer, range) = to.bytes(StepRange::first(array_bytes(self.results(), size)));
                actions.push(StepAction::Fill { buffer, range, word: 0 });
            }
            self.put(Moved { width: self.width, from: self.arrays, to, are_numbers: false }, ranks, device, actions)?;
        }
        let moved = match results.payload {
            None => return Ok(()),
            Some(Carried::Positions { to }) => Moved { width: Width::W32, from: ranks, to, are_numbers: true },
            Some(Carried::Values { words, from, to }) => {
                Moved { width: if words == 2 { Width::W64 } else { Width::W32 }, from, to, are_numbers: false }
            }
        };
        self.put(moved, ranks, device, actions)
    }

    /// How many keys of the other array come before each of this one's: of equal ones those of the first array.
    fn search(
        &self,
        own: usize,
        side: SearchSide,
        output: Place,
        device: &Elementwise<'_>,
        actions: &mut Vec<StepAction>,
    ) -> Result<(), Error> {
        let [count, other] = [self.lengths[own], self.lengths[1 - own]];
        let counts = self.counts.map(|counts| {
            let words = [counts.first.then_some(0), counts.second.then_some(1)];
            search_sorted::Counts { place: counts.place, array: words[1 - own], values: words[own] }
        });
        let search = Search {
            width: self.width,
            kind: self.kind,
            side,
            descending: self.descending,
            row_length: other,
            elements: other,
            row_values: count,
            values: count,
            array: self.arrays[1 - own],
            values_at: self.arrays[own],
            output,
            counts,
        };
        search.record(device, actions).map(|_| ())
    }

    fn put(&self, moved: Moved, ranks: [Place; 2], device: &Elementwise<'_>, actions: &mut Vec<StepAction>) -> Result<(), Error> {
        let size = moved.width.bytes();
        let reach = device.limits.capacity(self.results(), size);
        let before = actions.len();
        for own in [0, 1] {
            let other = self.lengths[1 - own];
            for (first, count) in device.pieces("a merge", self.lengths[own], size.max(4), 1)? {
                // A key goes as far as the other array has keys.
                let windows = blocks(self.results(), reach).filter(|&(at, length)| at < first + count + other && at + length > first);
                for window in windows {
                    if actions.len() - before >= MOST_DISPATCHES {
                        let [first, second] = self.lengths;
                        return Err(device.limits.out_of_reach(format!("a merge of {first} and {second} keys")));
                    }
                    actions.push(self.put_step(moved, own, ranks[own], (first, count), window, device)?);
                }
            }
        }
        Ok(())
    }

    /// One dispatch: some elements of an array, and the results that some of them may be among.
    fn put_step(
        &self,
        moved: Moved,
        own: usize,
        ranks: Place,
        (first, count): (u64, u64),
        window: (u64, u64),
        device: &Elementwise<'_>,
    ) -> Result<StepAction, Error> {
        let size = moved.width.bytes();
        let ranks = ranks.bytes(piece_range(first, count, 4));
        let (output, base) = device.limits.range(window.0, window.1, size);
        let output = moved.to.bytes(output);
        let options = if own == 1 { SECOND_ELEMENTS } else { 0 } | if moved.are_numbers { NUMBERS } else { 0 };
        Ok(dispatch!(
            merge::put,
            moved.width.name().into(),
            shader::SpecializationConstants { workgroup_size: device.choice.workgroup_size },
            shader::PushConstants {
                elements: count as u32,
                first: first as u32,
                first_length: self.lengths[0] as u32,
                window_base: (window.0 - u64::from(base)) as u32,
                window_first: window.0 as u32,
                window_end: (window.0 + window.1) as u32,
                options: self.options() | options,
            },
            device.groups(count)?,
            vec![
                if moved.are_numbers { ranks } else { moved.from[own].bytes(piece_range(first, count, size)) },
                ranks,
                output,
                self.counts.map_or(ranks, |counts| counts.bytes()),
            ]
        ))
    }
}
