//! What a pipeline binds, and what a dispatch binds there.

use wavelane_device::{Image, vk};

use crate::access::Access;
use crate::range::BufferRange;

/// The kind of a binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BindingKind {
    /// `buffer` in GLSL.
    StorageBuffer,
    /// `image2D`, `image3D` and their like in GLSL, with a format.
    StorageImage,
}

/// A binding of set 0 of a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BindingDescription {
    /// Its kind.
    pub kind: BindingKind,
    /// What the shader does with it: [`Access::ComputeRead`], [`Access::ComputeWrite`] or [`Access::ComputeReadWrite`]. Checks for missing barriers go by it.
    pub access: Access,
}

impl BindingDescription {
    /// A storage buffer.
    pub const fn storage_buffer(access: Access) -> Self {
        Self { kind: BindingKind::StorageBuffer, access }
    }

    /// A storage image.
    pub const fn storage_image(access: Access) -> Self {
        Self { kind: BindingKind::StorageImage, access }
    }
}

/// What a dispatch binds.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Binding<'a> {
    /// A part of a buffer.
    Buffer(BufferRange<'a>),
    /// An image, which must be in `vk::ImageLayout::GENERAL`.
    Image(&'a Image),
}

impl<'a> From<BufferRange<'a>> for Binding<'a> {
    fn from(range: BufferRange<'a>) -> Self {
        Self::Buffer(range)
    }
}

impl<'a> From<&'a Image> for Binding<'a> {
    fn from(image: &'a Image) -> Self {
        Self::Image(image)
    }
}

impl BindingKind {
    pub(crate) const fn descriptor_type(self) -> vk::DescriptorType {
        match self {
            Self::StorageBuffer => vk::DescriptorType::STORAGE_BUFFER,
            Self::StorageImage => vk::DescriptorType::STORAGE_IMAGE,
        }
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::StorageBuffer => "a storage buffer",
            Self::StorageImage => "a storage image",
        }
    }
}

impl Binding<'_> {
    pub(crate) const fn kind(&self) -> BindingKind {
        match self {
            Self::Buffer(_) => BindingKind::StorageBuffer,
            Self::Image(_) => BindingKind::StorageImage,
        }
    }
}
