//! Figures that kernels are sized by, per class of device.

use serde::{Deserialize, Serialize};
use wavelane_device::{Capabilities, DeviceType};

use crate::Path;

/// What kind of machine a device is, as far as sizing kernels goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeviceClass {
    /// Runs on the processor.
    Software,
    /// A phone's GPU: unified memory, small caches.
    Mobile,
    /// A GPU that shares the memory of a desktop processor.
    Integrated,
    /// A GPU with memory of its own.
    Discrete,
}

/// PCI and Khronos ids of vendors whose GPUs sit in phones: Arm, Qualcomm, Imagination, Samsung, Broadcom, Huawei.
const MOBILE_VENDORS: [u32; 6] = [0x13b5, 0x5143, 0x1010, 0x144d, 0x14e4, 0x19e5];

impl DeviceClass {
    /// The class of a device.
    pub fn of(capabilities: &Capabilities) -> Self {
        match capabilities.device_type {
            DeviceType::Cpu => Self::Software,
            _ if MOBILE_VENDORS.contains(&capabilities.vendor_id) => Self::Mobile,
            DeviceType::DiscreteGpu => Self::Discrete,
            _ if capabilities.memory.unified => Self::Integrated,
            _ => Self::Discrete,
        }
    }
}

/// Figures that kernels are sized by. Plain data: take a class's, change what measuring says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tuning {
    /// Invocations of a one-dimensional workgroup, where the device's limits allow as many. A power of two.
    pub workgroup_size: u32,
    /// Shared memory a workgroup should stay within, in bytes.
    pub shared_memory_budget: u32,
    /// Workgroups that keep the whole device busy: more than this only cost.
    pub fill_workgroups: u32,
    /// Tiles that one workgroup of a scan or a selection does as fast as several that have to wait for each other.
    pub one_workgroup_tiles: u32,
    /// The fewest tiles of a workgroup where there are several: each finds what came before it, which costs lavapipe about as much as a tile.
    pub least_group_tiles: u32,
    /// Whether invocations that have nothing to do with each other sort faster than workgroups do, as on a processor.
    pub sort_by_lanes: bool,
    /// Paths, best first.
    pub paths: [Path; 3],
    /// The same for kernels whose lanes have to know what came before them. On an H200 shuffles scan u32 a tenth faster than arithmetic, and f16 two and a half times as fast.
    pub scan_paths: [Path; 3],
    /// Whether workgroups may wait for each other, as a scan in a single pass has them do. It is right everywhere, and pays on none of the classes so far: on an H200 it reads elements once
    /// and is slower by a quarter than reading them twice.
    pub look_back: bool,
}

impl Tuning {
    /// The figures for a class of device.
    pub const fn of(class: DeviceClass) -> Self {
        let paths = [Path::Subgroup, Path::Shuffle, Path::SharedMemory];
        match class {
            // Few threads: each workgroup should have much to do.
            DeviceClass::Software => Self {
                workgroup_size: 128,
                shared_memory_budget: 16 << 10,
                fill_workgroups: 16,
                one_workgroup_tiles: 8,
                least_group_tiles: 8,
                sort_by_lanes: true,
                paths,
                scan_paths: paths,
                look_back: false,
            },
            DeviceClass::Mobile => Self {
                workgroup_size: 128,
                shared_memory_budget: 8 << 10,
                fill_workgroups: 128,
                one_workgroup_tiles: 4,
                least_group_tiles: 1,
                sort_by_lanes: false,
                paths,
                scan_paths: paths,
                look_back: false,
            },
            DeviceClass::Integrated => Self {
                workgroup_size: 256,
                shared_memory_budget: 16 << 10,
                fill_workgroups: 256,
                one_workgroup_tiles: 4,
                least_group_tiles: 1,
                sort_by_lanes: false,
                paths,
                scan_paths: paths,
                look_back: false,
            },
            DeviceClass::Discrete => Self {
                workgroup_size: 256,
                shared_memory_budget: 16 << 10,
                fill_workgroups: 1056,
                one_workgroup_tiles: 4,
                least_group_tiles: 1,
                sort_by_lanes: false,
                paths,
                scan_paths: [Path::Shuffle, Path::Subgroup, Path::SharedMemory],
                look_back: false,
            },
        }
    }
}
