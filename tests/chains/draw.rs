//! What chains draw by chance.

use super::data::Random;

impl Random {
    /// A number below `end`; 0 where there is none.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() >> 16) as usize % end.max(1)
    }

    /// Once in so many times.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of several, of which there is at least one.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// In another order.
    pub fn shuffle<T>(&mut self, all: &mut [T]) {
        for end in (1..all.len()).rev() {
            all.swap(end, self.below(end + 1));
        }
    }
}

/// The most elements that an array of a chain has.
pub const MOST: usize = 20_011;

/// Lengths that are a boundary somewhere (words, wide loads, workgroups, tiles of 1024, 2048 and 4096 elements), and primes.
const EDGES: [usize; 26] =
    [0, 1, 2, 3, 4, 5, 7, 31, 33, 127, 128, 129, 255, 256, 257, 509, 1009, 1023, 1024, 1025, 2047, 2049, 4095, 4097, 4999, 10_007];

/// How long an array is: mostly not much.
pub fn length(random: &mut Random) -> usize {
    match random.below(10) {
        0..4 => random.pick(&EDGES),
        4..8 => random.below(700),
        8 => random.below(6000),
        _ => random.pick(&[8191, 8193, 12_289, 16_384, 16_385, MOST]),
    }
}

/// Rows and columns of so many elements, if they make up a rectangle.
pub fn rectangle(count: usize, random: &mut Random) -> Option<(usize, usize)> {
    let columns = random.pick(&[2, 3, 4, 5, 7, 8, 16, 31, 64, 100, 128, 257]);
    (count > 0 && count.is_multiple_of(columns)).then_some((count / columns, columns))
}
