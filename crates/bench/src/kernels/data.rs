//! What is in the arrays: the same on every run and in `cub/cub.cu`.

use anyhow::{Result, bail};
use wavelane_reference::Values;

/// Of random bits, those below are half of all.
pub const HALF: u32 = 1 << 31;

/// The mean length of the runs of [`keys`].
pub const RUN: u32 = 16;

/// Bits that look random: a counter, mixed. Every u32 is the mix of one counter.
pub fn mix(counter: u32) -> u32 {
    let mut x = counter.wrapping_mul(0x9e37_79b9);
    x = (x ^ x >> 16).wrapping_mul(0x85eb_ca6b);
    x = (x ^ x >> 13).wrapping_mul(0xc2b2_ae35);
    x ^ x >> 16
}

/// The words of an array of them.
pub fn words(values: &Values) -> Result<&[u32]> {
    match values {
        Values::U32(words) => Ok(words),
        other => bail!("u32 were expected, and these are {}", other.element().name()),
    }
}

fn each<T>(count: usize, of: impl FnMut(u32) -> T) -> Vec<T> {
    (0..count as u32).map(of).collect()
}

pub fn u32s(count: usize) -> Values {
    Values::U32(each(count, mix))
}

pub fn bytes(count: usize) -> Values {
    Values::U8(each(count, |at| mix(at) as u8))
}

pub fn u64s(count: usize) -> Values {
    Values::U64(each(count, |at| u64::from(mix(at)) << 8))
}

/// From 0 to below 1.
pub fn f32s(count: usize) -> Values {
    Values::F32(each(count, |at| unit(mix(at))))
}

fn unit(bits: u32) -> f32 {
    (bits >> 8) as f32 / (1 << 24) as f32
}

/// Half of them zero.
pub fn half_zero(count: usize) -> Values {
    Values::U32(each(count, |at| if is_kept(at) { mix(at) } else { 0 }))
}

/// Whether an element is among the kept half.
pub fn is_kept(at: u32) -> bool {
    mix(at) < HALF
}

/// A byte for each element, set for those that are kept, and padding up to a whole word.
pub fn mask(count: usize) -> Values {
    let mut bytes = each(count, |at| u8::from(is_kept(at)));
    bytes.resize(count.next_multiple_of(4), 0);
    Values::U8(bytes)
}

/// Words that are set for one element in `every`, on the average.
pub fn flags(count: usize, every: u32) -> Values {
    Values::U32(each(count, |at| u32::from(begins(at, every))))
}

fn begins(at: u32, every: u32) -> bool {
    mix(at ^ 0x5555_5555).is_multiple_of(every)
}

/// Ascending keys, in runs of [`RUN`] elements on the average.
pub fn keys(count: usize) -> Values {
    let mut key = 0;
    Values::U32(each(count, |at| {
        key += u32::from(begins(at, RUN));
        key
    }))
}

/// Runs that [`keys`] has.
pub fn runs(count: usize) -> usize {
    (0..count as u32).filter(|&at| at == 0 || begins(at, RUN)).count()
}

/// Offsets of segments of 0 to `most` elements, that together are all of them.
pub fn offsets(count: usize, most: u32) -> Vec<u32> {
    let mut offsets = vec![0];
    let mut end = 0;
    while end < count as u32 {
        end = (end + mix(offsets.len() as u32) % (most + 1)).min(count as u32);
        offsets.push(end);
    }
    offsets
}

/// Indices below `count` in any order, some of them more than once.
pub fn indices(count: usize) -> Values {
    Values::U32(each(count, |at| ((u64::from(mix(at)) * count as u64) >> 32) as u32))
}

/// Every index below `count` once, in a random order: a mix that keeps to the bits of the count, and again where it ends beyond it.
pub fn permutation(count: usize) -> Values {
    let bits = usize::BITS - count.saturating_sub(1).leading_zeros();
    let mask = ((1u64 << bits) - 1) as u32;
    let half = bits.div_ceil(2).max(1);
    let step = |x: u32| {
        let mut x = x.wrapping_mul(0x9e37_79b1) & mask;
        x = (x ^ x >> half).wrapping_mul(0x85eb_ca6b) & mask;
        x = (x ^ x >> half).wrapping_mul(0xc2b2_ae35) & mask;
        x ^ x >> half
    };
    Values::U32(each(count, |at| {
        let mut x = step(at);
        while x as usize >= count {
            x = step(x);
        }
        x
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_permutation_has_every_index_once() -> Result<()> {
        for count in [1, 2, 3, 16, 1000, 1 << 12, 5001] {
            let mut found = words(&permutation(count))?.to_vec();
            found.sort_unstable();
            assert_eq!(found, (0..count as u32).collect::<Vec<_>>());
        }
        Ok(())
    }

    #[test]
    fn runs_are_as_long_as_is_said() -> Result<()> {
        let count = 1 << 16;
        let found = 1 + words(&keys(count))?.windows(2).filter(|pair| pair[0] != pair[1]).count();
        assert_eq!(found, runs(count));
        assert!(found.abs_diff(count / RUN as usize) < count / 200, "{found}");
        let kept = (0..count as u32).filter(|&at| is_kept(at)).count();
        assert!(kept.abs_diff(count / 2) < count / 100, "{kept}");
        Ok(())
    }

    #[test]
    fn indices_are_within_the_array() -> Result<()> {
        assert!(words(&indices(1000))?.iter().all(|&index| index < 1000));
        Ok(())
    }
}
