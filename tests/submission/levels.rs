//! Mip levels of a caller's image, each a handle of its own.

use std::any::Any;
use std::sync::Arc;

use libtest_mimic::Failed;
use wavelane_device::{Device, ForeignImage, Image, MemoryUse, vk};
use wavelane_record::{Access, BufferBarrier, BufferRange, HazardMode, ImageBarrier, Recorder, RecorderOptions};

use crate::harness::gpu::ensure;
use crate::multiply_add::{PATIENCE, buffer, counted, holds, says};

const SIDE: u32 = 16;
const FORMAT: vk::Format = vk::Format::R32_UINT;

/// An image of the caller's, which is destroyed when nothing of it is left.
struct Mips {
    device: Arc<Device>,
    image: vk::Image,
    memory: vk::DeviceMemory,
    views: Vec<vk::ImageView>,
}

impl Drop for Mips {
    fn drop(&mut self) {
        // SAFETY: made from this device and in use by nobody, since every handle keeps this; null is allowed.
        unsafe {
            self.views.iter().for_each(|&view| self.device.raw().destroy_image_view(view, None));
            self.device.raw().destroy_image(self.image, None);
            self.device.raw().free_memory(self.memory, None);
        }
    }
}

fn levels(device: &Arc<Device>) -> Result<[Image; 2], Failed> {
    let raw = device.raw();
    let usage = vk::ImageUsageFlags::STORAGE | vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST;
    let info = vk::ImageCreateInfo::default()
        .image_type(vk::ImageType::TYPE_2D)
        .format(FORMAT)
        .extent(vk::Extent3D { width: SIDE, height: SIDE, depth: 1 })
        .mip_levels(2)
        .array_layers(1)
        .samples(vk::SampleCountFlags::TYPE_1)
        .usage(usage);
    let range = |level| {
        let range = vk::ImageSubresourceRange::default().aspect_mask(vk::ImageAspectFlags::COLOR);
        range.base_mip_level(level).level_count(1).layer_count(1)
    };
    let mut mips = Mips { device: Arc::clone(device), image: vk::Image::null(), memory: vk::DeviceMemory::null(), views: Vec::new() };
    // SAFETY: plain Vulkan, of one device; what is made goes with `mips`.
    unsafe {
        mips.image = raw.create_image(&info, None)?;
        let requirements = raw.get_image_memory_requirements(mips.image);
        let kind = requirements.memory_type_bits.trailing_zeros();
        let info = vk::MemoryAllocateInfo::default().allocation_size(requirements.size).memory_type_index(kind);
        mips.memory = raw.allocate_memory(&info, None)?;
        raw.bind_image_memory(mips.image, mips.memory, 0)?;
        for level in 0..2 {
            let info = vk::ImageViewCreateInfo::default().image(mips.image).view_type(vk::ImageViewType::TYPE_2D).format(FORMAT);
            mips.views.push(raw.create_image_view(&info.subresource_range(range(level)), None)?);
        }
    }
    let (image, views) = (mips.image, [mips.views[0], mips.views[1]]);
    let keep: Arc<dyn Any + Send + Sync> = Arc::new(mips);
    Ok([(0, "level 0"), (1, "level 1")].map(|(level, name)| {
        let extent = [SIDE >> level, SIDE >> level, 1];
        let lent =
            ForeignImage { view: views[level as usize], extent, format: FORMAT, range: range(level), name, keep: Some(Arc::clone(&keep)) };
        // SAFETY: image and view are of this device, made so, and kept.
        unsafe { Image::from_raw(device, image, &lent) }
    }))
}

/// What is done with one level orders nothing of the other, and waits for nothing of it.
pub fn apart(device: &Arc<Device>) -> Result<(), Failed> {
    let texels = SIDE * SIDE;
    for hazards in [HazardMode::Automatic, HazardMode::Checked] {
        let [large, small] = levels(device)?;
        let (from, to) = (counted(device, texels)?, buffer(device, texels / 4, MemoryUse::Shared)?);
        let (all, quarter) = (BufferRange::whole(&from), BufferRange::new(&from, 0, u64::from(texels))?);
        let mut recorder = Recorder::with_options(device, &RecorderOptions { hazards, ..RecorderOptions::default() })?;
        let discard = |image| ImageBarrier::discard(image, Access::TransferWrite);
        recorder.barriers_of(&[], &[discard(&large), discard(&small)])?;
        recorder.copy_to_image(all, &large)?;
        recorder.copy_to_image(quarter, &small)?;
        ensure(recorder.barriers() == 1, || "a level waits for another".to_owned())?;
        let written = |image| ImageBarrier::new(image, Access::TransferWrite, Access::TransferRead);
        if hazards == HazardMode::Checked {
            recorder.barriers_of(&[], &[written(&large)])?;
            says(recorder.copy_from_image(&small, BufferRange::whole(&to)), "reads image `level 1` (TransferRead) that the copy 1 wrote")?;
            recorder.barriers_of(&[], &[written(&small)])?;
        }
        recorder.copy_from_image(&small, BufferRange::whole(&to))?;
        recorder.barrier(&[BufferBarrier::new(BufferRange::whole(&to), Access::TransferWrite, Access::HostRead)])?;
        recorder.submit()?.wait(PATIENCE)?;
        holds(&to, |i| i)?;
    }
    Ok(())
}
