//! Physical devices, and the choice of one.

use std::convert::Infallible;
use std::str::FromStr;
use std::sync::Arc;

use ash::vk;

use crate::error::Error;
use crate::extensions::Extensions;
use crate::instance::Instance;
use crate::query::Found;
use crate::{Capabilities, DeviceType};

/// The queue family that Wavelane uses of a device: one for compute without graphics where there is one, else the first that can compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueFamilyChoice {
    /// Index of the family.
    pub family: u32,
    /// What its queues can do.
    pub flags: vk::QueueFlags,
    /// Bits of its timestamps that count.
    pub timestamp_valid_bits: u32,
}

/// A physical device, and what it can do.
#[derive(Clone, Debug)]
pub struct Adapter {
    instance: Arc<Instance>,
    raw: vk::PhysicalDevice,
    index: usize,
    capabilities: Capabilities,
    queue: QueueFamilyChoice,
    extensions: Arc<Extensions>,
}

impl Adapter {
    pub(crate) fn new(instance: &Arc<Instance>, raw: vk::PhysicalDevice, index: usize, found: Found) -> Self {
        let Found { capabilities, queue, extensions } = found;
        Self { instance: Arc::clone(instance), raw, index, capabilities, queue, extensions: Arc::new(extensions) }
    }

    /// Vulkan's handle.
    pub fn raw(&self) -> vk::PhysicalDevice {
        self.raw
    }

    /// The instance it belongs to.
    pub fn instance(&self) -> &Arc<Instance> {
        &self.instance
    }

    /// Its place in [`Instance::adapters`], by which it can be chosen.
    pub fn index(&self) -> usize {
        self.index
    }

    /// What it can do.
    pub fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    /// What it offers beyond its core version.
    pub(crate) fn extensions(&self) -> &Extensions {
        &self.extensions
    }

    /// How much it is to be preferred: discrete before integrated before virtual before software, then by device memory.
    pub fn score(&self) -> u64 {
        score(&self.capabilities)
    }

    /// The queue family that a device made from it uses.
    pub fn queue_family(&self) -> QueueFamilyChoice {
        self.queue
    }
}

fn score(capabilities: &Capabilities) -> u64 {
    let kind: u64 = match capabilities.device_type {
        DeviceType::DiscreteGpu => 4,
        DeviceType::IntegratedGpu => 3,
        DeviceType::VirtualGpu => 2,
        DeviceType::Other => 1,
        DeviceType::Cpu => 0,
    };
    let heaps = &capabilities.memory.heaps;
    let memory = heaps.iter().filter(|heap| heap.device_local).map(|heap| heap.size).fold(0, u64::saturating_add);
    kind << 60 | (memory >> 4).min((1 << 60) - 1)
}

/// Which device to use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum DeviceChoice {
    /// The one with the best score.
    #[default]
    Best,
    /// The one at this place in [`Instance::adapters`].
    Index(usize),
    /// The one whose name contains this, whatever the case of its letters.
    Name(String),
}

impl DeviceChoice {
    /// The choice that the environment variable `WAVELANE_DEVICE` makes: an index or a part of a name; [`DeviceChoice::Best`] where it is unset or empty.
    pub fn from_env() -> Self {
        match std::env::var("WAVELANE_DEVICE") {
            Ok(text) if !text.trim().is_empty() => text.trim().parse().unwrap_or_default(),
            _ => Self::Best,
        }
    }
}

impl FromStr for DeviceChoice {
    type Err = Infallible;

    /// Digits are an index, everything else is a part of a name.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(text.parse().map_or_else(|_| Self::Name(text.to_owned()), Self::Index))
    }
}

/// The adapter that was asked for.
///
/// # Errors
///
/// [`Error::NoDevice`] where there is none at all; otherwise an error that lists what there is.
pub fn choose<'a>(adapters: &'a [Adapter], choice: &DeviceChoice) -> Result<&'a Adapter, Error> {
    let names: Vec<&str> = adapters.iter().map(|adapter| adapter.capabilities.device_name.as_str()).collect();
    let scores: Vec<u64> = adapters.iter().map(Adapter::score).collect();
    let index = choose_index(&names, &scores, choice)?;
    adapters.get(index).ok_or(Error::NoDevice)
}

fn choose_index(names: &[&str], scores: &[u64], choice: &DeviceChoice) -> Result<usize, Error> {
    let listed = |indices: &[usize]| indices.iter().map(|&index| format!("{index} {}", names[index])).collect::<Vec<_>>();
    let all: Vec<usize> = (0..names.len()).collect();
    // Of equals the first: it is the one that the system prefers.
    let best = all.iter().copied().max_by_key(|&index| (scores[index], std::cmp::Reverse(index))).ok_or(Error::NoDevice)?;
    match choice {
        DeviceChoice::Best => Ok(best),
        DeviceChoice::Index(index) if *index < names.len() => Ok(*index),
        DeviceChoice::Index(index) => Err(Error::DeviceIndex { index: *index, available: listed(&all) }),
        DeviceChoice::Name(part) => {
            let lower = part.to_lowercase();
            let matches: Vec<usize> = all.iter().copied().filter(|&index| names[index].to_lowercase().contains(&lower)).collect();
            match matches[..] {
                [] => Err(Error::DeviceName { name: part.clone(), available: listed(&all) }),
                [index] => Ok(index),
                // A whole name is meant even where it is part of another.
                _ => match matches.iter().copied().filter(|&index| names[index].to_lowercase() == lower).collect::<Vec<_>>()[..] {
                    [index] => Ok(index),
                    _ => Err(Error::DeviceNameAmbiguous { name: part.clone(), matches: listed(&matches) }),
                },
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemoryHeap;

    const NAMES: [&str; 3] = ["llvmpipe (LLVM 15, 256 bits)", "Mali-G610", "Mali-G610 MC4"];

    fn choose(text: &str) -> Result<usize, Error> {
        let choice = text.parse().unwrap_or_else(|never| match never {});
        choose_index(&NAMES, &[1, 7, 7], &choice)
    }

    #[test]
    fn best_is_the_first_of_the_highest_score() {
        assert_eq!(choose_index(&NAMES, &[1, 7, 7], &DeviceChoice::Best), Ok(1));
        assert_eq!(choose_index(&[], &[], &DeviceChoice::Best), Err(Error::NoDevice));
        assert_eq!(choose_index(&[], &[], &DeviceChoice::Index(0)), Err(Error::NoDevice));
    }

    #[test]
    fn an_index_or_a_part_of_a_name_chooses() {
        assert_eq!(choose("2"), Ok(2));
        assert_eq!(choose("LLVM"), Ok(0));
        assert_eq!(choose("mc4"), Ok(2));
        assert_eq!(choose("mali-g610"), Ok(1), "a whole name wins over being part of another");
    }

    #[test]
    fn a_wrong_choice_lists_what_there_is() {
        let text = |choice| choose(choice).map_err(|error| error.to_string());
        assert_eq!(
            text("3"),
            Err("device 3 was asked for, but there are only: 0 llvmpipe (LLVM 15, 256 bits), 1 Mali-G610, 2 Mali-G610 MC4".into())
        );
        assert_eq!(
            text("Adreno"),
            Err("no device's name contains `Adreno`; there are: 0 llvmpipe (LLVM 15, 256 bits), 1 Mali-G610, 2 Mali-G610 MC4".into())
        );
        assert_eq!(text("Mali"), Err("`Mali` is part of more than one device's name: 1 Mali-G610, 2 Mali-G610 MC4".into()));
    }

    #[test]
    fn kind_outweighs_memory() {
        let device = |device_type, size| {
            let mut capabilities = Capabilities { device_type, ..Capabilities::default() };
            capabilities.memory.heaps.push(MemoryHeap { size, device_local: true });
            score(&capabilities)
        };
        assert!(device(DeviceType::DiscreteGpu, 1) > device(DeviceType::IntegratedGpu, u64::MAX));
        assert!(device(DeviceType::IntegratedGpu, 1) > device(DeviceType::Cpu, u64::MAX));
        assert!(device(DeviceType::DiscreteGpu, 8 << 30) > device(DeviceType::DiscreteGpu, 4 << 30));
    }
}
