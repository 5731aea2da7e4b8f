//! The digits that keys are sorted by, the least first.

use super::{Sort, SortForm};
use crate::Error;
use crate::compact::width::Width;

/// The most bits of a digit, and of one of keys in rows that are shorter than a digit has values.
pub(super) const DIGIT_BITS: u32 = 8;
const SHORT_BITS: u32 = 4;

/// Neighbouring bits of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Digit {
    pub(super) first_bit: u32,
    pub(super) bits: u32,
}

impl Digit {
    /// Where it stands in the words of keys: narrow ones are in the upper part of theirs.
    pub(super) fn shift(self, width: Width) -> u32 {
        32u32.saturating_sub(8 * width.bytes() as u32) + self.first_bit
    }

    /// Its bits, moved down.
    pub(super) fn mask(self) -> u32 {
        (1 << self.bits) - 1
    }
}

impl Sort {
    /// The most bits of a digit: which device it is has no part in it, as where results are follows from it.
    pub(super) fn digit_bits(&self) -> u32 {
        if self.segments.is_some() {
            return DIGIT_BITS;
        }
        let row_length = self.axis.map_or_else(|| self.shape.iter().product(), |axis| self.shape.get(axis).copied().unwrap_or(0));
        if row_length < 1 << DIGIT_BITS { SHORT_BITS } else { DIGIT_BITS }
    }

    /// One at least, which moves everything by nothing where there is nothing to compare.
    pub(super) fn digits(&self) -> Result<Vec<Digit>, Error> {
        let all = self.dtype.bits();
        let [begin, end] = self.bits.unwrap_or([0, all]);
        if begin > end || end > all {
            return Err(Error::SortBits { begin, end, dtype: self.dtype, bits: all });
        }
        let passes = (end - begin).div_ceil(self.digit_bits()).max(1);
        // What goes from the array to scratch must come back.
        let passes = if self.form == SortForm::InPlace { passes.next_multiple_of(2) } else { passes };
        let mut first_bit = begin;
        let digits = (0..passes).map(|pass| {
            let bits = (end - first_bit).div_ceil(passes - pass);
            let digit = Digit { first_bit, bits };
            first_bit += bits;
            digit
        });
        Ok(digits.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DType;

    #[test]
    fn digits_cover_the_bits_once() {
        for dtype in DType::ALL {
            for form in [SortForm::OutOfPlace, SortForm::InPlace, SortForm::DoubleBuffer] {
                for begin in 0..=dtype.bits() {
                    for end in begin..=dtype.bits() {
                        let sort = Sort { form, ..Sort::new(dtype, &[if end % 2 == 0 { 9 } else { 999 }]).by_bits(begin, end) };
                        let digits = sort.digits().expect("bits of the key");
                        let mut next = begin;
                        for digit in &digits {
                            assert_eq!(digit.first_bit, next);
                            assert!(digit.bits <= sort.digit_bits());
                            next += digit.bits;
                        }
                        assert_eq!(next, end);
                        assert!(form != SortForm::InPlace || digits.len().is_multiple_of(2));
                    }
                }
            }
        }
    }

    #[test]
    fn bits_that_a_key_does_not_have_are_refused() {
        for (begin, end) in [(0, 33), (9, 8), (40, 41)] {
            let error = Sort::new(DType::U32, &[9]).by_bits(begin, end).digits().expect_err("no such bits");
            assert!(error.to_string().contains(&format!("bits {begin} to {end}")), "{error}");
        }
    }
}
