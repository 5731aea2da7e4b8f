//! The driver's device, always under validation.

use std::sync::Arc;

use libtest_mimic::Failed;
use wavelane_device::{
    Capabilities, Device, DeviceChoice, DeviceOptions, Error, Instance, InstanceOptions, Profile, Quirk, QuirkEffect, Validation, choose,
};

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
