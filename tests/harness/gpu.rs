//! The driver's device, always under validation.

use std::sync::Arc;

use libtest_mimic::Failed;
use wavelane_device::{Device, DeviceChoice, DeviceOptions, Error, Instance, InstanceOptions, Profile, Validation, choose};

/// An instance with core and synchronization validation.
pub fn instance() -> Result<Arc<Instance>, Failed> {
    let options = InstanceOptions { application_name: "wavelane tests".to_owned(), validation: Validation::On };
    Instance::new(&options).map_err(with_advice)
}

/// The driver's device, narrowed to a profile if one is given.
pub fn device(profile: Option<Profile>) -> Result<Arc<Device>, Failed> {
    let adapters = instance()?.adapters().map_err(with_advice)?;
    let adapter = choose(&adapters, &DeviceChoice::Best)?;
    Device::new(adapter, &DeviceOptions { profile, ..DeviceOptions::default() }).map_err(with_advice)
}

/// Fails a case with `reason` unless `condition` holds.
pub fn ensure(condition: bool, reason: impl FnOnce() -> String) -> Result<(), Failed> {
    if condition { Ok(()) } else { Err(reason().into()) }
}

fn with_advice(error: Error) -> Failed {
    format!("{error}; {}", error.advice()).into()
}
