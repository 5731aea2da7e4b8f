//! Fills, updates and copies.

use ash::vk;
use wavelane_device::{Buffer, Image};

use super::Recorder;
use super::hazards::{use_of, uses_of};
use crate::access::Access;
use crate::binding::Binding;
use crate::check;
use crate::error::Error;
use crate::hazard::CommandKind;
use crate::range::BufferRange;

/// The most that one `vkCmdUpdateBuffer` takes.
const UPDATE_BYTES: usize = 65_536;

impl Recorder {
    /// Fills a range with a repeated 32-bit word, as [`Access::TransferWrite`](crate::Access::TransferWrite).
    ///
    /// # Errors
    ///
    /// [`Error::FillMisaligned`] where the range does not consist of whole words, [`Error::Usage`], [`Error::OtherDevice`], and
    /// [`Error::Hazard`] where a barrier is missing and looked for.
    pub fn fill(&mut self, range: BufferRange<'_>, value: u32) -> Result<(), Error> {
        self.check_recording()?;
        self.check_words(&range)?;
        self.check_transfer(range.buffer(), vk::BufferUsageFlags::TRANSFER_DST)?;
        if range.size() > 0 {
            self.track(CommandKind::Fill, None, &[use_of(&range, Access::TransferWrite)])?;
            self.transfers += 1;
            self.keep_buffer(range.buffer());
            // SAFETY: the command buffer is being recorded, the range consists of whole words within a living buffer for transfers.
            unsafe { self.device.raw().cmd_fill_buffer(self.commands, range.raw(), range.offset(), range.size(), value) };
        }
        Ok(())
    }

    /// Writes bytes that are kept in the command buffer itself, as [`Access::TransferWrite`](crate::Access::TransferWrite): for a few
    /// words. Larger data should be copied from a buffer; here it is split into commands of 64 KiB.
    ///
    /// # Errors
    ///
    /// [`Error::FillMisaligned`] where the range does not consist of whole words, [`Error::CopySizes`] where `bytes` is not as long as the range,
    /// [`Error::Usage`], [`Error::OtherDevice`], and
    /// [`Error::Hazard`] where a barrier is missing and looked for.
    pub fn update(&mut self, range: BufferRange<'_>, bytes: &[u8]) -> Result<(), Error> {
        self.check_recording()?;
        self.check_words(&range)?;
        if range.size() != bytes.len() as u64 {
            return Err(Error::CopySizes { from: bytes.len() as u64, to: range.size() });
        }
        self.check_transfer(range.buffer(), vk::BufferUsageFlags::TRANSFER_DST)?;
        self.track(CommandKind::Update, None, &[use_of(&range, Access::TransferWrite)])?;
        self.transfers += 1;
        self.keep_buffer(range.buffer());
        for (index, part) in bytes.chunks(UPDATE_BYTES).enumerate() {
            let offset = range.offset() + (index * UPDATE_BYTES) as u64;
            // SAFETY: as in `fill`; the part has at most as many bytes as one command takes.
            unsafe { self.device.raw().cmd_update_buffer(self.commands, range.raw(), offset, part) };
        }
        Ok(())
    }

    /// Copies a range to another, as [`Access::TransferRead`](crate::Access::TransferRead) and
    /// [`Access::TransferWrite`](crate::Access::TransferWrite).
    ///
    /// # Errors
    ///
    /// [`Error::CopySizes`] where the ranges differ in size, [`Error::CopyOverlap`] where they overlap, [`Error::Usage`], [`Error::OtherDevice`], and
    /// [`Error::Hazard`] where a barrier is missing and looked for.
    pub fn copy(&mut self, from: BufferRange<'_>, to: BufferRange<'_>) -> Result<(), Error> {
        self.check_recording()?;
        if from.size() != to.size() {
            return Err(Error::CopySizes { from: from.size(), to: to.size() });
        }
        if from.overlaps(&to) {
            return Err(Error::CopyOverlap { from: from.offset(), to: to.offset(), size: from.size() });
        }
        self.check_transfer(from.buffer(), vk::BufferUsageFlags::TRANSFER_SRC)?;
        self.check_transfer(to.buffer(), vk::BufferUsageFlags::TRANSFER_DST)?;
        if from.size() > 0 {
            self.track(CommandKind::Copy, None, &[use_of(&from, Access::TransferRead), use_of(&to, Access::TransferWrite)])?;
            self.transfers += 1;
            self.keep_buffer(from.buffer());
            self.keep_buffer(to.buffer());
            let regions = [vk::BufferCopy { src_offset: from.offset(), dst_offset: to.offset(), size: from.size() }];
            // SAFETY: the command buffer is being recorded; the ranges lie within living buffers for transfers and do not overlap.
            unsafe { self.device.raw().cmd_copy_buffer(self.commands, from.raw(), to.raw(), &regions) };
        }
        Ok(())
    }

    /// Copies tightly packed texels from a buffer to all of an image, which is in `vk::ImageLayout::GENERAL`.
    ///
    /// # Errors
    ///
    /// [`Error::TexelBytes`] where the range has not as many bytes as the image's texels, [`Error::Usage`], [`Error::OtherDevice`], and
    /// [`Error::Hazard`] where a barrier is missing and looked for.
    pub fn copy_to_image(&mut self, from: BufferRange<'_>, to: &Image) -> Result<(), Error> {
        self.check_recording()?;
        let region = self.texels(&from, to)?;
        self.check_transfer(from.buffer(), vk::BufferUsageFlags::TRANSFER_SRC)?;
        self.track_copy([Binding::Buffer(from), Binding::Image(to)])?;
        self.keep_buffer(from.buffer());
        self.keep_image(to);
        let layout = vk::ImageLayout::GENERAL;
        // SAFETY: the command buffer is being recorded; buffer and image are alive and of the sizes that the region calls for.
        unsafe { self.device.raw().cmd_copy_buffer_to_image(self.commands, from.raw(), to.raw(), layout, &[region]) };
        Ok(())
    }

    /// Copies all of an image, which is in `vk::ImageLayout::GENERAL`, to tightly packed texels in a buffer.
    ///
    /// # Errors
    ///
    /// As [`Recorder::copy_to_image`].
    pub fn copy_from_image(&mut self, from: &Image, to: BufferRange<'_>) -> Result<(), Error> {
        self.check_recording()?;
        let region = self.texels(&to, from)?;
        self.check_transfer(to.buffer(), vk::BufferUsageFlags::TRANSFER_DST)?;
        self.track_copy([Binding::Image(from), Binding::Buffer(to)])?;
        self.keep_buffer(to.buffer());
        self.keep_image(from);
        let layout = vk::ImageLayout::GENERAL;
        // SAFETY: as in `copy_to_image`.
        unsafe { self.device.raw().cmd_copy_image_to_buffer(self.commands, from.raw(), layout, to.raw(), &[region]) };
        Ok(())
    }

    /// Sees to the order between a copy, from the first to the second, and what was recorded before.
    fn track_copy(&mut self, sides: [Binding<'_>; 2]) -> Result<(), Error> {
        self.track_images(&sides);
        self.track(CommandKind::Copy, None, &uses_of(&sides, [Access::TransferRead, Access::TransferWrite].into_iter()))?;
        self.transfers += 1;
        Ok(())
    }

    fn check_words(&self, range: &BufferRange<'_>) -> Result<(), Error> {
        if range.offset().is_multiple_of(4) && range.size().is_multiple_of(4) {
            return Ok(());
        }
        Err(Error::FillMisaligned { offset: range.offset(), size: range.size() })
    }

    fn check_transfer(&self, buffer: &Buffer, usage: vk::BufferUsageFlags) -> Result<(), Error> {
        check::owner(&self.device, buffer)?;
        check::usage(buffer, usage)
    }

    /// The region that is all of an image, whose texels fill the range.
    fn texels(&self, range: &BufferRange<'_>, image: &Image) -> Result<vk::BufferImageCopy, Error> {
        check::image_owner(&self.device, image)?;
        let [width, height, depth] = image.extent();
        let texels = u64::from(width) * u64::from(height) * u64::from(depth);
        let expected = texel_bytes(image.format()).and_then(|bytes| texels.checked_mul(bytes));
        // Offsets must be multiples of 4 and of a texel's size.
        let aligned =
            range.offset().is_multiple_of(4) && texel_bytes(image.format()).is_some_and(|bytes| range.offset().is_multiple_of(bytes));
        if expected != Some(range.size()) || !aligned {
            let (offset, size) = (range.offset(), range.size());
            return Err(Error::TexelBytes { name: image.name().to_owned(), format: image.format(), expected, offset, size });
        }
        let whole = image.range();
        let layers = vk::ImageSubresourceLayers {
            aspect_mask: whole.aspect_mask,
            mip_level: whole.base_mip_level,
            base_array_layer: whole.base_array_layer,
            layer_count: 1,
        };
        let image_extent = vk::Extent3D { width, height, depth };
        Ok(vk::BufferImageCopy::default().buffer_offset(range.offset()).image_subresource(layers).image_extent(image_extent))
    }
}

/// Bytes of a texel of the formats that storage images commonly have.
fn texel_bytes(format: vk::Format) -> Option<u64> {
    use vk::Format as F;
    Some(match format {
        F::R8_UNORM | F::R8_SNORM | F::R8_UINT | F::R8_SINT => 1,
        F::R16_UNORM | F::R16_UINT | F::R16_SINT | F::R16_SFLOAT | F::R8G8_UNORM | F::R8G8_UINT | F::R8G8_SINT => 2,
        F::R32_UINT | F::R32_SINT | F::R32_SFLOAT | F::R16G16_UINT | F::R16G16_SINT | F::R16G16_SFLOAT => 4,
        F::R8G8B8A8_UNORM | F::R8G8B8A8_SNORM | F::R8G8B8A8_UINT | F::R8G8B8A8_SINT | F::B8G8R8A8_UNORM => 4,
        F::R32G32_UINT | F::R32G32_SINT | F::R32G32_SFLOAT => 8,
        F::R16G16B16A16_UNORM | F::R16G16B16A16_UINT | F::R16G16B16A16_SINT | F::R16G16B16A16_SFLOAT => 8,
        F::R32G32B32A32_UINT | F::R32G32B32A32_SINT | F::R32G32B32A32_SFLOAT => 16,
        _ => return None,
    })
}
