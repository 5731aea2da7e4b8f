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
const BINDINGS: [BindingDescription; 2] =
    [BindingDescription::storage_buffer(Access::ComputeRead), BindingDescription::storage_buffer(Access::ComputeWrite)];
const BYTES: u64 = WORKGROUP as u64 * 4;

/// Two pipelines, which take turns as the buffers do.
pub struct Workload {
    pub device: Arc<Device>,
    pub pipelines: [ComputePipeline; 2],
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
        let pipeline = |addend| {
            let description = ComputePipelineDescription {
                name: "multiply_add",
                spirv: &spirv,
                bindings: &BINDINGS,
                push_constant_bytes: 8,
                specialization: &[(0, WORKGROUP), (1, addend)].map(|(id, value)| SpecializationConstant { id, value }),
                required_subgroup_size: None,
                full_subgroups: false,
                dispatch_base: false,
            };
            // SAFETY: the module is valid, and the description is of it.
            unsafe { ComputePipeline::new(device, &description) }
        };
        let buffer = |name| Buffer::new(device, &BufferDescription { size: BYTES, memory: MemoryUse::Device, name });
        let mut push_constants = [0; 8];
        push_constants[..4].copy_from_slice(&WORKGROUP.to_ne_bytes());
        push_constants[4..].copy_from_slice(&3u32.to_ne_bytes());
        let (pipelines, buffers) = ([pipeline(1)?, pipeline(2)?], [buffer("even")?, buffer("odd")?]);
        Ok(Self { device: Arc::clone(device), pipelines, buffers, push_constants })
    }

    /// The sequence through Wavelane: each dispatch reads what the one before wrote, and overwrites what that one read.
    pub fn record(&self, recorder: &mut Recorder) -> Result<()> {
        for step in 0..DISPATCHES {
            let [from, to] = [step, step + 1].map(|index| BufferRange::whole(&self.buffers[index % 2]));
            // SAFETY: the buffers hold as many elements as the push constants say.
            unsafe { recorder.dispatch(&self.pipelines[step % 2], &[from.into(), to.into()], &self.push_constants, GROUPS) }?;
            recorder.barrier(&[
                BufferBarrier::new(to, Access::ComputeWrite, Access::ComputeRead),
                BufferBarrier::new(from, Access::ComputeRead, Access::ComputeWrite),
            ])?;
        }
        Ok(())
    }
}
