//! The way in: the entry that the library is given, and what it finds through it.

use std::ffi::{CStr, c_char};
use std::sync::OnceLock;

use libtest_mimic::Failed;
use wavelane_device::{ash, vk};

use super::wrapper::{Dispatch, Function, Wrapped};
use super::{commands, device_commands, memory, state};

/// The system's loader, open for as long as the process lives, since the entry below does not own it.
static LOADER: OnceLock<ash::Entry> = OnceLock::new();

/// An entry to the system's loader whose calls can be made to fail.
pub fn entry() -> Result<ash::Entry, Failed> {
    if LOADER.get().is_none() {
        // SAFETY: it is the library that every Vulkan program opens.
        let loader = unsafe { ash::Entry::load() }.map_err(|error| format!("the Vulkan loader could not be opened: {error}"))?;
        // Of two threads the first wins, and both have the same library.
        let _ = LOADER.set(loader);
    }
    // SAFETY: the function answers as the loader's own does, with functions of the same signatures, and both stay for as long as the process lives.
    Ok(unsafe { ash::Entry::from_static_fn(ash::StaticFn { get_instance_proc_addr }) })
}

unsafe extern "system" fn get_instance_proc_addr(instance: vk::Instance, name: *const c_char) -> vk::PFN_vkVoidFunction {
    let loader = LOADER.get()?.static_fn();
    // SAFETY: both are the caller's, who keeps to Vulkan's rules.
    let real = unsafe { (loader.get_instance_proc_addr)(instance, name) }?;
    // SAFETY: as above.
    unsafe { wrap(instance.key(), name, real) }
}

unsafe extern "system" fn get_device_proc_addr(device: vk::Device, name: *const c_char) -> vk::PFN_vkVoidFunction {
    let get = state::real("vkGetDeviceProcAddr", device.key());
    // SAFETY: what is kept under this name is the loader's function of this name.
    let get: vk::PFN_vkGetDeviceProcAddr = unsafe { std::mem::transmute(get) };
    // SAFETY: both are the caller's, who keeps to Vulkan's rules.
    let real = unsafe { get(device, name) }?;
    // SAFETY: as above.
    unsafe { wrap(device.key(), name, real) }
}

/// The wrapper of a function where there is one.
unsafe fn wrap(key: usize, name: *const c_char, real: Function) -> vk::PFN_vkVoidFunction {
    // SAFETY: names are strings that end in NUL.
    let Ok(name) = unsafe { CStr::from_ptr(name) }.to_str() else { return Some(real) };
    let found = proc_addr(name).or_else(|| commands::find(name)).or_else(|| device_commands::find(name)).or_else(|| memory::find(name));
    let Some((name, wrapper)) = found else { return Some(real) };
    state::remember(name, key, real);
    Some(wrapper)
}

fn proc_addr(name: &str) -> Option<Wrapped> {
    // SAFETY: function pointers have one size, and callers turn them back into their own type.
    unsafe {
        match name {
            "vkGetInstanceProcAddr" => {
                Some(("vkGetInstanceProcAddr", std::mem::transmute::<vk::PFN_vkGetInstanceProcAddr, Function>(get_instance_proc_addr)))
            }
            "vkGetDeviceProcAddr" => {
                Some(("vkGetDeviceProcAddr", std::mem::transmute::<vk::PFN_vkGetDeviceProcAddr, Function>(get_device_proc_addr)))
            }
            _ => None,
        }
    }
}
