//! Calls of the loader, the instance and physical devices: a line each.

use wavelane_device::vk;

use super::ledger::{gone, made};
use super::state::{device_gone, device_made};
use super::wrapper::{P, Wrapped};

/// The wrapper of a call in this file.
pub fn find(name: &str) -> Option<Wrapped> {
    find_fallible(name).or_else(|| find_infallible(name))
}

fallible! {
    vkEnumerateInstanceVersion(version: P);
    vkEnumerateInstanceLayerProperties(count: P, properties: P);
    vkEnumerateInstanceExtensionProperties(layer: P, count: P, properties: P);
    vkCreateInstance(info: P, allocator: P, out: *mut vk::Instance) => made(out);
    vkEnumeratePhysicalDevices(instance: vk::Instance, count: P, devices: P);
    vkEnumeratePhysicalDeviceGroups(instance: vk::Instance, count: P, groups: P);
    vkCreateDebugUtilsMessengerEXT(instance: vk::Instance, info: P, allocator: P, out: *mut vk::DebugUtilsMessengerEXT) => made(out);
    vkEnumerateDeviceExtensionProperties(device: vk::PhysicalDevice, layer: P, count: P, properties: P);
    vkEnumerateDeviceLayerProperties(device: vk::PhysicalDevice, count: P, properties: P);
    vkGetPhysicalDeviceImageFormatProperties(device: vk::PhysicalDevice, format: i32, kind: i32, tiling: i32, usage: u32, flags: u32, out: P);
    vkGetPhysicalDeviceImageFormatProperties2(device: vk::PhysicalDevice, info: P, out: P);
    vkGetPhysicalDeviceImageFormatProperties2KHR(device: vk::PhysicalDevice, info: P, out: P);
    vkGetPhysicalDeviceToolProperties(device: vk::PhysicalDevice, count: P, properties: P);
    vkGetPhysicalDeviceToolPropertiesEXT(device: vk::PhysicalDevice, count: P, properties: P);
    vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR(device: vk::PhysicalDevice, count: P, properties: P);
    vkGetPhysicalDeviceCalibrateableTimeDomainsKHR(device: vk::PhysicalDevice, count: P, domains: P);
    vkGetPhysicalDeviceCalibrateableTimeDomainsEXT(device: vk::PhysicalDevice, count: P, domains: P);
    vkCreateDevice(device: vk::PhysicalDevice, info: P, allocator: P, out: *mut vk::Device) => { made(out); device_made(out) };
}

infallible! {
    vkDestroyInstance(instance: vk::Instance, allocator: P) => gone(instance);
    vkDestroyDebugUtilsMessengerEXT(instance: vk::Instance, messenger: vk::DebugUtilsMessengerEXT, allocator: P) => gone(messenger);
    vkDestroyDevice(device: vk::Device, allocator: P) => { device_gone(device); gone(device) };
}
