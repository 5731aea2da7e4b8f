//! What to enable on an instance and a device for Wavelane to work on it, and what each piece buys.

use std::ffi::CStr;
use std::fmt;

use ash::vk;

use crate::adapter::Adapter;
use crate::device::assemble::{known_faults, wanted};
use crate::extensions::Extensions;
use crate::features::{FeatureChain, ROWS, Row, Switches};
use crate::{Capabilities, Version};

/// Where a requirement is met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RequirementKind {
    /// `VkApplicationInfo::apiVersion`, and the device's version.
    Version,
    /// An extension of the instance.
    InstanceExtension,
    /// A queue to make with the device.
    Queue,
    /// An extension of the device.
    DeviceExtension,
    /// A feature of the device, with the extension that brings it where the core version does not.
    Feature,
}

/// One thing to enable.
#[derive(Clone)]
pub struct Requirement {
    /// Vulkan's name of the feature, of the extension or of the flag.
    pub name: &'static str,
    /// Where it is enabled.
    pub kind: RequirementKind,
    /// Whether nothing works without it. What is not needed is used where it is there.
    pub needed: bool,
    /// The extension to enable; `None` where there is none, or the core version has it.
    pub extension: Option<&'static CStr>,
    /// Core version that has it without an extension; `None` where none does.
    pub core: Option<Version>,
    /// What it buys.
    pub buys: &'static str,
    row: Option<&'static Row>,
}

impl fmt::Debug for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Requirement")
            .field("name", &self.name)
            .field("kind", &self.kind)
            .field("needed", &self.needed)
            .field("extension", &self.extension)
            .field("core", &self.core)
            .finish_non_exhaustive()
    }
}

/// What to enable, needed and optional: for a program that makes its own device and lends it ([`Device::adopt`](crate::Device::adopt)).
///
/// Shown as a table by `Display`. Leave out by [`Requirements::retain`] what is not wanted; everything optional may go.
///
/// ```no_run
/// use wavelane_device::{Adapter, Requirements};
///
/// # fn example(adapter: &Adapter) {
/// println!("{}", Requirements::known());
///
/// // Everything this device has, but no 64-bit floats.
/// let mut requirements = Requirements::of(adapter);
/// requirements.retain(|requirement| requirement.name != "shaderFloat64");
/// let (extensions, features) = (requirements.extensions(), requirements.features());
/// # let _ = (extensions, features);
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Requirements {
    list: Vec<Requirement>,
}

impl Requirements {
    /// Everything that Wavelane can use of any device. For a device that is there, [`Requirements::of`] says what it has of that.
    pub fn known() -> Self {
        let mut list = vec![
            needed("Vulkan 1.1", RequirementKind::Version, "subgroup operations, and modules of SPIR-V 1.3, which all kernels are"),
            optional(
                "VK_EXT_debug_utils",
                RequirementKind::InstanceExtension,
                "names and labels in profilers, captures and validation messages",
            ),
            needed("VK_QUEUE_COMPUTE_BIT", RequirementKind::Queue, "a queue of such a family is what dispatches are submitted to"),
            optional(
                "VK_QUEUE_COMPUTE_BIT without VK_QUEUE_GRAPHICS_BIT",
                RequirementKind::Queue,
                "compute that runs beside graphics and other compute",
            ),
            optional("VK_QUEUE_TRANSFER_BIT alone", RequirementKind::Queue, "copies that run beside compute"),
            Requirement {
                extension: Some(ash::khr::portability_subset::NAME),
                ..needed(
                    "VK_KHR_portability_subset",
                    RequirementKind::DeviceExtension,
                    "devices that list it, on macOS for one, must have it enabled",
                )
            },
        ];
        list[1].extension = Some(ash::ext::debug_utils::NAME);
        list.extend(ROWS.iter().filter_map(of_row));
        Self { list }
    }

    /// What an adapter's device has of that. Features that a known fault of its driver forbids are left out.
    ///
    /// The extension of a feature is named only where the adapter's core version, which is the lesser of the instance's and the device's, lacks the feature.
    pub fn of(adapter: &Adapter) -> Self {
        let mut capabilities = wanted(adapter.capabilities(), None);
        known_faults(&mut capabilities, None);
        // SAFETY: the physical device belongs to the living instance.
        let families = unsafe { adapter.instance().raw().get_physical_device_queue_family_properties(adapter.raw()) };
        let has = |flags: vk::QueueFlags, not: vk::QueueFlags| {
            families.iter().any(|family| family.queue_flags.contains(flags) && !family.queue_flags.intersects(not))
        };
        let (compute, graphics, transfer) = (vk::QueueFlags::COMPUTE, vk::QueueFlags::GRAPHICS, vk::QueueFlags::TRANSFER);
        let mut requirements = Self::narrowed(&capabilities, adapter.extensions());
        requirements.list.retain(|requirement| match requirement.name {
            "VK_QUEUE_COMPUTE_BIT without VK_QUEUE_GRAPHICS_BIT" => has(compute, graphics),
            "VK_QUEUE_TRANSFER_BIT alone" => has(transfer, compute | graphics),
            _ => true,
        });
        requirements
    }

    /// What a device with these capabilities and extensions has.
    fn narrowed(capabilities: &Capabilities, extensions: &Extensions) -> Self {
        let mut switches = Switches::of(capabilities);
        let mut requirements = Self::known();
        requirements.list.retain(|requirement| match (requirement.row, requirement.kind) {
            (Some(row), _) => *(row.switch)(&mut switches),
            (None, RequirementKind::DeviceExtension) => requirement.extension.is_some_and(|name| extensions.listed(name)),
            (None, _) => true,
        });
        for requirement in &mut requirements.list {
            if requirement.core.is_some_and(|core| extensions.core() >= core) {
                requirement.extension = None;
            }
        }
        requirements
    }

    /// The requirements, the needed ones of each kind first.
    pub fn iter(&self) -> impl Iterator<Item = &Requirement> {
        self.list.iter()
    }

    /// Leaves out what `keep` says no to. What is needed stays.
    pub fn retain(&mut self, mut keep: impl FnMut(&Requirement) -> bool) {
        self.list.retain(|requirement| requirement.needed || keep(requirement));
    }

    /// Names of the instance extensions to enable.
    pub fn instance_extensions(&self) -> Vec<&'static CStr> {
        self.extensions_of(|kind| kind == RequirementKind::InstanceExtension)
    }

    /// Names of the device extensions to enable, each once.
    pub fn extensions(&self) -> Vec<&'static CStr> {
        self.extensions_of(|kind| matches!(kind, RequirementKind::DeviceExtension | RequirementKind::Feature))
    }

    fn extensions_of(&self, kind: impl Fn(RequirementKind) -> bool) -> Vec<&'static CStr> {
        let mut names: Vec<_> =
            self.list.iter().filter(|requirement| kind(requirement.kind)).filter_map(|requirement| requirement.extension).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The features to enable, as structures to chain into a `vk::DeviceCreateInfo`.
    pub fn features(&self) -> FeatureChain {
        let mut switches = Switches::default();
        for row in self.list.iter().filter_map(|requirement| requirement.row) {
            *(row.switch)(&mut switches) = true;
        }
        FeatureChain::enabling(&switches)
    }
}

fn needed(name: &'static str, kind: RequirementKind, buys: &'static str) -> Requirement {
    Requirement { name, kind, needed: true, extension: None, core: None, buys, row: None }
}

fn optional(name: &'static str, kind: RequirementKind, buys: &'static str) -> Requirement {
    Requirement { needed: false, ..needed(name, kind, buys) }
}

fn of_row(row: &'static Row) -> Option<Requirement> {
    let kind = if row.bit.is_some() { RequirementKind::Feature } else { RequirementKind::DeviceExtension };
    let core = row.core.map(|minor| Version::new(1, minor, 0));
    row.buys.map(|buys| Requirement { extension: row.extension, core, row: Some(row), ..optional(row.name, kind, buys) })
}

impl fmt::Display for Requirements {
    /// A table, one requirement a line: whether it is needed, its name, what brings it, and what it buys.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<[String; 4]> = self.list.iter().map(cells).collect();
        let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
        let widths = [width(0), width(1), width(2)];
        for [need, name, by, buys] in &lines {
            writeln!(f, "{need:0$}  {name:1$}  {by:2$}  {buys}", widths[0], widths[1], widths[2])?;
        }
        Ok(())
    }
}

fn cells(requirement: &Requirement) -> [String; 4] {
    let extension = requirement.extension.map(CStr::to_string_lossy).filter(|name| *name != requirement.name);
    let by = match (extension, requirement.core, requirement.kind) {
        (Some(name), Some(core), _) => format!("{name} or Vulkan {}.{}", core.major, core.minor),
        (Some(name), None, _) => name.into_owned(),
        (None, Some(core), _) => format!("Vulkan {}.{}", core.major, core.minor),
        (None, None, RequirementKind::Version) => "instance and device".into(),
        (None, None, RequirementKind::InstanceExtension) => "instance extension".into(),
        (None, None, RequirementKind::Queue) => "queue".into(),
        (None, None, RequirementKind::DeviceExtension) => "device extension".into(),
        (None, None, RequirementKind::Feature) => "Vulkan 1.1".into(),
    };
    let need = if requirement.needed { "needed" } else { "optional" };
    [need.into(), requirement.name.into(), by, requirement.buys.into()]
}

#[cfg(test)]
mod tests;
