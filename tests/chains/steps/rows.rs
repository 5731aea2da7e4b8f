//! The current array in rows, and the offsets that tell where each row's results begin: segments, for kernels that take such.

use libtest_mimic::Failed;
use wavelane::DType;
use wavelane_reference::Values;

use super::chain::{Array, Chain};
use super::data::Random;

/// Rows that an array with all that there may be is made of.
pub struct Rows {
    pub length: usize,
    count: usize,
}

impl Rows {
    /// Short ones, one, or those that happen to divide the array.
    pub fn of(input: &Array, random: &mut Random) -> Self {
        let capacity = input.capacity;
        let divisors: Vec<usize> = (1..=capacity).filter(|length| capacity.is_multiple_of(*length)).collect();
        if divisors.is_empty() {
            return Self { length: random.pick(&[0, 5]), count: 0 };
        }
        let length = random.pick(&divisors);
        Self { length, count: capacity / length }
    }

    /// A slot for the offsets, which is none of the arguments'.
    pub fn slot(&self, chain: &mut Chain, arguments: &[usize], random: &mut Random) -> usize {
        chain.room_for(DType::U32, self.count + 1, arguments, random)
    }

    /// The offsets that the kernel has left. Rows behind the last that has elements have no results.
    pub fn left(&self, chain: &mut Chain, slot: usize, mut offsets: Vec<u32>) -> Result<(), Failed> {
        offsets.resize(self.count + 1, offsets.last().copied().unwrap_or(0));
        chain.result(slot, DType::U32, Values::U32(offsets), self.count + 1, None)?;
        Ok(())
    }
}
