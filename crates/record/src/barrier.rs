//! Pipeline barriers, by synchronization2 where the device has it and by Vulkan 1.1 where not.

use ash::vk;
use wavelane_device::Device;

use crate::access::BufferBarrier;

/// Records one barrier for all of the ranges. `full_write_after_read` asks for full access masks where a read comes before a write.
pub(crate) fn record_barrier(device: &Device, commands: vk::CommandBuffer, barriers: &[BufferBarrier], full_write_after_read: bool) {
    // Some drivers drop a barrier that has no writes before it, and let the write after it overtake the read.
    let everything = full_write_after_read && barriers.iter().any(BufferBarrier::write_after_read);
    match device.synchronization2() {
        Some(functions) => {
            let buffers: Vec<_> = barriers.iter().map(BufferBarrier::vulkan2).collect();
            let all = vk::AccessFlags2::SHADER_READ | vk::AccessFlags2::SHADER_WRITE;
            let memory = [vk::MemoryBarrier2::default()
                .src_stage_mask(vk::PipelineStageFlags2::COMPUTE_SHADER)
                .src_access_mask(all)
                .dst_stage_mask(vk::PipelineStageFlags2::COMPUTE_SHADER)
                .dst_access_mask(all)];
            let mut info = vk::DependencyInfo::default().buffer_memory_barriers(&buffers);
            if everything {
                info = info.memory_barriers(&memory);
            }
            // SAFETY: the command buffer is being recorded; synchronization2 is on; the masks come from the table of accesses.
            unsafe { functions.cmd_pipeline_barrier2(commands, &info) };
        }
        None => {
            let buffers: Vec<_> = barriers.iter().map(BufferBarrier::vulkan).collect();
            let from = barriers.iter().fold(vk::PipelineStageFlags::empty(), |stages, barrier| stages | barrier.from.masks().0);
            let to = barriers.iter().fold(vk::PipelineStageFlags::empty(), |stages, barrier| stages | barrier.to.masks().0);
            let all = vk::AccessFlags::SHADER_READ | vk::AccessFlags::SHADER_WRITE;
            let memory = [vk::MemoryBarrier::default().src_access_mask(all).dst_access_mask(all)];
            let compute = if everything { vk::PipelineStageFlags::COMPUTE_SHADER } else { vk::PipelineStageFlags::empty() };
            let memory = if everything { &memory[..] } else { &[] };
            // SAFETY: the command buffer is being recorded; the masks come from the table of accesses.
            unsafe {
                device.raw().cmd_pipeline_barrier(
                    commands,
                    from | compute,
                    to | compute,
                    vk::DependencyFlags::empty(),
                    memory,
                    &buffers,
                    &[],
                );
            }
        }
    }
}
