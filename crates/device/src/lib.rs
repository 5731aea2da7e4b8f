//! Vulkan instance, device, capabilities, profiles, quirks and memory for Wavelane.

mod capabilities;

pub use ash;
pub use ash::vk;
pub use capabilities::*;
