//! Compute pipelines, made once for each module and set of constants.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use wavelane_device::Device;
use wavelane_record::{ComputePipeline, ComputePipelineDescription, SpecializationConstant};

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
    pub(crate) storage_buffers: u32,
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
            storage_buffers: source.storage_buffers,
            push_constant_bytes: source.push_constant_bytes,
            specialization: &specialization,
            required_subgroup_size: choice.subgroup_size,
            full_subgroups: choice.full_subgroups,
        };
        // Compiling takes long, so the map is not held meanwhile; at worst a pipeline is made twice.
        let pipeline = Arc::new(ComputePipeline::new(&self.device, &description)?);
        self.made.lock().unwrap_or_else(PoisonError::into_inner).insert(key, pipeline.clone());
        Ok(pipeline)
    }
}
