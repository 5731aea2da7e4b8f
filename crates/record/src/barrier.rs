//! Barriers by access, as synchronization2 has them and as Vulkan 1.1 has them.

use ash::vk;
use wavelane_device::{Device, Image};

use crate::access::Access;
use crate::range::BufferRange;

/// A change of ownership between queue families. It takes two barriers, equal but for their halves: one on each family's queue, with a
/// semaphore between them. From a family to itself nothing changes hands, and each half is a barrier like any other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnershipTransfer {
    /// The family that gives.
    pub from_family: u32,
    /// The family that takes.
    pub to_family: u32,
    /// Which of the two barriers this is.
    pub half: TransferHalf,
}

impl OwnershipTransfer {
    /// Whether the families differ. Where not, Vulkan sees a plain barrier, which needs both of its sides.
    pub(crate) fn changes(&self) -> bool {
        self.from_family != self.to_family
    }
}

/// One of the two barriers of an [`OwnershipTransfer`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TransferHalf {
    /// On the giving queue: what was done before matters, what follows happens elsewhere.
    Release,
    /// On the taking queue: what was done before happened elsewhere.
    Acquire,
}

/// "What comes before has done `from` with the range; what comes after does `to`."
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferBarrier<'a> {
    /// The bytes it is about.
    pub range: BufferRange<'a>,
    /// What was done before.
    pub from: Access,
    /// What will be done after.
    pub to: Access,
    /// Another queue family takes over, or this one does.
    pub transfer: Option<OwnershipTransfer>,
}

impl<'a> BufferBarrier<'a> {
    /// A barrier on `range` between `from` and `to`.
    pub const fn new(range: BufferRange<'a>, from: Access, to: Access) -> Self {
        Self { range, from, to, transfer: None }
    }

    /// The same barrier as one half of a change of ownership.
    pub const fn with_transfer(self, transfer: OwnershipTransfer) -> Self {
        Self { transfer: Some(transfer), ..self }
    }
}

/// A [`BufferBarrier`] for an image, which can change its layout.
#[derive(Clone, Copy, Debug)]
pub struct ImageBarrier<'a> {
    /// The image, with all of its [`Image::range`].
    pub image: &'a Image,
    /// What was done before.
    pub from: Access,
    /// What will be done after.
    pub to: Access,
    /// The layout before; `UNDEFINED` where the contents do not matter.
    pub old_layout: vk::ImageLayout,
    /// The layout after.
    pub new_layout: vk::ImageLayout,
    /// Another queue family takes over, or this one does.
    pub transfer: Option<OwnershipTransfer>,
}

impl<'a> ImageBarrier<'a> {
    /// A barrier on an image that stays in `vk::ImageLayout::GENERAL`.
    pub const fn new(image: &'a Image, from: Access, to: Access) -> Self {
        let layout = vk::ImageLayout::GENERAL;
        Self { image, from, to, old_layout: layout, new_layout: layout, transfer: None }
    }

    /// The first barrier of an image: whatever it held is lost, and it can be used in `vk::ImageLayout::GENERAL`. It waits for nothing; where commands may still
    /// use the image, give what they do as `from` beside an `old_layout` of `UNDEFINED`.
    pub const fn discard(image: &'a Image, to: Access) -> Self {
        let (old_layout, new_layout) = (vk::ImageLayout::UNDEFINED, vk::ImageLayout::GENERAL);
        // Nothing before: the host's reading is over before a submission.
        Self { image, from: Access::HostRead, to, old_layout, new_layout, transfer: None }
    }
}

/// Stages, masks and families of one barrier.
struct Masks {
    from: (vk::PipelineStageFlags2, vk::AccessFlags2),
    to: (vk::PipelineStageFlags2, vk::AccessFlags2),
    families: (u32, u32),
}

#[inline]
fn masks(from: Access, to: Access, transfer: Option<OwnershipTransfer>, discard: bool) -> Masks {
    let none = (vk::PipelineStageFlags2::NONE, vk::AccessFlags2::NONE);
    let (from_stage, from_access) = from.masks2();
    // Reads have nothing to make available: the stage alone makes what follows wait for them.
    let mut masks = Masks {
        from: (from_stage, from_access & Access::WRITES2),
        to: to.masks2(),
        families: (vk::QUEUE_FAMILY_IGNORED, vk::QUEUE_FAMILY_IGNORED),
    };
    if discard {
        masks.from = none;
    }
    if let Some(transfer) = transfer.filter(OwnershipTransfer::changes) {
        masks.families = (transfer.from_family, transfer.to_family);
        match transfer.half {
            TransferHalf::Release => masks.to = none,
            TransferHalf::Acquire => masks.from = none,
        }
    }
    masks
}

/// Vulkan 1.1's bits have the same values as those of synchronization2, but for storage accesses, which it does not tell apart from others of a shader.
fn old_access(mask: vk::AccessFlags2) -> vk::AccessFlags {
    let mut old = vk::AccessFlags::from_raw(mask.as_raw() as u32);
    if mask.intersects(vk::AccessFlags2::SHADER_STORAGE_READ | vk::AccessFlags2::SHADER_SAMPLED_READ) {
        old |= vk::AccessFlags::SHADER_READ;
    }
    if mask.contains(vk::AccessFlags2::SHADER_STORAGE_WRITE) {
        old |= vk::AccessFlags::SHADER_WRITE;
    }
    old
}

fn old_stage(mask: vk::PipelineStageFlags2) -> vk::PipelineStageFlags {
    vk::PipelineStageFlags::from_raw(mask.as_raw() as u32)
}

/// A barrier of either kind, by handles alone. An image stays in `vk::ImageLayout::GENERAL`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RawBarrier {
    Buffer { raw: vk::Buffer, offset: u64, size: u64, from: Access, to: Access },
    Image { raw: vk::Image, range: vk::ImageSubresourceRange, from: Access, to: Access },
}

impl ImageBarrier<'_> {
    /// Whether neither what the image held is of any matter nor what was done before. The host is waited for by no barrier, so to come from its
    /// reading says so; any other access is waited for, whatever becomes of the contents.
    pub(crate) fn discards(&self) -> bool {
        self.old_layout == vk::ImageLayout::UNDEFINED && self.from == Access::HostRead
    }
}

/// Vectors that barriers are gathered in, kept so that a barrier allocates nothing once they have grown.
#[derive(Default)]
pub(crate) struct BarrierRecorder {
    buffers2: Vec<vk::BufferMemoryBarrier2<'static>>,
    images2: Vec<vk::ImageMemoryBarrier2<'static>>,
    buffers: Vec<vk::BufferMemoryBarrier<'static>>,
    images: Vec<vk::ImageMemoryBarrier<'static>>,
    /// The stages before and after all of them, for Vulkan 1.1.
    stages: (vk::PipelineStageFlags, vk::PipelineStageFlags),
    write_after_read: bool,
    /// Some drivers drop a barrier that has no writes before it, and let the write after it overtake the read.
    full_write_after_read: bool,
}

impl BarrierRecorder {
    pub(crate) fn new(full_write_after_read: bool) -> Self {
        Self { full_write_after_read, ..Self::default() }
    }

    /// Begins to gather.
    #[inline]
    pub(crate) fn begin(&mut self) {
        self.buffers2.clear();
        self.images2.clear();
        self.buffers.clear();
        self.images.clear();
        self.stages = Default::default();
        self.write_after_read = false;
    }

    /// Takes a barrier into what is gathered. (Straight from field to field: to copy barriers of either kind around costs more than everything else here.)
    #[inline]
    pub(crate) fn buffer(&mut self, new: bool, barrier: &BufferBarrier<'_>) {
        let &BufferBarrier { range, from, to, transfer } = barrier;
        self.write_after_read |= !from.writes() && to.writes();
        self.raw_buffer(new, range.raw(), range.offset(), range.size(), &masks(from, to, transfer, false));
    }

    /// As [`BarrierRecorder::buffer`].
    pub(crate) fn image(&mut self, new: bool, barrier: &ImageBarrier<'_>) {
        let &ImageBarrier { image, from, to, old_layout, new_layout, transfer } = barrier;
        self.write_after_read |= !from.writes() && to.writes();
        self.raw_image(new, image.raw(), image.range(), [old_layout, new_layout], &masks(from, to, transfer, barrier.discards()));
    }

    /// Records one barrier for all of them. Says whether it added a global one for compute shaders.
    pub(crate) fn record_raw(&mut self, device: &Device, commands: vk::CommandBuffer, barriers: impl Iterator<Item = RawBarrier>) -> bool {
        self.begin();
        let new = device.synchronization2().is_some();
        for barrier in barriers {
            let (from, to) = match barrier {
                RawBarrier::Buffer { raw, offset, size, from, to } => {
                    self.raw_buffer(new, raw, offset, size, &masks(from, to, None, false));
                    (from, to)
                }
                RawBarrier::Image { raw, range, from, to } => {
                    self.raw_image(new, raw, range, [vk::ImageLayout::GENERAL; 2], &masks(from, to, None, false));
                    (from, to)
                }
            };
            self.write_after_read |= !from.writes() && to.writes();
        }
        self.flush(device, commands)
    }

    #[inline]
    fn raw_buffer(&mut self, new: bool, raw: vk::Buffer, offset: u64, size: u64, masks: &Masks) {
        let &Masks { from, to, families } = masks;
        if new {
            let barrier = vk::BufferMemoryBarrier2::default().buffer(raw).offset(offset).size(size);
            self.buffers2.push(
                barrier
                    .src_stage_mask(from.0)
                    .src_access_mask(from.1)
                    .dst_stage_mask(to.0)
                    .dst_access_mask(to.1)
                    .src_queue_family_index(families.0)
                    .dst_queue_family_index(families.1),
            );
            return;
        }
        self.stages.0 |= old_stage(from.0);
        self.stages.1 |= old_stage(to.0);
        let barrier = vk::BufferMemoryBarrier::default().buffer(raw).offset(offset).size(size);
        self.buffers.push(
            barrier
                .src_access_mask(old_access(from.1))
                .dst_access_mask(old_access(to.1))
                .src_queue_family_index(families.0)
                .dst_queue_family_index(families.1),
        );
    }

    fn raw_image(&mut self, new: bool, raw: vk::Image, range: vk::ImageSubresourceRange, layouts: [vk::ImageLayout; 2], masks: &Masks) {
        let &Masks { from, to, families } = masks;
        if new {
            let barrier = vk::ImageMemoryBarrier2::default().image(raw).subresource_range(range);
            self.images2.push(
                barrier
                    .src_stage_mask(from.0)
                    .src_access_mask(from.1)
                    .dst_stage_mask(to.0)
                    .dst_access_mask(to.1)
                    .old_layout(layouts[0])
                    .new_layout(layouts[1])
                    .src_queue_family_index(families.0)
                    .dst_queue_family_index(families.1),
            );
            return;
        }
        self.stages.0 |= old_stage(from.0);
        self.stages.1 |= old_stage(to.0);
        let barrier = vk::ImageMemoryBarrier::default().image(raw).subresource_range(range);
        self.images.push(
            barrier
                .src_access_mask(old_access(from.1))
                .dst_access_mask(old_access(to.1))
                .old_layout(layouts[0])
                .new_layout(layouts[1])
                .src_queue_family_index(families.0)
                .dst_queue_family_index(families.1),
        );
    }

    /// Records what was gathered as one barrier. Says whether it added a global one for compute shaders.
    #[inline]
    pub(crate) fn flush(&self, device: &Device, commands: vk::CommandBuffer) -> bool {
        let everything = self.full_write_after_read && self.write_after_read;
        match device.synchronization2() {
            Some(functions) => {
                let all = vk::AccessFlags2::SHADER_READ | vk::AccessFlags2::SHADER_WRITE;
                let memory = [vk::MemoryBarrier2::default()
                    .src_stage_mask(vk::PipelineStageFlags2::COMPUTE_SHADER)
                    .src_access_mask(all)
                    .dst_stage_mask(vk::PipelineStageFlags2::COMPUTE_SHADER)
                    .dst_access_mask(all)];
                let mut info = vk::DependencyInfo::default().buffer_memory_barriers(&self.buffers2).image_memory_barriers(&self.images2);
                if everything {
                    info = info.memory_barriers(&memory);
                }
                // SAFETY: the command buffer is being recorded; synchronization2 is on; the masks come from the table of accesses.
                unsafe { functions.cmd_pipeline_barrier2(commands, &info) };
            }
            None => {
                let (mut from, mut to) = self.stages;
                let all = vk::AccessFlags::SHADER_READ | vk::AccessFlags::SHADER_WRITE;
                let memory = [vk::MemoryBarrier::default().src_access_mask(all).dst_access_mask(all)];
                if everything {
                    from |= vk::PipelineStageFlags::COMPUTE_SHADER;
                    to |= vk::PipelineStageFlags::COMPUTE_SHADER;
                }
                let memory = if everything { &memory[..] } else { &[] };
                // Vulkan 1.1 does not take empty masks.
                let from = if from.is_empty() { vk::PipelineStageFlags::TOP_OF_PIPE } else { from };
                let to = if to.is_empty() { vk::PipelineStageFlags::BOTTOM_OF_PIPE } else { to };
                let (none, buffers, images) = (vk::DependencyFlags::empty(), &self.buffers, &self.images);
                // SAFETY: the command buffer is being recorded; the masks come from the table of accesses.
                unsafe { device.raw().cmd_pipeline_barrier(commands, from, to, none, memory, buffers, images) };
            }
        }
        everything
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_writes_are_made_available() {
        let war = masks(Access::ComputeRead, Access::ComputeWrite, None, false);
        assert_eq!(war.from, (vk::PipelineStageFlags2::COMPUTE_SHADER, vk::AccessFlags2::NONE));
        let raw = masks(Access::ComputeReadWrite, Access::HostRead, None, false);
        assert_eq!(raw.from.1, vk::AccessFlags2::SHADER_STORAGE_WRITE);
        assert_eq!(raw.to, (vk::PipelineStageFlags2::HOST, vk::AccessFlags2::HOST_READ));
        assert_eq!(raw.families, (vk::QUEUE_FAMILY_IGNORED, vk::QUEUE_FAMILY_IGNORED));
    }

    #[test]
    fn each_half_of_a_transfer_knows_its_own_side() {
        let half = |half| {
            let transfer = OwnershipTransfer { from_family: 1, to_family: 2, half };
            masks(Access::ComputeWrite, Access::TransferRead, Some(transfer), false)
        };
        let (release, acquire) = (half(TransferHalf::Release), half(TransferHalf::Acquire));
        assert_eq!((release.families, acquire.families), ((1, 2), (1, 2)));
        assert_eq!(release.from.1, vk::AccessFlags2::SHADER_STORAGE_WRITE);
        assert_eq!(release.to, (vk::PipelineStageFlags2::NONE, vk::AccessFlags2::NONE));
        assert_eq!(acquire.from, (vk::PipelineStageFlags2::NONE, vk::AccessFlags2::NONE));
        assert_eq!(acquire.to.1, vk::AccessFlags2::TRANSFER_READ);
    }

    #[test]
    fn a_transfer_within_a_family_is_a_plain_barrier() {
        for half in [TransferHalf::Release, TransferHalf::Acquire] {
            let transfer = OwnershipTransfer { from_family: 1, to_family: 1, half };
            let [within, plain] = [Some(transfer), None].map(|transfer| masks(Access::ComputeWrite, Access::TransferRead, transfer, false));
            assert_eq!((within.from, within.to, within.families), (plain.from, plain.to, plain.families));
        }
    }

    #[test]
    fn masks_of_vulkan_1_1_say_the_same() {
        for access in Access::ALL {
            let (stage, mask) = access.masks();
            assert_eq!((old_stage(access.masks2().0), old_access(access.masks2().1)), (stage, mask), "{access:?}");
        }
    }
}
