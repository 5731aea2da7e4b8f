//! Keys to sort.

use wavelane::DType;
use wavelane_reference::Values;

use super::data::{Pattern, Random, element, values};

/// What keys are like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keys {
    Random,
    /// Bits that are set seldom: the keys of random numbers anded with each other.
    Sparse,
    /// Few values; among floats zeros of both signs.
    Few,
    Equal,
    Sorted,
    Reversed,
    /// Floats with NaN of several kinds.
    Nan,
    Infinite,
}

impl Keys {
    /// Those that a type has.
    pub fn of(dtype: DType) -> &'static [Keys] {
        const ALL: [Keys; 8] =
            [Keys::Random, Keys::Sparse, Keys::Few, Keys::Equal, Keys::Sorted, Keys::Reversed, Keys::Nan, Keys::Infinite];
        if dtype.is_float() { &ALL } else { &ALL[..6] }
    }

    pub fn values(self, dtype: DType, count: usize, seed: u64) -> Values {
        let sorted = || {
            let values = values(dtype, count, Pattern::Random, false, seed);
            let places = wavelane_reference::sort_places(&values, &[count], Some(0), &Default::default()).unwrap_or_default();
            values.take(places)
        };
        match self {
            // Bits of every kind: NaN are as likely as the rest among floats of the largest exponent.
            Keys::Random => {
                let mut random = Random::new(seed ^ count as u64);
                Values::from_bits(element(dtype), (0..count).map(|_| random.next()))
            }
            Keys::Sparse => {
                let mut random = Random::new(seed ^ count as u64);
                Values::from_bits(element(dtype), (0..count).map(|_| random.next() & random.next() & random.next()))
            }
            Keys::Few => values(dtype, count, Pattern::Ties, false, seed),
            Keys::Equal => values(dtype, count, Pattern::Equal, false, seed),
            Keys::Sorted => sorted(),
            Keys::Reversed => sorted().take((0..count).rev()),
            Keys::Nan => {
                let bits = values(dtype, count, Pattern::Nan, false, seed).bits();
                let sign = 1u64 << (8 * dtype.size() - 1);
                // NaN of both signs, some with other bits.
                let several = |(at, bits): (usize, u64)| if at % 3 == 0 { bits ^ sign } else { bits | u64::from(at % 5 == 0) };
                Values::from_bits(element(dtype), bits.into_iter().enumerate().map(several))
            }
            Keys::Infinite => values(dtype, count, Pattern::Infinite, false, seed),
        }
    }
}
