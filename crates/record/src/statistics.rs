//! What the driver says of the code that it made of a pipeline: registers, spills, instructions.

mod summary;

use std::ffi::{CStr, c_char};
use std::fmt;

use ash::vk;

pub use self::summary::ExecutableSummary;
use crate::error::Error;
use crate::pipeline::ComputePipeline;

/// What the driver says of a pipeline.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PipelineStatistics {
    /// What the pipeline was compiled to: for a compute pipeline one executable, or one for each subgroup size that the driver may take.
    pub executables: Vec<ExecutableStatistics>,
    /// Why there are none, where there are none.
    pub missing: Option<StatisticsMissing>,
}

/// Why there are no statistics of a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StatisticsMissing {
    /// The device, or the one that is simulated, lacks `VK_KHR_pipeline_executable_properties`.
    NotSupported,
    /// [`DeviceOptions::capture_statistics`](wavelane_device::DeviceOptions::capture_statistics) was off when the device was made.
    NotAsked,
    /// The driver was asked, and gave nothing.
    NothingGiven,
}

/// One executable of a pipeline.
#[derive(Clone, Debug, PartialEq)]
pub struct ExecutableStatistics {
    /// The driver's name for it.
    pub name: String,
    /// The driver's description.
    pub description: String,
    /// Lanes of its subgroups; 0 where the driver does not say.
    pub subgroup_size: u32,
    /// The driver's figures, in its order and with its names. See [`ExecutableStatistics::summary`] for names that are the same everywhere.
    pub statistics: Vec<Statistic>,
}

/// A figure that the driver gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Statistic {
    /// The driver's name for it.
    pub name: String,
    /// The driver's description.
    pub description: String,
    /// The figure.
    pub value: StatisticValue,
}

/// The value of a [`Statistic`], in the type that the driver gives it in.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum StatisticValue {
    /// Yes or no.
    Bool(bool),
    /// A signed number.
    I64(i64),
    /// An unsigned number.
    U64(u64),
    /// A number with a fraction.
    F64(f64),
}

impl ComputePipeline {
    /// What the driver says of the code that it made of the pipeline. Where it says nothing, that is no error: the result has the reason.
    ///
    /// # Errors
    ///
    /// [`Error::DeviceLost`], or what Vulkan returned.
    pub fn statistics(&self) -> Result<PipelineStatistics, Error> {
        let device = self.device();
        let missing = |reason| Ok(PipelineStatistics { executables: Vec::new(), missing: Some(reason) });
        if !device.capabilities().features.pipeline_executable_statistics {
            return missing(StatisticsMissing::NotSupported);
        }
        if !device.captures_statistics() {
            return missing(StatisticsMissing::NotAsked);
        }
        let functions = ash::khr::pipeline_executable_properties::Device::new(device.instance().raw(), device.raw());
        let info = vk::PipelineInfoKHR::default().pipeline(self.raw());
        // SAFETY: the pipeline is alive and of this device, on which the feature is enabled.
        let properties = unsafe { functions.get_pipeline_executable_properties(&info) }
            .map_err(|result| Error::vulkan("vkGetPipelineExecutablePropertiesKHR", result))?;
        let mut executables = Vec::with_capacity(properties.len());
        for (index, executable) in (0u32..).zip(&properties) {
            let info = vk::PipelineExecutableInfoKHR::default().pipeline(self.raw()).executable_index(index);
            // SAFETY: as above; the index is one of those just listed, and the device makes all of its pipelines with the flag to capture statistics.
            let statistics = unsafe { functions.get_pipeline_executable_statistics(&info) }
                .map_err(|result| Error::vulkan("vkGetPipelineExecutableStatisticsKHR", result))?;
            executables.push(ExecutableStatistics {
                name: text(&executable.name),
                description: text(&executable.description),
                subgroup_size: executable.subgroup_size,
                statistics: statistics.iter().filter_map(statistic).collect(),
            });
        }
        if executables.is_empty() {
            return missing(StatisticsMissing::NothingGiven);
        }
        Ok(PipelineStatistics { executables, missing: None })
    }
}

/// A figure, unless it is of a type that this library does not know.
fn statistic(raw: &vk::PipelineExecutableStatisticKHR<'_>) -> Option<Statistic> {
    use vk::PipelineExecutableStatisticFormatKHR as Format;
    // SAFETY: the driver says by the format which member of the union it wrote; every bit pattern is a value of the three numbers, and the boolean is
    // read as the 32-bit number that it is.
    let value = unsafe {
        match raw.format {
            Format::BOOL32 => StatisticValue::Bool(raw.value.b32 != vk::FALSE),
            Format::INT64 => StatisticValue::I64(raw.value.i64),
            Format::UINT64 => StatisticValue::U64(raw.value.u64),
            Format::FLOAT64 => StatisticValue::F64(raw.value.f64),
            _ => return None,
        }
    };
    Some(Statistic { name: text(&raw.name), description: text(&raw.description), value })
}

/// The text of an array that should end with a NUL, and need not.
fn text(array: &[c_char]) -> String {
    let bytes: Vec<u8> = array.iter().map(|&letter| letter as u8).take_while(|&byte| byte != 0).chain([0]).collect();
    CStr::from_bytes_until_nul(&bytes).map(|text| text.to_string_lossy().into_owned()).unwrap_or_default()
}

impl StatisticValue {
    /// The value as a whole number that is not negative; `None` where it is no such number.
    pub fn as_u64(self) -> Option<u64> {
        match self {
            Self::Bool(value) => Some(value.into()),
            Self::I64(value) => value.try_into().ok(),
            Self::U64(value) => Some(value),
            Self::F64(value) if value >= 0.0 && value.fract() == 0.0 && value < 2f64.powi(64) => Some(value as u64),
            Self::F64(_) => None,
        }
    }
}

impl fmt::Display for StatisticValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => f.write_str(if *value { "yes" } else { "no" }),
            Self::I64(value) => value.fmt(f),
            Self::U64(value) => value.fmt(f),
            Self::F64(value) => value.fmt(f),
        }
    }
}

impl fmt::Display for StatisticsMissing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotSupported => "the device lacks VK_KHR_pipeline_executable_properties",
            Self::NotAsked => "the device was made without capture_statistics",
            Self::NothingGiven => "the driver gives none for this pipeline",
        })
    }
}
