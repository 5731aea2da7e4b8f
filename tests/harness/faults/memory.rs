//! Memory: allocation, and a software driver's memory shown as that of a discrete GPU, so that uploads and readbacks go through staging, and host
//! memory need not be coherent.
//!
//! One real type stands behind all that are shown: what a caller does not flush would not be missed, but every call it has to make is made.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use wavelane_device::vk;
use wavelane_device::vk::MemoryPropertyFlags as Flags;

use super::ledger::{freed, made};
use super::state;
use super::wrapper::{Dispatch, Function, P, Wrapped};

static PRETEND: AtomicBool = AtomicBool::new(false);

/// The real type behind the shown ones; no type while memory is shown as it is.
static REAL_TYPE: AtomicU32 = AtomicU32::new(u32::MAX);

const SHOWN: [(Flags, u32); 3] = [
    (Flags::DEVICE_LOCAL, 0),
    (Flags::from_raw(Flags::HOST_VISIBLE.as_raw() | Flags::HOST_COHERENT.as_raw()), 1),
    (Flags::from_raw(Flags::HOST_VISIBLE.as_raw() | Flags::HOST_CACHED.as_raw()), 1),
];

/// From the next instance on, shows unified memory as that of a discrete GPU, or everything as it is.
pub fn pretend_discrete(pretend: bool) {
    PRETEND.store(pretend, Ordering::Relaxed);
    REAL_TYPE.store(u32::MAX, Ordering::Relaxed);
}

/// Whether a device was shown with other memory than it has.
pub fn pretended() -> bool {
    real_type().is_some()
}

fn real_type() -> Option<u32> {
    Some(REAL_TYPE.load(Ordering::Relaxed)).filter(|&index| index != u32::MAX)
}

/// Rewrites a device's memory, where it is unified and that is wanted.
fn show(memory: &mut vk::PhysicalDeviceMemoryProperties) {
    let all_local = memory.memory_heaps_as_slice().iter().all(|heap| heap.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL));
    let wanted = Flags::DEVICE_LOCAL | Flags::HOST_VISIBLE | Flags::HOST_COHERENT;
    let found = memory.memory_types_as_slice().iter().position(|kind| kind.property_flags.contains(wanted));
    let (true, true, Some(index)) = (PRETEND.load(Ordering::Relaxed), all_local, found) else { return };
    REAL_TYPE.store(index as u32, Ordering::Relaxed);
    let size = memory.memory_heaps[memory.memory_types[index].heap_index as usize].size;
    memory.memory_heap_count = 2;
    memory.memory_heaps[0] = vk::MemoryHeap { size, flags: vk::MemoryHeapFlags::DEVICE_LOCAL };
    memory.memory_heaps[1] = vk::MemoryHeap { size, flags: vk::MemoryHeapFlags::empty() };
    memory.memory_type_count = SHOWN.len() as u32;
    for (shown, (property_flags, heap_index)) in memory.memory_types.iter_mut().zip(SHOWN) {
        *shown = vk::MemoryType { property_flags, heap_index };
    }
}

type Properties2 = vk::PhysicalDeviceMemoryProperties2<'static>;
type Requirements2 = vk::MemoryRequirements2<'static>;

fn show_bits2(requirements: &mut Requirements2) {
    show_bits(&mut requirements.memory_requirements.memory_type_bits);
}

/// Rewrites a mask of memory types.
fn show_bits(bits: &mut u32) {
    if let Some(index) = real_type() {
        *bits = if *bits >> index & 1 == 1 { (1 << SHOWN.len()) - 1 } else { 0 };
    }
}

/// The allocation that the driver is asked for.
fn real_allocation(info: &vk::MemoryAllocateInfo<'static>) -> vk::MemoryAllocateInfo<'static> {
    vk::MemoryAllocateInfo { memory_type_index: real_type().unwrap_or(info.memory_type_index), ..*info }
}

/// Queries whose answer is rewritten; the last argument is the answer.
macro_rules! rewritten {
    ($($name:ident($first:ident: $first_type:ty $(, $argument:ident: $type:ty)*) => $answer:expr;)*) => {
        $(
            #[allow(non_snake_case)]
            unsafe extern "system" fn $name($first: $first_type $(, $argument: $type)*) {
                state::count(stringify!($name));
                let real = state::real(stringify!($name), $first.key());
                // SAFETY: what is kept under this name has this signature.
                let real = unsafe { std::mem::transmute::<Function, unsafe extern "system" fn($first_type $(, $type)*)>(real) };
                // SAFETY: the arguments are the caller's, who keeps to Vulkan's rules; the answer is there afterwards.
                unsafe {
                    real($first $(, $argument)*);
                    $answer;
                }
            }
        )*

        /// The wrapper of a call in this file.
        pub fn find(name: &str) -> Option<Wrapped> {
            match name {
                $(stringify!($name) => {
                    type Own = unsafe extern "system" fn($first_type $(, $type)*);
                    // SAFETY: function pointers have one size, and the caller turns it back into its own type.
                    Some((stringify!($name), unsafe { std::mem::transmute::<Own, Function>($name) }))
                })*
                _ => find_fallible(name).or_else(|| find_infallible(name)),
            }
        }
    };
}

rewritten! {
    vkGetPhysicalDeviceMemoryProperties(device: vk::PhysicalDevice, out: *mut vk::PhysicalDeviceMemoryProperties) => show(&mut *out);
    vkGetPhysicalDeviceMemoryProperties2(device: vk::PhysicalDevice, out: *mut Properties2) => show(&mut (*out).memory_properties);
    vkGetPhysicalDeviceMemoryProperties2KHR(device: vk::PhysicalDevice, out: *mut Properties2) => show(&mut (*out).memory_properties);
    vkGetBufferMemoryRequirements(device: vk::Device, buffer: vk::Buffer, out: *mut vk::MemoryRequirements) => show_bits(&mut (*out).memory_type_bits);
    vkGetImageMemoryRequirements(device: vk::Device, image: vk::Image, out: *mut vk::MemoryRequirements) => show_bits(&mut (*out).memory_type_bits);
    vkGetBufferMemoryRequirements2(device: vk::Device, info: P, out: *mut Requirements2) => show_bits2(&mut *out);
    vkGetBufferMemoryRequirements2KHR(device: vk::Device, info: P, out: *mut Requirements2) => show_bits2(&mut *out);
    vkGetImageMemoryRequirements2(device: vk::Device, info: P, out: *mut Requirements2) => show_bits2(&mut *out);
    vkGetImageMemoryRequirements2KHR(device: vk::Device, info: P, out: *mut Requirements2) => show_bits2(&mut *out);
    vkGetDeviceBufferMemoryRequirements(device: vk::Device, info: P, out: *mut Requirements2) => show_bits2(&mut *out);
    vkGetDeviceBufferMemoryRequirementsKHR(device: vk::Device, info: P, out: *mut Requirements2) => show_bits2(&mut *out);
}

fallible! {
    vkAllocateMemory(device: vk::Device, info: *const vk::MemoryAllocateInfo<'static>, allocator: P, out: *mut vk::DeviceMemory)
        with info = &real_allocation(&*info) => made(out);
    vkGetMemoryHostPointerPropertiesEXT(device: vk::Device, kind: u32, pointer: P, out: *mut vk::MemoryHostPointerPropertiesEXT<'static>) => show_bits(&mut (*out).memory_type_bits);
}

infallible! {
    vkFreeMemory(device: vk::Device, memory: vk::DeviceMemory, allocator: P) => freed(memory);
}
