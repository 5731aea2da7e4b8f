//! Profiles: the capabilities of named real devices, to simulate them or to plan for them.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::Capabilities;
use crate::error::Error;

/// The profiles that come with this crate, by name.
const EMBEDDED: [(&str, &str); 10] = [
    ("adreno-610", include_str!("../profiles/adreno-610.json")),
    ("adreno-750", include_str!("../profiles/adreno-750.json")),
    ("adreno-830", include_str!("../profiles/adreno-830.json")),
    ("mali-g52", include_str!("../profiles/mali-g52.json")),
    ("mali-g610", include_str!("../profiles/mali-g610.json")),
    ("minimal", include_str!("../profiles/minimal.json")),
    ("nvidia-h200", include_str!("../profiles/nvidia-h200.json")),
    ("powervr-ge8320", include_str!("../profiles/powervr-ge8320.json")),
    ("swiftshader", include_str!("../profiles/swiftshader.json")),
    ("v3d-7.1", include_str!("../profiles/v3d-7.1.json")),
];

/// The capabilities of a named device, to narrow another device to ([`Capabilities::restrict`]) or to plan for without any device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// The profile's name.
    pub name: String,
    /// Where the figures come from.
    pub source: String,
    /// The figures.
    pub capabilities: Capabilities,
}

impl Profile {
    /// A profile that comes with this crate, by its name; or one in a file, by a path that ends in `.json`.
    ///
    /// # Errors
    ///
    /// [`Error::ProfileUnknown`] lists the names; [`Error::ProfileInvalid`] where a file cannot be read or understood.
    pub fn named(name: &str) -> Result<Self, Error> {
        if let Some((_, text)) = EMBEDDED.iter().find(|(known, _)| *known == name) {
            return parse(name, text);
        }
        let path = Path::new(name);
        if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json")) {
            let invalid = |cause: std::io::Error| Error::ProfileInvalid { origin: name.to_owned(), cause: cause.to_string() };
            return parse(name, &fs::read_to_string(path).map_err(invalid)?);
        }
        Err(Error::ProfileUnknown { name: name.to_owned(), known: Self::names() })
    }

    /// Names of the profiles that come with this crate.
    pub fn names() -> Vec<&'static str> {
        EMBEDDED.iter().map(|&(name, _)| name).collect()
    }

    /// A profile from JSON: either a profile, or bare capabilities, which then have the device's name.
    ///
    /// # Errors
    ///
    /// [`Error::ProfileInvalid`].
    pub fn from_json(text: &str) -> Result<Self, Error> {
        parse("given", text)
    }
}

fn parse(origin: &str, text: &str) -> Result<Profile, Error> {
    let invalid = |cause: serde_json::Error| Error::ProfileInvalid { origin: origin.to_owned(), cause: cause.to_string() };
    let value: serde_json::Value = serde_json::from_str(text).map_err(invalid)?;
    // Every field of capabilities has a default: without a telling field, anything at all would pass for the least device.
    if value.get("limits").is_some() && value.get("subgroup").is_some() {
        let capabilities: Capabilities = serde_json::from_value(value).map_err(invalid)?;
        let name = capabilities.device_name.clone();
        return Ok(Profile { name, source: origin.to_owned(), capabilities });
    }
    // From the text again, for an error that names line and column.
    serde_json::from_str(text).map_err(invalid)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    /// Every field that is in `written` but not in `read`, by its path.
    fn unknown_fields(written: &Value, read: &Value, path: &str) -> Vec<String> {
        let Value::Object(fields) = written else { return Vec::new() };
        fields
            .iter()
            .flat_map(|(name, value)| match read.get(name) {
                Some(known) => unknown_fields(value, known, &format!("{path}.{name}")),
                None => vec![format!("{path}.{name}")],
            })
            .collect()
    }

    #[test]
    fn every_profile_that_comes_along_is_complete_and_sound() -> Result<(), Error> {
        for name in Profile::names() {
            let profile = Profile::named(name)?;
            assert_eq!(profile.name, name);
            assert!(!profile.source.is_empty(), "{name}");

            let text = EMBEDDED.iter().find(|(known, _)| *known == name).map_or("", |(_, text)| text);
            let written: Value = serde_json::from_str(text).unwrap_or_default();
            let read = serde_json::to_value(&profile).unwrap_or_default();
            assert_eq!(unknown_fields(&written, &read, ""), [""; 0], "{name}: fields that nothing reads");
            assert_eq!(unknown_fields(&read, &written, ""), [""; 0], "{name}: fields that are left to defaults");

            let Capabilities { limits, subgroup, memory, .. } = &profile.capabilities;
            assert!(limits.max_compute_work_group_invocations >= 128, "{name}");
            assert!(limits.max_compute_shared_memory_size >= 16 << 10, "{name}");
            assert!(limits.max_storage_buffer_range >= 1 << 27, "{name}");
            assert!(limits.min_storage_buffer_offset_alignment.is_power_of_two(), "{name}");
            assert!(limits.non_coherent_atom_size.is_power_of_two(), "{name}");
            assert!(subgroup.min_size <= subgroup.size && subgroup.size <= subgroup.max_size, "{name}");
            assert!(subgroup.size_control || subgroup.min_size == subgroup.max_size, "{name}");
            assert!(memory.types.iter().all(|kind| (kind.heap as usize) < memory.heaps.len()), "{name}");
            assert_eq!(memory.unified, crate::Memory::is_unified(&memory.heaps, &memory.types), "{name}");
        }
        Ok(())
    }

    #[test]
    fn minimal_is_the_default_of_capabilities() -> Result<(), Error> {
        let Capabilities { limits, subgroup, features, .. } = Profile::named("minimal")?.capabilities;
        let least = Capabilities::default();
        assert_eq!((limits, subgroup, features), (least.limits, least.subgroup, least.features));
        Ok(())
    }

    #[test]
    fn capabilities_survive_json() -> Result<(), Error> {
        let profile = Profile::named("adreno-830")?;
        let text = serde_json::to_string(&profile).unwrap_or_default();
        assert_eq!(Profile::from_json(&text)?, profile);
        let bare = serde_json::to_string(&profile.capabilities).unwrap_or_default();
        assert_eq!(Profile::from_json(&bare)?.capabilities, profile.capabilities);
        Ok(())
    }

    #[test]
    fn a_wrong_profile_is_an_error_that_helps() {
        let text = |result: Result<Profile, Error>| result.map(|_| ()).map_err(|error| error.to_string());
        assert_eq!(
            text(Profile::named("mali")),
            Err("there is no profile `mali`; there are: adreno-610, adreno-750, adreno-830, mali-g52, mali-g610, minimal, nvidia-h200, \
                 powervr-ge8320, swiftshader, v3d-7.1"
                .into())
        );
        assert!(
            text(Profile::named("/nowhere/at/all.json"))
                .is_err_and(|text| text.starts_with("the profile /nowhere/at/all.json cannot be read"))
        );
        for broken in [
            "",
            "{",
            "[]",
            "{}",
            "3",
            r#"{"name": "x"}"#,
            r#"{"limits": 3, "subgroup": {}}"#,
            r#"{"name": "x", "source": "", "capabilities": {}, "more": 1}"#,
        ] {
            assert!(matches!(Profile::from_json(broken), Err(Error::ProfileInvalid { .. })), "{broken}");
        }
    }
}
