//! Parts of buffers.

use std::fmt;
use std::sync::Arc;

use ash::vk;
use wavelane_device::Buffer;

use crate::error::Error;

/// Some bytes of a buffer; it always lies within the buffer.
#[derive(Clone, Copy)]
pub struct BufferRange<'a> {
    buffer: &'a Buffer,
    offset: u64,
    size: u64,
}

impl fmt::Debug for BufferRange<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BufferRange")
            .field("buffer", &self.buffer.name())
            .field("offset", &self.offset)
            .field("size", &self.size)
            .finish_non_exhaustive()
    }
}

/// The same bytes of the same buffer.
impl PartialEq for BufferRange<'_> {
    fn eq(&self, other: &Self) -> bool {
        (self.raw(), self.offset, self.size) == (other.raw(), other.offset, other.size)
    }
}

impl Eq for BufferRange<'_> {}

impl<'a> BufferRange<'a> {
    /// `size` bytes from `offset` on.
    ///
    /// # Errors
    ///
    /// [`Error::RangeOutside`] where they do not lie within the buffer.
    pub fn new(buffer: &'a Buffer, offset: u64, size: u64) -> Result<Self, Error> {
        Self::whole(buffer).slice(offset, size)
    }

    /// All of a buffer.
    pub fn whole(buffer: &'a Buffer) -> Self {
        Self { buffer, offset: 0, size: buffer.size() }
    }

    /// A part of this range; `offset` counts from the range's own start.
    ///
    /// # Errors
    ///
    /// [`Error::RangeOutside`] where the part does not lie within the range.
    pub fn slice(&self, offset: u64, size: u64) -> Result<Self, Error> {
        if !lies_within(offset, size, self.size) {
            return Err(Error::RangeOutside { offset, size, of: self.size });
        }
        // A range lies within its buffer, so the sum fits.
        Ok(Self { buffer: self.buffer, offset: self.offset + offset, size })
    }

    /// The buffer.
    pub fn buffer(&self) -> &'a Buffer {
        self.buffer
    }

    /// The buffer's handle.
    pub fn raw(&self) -> vk::Buffer {
        self.buffer.raw()
    }

    /// Where the range starts in the buffer, in bytes.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// How long it is, in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Whether it shares bytes with another, be it through another handle to the same Vulkan buffer. An empty range shares none.
    pub fn overlaps(&self, other: &BufferRange<'_>) -> bool {
        self.size > 0
            && other.size > 0
            && self.raw() == other.raw()
            && Arc::ptr_eq(self.buffer.device(), other.buffer.device())
            && self.offset < other.offset + other.size
            && other.offset < self.offset + self.size
    }
}

fn lies_within(offset: u64, size: u64, of: u64) -> bool {
    offset.checked_add(size).is_some_and(|end| end <= of)
}

#[cfg(test)]
mod tests {
    use super::lies_within;

    #[test]
    fn a_part_ends_within_the_whole() {
        assert!(lies_within(10, 40, 50) && lies_within(50, 0, 50) && lies_within(0, u64::MAX, u64::MAX));
        assert!(!lies_within(10, 41, 50) && !lies_within(51, 0, 50));
        assert!(!lies_within(u64::MAX, 2, u64::MAX), "an end of more than 64 bits");
    }
}
