//! The driver's device, always under validation.

use std::sync::Arc;

use libtest_mimic::Failed;
use wavelane_device::{
    Capabilities, Device, DeviceChoice, DeviceOptions, Error, Instance, InstanceOptions, Profile, Quirk, QuirkEffect, SubgroupOperations,
    Validation, choose,
};

use super::Case;

/// Makes every split reduction take a second dispatch.
pub static FORBIDS: Quirk = Quirk {
    id: "forbids-last-arrival",
    vendor_id: None,
    device_name_contains: &[],
    driver_id: None,
    driver_versions: None,
    without_size_control: false,
    effect: QuirkEffect::ForbidLastWorkgroupDone,
    summary: "made up by a test",
    link: "",
};

/// An instance with core and synchronization validation.
pub fn instance() -> Result<Arc<Instance>, Failed> {
    let options = InstanceOptions { application_name: "wavelane tests".to_owned(), validation: Validation::On };
    Instance::new(&options).map_err(with_advice)
}

/// The driver's device, narrowed to a profile if one is given.
pub fn device(profile: Option<Profile>) -> Result<Arc<Device>, Failed> {
    device_with(&DeviceOptions { profile, ..DeviceOptions::default() })
}

/// The driver's device, made as these options say.
pub fn device_with(options: &DeviceOptions) -> Result<Arc<Device>, Failed> {
    let adapters = instance()?.adapters().map_err(with_advice)?;
    let adapter = choose(&adapters, &DeviceChoice::Best)?;
    Device::new(adapter, options).map_err(with_advice)
}

/// The driver's device with a limit lowered.
pub fn lowered(lower: impl FnOnce(&mut Capabilities)) -> Result<Profile, Failed> {
    let mut capabilities = device(None)?.capabilities().clone();
    lower(&mut capabilities);
    Ok(Profile { name: "narrow".into(), source: "a limit lowered by a test".into(), capabilities })
}

/// A case for each thing that some device has less of than the drivers of processors: the least shared memory, the smallest workgroups, no subgroup operations, and subgroups of one.
/// The profile `minimal` has all of that at once.
pub fn restricted(run: fn(Profile) -> Result<(), Failed>) -> Vec<Case> {
    type Lower = fn(&mut Capabilities);
    let restrictions: [(&str, Lower); 4] = [
        ("shared_memory_of_16_kib", |capabilities| capabilities.limits.max_compute_shared_memory_size = 16 << 10),
        ("128_invocations", |capabilities| {
            capabilities.limits.max_compute_work_group_invocations = 128;
            capabilities.limits.max_compute_work_group_size = [128, 128, 64];
        }),
        ("no_subgroup_operations", |capabilities| capabilities.subgroup.operations = SubgroupOperations::BASIC),
        ("subgroups_of_1", |capabilities| {
            let subgroup = &mut capabilities.subgroup;
            (subgroup.size, subgroup.min_size, subgroup.max_size) = (1, 1, 1);
        }),
    ];
    let case = |(name, lower): (&str, Lower)| Case::new(format!("restricted::{name}"), move |_| run(lowered(lower)?)).narrowed();
    restrictions.into_iter().map(case).collect()
}

/// The driver's device with workgroups so small that every size of an array from one tile of a workgroup to two can be tried.
pub fn with_small_tiles() -> Result<Profile, Failed> {
    lowered(|capabilities| capabilities.limits.max_compute_work_group_invocations = 8)
}

/// The driver's device and how many bytes its descriptors reach, for what is longer: where they reach beyond 128 MiB, lavapipe's reach, they are narrowed to 16 MiB, as software
/// drivers take long over more.
pub fn short_descriptors() -> Result<(Profile, usize), Failed> {
    let mut reach = 0;
    let profile = lowered(|capabilities| {
        let range = &mut capabilities.limits.max_storage_buffer_range;
        if *range > 128 << 20 {
            *range = 16 << 20;
        }
        reach = *range as usize;
    })?;
    Ok((profile, reach))
}

/// Fails a case with `reason` unless `condition` holds.
pub fn ensure(condition: bool, reason: impl FnOnce() -> String) -> Result<(), Failed> {
    if condition { Ok(()) } else { Err(reason().into()) }
}

fn with_advice(error: Error) -> Failed {
    format!("{error}; {}", error.advice()).into()
}
