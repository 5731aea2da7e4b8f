//! The figures, as a table and as JSON.

use std::fmt;

use serde::Serialize;
use wavelane::Path;
use wavelane::device::{Adapter, DeviceType};

use super::Bench;
use super::bars::{self, Judged};
use super::case::Work;
use super::clock::Clock;
use crate::sample::Spread;

/// Everything measured in a run.
#[derive(Debug, Serialize)]
pub struct Report {
    device: String,
    driver: String,
    api_version: String,
    clock: String,
    /// What the clock shows for nothing.
    empty_ns: Spread,
    forced_path: Option<Path>,
    samples: usize,
    sets: usize,
    pub rows: Vec<Row>,
    /// Empty where nothing was to be checked.
    bars: Vec<Judged>,
}

/// A case at one size, or why there are no figures.
#[derive(Debug, Serialize)]
pub struct Row {
    pub case: &'static str,
    /// The size that was asked for, as a power of two.
    pub log2: Option<u32>,
    #[serde(flatten)]
    pub figures: Option<Figures>,
    /// Why the case cannot be measured here.
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped: Option<String>,
    /// How results differ from the CPU's.
    #[serde(skip_serializing_if = "Option::is_none")]
    wrong: Option<String>,
}

/// What was measured.
#[derive(Clone, Debug, Serialize)]
pub struct Figures {
    pub elements: u64,
    /// Bytes that have to move whatever the algorithm.
    bytes: u64,
    pub ns: Spread,
    /// Of the median.
    pub ns_per_element: f64,
    /// Of the median.
    gb_per_s: f64,
    path: Path,
    strategy: String,
    /// What was timed beside it on the host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beside: Option<HostFigures>,
}

/// What the host takes for the same.
#[derive(Clone, Debug, Serialize)]
pub struct HostFigures {
    pub name: &'static str,
    pub ns: Spread,
}

impl Figures {
    pub fn new(work: &dyn Work, elements: u64, bytes: u64, mut times: Vec<f64>) -> Self {
        let ns = Spread::of(&mut times);
        let (ns_per_element, gb_per_s) = (ns.median / elements as f64, bytes as f64 / ns.median);
        Self { elements, bytes, ns, ns_per_element, gb_per_s, path: work.path(), strategy: work.strategy(), beside: None }
    }

    /// With what was timed on the host.
    pub fn beside(self, host: Option<(&'static str, Vec<f64>)>) -> Self {
        Self { beside: host.map(|(name, mut times)| HostFigures { name, ns: Spread::of(&mut times) }), ..self }
    }

    /// Figures of a kernel that always takes as long.
    #[cfg(test)]
    pub fn steady(elements: u64, time: f64) -> Self {
        let ns = Spread { low: time, median: time, high: time };
        let ns_per_element = time / elements as f64;
        Self { elements, bytes: 0, ns, ns_per_element, gb_per_s: 0.0, path: Path::SharedMemory, strategy: String::new(), beside: None }
    }
}

impl Row {
    pub fn measured(case: &'static str, log2: u32, figures: Figures) -> Self {
        Self { case, log2: Some(log2), figures: Some(figures), skipped: None, wrong: None }
    }

    pub fn skipped(case: &'static str, log2: Option<u32>, why: &anyhow::Error) -> Self {
        Self { case, log2, figures: None, skipped: Some(format!("{why:#}")), wrong: None }
    }

    pub fn wrong(case: &'static str, difference: String) -> Self {
        Self { case, log2: None, figures: None, skipped: None, wrong: Some(difference) }
    }
}

impl Report {
    pub fn new(adapter: &Adapter, bench: &Bench, clock: &Clock) -> Self {
        let capabilities = adapter.capabilities();
        Self {
            device: capabilities.device_name.clone(),
            driver: [&capabilities.driver_name, &capabilities.driver_info].map(|text| text.trim()).join(" ").trim().to_owned(),
            api_version: capabilities.api_version.to_string(),
            clock: clock.to_string(),
            empty_ns: clock.empty,
            forced_path: bench.path,
            samples: bench.samples,
            sets: bench.sets,
            rows: Vec::new(),
            bars: Vec::new(),
        }
    }

    /// Holds the rows against the bars, and prints what comes of it.
    pub fn judge(&mut self, device: DeviceType) {
        self.bars = bars::judge(&self.rows, device);
        self.bars.iter().for_each(|bar| println!("{bar}"));
        if self.bars.is_empty() {
            println!("no bar has its figures among these cases and sizes");
        }
    }

    /// Whether no result was wrong and, where bars were to be checked, there are some and none is broken.
    pub fn is_good(&self, checked: bool) -> bool {
        self.rows.iter().all(|row| row.wrong.is_none()) && (!checked || (!self.bars.is_empty() && self.bars.iter().all(Judged::is_kept)))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "device   {}, Vulkan {}", self.device, self.api_version)?;
        writeln!(f, "driver   {}", self.driver)?;
        writeln!(f, "clock    {}", self.clock)?;
        writeln!(f, "medians of {} samples in {} sets of buffers, and in brackets their middle half;", self.samples, self.sets)?;
        writeln!(f, "GB/s of the bytes that have to move: each input read once, each result written once\n")?;
        writeln!(f, "{:<46} {:<5} {:>32} {:>10} {:>8}  path, strategy", "", "", "µs", "ns/element", "GB/s")
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.log2.map_or_else(String::new, |log2| format!("2^{log2}"));
        write!(f, "{:<46} {size:<5} ", self.case)?;
        if let Some(why) = &self.skipped {
            return write!(f, "skipped: {why}");
        }
        if let Some(difference) = &self.wrong {
            return write!(f, "WRONG: {difference}");
        }
        let Some(Figures { ns, ns_per_element, gb_per_s, path, strategy, beside, .. }) = &self.figures else { return Ok(()) };
        write!(f, "{:>32} {ns_per_element:>10.4} {gb_per_s:>8.1}  {path}, {strategy}", microseconds(ns))?;
        match beside {
            Some(HostFigures { name, ns }) => write!(f, "; {name} on the host: {}", microseconds(ns)),
            None => Ok(()),
        }
    }
}

fn microseconds(ns: &Spread) -> String {
    let [low, median, high] = [ns.low, ns.median, ns.high].map(|ns| ns / 1e3);
    format!("{median:.1} ({low:.1} to {high:.1})")
}
