//! Messages of the validation layer: collected, and passed on to `log`.

use std::ffi::{CStr, c_char, c_void};
use std::fmt;
use std::sync::{Mutex, PoisonError};

use ash::vk;

pub(crate) const LAYER: &CStr = c"VK_LAYER_KHRONOS_validation";
pub(crate) const LAYER_NAME: &str = "VK_LAYER_KHRONOS_validation";

/// Whether Vulkan's validation layer checks every call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Validation {
    /// No checks: what a released program wants.
    #[default]
    Off,
    /// Core and synchronization validation. Slow, and worth it in every test.
    On,
}

/// How bad a validation message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// Legal, but probably not meant.
    Warning,
    /// Against the specification.
    Error,
}

/// One message of the validation layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValidationMessage {
    /// How bad it is.
    pub severity: Severity,
    /// The message's identifier: `VUID-…`, `SYNC-HAZARD-…`; empty where the layer gives none.
    pub id: String,
    /// The layer's text.
    pub text: String,
}

impl fmt::Display for ValidationMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        write!(f, "{severity} {}: {}", self.id, self.text)
    }
}

/// Where the callback puts messages. Its address is the callback's user data, so it lives in a box for as long as the instance.
#[derive(Default)]
pub(crate) struct MessageLog {
    messages: Mutex<Vec<ValidationMessage>>,
}

impl MessageLog {
    pub(crate) fn snapshot(&self) -> Vec<ValidationMessage> {
        self.messages.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn take(&self) -> Vec<ValidationMessage> {
        std::mem::take(&mut *self.messages.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// What to create a messenger with. The log must outlive the messenger.
    pub(crate) fn messenger_info(&self) -> vk::DebugUtilsMessengerCreateInfoEXT<'static> {
        vk::DebugUtilsMessengerCreateInfoEXT::default()
            .message_severity(vk::DebugUtilsMessageSeverityFlagsEXT::WARNING | vk::DebugUtilsMessageSeverityFlagsEXT::ERROR)
            .message_type(
                vk::DebugUtilsMessageTypeFlagsEXT::GENERAL
                    | vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION
                    | vk::DebugUtilsMessageTypeFlagsEXT::PERFORMANCE,
            )
            .pfn_user_callback(Some(on_message))
            .user_data(std::ptr::from_ref(self).cast_mut().cast::<c_void>())
    }
}

unsafe fn text(pointer: *const c_char) -> String {
    if pointer.is_null() {
        return String::new();
    }
    // SAFETY: Vulkan hands NUL-terminated strings to the callback, valid while it runs; null was dealt with.
    unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned()
}

/// What the layer says of calls that the loader makes: identifier, and a part of the text. Loaders before 1.3.250 ask each device for this function, which is
/// an instance's, when the driver has video queues.
const LOADERS_OWN: [(&str, &str); 1] =
    [("WARNING-vkGetDeviceProcAddr-device", "vkGetPhysicalDeviceVideoEncodeQualityLevelPropertiesKHR which is an instance level function")];

unsafe extern "system" fn on_message(
    severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    kind: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    user: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: `user` is the address of the instance's log, which outlives the messenger; `data` is valid while the callback runs.
    let (Some(log), Some(data)) = (unsafe { user.cast::<MessageLog>().as_ref() }, unsafe { data.as_ref() }) else {
        return vk::FALSE;
    };
    // SAFETY: the strings come from the callback data.
    let (id, text) = unsafe { (text(data.p_message_id_name), text(data.p_message)) };
    let error = severity.contains(vk::DebugUtilsMessageSeverityFlagsEXT::ERROR);
    // The loader's own remarks about the system's files are no fault of a program.
    if kind == vk::DebugUtilsMessageTypeFlagsEXT::GENERAL || LOADERS_OWN.iter().any(|(name, part)| id == *name && text.contains(part)) {
        log::debug!("Vulkan: {id}: {text}");
        return vk::FALSE;
    }
    let severity = if error { Severity::Error } else { Severity::Warning };
    log::log!(if error { log::Level::Error } else { log::Level::Warn }, "Vulkan: {id}: {text}");
    log.messages.lock().unwrap_or_else(PoisonError::into_inner).push(ValidationMessage { severity, id, text });
    vk::FALSE
}
