//! What is recorded: four dispatches to and fro between two buffers, with a barrier behind each.

use std::sync::Arc;

use anyhow::Result;
use wavelane_device::{Buffer, BufferDescription, Device, MemoryUse};
use wavelane_record::{
    Access, BindingDescription, BufferBarrier, BufferRange, ComputePipeline, ComputePipelineDescription, Recorder, SpecializationConstant,
};

/// Dispatches in a sequence.
pub const DISPATCHES: usize = 4;
/// Workgroups of each; so few that the device is hardly busy.
pub const GROUPS: [u32; 3] = [1, 1, 1];
const WORKGROUP: u32 = 64;
const BYTES: u64 = WORKGROUP as u64 * 4;

/// A pipeline and two buffers.
pub struct Workload {
    pub device: Arc<Device>,
    pub pipeline: ComputePipeline,
    pub buffers: [Buffer; 2],
    /// The pipeline's push constants: elements and factor.
    pub push_constants: [u8; 8],
}

impl Workload {
    pub fn new(device: &Arc<Device>) -> Result<Self> {
        let spirv: Vec<u32> = include_bytes!("../../../tests/data/shaders/multiply_add.spv")
            .chunks_exact(4)
            .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
            .collect();
        let description = ComputePipelineDescription {
            name: "multiply_add",
            spirv: &spirv,
            bindings: &[BindingDescription::storage_buffer(Access::ComputeRead), BindingDescription::storage_buffer(Access::ComputeWrite)],
            push_constant_bytes: 8,
            specialization: &[(0, WORKGROUP), (1, 1)].map(|(id, value)| SpecializationConstant { id, value }),
            required_subgroup_size: None,
            full_subgroups: false,
            dispatch_base: false,
        };
        // SAFETY: the module is valid, and the description is of it.
        let pipeline = unsafe { ComputePipeline::new(device, &description) }?;
        let buffer = |name| Buffer::new(device, &BufferDescription { size: BYTES, memory: MemoryUse::Device, name });
        let mut push_constants = [0; 8];
        push_constants[..4].copy_from_slice(&WORKGROUP.to_ne_bytes());
        push_constants[4..].copy_from_slice(&3u32.to_ne_bytes());
        Ok(Self { device: Arc::clone(device), pipeline, buffers: [buffer("even")?, buffer("odd")?], push_constants })
    }

    /// The sequence through Wavelane: each dispatch reads what the one before wrote, and overwrites what that one read.
    pub fn record(&self, recorder: &mut Recorder) -> Result<()> {
        for step in 0..DISPATCHES {
            let [from, to] = [step, step + 1].map(|index| BufferRange::whole(&self.buffers[index % 2]));
            // SAFETY: the buffers hold as many elements as the push constants say.
            unsafe { recorder.dispatch(&self.pipeline, &[from.into(), to.into()], &self.push_constants, GROUPS) }?;
            recorder.barrier(&[
                BufferBarrier::new(to, Access::ComputeWrite, Access::ComputeRead),
                BufferBarrier::new(from, Access::ComputeRead, Access::ComputeWrite),
            ])?;
        }
        Ok(())
    }
}
