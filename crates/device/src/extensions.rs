//! What a device offers beyond its core version, or has enabled of it.

use std::collections::HashSet;
use std::ffi::{CStr, CString};

use ash::vk;

use crate::Version;
use crate::error::Error;
use crate::instance::Instance;

/// A device's extensions, and the core version that may be used of it.
#[derive(Debug)]
pub(crate) struct Extensions {
    names: HashSet<CString>,
    core: Version,
}

impl Extensions {
    pub(crate) fn read(instance: &Instance, physical: vk::PhysicalDevice, device_version: Version) -> Result<Self, Error> {
        // SAFETY: the physical device belongs to the living instance.
        let properties = unsafe { instance.raw().enumerate_device_extension_properties(physical) }
            .map_err(|result| Error::vulkan("vkEnumerateDeviceExtensionProperties", result))?;
        let names = properties.iter().filter_map(|property| property.extension_name_as_c_str().ok().map(CStr::to_owned)).collect();
        Ok(Self { names, core: device_version.min(instance.api_version()) })
    }

    /// The extensions that a caller enabled when making a device.
    pub(crate) fn enabled(names: &[&CStr], core: Version) -> Self {
        Self { names: names.iter().map(|&name| name.to_owned()).collect(), core }
    }

    /// The core version that may be used.
    pub(crate) fn core(&self) -> Version {
        self.core
    }

    /// Whether the extension is listed.
    pub(crate) fn listed(&self, name: &CStr) -> bool {
        self.names.contains(name)
    }

    /// Whether what the extension brought is there, by the extension or since it went into core version 1.`minor`.
    pub(crate) fn usable(&self, name: &CStr, minor: u32) -> bool {
        self.core >= Version::new(1, minor, 0) || self.listed(name)
    }
}
