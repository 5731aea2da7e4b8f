//! Asks a physical device for its [`Capabilities`].

use std::ffi::{CStr, c_char};

use ash::vk;

use crate::adapter::QueueFamilyChoice;
use crate::error::Error;
use crate::extensions::Extensions;
use crate::features::{FeatureChain, Switches};
use crate::instance::Instance;
use crate::{
    Capabilities, CooperativeMatrix, DeviceType, Limits, Memory, MemoryHeap, MemoryProperties, MemoryType, Subgroup, SubgroupOperations,
    Timestamps, Version,
};

/// What was found out about a physical device.
pub(crate) struct Found {
    pub(crate) capabilities: Capabilities,
    pub(crate) queue: QueueFamilyChoice,
    pub(crate) extensions: Extensions,
}

/// Reads a device; the inner error says why the device cannot be used.
pub(crate) fn read(instance: &Instance, physical: vk::PhysicalDevice) -> Result<Result<Found, Error>, Error> {
    // SAFETY: the physical device belongs to the living instance.
    let properties = unsafe { instance.raw().get_physical_device_properties(physical) };
    let api_version = Version::from_raw(properties.api_version);
    if api_version < Version::new(1, 1, 0) {
        return Ok(Err(Error::DeviceTooOld { device: string(&properties.device_name), found: api_version }));
    }
    let Some(queue) = choose_queue_family(instance, physical) else {
        return Ok(Err(Error::NoComputeQueue { device: string(&properties.device_name) }));
    };
    let extensions = Extensions::read(instance, physical, api_version)?;
    let switches = FeatureChain::ask(&extensions, |features| {
        // SAFETY: the physical device belongs to the living instance; the chain holds only structures that it knows, each once.
        unsafe { instance.raw().get_physical_device_features2(physical, features) };
    });
    let capabilities = capabilities(instance, physical, &extensions, &switches, queue.timestamp_valid_bits)?;
    Ok(Ok(Found { capabilities, queue, extensions }))
}

/// The capabilities of a device on which exactly this is switched on; `extensions` are all that it offers.
pub(crate) fn capabilities(
    instance: &Instance,
    physical: vk::PhysicalDevice,
    extensions: &Extensions,
    switches: &Switches,
    timestamp_valid_bits: u32,
) -> Result<Capabilities, Error> {
    // SAFETY: the physical device belongs to the living instance.
    let properties = unsafe { instance.raw().get_physical_device_properties(physical) };
    let mut maintenance3 = vk::PhysicalDeviceMaintenance3Properties::default();
    let mut maintenance4 = vk::PhysicalDeviceMaintenance4Properties::default();
    let mut subgroup = vk::PhysicalDeviceSubgroupProperties::default();
    let mut size_control = vk::PhysicalDeviceSubgroupSizeControlProperties::default();
    let mut driver = vk::PhysicalDeviceDriverProperties::default();
    let mut host_memory = vk::PhysicalDeviceExternalMemoryHostPropertiesEXT::default();
    let mut more = vk::PhysicalDeviceProperties2::default().push_next(&mut maintenance3).push_next(&mut subgroup);
    if extensions.usable(ash::khr::maintenance4::NAME, 3) {
        more = more.push_next(&mut maintenance4);
    }
    if extensions.usable(ash::ext::subgroup_size_control::NAME, 3) {
        more = more.push_next(&mut size_control);
    }
    if extensions.usable(ash::khr::driver_properties::NAME, 2) {
        more = more.push_next(&mut driver);
    }
    if extensions.listed(ash::ext::external_memory_host::NAME) {
        more = more.push_next(&mut host_memory);
    }
    // SAFETY: as above; the chain holds only structures that the device knows, each once.
    unsafe { instance.raw().get_physical_device_properties2(physical, &mut more) };

    let limits = &properties.limits;
    let max_memory_allocation_size = maintenance3.max_memory_allocation_size;
    let mut operations = SubgroupOperations::from_bits_truncate(subgroup.supported_operations.as_raw());
    // These need to be turned on before a shader may use them.
    operations.set(SubgroupOperations::PARTITIONED, operations.contains(SubgroupOperations::PARTITIONED) && switches.partitioned);
    operations.set(SubgroupOperations::ROTATE, switches.rotate);
    operations.set(SubgroupOperations::ROTATE_CLUSTERED, switches.rotate_clustered);
    let sizes_controlled = switches.size_control;
    let size = subgroup.subgroup_size.max(1);
    let (min_size, max_size) = if sizes_controlled && size_control.min_subgroup_size > 0 {
        (size_control.min_subgroup_size, size_control.max_subgroup_size.max(size_control.min_subgroup_size))
    } else {
        (size, size)
    };

    Ok(Capabilities {
        device_name: string(&properties.device_name),
        device_type: match properties.device_type {
            vk::PhysicalDeviceType::INTEGRATED_GPU => DeviceType::IntegratedGpu,
            vk::PhysicalDeviceType::DISCRETE_GPU => DeviceType::DiscreteGpu,
            vk::PhysicalDeviceType::VIRTUAL_GPU => DeviceType::VirtualGpu,
            vk::PhysicalDeviceType::CPU => DeviceType::Cpu,
            _ => DeviceType::Other,
        },
        api_version: Version::from_raw(properties.api_version),
        vendor_id: properties.vendor_id,
        device_id: properties.device_id,
        driver_id: driver.driver_id.as_raw(),
        driver_version: properties.driver_version,
        driver_name: string(&driver.driver_name),
        driver_info: string(&driver.driver_info),
        pipeline_cache_uuid: properties.pipeline_cache_uuid.iter().map(|byte| format!("{byte:02x}")).collect(),
        profile: None,
        limits: Limits {
            max_compute_work_group_count: limits.max_compute_work_group_count,
            max_compute_work_group_size: limits.max_compute_work_group_size,
            max_compute_work_group_invocations: limits.max_compute_work_group_invocations,
            max_compute_shared_memory_size: limits.max_compute_shared_memory_size,
            max_storage_buffer_range: limits.max_storage_buffer_range,
            min_storage_buffer_offset_alignment: limits.min_storage_buffer_offset_alignment.max(1),
            max_push_constants_size: limits.max_push_constants_size,
            max_memory_allocation_size,
            max_memory_allocation_count: limits.max_memory_allocation_count,
            max_buffer_size: if maintenance4.max_buffer_size > 0 { maintenance4.max_buffer_size } else { max_memory_allocation_size },
            non_coherent_atom_size: limits.non_coherent_atom_size.max(1),
            min_imported_host_pointer_alignment: match host_memory.min_imported_host_pointer_alignment {
                0 => Limits::default().min_imported_host_pointer_alignment,
                alignment => alignment,
            },
            max_per_stage_descriptor_storage_buffers: limits.max_per_stage_descriptor_storage_buffers,
            max_per_stage_descriptor_storage_images: limits.max_per_stage_descriptor_storage_images,
            max_bound_descriptor_sets: limits.max_bound_descriptor_sets,
        },
        subgroup: Subgroup {
            size,
            min_size,
            max_size,
            operations,
            compute_stage: subgroup.supported_stages.contains(vk::ShaderStageFlags::COMPUTE),
            size_control: sizes_controlled,
            required_size_in_compute: sizes_controlled
                && size_control.required_subgroup_size_stages.contains(vk::ShaderStageFlags::COMPUTE),
            full_subgroups: switches.full_subgroups,
            max_workgroup_subgroups: if sizes_controlled { size_control.max_compute_workgroup_subgroups } else { 0 },
            extended_types: switches.extended_types,
            unsimulated: None,
        },
        cooperative_matrices: if switches.features.cooperative_matrix { cooperative_matrices(instance, physical)? } else { Vec::new() },
        features: switches.features.clone(),
        timestamps: timestamps(timestamp_valid_bits, limits.timestamp_period),
        memory: memory(instance, physical),
    })
}

/// Some drivers report a period of 0 or infinity (as does anything that only pretends to be a device): no honest time can be had of those.
fn timestamps(valid_bits: u32, period: f32) -> Timestamps {
    if valid_bits == 0 || !period.is_finite() || period <= 0.0 {
        return Timestamps::default();
    }
    Timestamps { valid_bits: valid_bits.min(64), period_ns: f64::from(period) }
}

/// A family for compute alone runs beside graphics work; where there is none, the first that can compute.
fn choose_queue_family(instance: &Instance, physical: vk::PhysicalDevice) -> Option<QueueFamilyChoice> {
    // SAFETY: the physical device belongs to the living instance.
    let families = unsafe { instance.raw().get_physical_device_queue_family_properties(physical) };
    let usable =
        || (0u32..).zip(&families).filter(|(_, family)| family.queue_count > 0 && family.queue_flags.contains(vk::QueueFlags::COMPUTE));
    let (family, properties) =
        usable().find(|(_, family)| !family.queue_flags.contains(vk::QueueFlags::GRAPHICS)).or_else(|| usable().next())?;
    Some(QueueFamilyChoice { family, flags: properties.queue_flags, timestamp_valid_bits: properties.timestamp_valid_bits })
}

fn memory(instance: &Instance, physical: vk::PhysicalDevice) -> Memory {
    // SAFETY: the physical device belongs to the living instance.
    let memory = unsafe { instance.raw().get_physical_device_memory_properties(physical) };
    let heaps: Vec<MemoryHeap> = memory
        .memory_heaps_as_slice()
        .iter()
        .map(|heap| MemoryHeap { size: heap.size, device_local: heap.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL) })
        .collect();
    let types: Vec<MemoryType> = memory
        .memory_types_as_slice()
        .iter()
        .map(|kind| MemoryType { heap: kind.heap_index, properties: MemoryProperties::from_bits_retain(kind.property_flags.as_raw()) })
        .collect();
    let unified = Memory::is_unified(&heaps, &types);
    Memory { heaps, types, unified }
}

fn cooperative_matrices(instance: &Instance, physical: vk::PhysicalDevice) -> Result<Vec<CooperativeMatrix>, Error> {
    let functions = ash::khr::cooperative_matrix::Instance::new(instance.entry(), instance.raw());
    // SAFETY: the device lists the extension, and belongs to the living instance.
    let shapes = unsafe { functions.get_physical_device_cooperative_matrix_properties(physical) }
        .map_err(|result| Error::vulkan("vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR", result))?;
    let kind = |kind: vk::ComponentTypeKHR| format!("{kind:?}").to_lowercase();
    Ok(shapes
        .iter()
        .map(|shape| CooperativeMatrix {
            m: shape.m_size,
            n: shape.n_size,
            k: shape.k_size,
            types: [kind(shape.a_type), kind(shape.b_type), kind(shape.c_type), kind(shape.result_type)],
            saturating: shape.saturating_accumulation == vk::TRUE,
            scope: format!("{:?}", shape.scope).to_lowercase(),
        })
        .collect())
}

fn string(text: &[c_char]) -> String {
    let bytes: Vec<u8> = text.iter().map(|&letter| letter as u8).take_while(|&byte| byte != 0).chain([0]).collect();
    CStr::from_bytes_until_nul(&bytes).map(|text| text.to_string_lossy().into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unusable_timestamp_periods_mean_no_timestamps() {
        for (bits, period) in [(0, 1.0), (64, 0.0), (64, f32::INFINITY), (64, f32::NAN), (64, -1.0)] {
            assert_eq!(timestamps(bits, period), Timestamps::default(), "{bits} bits of {period} ns");
        }
        assert_eq!(timestamps(36, 52.0833), Timestamps { valid_bits: 36, period_ns: f64::from(52.0833_f32) });
    }
}
