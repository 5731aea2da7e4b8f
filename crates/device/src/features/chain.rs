//! Feature structures by the kind that each says it is: reading bits from a chain, and writing them.

use std::ffi::c_void;

use ash::vk;

use super::Switches;
use super::rows::{Bit, ROWS};
use crate::extensions::Extensions;

/// The first structure of a kind in a chain; null where there is none.
///
/// # Safety
///
/// `first` is null, or the first of valid Vulkan structures that `pNext` links, the last one's being null.
unsafe fn find(first: *const vk::BaseOutStructure<'_>, kind: vk::StructureType) -> *const vk::BaseOutStructure<'_> {
    let mut at = first;
    // SAFETY: every Vulkan structure of a chain begins like this one, and all of them are valid by the caller's promise.
    while let Some(structure) = unsafe { at.as_ref() } {
        if structure.s_type == kind {
            break;
        }
        at = structure.p_next;
    }
    at
}

/// A bit in a chain; `None` where its structure is not there.
///
/// # Safety
///
/// As for [`find`].
unsafe fn read(first: *const vk::BaseOutStructure<'_>, bit: Bit) -> Option<bool> {
    // SAFETY: the caller's promise.
    let structure = unsafe { find(first, bit.structure) };
    if structure.is_null() {
        return None;
    }
    // SAFETY: a structure that says it is of this kind has a VkBool32 at this offset.
    Some(unsafe { structure.byte_add(bit.offset).cast::<vk::Bool32>().read() } == vk::TRUE)
}

/// Sets a bit in a chain; `false` where its structure is not there.
///
/// # Safety
///
/// As for [`find`], and the structures may be written to.
pub(super) unsafe fn write(first: *mut vk::BaseOutStructure<'_>, bit: Bit, on: bool) -> bool {
    // SAFETY: the caller's promise.
    let structure = unsafe { find(first, bit.structure) }.cast_mut();
    if structure.is_null() {
        return false;
    }
    // SAFETY: as in `read`; by the caller's promise it may be written to.
    unsafe { structure.byte_add(bit.offset).cast::<vk::Bool32>().write(vk::Bool32::from(on)) };
    true
}

impl Switches {
    /// What a chain says, of a device that was asked or of one that was made. What neither the extensions nor the core version brought counts as off.
    ///
    /// # Safety
    ///
    /// `first` is null, or the first of valid Vulkan structures that `pNext` links, the last one's being null.
    pub(crate) unsafe fn read(first: *const c_void, extensions: &Extensions) -> Self {
        let first = first.cast();
        let mut switches = Self::default();
        for row in ROWS {
            // SAFETY: the caller's promise.
            let on = row.bit.is_none() || row.bits().any(|bit| unsafe { read(first, bit) } == Some(true));
            *(row.switch)(&mut switches) = on && row.usable(extensions);
        }
        switches
    }
}
