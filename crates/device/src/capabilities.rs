//! What a device can do, as plain data: kernels plan from [`Capabilities`] and from nothing else.

use std::fmt;

use ash::vk;
use serde::{Deserialize, Serialize};

/// Everything Wavelane knows of a Vulkan device. Plain data: it can be written to JSON, read back, and narrowed with
/// [`Capabilities::restrict`](crate::Capabilities::restrict), so that one device can stand in for another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Capabilities {
    /// Name of the device, as the driver reports it.
    pub device_name: String,
    /// Discrete, integrated, software, …
    pub device_type: DeviceType,
    /// Vulkan version that the device supports.
    pub api_version: Version,
    /// PCI vendor, or a Khronos vendor id.
    pub vendor_id: u32,
    /// Device id, in the vendor's own numbering.
    pub device_id: u32,
    /// The driver, by its registered id (`VkDriverId`); 0 where the driver does not say.
    pub driver_id: i32,
    /// Driver version, in the vendor's own encoding.
    pub driver_version: u32,
    /// Name of the driver, empty where the driver does not say.
    pub driver_name: String,
    /// The driver's own text about its build, empty where the driver does not say.
    pub driver_info: String,
    /// `pipelineCacheUUID`, in hexadecimal.
    pub pipeline_cache_uuid: String,
    /// Name of the profile that narrowed these capabilities, if any.
    pub profile: Option<String>,
    /// Limits on sizes and counts.
    pub limits: Limits,
    /// Subgroups: how wide, and what their lanes can exchange.
    pub subgroup: Subgroup,
    /// Optional features.
    pub features: Features,
    /// Shapes of cooperative matrices (`VK_KHR_cooperative_matrix`), empty where there are none.
    pub cooperative_matrices: Vec<CooperativeMatrix>,
    /// GPU timestamps on the compute queue.
    pub timestamps: Timestamps,
    /// Memory heaps and types.
    pub memory: Memory,
}

/// The kind of a device (`VkPhysicalDeviceType`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeviceType {
    /// Not one of the others.
    #[default]
    Other,
    /// Shares the host's memory.
    IntegratedGpu,
    /// Has memory of its own.
    DiscreteGpu,
    /// A part of a GPU in a virtual machine.
    VirtualGpu,
    /// Software: lavapipe, SwiftShader.
    Cpu,
}

/// A Vulkan version.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Version {
    /// Major version.
    pub major: u32,
    /// Minor version.
    pub minor: u32,
    /// Patch version.
    pub patch: u32,
}

/// Limits on sizes and counts. Bytes where a size is meant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// `maxComputeWorkGroupCount`, per dimension.
    pub max_compute_work_group_count: [u32; 3],
    /// `maxComputeWorkGroupSize`, per dimension.
    pub max_compute_work_group_size: [u32; 3],
    /// `maxComputeWorkGroupInvocations`.
    pub max_compute_work_group_invocations: u32,
    /// `maxComputeSharedMemorySize`, in bytes.
    pub max_compute_shared_memory_size: u32,
    /// `maxStorageBufferRange`, in bytes: the most one descriptor reaches.
    pub max_storage_buffer_range: u32,
    /// `minStorageBufferOffsetAlignment`, in bytes.
    pub min_storage_buffer_offset_alignment: u64,
    /// `maxPushConstantsSize`, in bytes.
    pub max_push_constants_size: u32,
    /// `maxMemoryAllocationSize`, in bytes.
    pub max_memory_allocation_size: u64,
    /// `maxMemoryAllocationCount`.
    pub max_memory_allocation_count: u32,
    /// `maxBufferSize` (Vulkan 1.3), or `max_memory_allocation_size` where the device does not say. In bytes.
    pub max_buffer_size: u64,
    /// `nonCoherentAtomSize`, in bytes.
    pub non_coherent_atom_size: u64,
    /// `minImportedHostPointerAlignment`, in bytes: the most that it may be, 65536, where the device does not say.
    pub min_imported_host_pointer_alignment: u64,
    /// `maxPerStageDescriptorStorageBuffers`.
    pub max_per_stage_descriptor_storage_buffers: u32,
    /// `maxPerStageDescriptorStorageImages`.
    pub max_per_stage_descriptor_storage_images: u32,
    /// `maxBoundDescriptorSets`.
    pub max_bound_descriptor_sets: u32,
}

bitflags::bitflags! {
    /// What the lanes of a subgroup can do together (`VkSubgroupFeatureFlagBits`).
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    pub struct SubgroupOperations: u32 {
        /// Elect, barriers.
        const BASIC = 1 << 0;
        /// All, any, all-equal.
        const VOTE = 1 << 1;
        /// Reductions and scans: `subgroupAdd`, `subgroupMin`, …
        const ARITHMETIC = 1 << 2;
        /// Ballots and broadcasts.
        const BALLOT = 1 << 3;
        /// `subgroupShuffle`, `subgroupShuffleXor`.
        const SHUFFLE = 1 << 4;
        /// `subgroupShuffleUp`, `subgroupShuffleDown`.
        const SHUFFLE_RELATIVE = 1 << 5;
        /// Reductions over clusters of lanes.
        const CLUSTERED = 1 << 6;
        /// Exchange within quads.
        const QUAD = 1 << 7;
        /// Partitioned arithmetic (`VK_NV_shader_subgroup_partitioned`).
        const PARTITIONED = 1 << 8;
        /// Rotation (`VK_KHR_shader_subgroup_rotate`).
        const ROTATE = 1 << 9;
        /// Clustered rotation.
        const ROTATE_CLUSTERED = 1 << 10;
    }

    /// Properties of a memory type (`VkMemoryPropertyFlagBits`).
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    pub struct MemoryProperties: u32 {
        /// Fastest for the device.
        const DEVICE_LOCAL = 1 << 0;
        /// Can be mapped by the host.
        const HOST_VISIBLE = 1 << 1;
        /// Needs no flush and no invalidation.
        const HOST_COHERENT = 1 << 2;
        /// Cached on the host: fast to read there.
        const HOST_CACHED = 1 << 3;
        /// Allocated as the device needs it.
        const LAZILY_ALLOCATED = 1 << 4;
        /// Protected memory.
        const PROTECTED = 1 << 5;
    }
}

/// Subgroups: how wide, and what their lanes can exchange.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Subgroup {
    /// `subgroupSize`: what the driver uses unless told otherwise. Where `min_size` and `max_size` differ, a pipeline may run at another.
    pub size: u32,
    /// Smallest size a pipeline may run at.
    pub min_size: u32,
    /// Largest size a pipeline may run at.
    pub max_size: u32,
    /// What lanes can do together.
    pub operations: SubgroupOperations,
    /// Whether the operations are there in compute shaders (`supportedStages`).
    pub compute_stage: bool,
    /// `VK_EXT_subgroup_size_control` (`subgroupSizeControl`).
    pub size_control: bool,
    /// Whether a compute pipeline may *require* a size (`requiredSubgroupSizeStages`); some devices have size control without it.
    pub required_size_in_compute: bool,
    /// `computeFullSubgroups`.
    pub full_subgroups: bool,
    /// `maxComputeWorkgroupSubgroups`, 0 where the device does not say.
    pub max_workgroup_subgroups: u32,
    /// `shaderSubgroupExtendedTypes`: subgroup operations on 8-, 16- and 64-bit integers and 16-bit floats.
    pub extended_types: bool,
    /// What simulating another device has taken away, although both have it ([`Capabilities::restrict`]).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unsimulated: Option<Unsimulated>,
}

/// Operations of subgroups whose size a device does not have, so that it cannot stand for the one that does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unsimulated {
    /// The smallest and the largest size of the simulated device's subgroups.
    pub sizes: [u32; 2],
    /// The operations that both devices have.
    pub operations: SubgroupOperations,
}

/// Optional features, each used where present and never needed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Features {
    /// `shaderFloat16`.
    pub shader_float16: bool,
    /// `shaderFloat64`.
    pub shader_float64: bool,
    /// `shaderInt8`.
    pub shader_int8: bool,
    /// `shaderInt16`.
    pub shader_int16: bool,
    /// `shaderInt64`.
    pub shader_int64: bool,
    /// `storageBuffer8BitAccess`.
    pub storage_buffer_8bit: bool,
    /// `uniformAndStorageBuffer8BitAccess`.
    pub uniform_and_storage_buffer_8bit: bool,
    /// `storageBuffer16BitAccess`.
    pub storage_buffer_16bit: bool,
    /// `uniformAndStorageBuffer16BitAccess`.
    pub uniform_and_storage_buffer_16bit: bool,
    /// `shaderBufferInt64Atomics`.
    pub buffer_int64_atomics: bool,
    /// `shaderSharedInt64Atomics`.
    pub shared_int64_atomics: bool,
    /// `shaderBufferFloat32Atomics`: load, store, exchange.
    pub buffer_float32_atomics: bool,
    /// `shaderBufferFloat32AtomicAdd`.
    pub buffer_float32_atomic_add: bool,
    /// `shaderSharedFloat32AtomicAdd`.
    pub shared_float32_atomic_add: bool,
    /// `shaderBufferFloat64AtomicAdd`.
    pub buffer_float64_atomic_add: bool,
    /// `bufferDeviceAddress`.
    pub buffer_device_address: bool,
    /// `vulkanMemoryModel`.
    pub vulkan_memory_model: bool,
    /// `vulkanMemoryModelDeviceScope`.
    pub vulkan_memory_model_device_scope: bool,
    /// `timelineSemaphore`.
    pub timeline_semaphore: bool,
    /// `synchronization2`.
    pub synchronization2: bool,
    /// `cooperativeMatrix` (`VK_KHR_cooperative_matrix`).
    pub cooperative_matrix: bool,
    /// `shaderIntegerDotProduct`.
    pub integer_dot_product: bool,
    /// `pipelineExecutableInfo`: registers, spills and other statistics of a compiled pipeline.
    pub pipeline_executable_statistics: bool,
    /// `VK_KHR_push_descriptor`.
    pub push_descriptor: bool,
    /// `hostQueryReset`.
    pub host_query_reset: bool,
    /// `robustBufferAccess`.
    pub robust_buffer_access: bool,
    /// `VK_EXT_memory_budget`.
    pub memory_budget: bool,
    /// `VK_EXT_external_memory_host`: a caller's host memory can be a buffer.
    pub external_memory_host: bool,
}

/// One shape of cooperative matrix: `a` is m × k, `b` is k × n, `c` and the result are m × n.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CooperativeMatrix {
    /// Rows of the result.
    pub m: u32,
    /// Columns of the result.
    pub n: u32,
    /// Shared dimension.
    pub k: u32,
    /// Component types of a, b, c and the result, by Vulkan's names (`float16`, `sint8`, …).
    pub types: [String; 4],
    /// Whether accumulation saturates.
    pub saturating: bool,
    /// Scope (`subgroup`, `workgroup`, …).
    pub scope: String,
}

/// GPU timestamps on the compute queue.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Timestamps {
    /// Bits that count; 0 where the queue has no timestamps.
    pub valid_bits: u32,
    /// Nanoseconds a tick; 0 where the driver gives no usable figure.
    pub period_ns: f64,
}

/// Memory heaps and types.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Memory {
    /// Heaps, in Vulkan's order.
    pub heaps: Vec<MemoryHeap>,
    /// Types, in Vulkan's order.
    pub types: Vec<MemoryType>,
    /// Unified memory: every heap is device-local and some device-local type can be mapped, so uploads need no staging copy.
    pub unified: bool,
}

/// A memory heap.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemoryHeap {
    /// Size in bytes.
    pub size: u64,
    /// Whether it is the device's own.
    pub device_local: bool,
}

/// A memory type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemoryType {
    /// Index of its heap.
    pub heap: u32,
    /// What can be done with it.
    pub properties: MemoryProperties,
}

impl Capabilities {
    /// Name for people: the device's, and what it stands in for.
    pub fn shown_name(&self) -> String {
        match &self.profile {
            Some(profile) if *profile != self.device_name => format!("{} (as {profile})", self.device_name),
            _ => self.device_name.clone(),
        }
    }
}

impl Version {
    /// A version from its parts.
    pub const fn new(major: u32, minor: u32, patch: u32) -> Self {
        Self { major, minor, patch }
    }

    /// Unpacks Vulkan's encoding.
    pub const fn from_raw(raw: u32) -> Self {
        Self { major: vk::api_version_major(raw), minor: vk::api_version_minor(raw), patch: vk::api_version_patch(raw) }
    }

    /// Packs into Vulkan's encoding.
    pub const fn to_raw(self) -> u32 {
        vk::make_api_version(0, self.major, self.minor, self.patch)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

impl Memory {
    /// Whether memory that fits this description is unified: see [`Memory::unified`].
    pub fn is_unified(heaps: &[MemoryHeap], types: &[MemoryType]) -> bool {
        let mappable = MemoryProperties::DEVICE_LOCAL | MemoryProperties::HOST_VISIBLE;
        heaps.iter().all(|heap| heap.device_local) && types.iter().any(|kind| kind.properties.contains(mappable))
    }
}

/// The least that Vulkan 1.1 promises.
impl Default for Limits {
    fn default() -> Self {
        Self {
            max_compute_work_group_count: [65_535; 3],
            max_compute_work_group_size: [128, 128, 64],
            max_compute_work_group_invocations: 128,
            max_compute_shared_memory_size: 16 << 10,
            max_storage_buffer_range: 1 << 27,
            min_storage_buffer_offset_alignment: 256,
            max_push_constants_size: 128,
            max_memory_allocation_size: 1 << 30,
            max_memory_allocation_count: 4096,
            max_buffer_size: 1 << 30,
            non_coherent_atom_size: 256,
            min_imported_host_pointer_alignment: 65_536,
            max_per_stage_descriptor_storage_buffers: 4,
            max_per_stage_descriptor_storage_images: 4,
            max_bound_descriptor_sets: 4,
        }
    }
}

/// The least that Vulkan 1.1 promises: a size of 1 and basic operations.
impl Default for Subgroup {
    fn default() -> Self {
        Self {
            size: 1,
            min_size: 1,
            max_size: 1,
            operations: SubgroupOperations::BASIC,
            compute_stage: true,
            size_control: false,
            required_size_in_compute: false,
            full_subgroups: false,
            max_workgroup_subgroups: 0,
            extended_types: false,
            unsimulated: None,
        }
    }
}

/// The least that Vulkan 1.1 promises.
impl Default for Capabilities {
    fn default() -> Self {
        Self {
            device_name: String::new(),
            device_type: DeviceType::Other,
            api_version: Version::new(1, 1, 0),
            vendor_id: 0,
            device_id: 0,
            driver_id: 0,
            driver_version: 0,
            driver_name: String::new(),
            driver_info: String::new(),
            pipeline_cache_uuid: String::new(),
            profile: None,
            limits: Limits::default(),
            subgroup: Subgroup::default(),
            features: Features::default(),
            cooperative_matrices: Vec::new(),
            timestamps: Timestamps::default(),
            memory: Memory::default(),
        }
    }
}
