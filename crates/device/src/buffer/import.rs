//! The caller's host memory as a buffer (`VK_EXT_external_memory_host`).

use std::any::Any;
use std::ffi::c_void;
use std::fmt;
use std::sync::Arc;

use ash::vk;

use super::{Backing, Buffer, Inner, USAGE, check_size, create};
use crate::MemoryProperties;
use crate::accounts::MemoryKind;
use crate::device::Device;
use crate::error::Error;

const HANDLE: vk::ExternalMemoryHandleTypeFlags = vk::ExternalMemoryHandleTypeFlags::HOST_ALLOCATION_EXT;

/// A caller's host memory, for [`Buffer::import_host`].
#[derive(Clone)]
pub struct HostMemory<'a> {
    /// Its first byte, at a multiple of [`min_imported_host_pointer_alignment`](crate::Limits::min_imported_host_pointer_alignment).
    pub pointer: *mut u8,
    /// Bytes, a multiple of the same.
    pub size: u64,
    /// Name, for errors, profilers and validation messages.
    pub name: &'a str,
    /// Kept until the last handle and the last submission that uses it are gone: what owns the memory, for one.
    pub keep: Option<Arc<dyn Any + Send + Sync>>,
}

impl fmt::Debug for HostMemory<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostMemory")
            .field("pointer", &self.pointer)
            .field("size", &self.size)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl Buffer {
    /// A buffer whose memory is the caller's own host memory: the device reads and writes it in place, without a copy on either side.
    ///
    /// That pays where memory is unified, or where data is read once over the bus. The host uses its pointer; [`Buffer::write`] and
    /// [`Buffer::read`] do not reach the memory. What the host wrote before a submission is visible to it; what the device wrote is there for the
    /// host after a barrier to `HostRead` and the end of the work. The memory is always of a coherent type, so nothing needs flushing.
    ///
    /// # Errors
    ///
    /// [`Error::HostImportUnsupported`] on a device without the extension, [`Error::HostImportMisaligned`], [`Error::BufferEmpty`],
    /// [`Error::BufferTooLarge`], [`Error::HostImportRefused`] where the driver does not take this memory, or what Vulkan returned.
    ///
    /// # Safety
    ///
    /// `size` bytes from `pointer` on must be valid memory of this process for reads and writes, and stay so until the last handle and the last submission
    /// that uses the buffer are gone; `keep` can see to that. While the device may write them the host must neither read nor write them, and hold no
    /// references to them; while the device may read them the host must not write them.
    pub unsafe fn import_host(device: &Arc<Device>, memory: &HostMemory<'_>) -> Result<Self, Error> {
        let &HostMemory { pointer, size, name, ref keep } = memory;
        let Some(functions) = device.external_memory_host() else {
            return Err(Error::HostImportUnsupported { name: name.to_owned() });
        };
        check_size(device, size, name)?;
        let alignment = device.capabilities().limits.min_imported_host_pointer_alignment.max(1);
        if pointer.is_null() || !(pointer as u64).is_multiple_of(alignment) || !size.is_multiple_of(alignment) {
            return Err(Error::HostImportMisaligned { name: name.to_owned(), address: pointer as usize, size, alignment });
        }
        let refused = |cause: String| Error::HostImportRefused { name: name.to_owned(), size, cause };
        let dedicated = ask(device).map_err(refused)?;

        let mut external = vk::ExternalMemoryBufferCreateInfo::default().handle_types(HANDLE);
        let info =
            vk::BufferCreateInfo::default().size(size).usage(USAGE).sharing_mode(vk::SharingMode::EXCLUSIVE).push_next(&mut external);
        let raw = create(device, &info, name)?;
        // From here on, dropping the buffer cleans up.
        let backing = Backing::Imported { memory: vk::DeviceMemory::null(), _keep: keep.clone() };
        let mut inner = Inner::new(device, raw, (size, USAGE, name), MemoryKind::Imported, backing);
        // SAFETY: the buffer was just made.
        let requirements = unsafe { device.raw().get_buffer_memory_requirements(raw) };
        if requirements.size > size || !(pointer as u64).is_multiple_of(requirements.alignment.max(1)) {
            return Err(refused(format!("the buffer needs {} bytes at a multiple of {}", requirements.size, requirements.alignment)));
        }
        let index = memory_type(device, functions, pointer.cast(), requirements.memory_type_bits).map_err(refused)?;

        let mut import = vk::ImportMemoryHostPointerInfoEXT::default().handle_type(HANDLE).host_pointer(pointer.cast());
        let mut only = vk::MemoryDedicatedAllocateInfo::default().buffer(raw);
        let mut info = vk::MemoryAllocateInfo::default().allocation_size(size).memory_type_index(index).push_next(&mut import);
        if dedicated {
            info = info.push_next(&mut only);
        }
        // SAFETY: the memory is valid, as the caller promises, aligned in address and size, and the type is one that the driver gave for it.
        let object = unsafe { device.raw().allocate_memory(&info, None) }.map_err(|result| match result {
            vk::Result::ERROR_INVALID_EXTERNAL_HANDLE => refused("VK_ERROR_INVALID_EXTERNAL_HANDLE".into()),
            result => Error::vulkan("vkAllocateMemory", result),
        })?;
        inner.memory = Backing::Imported { memory: object, _keep: keep.clone() };
        device.with_memory(|pool| pool.accounts_mut().add(inner.owner().resource(size, false)));
        // SAFETY: the memory is of a type that the buffer allows, large enough, and bound once.
        unsafe { device.raw().bind_buffer_memory(raw, object, 0) }.map_err(|result| Error::vulkan("vkBindBufferMemory", result))?;
        Ok(Self { inner: Arc::new(inner) })
    }
}

/// Whether such a buffer can be imported at all, and if so, whether it wants memory of its own.
fn ask(device: &Device) -> Result<bool, String> {
    let info = vk::PhysicalDeviceExternalBufferInfo::default().usage(USAGE).handle_type(HANDLE);
    let mut found = vk::ExternalBufferProperties::default();
    // SAFETY: the physical device belongs to the living instance, which is of Vulkan 1.1 at least.
    unsafe {
        device.instance().raw().get_physical_device_external_buffer_properties(device.physical_device(), &info, &mut found);
    }
    let features = found.external_memory_properties.external_memory_features;
    if !features.contains(vk::ExternalMemoryFeatureFlags::IMPORTABLE) {
        return Err("the driver imports no host memory for storage buffers".into());
    }
    Ok(features.contains(vk::ExternalMemoryFeatureFlags::DEDICATED_ONLY))
}

/// A coherent memory type for this pointer.
fn memory_type(
    device: &Device,
    functions: &ash::ext::external_memory_host::Device,
    pointer: *const c_void,
    allowed: u32,
) -> Result<u32, String> {
    let mut found = vk::MemoryHostPointerPropertiesEXT::default();
    // SAFETY: the extension is on, the device is alive, and the pointer is the caller's promise.
    let result = unsafe { (functions.fp().get_memory_host_pointer_properties_ext)(device.raw().handle(), HANDLE, pointer, &raw mut found) };
    if result != vk::Result::SUCCESS {
        return Err(format!("vkGetMemoryHostPointerPropertiesEXT returned {result:?}"));
    }
    let needed = MemoryProperties::HOST_VISIBLE | MemoryProperties::HOST_COHERENT;
    let suits = |index: u32| {
        let kind = device.capabilities().memory.types.get(index as usize);
        (found.memory_type_bits & allowed) >> index & 1 == 1 && kind.is_some_and(|kind| kind.properties.contains(needed))
    };
    (0..32).find(|&index| suits(index)).ok_or_else(|| "no coherent memory type takes this pointer".into())
}
