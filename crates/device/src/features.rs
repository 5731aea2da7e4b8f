//! Between Vulkan's many feature structures and plain data: the same table serves to ask a device, to make one, to say what to enable, and to
//! read what a caller enabled.

mod chain;
mod rows;
mod structures;

pub(crate) use rows::{ROWS, Row};
pub use structures::FeatureChain;

use std::ffi::CStr;

use crate::extensions::Extensions;
use crate::{Capabilities, Features, SubgroupOperations};

/// Everything that can be turned on or off of a device.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Switches {
    pub(crate) features: Features,
    pub(crate) size_control: bool,
    pub(crate) full_subgroups: bool,
    pub(crate) extended_types: bool,
    pub(crate) rotate: bool,
    pub(crate) rotate_clustered: bool,
    pub(crate) partitioned: bool,
}

impl Switches {
    /// What these capabilities have on.
    pub(crate) fn of(capabilities: &Capabilities) -> Self {
        let subgroup = &capabilities.subgroup;
        Self {
            features: capabilities.features.clone(),
            size_control: subgroup.size_control,
            full_subgroups: subgroup.full_subgroups,
            extended_types: subgroup.extended_types,
            rotate: subgroup.operations.contains(SubgroupOperations::ROTATE),
            rotate_clustered: subgroup.operations.contains(SubgroupOperations::ROTATE_CLUSTERED),
            partitioned: subgroup.operations.contains(SubgroupOperations::PARTITIONED),
        }
    }

    /// Turns off what `others` have off, and names what that was.
    pub(crate) fn narrow(&mut self, others: &Self) -> Vec<&'static str> {
        let mut others = others.clone();
        let mut turned_off = Vec::new();
        for row in ROWS {
            let on = (row.switch)(self);
            if *on && !*(row.switch)(&mut others) {
                *on = false;
                turned_off.push(row.name);
            }
        }
        turned_off
    }

    /// The extensions behind what is on, among those of the device, whether or not it has them in its core version, too.
    pub(crate) fn extensions(&self, device: &Extensions) -> Vec<&'static CStr> {
        let mut on = self.clone();
        // An implementation of Vulkan on top of something else wants to be told that this is known.
        let mut names = vec![ash::khr::portability_subset::NAME];
        names.extend(ROWS.iter().filter(|row| *(row.switch)(&mut on)).filter_map(|row| row.extension));
        names.retain(|name| device.listed(name));
        names.sort_unstable();
        names.dedup();
        names
    }
}

#[cfg(test)]
mod tests;
