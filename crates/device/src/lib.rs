//! Vulkan instance, device, capabilities, profiles, quirks and memory for Wavelane.
//!
//! Everything is Vulkan's own underneath: each type gives out its handle, and the loader is opened at run time, so that a program starts
//! without Vulkan too and can say what to install.
//!
//! ```no_run
//! use wavelane_device::{Buffer, BufferDescription, Device, DeviceChoice, DeviceOptions, Instance, InstanceOptions, MemoryUse, Profile, choose};
//!
//! # fn main() -> Result<(), wavelane_device::Error> {
//! let instance = Instance::new(&InstanceOptions::default())?;
//! let adapters = instance.adapters()?;
//! let adapter = choose(&adapters, &DeviceChoice::from_env())?;
//! println!("{}: subgroups of {}", adapter.capabilities().device_name, adapter.capabilities().subgroup.size);
//!
//! // The same device, with no more than every Vulkan 1.1 device has.
//! let device = Device::new(adapter, &DeviceOptions { profile: Some(Profile::named("minimal")?), ..DeviceOptions::default() })?;
//! let buffer = Buffer::new(&device, &BufferDescription { size: 1 << 20, memory: MemoryUse::Upload, name: "input" })?;
//! buffer.write(0, &[1, 2, 3])?;
//! # Ok(())
//! # }
//! ```

mod adapter;
mod adopt;
mod buffer;
mod capabilities;
mod device;
mod error;
mod extensions;
mod features;
mod image;
mod instance;
mod memory;
mod pipeline_cache;
mod profile;
mod query;
mod queue;
mod queue_plan;
mod quirk_table;
mod quirks;
mod requirements;
mod restrict;
mod submit;
mod synchronization2;
mod timeline;
mod validation;

pub use adapter::{Adapter, DeviceChoice, QueueFamilyChoice, choose};
pub use adopt::{AdoptedDevice, AdoptedInstance, AdoptedQueue, QueueFault};
pub use ash;
pub use ash::vk;
pub use buffer::{Buffer, BufferDescription, ForeignBuffer};
pub use capabilities::*;
pub use device::{Device, DeviceOptions};
pub use error::Error;
pub use features::FeatureChain;
pub use image::{ForeignImage, Image, ImageDescription};
pub use instance::{Instance, InstanceOptions};
pub use memory::{MemoryStatistics, MemoryUse};
pub use pipeline_cache::{PipelineCacheFault, PipelineCacheReport, PipelineCacheSave, PipelineCacheStart};
pub use profile::Profile;
pub use queue::{Queue, QueueLock, QueueRole};
pub use quirks::{Quirk, QuirkEffect, quirks_of};
pub use requirements::{Requirement, RequirementKind, Requirements};
pub use submit::{SemaphoreSignal, SemaphoreWait, Submit};
pub use synchronization2::Synchronization2;
pub use timeline::SyncPoint;
pub use validation::{Severity, Validation, ValidationMessage};
