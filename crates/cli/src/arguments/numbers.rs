//! Numbers on the command line, and the words in which others are refused: what is allowed. The parser says what was given.

use std::num::NonZeroUsize;

/// How many.
pub fn count(text: &str) -> Result<u64, String> {
    whole(text, 0, u64::MAX)
}

/// How many, of what is addressed.
pub fn size(text: &str) -> Result<usize, String> {
    whole(text, 0, usize::MAX)
}

/// How many of something that there is at least one of.
pub fn length(text: &str) -> Result<NonZeroUsize, String> {
    whole(text, 1, usize::MAX)
}

/// Which bit.
pub fn bit(text: &str) -> Result<u32, String> {
    whole(text, 0, u32::MAX)
}

/// An axis, from the first or from the last.
pub fn axis(text: &str) -> Result<i64, String> {
    text.parse().map_err(|_| "a whole number is needed, as in 0 for the first axis or -1 for the last".to_owned())
}

/// One of an array's extents.
pub fn extent(text: &str) -> Result<u64, String> {
    count(text).map_err(|needed| format!("{needed} for each extent, with commas between them, as in 2,3"))
}

/// Which of several in an order.
pub fn place(text: &str) -> Result<i64, String> {
    text.parse().map_err(|_| "a whole number is needed, as in 0 for the first place or -1 for the last".to_owned())
}

/// One of several numbers from 0 to 1. Those beyond are for the library to refuse.
pub fn quantile(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| "a number from 0 to 1 is needed for each quantile, with commas between them, as in 0.25,0.5".to_owned())
}

/// Where bins begin or end.
pub fn bound(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| "a number is needed, as in 1.5, -3e7 or 12".to_owned())
}

fn whole<T: std::str::FromStr>(text: &str, least: u8, most: impl std::fmt::Display) -> Result<T, String> {
    text.parse().map_err(|_| format!("a whole number from {least} to {most} is needed"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_out_of_range_are_refused_with_the_range() {
        assert_eq!((count("18446744073709551615"), size("0"), bit("7"), axis("-2")), (Ok(u64::MAX), Ok(0), Ok(7), Ok(-2)));
        let most = "a whole number from 0 to 18446744073709551615 is needed";
        for wrong in ["", "-1", "x", "1.5", "18446744073709551616"] {
            assert_eq!(count(wrong), Err(most.to_owned()), "{wrong}");
            assert!(extent(wrong).is_err_and(|text| text.starts_with(most)) && axis("x").is_err(), "{wrong}");
        }
        assert!(length("0").is_err_and(|text| text.contains("from 1 to ")));
        assert!(bit("4294967296").is_err_and(|text| text.contains("from 0 to 4294967295")));
        assert!(place("1.5").is_err_and(|text| text.contains("-1 for the last")) && place("-1") == Ok(-1));
        assert!(quantile("").is_err_and(|text| text.contains("with commas between")) && quantile("0.5") == Ok(0.5));
        assert!(bound("much").is_err() && bound("-3e7") == Ok(-3e7));
    }
}
