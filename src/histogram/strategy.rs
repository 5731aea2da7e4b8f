//! Where workgroups count.

use std::fmt;

use serde::{Deserialize, Serialize};
use wavelane_device::{Capabilities, Quirk, QuirkEffect};

use super::geometry::Geometry;
use crate::Tuning;

/// Where the workgroups of a histogram count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HistogramStrategy {
    /// Each in its own shared memory, and then adds what it found to the results. Bins beyond what shared memory holds take another pass over the elements.
    SharedMemory,
    /// In the results, by an atomic for each element, or for each run of neighbours in one bin. Slow where most elements are in few bins.
    Results,
}

impl fmt::Display for HistogramStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::SharedMemory => "shared memory",
            Self::Results => "results",
        })
    }
}

/// The most passes over the elements that are better than counting in the results.
const MOST_PASSES: u64 = 4;

/// The most times that bins stand in shared memory: one for each lane of most subgroups.
const MOST_COPIES: u64 = 32;

/// How the bins of a segment are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) strategy: HistogramStrategy,
    /// Bins of a pass.
    pub(super) pass_bins: u64,
    pub(super) copies_log2: u32,
    /// Words of shared memory; at least one, as arrays have.
    pub(super) words: u64,
}

impl Place {
    /// For bins of `bin_words` words each.
    pub(super) fn of(
        geometry: &Geometry,
        bin_words: u64,
        wanted: Option<HistogramStrategy>,
        (capabilities, quirks, tuning): (&Capabilities, &[&'static Quirk], &Tuning),
    ) -> Self {
        let bytes = quirks.iter().filter_map(|quirk| match quirk.effect {
            QuirkEffect::LimitSharedMemory { bytes } => Some(bytes),
            _ => None,
        });
        let most = tuning.shared_memory_budget.min(capabilities.limits.max_compute_shared_memory_size);
        let held = u64::from(bytes.fold(most, u32::min)) / 4 / bin_words;
        let passes = geometry.segment_bins.div_ceil(held.max(1));
        let strategy = match wanted {
            _ if held == 0 => HistogramStrategy::Results,
            Some(strategy) => strategy,
            None if passes <= MOST_PASSES => HistogramStrategy::SharedMemory,
            None => HistogramStrategy::Results,
        };
        if strategy == HistogramStrategy::Results {
            return Self { strategy, pass_bins: geometry.segment_bins, copies_log2: 0, words: 1 };
        }
        // Passes of about the same length.
        let pass_bins = geometry.segment_bins.div_ceil(passes);
        // Sums of weights are several words, and have no copies.
        let copies = if bin_words == 1 { (held / pass_bins).clamp(1, MOST_COPIES) } else { 1 };
        let copies_log2 = copies.ilog2();
        Self { strategy, pass_bins, copies_log2, words: (pass_bins << copies_log2) * bin_words }
    }

    pub(super) fn describe(&self, segment_bins: u64) -> String {
        match self.strategy {
            HistogramStrategy::Results => "counted in the results".into(),
            HistogramStrategy::SharedMemory => {
                let passes = segment_bins.div_ceil(self.pass_bins);
                let passes = if passes > 1 { format!(" in {passes} passes") } else { String::new() };
                let copies = 1u32 << self.copies_log2;
                format!("counted in shared memory{passes}, {copies} of each bin")
            }
        }
    }
}
