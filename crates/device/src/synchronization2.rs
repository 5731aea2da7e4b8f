//! The functions of synchronization2, whether an extension or the core brought them.

use std::fmt;

use ash::prelude::VkResult;
use ash::vk;

/// Functions of synchronization2: those of `VK_KHR_synchronization2` where that was enabled, else those of Vulkan 1.3.
#[derive(Clone)]
pub struct Synchronization2 {
    cmd_pipeline_barrier2: vk::PFN_vkCmdPipelineBarrier2,
    cmd_write_timestamp2: vk::PFN_vkCmdWriteTimestamp2,
    queue_submit2: vk::PFN_vkQueueSubmit2,
}

impl fmt::Debug for Synchronization2 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Synchronization2").finish_non_exhaustive()
    }
}

impl Synchronization2 {
    /// The extension's functions, which a driver gives out under its names only where it is enabled.
    pub(crate) fn of_extension(instance: &ash::Instance, device: &ash::Device) -> Self {
        let functions = ash::khr::synchronization2::Device::new(instance, device);
        let functions = functions.fp();
        Self {
            cmd_pipeline_barrier2: functions.cmd_pipeline_barrier2_khr,
            cmd_write_timestamp2: functions.cmd_write_timestamp2_khr,
            queue_submit2: functions.queue_submit2_khr,
        }
    }

    /// The core's functions.
    pub(crate) fn of_core(device: &ash::Device) -> Self {
        let functions = device.fp_v1_3();
        Self {
            cmd_pipeline_barrier2: functions.cmd_pipeline_barrier2,
            cmd_write_timestamp2: functions.cmd_write_timestamp2,
            queue_submit2: functions.queue_submit2,
        }
    }

    /// `vkCmdPipelineBarrier2`.
    ///
    /// # Safety
    ///
    /// As Vulkan has it.
    pub unsafe fn cmd_pipeline_barrier2(&self, commands: vk::CommandBuffer, dependency: &vk::DependencyInfo<'_>) {
        // SAFETY: the caller's promise.
        unsafe { (self.cmd_pipeline_barrier2)(commands, dependency) }
    }

    /// `vkCmdWriteTimestamp2`.
    ///
    /// # Safety
    ///
    /// As Vulkan has it.
    pub unsafe fn cmd_write_timestamp2(
        &self,
        commands: vk::CommandBuffer,
        stage: vk::PipelineStageFlags2,
        pool: vk::QueryPool,
        query: u32,
    ) {
        // SAFETY: the caller's promise.
        unsafe { (self.cmd_write_timestamp2)(commands, stage, pool, query) }
    }

    /// `vkQueueSubmit2`.
    ///
    /// # Errors
    ///
    /// What Vulkan returned.
    ///
    /// # Safety
    ///
    /// As Vulkan has it; nobody else may use the queue meanwhile.
    pub unsafe fn queue_submit2(&self, queue: vk::Queue, submits: &[vk::SubmitInfo2<'_>], fence: vk::Fence) -> VkResult<()> {
        // SAFETY: the caller's promise; Vulkan counts in 32 bits, and no slice of submissions comes near that.
        unsafe { (self.queue_submit2)(queue, submits.len() as u32, submits.as_ptr(), fence) }.result()
    }
}
