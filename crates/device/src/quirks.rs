//! Known driver faults, as data.

use crate::Capabilities;

/// What a fault means for Wavelane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum QuirkEffect {
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
    /// Effect.
    pub effect: QuirkEffect,
}

/// The quirks that apply.
pub fn quirks_of(_capabilities: &Capabilities) -> Vec<&'static Quirk> {
    Vec::new()
}
