//! Storage images: of Wavelane's own, or a caller's.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use ash::vk;
use gpu_allocator::vulkan::Allocation;

use crate::accounts::MemoryKind;
use crate::buffer::next_id;
use crate::device::Device;
use crate::error::Error;
use crate::memory::{MemoryUse, Owner, types_for};

/// How to make an [`Image`].
#[derive(Clone, Copy, Debug)]
pub struct ImageDescription<'a> {
    /// Width, height and depth in texels; with a depth of 1 it is a 2-D image, else a 3-D one.
    pub extent: [u32; 3],
    /// The format, which the device must support for storage images.
    pub format: vk::Format,
    /// Name, for errors, profilers and validation messages.
    pub name: &'a str,
}

/// A caller's image, for [`Image::from_raw`].
#[derive(Clone)]
pub struct ForeignImage<'a> {
    /// A view of the image, to be bound to shaders.
    pub view: vk::ImageView,
    /// Width, height and depth in texels.
    pub extent: [u32; 3],
    /// Its format.
    pub format: vk::Format,
    /// The mip levels and layers that barriers are about.
    pub range: vk::ImageSubresourceRange,
    /// Name, for errors.
    pub name: &'a str,
    /// Kept until the last handle and the last submission that uses it are gone.
    pub keep: Option<Arc<dyn Any + Send + Sync>>,
}

impl fmt::Debug for ForeignImage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ForeignImage")
            .field("extent", &self.extent)
            .field("format", &self.format)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// An image that compute shaders load from and store to, and that can be copied from and to. Cloning gives another handle to the same, as
/// with [`Buffer`](crate::Buffer).
#[derive(Clone)]
pub struct Image {
    inner: Arc<Inner>,
}

struct Inner {
    device: Arc<Device>,
    raw: vk::Image,
    view: vk::ImageView,
    id: u64,
    extent: [u32; 3],
    format: vk::Format,
    range: vk::ImageSubresourceRange,
    name: Arc<str>,
    /// `Some` for our own, once it has memory.
    allocation: Option<Allocation>,
    own: bool,
    _keep: Option<Arc<dyn Any + Send + Sync>>,
}

impl fmt::Debug for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Image")
            .field("raw", &self.raw())
            .field("name", &self.name())
            .field("extent", &self.extent())
            .finish_non_exhaustive()
    }
}

impl Image {
    /// Makes an image with one mip level and one layer. Its contents and layout are undefined: a first barrier from
    /// `vk::ImageLayout::UNDEFINED` to `GENERAL` makes it usable.
    ///
    /// # Errors
    ///
    /// [`Error::ImageUnsupported`] where the device does not take such a storage image, [`Error::OutOfMemory`], or what Vulkan returned.
    pub fn new(device: &Arc<Device>, description: &ImageDescription<'_>) -> Result<Self, Error> {
        let &ImageDescription { extent, format, name } = description;
        let kind = if extent[2] == 1 { vk::ImageType::TYPE_2D } else { vk::ImageType::TYPE_3D };
        let usage = vk::ImageUsageFlags::STORAGE | vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST;
        check(device, description, kind, usage)?;
        let info = vk::ImageCreateInfo::default()
            .image_type(kind)
            .format(format)
            .extent(vk::Extent3D { width: extent[0], height: extent[1], depth: extent[2] })
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(usage)
            .sharing_mode(vk::SharingMode::EXCLUSIVE)
            .initial_layout(vk::ImageLayout::UNDEFINED);
        // SAFETY: the device is alive, and was asked above whether it takes such an image.
        let raw = unsafe { device.raw().create_image(&info, None) }.map_err(|result| Error::vulkan("vkCreateImage", result))?;
        let range = vk::ImageSubresourceRange::default().aspect_mask(vk::ImageAspectFlags::COLOR).level_count(1).layer_count(1);
        // From here on, dropping the image cleans up.
        let view = vk::ImageView::null();
        let mut inner = Inner::new(device, raw, &ForeignImage { view, extent, format, range, name, keep: None }, true);
        device.set_name(raw, name);
        // SAFETY: the image was just made.
        let requirements = unsafe { device.raw().get_image_memory_requirements(raw) };
        let types = types_for(&device.capabilities().memory, MemoryUse::Device, requirements.memory_type_bits);
        let allocation = device
            .with_memory(|pool| pool.allocate(inner.owner(), requirements, &types))
            .unwrap_or_else(|| Err(Error::NoMemoryType { name: name.to_owned(), wanted: MemoryUse::Device.name() }))?;
        let allocation = inner.allocation.insert(allocation);
        // SAFETY: the memory is of a type that the image allows, large enough, aligned, and bound once.
        unsafe { device.raw().bind_image_memory(raw, allocation.memory(), allocation.offset()) }
            .map_err(|result| Error::vulkan("vkBindImageMemory", result))?;
        let view_type = if extent[2] == 1 { vk::ImageViewType::TYPE_2D } else { vk::ImageViewType::TYPE_3D };
        let info = vk::ImageViewCreateInfo::default().image(raw).view_type(view_type).format(format).subresource_range(range);
        // SAFETY: the image is alive and has memory.
        inner.view = unsafe { device.raw().create_image_view(&info, None) }.map_err(|result| Error::vulkan("vkCreateImageView", result))?;
        device.set_name(inner.view, name);
        Ok(Self { inner: Arc::new(inner) })
    }

    /// A handle to a caller's image and view, which are never destroyed here.
    ///
    /// # Safety
    ///
    /// Image and view must be of this device, with this extent and format, bound to memory, created with the usages that they are put to here, and stay so until the last
    /// handle and the last submission that uses them are gone; `keep` can see to that.
    pub unsafe fn from_raw(device: &Arc<Device>, raw: vk::Image, description: &ForeignImage<'_>) -> Self {
        let inner = Inner::new(device, raw, description, false);
        device.with_memory(|pool| pool.accounts_mut().add(inner.owner().resource(0, true)));
        Self { inner: Arc::new(inner) }
    }

    /// Vulkan's handle.
    pub fn raw(&self) -> vk::Image {
        self.inner.raw
    }

    /// The view that is bound to shaders.
    pub fn view(&self) -> vk::ImageView {
        self.inner.view
    }

    /// A number that no other buffer or image of the process has had or will have, unlike the handle.
    pub fn id(&self) -> u64 {
        self.inner.id
    }

    /// Width, height and depth in texels.
    pub fn extent(&self) -> [u32; 3] {
        self.inner.extent
    }

    /// Its format.
    pub fn format(&self) -> vk::Format {
        self.inner.format
    }

    /// The mip levels and layers that barriers are about.
    pub fn range(&self) -> vk::ImageSubresourceRange {
        self.inner.range
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// The device it belongs to.
    pub fn device(&self) -> &Arc<Device> {
        &self.inner.device
    }
}

fn check(device: &Device, description: &ImageDescription<'_>, kind: vk::ImageType, usage: vk::ImageUsageFlags) -> Result<(), Error> {
    let &ImageDescription { extent, format, name } = description;
    let unsupported = |cause: String| Error::ImageUnsupported { name: name.to_owned(), extent, format, cause };
    if extent.contains(&0) {
        return Err(unsupported("an extent of 0".into()));
    }
    // SAFETY: the physical device belongs to the living instance.
    let properties = unsafe { device.instance().raw().get_physical_device_format_properties(device.physical_device(), format) };
    // Some drivers offer them, but views and copies here are of colours.
    let depth = [
        vk::Format::D16_UNORM,
        vk::Format::X8_D24_UNORM_PACK32,
        vk::Format::D32_SFLOAT,
        vk::Format::S8_UINT,
        vk::Format::D16_UNORM_S8_UINT,
        vk::Format::D24_UNORM_S8_UINT,
        vk::Format::D32_SFLOAT_S8_UINT,
    ]
    .contains(&format);
    if depth || !properties.optimal_tiling_features.contains(vk::FormatFeatureFlags::STORAGE_IMAGE) {
        return Err(unsupported("the format cannot be used for storage images".into()));
    }
    // SAFETY: as above.
    let limits = unsafe {
        device.instance().raw().get_physical_device_image_format_properties(
            device.physical_device(),
            format,
            kind,
            vk::ImageTiling::OPTIMAL,
            usage,
            vk::ImageCreateFlags::empty(),
        )
    }
    .map_err(|result| match result {
        vk::Result::ERROR_FORMAT_NOT_SUPPORTED => unsupported(format!("{result:?}")),
        result => Error::vulkan("vkGetPhysicalDeviceImageFormatProperties", result),
    })?;
    let most = [limits.max_extent.width, limits.max_extent.height, limits.max_extent.depth];
    if extent.iter().zip(most).any(|(&asked, most)| asked > most) {
        return Err(unsupported(format!("the largest is {most:?}")));
    }
    Ok(())
}

impl Inner {
    /// What is known before an image has memory, which a caller's never gets here.
    fn new(device: &Arc<Device>, raw: vk::Image, description: &ForeignImage<'_>, own: bool) -> Self {
        let &ForeignImage { view, extent, format, range, name, ref keep } = description;
        Self {
            device: Arc::clone(device),
            raw,
            view,
            id: next_id(),
            extent,
            format,
            range,
            name: name.into(),
            allocation: None,
            own,
            _keep: keep.clone(),
        }
    }

    fn owner(&self) -> Owner<'_> {
        Owner { id: self.id, name: &self.name, kind: if self.own { MemoryKind::Image } else { MemoryKind::Foreign } }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if !self.own {
            self.device.with_memory(|pool| pool.accounts_mut().remove(self.id));
            return;
        }
        // SAFETY: recorders and submissions hold handles to the images they use until the device is done, and this was the last handle;
        // null handles are allowed.
        unsafe {
            self.device.raw().destroy_image_view(self.view, None);
            self.device.raw().destroy_image(self.raw, None);
        }
        if let Some(allocation) = self.allocation.take() {
            self.device.with_memory(|pool| pool.free(self.id, allocation));
        }
    }
}
