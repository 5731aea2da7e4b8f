//! What is the same for a device made here and for a caller's: known faults, and everything that is put around Vulkan's handle.

use std::any::Any;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use ash::vk;

use super::{Device, DeviceOptions};
use crate::error::Error;
use crate::extensions::Extensions;
use crate::instance::Instance;
use crate::memory::MemoryPool;
use crate::pipeline_cache::PipelineCache;
use crate::profile::Profile;
use crate::queue::{Queue, QueueLock, QueuePlace};
use crate::quirks::{Quirk, QuirkEffect, quirks_of};
use crate::synchronization2::Synchronization2;
use crate::timeline::{Timeline, TimelineFunctions};
use crate::{Capabilities, Version};

/// The number of the next device.
static NUMBERS: AtomicU32 = AtomicU32::new(0);

/// What a [`Device`] is made of.
pub(crate) struct Parts<'a> {
    pub(crate) instance: Arc<Instance>,
    pub(crate) physical_device: vk::PhysicalDevice,
    pub(crate) raw: ash::Device,
    /// The extensions that are on, and the core version that may be used.
    pub(crate) enabled: Extensions,
    /// The capabilities before any profile narrowed them.
    pub(crate) whole: &'a Capabilities,
    pub(crate) capabilities: Capabilities,
    pub(crate) quirks: Vec<&'static Quirk>,
    pub(crate) queues: Vec<(QueuePlace, Option<Arc<dyn QueueLock>>)>,
    /// Which of the queues serves a role.
    pub(crate) roles: [u32; 3],
    pub(crate) adopted: bool,
    pub(crate) keep: Option<Arc<dyn Any + Send + Sync>>,
    pub(crate) options: &'a DeviceOptions,
}

impl Device {
    /// Loads functions, and makes what every device has of its own: timelines, memory, pipeline cache.
    pub(crate) fn assemble(parts: Parts<'_>) -> Result<Arc<Self>, Error> {
        let Parts { instance, physical_device, raw, enabled, whole, capabilities, quirks, queues, roles, adopted, keep, options } = parts;
        let (features, subgroup) = (&capabilities.features, &capabilities.subgroup);
        let narrowed = (subgroup.min_size, subgroup.max_size) != (whole.subgroup.min_size, whole.subgroup.max_size);
        let forced_subgroup_size = (narrowed && subgroup.required_size_in_compute).then_some(subgroup.size);
        let push_descriptor = features.push_descriptor.then(|| ash::khr::push_descriptor::Device::new(instance.raw(), &raw));
        let synchronization2 = features.synchronization2.then(|| match enabled.listed(ash::khr::synchronization2::NAME) {
            true => Synchronization2::of_extension(instance.raw(), &raw),
            false => Synchronization2::of_core(&raw),
        });
        let timeline = features.timeline_semaphore.then(|| timeline_functions(instance.raw(), &raw, enabled.core()));
        let debug_utils = instance.debug_utils().then(|| ash::ext::debug_utils::Device::new(instance.raw(), &raw));
        // From here on, dropping the device cleans up.
        let mut device = Self {
            memory: None,
            pipeline_cache: PipelineCache::none(),
            captures_statistics: options.capture_statistics && features.pipeline_executable_statistics,
            raw,
            push_descriptor,
            synchronization2,
            debug_utils,
            number: NUMBERS.fetch_add(1, Ordering::Relaxed),
            queues: Vec::with_capacity(queues.len()),
            roles,
            lost: AtomicBool::new(false),
            capabilities,
            quirks,
            forced_subgroup_size,
            physical_device,
            adopted,
            _keep: keep,
            instance,
        };
        for (place, lock) in queues {
            let timeline = Timeline::new(&device.raw, timeline)?;
            device.queues.push(Queue::new(place, lock, timeline));
        }
        device.memory = Some(Mutex::new(MemoryPool::new(&device)?));
        let folder = options.pipeline_cache.as_deref();
        device.pipeline_cache =
            PipelineCache::new(&device.instance, physical_device, &device.raw, whole.driver_id, &device.quirks, folder)?;
        device.set_name(device.pipeline_cache.raw(), "wavelane pipelines");
        Ok(Arc::new(device))
    }
}

fn timeline_functions(instance: &ash::Instance, device: &ash::Device, core: Version) -> TimelineFunctions {
    if core >= Version::new(1, 2, 0) {
        let functions = device.fp_v1_2();
        return TimelineFunctions { wait: functions.wait_semaphores, value: functions.get_semaphore_counter_value };
    }
    let extension = ash::khr::timeline_semaphore::Device::new(instance, device);
    let functions = extension.fp();
    TimelineFunctions { wait: functions.wait_semaphores_khr, value: functions.get_semaphore_counter_value_khr }
}

/// What is to be enabled on a device made here.
pub(crate) fn wanted(hardware: &Capabilities, profile: Option<&Profile>) -> Capabilities {
    let mut capabilities = narrowed(hardware, profile);
    // It costs speed, and hides faults.
    capabilities.features.robust_buffer_access = false;
    capabilities
}

/// Capabilities narrowed to a profile, if there is one.
pub(crate) fn narrowed(whole: &Capabilities, profile: Option<&Profile>) -> Capabilities {
    let mut capabilities = profile.map_or_else(|| whole.clone(), |profile| whole.restrict(profile));
    // With the memory model enabled, barriers and atomics of device scope need that scope enabled too; without it they need neither.
    if !capabilities.features.vulkan_memory_model_device_scope {
        capabilities.features.vulkan_memory_model = false;
    }
    capabilities
}

/// The known faults of a device and of the one it simulates; what they forbid is taken away.
pub(crate) fn known_faults(capabilities: &mut Capabilities, profile: Option<&Profile>) -> Vec<&'static Quirk> {
    let mut quirks = quirks_of(capabilities);
    for quirk in profile.into_iter().flat_map(|profile| quirks_of(&profile.capabilities)) {
        if !quirks.iter().any(|known| known.id == quirk.id) {
            quirks.push(quirk);
        }
    }
    if quirks.iter().any(|quirk| quirk.effect == QuirkEffect::ForbidCooperativeMatrix) {
        capabilities.features.cooperative_matrix = false;
        capabilities.cooperative_matrices.clear();
    }
    quirks
}
