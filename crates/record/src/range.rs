//! Parts of buffers.

use ash::vk;
use wavelane_device::Buffer;

use crate::error::Error;

/// Some bytes of a buffer. Whoever owns the buffer keeps it alive until the work that uses it is done
/// ([`Recorder::keep`](crate::Recorder::keep) can do that).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BufferRange {
    /// The buffer: one of Wavelane's, or any other of the same device.
    pub buffer: vk::Buffer,
    /// Where the range starts, in bytes.
    pub offset: u64,
    /// How long it is, in bytes.
    pub size: u64,
}

impl BufferRange {
    /// A range of any buffer. It must lie within the buffer.
    pub const fn new(buffer: vk::Buffer, offset: u64, size: u64) -> Self {
        Self { buffer, offset, size }
    }

    /// All of a buffer.
    pub fn whole(buffer: &Buffer) -> Self {
        Self { buffer: buffer.raw(), offset: 0, size: buffer.size() }
    }

    /// A part of this range; `offset` counts from the range's own start.
    ///
    /// # Errors
    ///
    /// [`Error::RangeOutside`] where the part does not lie within the range.
    pub fn slice(&self, offset: u64, size: u64) -> Result<Self, Error> {
        let outside = || Error::RangeOutside { offset, size, of: self.size };
        if offset.checked_add(size).is_none_or(|end| end > self.size) {
            return Err(outside());
        }
        let offset = self.offset.checked_add(offset).ok_or_else(outside)?;
        Ok(Self { buffer: self.buffer, offset, size })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_stays_within_its_range() {
        let range = BufferRange::new(vk::Buffer::null(), 100, 50);
        assert_eq!(range.slice(10, 40).ok(), Some(BufferRange::new(vk::Buffer::null(), 110, 40)));
        let last = BufferRange::new(vk::Buffer::null(), u64::MAX - 15, 50);
        assert!(last.slice(16, 4).is_err(), "an offset of more than 64 bits");
        assert_eq!(
            range.slice(10, 41).map_err(|error| error.to_string()),
            Err("41 bytes at offset 10 do not lie within a range of 50 bytes".into())
        );
        assert!(range.slice(u64::MAX, 2).is_err());
    }
}
