//! The device that is measured.

use std::sync::Arc;

use anyhow::{Result, anyhow};
use wavelane_device::{Adapter, Device, DeviceChoice, DeviceOptions, Error, Instance, InstanceOptions, Profile, choose};

/// The adapter asked for, without validation: a layer would cost more than what is measured.
pub fn adapter(device: Option<&str>) -> Result<Adapter> {
    let options = InstanceOptions { application_name: "wavelane-bench".to_owned(), ..InstanceOptions::default() };
    let adapters = Instance::new(&options).and_then(|instance| instance.adapters()).map_err(with_advice)?;
    // Digits are an index, everything else is a part of a name: there is nothing that cannot be parsed.
    let choice = device.map_or_else(DeviceChoice::from_env, |text| text.parse().unwrap_or_default());
    Ok(choose(&adapters, &choice).map_err(with_advice)?.clone())
}

/// A device of the adapter, narrowed to a profile if one is given.
pub fn device(adapter: &Adapter, profile: Option<&str>) -> Result<Arc<Device>> {
    let profile = profile.map(Profile::named).transpose().map_err(with_advice)?;
    Device::new(adapter, &DeviceOptions { profile, ..DeviceOptions::default() }).map_err(with_advice)
}

fn with_advice(error: Error) -> anyhow::Error {
    anyhow!("{error}\nhelp: {}", error.advice())
}
