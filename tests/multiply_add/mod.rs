//! A pipeline that tests of the recorder dispatch, with buffers for it: `to[i] = from[i] * factor + addend`.

#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::sync::Arc;
use std::time::Duration;

use libtest_mimic::Failed;
use wavelane_device::{Buffer, BufferDescription, Device, MemoryUse};
use wavelane_record::{
    Access, BindingDescription, BufferBarrier, BufferRange, ComputePipeline, ComputePipelineDescription, Error, Recorder,
    SpecializationConstant,
};

use crate::harness::gpu::ensure;

pub const PATIENCE: Duration = Duration::from_secs(60);
pub const WORKGROUP: u32 = 64;

/// The pipeline; `factor` is a push constant, `addend` a specialization constant.
pub fn pipeline(device: &Arc<Device>, addend: u32) -> Result<ComputePipeline, Error> {
    let description = ComputePipelineDescription {
        name: "multiply_add",
        spirv: &spirv(include_bytes!("../data/shaders/multiply_add.spv")),
        bindings: &[BindingDescription::storage_buffer(Access::ComputeRead), BindingDescription::storage_buffer(Access::ComputeWrite)],
        push_constant_bytes: 8,
        specialization: &[(0, WORKGROUP), (1, addend)].map(|(id, value)| SpecializationConstant { id, value }),
        required_subgroup_size: None,
        full_subgroups: false,
        dispatch_base: true,
    };
    // SAFETY: the module is valid, and the description is of it.
    unsafe { ComputePipeline::new(device, &description) }
}

/// A module's words.
pub fn spirv(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}

/// A buffer of `count` words.
pub fn buffer(device: &Arc<Device>, count: u32, memory: MemoryUse) -> Result<Buffer, Failed> {
    Ok(Buffer::new(device, &BufferDescription { size: u64::from(count) * 4, memory, name: "tested" })?)
}

/// A buffer with 0, 1, 2, …
pub fn counted(device: &Arc<Device>, count: u32) -> Result<Buffer, Failed> {
    let buffer = buffer(device, count, MemoryUse::Shared)?;
    buffer.write(0, &(0..count).flat_map(u32::to_ne_bytes).collect::<Vec<u8>>())?;
    Ok(buffer)
}

/// What the host reads in a buffer.
pub fn words(buffer: &Buffer) -> Result<Vec<u32>, Failed> {
    let mut bytes = vec![0; buffer.size() as usize];
    buffer.read(0, &mut bytes)?;
    Ok(bytes.chunks_exact(4).map(|word| u32::from_ne_bytes([word[0], word[1], word[2], word[3]])).collect())
}

/// Every word of a buffer is what its place calls for.
pub fn holds(buffer: &Buffer, expected: impl Fn(u32) -> u32) -> Result<(), Failed> {
    let words = words(buffer)?;
    let wrong = (0u32..).zip(&words).find(|&(i, &value)| value != expected(i));
    ensure(wrong.is_none(), || format!("(index, value) {wrong:?} instead of {}", expected(wrong.map_or(0, |(i, _)| i))))
}

pub fn push_constants(count: u32, factor: u32) -> [u8; 8] {
    let mut bytes = [0; 8];
    bytes[..4].copy_from_slice(&count.to_ne_bytes());
    bytes[4..].copy_from_slice(&factor.to_ne_bytes());
    bytes
}

/// A dispatch over all of `to`.
pub fn dispatch(
    recorder: &mut Recorder,
    pipeline: &ComputePipeline,
    from: BufferRange<'_>,
    to: BufferRange<'_>,
    factor: u32,
) -> Result<(), Error> {
    let count = (from.size().min(to.size()) / 4) as u32;
    // SAFETY: both ranges hold as many words as are counted.
    unsafe {
        recorder.dispatch(pipeline, &[from.into(), to.into()], &push_constants(count, factor), [count.div_ceil(WORKGROUP).max(1), 1, 1])
    }
}

/// What a dispatch wrote to all of a buffer is used next.
pub fn written(buffer: &Buffer, to: Access) -> BufferBarrier<'_> {
    BufferBarrier::new(BufferRange::whole(buffer), Access::ComputeWrite, to)
}

/// The call failed, with this text and one line of advice.
pub fn says<T>(result: Result<T, Error>, text: &str) -> Result<(), Failed> {
    let Err(error) = result else { return Err(format!("no error, where {text:?} was due").into()) };
    ensure(error.to_string().contains(text), || format!("{error:?} reads {error}, not {text:?}"))?;
    let lines = [error.to_string(), error.advice()];
    ensure(lines.iter().all(|line| !line.is_empty() && !line.contains('\n')), || format!("not two lines: {lines:?}"))
}
