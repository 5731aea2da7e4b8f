//! Uses of the same bytes within one command.

use super::{ResourceId, Use};

/// Two bindings of one command that overlap, at least one of which writes.
///
/// Vulkan allows it, and kernels may do it on purpose: to work in place, or to see one buffer as two types. No barrier orders the invocations of
/// a dispatch, so it is right only if none reads what another writes. A hint, then, not an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SelfOverlap {
    /// The two uses, by their positions.
    pub uses: (usize, usize),
    /// The buffer or image.
    pub resource: ResourceId,
    /// Where the bytes begin that both use.
    pub offset: u64,
    /// How many they are.
    pub size: u64,
}

impl SelfOverlap {
    /// The first overlap among the uses of one command.
    pub fn find(uses: &[Use<'_>]) -> Option<Self> {
        uses.iter().enumerate().find_map(|(second, b)| {
            uses[..second].iter().enumerate().find_map(|(first, a)| {
                let (offset, end) = (a.offset.max(b.offset), a.end().min(b.end()));
                let overlaps = a.resource == b.resource && offset < end && (a.access.writes() || b.access.writes());
                overlaps.then(|| Self { uses: (first, second), resource: a.resource, offset, size: end - offset })
            })
        })
    }
}
