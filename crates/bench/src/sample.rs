//! Taking samples of two things in turns, and what they say.

use anyhow::Result;
use serde::Serialize;

use crate::arguments::Recording;

/// The middle of some figures, and the range of their middle half.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Spread {
    /// A quarter of the figures is lower.
    pub low: f64,
    /// Half of them is.
    pub median: f64,
    /// Three quarters are.
    pub high: f64,
}

impl Spread {
    /// Of figures in any order; zero of none.
    pub fn of(figures: &mut [f64]) -> Self {
        figures.sort_unstable_by(f64::total_cmp);
        let at = |quarter: usize| figures.get((figures.len().saturating_sub(1)) * quarter / 4).copied().unwrap_or_default();
        Self { low: at(1), median: at(2), high: at(3) }
    }
}

/// Wavelane against something else.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Comparison {
    /// Nanoseconds through Wavelane.
    pub wavelane_ns: Spread,
    /// Nanoseconds of the other.
    pub other_ns: Spread,
    /// Wavelane's median over the other's, one figure a round.
    pub ratio: Spread,
}

/// Samples both in turns: what disturbs the machine for longer than a sample falls on both, and a round that it spoils is one of many.
pub fn compare(
    arguments: &Recording,
    mut wavelane: impl FnMut() -> Result<f64>,
    mut other: impl FnMut() -> Result<f64>,
) -> Result<Comparison> {
    // What is allocated, mapped or compiled at the first use is not what is measured.
    for _ in 0..arguments.samples.min(20) {
        wavelane()?;
        other()?;
    }
    let samples = arguments.samples as usize;
    let (mut all_wavelane, mut all_other, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..arguments.rounds {
        let (mut ours, mut theirs) = (Vec::with_capacity(samples), Vec::with_capacity(samples));
        for _ in 0..samples {
            // Neither is always the one that finds the caches as the other left them.
            if round % 2 == 0 {
                ours.push(wavelane()?);
                theirs.push(other()?);
            } else {
                theirs.push(other()?);
                ours.push(wavelane()?);
            }
        }
        ratios.push(Spread::of(&mut ours).median / Spread::of(&mut theirs).median);
        all_wavelane.append(&mut ours);
        all_other.append(&mut theirs);
    }
    Ok(Comparison { wavelane_ns: Spread::of(&mut all_wavelane), other_ns: Spread::of(&mut all_other), ratio: Spread::of(&mut ratios) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_of_few_and_many() {
        let spread = |figures: &mut [f64]| {
            let spread = Spread::of(figures);
            (spread.low, spread.median, spread.high)
        };
        assert_eq!(spread(&mut [5.0, 1.0, 4.0, 2.0, 3.0]), (2.0, 3.0, 4.0));
        assert_eq!(spread(&mut [7.0]), (7.0, 7.0, 7.0));
        assert_eq!(spread(&mut []), (0.0, 0.0, 0.0));
    }

    #[test]
    fn the_ratio_is_ours_over_theirs() -> Result<()> {
        let arguments = Recording { device: None, rounds: 3, samples: 5, only: None, json: None, check: false };
        let comparison = compare(&arguments, || Ok(30.0), || Ok(20.0))?;
        assert_eq!((comparison.ratio.median, comparison.wavelane_ns.high, comparison.other_ns.low), (1.5, 30.0, 20.0));
        Ok(())
    }
}
