//! Profiles: the capabilities of named real devices, to simulate them or to plan for them.

use serde::{Deserialize, Serialize};

use crate::Capabilities;
use crate::error::Error;

/// The capabilities of a named device.
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
    /// A profile from its JSON text.
    ///
    /// # Errors
    ///
    /// [`Error::ProfileInvalid`].
    pub fn from_json(text: &str) -> Result<Self, Error> {
        serde_json::from_str(text).map_err(|error| Error::ProfileInvalid { origin: "text".into(), cause: error.to_string() })
    }
}
