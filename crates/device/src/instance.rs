//! The Vulkan instance: the loader opened at run time, validation on request.

use std::any::Any;
use std::collections::HashSet;
use std::ffi::{CStr, CString};
use std::fmt;
use std::sync::Arc;

use ash::vk;

use crate::adapter::Adapter;
use crate::error::Error;
use crate::validation::{LAYER, LAYER_NAME, MessageLog, Validation, ValidationMessage};
use crate::{Version, query};

/// The newest Vulkan version whose core this crate uses; features newer than a device are left alone.
const WANTED: Version = Version::new(1, 3, 0);

/// How to make an [`Instance`].
#[derive(Clone, Debug)]
pub struct InstanceOptions {
    /// Name of the application, as drivers and profilers see it.
    pub application_name: String,
    /// Whether calls are validated.
    pub validation: Validation,
}

impl Default for InstanceOptions {
    fn default() -> Self {
        Self { application_name: "wavelane".into(), validation: Validation::Off }
    }
}

/// A Vulkan instance.
pub struct Instance {
    // Fields are used in `drop` in this order: messenger, instance; the log, what a caller wants kept, and the loader go last.
    messenger: Option<(ash::ext::debug_utils::Instance, vk::DebugUtilsMessengerEXT)>,
    raw: ash::Instance,
    messages: Box<MessageLog>,
    adopted: bool,
    _keep: Option<Arc<dyn Any + Send + Sync>>,
    entry: ash::Entry,
    api_version: Version,
    debug_utils: bool,
}

impl fmt::Debug for Instance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Instance").field("raw", &self.raw.handle()).field("api_version", &self.api_version).finish_non_exhaustive()
    }
}

impl Instance {
    /// Opens the loader and makes an instance.
    ///
    /// # Errors
    ///
    /// [`Error::LoaderMissing`], [`Error::LoaderTooOld`], [`Error::NoDriver`], [`Error::LayerMissing`], or what Vulkan returned.
    pub fn new(options: &InstanceOptions) -> Result<Arc<Self>, Error> {
        // SAFETY: opening the system's Vulkan loader runs its initialisers; it is the library that every Vulkan program opens.
        let entry = unsafe { ash::Entry::load() }.map_err(|error| Error::LoaderMissing { cause: error.to_string() })?;
        Self::with_entry(entry, options)
    }

    /// Makes an instance over functions loaded already: for an engine that has opened Vulkan by itself, from a place of its own, or through a layer
    /// of its own that sees every call. Everything, functions of devices included, is had from the entry's `vkGetInstanceProcAddr`. The instance
    /// keeps the entry for as long as anything made from it lives, and gives it out by [`Instance::entry`].
    ///
    /// # Errors
    ///
    /// As [`Instance::new`], other than [`Error::LoaderMissing`].
    pub fn with_entry(entry: ash::Entry, options: &InstanceOptions) -> Result<Arc<Self>, Error> {
        // SAFETY: a global command without parameters.
        let found = unsafe { entry.try_enumerate_instance_version() }
            .map_err(|result| Error::vulkan("vkEnumerateInstanceVersion", result))?
            .map_or(Version::new(1, 0, 0), Version::from_raw);
        if found < Version::new(1, 1, 0) {
            return Err(Error::LoaderTooOld { found });
        }
        let validate = options.validation == Validation::On;
        if validate && !layer_present(&entry)? {
            return Err(Error::LayerMissing { layer: LAYER_NAME });
        }

        let extensions = extension_names(&entry, None)?;
        let layer_extensions = if validate { extension_names(&entry, Some(LAYER))? } else { HashSet::new() };
        let offered = |name: &CStr| extensions.contains(name) || layer_extensions.contains(name);
        let debug_utils = offered(ash::ext::debug_utils::NAME);
        let portability = extensions.contains(ash::khr::portability_enumeration::NAME);
        // Loaders older than VK_EXT_layer_settings refuse its name, so it is enabled only where the layer offers nothing else; the layer reads its
        // structure either way.
        let by_features = layer_extensions.contains(ash::ext::validation_features::NAME);
        let by_settings = layer_extensions.contains(ash::ext::layer_settings::NAME);
        let mut enabled = Vec::new();
        for (name, wanted) in [
            (ash::ext::debug_utils::NAME, debug_utils),
            (ash::khr::portability_enumeration::NAME, portability),
            (ash::ext::layer_settings::NAME, by_settings && !by_features),
            (ash::ext::validation_features::NAME, by_features),
        ] {
            if wanted {
                enabled.push(name.as_ptr());
            }
        }

        let name = c_string(&options.application_name);
        let api_version = WANTED.min(found);
        let application = vk::ApplicationInfo::default()
            .application_name(&name)
            .engine_name(c"wavelane")
            .engine_version(vk::make_api_version(0, 0, 1, 0))
            .api_version(WANTED.to_raw());
        let layers = if validate { vec![LAYER.as_ptr()] } else { Vec::new() };
        let flags = if portability { vk::InstanceCreateFlags::ENUMERATE_PORTABILITY_KHR } else { vk::InstanceCreateFlags::empty() };
        let messages = Box::<MessageLog>::default();

        let on: vk::Bool32 = vk::TRUE;
        // Newer layers look at what shaders do with their buffers only when asked: without that, no hazard between dispatches is ever found.
        let settings = [c"validate_sync", c"syncval_shader_accesses_heuristic"].map(|name| {
            let mut setting = vk::LayerSettingEXT::default().layer_name(LAYER).setting_name(name).ty(vk::LayerSettingTypeEXT::BOOL32);
            setting.value_count = 1;
            setting.p_values = std::ptr::from_ref(&on).cast();
            setting
        });
        let mut settings = vk::LayerSettingsCreateInfoEXT::default().settings(&settings);
        let features = [vk::ValidationFeatureEnableEXT::SYNCHRONIZATION_VALIDATION];
        let mut features = vk::ValidationFeaturesEXT::default().enabled_validation_features(&features);
        let mut messenger_info = messages.messenger_info();

        let mut info = vk::InstanceCreateInfo::default()
            .application_info(&application)
            .enabled_extension_names(&enabled)
            .enabled_layer_names(&layers)
            .flags(flags);
        if by_settings {
            info = info.push_next(&mut settings);
        }
        if by_features {
            info = info.push_next(&mut features);
        }
        // In the chain, the messenger also hears of faults in creating and destroying the instance itself.
        if validate && debug_utils {
            info = info.push_next(&mut messenger_info);
        }
        // SAFETY: everything that `info` points to lives until the call returns; the log, which the messenger keeps, lives in the instance.
        let raw = unsafe { entry.create_instance(&info, None) }.map_err(|result| match result {
            vk::Result::ERROR_INCOMPATIBLE_DRIVER => Error::NoDriver { cause: "VK_ERROR_INCOMPATIBLE_DRIVER".into() },
            vk::Result::ERROR_LAYER_NOT_PRESENT => Error::LayerMissing { layer: LAYER_NAME },
            result => Error::vulkan("vkCreateInstance", result),
        })?;
        let mut instance = Self { messenger: None, raw, messages, adopted: false, _keep: None, entry, api_version, debug_utils };
        if validate && debug_utils {
            let functions = ash::ext::debug_utils::Instance::new(&instance.entry, &instance.raw);
            // SAFETY: the instance is alive, and the log that the callback writes to outlives the messenger.
            let messenger = unsafe { functions.create_debug_utils_messenger(&instance.messages.messenger_info(), None) }
                .map_err(|result| Error::vulkan("vkCreateDebugUtilsMessengerEXT", result))?;
            instance.messenger = Some((functions, messenger));
        }
        Ok(Arc::new(instance))
    }

    /// An instance that is a caller's, and never destroyed from here.
    pub(crate) fn of_caller(
        entry: ash::Entry,
        raw: ash::Instance,
        api_version: Version,
        debug_utils: bool,
        keep: Option<Arc<dyn Any + Send + Sync>>,
    ) -> Arc<Self> {
        let messages = Box::<MessageLog>::default();
        Arc::new(Self { messenger: None, raw, messages, adopted: true, _keep: keep, entry, api_version, debug_utils })
    }

    /// The instance's own functions and handle.
    pub fn raw(&self) -> &ash::Instance {
        &self.raw
    }

    /// The loader.
    pub fn entry(&self) -> &ash::Entry {
        &self.entry
    }

    /// The Vulkan version this instance may use: the loader's, and at most 1.3; of an adopted one what its owner made it for.
    pub fn api_version(&self) -> Version {
        self.api_version
    }

    /// Whether `VK_EXT_debug_utils` is on, so that objects and regions can be named for profilers.
    pub fn debug_utils(&self) -> bool {
        self.debug_utils
    }

    /// The devices that can be used, in Vulkan's order. One below Vulkan 1.1 or without a compute queue is left out, with a warning in the log.
    ///
    /// # Errors
    ///
    /// [`Error::NoDriver`] where no driver could start, or what Vulkan returned. No usable device is not an error but an empty list.
    pub fn adapters(self: &Arc<Self>) -> Result<Vec<Adapter>, Error> {
        let mut adapters = Vec::new();
        for physical in self.physical_devices()? {
            match query::read(self, physical)? {
                Ok(found) => adapters.push(Adapter::new(self, physical, adapters.len(), found)),
                Err(unfit) => log::warn!("a device is left out: {unfit}"),
            }
        }
        Ok(adapters)
    }

    /// Whether it is a caller's, taken over by [`Instance::adopt`].
    pub fn is_adopted(&self) -> bool {
        self.adopted
    }

    /// One device of the instance, by Vulkan's handle.
    ///
    /// # Errors
    ///
    /// [`Error::ForeignPhysicalDevice`] where the instance has no such device, [`Error::DeviceTooOld`] or [`Error::NoComputeQueue`] where it cannot be
    /// used, or as [`Instance::adapters`].
    pub fn adapter(self: &Arc<Self>, physical_device: vk::PhysicalDevice) -> Result<Adapter, Error> {
        let mut index = 0;
        for physical in self.physical_devices()? {
            match query::read(self, physical)? {
                found if physical == physical_device => return Ok(Adapter::new(self, physical, index, found?)),
                found => index += usize::from(found.is_ok()),
            }
        }
        Err(Error::ForeignPhysicalDevice)
    }

    fn physical_devices(&self) -> Result<Vec<vk::PhysicalDevice>, Error> {
        // SAFETY: the instance is alive.
        unsafe { self.raw.enumerate_physical_devices() }.map_err(|result| match result {
            vk::Result::ERROR_INITIALIZATION_FAILED => Error::NoDriver { cause: "VK_ERROR_INITIALIZATION_FAILED".into() },
            result => Error::vulkan("vkEnumeratePhysicalDevices", result),
        })
    }

    /// The validation layer's warnings and errors so far; none of an adopted instance, whose owner has them.
    pub fn validation_messages(&self) -> Vec<ValidationMessage> {
        self.messages.snapshot()
    }

    /// The validation layer's warnings and errors so far, which are then forgotten.
    pub fn take_validation_messages(&self) -> Vec<ValidationMessage> {
        self.messages.take()
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        if self.adopted {
            return;
        }
        // SAFETY: every object made from the instance holds an `Arc` of it, so none is left; the log is still alive.
        unsafe {
            if let Some((functions, messenger)) = self.messenger.take() {
                functions.destroy_debug_utils_messenger(messenger, None);
            }
            self.raw.destroy_instance(None);
        }
    }
}

/// A C string of `text`, without the NUL bytes that C strings cannot hold.
pub(crate) fn c_string(text: &str) -> CString {
    let bytes: Vec<u8> = text.bytes().filter(|&byte| byte != 0).collect();
    CString::new(bytes).unwrap_or_default()
}

fn layer_present(entry: &ash::Entry) -> Result<bool, Error> {
    // SAFETY: a global command without preconditions.
    let layers = unsafe { entry.enumerate_instance_layer_properties() }
        .map_err(|result| Error::vulkan("vkEnumerateInstanceLayerProperties", result))?;
    Ok(layers.iter().any(|layer| layer.layer_name_as_c_str() == Ok(LAYER)))
}

fn extension_names(entry: &ash::Entry, layer: Option<&CStr>) -> Result<HashSet<CString>, Error> {
    // SAFETY: the layer, if any, was enumerated before.
    let properties = unsafe { entry.enumerate_instance_extension_properties(layer) }.map_err(|result| match result {
        // Some loaders notice here already that there is no driver.
        vk::Result::ERROR_INCOMPATIBLE_DRIVER | vk::Result::ERROR_INITIALIZATION_FAILED => Error::NoDriver { cause: format!("{result:?}") },
        result => Error::vulkan("vkEnumerateInstanceExtensionProperties", result),
    })?;
    Ok(properties.iter().filter_map(|property| property.extension_name_as_c_str().ok().map(CStr::to_owned)).collect())
}
