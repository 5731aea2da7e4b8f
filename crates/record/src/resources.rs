//! What a recording needs while the device works on it: shared by the recorder and its submission, destroyed with the last of them.

use std::any::Any;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ash::vk;
use wavelane_device::Device;

use crate::descriptors::DescriptorPools;
use crate::pipeline::ComputePipeline;
use crate::timing::QueryPools;

pub(crate) struct Resources {
    device: Arc<Device>,
    /// Null for a recorder of a caller's command buffer.
    command_pool: vk::CommandPool,
    lists: Mutex<Lists>,
}

#[derive(Default)]
pub(crate) struct Lists {
    pub(crate) descriptors: DescriptorPools,
    pub(crate) queries: QueryPools,
    pub(crate) pipelines: Vec<ComputePipeline>,
    pub(crate) kept: Vec<Arc<dyn Any + Send + Sync>>,
}

impl Resources {
    pub(crate) fn new(device: &Arc<Device>, command_pool: vk::CommandPool) -> Arc<Self> {
        Arc::new(Self { device: Arc::clone(device), command_pool, lists: Mutex::default() })
    }

    pub(crate) fn command_pool(&self) -> vk::CommandPool {
        self.command_pool
    }

    pub(crate) fn lists(&self) -> MutexGuard<'_, Lists> {
        self.lists.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Resources {
    fn drop(&mut self) {
        let lists = self.lists.get_mut().unwrap_or_else(PoisonError::into_inner);
        lists.descriptors.destroy(&self.device);
        lists.queries.destroy(&self.device);
        // SAFETY: a submission that is not done keeps these resources alive, so the pool's command buffer is not in use; null is allowed.
        unsafe { self.device.raw().destroy_command_pool(self.command_pool, None) };
    }
}
