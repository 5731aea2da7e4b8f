//! The digits that keys are told apart by, the highest first.

use crate::compact::width::Width;

/// Bits of a digit, where a row is gone through by one workgroup or is short.
pub(super) const DIGIT_BITS: u32 = 8;

/// Bits of a digit of long rows, which are gone through seldom then: 32 bits take three digits.
pub(super) const LONG_DIGIT_BITS: u32 = 11;

/// Neighbouring bits of one word of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Digit {
    /// Whether the word is the upper one of two.
    pub(super) upper: bool,
    /// Its lowest bit; narrow keys stand in the upper part of a word.
    pub(super) shift: u32,
    pub(super) bits: u32,
}

/// The digits of a key, none of them longer than `most` bits.
pub(super) fn digits(width: Width, most: u32) -> Vec<Digit> {
    let bits = 8 * width.bytes() as u32;
    let (words, word_bits): (&[bool], u32) = if bits > 32 { (&[true, false], 32) } else { (&[false], bits) };
    let count = word_bits.div_ceil(most);
    let of_word = |&upper: &bool| {
        let mut end = 32;
        (0..count).map(move |digit| {
            let bits = (end - (32 - word_bits)).div_ceil(count - digit);
            end -= bits;
            Digit { upper, shift: end, bits }
        })
    };
    words.iter().flat_map(of_word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_cover_a_key_from_the_top_down() {
        for width in [Width::W8, Width::W16, Width::W32, Width::W64] {
            for most in [1, 7, DIGIT_BITS, LONG_DIGIT_BITS] {
                let (mut upper, mut end, mut bits) = (width == Width::W64, 32, 0);
                for digit in digits(width, most) {
                    if upper && end == 0 {
                        (upper, end) = (false, 32);
                    }
                    assert_eq!((digit.upper, digit.shift + digit.bits), (upper, end), "{width:?} by {most}");
                    assert!((1..=most).contains(&digit.bits));
                    end = digit.shift;
                    bits += digit.bits;
                }
                assert_eq!(u64::from(bits), 8 * width.bytes());
                assert!(!upper);
            }
        }
    }

    #[test]
    fn long_digits_are_fewer() {
        let count = |width, most| digits(width, most).len();
        assert_eq!([Width::W8, Width::W16, Width::W32, Width::W64].map(|width| count(width, DIGIT_BITS)), [1, 2, 4, 8]);
        assert_eq!([Width::W8, Width::W16, Width::W32, Width::W64].map(|width| count(width, LONG_DIGIT_BITS)), [1, 2, 3, 6]);
    }
}
