//! The figures, as a table and as JSON.

use std::fmt;

use serde::Serialize;
use wavelane_device::{Adapter, Device};

use crate::sample::{Comparison, Spread};

/// Everything measured in a run.
#[derive(Debug, Serialize)]
pub struct Report {
    device: String,
    driver: String,
    api_version: String,
    pub configurations: Vec<Configuration>,
}

/// What was measured on one device.
#[derive(Debug, Serialize)]
pub struct Configuration {
    /// `None`: all that the device has.
    profile: Option<&'static str>,
    descriptors: &'static str,
    barriers: &'static str,
    waits: &'static str,
    measures: Vec<Measure>,
}

/// One comparison.
#[derive(Debug, Serialize)]
pub struct Measure {
    name: &'static str,
    against: &'static str,
    #[serde(flatten)]
    comparison: Comparison,
    /// What the ratio's median must not be above.
    bar: Option<f64>,
}

impl Report {
    pub fn new(adapter: &Adapter) -> Self {
        let capabilities = adapter.capabilities();
        Self {
            device: capabilities.device_name.clone(),
            driver: [&capabilities.driver_name, &capabilities.driver_info].map(|text| text.trim()).join(" ").trim().to_owned(),
            api_version: capabilities.api_version.to_string(),
            configurations: Vec::new(),
        }
    }

    pub fn keeps_bars(&self) -> bool {
        self.configurations.iter().flat_map(|configuration| &configuration.measures).all(Measure::keeps_bar)
    }
}

impl Configuration {
    pub fn new(device: &Device, profile: Option<&'static str>, measures: Vec<Measure>) -> Self {
        Self {
            profile,
            descriptors: if device.push_descriptor().is_some() { "push descriptors" } else { "pooled sets" },
            barriers: if device.synchronization2().is_some() { "synchronization2" } else { "Vulkan 1.1's barriers" },
            waits: if device.capabilities().features.timeline_semaphore { "a timeline semaphore" } else { "fences" },
            measures,
        }
    }
}

impl Measure {
    pub fn new(name: &'static str, against: &'static str, comparison: Comparison, bar: Option<f64>) -> Self {
        Self { name, against, comparison, bar }
    }

    fn keeps_bar(&self) -> bool {
        self.bar.is_none_or(|bar| self.comparison.ratio.median <= bar)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "device   {}, Vulkan {}", self.device, self.api_version)?;
        writeln!(f, "driver   {}", self.driver)?;
        writeln!(f, "medians, and in brackets the middle half of all samples or rounds; ns")?;
        self.configurations.iter().try_for_each(|configuration| write!(f, "\n{configuration}"))
    }
}

impl fmt::Display for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.profile.unwrap_or("as it is");
        writeln!(f, "{name}: {}, {}, {}", self.descriptors, self.barriers, self.waits)?;
        writeln!(f, "  {:<42} {:>24}  {:<13} {:>24} {:>7}  {:<20} bar", "", "wavelane", "against", "", "added", "ratio")?;
        self.measures.iter().try_for_each(|measure| writeln!(f, "  {measure}"))
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Comparison { wavelane_ns, other_ns, ratio } = self.comparison;
        let figure = |spread: Spread| format!("{:.0} ({:.0} to {:.0})", spread.median, spread.low, spread.high);
        let ratio = format!("{:.2} ({:.2} to {:.2})", ratio.median, ratio.low, ratio.high);
        let added = wavelane_ns.median - other_ns.median;
        write!(f, "{:<42} {:>24}  {:<13} {:>24} ", self.name, figure(wavelane_ns), self.against, figure(other_ns))?;
        write!(f, "{added:>7.0}  {ratio:<20}")?;
        match self.bar {
            Some(bar) if self.keeps_bar() => write!(f, " {bar}, kept"),
            Some(bar) => write!(f, " {bar}, BROKEN"),
            None => Ok(()),
        }
    }
}
