//! Compute pipelines, made once for each module and set of constants.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use wavelane_device::Device;
use wavelane_record::{BindingDescription, ComputePipeline, ComputePipelineDescription, SpecializationConstant};

use crate::{Error, PathChoice};

/// What makes a pipeline another one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    name: String,
    constants: Vec<(u32, u32)>,
    subgroup_size: Option<u32>,
    full_subgroups: bool,
}

/// A module with everything a pipeline is made from.
pub(crate) struct PipelineSource<'a> {
    pub(crate) kernel: &'static str,
    pub(crate) module: &'a str,
    pub(crate) spirv: &'a [u32],
    pub(crate) constants: &'a [(u32, u32)],
    pub(crate) bindings: &'a [BindingDescription],
    pub(crate) push_constant_bytes: u32,
}

/// Compute pipelines of one device, made once for each module and set of constants. Plans of the same kind share them.
#[derive(Debug)]
pub struct Pipelines {
    device: Arc<Device>,
    made: Mutex<HashMap<Key, Arc<ComputePipeline>>>,
}

impl Pipelines {
    /// No pipelines yet.
    pub fn new(device: &Arc<Device>) -> Self {
        Self { device: device.clone(), made: Mutex::default() }
    }

    /// The device they are for.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    pub(crate) fn get(&self, source: &PipelineSource<'_>, choice: &PathChoice) -> Result<Arc<ComputePipeline>, Error> {
        let key = Key {
            name: format!("{}.{}", source.kernel, source.module),
            constants: source.constants.to_vec(),
            subgroup_size: choice.subgroup_size,
            full_subgroups: choice.full_subgroups,
        };
        // A poisoned map is a whole map: entries are put in complete.
        if let Some(pipeline) = self.made.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(pipeline.clone());
        }
        let specialization: Vec<_> = source.constants.iter().map(|&(id, value)| SpecializationConstant { id, value }).collect();
        let description = ComputePipelineDescription {
            name: &key.name,
            spirv: source.spirv,
            bindings: source.bindings,
            push_constant_bytes: source.push_constant_bytes,
            specialization: &specialization,
            required_subgroup_size: choice.subgroup_size,
            full_subgroups: choice.full_subgroups,
            dispatch_base: false,
        };
        // Compiling takes long, so the map is not held meanwhile; at worst a pipeline is made twice.
        // SAFETY: the module is one of the kernels', whose interface the build has reflected, and the path chosen fits the device.
        let pipeline = Arc::new(unsafe { ComputePipeline::new(&self.device, &description) }?);
        self.made.lock().unwrap_or_else(PoisonError::into_inner).insert(key, pipeline.clone());
        Ok(pipeline)
    }
}
