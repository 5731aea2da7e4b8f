//! From the global options to instance, device and profile, and from their errors to messages.

use wavelane::device::{DeviceChoice, Error, InstanceOptions, Profile, Validation, ValidationMessage};

use crate::arguments::Global;
use crate::report::Failure;

pub fn choice(global: &Global) -> DeviceChoice {
    match &global.device {
        // Digits are an index, everything else is a part of a name: there is nothing that cannot be parsed.
        Some(text) => text.parse().unwrap_or_default(),
        None => DeviceChoice::from_env(),
    }
}

pub fn instance_options(global: &Global) -> InstanceOptions {
    InstanceOptions { validation: validation(global), ..InstanceOptions::default() }
}

pub fn validation(global: &Global) -> Validation {
    if global.validate { Validation::On } else { Validation::Off }
}

/// The profile asked for: by its name, or by the path of a JSON file. A wrong one is wrong usage, whatever the device.
pub fn profile(global: &Global) -> Result<Option<Profile>, Failure> {
    let wrong = |error: Error| Failure::usage(error.to_string(), error.advice());
    global.profile.as_deref().map(Profile::named).transpose().map_err(wrong)
}

/// An error of the device layer, as a failure.
pub fn failure(error: Error) -> Failure {
    Failure::new(error.to_string(), error.advice())
}

/// With `--validate`, any message is a failure. The messages themselves have gone to the log.
pub fn check_validation(messages: &[ValidationMessage]) -> Result<(), Failure> {
    match messages {
        [] => Ok(()),
        [first, rest @ ..] => {
            let more = if rest.is_empty() { String::new() } else { format!(" (and {} more)", rest.len()) };
            Err(Failure::new(
                format!("the validation layer reports: {first}{more}"),
                "this is a fault of Wavelane or of a driver: please report it with the output of `wavelane info --json`".to_owned(),
            ))
        }
    }
}
