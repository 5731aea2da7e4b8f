//! Vulkan calls that fail when a test wants them to: a `vkGetInstanceProcAddr` of our own between the library and the loader.
//!
//! It hands out a wrapper for each call in [`commands`], functions of devices included, and the loader's own function for every other. A wrapper counts its
//! call, fails it where a [`Fault`] says so, without the driver hearing of it, and keeps the books of objects made and destroyed, so that what leaks is
//! seen as a count. The books are the process's: function pointers carry no state, and a trial is a process of its own.
//!
//! Under a fault the validation layer stays on. It sits between the wrappers and the driver, so a call that fails here never happened as far as it knows.

#[macro_use]
mod wrapper;

mod commands;
mod device_commands;
mod ledger;
mod loader;
mod memory;
mod state;

pub use loader::entry;
pub use memory::{pretend_discrete, pretended};
pub use state::{Fault, arm, counts, disarm, fired, live, misdeeds};

/// Whether a call of this name can fail: it is wrapped, and returns a `VkResult`.
pub fn can_fail(call: &str) -> bool {
    commands::CAN_FAIL.contains(&call) || device_commands::CAN_FAIL.contains(&call) || memory::CAN_FAIL.contains(&call)
}
