use ash::vk;

use super::rows::ROWS;
use super::*;
use crate::Version;

fn every_extension(core: Version) -> Extensions {
    let names: Vec<&CStr> = ROWS.iter().filter_map(|row| row.extension).collect();
    Extensions::enabled(&names, core)
}

fn everything() -> Switches {
    let mut all = Switches::default();
    for row in ROWS {
        *(row.switch)(&mut all) = true;
    }
    all
}

fn named(names: &[&str]) -> Switches {
    let mut some = Switches::default();
    for row in ROWS.iter().filter(|row| names.contains(&row.name)) {
        *(row.switch)(&mut some) = true;
    }
    some
}

/// What a device made with this `info` has enabled.
fn enabled(info: &vk::DeviceCreateInfo<'_>, extensions: &Extensions) -> Switches {
    // SAFETY: the chain was made by `push_on` and `push_next`.
    unsafe { Switches::read(info.p_next, extensions) }
}

fn kinds(info: &vk::DeviceCreateInfo<'_>) -> Vec<vk::StructureType> {
    let mut kinds = Vec::new();
    let mut at = info.p_next.cast::<vk::BaseInStructure<'_>>();
    // SAFETY: the chain was made by `push_on` and `push_next`.
    while let Some(structure) = unsafe { at.as_ref() } {
        kinds.push(structure.s_type);
        at = structure.p_next;
    }
    kinds
}

#[test]
fn each_feature_comes_back_from_the_structures_that_turn_it_on() {
    let extensions = every_extension(Version::new(1, 1, 0));
    let only_structures = Extensions::enabled(&[], Version::new(1, 4, 0));
    for row in ROWS.iter().filter(|row| row.bit.is_some()) {
        let mut wanted = named(&[row.name]);
        let mut chain = FeatureChain::enabling(&wanted);
        assert_eq!(chain.names(), [row.name]);
        let info = chain.push_on(vk::DeviceCreateInfo::default());
        assert_eq!(kinds(&info).len(), 1, "{}: structures without a feature are left out", row.name);
        let mut found = enabled(&info, &extensions);
        // Those that are known by their extension alone.
        for bare in ROWS.iter().filter(|row| row.bit.is_none()) {
            assert!(*(bare.switch)(&mut found), "{}", bare.name);
            *(bare.switch)(&mut found) = false;
        }
        assert_eq!(found, wanted, "{}", row.name);
        // Without the extension it counts where the core version has it.
        let mut found = enabled(&info, &only_structures);
        assert_eq!(*(row.switch)(&mut found), row.extension.is_none() || row.core.is_some(), "{}", row.name);
        assert!(*(row.switch)(&mut wanted));
    }
}

#[test]
fn a_feature_whose_extension_is_not_enabled_is_off() {
    let mut chain = FeatureChain::enabling(&everything());
    let info = chain.push_on(vk::DeviceCreateInfo::default());
    let found = enabled(&info, &Extensions::enabled(&[], Version::new(1, 1, 0)));
    let core = ["shaderFloat64", "shaderInt16", "shaderInt64", "robustBufferAccess", "storageBuffer16BitAccess"];
    assert_eq!(found, named(&[&core[..], &["uniformAndStorageBuffer16BitAccess"]].concat()));
}

#[test]
fn a_chain_is_used_again_after_being_moved() {
    let mut chain = FeatureChain::enabling(&named(&["timelineSemaphore", "shaderInt64"]));
    let first = kinds(&chain.push_on(vk::DeviceCreateInfo::default()));
    let mut moved = Box::new(chain);
    let mut mine = vk::PhysicalDeviceMultiviewFeatures::default();
    let info = moved.push_on(vk::DeviceCreateInfo::default().push_next(&mut mine));
    assert_eq!(
        kinds(&info),
        [first, vec![vk::StructureType::PHYSICAL_DEVICE_MULTIVIEW_FEATURES]].concat(),
        "and what was there stays behind it"
    );
}

#[test]
fn enabled_features_by_pointer_get_no_second_structure() {
    let core = vk::PhysicalDeviceFeatures::default();
    let mut chain = FeatureChain::enabling(&named(&["shaderInt64", "timelineSemaphore"]));
    assert_eq!(chain.core_features().shader_int64, vk::TRUE);
    let info = chain.push_on(vk::DeviceCreateInfo::default().enabled_features(&core));
    assert_eq!(kinds(&info), [vk::StructureType::PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES]);
}

#[test]
fn features_go_into_the_structures_that_a_chain_has() {
    let extensions = every_extension(Version::new(1, 3, 0));
    let mut eleven = vk::PhysicalDeviceVulkan11Features::default();
    let mut twelve = vk::PhysicalDeviceVulkan12Features::default().draw_indirect_count(true);
    let mut synchronization2 = vk::PhysicalDeviceSynchronization2Features::default();
    let mut features = vk::PhysicalDeviceFeatures2::default()
        .features(vk::PhysicalDeviceFeatures::default().geometry_shader(true))
        .push_next(&mut eleven)
        .push_next(&mut twelve)
        .push_next(&mut synchronization2);
    // SAFETY: the chain was made by `push_next`.
    let mut rest = unsafe { FeatureChain::enabling(&everything()).merge_into(&mut features) };
    let left = [
        "shaderBufferFloat32Atomics",
        "shaderBufferFloat32AtomicAdd",
        "shaderSharedFloat32AtomicAdd",
        "shaderBufferFloat64AtomicAdd",
        "cooperativeMatrix",
        "shaderIntegerDotProduct",
        "pipelineExecutableInfo",
        "subgroupSizeControl",
        "computeFullSubgroups",
        "shaderSubgroupRotate",
        "shaderSubgroupRotateClustered",
    ];
    assert_eq!(rest.names(), left);
    let info = rest.push_on(vk::DeviceCreateInfo::default().push_next(&mut features));
    let mut found = kinds(&info);
    let (count, structures) = (found.len(), 4 + 6);
    found.sort_unstable();
    found.dedup();
    assert_eq!((found.len(), count), (structures, structures), "no kind is there twice: {found:?}");
    assert_eq!(enabled(&info, &extensions), everything());
    assert_eq!((features.features.shader_int64, features.features.geometry_shader), (vk::TRUE, vk::TRUE));
    assert_eq!((twelve.draw_indirect_count, twelve.timeline_semaphore, eleven.storage_buffer16_bit_access), (vk::TRUE, vk::TRUE, vk::TRUE));
    assert_eq!(synchronization2.synchronization2, vk::TRUE);
}

#[test]
fn gathering_structures_say_the_same_as_the_features_own() {
    let extensions = every_extension(Version::new(1, 3, 0));
    let mut eleven = vk::PhysicalDeviceVulkan11Features::default();
    let mut twelve = vk::PhysicalDeviceVulkan12Features::default();
    let mut thirteen = vk::PhysicalDeviceVulkan13Features::default();
    let mut gathering = vk::PhysicalDeviceFeatures2::default().push_next(&mut eleven).push_next(&mut twelve).push_next(&mut thirteen);
    // SAFETY: the chain was made by `push_next`.
    let mut rest = unsafe { FeatureChain::enabling(&everything()).merge_into(&mut gathering) };
    let gathered = enabled(&vk::DeviceCreateInfo::default().push_next(&mut gathering), &extensions);
    let own = |names: &[&str]| enabled(&FeatureChain::enabling(&named(names)).push_on(vk::DeviceCreateInfo::default()), &extensions);
    let inside: Vec<&str> = ROWS.iter().map(|row| row.name).filter(|name| !rest.names().contains(name)).collect();
    assert_eq!(gathered, own(&inside));
    assert_eq!(enabled(&rest.push_on(vk::DeviceCreateInfo::default()), &extensions), own(&rest.names()));
    // By Vulkan's own fields, too.
    let mut twelve = vk::PhysicalDeviceVulkan12Features::default().timeline_semaphore(true).shader_int8(true).host_query_reset(true);
    let found = enabled(&vk::DeviceCreateInfo::default().push_next(&mut twelve), &extensions);
    assert_eq!(found, own(&["timelineSemaphore", "shaderInt8", "hostQueryReset"]));
}

#[test]
fn narrowing_names_what_it_takes() {
    let mut switches = named(&["shaderInt64", "synchronization2"]);
    assert_eq!(switches.narrow(&named(&["synchronization2", "shaderInt8"])), ["shaderInt64"]);
    assert_eq!(switches, named(&["synchronization2"]));
}

#[test]
fn extensions_are_named_once_and_only_where_listed() {
    let device = Extensions::enabled(&[ash::khr::shader_float16_int8::NAME, ash::khr::push_descriptor::NAME], Version::new(1, 2, 0));
    let mut names = everything().extensions(&device);
    names.sort_unstable();
    assert_eq!(names, [ash::khr::push_descriptor::NAME, ash::khr::shader_float16_int8::NAME]);
    assert!(Switches::default().extensions(&every_extension(Version::new(1, 1, 0))).is_empty());
}
