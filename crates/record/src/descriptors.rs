//! Descriptor pools for devices without push descriptors: they grow by doubling and are kept from one recording to the next.

use ash::vk;
use wavelane_device::Device;

use crate::error::Error;
use crate::pipeline::ComputePipeline;

const FIRST_POOL_SETS: u32 = 16;
const LARGEST_POOL_SETS: u32 = 4096;
const DESCRIPTORS_A_SET: u32 = 8;

struct Pool {
    raw: vk::DescriptorPool,
    sets: u32,
    descriptors: u32,
    sets_left: u32,
    descriptors_left: u32,
}

/// A recorder's descriptor pools.
#[derive(Default)]
pub(crate) struct DescriptorPools {
    pools: Vec<Pool>,
    current: usize,
}

impl DescriptorPools {
    /// A set for a dispatch of `pipeline`, valid until [`DescriptorPools::reset`].
    pub(crate) fn allocate(&mut self, device: &Device, pipeline: &ComputePipeline) -> Result<vk::DescriptorSet, Error> {
        let descriptors = pipeline.storage_buffers();
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
        let sizes = [vk::DescriptorPoolSize { ty: vk::DescriptorType::STORAGE_BUFFER, descriptor_count: descriptors }];
        let info = vk::DescriptorPoolCreateInfo::default().max_sets(sets).pool_sizes(&sizes);
        // SAFETY: the device is alive.
        let raw = unsafe { device.raw().create_descriptor_pool(&info, None) }
            .map_err(|result| Error::vulkan("vkCreateDescriptorPool", result))?;
        Ok(Pool { raw, sets, descriptors, sets_left: sets, descriptors_left: descriptors })
    }

    /// Takes every set back. None may be in use.
    pub(crate) fn reset(&mut self, device: &Device) -> Result<(), Error> {
        for pool in &mut self.pools {
            // SAFETY: no set of the pool is in use, as the caller promises.
            unsafe { device.raw().reset_descriptor_pool(pool.raw, vk::DescriptorPoolResetFlags::empty()) }
                .map_err(|result| Error::vulkan("vkResetDescriptorPool", result))?;
            (pool.sets_left, pool.descriptors_left) = (pool.sets, pool.descriptors);
        }
        self.current = 0;
        Ok(())
    }

    /// Destroys the pools. None of their sets may be in use.
    pub(crate) fn destroy(&mut self, device: &Device) {
        for pool in self.pools.drain(..) {
            // SAFETY: no set of the pool is in use, as the caller promises.
            unsafe { device.raw().destroy_descriptor_pool(pool.raw, None) };
        }
    }
}
