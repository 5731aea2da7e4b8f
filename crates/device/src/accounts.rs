//! What is alive of a device, and how many bytes it takes.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::memory::MemoryUse;

/// What bytes are counted under.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MemoryKind {
    /// Buffers for [`MemoryUse::Device`].
    Device,
    /// Buffers for [`MemoryUse::Upload`].
    Upload,
    /// Buffers for [`MemoryUse::Readback`].
    Readback,
    /// Buffers for [`MemoryUse::Shared`].
    Shared,
    /// Images.
    Image,
    /// The caller's host memory, imported as buffers.
    Imported,
    /// The caller's buffers and images. Of images no bytes are known.
    Foreign,
}

impl MemoryKind {
    /// All of them, in the order above.
    pub const ALL: [Self; 7] = [Self::Device, Self::Upload, Self::Readback, Self::Shared, Self::Image, Self::Imported, Self::Foreign];

    /// Its name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Device => "device",
            Self::Upload => "upload",
            Self::Readback => "readback",
            Self::Shared => "shared",
            Self::Image => "image",
            Self::Imported => "imported",
            Self::Foreign => "the caller's",
        }
    }

    /// Whether the bytes are Wavelane's own, and not lent by the caller.
    pub const fn is_own(self) -> bool {
        !matches!(self, Self::Imported | Self::Foreign)
    }
}

impl From<MemoryUse> for MemoryKind {
    fn from(wanted: MemoryUse) -> Self {
        match wanted {
            MemoryUse::Device => Self::Device,
            MemoryUse::Upload => Self::Upload,
            MemoryUse::Readback => Self::Readback,
            MemoryUse::Shared => Self::Shared,
        }
    }
}

/// Bytes of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KindStatistics {
    /// Bytes in use now.
    pub live_bytes: u64,
    /// The most bytes that were in use at once.
    pub peak_bytes: u64,
    /// Buffers or images alive now.
    pub count: u64,
}

/// Bytes that a device's buffers and images take. The totals leave out what the caller lent; [`MemoryStatistics::of`] counts that too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryStatistics {
    /// Bytes in use now.
    pub live_bytes: u64,
    /// The most bytes that were in use at once.
    pub peak_bytes: u64,
    /// Buffers and images alive now.
    pub allocations: u64,
    /// Bytes that are taken from the driver: memory objects from which buffers and images get their parts, so more than are in use.
    pub reserved_bytes: u64,
    kinds: [KindStatistics; MemoryKind::ALL.len()],
}

impl MemoryStatistics {
    /// The figures of one kind.
    pub fn of(&self, kind: MemoryKind) -> KindStatistics {
        self.kinds[kind as usize]
    }
}

/// A buffer or image that is alive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveResource {
    /// [`Buffer::id`](crate::Buffer::id) or [`Image::id`](crate::Image::id).
    pub id: u64,
    /// Its name.
    pub name: Arc<str>,
    /// What its bytes are counted under.
    pub kind: MemoryKind,
    /// Whether it is an image.
    pub image: bool,
    /// Bytes of memory; 0 for a caller's image.
    pub bytes: u64,
}

impl fmt::Display for LiveResource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = if self.image { "image" } else { "buffer" };
        write!(f, "{what} `{}` ({}, {} bytes)", self.name, self.kind.name(), self.bytes)
    }
}

/// The books of a device.
#[derive(Default)]
pub(crate) struct Accounts {
    statistics: MemoryStatistics,
    live: BTreeMap<u64, LiveResource>,
}

impl Accounts {
    pub(crate) fn statistics(&self) -> MemoryStatistics {
        self.statistics
    }

    /// What is alive, the oldest first.
    pub(crate) fn live(&self) -> Vec<LiveResource> {
        self.live.values().cloned().collect()
    }

    pub(crate) fn add(&mut self, resource: LiveResource) {
        let kind = &mut self.statistics.kinds[resource.kind as usize];
        kind.count += 1;
        kind.live_bytes += resource.bytes;
        kind.peak_bytes = kind.peak_bytes.max(kind.live_bytes);
        if resource.kind.is_own() {
            let total = &mut self.statistics;
            total.allocations += 1;
            total.live_bytes += resource.bytes;
            total.peak_bytes = total.peak_bytes.max(total.live_bytes);
        }
        self.live.insert(resource.id, resource);
    }

    /// Takes a resource off the books; one that is not on them changes nothing.
    pub(crate) fn remove(&mut self, id: u64) {
        let Some(resource) = self.live.remove(&id) else { return };
        let kind = &mut self.statistics.kinds[resource.kind as usize];
        kind.count -= 1;
        kind.live_bytes -= resource.bytes;
        if resource.kind.is_own() {
            self.statistics.allocations -= 1;
            self.statistics.live_bytes -= resource.bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resource(id: u64, kind: MemoryKind, bytes: u64) -> LiveResource {
        LiveResource { id, name: "tested".into(), kind, image: kind == MemoryKind::Image, bytes }
    }

    #[test]
    fn kinds_stand_where_they_are_looked_up() {
        for (index, kind) in MemoryKind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, index);
        }
    }

    #[test]
    fn what_is_lent_is_counted_apart() {
        let mut accounts = Accounts::default();
        accounts.add(resource(1, MemoryKind::Device, 100));
        accounts.add(resource(2, MemoryKind::Imported, 4096));
        accounts.add(resource(3, MemoryKind::Image, 50));
        accounts.remove(1);
        accounts.add(resource(4, MemoryKind::Device, 20));
        let statistics = accounts.statistics();
        assert_eq!((statistics.live_bytes, statistics.peak_bytes, statistics.allocations), (70, 150, 2));
        assert_eq!(statistics.of(MemoryKind::Device), KindStatistics { live_bytes: 20, peak_bytes: 100, count: 1 });
        assert_eq!(statistics.of(MemoryKind::Imported), KindStatistics { live_bytes: 4096, peak_bytes: 4096, count: 1 });
        assert_eq!(accounts.live().iter().map(|resource| resource.id).collect::<Vec<_>>(), [2, 3, 4]);
        assert_eq!(accounts.live()[1].to_string(), "image `tested` (image, 50 bytes)");
        for id in [2, 3, 4, 4, 9] {
            accounts.remove(id);
        }
        assert_eq!((accounts.statistics().live_bytes, accounts.statistics().allocations), (0, 0));
        assert!(accounts.live().is_empty());
    }
}
