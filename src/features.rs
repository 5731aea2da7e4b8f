//! What a shader module asks of a device.

use wavelane_device::Capabilities;

/// The Vulkan feature that a module with these SPIR-V capabilities needs and the device lacks, if there is one. What the paths need is
/// judged in [`crate::select`], which has other paths to offer.
pub(crate) fn missing_feature(module: &[&str], device: &Capabilities) -> Option<&'static str> {
    let features = &device.features;
    let needed = [
        ("Int64", "shaderInt64", features.shader_int64),
        ("Float64", "shaderFloat64", features.shader_float64),
        ("Int16", "shaderInt16", features.shader_int16),
        ("Int8", "shaderInt8", features.shader_int8),
        ("Float16", "shaderFloat16", features.shader_float16),
        ("StorageBuffer16BitAccess", "storageBuffer16BitAccess", features.storage_buffer_16bit),
        ("StorageBuffer8BitAccess", "storageBuffer8BitAccess", features.storage_buffer_8bit),
    ];
    needed.into_iter().find(|(capability, _, present)| !present && module.contains(capability)).map(|(_, feature, _)| feature)
}
