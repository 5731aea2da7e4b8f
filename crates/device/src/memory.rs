//! Device memory: which type for which use, and the pool it comes from.

use std::sync::Arc;

use ash::vk;
use gpu_allocator::vulkan::{Allocation, AllocationCreateDesc, AllocationScheme, Allocator, AllocatorCreateDesc};
use gpu_allocator::{AllocationError, AllocationSizes, AllocatorDebugSettings, MemoryLocation};

use crate::accounts::{Accounts, LiveResource, MemoryKind, MemoryStatistics};
use crate::device::Device;
use crate::error::Error;
use crate::{Memory, MemoryProperties};

/// What a buffer's memory is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryUse {
    /// The device's own, and fastest there. Mapped as well on a device with unified memory, where a type allows it.
    Device,
    /// Written by the host in order, read by the device.
    Upload,
    /// Written by the device, read by the host: cached there where a type allows it.
    Readback,
    /// Read and written by both: device-local where unified memory allows it, else the host's.
    Shared,
}

impl MemoryUse {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Device => "device",
            Self::Upload => "upload",
            Self::Readback => "readback",
            Self::Shared => "shared",
        }
    }
}

/// Memory types for a use among those in `type_bits`, best first.
///
/// Types with properties that need a feature turned on (AMD's device-coherent memory, for one) are never chosen, nor are protected and lazily allocated ones.
pub(crate) fn types_for(memory: &Memory, wanted: MemoryUse, type_bits: u32) -> Vec<u32> {
    use MemoryProperties as P;
    let plain = P::DEVICE_LOCAL | P::HOST_VISIBLE | P::HOST_COHERENT | P::HOST_CACHED;
    let mut rated: Vec<(i32, u32)> = (0u32..32)
        .zip(&memory.types)
        .filter(|&(index, kind)| type_bits >> index & 1 == 1 && plain.contains(kind.properties))
        .filter_map(|(index, kind)| Some((rate(kind.properties, wanted, memory.unified)?, index)))
        .collect();
    // A device that is full says so, rather than carry on at the speed of its bus.
    let local = |index: u32| memory.types[index as usize].properties.contains(P::DEVICE_LOCAL);
    if wanted == MemoryUse::Device && rated.iter().any(|&(_, index)| local(index)) {
        rated.retain(|&(_, index)| local(index));
    }
    // Stable: of equals the first, as Vulkan orders types by speed.
    rated.sort_by_key(|&(rating, _)| std::cmp::Reverse(rating));
    rated.into_iter().map(|(_, index)| index).collect()
}

/// How well a type suits a use; `None` where it does not at all.
fn rate(properties: MemoryProperties, wanted: MemoryUse, unified: bool) -> Option<i32> {
    use MemoryProperties as P;
    let local = properties.contains(P::DEVICE_LOCAL);
    let visible = properties.contains(P::HOST_VISIBLE);
    let coherent = properties.contains(P::HOST_COHERENT);
    let cached = properties.contains(P::HOST_CACHED);
    let points = |wish: bool, points: i32| if wish { points } else { 0 };
    match wanted {
        // Caches that the host shares may slow the device down; on a discrete device the host-visible window is small and slow to reach.
        MemoryUse::Device => Some(points(local, 8) + points(visible == unified, 4) + points(coherent || !visible, 2) + points(!cached, 1)),
        _ if !visible => None,
        // Uncached memory is written through write-combining buffers.
        MemoryUse::Upload => Some(points(local == unified, 8) + points(coherent, 4) + points(!cached, 2)),
        // Reading uncached memory is tens of times slower, a flush is cheap.
        MemoryUse::Readback => Some(points(cached, 8) + points(coherent, 4) + points(local == unified, 2)),
        MemoryUse::Shared => Some(points(local == unified, 8) + points(cached, 4) + points(coherent, 2)),
    }
}

/// The pool that memory comes from, and the books of it.
pub(crate) struct MemoryPool {
    allocator: Allocator,
    accounts: Accounts,
}

/// Who memory is for.
#[derive(Clone, Copy)]
pub(crate) struct Owner<'a> {
    pub(crate) id: u64,
    pub(crate) name: &'a Arc<str>,
    pub(crate) kind: MemoryKind,
}

impl Owner<'_> {
    pub(crate) fn resource(&self, bytes: u64, image: bool) -> LiveResource {
        LiveResource { id: self.id, name: Arc::clone(self.name), kind: self.kind, image, bytes }
    }
}

impl MemoryPool {
    pub(crate) fn new(device: &Device) -> Result<Self, Error> {
        const MIB: u64 = 1 << 20;
        let allocator = Allocator::new(&AllocatorCreateDesc {
            instance: device.instance().raw().clone(),
            device: device.raw().clone(),
            physical_device: device.physical_device(),
            debug_settings: AllocatorDebugSettings::default(),
            buffer_device_address: device.capabilities().features.buffer_device_address,
            // Blocks start small for the sake of phones and grow as more are needed.
            allocation_sizes: AllocationSizes::new(32 * MIB, 16 * MIB)
                .with_max_device_memblock_size(256 * MIB)
                .with_max_host_memblock_size(128 * MIB),
        })
        .map_err(|error| Error::Allocator { name: String::new(), cause: error.to_string() })?;
        Ok(Self { allocator, accounts: Accounts::default() })
    }

    /// Memory of one of the given types, the first that has room: for a buffer, or for an image, whose texels lie in the device's own order.
    pub(crate) fn allocate(&mut self, owner: Owner<'_>, requirements: vk::MemoryRequirements, types: &[u32]) -> Result<Allocation, Error> {
        let image = owner.kind == MemoryKind::Image;
        let mut failure = Error::NoMemoryType { name: owner.name.to_string(), wanted: owner.kind.name() };
        for &index in types {
            // With a single type left to choose from, the allocator's own ideas of locations do not matter; it would never take
            // memory that is not coherent.
            let requirements = vk::MemoryRequirements { memory_type_bits: 1 << index, ..requirements };
            let description = AllocationCreateDesc {
                name: owner.name,
                requirements,
                location: MemoryLocation::Unknown,
                linear: !image,
                allocation_scheme: AllocationScheme::GpuAllocatorManaged,
            };
            match self.allocator.allocate(&description) {
                Ok(allocation) => {
                    self.accounts.add(owner.resource(allocation.size(), image));
                    return Ok(allocation);
                }
                Err(error) => failure = self.failure(owner.name, requirements.size, &error),
            }
        }
        Err(failure)
    }

    fn failure(&self, name: &str, size: u64, error: &AllocationError) -> Error {
        // The allocator knows exhaustion of the device only, and reports that of the host in words.
        let exhausted = match error {
            AllocationError::OutOfMemory => true,
            AllocationError::Internal(text) => text.contains("OUT_OF_HOST_MEMORY") || text.contains("TOO_MANY_OBJECTS"),
            AllocationError::FailedToMap(_) => true,
            _ => false,
        };
        if exhausted {
            Error::OutOfMemory { name: name.to_owned(), size, live: self.accounts.statistics().live_bytes }
        } else {
            Error::Allocator { name: name.to_owned(), cause: error.to_string() }
        }
    }

    pub(crate) fn free(&mut self, id: u64, allocation: Allocation) {
        self.accounts.remove(id);
        if let Err(error) = self.allocator.free(allocation) {
            log::error!("memory could not be freed: {error}");
        }
    }

    pub(crate) fn accounts(&self) -> &Accounts {
        &self.accounts
    }

    /// The books, for memory that is not of this pool.
    pub(crate) fn accounts_mut(&mut self) -> &mut Accounts {
        &mut self.accounts
    }

    pub(crate) fn statistics(&self) -> MemoryStatistics {
        let mut statistics = self.accounts.statistics();
        statistics.reserved_bytes = self.allocator.capacity();
        statistics
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MemoryHeap, MemoryType};

    fn memory(heaps: &[bool], types: &[(u32, u32)]) -> Memory {
        let heaps: Vec<_> = heaps.iter().map(|&device_local| MemoryHeap { size: 1 << 30, device_local }).collect();
        let types: Vec<_> =
            types.iter().map(|&(heap, bits)| MemoryType { heap, properties: MemoryProperties::from_bits_retain(bits) }).collect();
        let unified = Memory::is_unified(&heaps, &types);
        Memory { heaps, types, unified }
    }

    fn first(memory: &Memory, wanted: MemoryUse) -> Option<u32> {
        types_for(memory, wanted, u32::MAX).first().copied()
    }

    #[test]
    fn mali_reads_back_through_cached_memory_that_is_not_coherent() {
        let mali = memory(&[true, true], &[(0, 0x7), (0, 0xb), (0, 0x11), (1, 0x21)]);
        assert!(mali.unified);
        assert_eq!(first(&mali, MemoryUse::Device), Some(0));
        assert_eq!(first(&mali, MemoryUse::Upload), Some(0));
        assert_eq!(first(&mali, MemoryUse::Readback), Some(1));
        assert_eq!(first(&mali, MemoryUse::Shared), Some(1));
    }

    #[test]
    fn a_discrete_device_keeps_its_own_memory_for_itself() {
        // NVIDIA: system memory without any property, device memory, system memory coherent, the same cached, and the window into device memory.
        let discrete = memory(&[true, false, true], &[(1, 0x0), (0, 0x1), (1, 0x6), (1, 0xe), (2, 0x7)]);
        assert!(!discrete.unified);
        assert_eq!(first(&discrete, MemoryUse::Device), Some(1));
        assert_eq!(first(&discrete, MemoryUse::Upload), Some(2));
        assert_eq!(first(&discrete, MemoryUse::Readback), Some(3));
        assert_eq!(first(&discrete, MemoryUse::Shared), Some(3));
    }

    #[test]
    fn types_that_need_features_or_are_not_allowed_are_left_out() {
        // AMD: the types with 0x40 and 0x80 need deviceCoherentMemory.
        let amd = memory(&[false, true], &[(1, 0xc1), (0, 0xc6), (1, 0x1), (0, 0x6)]);
        assert_eq!(types_for(&amd, MemoryUse::Device, u32::MAX), [2]);
        assert_eq!(types_for(&amd, MemoryUse::Device, 0b1000), [3], "without its own memory a device works in the host's");
        assert_eq!(types_for(&amd, MemoryUse::Upload, u32::MAX), [3]);
        assert_eq!(types_for(&amd, MemoryUse::Device, 0b0111), [2]);
        assert_eq!(types_for(&amd, MemoryUse::Readback, 0b0111), [0u32; 0]);
    }
}
