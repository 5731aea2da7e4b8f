//! What a wrapper is made of, and the macros that make one of a line.

use std::ffi::c_void;

use wavelane_device::vk;

/// A Vulkan function of whatever signature.
pub type Function = unsafe extern "system" fn();

/// Name of a call, and its wrapper.
pub type Wrapped = (&'static str, Function);

/// A pointer that wrappers only pass on.
pub type P = *const c_void;

/// First arguments of Vulkan calls, and by what their real function is found.
pub trait Dispatch {
    /// Instances and devices each have their own functions. All objects of one begin with the same word, the address of its table: that is how loaders find
    /// it. Global calls have 0.
    fn key(&self) -> usize;
}

macro_rules! dispatchable {
    ($($handle:ty),*) => {
        $(impl Dispatch for $handle {
            fn key(&self) -> usize {
                let object = vk::Handle::as_raw(*self) as usize as *const usize;
                // SAFETY: a handle of this kind that is not null points to an object that begins with such a word.
                if object.is_null() { 0 } else { unsafe { object.read() } }
            }
        })*
    };
}

dispatchable!(vk::Instance, vk::PhysicalDevice, vk::Device, vk::Queue, vk::CommandBuffer);

impl<T> Dispatch for *const T {
    fn key(&self) -> usize {
        0
    }
}

impl<T> Dispatch for *mut T {
    fn key(&self) -> usize {
        0
    }
}

/// Calls that return a `VkResult`. After `with` stands what the driver gets in an argument's place; after `=>`, what is done once it has succeeded;
/// after `else`, once the call failed, here or there.
macro_rules! fallible {
    ($($name:ident($first:ident: $first_type:ty $(, $argument:ident: $type:ty)*) $(with $replaced:ident = $replacement:expr)? $(=> $done:expr)? $(, else $failed:expr)?;)*) => {
        $(
            #[allow(non_snake_case, unused_unsafe, clippy::too_many_arguments)]
            unsafe extern "system" fn $name($first: $first_type $(, $argument: $type)*) -> vk::Result {
                type Real = unsafe extern "system" fn($first_type $(, $type)*) -> vk::Result;
                let key = $crate::faults::wrapper::Dispatch::key(&$first);
                let result = match $crate::faults::state::enter(stringify!($name), key) {
                    Some(result) => result,
                    None => {
                        let real = $crate::faults::state::real(stringify!($name), key);
                        // SAFETY: what is kept under this name has this signature, but for types of pointers.
                        let real = unsafe { std::mem::transmute::<$crate::faults::wrapper::Function, Real>(real) };
                        // SAFETY: what the caller's pointers point to is there.
                        $(let $replaced = unsafe { $replacement };)?
                        // SAFETY: the arguments are the caller's, who keeps to Vulkan's rules.
                        let result = unsafe { real($first $(, $argument)*) };
                        // SAFETY: a call that succeeded has written what it promises to.
                        $(if result.as_raw() >= 0 { unsafe { $done } })?
                        result
                    }
                };
                // SAFETY: the caller gave room for as much.
                $(if result.as_raw() < 0 { unsafe { $failed } })?
                result
            }
        )*

        /// The names of these calls.
        pub const CAN_FAIL: &[&str] = &[$(stringify!($name)),*];

        fn find_fallible(name: &str) -> Option<$crate::faults::wrapper::Wrapped> {
            match name {
                $(stringify!($name) => {
                    type Own = unsafe extern "system" fn($first_type $(, $type)*) -> vk::Result;
                    // SAFETY: function pointers have one size, and the caller turns it back into its own type.
                    let wrapper = unsafe { std::mem::transmute::<Own, $crate::faults::wrapper::Function>($name) };
                    Some((stringify!($name), wrapper))
                })*
                _ => None,
            }
        }
    };
}

/// Calls that return nothing. After `=>` stands what is done before the driver is called.
macro_rules! infallible {
    ($($name:ident($first:ident: $first_type:ty $(, $argument:ident: $type:ty)*) $(=> $before:expr)?;)*) => {
        $(
            #[allow(non_snake_case, unused_unsafe, clippy::too_many_arguments)]
            unsafe extern "system" fn $name($first: $first_type $(, $argument: $type)*) {
                type Real = unsafe extern "system" fn($first_type $(, $type)*);
                let key = $crate::faults::wrapper::Dispatch::key(&$first);
                $crate::faults::state::count(stringify!($name));
                $($before;)?
                let real = $crate::faults::state::real(stringify!($name), key);
                // SAFETY: what is kept under this name has this signature, but for types of pointers.
                let real = unsafe { std::mem::transmute::<$crate::faults::wrapper::Function, Real>(real) };
                // SAFETY: the arguments are the caller's, who keeps to Vulkan's rules.
                unsafe { real($first $(, $argument)*) }
            }
        )*

        fn find_infallible(name: &str) -> Option<$crate::faults::wrapper::Wrapped> {
            match name {
                $(stringify!($name) => {
                    type Own = unsafe extern "system" fn($first_type $(, $type)*);
                    // SAFETY: function pointers have one size, and the caller turns it back into its own type.
                    let wrapper = unsafe { std::mem::transmute::<Own, $crate::faults::wrapper::Function>($name) };
                    Some((stringify!($name), wrapper))
                })*
                _ => None,
            }
        }
    };
}
