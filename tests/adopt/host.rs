//! A program that makes its instance and device itself, with nothing but ash, and destroys them itself.

use std::any::Any;
use std::ffi::{CStr, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use libtest_mimic::Failed;
use wavelane_device::{
    AdoptedDevice, AdoptedInstance, AdoptedQueue, Device, DeviceOptions, Error, Instance, QueueLock, QueueRole, ash, vk,
};

const LAYER: &CStr = c"VK_LAYER_KHRONOS_validation";

/// Hosts that have destroyed what they made.
pub static GONE: AtomicUsize = AtomicUsize::new(0);

/// An instance of the host's, under core and synchronization validation.
pub struct HostInstance {
    pub entry: ash::Entry,
    pub raw: ash::Instance,
    pub api_version: u32,
    messenger: (ash::ext::debug_utils::Instance, vk::DebugUtilsMessengerEXT),
}

/// Which of the handles lent keeps the host.
#[derive(Clone, Copy, PartialEq)]
pub enum Keep {
    Nobody,
    Device,
    Both,
}

/// A device of the host's.
pub struct Host {
    pub instance: HostInstance,
    pub physical: vk::PhysicalDevice,
    pub raw: ash::Device,
    pub family: u32,
    pub queue: vk::Queue,
}

impl HostInstance {
    pub fn new(api_version: u32) -> Result<Self, Failed> {
        let application = vk::ApplicationInfo::default().application_name(c"host").api_version(api_version);
        let layers = [LAYER.as_ptr()];
        let extensions = [ash::ext::debug_utils::NAME.as_ptr()];
        let on = vk::TRUE;
        // As the library's own instance has it: without the second, newer layers find no hazard between dispatches.
        let settings = [c"validate_sync", c"syncval_shader_accesses_heuristic"].map(|name| {
            let mut setting = vk::LayerSettingEXT::default().layer_name(LAYER).setting_name(name).ty(vk::LayerSettingTypeEXT::BOOL32);
            setting.value_count = 1;
            setting.p_values = std::ptr::from_ref(&on).cast();
            setting
        });
        let mut settings = vk::LayerSettingsCreateInfoEXT::default().settings(&settings);
        let enables = [vk::ValidationFeatureEnableEXT::SYNCHRONIZATION_VALIDATION];
        let mut validation = vk::ValidationFeaturesEXT::default().enabled_validation_features(&enables);
        let mut creating = messenger_info();
        let mut extensions = extensions.to_vec();
        // SAFETY: the system's loader, and plain calls of it.
        unsafe {
            let entry = ash::Entry::load()?;
            let of_layer = entry.enumerate_instance_extension_properties(Some(LAYER))?;
            let offered = |name: &CStr| of_layer.iter().any(|property| property.extension_name_as_c_str() == Ok(name));
            let by_features = offered(ash::ext::validation_features::NAME);
            let by_settings = offered(ash::ext::layer_settings::NAME);
            if by_features {
                extensions.push(ash::ext::validation_features::NAME.as_ptr());
            } else if by_settings {
                extensions.push(ash::ext::layer_settings::NAME.as_ptr());
            }
            let mut info = vk::InstanceCreateInfo::default()
                .application_info(&application)
                .enabled_layer_names(&layers)
                .enabled_extension_names(&extensions)
                .push_next(&mut creating);
            if by_settings {
                info = info.push_next(&mut settings);
            }
            if by_features {
                info = info.push_next(&mut validation);
            }
            let raw = entry.create_instance(&info, None)?;
            let functions = ash::ext::debug_utils::Instance::new(&entry, &raw);
            let messenger = functions.create_debug_utils_messenger(&messenger_info(), None)?;
            Ok(Self { entry, raw, api_version, messenger: (functions, messenger) })
        }
    }

    pub fn physical(&self) -> Result<vk::PhysicalDevice, Failed> {
        // SAFETY: the instance is alive.
        let devices = unsafe { self.raw.enumerate_physical_devices() }?;
        devices.first().copied().ok_or_else(|| "no physical device".into())
    }

    /// Lends the instance, which must outlive what is made of it.
    pub fn lend(&self) -> Result<Arc<Instance>, Error> {
        let extensions = [ash::ext::debug_utils::NAME];
        // SAFETY: it was made so; tests keep it alive.
        unsafe {
            Instance::adopt(AdoptedInstance {
                entry: &self.entry,
                instance: &self.raw,
                api_version: self.api_version,
                extensions: &extensions,
                keep: None,
            })
        }
    }

    /// A device of this instance, with the features that `info` has.
    pub fn device(self, extensions: &[&CStr], info: vk::DeviceCreateInfo<'_>) -> Result<Arc<Host>, Failed> {
        let physical = self.physical()?;
        // SAFETY: the instance is alive.
        let family = unsafe { self.raw.get_physical_device_queue_family_properties(physical) }
            .iter()
            .position(|family| family.queue_flags.contains(vk::QueueFlags::COMPUTE))
            .ok_or("no compute queue")? as u32;
        let priorities = [1.0];
        let queues = [vk::DeviceQueueCreateInfo::default().queue_family_index(family).queue_priorities(&priorities)];
        let names: Vec<_> = extensions.iter().map(|name| name.as_ptr()).collect();
        let info = info.queue_create_infos(&queues).enabled_extension_names(&names);
        // SAFETY: the description is complete, and the queue is the one asked for.
        unsafe {
            let raw = self.raw.create_device(physical, &info, None)?;
            let queue = raw.get_device_queue(family, 0);
            Ok(Arc::new(Host { instance: self, physical, raw, family, queue }))
        }
    }
}

impl Host {
    /// A host that turns on nothing.
    pub fn bare() -> Result<Arc<Self>, Failed> {
        HostInstance::new(vk::API_VERSION_1_1)?.device(&[], vk::DeviceCreateInfo::default())
    }

    /// The one queue, lent for compute.
    pub fn compute(&self, lock: Option<Arc<dyn QueueLock>>) -> AdoptedQueue {
        AdoptedQueue { queue: self.queue, family: self.family, index: 0, role: QueueRole::Compute, lock }
    }

    /// Lends the device; it must be kept alive, by `keep` or by the test.
    pub fn lend(
        self: &Arc<Self>,
        extensions: &[&CStr],
        features: &vk::PhysicalDeviceFeatures2<'_>,
        queues: &[AdoptedQueue],
        options: &DeviceOptions,
        keep: Keep,
    ) -> Result<Arc<Device>, Error> {
        let kept_by = |who: &[Keep]| who.contains(&keep).then(|| Arc::clone(self) as Arc<dyn Any + Send + Sync>);
        let named = [ash::ext::debug_utils::NAME];
        let HostInstance { entry, raw, api_version, .. } = &self.instance;
        // SAFETY: both were made with what is said here, and are destroyed by `drop` alone.
        unsafe {
            let instance =
                AdoptedInstance { entry, instance: raw, api_version: *api_version, extensions: &named, keep: kept_by(&[Keep::Both]) };
            let lent = AdoptedDevice {
                instance: &Instance::adopt(instance)?,
                physical_device: self.physical,
                device: &self.raw,
                extensions,
                features,
                queues,
                keep: kept_by(&[Keep::Both, Keep::Device]),
            };
            Device::adopt(lent, options)
        }
    }

    /// Lends a bare host's device.
    pub fn lend_bare(self: &Arc<Self>, keep: Keep) -> Result<Arc<Device>, Error> {
        self.lend(&[], &vk::PhysicalDeviceFeatures2::default(), &[self.compute(None)], &DeviceOptions::default(), keep)
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        // SAFETY: what was lent has been given back; whatever is left of it, the layer reports.
        unsafe { self.raw.destroy_device(None) };
    }
}

impl Drop for HostInstance {
    fn drop(&mut self) {
        let (functions, messenger) = &self.messenger;
        // SAFETY: the device went before.
        unsafe {
            functions.destroy_debug_utils_messenger(*messenger, None);
            self.raw.destroy_instance(None);
        }
        GONE.fetch_add(1, Ordering::SeqCst);
    }
}

/// A lock that notices two users at once, and counts them.
#[derive(Default)]
pub struct CountingLock {
    lock: Mutex<()>,
    inside: AtomicUsize,
    pub most: AtomicUsize,
    pub uses: AtomicUsize,
}

impl QueueLock for CountingLock {
    fn run_locked(&self, action: &mut dyn FnMut()) {
        let _held = self.lock.lock();
        self.most.fetch_max(self.inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        self.uses.fetch_add(1, Ordering::SeqCst);
        action();
        self.inside.fetch_sub(1, Ordering::SeqCst);
    }
}

fn messenger_info() -> vk::DebugUtilsMessengerCreateInfoEXT<'static> {
    vk::DebugUtilsMessengerCreateInfoEXT::default()
        .message_severity(vk::DebugUtilsMessageSeverityFlagsEXT::WARNING | vk::DebugUtilsMessageSeverityFlagsEXT::ERROR)
        .message_type(vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION | vk::DebugUtilsMessageTypeFlagsEXT::PERFORMANCE)
        .pfn_user_callback(Some(on_message))
}

unsafe extern "system" fn on_message(
    _: vk::DebugUtilsMessageSeverityFlagsEXT,
    _: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    _: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: the layer hands over its data and strings for as long as this runs.
    let texts = unsafe {
        data.as_ref().map_or_else(Vec::new, |data| {
            [data.p_message_id_name, data.p_message].into_iter().filter(|text| !text.is_null()).map(|text| CStr::from_ptr(text)).collect()
        })
    };
    let texts: Vec<_> = texts.into_iter().map(CStr::to_string_lossy).collect();
    // Where the harness looks for messages.
    log::warn!(target: "wavelane_device::validation", "{}", texts.join(": "));
    vk::FALSE
}
