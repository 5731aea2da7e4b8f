//! Descriptor sets for devices without push descriptors. A recording that is made again in the same way finds its sets as it left them.

use ash::vk;
use smallvec::SmallVec;
use wavelane_device::Device;

use crate::binding::{Binding, BindingKind};
use crate::error::Error;
use crate::pipeline::ComputePipeline;

const FIRST_POOL_SETS: u32 = 16;
const LARGEST_POOL_SETS: u32 = 4096;
const DESCRIPTORS_A_SET: u32 = 8;
/// Sets that no dispatch uses any more, and that are put up with before all pools are emptied.
const MOST_IDLE_SETS: usize = 64;

struct Pool {
    raw: vk::DescriptorPool,
    sets: u32,
    descriptors: u32,
    sets_left: u32,
    /// Of each kind.
    descriptors_left: u32,
}

/// What a descriptor shows. Numbers, unlike handles, are not used again for another buffer.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Shown {
    id: u64,
    offset: u64,
    size: u64,
}

/// The set of one dispatch.
struct Set {
    raw: vk::DescriptorSet,
    /// Held so that the layout lives as long as the set is updated.
    pipeline: ComputePipeline,
    shown: SmallVec<[Shown; 8]>,
}

impl Set {
    #[inline]
    fn shows(&self, bindings: &[Binding<'_>]) -> bool {
        self.shown.len() == bindings.len() && self.shown.iter().zip(bindings).all(|(shown, binding)| *shown == Shown::of(binding))
    }
}

/// A recorder's descriptor sets, in the order of its dispatches.
#[derive(Default)]
pub(crate) struct DescriptorSets {
    pools: Vec<Pool>,
    current: usize,
    sets: Vec<Set>,
    next: usize,
    idle: usize,
}

impl DescriptorSets {
    /// A set for the next dispatch, which shows these bindings.
    pub(crate) fn next(
        &mut self,
        device: &Device,
        pipeline: &ComputePipeline,
        bindings: &[Binding<'_>],
    ) -> Result<vk::DescriptorSet, Error> {
        let known =
            self.sets.get(self.next).filter(|set| set.pipeline.id() == pipeline.id() || set.pipeline.set_layout() == pipeline.set_layout());
        let raw = match known {
            Some(set) if set.shows(bindings) => {
                self.next += 1;
                return Ok(set.raw);
            }
            Some(set) => set.raw,
            None => self.allocate(device, pipeline)?,
        };
        update(device, raw, bindings);
        let shown = bindings.iter().map(Shown::of).collect();
        let set = Set { raw, pipeline: pipeline.clone(), shown };
        match self.sets.get_mut(self.next) {
            Some(place) => {
                self.idle += usize::from(place.raw != raw);
                *place = set;
            }
            None => self.sets.push(set),
        }
        self.next += 1;
        Ok(raw)
    }

    fn allocate(&mut self, device: &Device, pipeline: &ComputePipeline) -> Result<vk::DescriptorSet, Error> {
        let descriptors = pipeline.bindings().len() as u32;
        // Counted here rather than left to the driver: running a pool over is an error to validation, and to some drivers.
        while self.pools.get(self.current).is_some_and(|pool| pool.sets_left == 0 || pool.descriptors_left < descriptors) {
            self.current += 1;
        }
        if self.current >= self.pools.len() {
            let pool = self.grow(device, descriptors)?;
            self.pools.push(pool);
        }
        let Some(pool) = self.pools.get_mut(self.current) else { return Err(Error::NotRecording) };
        let layouts = [pipeline.set_layout()];
        let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool.raw).set_layouts(&layouts);
        // SAFETY: pool and layout are of this device; the pool is used by this recorder alone.
        let sets =
            unsafe { device.raw().allocate_descriptor_sets(&info) }.map_err(|result| Error::vulkan("vkAllocateDescriptorSets", result))?;
        pool.sets_left -= 1;
        pool.descriptors_left -= descriptors;
        Ok(sets.first().copied().unwrap_or_default())
    }

    fn grow(&self, device: &Device, descriptors: u32) -> Result<Pool, Error> {
        let sets = self.pools.last().map_or(FIRST_POOL_SETS, |pool| (pool.sets * 2).min(LARGEST_POOL_SETS));
        let descriptors = sets * descriptors.max(DESCRIPTORS_A_SET);
        let sizes = [BindingKind::StorageBuffer, BindingKind::StorageImage]
            .map(|kind| vk::DescriptorPoolSize { ty: kind.descriptor_type(), descriptor_count: descriptors });
        let info = vk::DescriptorPoolCreateInfo::default().max_sets(sets).pool_sizes(&sizes);
        // SAFETY: the device is alive.
        let raw = unsafe { device.raw().create_descriptor_pool(&info, None) }
            .map_err(|result| Error::vulkan("vkCreateDescriptorPool", result))?;
        device.set_name(raw, "wavelane descriptors");
        Ok(Pool { raw, sets, descriptors, sets_left: sets, descriptors_left: descriptors })
    }

    /// Starts over for a new recording. No set may be in use.
    pub(crate) fn restart(&mut self, device: &Device) -> Result<(), Error> {
        self.next = 0;
        if self.idle <= MOST_IDLE_SETS {
            return Ok(());
        }
        (self.idle, self.current) = (0, 0);
        self.sets.clear();
        for pool in &mut self.pools {
            // SAFETY: no set of the pool is in use, as the caller promises.
            unsafe { device.raw().reset_descriptor_pool(pool.raw, vk::DescriptorPoolResetFlags::empty()) }
                .map_err(|result| Error::vulkan("vkResetDescriptorPool", result))?;
            (pool.sets_left, pool.descriptors_left) = (pool.sets, pool.descriptors);
        }
        Ok(())
    }

    /// Destroys the pools. None of their sets may be in use.
    pub(crate) fn destroy(&mut self, device: &Device) {
        self.sets.clear();
        for pool in self.pools.drain(..) {
            // SAFETY: no set of the pool is in use, as the caller promises.
            unsafe { device.raw().destroy_descriptor_pool(pool.raw, None) };
        }
    }
}

impl Shown {
    fn of(binding: &Binding<'_>) -> Self {
        match binding {
            Binding::Buffer(range) => Self { id: range.buffer().id(), offset: range.offset(), size: range.size() },
            Binding::Image(image) => Self { id: image.id(), offset: 0, size: 0 },
        }
    }
}

/// Descriptors of a dispatch, as Vulkan wants them written: those of buffers and those of images, each in the order of the bindings.
pub(crate) struct Descriptors {
    buffers: SmallVec<[vk::DescriptorBufferInfo; 8]>,
    images: SmallVec<[vk::DescriptorImageInfo; 8]>,
}

impl Descriptors {
    #[inline]
    pub(crate) fn of(bindings: &[Binding<'_>]) -> Self {
        let mut all = Self { buffers: SmallVec::new(), images: SmallVec::new() };
        for binding in bindings {
            match binding {
                Binding::Buffer(range) => {
                    all.buffers.push(vk::DescriptorBufferInfo { buffer: range.raw(), offset: range.offset(), range: range.size() });
                }
                Binding::Image(image) => {
                    let info = vk::DescriptorImageInfo::default().image_view(image.view()).image_layout(vk::ImageLayout::GENERAL);
                    all.images.push(info);
                }
            }
        }
        all
    }

    #[inline]
    pub(crate) fn writes<'a>(&'a self, set: vk::DescriptorSet, bindings: &[Binding<'_>]) -> SmallVec<[vk::WriteDescriptorSet<'a>; 8]> {
        let (mut buffers, mut images) = (self.buffers.chunks_exact(1), self.images.chunks_exact(1));
        let mut writes = SmallVec::new();
        for (binding, place) in bindings.iter().zip(0u32..) {
            let write = vk::WriteDescriptorSet::default().dst_set(set).dst_binding(place).descriptor_type(binding.kind().descriptor_type());
            writes.push(match binding {
                Binding::Buffer(_) => write.buffer_info(buffers.next().unwrap_or_default()),
                Binding::Image(_) => write.image_info(images.next().unwrap_or_default()),
            });
        }
        writes
    }
}

fn update(device: &Device, set: vk::DescriptorSet, bindings: &[Binding<'_>]) {
    let descriptors = Descriptors::of(bindings);
    // SAFETY: one write for each binding of the set's layout; the set is not in use; everything shown is alive.
    unsafe { device.raw().update_descriptor_sets(&descriptors.writes(set, bindings), &[]) };
}
