//! Instances and devices that a caller made and lends.

mod queues;

pub use queues::{AdoptedQueue, QueueFault};

use std::any::Any;
use std::ffi::CStr;
use std::fmt;
use std::sync::Arc;

use ash::vk;

use crate::device::assemble::{Parts, known_faults, narrowed};
use crate::device::{Device, DeviceOptions};
use crate::error::Error;
use crate::extensions::Extensions;
use crate::features::Switches;
use crate::instance::Instance;
use crate::{Version, query};
use queues::check_queues;

/// A caller's instance, to be lent by [`Instance::adopt`].
pub struct AdoptedInstance<'a> {
    /// The loader it was made with.
    pub entry: &'a ash::Entry,
    /// Its functions and handle.
    pub instance: &'a ash::Instance,
    /// `VkApplicationInfo::apiVersion`, as it was given when the instance was made.
    pub api_version: u32,
    /// The extensions that were enabled.
    pub extensions: &'a [&'a CStr],
    /// Kept until nothing of Wavelane uses the instance: whatever destroys it when dropped. `None` where the caller sees to it that it lives long enough.
    pub keep: Option<Arc<dyn Any + Send + Sync>>,
}

/// A caller's device, to be lent by [`Device::adopt`].
pub struct AdoptedDevice<'a> {
    /// The instance that the device was made from, by [`Instance::adopt`] as a rule.
    pub instance: &'a Arc<Instance>,
    /// The physical device.
    pub physical_device: vk::PhysicalDevice,
    /// Its functions and handle.
    pub device: &'a ash::Device,
    /// The extensions that were enabled.
    pub extensions: &'a [&'a CStr],
    /// The features that were enabled: the chain that `VkDeviceCreateInfo` had, with its `pEnabledFeatures`, if it had those instead, in `features`.
    ///
    /// A feature may stand in a structure of its own or in `VkPhysicalDeviceVulkan11Features` to `VkPhysicalDeviceVulkan14Features`. Structures that
    /// Wavelane does not know are passed over.
    pub features: &'a vk::PhysicalDeviceFeatures2<'a>,
    /// The queues that Wavelane may use, each under one role. One of the role [`QueueRole::Compute`](crate::QueueRole::Compute) must be among them; roles without a queue of their
    /// own share that one. Where `timelineSemaphore` is not enabled, it is the only one used.
    pub queues: &'a [AdoptedQueue],
    /// Kept until nothing of Wavelane uses the device: whatever destroys it when dropped. `None` where the caller sees to it that it lives long enough.
    pub keep: Option<Arc<dyn Any + Send + Sync>>,
}

impl fmt::Debug for AdoptedInstance<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AdoptedInstance")
            .field("instance", &self.instance.handle())
            .field("extensions", &self.extensions)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for AdoptedDevice<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AdoptedDevice").field("device", &self.device.handle()).field("extensions", &self.extensions).finish_non_exhaustive()
    }
}

impl Instance {
    /// Takes over a caller's instance, which is never destroyed from here.
    ///
    /// [`Instance::adapters`] and [`Instance::adapter`] work on it as on one made here, and a device of it may be the caller's
    /// ([`Device::adopt`]) or made here ([`Device::new`]). Validation is the caller's matter. Objects are named for profilers where
    /// `VK_EXT_debug_utils` is among the extensions.
    ///
    /// ```no_run
    /// use wavelane_device::{AdoptedInstance, Instance, ash, vk};
    ///
    /// # fn example(entry: &ash::Entry, instance: &ash::Instance) -> Result<(), wavelane_device::Error> {
    /// let extensions = [ash::ext::debug_utils::NAME];
    /// // SAFETY: the instance was made with this version and these extensions, and outlives what is made of `ours`.
    /// let ours = unsafe {
    ///     Instance::adopt(AdoptedInstance { entry, instance, api_version: vk::API_VERSION_1_2, extensions: &extensions, keep: None })
    /// }?;
    /// for adapter in ours.adapters()? {
    ///     println!("{}", adapter.capabilities().device_name);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InstanceTooOld`].
    ///
    /// # Safety
    ///
    /// - `instance` was made through `entry`, with this `api_version`, and with all of these extensions.
    /// - Until the last handle of this instance and of what was made from it is dropped, it is not destroyed. With `keep`, that is so if it is
    ///   destroyed only by what is kept.
    pub unsafe fn adopt(lent: AdoptedInstance<'_>) -> Result<Arc<Self>, Error> {
        let found = match lent.api_version {
            // Vulkan's own reading.
            0 => Version::new(1, 0, 0),
            version => Version::from_raw(version),
        };
        if found < Version::new(1, 1, 0) {
            return Err(Error::InstanceTooOld { found });
        }
        let debug_utils = lent.extensions.contains(&ash::ext::debug_utils::NAME);
        Ok(Self::of_caller(lent.entry.clone(), lent.instance.clone(), found, debug_utils, lent.keep))
    }
}

impl Device {
    /// Takes over a caller's device, which is never destroyed from here.
    ///
    /// [`Device::capabilities`] is what was *enabled*, whatever the hardware has beyond it; limits, memory and subgroup sizes are the
    /// hardware's. A feature counts only where its extension is among `extensions`, or the core version that instance and device have in common has it.
    /// Some need more than a feature:
    ///
    /// - Push descriptors need `VK_KHR_push_descriptor`: Vulkan 1.4's own are not used.
    /// - Synchronization2 is used by `VK_KHR_synchronization2`'s functions, or by those of Vulkan 1.3.
    /// - The memory budget needs `VK_EXT_memory_budget`.
    ///
    /// A profile narrows the device further; what is on cannot be turned off by that, but is not used. Known faults of the driver are avoided as on a
    /// device made here. [`Requirements`](crate::Requirements) says beforehand what is worth enabling.
    ///
    /// Several Wavelane devices may be made of one device, if their queues differ or are locked by the same lock.
    ///
    /// ```no_run
    /// use std::sync::{Arc, Mutex};
    /// use wavelane_device::{AdoptedDevice, AdoptedQueue, Device, DeviceOptions, Instance, QueueLock, QueueRole, ash, vk};
    ///
    /// # unsafe fn example(instance: &Arc<Instance>, physical_device: vk::PhysicalDevice, device: &ash::Device, queue: vk::Queue) -> Result<(), wavelane_device::Error> {
    /// // The engine submits to this queue, too, and holds this when it does.
    /// struct Submitting(Mutex<()>);
    /// impl QueueLock for Submitting {
    ///     fn run_locked(&self, action: &mut dyn FnMut()) {
    ///         let _held = self.0.lock();
    ///         action();
    ///     }
    /// }
    /// let lock = Arc::new(Submitting(Mutex::new(())));
    ///
    /// // As they were chained when the device was made.
    /// let mut enabled = vk::PhysicalDeviceVulkan12Features::default().timeline_semaphore(true);
    /// let features = vk::PhysicalDeviceFeatures2::default().push_next(&mut enabled);
    /// let lent = AdoptedDevice {
    ///     instance,
    ///     physical_device,
    ///     device,
    ///     extensions: &[ash::khr::push_descriptor::NAME],
    ///     features: &features,
    ///     queues: &[AdoptedQueue { queue, family: 0, index: 0, role: QueueRole::Compute, lock: Some(lock) }],
    ///     keep: None,
    /// };
    /// // SAFETY: the device was made so, and outlives what is made of `ours`.
    /// let ours = unsafe { Device::adopt(lent, &DeviceOptions::default()) }?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::ForeignPhysicalDevice`], [`Error::DeviceTooOld`], [`Error::NoComputeQueue`], [`Error::MemoryModelWithoutDeviceScope`]; [`Error::NoAdoptedQueue`] and [`Error::AdoptedQueue`] where the
    /// queues cannot be what they are said to be; or what Vulkan returned.
    ///
    /// # Safety
    ///
    /// - `device` was made from `physical_device` with all of these extensions and features, and its functions are its driver's (or those of a layer).
    /// - `features` and what its `pNext` links are valid Vulkan structures.
    /// - Each queue is the device's, of the family and index given, and was made without flags.
    /// - While Wavelane is within a queue's lock, nobody else uses the queue; without one, nobody else uses it ever. A lock runs what it is given once.
    /// - Until the last handle of this device and of what was made from it is dropped, it is not destroyed. With `keep`, that is so if it is destroyed
    ///   only by what is kept.
    pub unsafe fn adopt(lent: AdoptedDevice<'_>, options: &DeviceOptions) -> Result<Arc<Self>, Error> {
        let AdoptedDevice { instance, physical_device, device, extensions, features, queues, keep } = lent;
        let adapter = instance.adapter(physical_device)?;
        let offered = adapter.extensions();
        // SAFETY: the physical device belongs to the living instance.
        let families = unsafe { instance.raw().get_physical_device_queue_family_properties(physical_device) };
        let mut queues = check_queues(&families, queues)?;

        let enabled = Extensions::enabled(extensions, offered.core());
        // SAFETY: the caller's promise.
        let mut switches = unsafe { Switches::read(std::ptr::from_ref(features).cast(), &enabled) };
        let absent = switches.narrow(&Switches::of(adapter.capabilities()));
        if !absent.is_empty() {
            log::warn!("{} has not the features said to be enabled on it: {}", adapter.capabilities().device_name, absent.join(", "));
        }
        // It cannot be turned off again, and no kernel of Wavelane's can do without device scope.
        if switches.features.vulkan_memory_model && !switches.features.vulkan_memory_model_device_scope {
            return Err(Error::MemoryModelWithoutDeviceScope { device: adapter.capabilities().device_name.clone() });
        }
        if options.single_queue || !switches.features.timeline_semaphore {
            queues.truncate(1);
        }
        let timestamp_valid_bits = queues.first().map_or(0, |(place, _, _)| place.timestamp_valid_bits);
        let mut whole = query::capabilities(instance, physical_device, offered, &switches, timestamp_valid_bits)?;
        let core = offered.core();
        if (core.major, core.minor) < (whole.api_version.major, whole.api_version.minor) {
            whole.api_version = core;
        }

        let mut capabilities = narrowed(&whole, options.profile.as_ref());
        let quirks = known_faults(&mut capabilities, options.profile.as_ref());
        let mut roles = [0; 3];
        for (number, (_, role, _)) in (0u32..).zip(&queues) {
            roles[*role as usize] = number;
        }
        Self::assemble(Parts {
            instance: Arc::clone(instance),
            physical_device,
            raw: device.clone(),
            enabled,
            whole: &whole,
            capabilities,
            quirks,
            queues: queues.into_iter().map(|(place, _, lock)| (place, lock)).collect(),
            roles,
            adopted: true,
            keep,
            options,
        })
    }
}

#[cfg(test)]
mod tests;
