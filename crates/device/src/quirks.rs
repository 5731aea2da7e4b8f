//! Known driver faults, as data.

use crate::Capabilities;

/// A known fault.
#[derive(Debug)]
pub struct Quirk {
    /// Id.
    pub id: &'static str,
}

/// The quirks that apply.
pub fn quirks_of(_capabilities: &Capabilities) -> Vec<&'static Quirk> {
    Vec::new()
}
