//! The logical device.

use std::ffi::CStr;
use std::fmt;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use ash::vk;

use crate::accounts::MemoryStatistics;
use crate::adapter::Adapter;
use crate::error::Error;
use crate::extensions::Extensions;
use crate::features::FeatureChain;
use crate::instance::{Instance, c_string};
use crate::memory::MemoryPool;
use crate::profile::Profile;
use crate::queue::{Queue, QueuePlace, QueueRole};
use crate::queue_plan::QueuePlan;
use crate::quirks::{Quirk, QuirkEffect, quirks_of};
use crate::timeline::{Timeline, TimelineFunctions};
use crate::{Capabilities, SubgroupOperations, Version};

/// How to make a [`Device`].
#[derive(Clone, Debug, Default)]
pub struct DeviceOptions {
    /// A device to simulate: limits and features beyond the profile's are not enabled and not reported.
    pub profile: Option<Profile>,
    /// Makes one queue only, also where the hardware has more.
    pub single_queue: bool,
    /// Flushes and invalidates mapped memory also where it is coherent and needs neither. For tests, on machines whose memory is all coherent, of what runs
    /// on phones; with a profile, on the larger of both devices' atoms.
    pub assume_non_coherent: bool,
}

/// A Vulkan device with its queues and everything on that Wavelane may use.
///
/// Every feature that [`Capabilities`] knows is enabled where the device (and the profile, if one is simulated) has it, except
/// `robustBufferAccess`, which costs speed and hides faults, and what a quirk forbids. [`Device::capabilities`] says what was enabled.
pub struct Device {
    // Dropped in this order by `drop`: queues, cache, memory, device; the instance goes last.
    memory: Option<Mutex<MemoryPool>>,
    pipeline_cache: vk::PipelineCache,
    raw: ash::Device,
    push_descriptor: Option<ash::khr::push_descriptor::Device>,
    synchronization2: Option<ash::khr::synchronization2::Device>,
    debug_utils: Option<ash::ext::debug_utils::Device>,
    external_memory_host: Option<ash::ext::external_memory_host::Device>,
    queues: Vec<Queue>,
    /// Which of the queues serves a role.
    roles: [u32; 3],
    pub(crate) lost: AtomicBool,
    assume_non_coherent: bool,
    capabilities: Capabilities,
    quirks: Vec<&'static Quirk>,
    forced_subgroup_size: Option<u32>,
    physical_device: vk::PhysicalDevice,
    instance: Arc<Instance>,
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Device").field("raw", &self.raw.handle()).field("name", &self.capabilities.device_name).finish_non_exhaustive()
    }
}

impl Device {
    /// Makes a device from an adapter.
    ///
    /// # Errors
    ///
    /// What Vulkan returned.
    pub fn new(adapter: &Adapter, options: &DeviceOptions) -> Result<Arc<Self>, Error> {
        let instance = adapter.instance();
        let physical = adapter.raw();
        let mut capabilities = match &options.profile {
            Some(profile) => adapter.capabilities().restrict(profile),
            None => adapter.capabilities().clone(),
        };
        capabilities.features.robust_buffer_access = false;
        // With the memory model enabled, barriers and atomics of device scope need that scope enabled too; without it they need neither.
        if !capabilities.features.vulkan_memory_model_device_scope {
            capabilities.features.vulkan_memory_model = false;
        }
        let own = &adapter.capabilities().subgroup;
        let narrowed = (capabilities.subgroup.min_size, capabilities.subgroup.max_size) != (own.min_size, own.max_size);
        let forced_subgroup_size = (narrowed && capabilities.subgroup.required_size_in_compute).then_some(capabilities.subgroup.size);
        let mut quirks = quirks_of(&capabilities);
        for quirk in options.profile.iter().flat_map(|profile| quirks_of(&profile.capabilities)) {
            if !quirks.iter().any(|known| known.id == quirk.id) {
                quirks.push(quirk);
            }
        }
        if quirks.iter().any(|quirk| quirk.effect == QuirkEffect::ForbidCooperativeMatrix) {
            capabilities.features.cooperative_matrix = false;
            capabilities.cooperative_matrices.clear();
        }

        let extensions = Extensions::read(instance, physical, adapter.capabilities().api_version)?;
        let enabled: Vec<_> = extensions_for(&capabilities).into_iter().filter(|name| extensions.listed(name)).map(CStr::as_ptr).collect();
        // Queues wait for each other by timeline semaphores, so without these there is one.
        let single = options.single_queue || !capabilities.features.timeline_semaphore;
        let plan = QueuePlan::of(instance, physical, adapter.queue_family(), single);
        let queues = plan.create_infos();
        let mut chain = FeatureChain::enabling(&capabilities.features, &capabilities.subgroup);
        let mut features = chain.chain(&extensions);
        let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_extension_names(&enabled).push_next(&mut features);
        // SAFETY: the physical device belongs to the living instance; extensions are listed by the device, features were reported by it.
        let raw =
            unsafe { instance.raw().create_device(physical, &info, None) }.map_err(|result| Error::vulkan("vkCreateDevice", result))?;

        let enabled = &capabilities.features;
        let push_descriptor = enabled.push_descriptor.then(|| ash::khr::push_descriptor::Device::new(instance.raw(), &raw));
        let synchronization2 = enabled.synchronization2.then(|| ash::khr::synchronization2::Device::new(instance.raw(), &raw));
        let debug_utils = instance.debug_utils().then(|| ash::ext::debug_utils::Device::new(instance.raw(), &raw));
        let external_memory_host = enabled.external_memory_host.then(|| ash::ext::external_memory_host::Device::new(instance.raw(), &raw));
        let mut device = Self {
            memory: None,
            pipeline_cache: vk::PipelineCache::null(),
            raw,
            push_descriptor,
            synchronization2,
            debug_utils,
            external_memory_host,
            queues: Vec::new(),
            roles: plan.roles(),
            lost: AtomicBool::new(false),
            assume_non_coherent: options.assume_non_coherent,
            capabilities,
            quirks,
            forced_subgroup_size,
            physical_device: physical,
            instance: Arc::clone(instance),
        };
        let core = adapter.capabilities().api_version.min(instance.api_version());
        let timeline = device.timeline_functions(core);
        for (&(family, index), family_properties) in plan.queues().iter().zip(plan.properties()) {
            let place = QueuePlace {
                // SAFETY: the family and so many queues of it were asked for above.
                raw: unsafe { device.raw.get_device_queue(family, index) },
                family,
                index,
                flags: family_properties.queue_flags,
                timestamp_valid_bits: family_properties.timestamp_valid_bits,
            };
            let timeline = Timeline::new(&device.raw, timeline)?;
            device.queues.push(Queue::new(place, None, timeline));
        }
        device.memory = Some(Mutex::new(MemoryPool::new(&device)?));
        // SAFETY: the device is alive.
        device.pipeline_cache = unsafe { device.raw.create_pipeline_cache(&vk::PipelineCacheCreateInfo::default(), None) }
            .map_err(|result| Error::vulkan("vkCreatePipelineCache", result))?;
        Ok(Arc::new(device))
    }

    /// The device's own functions and handle.
    pub fn raw(&self) -> &ash::Device {
        &self.raw
    }

    /// The instance it belongs to.
    pub fn instance(&self) -> &Arc<Instance> {
        &self.instance
    }

    /// The physical device.
    pub fn physical_device(&self) -> vk::PhysicalDevice {
        self.physical_device
    }

    /// What was enabled, and the limits to keep to.
    pub fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    /// Known faults of the driver, and those of the simulated device.
    pub fn quirks(&self) -> &[&'static Quirk] {
        &self.quirks
    }

    /// The subgroup size that every pipeline must require because the simulated device has no other, although this one has.
    /// `None` unless a profile narrows the sizes.
    pub fn forced_subgroup_size(&self) -> Option<u32> {
        self.forced_subgroup_size
    }

    /// The queue of a role: that of [`QueueRole::Compute`] where the device has no other for it.
    pub fn queue(&self, role: QueueRole) -> &Queue {
        self.queue_at(self.queue_number(role))
    }

    /// Whether a role has a queue that serves no other.
    pub fn has_own_queue(&self, role: QueueRole) -> bool {
        self.roles.iter().filter(|&&number| number == self.queue_number(role)).count() == 1
    }

    pub(crate) fn queue_number(&self, role: QueueRole) -> u32 {
        self.roles[role as usize]
    }

    pub(crate) fn queue_at(&self, number: u32) -> &Queue {
        &self.queues[number as usize]
    }

    /// Push descriptors, where they are enabled.
    pub fn push_descriptor(&self) -> Option<&ash::khr::push_descriptor::Device> {
        self.push_descriptor.as_ref()
    }

    /// Synchronization2, where it is enabled.
    pub fn synchronization2(&self) -> Option<&ash::khr::synchronization2::Device> {
        self.synchronization2.as_ref()
    }

    /// Names and labels for profilers and debuggers, where the instance has them.
    pub fn debug_utils(&self) -> Option<&ash::ext::debug_utils::Device> {
        self.debug_utils.as_ref()
    }

    /// Import of host memory, where it is enabled.
    pub fn external_memory_host(&self) -> Option<&ash::ext::external_memory_host::Device> {
        self.external_memory_host.as_ref()
    }

    pub(crate) fn assumes_non_coherent(&self) -> bool {
        self.assume_non_coherent
    }

    /// Names an object of this device for profilers, debuggers and validation messages. Does nothing where names are not supported.
    pub fn set_name<H: vk::Handle>(&self, handle: H, name: &str) {
        let Some(debug_utils) = &self.debug_utils else { return };
        let name = c_string(name);
        let mut info = vk::DebugUtilsObjectNameInfoEXT::default().object_name(&name);
        info.object_type = H::TYPE;
        info.object_handle = handle.as_raw();
        // SAFETY: the caller's handle is of this device; the name lives until the call returns.
        if let Err(result) = unsafe { debug_utils.set_debug_utils_object_name(&info) } {
            log::debug!("vkSetDebugUtilsObjectNameEXT failed: {result:?}");
        }
    }

    /// Waits until the device's queues have nothing left to do, however long it takes. Queues of the caller's own are not waited for.
    ///
    /// # Errors
    ///
    /// [`Error::DeviceLost`], or what Vulkan returned.
    pub fn wait_idle(&self) -> Result<(), Error> {
        for queue in &self.queues {
            let idle = queue.locked(|raw| {
                // SAFETY: the queue is locked.
                unsafe { self.raw.queue_wait_idle(raw) }
            });
            idle.map_err(|result| Error::vulkan("vkQueueWaitIdle", result))?;
        }
        Ok(())
    }

    fn timeline_functions(&self, core: Version) -> Option<TimelineFunctions> {
        if !self.capabilities.features.timeline_semaphore {
            return None;
        }
        if core >= Version::new(1, 2, 0) {
            let functions = self.raw.fp_v1_2();
            return Some(TimelineFunctions { wait: functions.wait_semaphores, value: functions.get_semaphore_counter_value });
        }
        let extension = ash::khr::timeline_semaphore::Device::new(self.instance.raw(), &self.raw);
        let functions = extension.fp();
        Some(TimelineFunctions { wait: functions.wait_semaphores_khr, value: functions.get_semaphore_counter_value_khr })
    }

    /// Bytes that this device's buffers and images take, now and at most so far.
    pub fn memory_statistics(&self) -> MemoryStatistics {
        self.with_memory(|pool| pool.statistics()).unwrap_or_default()
    }

    /// A cache that makes pipelines seen before quicker to create. In memory only.
    pub fn pipeline_cache(&self) -> vk::PipelineCache {
        self.pipeline_cache
    }

    /// Runs `action` with the memory pool locked; `None` only while the device is being made or dropped.
    pub(crate) fn with_memory<T>(&self, action: impl FnOnce(&mut MemoryPool) -> T) -> Option<T> {
        let memory = self.memory.as_ref()?;
        Some(action(&mut memory.lock().unwrap_or_else(std::sync::PoisonError::into_inner)))
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        // SAFETY: whoever submits keeps an `Arc` of the device until the work is done, so the device is idle and nothing of it is left.
        unsafe {
            for queue in &mut self.queues {
                queue.destroy(&self.raw);
            }
            self.raw.destroy_pipeline_cache(self.pipeline_cache, None);
            // Frees the memory blocks, for which the device must still be there.
            self.memory = None;
            self.raw.destroy_device(None);
        }
    }
}

/// The extensions that these capabilities call for, whether or not their features have gone into the device's core version.
fn extensions_for(capabilities: &Capabilities) -> Vec<&'static CStr> {
    let features = &capabilities.features;
    let subgroup = &capabilities.subgroup;
    let float_atomics = features.buffer_float32_atomics
        || features.buffer_float32_atomic_add
        || features.shared_float32_atomic_add
        || features.buffer_float64_atomic_add;
    let wanted: [(&'static CStr, bool); 20] = [
        (ash::khr::portability_subset::NAME, true),
        (ash::khr::_8bit_storage::NAME, features.storage_buffer_8bit),
        (ash::khr::shader_float16_int8::NAME, features.shader_float16 || features.shader_int8),
        (ash::khr::shader_atomic_int64::NAME, features.buffer_int64_atomics || features.shared_int64_atomics),
        (ash::ext::shader_atomic_float::NAME, float_atomics),
        (ash::khr::buffer_device_address::NAME, features.buffer_device_address),
        (ash::khr::vulkan_memory_model::NAME, features.vulkan_memory_model),
        (ash::khr::timeline_semaphore::NAME, features.timeline_semaphore),
        (ash::khr::synchronization2::NAME, features.synchronization2),
        (ash::ext::subgroup_size_control::NAME, subgroup.size_control),
        (ash::khr::shader_subgroup_extended_types::NAME, subgroup.extended_types),
        (ash::khr::shader_subgroup_rotate::NAME, subgroup.operations.contains(SubgroupOperations::ROTATE)),
        (ash::nv::shader_subgroup_partitioned::NAME, subgroup.operations.contains(SubgroupOperations::PARTITIONED)),
        (ash::khr::cooperative_matrix::NAME, features.cooperative_matrix),
        (ash::khr::shader_integer_dot_product::NAME, features.integer_dot_product),
        (ash::khr::pipeline_executable_properties::NAME, features.pipeline_executable_statistics),
        (ash::khr::push_descriptor::NAME, features.push_descriptor),
        (ash::ext::host_query_reset::NAME, features.host_query_reset),
        (ash::ext::memory_budget::NAME, features.memory_budget),
        (ash::ext::external_memory_host::NAME, features.external_memory_host),
    ];
    wanted.into_iter().filter(|(_, on)| *on).map(|(name, _)| name).collect()
}
