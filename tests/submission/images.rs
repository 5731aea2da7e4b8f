//! Storage images: copied to and from, computed on, refused.

use std::sync::Arc;

use libtest_mimic::Failed;
use wavelane_device::{Device, Image, ImageDescription, MemoryUse, vk};
use wavelane_record::{
    Access, BindingDescription, BufferBarrier, BufferRange, ComputePipeline, ComputePipelineDescription, ImageBarrier, Recorder,
};

use crate::harness::gpu::ensure;
use crate::multiply_add::{PATIENCE, buffer, counted, holds, pipeline, says, spirv};

/// No multiples of the workgroup's 8 × 8.
const EXTENT: [u32; 3] = [37, 19, 1];

fn scale_texels(device: &Arc<Device>) -> Result<ComputePipeline, Failed> {
    let description = ComputePipelineDescription {
        name: "scale_texels",
        spirv: &spirv(include_bytes!("../data/shaders/scale_texels.spv")),
        bindings: &[BindingDescription::storage_image(Access::ComputeReadWrite), BindingDescription::storage_buffer(Access::ComputeRead)],
        push_constant_bytes: 0,
        specialization: &[],
        required_subgroup_size: None,
        full_subgroups: false,
        dispatch_base: false,
    };
    // SAFETY: the module is valid, and the description is of it.
    Ok(unsafe { ComputePipeline::new(device, &description) }?)
}

fn image(device: &Arc<Device>, extent: [u32; 3], name: &str) -> Result<Image, Failed> {
    Ok(Image::new(device, &ImageDescription { extent, format: vk::Format::R32_UINT, name })?)
}

/// Buffer to image, computed on twice, image to buffer; the handles go before the work does.
pub fn storage(device: &Arc<Device>) -> Result<(), Failed> {
    let [width, height, _] = EXTENT;
    let pixels = width * height;
    let (from, to) = (counted(device, pixels)?, buffer(device, pixels, MemoryUse::Shared)?);
    let before = device.memory_statistics().allocations;
    let mut recorder = Recorder::new(device)?;
    {
        let pipeline = scale_texels(device)?;
        let (texels, factors) = (image(device, EXTENT, "texels")?, counted(device, width)?);
        recorder.barriers_of(&[], &[ImageBarrier::discard(&texels, Access::TransferWrite)])?;
        recorder.copy_to_image(BufferRange::whole(&from), &texels)?;
        recorder.barriers_of(&[], &[ImageBarrier::new(&texels, Access::TransferWrite, Access::ComputeReadWrite)])?;
        for to in [Access::ComputeReadWrite, Access::TransferRead] {
            let groups = [width.div_ceil(8), height.div_ceil(8), 1];
            // SAFETY: the shader keeps to the image, which has a factor for each column.
            unsafe { recorder.dispatch(&pipeline, &[(&texels).into(), BufferRange::whole(&factors).into()], &[], groups) }?;
            recorder.barriers_of(&[], &[ImageBarrier::new(&texels, Access::ComputeReadWrite, to)])?;
        }
        recorder.copy_from_image(&texels, BufferRange::whole(&to))?;
    }
    recorder.barrier(&[BufferBarrier::new(BufferRange::whole(&to), Access::TransferWrite, Access::HostRead)])?;
    ensure(device.memory_statistics().allocations == before + 2, || "the recorder keeps no image, or no buffer".to_owned())?;
    recorder.submit()?.wait(PATIENCE)?;
    holds(&to, |i| i * (i % width) * (i % width))?;
    recorder.reset()?;
    ensure(device.memory_statistics().allocations == before, || "an image or a buffer is kept for ever".to_owned())?;
    refused(device, &mut recorder)
}

fn refused(device: &Arc<Device>, recorder: &mut Recorder) -> Result<(), Failed> {
    let (texels, bytes) = (image(device, EXTENT, "texels")?, buffer(device, 1000, MemoryUse::Device)?);
    let whole = BufferRange::whole(&bytes);
    let all = 37 * 19 * 4;
    let does_not_fit = |size: u64, offset: u64| {
        format!("{size} bytes at offset {offset} do not fit the texels of image `texels` of R32_UINT, which take {all} bytes")
    };
    says(recorder.copy_to_image(whole.slice(0, all - 4)?, &texels), &does_not_fit(all - 4, 0))?;
    says(recorder.copy_from_image(&texels, whole.slice(2, all)?), &does_not_fit(all, 2))?;
    let kinds = scale_texels(device)?;
    let factors = buffer(device, 37, MemoryUse::Device)?;
    let [factors, image] = [BufferRange::whole(&factors).into(), (&texels).into()];
    // SAFETY: refused.
    let swapped = unsafe { recorder.dispatch(&kinds, &[factors, image], &[], [1; 3]) };
    says(swapped, "binding 0 of a dispatch of `scale_texels` was given a storage buffer, and it is a storage image")?;
    let buffers_only = pipeline(device, 0)?;
    // SAFETY: refused.
    let swapped = unsafe { recorder.dispatch(&buffers_only, &[factors, image], &[0; 8], [1; 3]) };
    says(swapped, "binding 1 of a dispatch of `multiply_add` was given a storage image, and it is a storage buffer")?;
    ensure((recorder.dispatches(), recorder.barriers()) == (0, 0), || format!("{recorder:?}"))?;
    for (extent, format, cause) in [
        ([0, 4, 1], vk::Format::R32_UINT, "an extent of 0"),
        ([u32::MAX, 4, 1], vk::Format::R32_UINT, "the largest is"),
        ([4, 4, 1], vk::Format::D32_SFLOAT, "cannot be used for storage images"),
    ] {
        let error = Image::new(device, &ImageDescription { extent, format, name: "odd" }).err().map(|error| error.to_string());
        ensure(error.as_ref().is_some_and(|text| text.contains(cause)), || format!("{error:?}, where {cause:?} was due"))?;
    }
    Ok(())
}

/// What an image held may be dropped while it is still read: then the reader is waited for, if nothing else is.
pub fn overwritten(device: &Arc<Device>) -> Result<(), Failed> {
    let texels = image(device, EXTENT, "texels")?;
    let pixels = EXTENT[0] * EXTENT[1];
    let (from, to) = (counted(device, pixels)?, buffer(device, pixels, MemoryUse::Shared)?);
    let mut recorder = Recorder::new(device)?;
    recorder.barriers_of(&[], &[ImageBarrier::discard(&texels, Access::TransferWrite)])?;
    recorder.copy_to_image(BufferRange::whole(&from), &texels)?;
    recorder.barriers_of(&[], &[ImageBarrier::new(&texels, Access::TransferWrite, Access::TransferRead)])?;
    recorder.copy_from_image(&texels, BufferRange::whole(&to))?;
    says(
        recorder.barriers_of(&[], &[ImageBarrier::discard(&texels, Access::TransferWrite)]),
        "write-after-read: the layout change of barrier call 2 writes image `texels` (TransferWrite) that the copy 1 reads (TransferRead), and no barrier makes the write wait",
    )?;
    let again = ImageBarrier::new(&texels, Access::TransferRead, Access::TransferWrite);
    recorder.barriers_of(
        &[BufferBarrier::new(BufferRange::whole(&to), Access::TransferWrite, Access::HostRead)],
        &[ImageBarrier { old_layout: vk::ImageLayout::UNDEFINED, ..again }],
    )?;
    recorder.copy_to_image(BufferRange::whole(&from), &texels)?;
    recorder.submit()?.wait(PATIENCE)?;
    holds(&to, |i| i)
}

/// A 3-D image there and back.
pub fn volume(device: &Arc<Device>) -> Result<(), Failed> {
    let extent = [5, 6, 7];
    let texels = 5 * 6 * 7;
    let volume = image(device, extent, "volume")?;
    let (from, to) = (counted(device, texels)?, buffer(device, texels, MemoryUse::Shared)?);
    let mut recorder = Recorder::new(device)?;
    recorder.barriers_of(&[], &[ImageBarrier::discard(&volume, Access::TransferWrite)])?;
    recorder.copy_to_image(BufferRange::whole(&from), &volume)?;
    recorder.barriers_of(&[], &[ImageBarrier::new(&volume, Access::TransferWrite, Access::TransferRead)])?;
    recorder.copy_from_image(&volume, BufferRange::whole(&to))?;
    let read = BufferBarrier::new(BufferRange::whole(&to), Access::TransferWrite, Access::HostRead);
    // Buffers and images in one call; what held the texels may be overwritten.
    recorder.barriers_of(&[read], &[ImageBarrier::new(&volume, Access::TransferRead, Access::TransferWrite)])?;
    ensure(recorder.barriers() == 3, || format!("{recorder:?}"))?;
    recorder.submit()?.wait(PATIENCE)?;
    holds(&to, |i| i)
}
