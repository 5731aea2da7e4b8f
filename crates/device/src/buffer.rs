//! Buffers and host access to them.

use std::any::Any;
use std::fmt;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use ash::vk;
use gpu_allocator::vulkan::Allocation;

use crate::device::Device;
use crate::error::Error;
use crate::memory::{MemoryUse, types_for};

/// How to make a [`Buffer`].
#[derive(Clone, Copy, Debug)]
pub struct BufferDescription<'a> {
    /// Size in bytes, at least 1.
    pub size: u64,
    /// What its memory is for.
    pub memory: MemoryUse,
    /// Name, for errors, profilers and validation messages.
    pub name: &'a str,
}

/// A caller's buffer, for [`Buffer::from_raw`].
#[derive(Clone, Default)]
pub struct ForeignBuffer<'a> {
    /// Size in bytes.
    pub size: u64,
    /// The usage it was created with.
    pub usage: vk::BufferUsageFlags,
    /// Name, for errors.
    pub name: &'a str,
    /// Kept until the last handle and the last submission that uses it are gone: what owns the buffer, for one.
    pub keep: Option<Arc<dyn Any + Send + Sync>>,
}

impl fmt::Debug for ForeignBuffer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ForeignBuffer")
            .field("size", &self.size)
            .field("usage", &self.usage)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// A storage buffer that can also be copied from and to, and hold indirect arguments; or a caller's buffer.
///
/// Cloning gives another handle to the same. The memory is freed with the last one, and recorders and submissions hold one of each buffer they use:
/// a handle may be dropped while the device works.
#[derive(Clone)]
pub struct Buffer {
    inner: Arc<Inner>,
}

struct Inner {
    device: Arc<Device>,
    raw: vk::Buffer,
    id: u64,
    size: u64,
    usage: vk::BufferUsageFlags,
    name: String,
    memory: Backing,
}

/// Where the memory comes from, and so who frees it.
enum Backing {
    /// Our own. Without an allocation only while it is being made.
    Own { allocation: Option<Allocation>, coherent: bool, host: Mutex<()> },
    /// The caller's, with what the caller wants kept.
    Foreign { _keep: Option<Arc<dyn Any + Send + Sync>> },
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Buffer").field("raw", &self.raw()).field("name", &self.name()).field("size", &self.size()).finish_non_exhaustive()
    }
}

impl Buffer {
    /// Makes a buffer. Its contents are undefined.
    ///
    /// # Errors
    ///
    /// [`Error::BufferEmpty`], [`Error::BufferTooLarge`], [`Error::OutOfMemory`], or what Vulkan returned.
    pub fn new(device: &Arc<Device>, description: &BufferDescription<'_>) -> Result<Self, Error> {
        let &BufferDescription { size, memory: wanted, name } = description;
        check_size(device, size, name)?;
        let capabilities = device.capabilities();
        let mut usage = vk::BufferUsageFlags::STORAGE_BUFFER
            | vk::BufferUsageFlags::TRANSFER_SRC
            | vk::BufferUsageFlags::TRANSFER_DST
            | vk::BufferUsageFlags::INDIRECT_BUFFER;
        if capabilities.features.buffer_device_address {
            usage |= vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
        }
        let info = vk::BufferCreateInfo::default().size(size).usage(usage).sharing_mode(vk::SharingMode::EXCLUSIVE);
        // SAFETY: the device is alive; size and usage are within what it allows.
        let raw = unsafe { device.raw().create_buffer(&info, None) }.map_err(|result| match result {
            vk::Result::ERROR_OUT_OF_DEVICE_MEMORY | vk::Result::ERROR_OUT_OF_HOST_MEMORY => {
                Error::OutOfMemory { name: name.to_owned(), size, live: device.memory_statistics().live_bytes }
            }
            result => Error::vulkan("vkCreateBuffer", result),
        })?;
        let memory = Backing::Own { allocation: None, coherent: true, host: Mutex::new(()) };
        // From here on, dropping the buffer cleans up.
        let mut inner = Inner { device: Arc::clone(device), raw, id: next_id(), size, usage, name: name.to_owned(), memory };
        device.set_name(raw, name);

        // SAFETY: the buffer was just made.
        let mut requirements = unsafe { device.raw().get_buffer_memory_requirements(raw) };
        let types = types_for(&capabilities.memory, wanted, requirements.memory_type_bits);
        // Whole atoms, so that flushing one buffer never reaches outside its memory or into another's.
        let atom = capabilities.limits.non_coherent_atom_size.max(1);
        if atom.is_power_of_two() {
            requirements.alignment = requirements.alignment.max(atom);
        }
        requirements.size = requirements.size.next_multiple_of(atom);
        let allocation = device
            .with_memory(|pool| pool.allocate(name, requirements, &types, wanted))
            .unwrap_or_else(|| Err(Error::NoMemoryType { name: name.to_owned(), wanted: wanted.name() }))?;
        // SAFETY: the memory object is only named.
        let (object, offset) = (unsafe { allocation.memory() }, allocation.offset());
        let coherent = allocation.memory_properties().contains(vk::MemoryPropertyFlags::HOST_COHERENT);
        inner.memory = Backing::Own { allocation: Some(allocation), coherent, host: Mutex::new(()) };
        // SAFETY: the memory is of a type that the buffer allows, large enough, aligned, and bound once.
        unsafe { device.raw().bind_buffer_memory(raw, object, offset) }.map_err(|result| Error::vulkan("vkBindBufferMemory", result))?;
        Ok(Self { inner: Arc::new(inner) })
    }

    /// A handle to a caller's buffer, which is never destroyed here. The host cannot read or write it through this handle.
    ///
    /// # Errors
    ///
    /// [`Error::BufferEmpty`] where the size is 0.
    ///
    /// # Safety
    ///
    /// The buffer must be of this device, of at least this size and with this usage, bound to memory, and stay so until the last handle and the last submission
    /// that uses it are gone; `keep` can see to that.
    pub unsafe fn from_raw(device: &Arc<Device>, raw: vk::Buffer, description: &ForeignBuffer<'_>) -> Result<Self, Error> {
        let &ForeignBuffer { size, usage, name, ref keep } = description;
        if size == 0 {
            return Err(Error::BufferEmpty { name: name.to_owned() });
        }
        let memory = Backing::Foreign { _keep: keep.clone() };
        let inner = Inner { device: Arc::clone(device), raw, id: next_id(), size, usage, name: name.to_owned(), memory };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Vulkan's handle.
    pub fn raw(&self) -> vk::Buffer {
        self.inner.raw
    }

    /// A number that no other buffer or image of the process has had or will have, unlike the handle.
    pub fn id(&self) -> u64 {
        self.inner.id
    }

    /// Size in bytes.
    pub fn size(&self) -> u64 {
        self.inner.size
    }

    /// What it may be used for.
    pub fn usage(&self) -> vk::BufferUsageFlags {
        self.inner.usage
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// Whether the host can read and write it.
    pub fn is_mapped(&self) -> bool {
        self.inner.allocation().is_some_and(|(allocation, ..)| allocation.mapped_ptr().is_some())
    }

    /// The device it belongs to.
    pub fn device(&self) -> &Arc<Device> {
        &self.inner.device
    }

    /// Copies `bytes` into the buffer, and makes them visible to work submitted later. If the device uses that part at the same time, what it and
    /// later reads find there is undefined.
    ///
    /// # Errors
    ///
    /// [`Error::NotMapped`], [`Error::OutOfBounds`], or what Vulkan returned.
    pub fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        let Some(mapped) = self.inner.host_range(offset, bytes.len())? else { return Ok(()) };
        let _held = mapped.lock.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the range lies within the mapped memory, which belongs to this buffer alone; other host accesses wait for the lock;
        // the slice cannot overlap it, as no reference to mapped memory is ever given out.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), mapped.pointer.as_ptr(), bytes.len()) };
        let Some(range) = mapped.atoms else { return Ok(()) };
        // SAFETY: the range lies within mapped memory, on atom boundaries.
        unsafe { self.device().raw().flush_mapped_memory_ranges(&[range]) }
            .map_err(|result| Error::vulkan("vkFlushMappedMemoryRanges", result))
    }

    /// Copies from the buffer into `into`. The work that wrote that part must be done, and must have made it visible to the host by a barrier; what is
    /// read is undefined otherwise.
    ///
    /// # Errors
    ///
    /// [`Error::NotMapped`], [`Error::OutOfBounds`], or what Vulkan returned.
    pub fn read(&self, offset: u64, into: &mut [u8]) -> Result<(), Error> {
        let Some(mapped) = self.inner.host_range(offset, into.len())? else { return Ok(()) };
        let _held = mapped.lock.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(range) = mapped.atoms {
            // SAFETY: the range lies within mapped memory, on atom boundaries.
            unsafe { self.device().raw().invalidate_mapped_memory_ranges(&[range]) }
                .map_err(|result| Error::vulkan("vkInvalidateMappedMemoryRanges", result))?;
        }
        // SAFETY: as in `write`, the other way round.
        unsafe { std::ptr::copy_nonoverlapping(mapped.pointer.as_ptr(), into.as_mut_ptr(), into.len()) };
        Ok(())
    }
}

/// A part of a buffer as the host sees it.
struct MappedRange<'a> {
    pointer: NonNull<u8>,
    /// One host access at a time: two threads may hold handles to the same buffer.
    lock: &'a Mutex<()>,
    /// What to flush or invalidate, where the memory is not coherent.
    atoms: Option<vk::MappedMemoryRange<'a>>,
}

impl Inner {
    fn allocation(&self) -> Option<(&Allocation, bool, &Mutex<()>)> {
        match &self.memory {
            Backing::Own { allocation: Some(allocation), coherent, host } => Some((allocation, *coherent, host)),
            _ => None,
        }
    }

    /// Where the host finds a range; `None` for an empty one.
    fn host_range(&self, offset: u64, length: usize) -> Result<Option<MappedRange<'_>>, Error> {
        let length = length as u64;
        if offset.checked_add(length).is_none_or(|end| end > self.size) {
            return Err(Error::OutOfBounds { name: self.name.clone(), offset, length, size: self.size });
        }
        let mapped =
            self.allocation().and_then(|(allocation, coherent, lock)| Some((allocation.mapped_ptr()?, allocation, coherent, lock)));
        let Some((base, allocation, coherent, lock)) = mapped else { return Err(Error::NotMapped { name: self.name.clone() }) };
        if length == 0 {
            return Ok(None);
        }
        // SAFETY: the offset lies within the buffer, and so within its mapped memory, which fits the address space.
        let pointer = unsafe { base.cast::<u8>().add(offset as usize) };
        let atoms = (!coherent).then(|| {
            let atom = self.device.capabilities().limits.non_coherent_atom_size.max(1);
            let (start, size) = atoms_around(allocation.offset() + offset, length, atom);
            // SAFETY: the memory object is named only, neither freed nor bound.
            vk::MappedMemoryRange::default().memory(unsafe { allocation.memory() }).offset(start).size(size)
        });
        Ok(Some(MappedRange { pointer, lock, atoms }))
    }
}

/// A number for a new buffer or image.
pub(crate) fn next_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Offset and size of the least whole atoms around a range.
fn atoms_around(start: u64, length: u64, atom: u64) -> (u64, u64) {
    let first = start / atom * atom;
    (first, (start + length).next_multiple_of(atom) - first)
}

fn check_size(device: &Device, size: u64, name: &str) -> Result<(), Error> {
    if size == 0 {
        return Err(Error::BufferEmpty { name: name.to_owned() });
    }
    let limits = &device.capabilities().limits;
    for (limit, limit_name) in [(limits.max_buffer_size, "maxBufferSize"), (limits.max_memory_allocation_size, "maxMemoryAllocationSize")] {
        if size > limit {
            return Err(Error::BufferTooLarge { name: name.to_owned(), size, limit, limit_name });
        }
    }
    Ok(())
}

impl Drop for Inner {
    fn drop(&mut self) {
        let Backing::Own { allocation, .. } = &mut self.memory else { return };
        // SAFETY: recorders and submissions hold handles to the buffers they use until the device is done, and this was the last handle.
        unsafe { self.device.raw().destroy_buffer(self.raw, None) };
        if let Some(allocation) = allocation.take() {
            self.device.with_memory(|pool| pool.free(allocation));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::atoms_around;

    #[test]
    fn flushed_ranges_are_whole_atoms() {
        assert_eq!(atoms_around(0, 1, 64), (0, 64));
        assert_eq!(atoms_around(64, 64, 64), (64, 64));
        assert_eq!(atoms_around(63, 2, 64), (0, 128));
        assert_eq!(atoms_around(1000, 24, 256), (768, 256));
        assert_eq!(atoms_around(7, 9, 1), (7, 9));
    }
}
