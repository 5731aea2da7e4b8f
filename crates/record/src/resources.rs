//! What a recording needs while the device works on it: shared by the recorder and its submissions, let go with the last of them.

use std::any::Any;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ash::vk;
use wavelane_device::{Buffer, Device, Image, SyncPoint};

use crate::descriptors::DescriptorSets;
use crate::pipeline::ComputePipeline;
use crate::timing::QueryPools;

/// How long the last holder waits for the device before it leaks what the device may still use.
const PATIENCE: Duration = Duration::from_secs(10);

pub(crate) struct Resources {
    device: Arc<Device>,
    /// Null for a recorder of a caller's command buffer.
    command_pool: vk::CommandPool,
    state: Mutex<State>,
}

/// What recorder and submissions share.
#[derive(Default)]
pub(crate) struct State {
    /// The last submission of the recording.
    pub(crate) last: Option<SyncPoint>,
    /// What the recorder left when it went. It has them for itself until then, so that recording locks nothing.
    pub(crate) left: Lists,
}

#[derive(Default)]
pub(crate) struct Lists {
    pub(crate) descriptors: DescriptorSets,
    pub(crate) queries: QueryPools,
    pub(crate) kept: Kept,
}

/// Handles to everything that the recording uses.
#[derive(Default)]
pub(crate) struct Kept {
    buffers: Vec<Buffer>,
    images: Vec<Image>,
    pipelines: Vec<ComputePipeline>,
    others: Vec<Arc<dyn Any + Send + Sync>>,
}

/// Numbers of what was kept last: most dispatches and barriers use what was used before. What is forgotten here is kept twice, which does no harm.
#[derive(Default)]
pub(crate) struct Recent {
    resources: [u64; 32],
    pipelines: [u64; 16],
}

impl Recent {
    /// Whether the buffer or image with this number is known to be kept. From now on it is.
    #[inline]
    pub(crate) fn resource(&mut self, id: u64) -> bool {
        std::mem::replace(&mut self.resources[(id % 32) as usize], id) == id
    }

    /// The same for a pipeline.
    #[inline]
    pub(crate) fn pipeline(&mut self, id: u64) -> bool {
        std::mem::replace(&mut self.pipelines[(id % 16) as usize], id) == id
    }
}

impl Kept {
    pub(crate) fn buffer(&mut self, buffer: &Buffer) {
        self.buffers.push(buffer.clone());
    }

    pub(crate) fn image(&mut self, image: &Image) {
        self.images.push(image.clone());
    }

    pub(crate) fn pipeline(&mut self, pipeline: &ComputePipeline) {
        self.pipelines.push(pipeline.clone());
    }

    /// The pipeline with this number, if it is kept.
    pub(crate) fn pipeline_with(&self, id: u64) -> Option<&ComputePipeline> {
        self.pipelines.iter().rev().find(|pipeline| pipeline.id() == id)
    }

    pub(crate) fn other(&mut self, resource: Arc<dyn Any + Send + Sync>) {
        self.others.push(resource);
    }

    pub(crate) fn clear(&mut self) {
        self.buffers.clear();
        self.images.clear();
        self.pipelines.clear();
        self.others.clear();
    }
}

impl Resources {
    pub(crate) fn new(device: &Arc<Device>, command_pool: vk::CommandPool) -> Arc<Self> {
        Arc::new(Self { device: Arc::clone(device), command_pool, state: Mutex::default() })
    }

    pub(crate) fn command_pool(&self) -> vk::CommandPool {
        self.command_pool
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Resources {
    fn drop(&mut self) {
        let State { last, left: lists } = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(point) = *last {
            match self.device.wait(point, PATIENCE) {
                Ok(()) => {}
                // A lost device works on nothing any more.
                Err(wavelane_device::Error::DeviceLost { .. }) => {}
                Err(error) => {
                    log::error!("a recording went away while the device works on it, and what it uses is leaked: {error}");
                    std::mem::forget(std::mem::take(lists));
                    std::mem::forget(Arc::clone(&self.device));
                    return;
                }
            }
        }
        lists.descriptors.destroy(&self.device);
        lists.queries.destroy(&self.device);
        // SAFETY: the last submission of the pool's only command buffer is done; null is allowed.
        unsafe { self.device.raw().destroy_command_pool(self.command_pool, None) };
    }
}
