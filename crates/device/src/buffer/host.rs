//! Host access to mapped buffers.

use std::ptr::NonNull;
use std::sync::{Mutex, PoisonError};

use ash::vk;
use gpu_allocator::vulkan::Allocation;

use super::{Backing, Buffer, Inner};
use crate::error::Error;

impl Buffer {
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

    /// The bytes of a range where they lie, without a copy.
    ///
    /// # Errors
    ///
    /// As [`Buffer::read`].
    ///
    /// # Safety
    ///
    /// The work that wrote the range must be done, and must have made it visible to the host by a barrier; and as long as the slice lives nobody may write
    /// it, neither the device nor the host, through whatever handle.
    pub unsafe fn mapped_bytes(&self, offset: u64, length: usize) -> Result<&[u8], Error> {
        let Some(mapped) = self.inner.host_range(offset, length)? else { return Ok(&[]) };
        self.invalidate(&mapped)?;
        // SAFETY: the range lies within the mapped memory, which lives as long as the buffer; that nobody writes it is the caller's promise.
        Ok(unsafe { std::slice::from_raw_parts(mapped.pointer.as_ptr(), length) })
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
        self.invalidate(&mapped)?;
        // SAFETY: as in `write`, the other way round.
        unsafe { std::ptr::copy_nonoverlapping(mapped.pointer.as_ptr(), into.as_mut_ptr(), into.len()) };
        Ok(())
    }

    fn invalidate(&self, mapped: &MappedRange<'_>) -> Result<(), Error> {
        let Some(range) = mapped.atoms else { return Ok(()) };
        // SAFETY: the range lies within mapped memory, on atom boundaries.
        unsafe { self.device().raw().invalidate_mapped_memory_ranges(&[range]) }
            .map_err(|result| Error::vulkan("vkInvalidateMappedMemoryRanges", result))
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
    pub(super) fn allocation(&self) -> Option<(&Allocation, bool, &Mutex<()>)> {
        match &self.memory {
            Backing::Own { allocation: Some(allocation), coherent, host } => Some((allocation, *coherent, host)),
            _ => None,
        }
    }

    /// Where the host finds a range; `None` for an empty one.
    fn host_range(&self, offset: u64, length: usize) -> Result<Option<MappedRange<'_>>, Error> {
        let length = length as u64;
        if offset.checked_add(length).is_none_or(|end| end > self.size) {
            return Err(Error::OutOfBounds { name: self.name.to_string(), offset, length, size: self.size });
        }
        let mapped =
            self.allocation().and_then(|(allocation, coherent, lock)| Some((allocation.mapped_ptr()?, allocation, coherent, lock)));
        let Some((base, allocation, coherent, lock)) = mapped else { return Err(Error::NotMapped { name: self.name.to_string() }) };
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

/// Offset and size of the least whole atoms around a range.
fn atoms_around(start: u64, length: u64, atom: u64) -> (u64, u64) {
    let first = start / atom * atom;
    (first, (start + length).next_multiple_of(atom) - first)
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
