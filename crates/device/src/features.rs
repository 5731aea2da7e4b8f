//! Between Vulkan's many feature structures and the one plain [`Features`]: the same chain serves to ask a device and to make one.

use ash::vk;

use crate::extensions::Extensions;
use crate::{Features, Subgroup};

/// Every feature structure this crate knows.
#[derive(Default)]
pub(crate) struct FeatureChain {
    pub(crate) core: vk::PhysicalDeviceFeatures,
    storage_16: vk::PhysicalDevice16BitStorageFeatures<'static>,
    storage_8: vk::PhysicalDevice8BitStorageFeatures<'static>,
    float16_int8: vk::PhysicalDeviceShaderFloat16Int8Features<'static>,
    int64_atomics: vk::PhysicalDeviceShaderAtomicInt64Features<'static>,
    float_atomics: vk::PhysicalDeviceShaderAtomicFloatFeaturesEXT<'static>,
    device_address: vk::PhysicalDeviceBufferDeviceAddressFeatures<'static>,
    memory_model: vk::PhysicalDeviceVulkanMemoryModelFeatures<'static>,
    timeline: vk::PhysicalDeviceTimelineSemaphoreFeatures<'static>,
    synchronization2: vk::PhysicalDeviceSynchronization2Features<'static>,
    size_control: vk::PhysicalDeviceSubgroupSizeControlFeatures<'static>,
    extended_types: vk::PhysicalDeviceShaderSubgroupExtendedTypesFeatures<'static>,
    rotate: vk::PhysicalDeviceShaderSubgroupRotateFeaturesKHR<'static>,
    cooperative_matrix: vk::PhysicalDeviceCooperativeMatrixFeaturesKHR<'static>,
    dot_product: vk::PhysicalDeviceShaderIntegerDotProductFeatures<'static>,
    executable: vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR<'static>,
    host_query_reset: vk::PhysicalDeviceHostQueryResetFeatures<'static>,
}

impl FeatureChain {
    /// The chain of those structures that the device knows.
    pub(crate) fn chain<'a>(&'a mut self, extensions: &Extensions) -> vk::PhysicalDeviceFeatures2<'a> {
        let mut chain = vk::PhysicalDeviceFeatures2::default().features(self.core).push_next(&mut self.storage_16);
        if extensions.usable(ash::khr::_8bit_storage::NAME, 2) {
            chain = chain.push_next(&mut self.storage_8);
        }
        if extensions.usable(ash::khr::shader_float16_int8::NAME, 2) {
            chain = chain.push_next(&mut self.float16_int8);
        }
        if extensions.usable(ash::khr::shader_atomic_int64::NAME, 2) {
            chain = chain.push_next(&mut self.int64_atomics);
        }
        if extensions.listed(ash::ext::shader_atomic_float::NAME) {
            chain = chain.push_next(&mut self.float_atomics);
        }
        if extensions.usable(ash::khr::buffer_device_address::NAME, 2) {
            chain = chain.push_next(&mut self.device_address);
        }
        if extensions.usable(ash::khr::vulkan_memory_model::NAME, 2) {
            chain = chain.push_next(&mut self.memory_model);
        }
        if extensions.usable(ash::khr::timeline_semaphore::NAME, 2) {
            chain = chain.push_next(&mut self.timeline);
        }
        // Its functions are loaded by the extension's names, so the core version alone is not enough.
        if extensions.listed(ash::khr::synchronization2::NAME) {
            chain = chain.push_next(&mut self.synchronization2);
        }
        if extensions.usable(ash::ext::subgroup_size_control::NAME, 3) {
            chain = chain.push_next(&mut self.size_control);
        }
        if extensions.usable(ash::khr::shader_subgroup_extended_types::NAME, 2) {
            chain = chain.push_next(&mut self.extended_types);
        }
        if extensions.listed(ash::khr::shader_subgroup_rotate::NAME) {
            chain = chain.push_next(&mut self.rotate);
        }
        if extensions.listed(ash::khr::cooperative_matrix::NAME) {
            chain = chain.push_next(&mut self.cooperative_matrix);
        }
        if extensions.usable(ash::khr::shader_integer_dot_product::NAME, 3) {
            chain = chain.push_next(&mut self.dot_product);
        }
        if extensions.listed(ash::khr::pipeline_executable_properties::NAME) {
            chain = chain.push_next(&mut self.executable);
        }
        if extensions.usable(ash::ext::host_query_reset::NAME, 2) {
            chain = chain.push_next(&mut self.host_query_reset);
        }
        chain
    }

    /// What the structures say, as plain data. Extensions without a feature structure are looked up by name.
    pub(crate) fn features(&self, extensions: &Extensions) -> Features {
        let core = &self.core;
        let on = |value: vk::Bool32| value == vk::TRUE;
        Features {
            shader_float16: on(self.float16_int8.shader_float16),
            shader_float64: on(core.shader_float64),
            shader_int8: on(self.float16_int8.shader_int8),
            shader_int16: on(core.shader_int16),
            shader_int64: on(core.shader_int64),
            storage_buffer_8bit: on(self.storage_8.storage_buffer8_bit_access),
            uniform_and_storage_buffer_8bit: on(self.storage_8.uniform_and_storage_buffer8_bit_access),
            storage_buffer_16bit: on(self.storage_16.storage_buffer16_bit_access),
            uniform_and_storage_buffer_16bit: on(self.storage_16.uniform_and_storage_buffer16_bit_access),
            buffer_int64_atomics: on(self.int64_atomics.shader_buffer_int64_atomics),
            shared_int64_atomics: on(self.int64_atomics.shader_shared_int64_atomics),
            buffer_float32_atomics: on(self.float_atomics.shader_buffer_float32_atomics),
            buffer_float32_atomic_add: on(self.float_atomics.shader_buffer_float32_atomic_add),
            shared_float32_atomic_add: on(self.float_atomics.shader_shared_float32_atomic_add),
            buffer_float64_atomic_add: on(self.float_atomics.shader_buffer_float64_atomic_add),
            buffer_device_address: on(self.device_address.buffer_device_address),
            vulkan_memory_model: on(self.memory_model.vulkan_memory_model),
            vulkan_memory_model_device_scope: on(self.memory_model.vulkan_memory_model_device_scope),
            timeline_semaphore: on(self.timeline.timeline_semaphore),
            synchronization2: on(self.synchronization2.synchronization2),
            cooperative_matrix: on(self.cooperative_matrix.cooperative_matrix),
            integer_dot_product: on(self.dot_product.shader_integer_dot_product),
            pipeline_executable_statistics: on(self.executable.pipeline_executable_info),
            push_descriptor: extensions.listed(ash::khr::push_descriptor::NAME),
            host_query_reset: on(self.host_query_reset.host_query_reset),
            robust_buffer_access: on(core.robust_buffer_access),
            memory_budget: extensions.listed(ash::ext::memory_budget::NAME),
            external_memory_host: extensions.listed(ash::ext::external_memory_host::NAME),
        }
    }

    /// The subgroup features among the structures: size control, full subgroups, extended types.
    pub(crate) fn subgroup_features(&self) -> (bool, bool, bool) {
        (
            self.size_control.subgroup_size_control == vk::TRUE,
            self.size_control.compute_full_subgroups == vk::TRUE,
            self.extended_types.shader_subgroup_extended_types == vk::TRUE,
        )
    }

    /// Whether lanes can be rotated, and rotated within clusters.
    pub(crate) fn rotate(&self) -> (bool, bool) {
        (self.rotate.shader_subgroup_rotate == vk::TRUE, self.rotate.shader_subgroup_rotate_clustered == vk::TRUE)
    }

    /// The structures that turn exactly these features on.
    pub(crate) fn enabling(features: &Features, subgroup: &Subgroup) -> Self {
        use crate::SubgroupOperations as Operations;
        let mut chain = Self::default();
        let on = vk::Bool32::from;
        chain.core.shader_float64 = on(features.shader_float64);
        chain.core.shader_int16 = on(features.shader_int16);
        chain.core.shader_int64 = on(features.shader_int64);
        chain.core.robust_buffer_access = on(features.robust_buffer_access);
        chain.float16_int8.shader_float16 = on(features.shader_float16);
        chain.float16_int8.shader_int8 = on(features.shader_int8);
        chain.storage_8.storage_buffer8_bit_access = on(features.storage_buffer_8bit);
        chain.storage_8.uniform_and_storage_buffer8_bit_access = on(features.uniform_and_storage_buffer_8bit);
        chain.storage_16.storage_buffer16_bit_access = on(features.storage_buffer_16bit);
        chain.storage_16.uniform_and_storage_buffer16_bit_access = on(features.uniform_and_storage_buffer_16bit);
        chain.int64_atomics.shader_buffer_int64_atomics = on(features.buffer_int64_atomics);
        chain.int64_atomics.shader_shared_int64_atomics = on(features.shared_int64_atomics);
        chain.float_atomics.shader_buffer_float32_atomics = on(features.buffer_float32_atomics);
        chain.float_atomics.shader_buffer_float32_atomic_add = on(features.buffer_float32_atomic_add);
        chain.float_atomics.shader_shared_float32_atomic_add = on(features.shared_float32_atomic_add);
        chain.float_atomics.shader_buffer_float64_atomic_add = on(features.buffer_float64_atomic_add);
        chain.device_address.buffer_device_address = on(features.buffer_device_address);
        chain.memory_model.vulkan_memory_model = on(features.vulkan_memory_model);
        chain.memory_model.vulkan_memory_model_device_scope = on(features.vulkan_memory_model_device_scope);
        chain.timeline.timeline_semaphore = on(features.timeline_semaphore);
        chain.synchronization2.synchronization2 = on(features.synchronization2);
        chain.cooperative_matrix.cooperative_matrix = on(features.cooperative_matrix);
        chain.dot_product.shader_integer_dot_product = on(features.integer_dot_product);
        chain.executable.pipeline_executable_info = on(features.pipeline_executable_statistics);
        chain.host_query_reset.host_query_reset = on(features.host_query_reset);
        chain.size_control.subgroup_size_control = on(subgroup.size_control);
        chain.size_control.compute_full_subgroups = on(subgroup.full_subgroups);
        chain.extended_types.shader_subgroup_extended_types = on(subgroup.extended_types);
        chain.rotate.shader_subgroup_rotate = on(subgroup.operations.contains(Operations::ROTATE));
        chain.rotate.shader_subgroup_rotate_clustered = on(subgroup.operations.contains(Operations::ROTATE_CLUSTERED));
        chain
    }
}
