//! Buffers and host access to them.

use std::fmt;
use std::ptr::NonNull;
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

/// A storage buffer that can also be copied from and to, and hold indirect arguments.
///
/// Its memory is freed when it is dropped: that must not be before the device is done with it.
pub struct Buffer {
    device: Arc<Device>,
    raw: vk::Buffer,
    size: u64,
    name: String,
    // `None` only in `drop`.
    allocation: Option<Allocation>,
    coherent: bool,
    // One host access at a time: two threads may hold the same `&Buffer`.
    host: Mutex<()>,
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Buffer").field("raw", &self.raw).field("name", &self.name).field("size", &self.size).finish_non_exhaustive()
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
        // From here on, dropping the buffer cleans up.
        let mut buffer =
            Self { device: Arc::clone(device), raw, size, name: name.to_owned(), allocation: None, coherent: true, host: Mutex::new(()) };
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
        buffer.coherent = allocation.memory_properties().contains(vk::MemoryPropertyFlags::HOST_COHERENT);
        let allocation = buffer.allocation.insert(allocation);
        // SAFETY: the memory is of a type that the buffer allows, large enough, aligned, and bound once.
        unsafe { device.raw().bind_buffer_memory(raw, allocation.memory(), allocation.offset()) }
            .map_err(|result| Error::vulkan("vkBindBufferMemory", result))?;
        Ok(buffer)
    }

    /// Vulkan's handle.
    pub fn raw(&self) -> vk::Buffer {
        self.raw
    }

    /// Size in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the host can read and write it.
    pub fn is_mapped(&self) -> bool {
        self.allocation.as_ref().is_some_and(|allocation| allocation.mapped_ptr().is_some())
    }

    /// The device it belongs to.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// Copies `bytes` into the buffer, and makes them visible to work submitted later. The device must not be using that part of it.
    ///
    /// # Errors
    ///
    /// [`Error::NotMapped`], [`Error::OutOfBounds`], or what Vulkan returned.
    pub fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        let Some((pointer, start)) = self.host_range(offset, bytes.len())? else { return Ok(()) };
        let _held = self.host.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the range lies within the mapped memory, which belongs to this buffer alone; other host accesses wait for the lock;
        // the slice cannot overlap it, as no reference to mapped memory is ever given out.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), pointer.as_ptr(), bytes.len()) };
        if self.coherent {
            return Ok(());
        }
        let ranges = [self.atom_range(start, bytes.len() as u64)];
        // SAFETY: the range lies within mapped memory, on atom boundaries.
        unsafe { self.device.raw().flush_mapped_memory_ranges(&ranges) }
            .map_err(|result| Error::vulkan("vkFlushMappedMemoryRanges", result))
    }

    /// Copies from the buffer into `into`. The work that wrote that part must be done, and must have made it visible to the host by a barrier.
    ///
    /// # Errors
    ///
    /// [`Error::NotMapped`], [`Error::OutOfBounds`], or what Vulkan returned.
    pub fn read(&self, offset: u64, into: &mut [u8]) -> Result<(), Error> {
        let Some((pointer, start)) = self.host_range(offset, into.len())? else { return Ok(()) };
        let _held = self.host.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.coherent {
            let ranges = [self.atom_range(start, into.len() as u64)];
            // SAFETY: the range lies within mapped memory, on atom boundaries.
            unsafe { self.device.raw().invalidate_mapped_memory_ranges(&ranges) }
                .map_err(|result| Error::vulkan("vkInvalidateMappedMemoryRanges", result))?;
        }
        // SAFETY: as in `write`, the other way round.
        unsafe { std::ptr::copy_nonoverlapping(pointer.as_ptr(), into.as_mut_ptr(), into.len()) };
        Ok(())
    }

    /// Where the host finds a range, and the range's offset within the memory object; `None` for an empty range.
    fn host_range(&self, offset: u64, length: usize) -> Result<Option<(NonNull<u8>, u64)>, Error> {
        let length = length as u64;
        if offset.checked_add(length).is_none_or(|end| end > self.size) {
            return Err(Error::OutOfBounds { name: self.name.clone(), offset, length, size: self.size });
        }
        let mapped = self.allocation.as_ref().and_then(|allocation| Some((allocation.mapped_ptr()?, allocation.offset())));
        let Some((base, start)) = mapped else { return Err(Error::NotMapped { name: self.name.clone() }) };
        if length == 0 {
            return Ok(None);
        }
        // SAFETY: the offset lies within the buffer, and so within its mapped memory, which fits the address space.
        let pointer = unsafe { base.cast::<u8>().add(offset as usize) };
        Ok(Some((pointer, start + offset)))
    }

    /// The least range of whole atoms around a range of the memory object.
    fn atom_range(&self, start: u64, length: u64) -> vk::MappedMemoryRange<'_> {
        let (offset, size) = atoms_around(start, length, self.device.capabilities().limits.non_coherent_atom_size.max(1));
        // SAFETY: the memory object is named only, neither freed nor bound.
        let memory = self.allocation.as_ref().map_or(vk::DeviceMemory::null(), |allocation| unsafe { allocation.memory() });
        vk::MappedMemoryRange::default().memory(memory).offset(offset).size(size)
    }
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

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: that the device is done with the buffer is the owner's promise.
        unsafe { self.device.raw().destroy_buffer(self.raw, None) };
        if let Some(allocation) = self.allocation.take() {
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
