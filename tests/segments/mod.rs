//! Divisions of arrays into segments, chosen so that mistakes show.

use wavelane::DType;
use wavelane_reference::Values;

use super::data::{self, Random};

/// How an array is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Division {
    /// One segment.
    Whole,
    /// A segment of one element, and one of the others.
    FirstApart,
    /// Segments of this length; the last has what is left.
    Even(usize),
    /// Lengths 1, 2, 4, … up to 2^16, and again.
    Doubling,
    /// Random lengths, now and then 0, now and then long.
    Random,
    /// Many empty segments between, before and behind a few.
    Empty,
    /// One segment of most elements between many of one.
    Huge,
    /// Segments begin behind the first element, and end before the last.
    Within,
}

impl Division {
    pub const ALL: [Self; 11] = [
        Self::Whole,
        Self::FirstApart,
        Self::Even(1),
        Self::Even(3),
        Self::Even(16),
        Self::Even(1000),
        Self::Doubling,
        Self::Random,
        Self::Empty,
        Self::Huge,
        Self::Within,
    ];

    /// Offsets of an array of `count` elements.
    pub fn offsets(self, count: usize, seed: u64) -> Vec<u32> {
        let mut random = Random::new(seed ^ count as u64);
        let mut offsets = vec![0];
        let mut at = 0;
        let mut turn = 0;
        if self == Self::Within {
            at = (count / 7).min(5);
            offsets[0] = at as u32;
        }
        if self == Self::Empty {
            offsets.extend([0; 700]);
        }
        while at < count {
            let left = count - at;
            let length = match self {
                Self::Whole => left,
                Self::FirstApart => [1, left][turn.min(1)],
                Self::Even(length) => length,
                Self::Doubling => 1 << (turn % 17),
                Self::Random | Self::Within => match random.next() % 10 {
                    0 => 0,
                    9 => (random.next() % 3000) as usize,
                    _ => (random.next() % 40) as usize,
                },
                Self::Empty => {
                    offsets.extend(vec![at as u32; (random.next() % 300) as usize]);
                    (random.next() % 1000) as usize
                }
                Self::Huge if turn == 300 => left.saturating_sub(300).max(1),
                Self::Huge => 1,
            };
            at += length.min(left);
            turn += 1;
            offsets.push(at as u32);
        }
        if self == Self::Empty {
            offsets.extend(vec![count as u32; 5000]);
        }
        if self == Self::Within && offsets.len() > 2 {
            offsets.pop();
        }
        offsets
    }
}

/// A flag for each element, of several values, where a segment begins that is not empty.
pub fn flags(offsets: &[u32], count: usize) -> Vec<u32> {
    let mut flags = vec![0; count];
    for &offset in offsets {
        if let Some(flag) = flags.get_mut(offset as usize) {
            *flag = [1, 1 << 31, u32::MAX][offset as usize % 3];
        }
    }
    flags
}

/// Keys that differ where a flag is set: in their highest or their lowest bits only.
pub fn keys(dtype: DType, flags: &[u32]) -> Values {
    let bits = 8 * dtype.size();
    let mut key = 0u64;
    let keys = flags.iter().enumerate().map(|(at, &flag)| {
        if flag != 0 {
            key ^= if at % 2 == 0 { 1 } else { 1 << (bits - 1) };
        }
        key
    });
    Values::from_bits(data::element(dtype), keys)
}
