//! Which results a call may fail with, and what must become of the job then.

use wavelane::device::vk::Result as R;
use wavelane::{Error, device, record};

use super::job::Ended;

/// Results that a call of this name may have.
pub fn results_of(call: &str) -> Vec<R> {
    let memory = [R::ERROR_OUT_OF_HOST_MEMORY, R::ERROR_OUT_OF_DEVICE_MEMORY];
    match call.trim_end_matches("KHR").trim_end_matches("EXT") {
        "vkEnumerateInstanceVersion" => vec![R::ERROR_OUT_OF_HOST_MEMORY],
        "vkCreateInstance" => vec![R::ERROR_OUT_OF_HOST_MEMORY, R::ERROR_INITIALIZATION_FAILED, R::ERROR_INCOMPATIBLE_DRIVER],
        "vkEnumeratePhysicalDevices" => vec![R::ERROR_OUT_OF_HOST_MEMORY, R::ERROR_INITIALIZATION_FAILED],
        "vkCreateDevice" => {
            let others = [R::ERROR_INITIALIZATION_FAILED, R::ERROR_DEVICE_LOST, R::ERROR_TOO_MANY_OBJECTS, R::ERROR_FEATURE_NOT_PRESENT];
            memory.into_iter().chain(others).collect()
        }
        "vkAllocateMemory" => memory.into_iter().chain([R::ERROR_TOO_MANY_OBJECTS]).collect(),
        "vkMapMemory" => vec![R::ERROR_MEMORY_MAP_FAILED, R::ERROR_OUT_OF_HOST_MEMORY],
        "vkCreateComputePipelines" => memory.into_iter().chain([R::ERROR_INITIALIZATION_FAILED]).collect(),
        "vkAllocateDescriptorSets" => vec![R::ERROR_FRAGMENTED_POOL, R::ERROR_OUT_OF_POOL_MEMORY],
        "vkQueueSubmit" | "vkQueueSubmit2" | "vkQueueWaitIdle" | "vkDeviceWaitIdle" | "vkGetSemaphoreCounterValue" => {
            vec![R::ERROR_OUT_OF_DEVICE_MEMORY, R::ERROR_DEVICE_LOST]
        }
        "vkWaitForFences" | "vkWaitSemaphores" => vec![R::TIMEOUT, R::ERROR_DEVICE_LOST, R::ERROR_OUT_OF_HOST_MEMORY],
        "vkGetFenceStatus" | "vkGetQueryPoolResults" => vec![R::NOT_READY, R::ERROR_DEVICE_LOST, R::ERROR_OUT_OF_HOST_MEMORY],
        _ => vec![R::ERROR_OUT_OF_HOST_MEMORY],
    }
}

/// Calls whose failure a job may survive, since its results do not hang on them: names for profilers, times, a cache, a fence used again.
const OPTIONAL: [&str; 6] = [
    "vkSetDebugUtilsObjectNameEXT",
    "vkGetQueryPoolResults",
    "vkCreatePipelineCache",
    "vkGetPipelineCacheData",
    "vkMergePipelineCaches",
    "vkResetFences",
];

/// Fails unless the job ended as a failure of this call calls for. `waited_instead`: the job waited for the queue once more than it does without a fault.
pub fn check(call: &str, result: R, ended: &Ended, waited_instead: bool) -> Result<(), String> {
    match ended {
        Ended::Wrong(what) => Err(format!("wrong results: {what}")),
        // Not ready is no failure, and may be asked again.
        Ended::Right if OPTIONAL.contains(&call) || result == R::NOT_READY => Ok(()),
        // Without timeline semaphores a fence is asked by waiting for no time, and "not yet" may be asked again. (That a wait proper which
        // runs out is told, and can be repeated, has a case of its own.)
        Ended::Right if call == "vkWaitForFences" && result == R::TIMEOUT => Ok(()),
        // What is submitted for a fence alone may be replaced by waiting.
        Ended::Right if call.starts_with("vkQueueSubmit") && waited_instead => Ok(()),
        Ended::Right => Err("no error".into()),
        Ended::Error(error) => check_error(call, result, error),
    }
}

fn check_error(call: &str, result: R, error: &Error) -> Result<(), String> {
    for line in [error.to_string(), error.advice()] {
        if line.is_empty() || line.contains('\n') {
            return Err(format!("not a line: {line:?} of {error:?}"));
        }
    }
    let exhausted = matches!(result, R::ERROR_OUT_OF_HOST_MEMORY | R::ERROR_OUT_OF_DEVICE_MEMORY | R::ERROR_TOO_MANY_OBJECTS);
    let fits = match error {
        _ if result == R::ERROR_DEVICE_LOST => error.is_device_lost(),
        _ if result == R::TIMEOUT => matches!(error, Error::Record(record::Error::Timeout { .. })),
        Error::Device(error) | Error::Record(record::Error::Device(error)) => match error {
            // Functions that went into the core keep their names but for the suffix.
            device::Error::Vulkan { call: named, result: returned } => {
                named.trim_end_matches("KHR") == call.trim_end_matches("KHR") && *returned == result
            }
            device::Error::OutOfMemory { name, size, .. } => {
                (exhausted || result == R::ERROR_MEMORY_MAP_FAILED) && !name.is_empty() && *size > 0
            }
            device::Error::NoDriver { .. } => matches!(result, R::ERROR_INITIALIZATION_FAILED | R::ERROR_INCOMPATIBLE_DRIVER),
            _ => false,
        },
        Error::Record(record::Error::PipelineRefused { pipeline, result: returned }) => !pipeline.is_empty() && *returned == result,
        _ => false,
    };
    if fits { Ok(()) } else { Err(format!("an error that does not tell of it: {error:?}")) }
}
