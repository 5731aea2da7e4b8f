//! Known driver faults, as data.

use crate::Capabilities;

/// What a fault means for Wavelane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum QuirkEffect {
    /// Subgroup operations must not be used.
    ForbidSubgroup,
    /// Shuffles do better than subgroup arithmetic.
    PreferShuffle,
    /// A workgroup may not combine what others of the same dispatch stored.
    ForbidLastWorkgroupDone,
    /// Vulkan may not be asked to make two pipelines at once.
    SingleThreadedPipelineCreation,
    /// A write-after-read barrier needs full access masks.
    FullBarrierForWriteAfterRead,
}

/// A known fault.
#[derive(Debug)]
pub struct Quirk {
    /// Id.
    pub id: &'static str,
    /// What goes wrong, in a sentence.
    pub summary: &'static str,
    /// Where it is reported.
    pub link: &'static str,
    /// Effect.
    pub effect: QuirkEffect,
}

/// The quirks that apply.
pub fn quirks_of(_capabilities: &Capabilities) -> Vec<&'static Quirk> {
    Vec::new()
}
