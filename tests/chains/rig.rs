//! What the chains of a trial share: the device and its pipelines.

use std::sync::Arc;

use libtest_mimic::Failed;
use wavelane::device::{Device, Profile};
use wavelane::{Kernel, Path, Pipelines};

use super::harness::gpu;
use super::planned::{self, Planned, Ranges};

pub struct Rig {
    pub device: Arc<Device>,
    pub pipelines: Pipelines,
}

impl Rig {
    /// The driver's device, or as much of it as another one has.
    pub fn new(profile: Option<&str>) -> Result<Self, Failed> {
        let device = gpu::device(profile.map(Profile::named).transpose()?)?;
        let pipelines = Pipelines::new(&device);
        Ok(Self { device, pipelines })
    }

    /// A kernel made ready; none where it is refused.
    pub fn plan<K: Kernel + 'static>(
        &self,
        description: &K,
        path: Option<Path>,
        bind: impl for<'a> Fn(&Ranges<'a>) -> K::Bindings<'a> + 'static,
    ) -> Result<Option<Planned>, Failed> {
        planned::kernel(&self.pipelines, description, path, bind)
    }
}
