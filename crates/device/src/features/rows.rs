//! Every optional feature that this crate knows, one row each: the one place that says where its bit stands and what it is good for.

use std::ffi::CStr;
use std::mem::offset_of;

use ash::vk::{self, TaggedStructure};

use super::Switches;
use crate::extensions::Extensions;

/// Where a feature's bit stands: in which structure of a chain, and how many bytes into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bit {
    pub(crate) structure: vk::StructureType,
    pub(crate) offset: usize,
}

/// One optional feature, or an extension that has no feature structure.
pub(crate) struct Row {
    /// Vulkan's name.
    pub(crate) name: &'static str,
    /// Its bit in the structure that came with the feature; `None` for an extension without features.
    pub(crate) bit: Option<Bit>,
    /// Its bit in the structure that gathers all features of a core version.
    pub(crate) gathered: Option<Bit>,
    /// The extension that brought it; `None` for a feature of Vulkan 1.0 or 1.1.
    pub(crate) extension: Option<&'static CStr>,
    /// The minor version whose core it went into; `None` where it is in none, or where the core's form of it is of no use to this crate.
    pub(crate) core: Option<u32>,
    /// Where the plain data has it.
    pub(crate) switch: fn(&mut Switches) -> &mut bool,
    /// What enabling it buys, as a sentence; `None` where it is better left off.
    pub(crate) buys: Option<&'static str>,
}

impl Row {
    /// Whether a device with these extensions and this core version has it at all.
    pub(crate) fn usable(&self, extensions: &Extensions) -> bool {
        match (self.extension, self.core) {
            (None, _) => true,
            (Some(name), Some(minor)) => extensions.usable(name, minor),
            (Some(name), None) => extensions.listed(name),
        }
    }

    /// The structures that hold its bit, the gathering one last.
    pub(crate) fn bits(&self) -> impl Iterator<Item = Bit> {
        self.bit.into_iter().chain(self.gathered)
    }
}

/// `VkPhysicalDeviceVulkan14Features`, as far as it is looked at; ash has it not yet.
#[repr(C)]
struct Vulkan14Features {
    s_type: vk::StructureType,
    p_next: *mut std::ffi::c_void,
    global_priority_query: vk::Bool32,
    shader_subgroup_rotate: vk::Bool32,
    shader_subgroup_rotate_clustered: vk::Bool32,
}

/// `VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_4_FEATURES`.
const VULKAN_14_FEATURES: vk::StructureType = vk::StructureType::from_raw(55);

macro_rules! bit {
    (Vulkan14Features.$field:ident) => {
        Some(Bit { structure: VULKAN_14_FEATURES, offset: offset_of!(Vulkan14Features, $field) })
    };
    ($structure:ident.$($field:ident).+) => {
        Some(Bit { structure: vk::$structure::STRUCTURE_TYPE, offset: offset_of!(vk::$structure<'static>, $($field).+) })
    };
}

macro_rules! rows {
    ($($name:literal, $switch:ident $(. $more:ident)*, [$($bit:tt)*], [$($gathered:tt)*], $extension:expr, $core:expr, $buys:expr;)*) => {
        &[$(Row {
            name: $name,
            bit: rows!(@bit $($bit)*),
            gathered: rows!(@bit $($gathered)*),
            extension: $extension,
            core: $core,
            switch: |switches| &mut switches.$switch$(.$more)*,
            buys: $buys,
        },)*]
    };
    (@bit) => { None };
    (@bit $($bit:tt)+) => { bit!($($bit)+) };
}

/// All rows, in the order of [`Features`](crate::Features), then subgroups.
pub(crate) static ROWS: &[Row] = rows! {
    "shaderFloat16", features.shader_float16,
        [PhysicalDeviceShaderFloat16Int8Features.shader_float16], [PhysicalDeviceVulkan12Features.shader_float16],
        Some(ash::khr::shader_float16_int8::NAME), Some(2), Some("arithmetic on 16-bit floats");
    "shaderFloat64", features.shader_float64,
        [PhysicalDeviceFeatures2.features.shader_float64], [],
        None, None, Some("kernels on 64-bit floats");
    "shaderInt8", features.shader_int8,
        [PhysicalDeviceShaderFloat16Int8Features.shader_int8], [PhysicalDeviceVulkan12Features.shader_int8],
        Some(ash::khr::shader_float16_int8::NAME), Some(2), Some("arithmetic on 8-bit integers");
    "shaderInt16", features.shader_int16,
        [PhysicalDeviceFeatures2.features.shader_int16], [],
        None, None, Some("arithmetic on 16-bit integers");
    "shaderInt64", features.shader_int64,
        [PhysicalDeviceFeatures2.features.shader_int64], [],
        None, None, Some("kernels on 64-bit integers");
    "storageBuffer8BitAccess", features.storage_buffer_8bit,
        [PhysicalDevice8BitStorageFeatures.storage_buffer8_bit_access], [PhysicalDeviceVulkan12Features.storage_buffer8_bit_access],
        Some(ash::khr::_8bit_storage::NAME), Some(2), Some("8-bit elements in storage buffers, without packing");
    "uniformAndStorageBuffer8BitAccess", features.uniform_and_storage_buffer_8bit,
        [PhysicalDevice8BitStorageFeatures.uniform_and_storage_buffer8_bit_access],
        [PhysicalDeviceVulkan12Features.uniform_and_storage_buffer8_bit_access],
        Some(ash::khr::_8bit_storage::NAME), Some(2), Some("8-bit elements in uniform buffers, too");
    "storageBuffer16BitAccess", features.storage_buffer_16bit,
        [PhysicalDevice16BitStorageFeatures.storage_buffer16_bit_access], [PhysicalDeviceVulkan11Features.storage_buffer16_bit_access],
        None, None, Some("16-bit elements in storage buffers, without packing");
    "uniformAndStorageBuffer16BitAccess", features.uniform_and_storage_buffer_16bit,
        [PhysicalDevice16BitStorageFeatures.uniform_and_storage_buffer16_bit_access],
        [PhysicalDeviceVulkan11Features.uniform_and_storage_buffer16_bit_access],
        None, None, Some("16-bit elements in uniform buffers, too");
    "shaderBufferInt64Atomics", features.buffer_int64_atomics,
        [PhysicalDeviceShaderAtomicInt64Features.shader_buffer_int64_atomics], [PhysicalDeviceVulkan12Features.shader_buffer_int64_atomics],
        Some(ash::khr::shader_atomic_int64::NAME), Some(2), Some("64-bit integer atomics in buffers");
    "shaderSharedInt64Atomics", features.shared_int64_atomics,
        [PhysicalDeviceShaderAtomicInt64Features.shader_shared_int64_atomics], [PhysicalDeviceVulkan12Features.shader_shared_int64_atomics],
        Some(ash::khr::shader_atomic_int64::NAME), Some(2), Some("64-bit integer atomics in shared memory");
    "shaderBufferFloat32Atomics", features.buffer_float32_atomics,
        [PhysicalDeviceShaderAtomicFloatFeaturesEXT.shader_buffer_float32_atomics], [],
        Some(ash::ext::shader_atomic_float::NAME), None, Some("atomic exchange of 32-bit floats in buffers");
    "shaderBufferFloat32AtomicAdd", features.buffer_float32_atomic_add,
        [PhysicalDeviceShaderAtomicFloatFeaturesEXT.shader_buffer_float32_atomic_add], [],
        Some(ash::ext::shader_atomic_float::NAME), None, Some("atomic addition of 32-bit floats in buffers");
    "shaderSharedFloat32AtomicAdd", features.shared_float32_atomic_add,
        [PhysicalDeviceShaderAtomicFloatFeaturesEXT.shader_shared_float32_atomic_add], [],
        Some(ash::ext::shader_atomic_float::NAME), None, Some("atomic addition of 32-bit floats in shared memory");
    "shaderBufferFloat64AtomicAdd", features.buffer_float64_atomic_add,
        [PhysicalDeviceShaderAtomicFloatFeaturesEXT.shader_buffer_float64_atomic_add], [],
        Some(ash::ext::shader_atomic_float::NAME), None, Some("atomic addition of 64-bit floats in buffers");
    "bufferDeviceAddress", features.buffer_device_address,
        [PhysicalDeviceBufferDeviceAddressFeatures.buffer_device_address], [PhysicalDeviceVulkan12Features.buffer_device_address],
        Some(ash::khr::buffer_device_address::NAME), Some(2), Some("buffers that shaders can reach by address");
    "vulkanMemoryModel", features.vulkan_memory_model,
        [PhysicalDeviceVulkanMemoryModelFeatures.vulkan_memory_model], [PhysicalDeviceVulkan12Features.vulkan_memory_model],
        Some(ash::khr::vulkan_memory_model::NAME), Some(2), Some("shaders with Vulkan's memory model; never without the next");
    "vulkanMemoryModelDeviceScope", features.vulkan_memory_model_device_scope,
        [PhysicalDeviceVulkanMemoryModelFeatures.vulkan_memory_model_device_scope],
        [PhysicalDeviceVulkan12Features.vulkan_memory_model_device_scope],
        Some(ash::khr::vulkan_memory_model::NAME), Some(2), Some("barriers and atomics of device scope under that model");
    "timelineSemaphore", features.timeline_semaphore,
        [PhysicalDeviceTimelineSemaphoreFeatures.timeline_semaphore], [PhysicalDeviceVulkan12Features.timeline_semaphore],
        Some(ash::khr::timeline_semaphore::NAME), Some(2), Some("one semaphore a queue instead of a fence a submission, and more than one queue");
    "synchronization2", features.synchronization2,
        [PhysicalDeviceSynchronization2Features.synchronization2], [PhysicalDeviceVulkan13Features.synchronization2],
        Some(ash::khr::synchronization2::NAME), Some(3), Some("barriers with exact stages for each buffer");
    "cooperativeMatrix", features.cooperative_matrix,
        [PhysicalDeviceCooperativeMatrixFeaturesKHR.cooperative_matrix], [],
        Some(ash::khr::cooperative_matrix::NAME), None, Some("matrix products on tensor units");
    "shaderIntegerDotProduct", features.integer_dot_product,
        [PhysicalDeviceShaderIntegerDotProductFeatures.shader_integer_dot_product],
        [PhysicalDeviceVulkan13Features.shader_integer_dot_product],
        Some(ash::khr::shader_integer_dot_product::NAME), Some(3), Some("dot products of packed 8-bit integers");
    "pipelineExecutableInfo", features.pipeline_executable_statistics,
        [PhysicalDevicePipelineExecutablePropertiesFeaturesKHR.pipeline_executable_info], [],
        Some(ash::khr::pipeline_executable_properties::NAME), None, Some("registers, spills and other statistics of compiled pipelines");
    // The core's functions (1.4) have other names than those that are loaded.
    "VK_KHR_push_descriptor", features.push_descriptor, [], [],
        Some(ash::khr::push_descriptor::NAME), None, Some("bindings recorded in the command buffer, without descriptor pools");
    "hostQueryReset", features.host_query_reset,
        [PhysicalDeviceHostQueryResetFeatures.host_query_reset], [PhysicalDeviceVulkan12Features.host_query_reset],
        Some(ash::ext::host_query_reset::NAME), Some(2), Some("timestamp queries that the host resets");
    "robustBufferAccess", features.robust_buffer_access,
        [PhysicalDeviceFeatures2.features.robust_buffer_access], [],
        None, None, None;
    "VK_EXT_memory_budget", features.memory_budget, [], [],
        Some(ash::ext::memory_budget::NAME), None, Some("how much memory is left beside other programs");
    "subgroupSizeControl", size_control,
        [PhysicalDeviceSubgroupSizeControlFeatures.subgroup_size_control], [PhysicalDeviceVulkan13Features.subgroup_size_control],
        Some(ash::ext::subgroup_size_control::NAME), Some(3), Some("subgroup kernels where the subgroup size varies");
    "computeFullSubgroups", full_subgroups,
        [PhysicalDeviceSubgroupSizeControlFeatures.compute_full_subgroups], [PhysicalDeviceVulkan13Features.compute_full_subgroups],
        Some(ash::ext::subgroup_size_control::NAME), Some(3), Some("subgroups that are known to be full");
    "shaderSubgroupExtendedTypes", extended_types,
        [PhysicalDeviceShaderSubgroupExtendedTypesFeatures.shader_subgroup_extended_types],
        [PhysicalDeviceVulkan12Features.shader_subgroup_extended_types],
        Some(ash::khr::shader_subgroup_extended_types::NAME), Some(2), Some("subgroup arithmetic on 8-, 16- and 64-bit types");
    "shaderSubgroupRotate", rotate,
        [PhysicalDeviceShaderSubgroupRotateFeaturesKHR.shader_subgroup_rotate], [Vulkan14Features.shader_subgroup_rotate],
        Some(ash::khr::shader_subgroup_rotate::NAME), Some(4), Some("rotation of values among lanes");
    "shaderSubgroupRotateClustered", rotate_clustered,
        [PhysicalDeviceShaderSubgroupRotateFeaturesKHR.shader_subgroup_rotate_clustered], [Vulkan14Features.shader_subgroup_rotate_clustered],
        Some(ash::khr::shader_subgroup_rotate::NAME), Some(4), Some("rotation within clusters of lanes");
    "VK_NV_shader_subgroup_partitioned", partitioned, [], [],
        Some(ash::nv::shader_subgroup_partitioned::NAME), None, Some("arithmetic among lanes of equal value");
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_a_name_and_a_switch_of_its_own() {
        for (index, row) in ROWS.iter().enumerate() {
            let mut switches = Switches::default();
            *(row.switch)(&mut switches) = true;
            for (other, another) in ROWS.iter().enumerate() {
                assert_eq!(*(another.switch)(&mut switches), index == other, "{} and {}", row.name, another.name);
                let same = row.name == another.name || (row.bit.is_some() && row.bit == another.bit);
                assert!(index == other || !same, "{} is there twice", row.name);
            }
        }
    }

    #[test]
    fn every_switch_has_a_row() {
        // Features as JSON: a field that is added there, and has no row, stays off.
        let mut all = Switches::default();
        for row in ROWS {
            *(row.switch)(&mut all) = true;
        }
        let off = serde_json::to_value(&all.features).map(|value| value.to_string().contains("false"));
        assert!(matches!(off, Ok(false)), "{:?}", all.features);
    }

    #[test]
    fn a_structure_of_its_own_never_stands_beside_the_one_that_gathers_it() {
        // All features of a structure went into the same gathering one, so that a chain that has the latter needs nothing of the former.
        for row in ROWS.iter().filter(|row| row.bit.is_some()) {
            let (Some(own), gathered) = (row.bit, row.gathered.map(|bit| bit.structure)) else { continue };
            for other in ROWS.iter().filter(|other| other.bit.is_some_and(|bit| bit.structure == own.structure)) {
                assert_eq!(other.gathered.map(|bit| bit.structure), gathered, "{} and {}", row.name, other.name);
                assert_eq!(other.extension, row.extension, "{} and {}", row.name, other.name);
            }
        }
    }

    #[test]
    fn the_structure_of_vulkan_1_4_is_laid_out_as_the_specification_has_it() {
        assert_eq!(
            offset_of!(Vulkan14Features, global_priority_query),
            offset_of!(vk::PhysicalDeviceVulkan13Features<'static>, robust_image_access)
        );
        assert_eq!(offset_of!(Vulkan14Features, s_type), 0);
        assert_eq!(offset_of!(Vulkan14Features, p_next), offset_of!(vk::PhysicalDeviceVulkan13Features<'static>, p_next));
    }
}
