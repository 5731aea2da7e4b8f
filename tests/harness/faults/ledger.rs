//! The books of objects: what was made and is not yet destroyed.

use std::collections::{BTreeMap, HashMap, HashSet};

use wavelane_device::vk;
use wavelane_device::vk::Handle;

use super::state;

/// Live objects of the process.
#[derive(Default)]
pub struct Ledger {
    /// Handles of one kind may be equal, so they are counted.
    live: HashMap<(vk::ObjectType, u64), u32>,
    mapped: HashSet<u64>,
    /// What should not have been destroyed, mapped or unmapped.
    pub misdeeds: Vec<String>,
}

impl Ledger {
    fn add(&mut self, kind: vk::ObjectType, handle: u64) {
        if handle != 0 {
            *self.live.entry((kind, handle)).or_default() += 1;
        }
    }

    fn remove(&mut self, kind: vk::ObjectType, handle: u64) {
        if handle == 0 {
            return;
        }
        match self.live.get_mut(&(kind, handle)) {
            Some(1) => drop(self.live.remove(&(kind, handle))),
            Some(count) => *count -= 1,
            None => self.misdeeds.push(format!("{kind:?} {handle:#x} was destroyed, and was not there")),
        }
    }

    /// How many of each kind live.
    pub fn counts(&self) -> BTreeMap<String, u32> {
        let mut counts = BTreeMap::new();
        for ((kind, _), count) in &self.live {
            *counts.entry(format!("{kind:?}")).or_default() += count;
        }
        if !self.mapped.is_empty() {
            counts.insert("MAPPING".to_owned(), self.mapped.len() as u32);
        }
        counts
    }
}

/// Something was made.
///
/// # Safety
///
/// `out` points to its handle.
pub unsafe fn made<H: Handle>(out: *const H) {
    // SAFETY: the caller's promise.
    unsafe { made_many(out, 1) }
}

/// Several were made; those that are null were not.
///
/// # Safety
///
/// `out` points to so many handles.
pub unsafe fn made_many<H: Handle>(out: *const H, count: u32) {
    for index in 0..count as usize {
        // SAFETY: the caller's promise; handles are plain numbers.
        let handle = unsafe { out.add(index).read() };
        state::with(|state| state.ledger.add(H::TYPE, handle.as_raw()));
    }
}

/// A call that makes several failed: none of them is there.
///
/// # Safety
///
/// `out` points to room for so many handles.
pub unsafe fn none_made<H: Handle>(out: *mut H, count: u32) {
    for index in 0..count as usize {
        // SAFETY: the caller's promise.
        unsafe { out.add(index).write(H::from_raw(0)) };
    }
}

/// Something is about to be destroyed.
pub fn gone<H: Handle>(handle: H) {
    state::with(|state| state.ledger.remove(H::TYPE, handle.as_raw()));
}

/// Memory was mapped.
pub fn mapped(memory: vk::DeviceMemory) {
    state::with(|state| {
        if !state.ledger.mapped.insert(memory.as_raw()) {
            state.ledger.misdeeds.push(format!("{memory:?} was mapped twice"));
        }
    });
}

/// Memory is about to be unmapped.
pub fn unmapped(memory: vk::DeviceMemory) {
    state::with(|state| {
        if !state.ledger.mapped.remove(&memory.as_raw()) {
            state.ledger.misdeeds.push(format!("{memory:?} was unmapped, and was not mapped"));
        }
    });
}

/// Memory is about to be freed, which unmaps it.
pub fn freed(memory: vk::DeviceMemory) {
    gone(memory);
    state::with(|state| state.ledger.mapped.remove(&memory.as_raw()));
}
