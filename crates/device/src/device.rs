//! The logical device.

pub(crate) mod assemble;

use std::any::Any;
use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use ash::vk;

use crate::Capabilities;
use crate::accounts::MemoryStatistics;
use crate::adapter::Adapter;
use crate::device::assemble::{Parts, known_faults, wanted};
use crate::error::Error;
use crate::extensions::Extensions;
use crate::features::{FeatureChain, Switches};
use crate::instance::{Instance, c_string};
use crate::memory::MemoryPool;
use crate::pipeline_cache::PipelineCache;
use crate::profile::Profile;
use crate::queue::{Queue, QueuePlace, QueueRole};
use crate::queue_plan::QueuePlan;
use crate::quirks::Quirk;
use crate::synchronization2::Synchronization2;

/// How to make a [`Device`].
#[derive(Clone, Debug, Default)]
pub struct DeviceOptions {
    /// A device to simulate: limits and features beyond the profile's are not enabled and not reported.
    pub profile: Option<Profile>,
    /// A folder to keep compiled pipelines in from one start to the next; it is made when there is something to put in. Each device and driver has
    /// a file of its own, which is checked before the driver sees it, and replaced when the device is dropped or by
    /// [`Device::save_pipeline_cache`]. What goes wrong with it is logged as a warning, never an error. Give a folder that only the user
    /// can write to: a driver trusts what it reads, and a checksum is no signature.
    pub pipeline_cache: Option<PathBuf>,
    /// Whether drivers keep statistics of the pipelines they make (registers, spills, instructions), where they can. It can make compiling
    /// slower, and pipelines from a cache are not used where they lack them.
    pub capture_statistics: bool,
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
/// A caller's device is taken over, with what the caller enabled, by [`Device::adopt`].
///
/// **Threads.** Any number may use a device at once. What Vulkan wants one thread at a time for is behind locks: each queue ([`Queue::locked`]), the memory.
pub struct Device {
    // Dropped in this order by `drop`: queues, cache, memory, device; the instance goes last.
    memory: Option<Mutex<MemoryPool>>,
    pipeline_cache: PipelineCache,
    captures_statistics: bool,
    raw: ash::Device,
    push_descriptor: Option<ash::khr::push_descriptor::Device>,
    synchronization2: Option<Synchronization2>,
    debug_utils: Option<ash::ext::debug_utils::Device>,
    external_memory_host: Option<ash::ext::external_memory_host::Device>,
    /// Of all devices of the process this one's alone.
    pub(crate) number: u32,
    queues: Vec<Queue>,
    /// Which of the queues serves a role.
    roles: [u32; 3],
    pub(crate) lost: AtomicBool,
    assume_non_coherent: bool,
    capabilities: Capabilities,
    quirks: Vec<&'static Quirk>,
    forced_subgroup_size: Option<u32>,
    physical_device: vk::PhysicalDevice,
    adopted: bool,
    // What keeps a caller's device goes before what keeps its instance.
    _keep: Option<Arc<dyn Any + Send + Sync>>,
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
        let mut capabilities = wanted(adapter.capabilities(), options.profile.as_ref());
        let quirks = known_faults(&mut capabilities, options.profile.as_ref());

        let offered = adapter.extensions();
        let switches = Switches::of(&capabilities);
        let names = switches.extensions(offered);
        let pointers: Vec<_> = names.iter().map(|name| name.as_ptr()).collect();
        // Queues wait for each other by timeline semaphores, so without these there is one.
        let single = options.single_queue || !capabilities.features.timeline_semaphore;
        let plan = QueuePlan::of(instance, physical, adapter.queue_family(), single);
        let queues = plan.create_infos();
        let mut features = FeatureChain::enabling(&switches);
        let info = features.push_on(vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_extension_names(&pointers));
        // SAFETY: the physical device belongs to the living instance; extensions are listed by the device, features were reported by it.
        let raw =
            unsafe { instance.raw().create_device(physical, &info, None) }.map_err(|result| Error::vulkan("vkCreateDevice", result))?;

        let place = |&(family, index): &(u32, u32), properties: &vk::QueueFamilyProperties| QueuePlace {
            // SAFETY: the family and so many queues of it were asked for above.
            raw: unsafe { raw.get_device_queue(family, index) },
            family,
            index,
            flags: properties.queue_flags,
            timestamp_valid_bits: properties.timestamp_valid_bits,
        };
        let queues = plan.queues().iter().zip(plan.properties()).map(|(queue, properties)| (place(queue, properties), None)).collect();
        Self::assemble(Parts {
            instance: Arc::clone(instance),
            physical_device: physical,
            enabled: Extensions::enabled(&names, offered.core()),
            whole: adapter.capabilities(),
            capabilities,
            quirks,
            queues,
            roles: plan.roles(),
            adopted: false,
            keep: None,
            options,
            raw,
        })
    }

    /// The device's own functions and handle.
    pub fn raw(&self) -> &ash::Device {
        &self.raw
    }

    /// Whether it is a caller's, taken over by [`Device::adopt`].
    pub fn is_adopted(&self) -> bool {
        self.adopted
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
    pub fn synchronization2(&self) -> Option<&Synchronization2> {
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
            idle.map_err(|result| self.failed("vkQueueWaitIdle", result))?;
        }
        Ok(())
    }

    /// Bytes that this device's buffers and images take, now and at most so far.
    pub fn memory_statistics(&self) -> MemoryStatistics {
        self.with_memory(|pool| pool.statistics()).unwrap_or_default()
    }

    /// A cache that makes pipelines seen before quicker to create: in this process, and with [`DeviceOptions::pipeline_cache`] in earlier ones.
    pub fn pipeline_cache(&self) -> vk::PipelineCache {
        self.pipeline_cache.raw()
    }

    /// Whether pipelines are to be made with `VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR`: it was asked for by
    /// [`DeviceOptions::capture_statistics`], and the device can.
    pub fn captures_statistics(&self) -> bool {
        self.captures_statistics
    }

    pub(crate) fn cache(&self) -> &PipelineCache {
        &self.pipeline_cache
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
            self.pipeline_cache.destroy(&self.raw);
            // Frees the memory blocks, for which the device must still be there.
            self.memory = None;
            if !self.adopted {
                self.raw.destroy_device(None);
            }
        }
    }
}
