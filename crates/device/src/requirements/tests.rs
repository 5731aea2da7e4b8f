use super::*;
use crate::{Error, Profile};

#[test]
fn what_is_known_is_described_and_named_once() {
    let known = Requirements::known();
    for (index, requirement) in known.list.iter().enumerate() {
        assert!(!requirement.buys.is_empty() && !requirement.buys.ends_with('.') && !requirement.buys.contains('\n'), "{requirement:?}");
        assert!(known.list[..index].iter().all(|other| other.name != requirement.name), "{requirement:?}");
    }
    let needed: Vec<_> = known.iter().filter(|requirement| requirement.needed).map(|requirement| requirement.name).collect();
    assert_eq!(needed, ["Vulkan 1.1", "VK_QUEUE_COMPUTE_BIT", "VK_KHR_portability_subset"]);
    assert!(known.iter().all(|requirement| requirement.name != "robustBufferAccess"), "this is better left off");
    assert_eq!(known.instance_extensions(), [ash::ext::debug_utils::NAME]);
}

#[test]
fn a_device_is_asked_for_what_it_has() -> Result<(), Error> {
    let mut capabilities = Profile::named("nvidia-h200")?.capabilities;
    capabilities.features.cooperative_matrix = true;
    let listed = [ash::khr::push_descriptor::NAME, ash::khr::cooperative_matrix::NAME, ash::khr::timeline_semaphore::NAME];
    let requirements = Requirements::narrowed(&capabilities, &Extensions::enabled(&listed, Version::new(1, 3, 0)));
    let find = |name: &str| requirements.iter().find(|requirement| requirement.name == name);
    assert!(find("timelineSemaphore").is_some_and(|found| found.extension.is_none()), "Vulkan 1.2 has it without the extension");
    assert!(find("cooperativeMatrix").is_some_and(|found| found.extension == Some(ash::khr::cooperative_matrix::NAME)));
    assert!(find("VK_KHR_push_descriptor").is_some());
    assert!(find("VK_KHR_portability_subset").is_none());
    assert!(requirements.extensions().contains(&ash::khr::cooperative_matrix::NAME));
    assert!(!requirements.extensions().contains(&ash::khr::timeline_semaphore::NAME));
    assert!(requirements.features().names().contains(&"timelineSemaphore"));

    // An instance for Vulkan 1.1 on the same device.
    let requirements = Requirements::narrowed(&capabilities, &Extensions::enabled(&listed, Version::new(1, 1, 0)));
    assert!(requirements.extensions().contains(&ash::khr::timeline_semaphore::NAME));

    let least = Requirements::narrowed(&Capabilities::default(), &Extensions::enabled(&[], Version::new(1, 1, 0)));
    assert!(least.extensions().is_empty() && least.features().is_empty(), "{least}");
    Ok(())
}

#[test]
fn what_is_left_out_is_not_asked_for() {
    let mut requirements = Requirements::known();
    requirements.retain(|requirement| requirement.name == "shaderInt64");
    assert_eq!(requirements.features().names(), ["shaderInt64"]);
    assert!(requirements.iter().any(|requirement| requirement.name == "Vulkan 1.1"), "what is needed stays");
    assert_eq!(requirements.extensions(), [ash::khr::portability_subset::NAME]);
}

#[test]
fn the_table_has_a_line_for_each() {
    let mut requirements = Requirements::known();
    requirements.retain(|requirement| ["timelineSemaphore", "VK_EXT_memory_budget", "shaderInt64"].contains(&requirement.name));
    requirements.list.retain(|requirement| requirement.name != "VK_KHR_portability_subset");
    assert_eq!(
        requirements.to_string(),
        "needed    Vulkan 1.1            instance and device                      subgroup operations, and modules of SPIR-V 1.3, which all kernels are\n\
         needed    VK_QUEUE_COMPUTE_BIT  queue                                    a queue of such a family is what dispatches are submitted to\n\
         optional  shaderInt64           Vulkan 1.1                               kernels on 64-bit integers\n\
         optional  timelineSemaphore     VK_KHR_timeline_semaphore or Vulkan 1.2  one semaphore a queue instead of a fence a submission, and more than one queue\n\
         optional  VK_EXT_memory_budget  device extension                         how much memory is left beside other programs\n"
    );
}
