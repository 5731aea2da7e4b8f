//! Vulkan instance, device, capabilities, profiles, quirks and memory for Wavelane.

mod adapter;
mod buffer;
mod capabilities;
mod device;
mod error;
mod extensions;
mod features;
mod instance;
mod memory;
mod profile;
mod query;
mod queue;
mod quirks;
mod restrict;
mod validation;

pub use adapter::{Adapter, DeviceChoice, QueueFamilyChoice, choose};
pub use ash;
pub use ash::vk;
pub use buffer::{Buffer, BufferDescription};
pub use capabilities::*;
pub use device::{Device, DeviceOptions};
pub use error::Error;
pub use instance::{Instance, InstanceOptions};
pub use memory::{MemoryStatistics, MemoryUse};
pub use profile::Profile;
pub use queue::{Queue, QueueGuard};
pub use quirks::{Quirk, QuirkEffect, quirks_of};
pub use validation::{Severity, Validation, ValidationMessage};
