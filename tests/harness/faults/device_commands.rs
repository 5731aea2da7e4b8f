//! Calls of devices, queues and command buffers: a line each. What a compute engine has no use for is left out, and so passes unseen.

use wavelane_device::vk;

use super::ledger::{gone, made, made_many, mapped, none_made, unmapped};
use super::wrapper::{P, Wrapped};

/// The wrapper of a call in this file.
pub fn find(name: &str) -> Option<Wrapped> {
    find_fallible(name).or_else(|| find_infallible(name))
}

fallible! {
    // Memory.
    vkMapMemory(device: vk::Device, memory: vk::DeviceMemory, offset: u64, size: u64, flags: u32, out: P) => mapped(memory);
    vkMapMemory2KHR(device: vk::Device, info: *const vk::MemoryMapInfoKHR<'static>, out: P) => mapped((*info).memory);
    vkUnmapMemory2KHR(device: vk::Device, info: *const vk::MemoryUnmapInfoKHR<'static>) => unmapped((*info).memory);
    vkFlushMappedMemoryRanges(device: vk::Device, count: u32, ranges: P);
    vkInvalidateMappedMemoryRanges(device: vk::Device, count: u32, ranges: P);
    vkBindBufferMemory(device: vk::Device, buffer: vk::Buffer, memory: vk::DeviceMemory, offset: u64);
    vkBindBufferMemory2(device: vk::Device, count: u32, infos: P);
    vkBindBufferMemory2KHR(device: vk::Device, count: u32, infos: P);
    vkBindImageMemory(device: vk::Device, image: vk::Image, memory: vk::DeviceMemory, offset: u64);
    vkBindImageMemory2(device: vk::Device, count: u32, infos: P);
    vkBindImageMemory2KHR(device: vk::Device, count: u32, infos: P);
    vkGetMemoryFdKHR(device: vk::Device, info: P, out: P);
    vkGetMemoryFdPropertiesKHR(device: vk::Device, kind: u32, fd: i32, out: P);
    vkGetMemoryAndroidHardwareBufferANDROID(device: vk::Device, info: P, out: P);
    vkGetAndroidHardwareBufferPropertiesANDROID(device: vk::Device, buffer: P, out: P);

    // Buffers and images.
    vkCreateBuffer(device: vk::Device, info: P, allocator: P, out: *mut vk::Buffer) => made(out);
    vkCreateBufferView(device: vk::Device, info: P, allocator: P, out: *mut vk::BufferView) => made(out);
    vkCreateImage(device: vk::Device, info: P, allocator: P, out: *mut vk::Image) => made(out);
    vkCreateImageView(device: vk::Device, info: P, allocator: P, out: *mut vk::ImageView) => made(out);
    vkCreateSampler(device: vk::Device, info: P, allocator: P, out: *mut vk::Sampler) => made(out);

    // Pipelines and descriptors.
    vkCreateShaderModule(device: vk::Device, info: P, allocator: P, out: *mut vk::ShaderModule) => made(out);
    vkCreatePipelineCache(device: vk::Device, info: P, allocator: P, out: *mut vk::PipelineCache) => made(out);
    vkGetPipelineCacheData(device: vk::Device, cache: vk::PipelineCache, size: P, data: P);
    vkMergePipelineCaches(device: vk::Device, into: vk::PipelineCache, count: u32, caches: P);
    vkCreateComputePipelines(device: vk::Device, cache: vk::PipelineCache, count: u32, infos: P, allocator: P, out: *mut vk::Pipeline)
        => made_many(out, count), else none_made(out, count);
    vkGetPipelineExecutablePropertiesKHR(device: vk::Device, info: P, count: P, out: P);
    vkGetPipelineExecutableStatisticsKHR(device: vk::Device, info: P, count: P, out: P);
    vkGetPipelineExecutableInternalRepresentationsKHR(device: vk::Device, info: P, count: P, out: P);
    vkCreatePipelineLayout(device: vk::Device, info: P, allocator: P, out: *mut vk::PipelineLayout) => made(out);
    vkCreateDescriptorSetLayout(device: vk::Device, info: P, allocator: P, out: *mut vk::DescriptorSetLayout) => made(out);
    vkCreateDescriptorPool(device: vk::Device, info: P, allocator: P, out: *mut vk::DescriptorPool) => made(out);
    vkResetDescriptorPool(device: vk::Device, pool: vk::DescriptorPool, flags: u32);
    vkAllocateDescriptorSets(device: vk::Device, info: P, out: P);
    vkFreeDescriptorSets(device: vk::Device, pool: vk::DescriptorPool, count: u32, sets: P);
    vkCreateDescriptorUpdateTemplate(device: vk::Device, info: P, allocator: P, out: *mut vk::DescriptorUpdateTemplate) => made(out);
    vkCreateDescriptorUpdateTemplateKHR(device: vk::Device, info: P, allocator: P, out: *mut vk::DescriptorUpdateTemplate) => made(out);

    // Command buffers.
    vkCreateCommandPool(device: vk::Device, info: P, allocator: P, out: *mut vk::CommandPool) => made(out);
    vkResetCommandPool(device: vk::Device, pool: vk::CommandPool, flags: u32);
    vkAllocateCommandBuffers(device: vk::Device, info: P, out: P);
    vkBeginCommandBuffer(commands: vk::CommandBuffer, info: P);
    vkEndCommandBuffer(commands: vk::CommandBuffer);
    vkResetCommandBuffer(commands: vk::CommandBuffer, flags: u32);

    // Submission, waiting, time.
    vkQueueSubmit(queue: vk::Queue, count: u32, submits: P, fence: vk::Fence);
    vkQueueSubmit2(queue: vk::Queue, count: u32, submits: P, fence: vk::Fence);
    vkQueueSubmit2KHR(queue: vk::Queue, count: u32, submits: P, fence: vk::Fence);
    vkQueueBindSparse(queue: vk::Queue, count: u32, infos: P, fence: vk::Fence);
    vkQueueWaitIdle(queue: vk::Queue);
    vkDeviceWaitIdle(device: vk::Device);
    vkCreateFence(device: vk::Device, info: P, allocator: P, out: *mut vk::Fence) => made(out);
    vkResetFences(device: vk::Device, count: u32, fences: P);
    vkGetFenceStatus(device: vk::Device, fence: vk::Fence);
    vkWaitForFences(device: vk::Device, count: u32, fences: P, all: vk::Bool32, timeout: u64);
    vkCreateSemaphore(device: vk::Device, info: P, allocator: P, out: *mut vk::Semaphore) => made(out);
    vkGetSemaphoreCounterValue(device: vk::Device, semaphore: vk::Semaphore, out: P);
    vkGetSemaphoreCounterValueKHR(device: vk::Device, semaphore: vk::Semaphore, out: P);
    vkWaitSemaphores(device: vk::Device, info: P, timeout: u64);
    vkWaitSemaphoresKHR(device: vk::Device, info: P, timeout: u64);
    vkSignalSemaphore(device: vk::Device, info: P);
    vkSignalSemaphoreKHR(device: vk::Device, info: P);
    vkGetSemaphoreFdKHR(device: vk::Device, info: P, out: P);
    vkImportSemaphoreFdKHR(device: vk::Device, info: P);
    vkCreateEvent(device: vk::Device, info: P, allocator: P, out: *mut vk::Event) => made(out);
    vkGetEventStatus(device: vk::Device, event: vk::Event);
    vkSetEvent(device: vk::Device, event: vk::Event);
    vkResetEvent(device: vk::Device, event: vk::Event);
    vkCreateQueryPool(device: vk::Device, info: P, allocator: P, out: *mut vk::QueryPool) => made(out);
    vkGetQueryPoolResults(device: vk::Device, pool: vk::QueryPool, first: u32, count: u32, size: usize, data: P, stride: u64, flags: u32);
    vkGetCalibratedTimestampsKHR(device: vk::Device, count: u32, infos: P, stamps: P, deviation: P);
    vkGetCalibratedTimestampsEXT(device: vk::Device, count: u32, infos: P, stamps: P, deviation: P);

    // Names.
    vkSetDebugUtilsObjectNameEXT(device: vk::Device, info: P);
    vkSetDebugUtilsObjectTagEXT(device: vk::Device, info: P);
}

infallible! {
    vkUnmapMemory(device: vk::Device, memory: vk::DeviceMemory) => unmapped(memory);
    vkDestroyBuffer(device: vk::Device, handle: vk::Buffer, allocator: P) => gone(handle);
    vkDestroyBufferView(device: vk::Device, handle: vk::BufferView, allocator: P) => gone(handle);
    vkDestroyImage(device: vk::Device, handle: vk::Image, allocator: P) => gone(handle);
    vkDestroyImageView(device: vk::Device, handle: vk::ImageView, allocator: P) => gone(handle);
    vkDestroySampler(device: vk::Device, handle: vk::Sampler, allocator: P) => gone(handle);
    vkDestroyShaderModule(device: vk::Device, handle: vk::ShaderModule, allocator: P) => gone(handle);
    vkDestroyPipelineCache(device: vk::Device, handle: vk::PipelineCache, allocator: P) => gone(handle);
    vkDestroyPipeline(device: vk::Device, handle: vk::Pipeline, allocator: P) => gone(handle);
    vkDestroyPipelineLayout(device: vk::Device, handle: vk::PipelineLayout, allocator: P) => gone(handle);
    vkDestroyDescriptorSetLayout(device: vk::Device, handle: vk::DescriptorSetLayout, allocator: P) => gone(handle);
    vkDestroyDescriptorPool(device: vk::Device, handle: vk::DescriptorPool, allocator: P) => gone(handle);
    vkDestroyDescriptorUpdateTemplate(device: vk::Device, handle: vk::DescriptorUpdateTemplate, allocator: P) => gone(handle);
    vkDestroyDescriptorUpdateTemplateKHR(device: vk::Device, handle: vk::DescriptorUpdateTemplate, allocator: P) => gone(handle);
    vkUpdateDescriptorSets(device: vk::Device, writes: u32, write: P, copies: u32, copy: P);
    vkDestroyCommandPool(device: vk::Device, handle: vk::CommandPool, allocator: P) => gone(handle);
    vkFreeCommandBuffers(device: vk::Device, pool: vk::CommandPool, count: u32, buffers: P);
    vkTrimCommandPool(device: vk::Device, pool: vk::CommandPool, flags: u32);
    vkDestroyFence(device: vk::Device, handle: vk::Fence, allocator: P) => gone(handle);
    vkDestroySemaphore(device: vk::Device, handle: vk::Semaphore, allocator: P) => gone(handle);
    vkDestroyEvent(device: vk::Device, handle: vk::Event, allocator: P) => gone(handle);
    vkDestroyQueryPool(device: vk::Device, handle: vk::QueryPool, allocator: P) => gone(handle);
    vkResetQueryPool(device: vk::Device, pool: vk::QueryPool, first: u32, count: u32);
    vkResetQueryPoolEXT(device: vk::Device, pool: vk::QueryPool, first: u32, count: u32);

    vkCmdBindPipeline(commands: vk::CommandBuffer, point: i32, pipeline: vk::Pipeline);
    vkCmdBindDescriptorSets(commands: vk::CommandBuffer, point: i32, layout: vk::PipelineLayout, first: u32, count: u32, sets: P, offsets: u32, offset: P);
    vkCmdPushDescriptorSetKHR(commands: vk::CommandBuffer, point: i32, layout: vk::PipelineLayout, set: u32, count: u32, writes: P);
    vkCmdPushConstants(commands: vk::CommandBuffer, layout: vk::PipelineLayout, stages: u32, offset: u32, size: u32, values: P);
    vkCmdDispatch(commands: vk::CommandBuffer, x: u32, y: u32, z: u32);
    vkCmdDispatchBase(commands: vk::CommandBuffer, base_x: u32, base_y: u32, base_z: u32, x: u32, y: u32, z: u32);
    vkCmdDispatchIndirect(commands: vk::CommandBuffer, buffer: vk::Buffer, offset: u64);
    vkCmdFillBuffer(commands: vk::CommandBuffer, buffer: vk::Buffer, offset: u64, size: u64, data: u32);
    vkCmdUpdateBuffer(commands: vk::CommandBuffer, buffer: vk::Buffer, offset: u64, size: u64, data: P);
    vkCmdCopyBuffer(commands: vk::CommandBuffer, from: vk::Buffer, to: vk::Buffer, count: u32, regions: P);
    vkCmdCopyImage(commands: vk::CommandBuffer, from: vk::Image, layout: i32, to: vk::Image, to_layout: i32, count: u32, regions: P);
    vkCmdCopyBufferToImage(commands: vk::CommandBuffer, from: vk::Buffer, to: vk::Image, layout: i32, count: u32, regions: P);
    vkCmdCopyImageToBuffer(commands: vk::CommandBuffer, from: vk::Image, layout: i32, to: vk::Buffer, count: u32, regions: P);
    vkCmdClearColorImage(commands: vk::CommandBuffer, image: vk::Image, layout: i32, color: P, count: u32, ranges: P);
    vkCmdPipelineBarrier(
        commands: vk::CommandBuffer, from: u32, to: u32, flags: u32, memory: u32, memories: P, buffer: u32, buffers: P, image: u32, images: P);
    vkCmdPipelineBarrier2(commands: vk::CommandBuffer, info: P);
    vkCmdPipelineBarrier2KHR(commands: vk::CommandBuffer, info: P);
    vkCmdResetQueryPool(commands: vk::CommandBuffer, pool: vk::QueryPool, first: u32, count: u32);
    vkCmdWriteTimestamp(commands: vk::CommandBuffer, stage: u32, pool: vk::QueryPool, query: u32);
    vkCmdWriteTimestamp2(commands: vk::CommandBuffer, stage: u64, pool: vk::QueryPool, query: u32);
    vkCmdWriteTimestamp2KHR(commands: vk::CommandBuffer, stage: u64, pool: vk::QueryPool, query: u32);
    vkCmdCopyQueryPoolResults(
        commands: vk::CommandBuffer, pool: vk::QueryPool, first: u32, count: u32, to: vk::Buffer, offset: u64, stride: u64, flags: u32);
    vkCmdExecuteCommands(commands: vk::CommandBuffer, count: u32, buffers: P);
    vkCmdSetEvent(commands: vk::CommandBuffer, event: vk::Event, stages: u32);
    vkCmdResetEvent(commands: vk::CommandBuffer, event: vk::Event, stages: u32);
    vkCmdBeginDebugUtilsLabelEXT(commands: vk::CommandBuffer, label: P);
    vkCmdEndDebugUtilsLabelEXT(commands: vk::CommandBuffer);
    vkCmdInsertDebugUtilsLabelEXT(commands: vk::CommandBuffer, label: P);
    vkQueueBeginDebugUtilsLabelEXT(queue: vk::Queue, label: P);
    vkQueueEndDebugUtilsLabelEXT(queue: vk::Queue);
}
