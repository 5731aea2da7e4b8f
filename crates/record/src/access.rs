//! Who does what with a buffer, and the stages and accesses that this means to Vulkan.

use ash::vk;

use crate::range::BufferRange;

/// What a command does with a buffer. Barriers are named by the access before and the access after.
///
/// | access             | stage            | access mask                                              |
/// |--------------------|------------------|----------------------------------------------------------|
/// | `ComputeRead`      | `COMPUTE_SHADER` | `SHADER_STORAGE_READ` (Vulkan 1.1: `SHADER_READ`)        |
/// | `ComputeWrite`     | `COMPUTE_SHADER` | `SHADER_STORAGE_WRITE` (Vulkan 1.1: `SHADER_WRITE`)      |
/// | `ComputeReadWrite` | `COMPUTE_SHADER` | both                                                     |
/// | `IndirectRead`     | `DRAW_INDIRECT`  | `INDIRECT_COMMAND_READ`                                  |
/// | `TransferRead`     | `TRANSFER`       | `TRANSFER_READ`                                          |
/// | `TransferWrite`    | `TRANSFER`       | `TRANSFER_WRITE`                                         |
/// | `HostRead`         | `HOST`           | `HOST_READ`                                              |
/// | `HostWrite`        | `HOST`           | `HOST_WRITE`                                             |
///
/// As the access *before* a barrier only writes go into the mask: reads have nothing to make available, and the stage alone
/// makes what follows wait for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// A compute shader reads a storage buffer.
    ComputeRead,
    /// A compute shader writes a storage buffer.
    ComputeWrite,
    /// A compute shader reads and writes a storage buffer, atomics included.
    ComputeReadWrite,
    /// A dispatch or draw takes its counts from the buffer.
    IndirectRead,
    /// A copy reads it.
    TransferRead,
    /// A copy or fill writes it.
    TransferWrite,
    /// The host reads mapped memory.
    HostRead,
    /// The host writes mapped memory. Writes before a submission are visible to it without a barrier.
    HostWrite,
}

/// "What comes before has done `from` with the range; what comes after does `to`."
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferBarrier {
    /// The bytes it is about.
    pub range: BufferRange,
    /// What was done before.
    pub from: Access,
    /// What will be done after.
    pub to: Access,
}

impl Access {
    /// Whether it writes.
    pub const fn writes(self) -> bool {
        matches!(self, Self::ComputeWrite | Self::ComputeReadWrite | Self::TransferWrite | Self::HostWrite)
    }

    /// Whether it reads.
    pub const fn reads(self) -> bool {
        !matches!(self, Self::ComputeWrite | Self::TransferWrite | Self::HostWrite)
    }

    /// Stage and access mask for synchronization2.
    pub fn masks2(self) -> (vk::PipelineStageFlags2, vk::AccessFlags2) {
        use vk::{AccessFlags2 as A, PipelineStageFlags2 as S};
        match self {
            Self::ComputeRead => (S::COMPUTE_SHADER, A::SHADER_STORAGE_READ),
            Self::ComputeWrite => (S::COMPUTE_SHADER, A::SHADER_STORAGE_WRITE),
            Self::ComputeReadWrite => (S::COMPUTE_SHADER, A::SHADER_STORAGE_READ | A::SHADER_STORAGE_WRITE),
            Self::IndirectRead => (S::DRAW_INDIRECT, A::INDIRECT_COMMAND_READ),
            Self::TransferRead => (S::ALL_TRANSFER, A::TRANSFER_READ),
            Self::TransferWrite => (S::ALL_TRANSFER, A::TRANSFER_WRITE),
            Self::HostRead => (S::HOST, A::HOST_READ),
            Self::HostWrite => (S::HOST, A::HOST_WRITE),
        }
    }

    /// Stage and access mask for Vulkan 1.1.
    pub fn masks(self) -> (vk::PipelineStageFlags, vk::AccessFlags) {
        use vk::{AccessFlags as A, PipelineStageFlags as S};
        match self {
            Self::ComputeRead => (S::COMPUTE_SHADER, A::SHADER_READ),
            Self::ComputeWrite => (S::COMPUTE_SHADER, A::SHADER_WRITE),
            Self::ComputeReadWrite => (S::COMPUTE_SHADER, A::SHADER_READ | A::SHADER_WRITE),
            Self::IndirectRead => (S::DRAW_INDIRECT, A::INDIRECT_COMMAND_READ),
            Self::TransferRead => (S::TRANSFER, A::TRANSFER_READ),
            Self::TransferWrite => (S::TRANSFER, A::TRANSFER_WRITE),
            Self::HostRead => (S::HOST, A::HOST_READ),
            Self::HostWrite => (S::HOST, A::HOST_WRITE),
        }
    }
}

impl BufferBarrier {
    /// A barrier on `range` between `from` and `to`.
    pub const fn new(range: BufferRange, from: Access, to: Access) -> Self {
        Self { range, from, to }
    }

    /// Whether it only keeps a write from overtaking a read.
    pub const fn write_after_read(&self) -> bool {
        !self.from.writes() && self.to.writes()
    }

    pub(crate) fn vulkan2(&self) -> vk::BufferMemoryBarrier2<'static> {
        let (from_stage, from_access) = self.from.masks2();
        let (to_stage, to_access) = self.to.masks2();
        vk::BufferMemoryBarrier2::default()
            .src_stage_mask(from_stage)
            .src_access_mask(from_access & writes2())
            .dst_stage_mask(to_stage)
            .dst_access_mask(to_access)
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .buffer(self.range.buffer)
            .offset(self.range.offset)
            .size(self.range.size)
    }

    pub(crate) fn vulkan(&self) -> vk::BufferMemoryBarrier<'static> {
        vk::BufferMemoryBarrier::default()
            .src_access_mask(self.from.masks().1 & writes())
            .dst_access_mask(self.to.masks().1)
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .buffer(self.range.buffer)
            .offset(self.range.offset)
            .size(self.range.size)
    }
}

fn writes2() -> vk::AccessFlags2 {
    vk::AccessFlags2::SHADER_STORAGE_WRITE | vk::AccessFlags2::TRANSFER_WRITE | vk::AccessFlags2::HOST_WRITE
}

fn writes() -> vk::AccessFlags {
    vk::AccessFlags::SHADER_WRITE | vk::AccessFlags::TRANSFER_WRITE | vk::AccessFlags::HOST_WRITE
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Access; 8] = [
        Access::ComputeRead,
        Access::ComputeWrite,
        Access::ComputeReadWrite,
        Access::IndirectRead,
        Access::TransferRead,
        Access::TransferWrite,
        Access::HostRead,
        Access::HostWrite,
    ];

    #[test]
    fn both_tables_say_the_same() {
        for access in ALL {
            let (stage, mask) = access.masks();
            let (stage2, mask2) = access.masks2();
            assert_eq!(u64::from(stage.as_raw()), stage2.as_raw(), "{access:?}");
            let old_names = u64::from(mask.as_raw());
            let storage = [(1u64 << 33, vk::AccessFlags::SHADER_READ), (1u64 << 34, vk::AccessFlags::SHADER_WRITE)];
            let as_old = storage
                .iter()
                .fold(mask2.as_raw(), |bits, &(new, old)| if bits & new == 0 { bits } else { bits & !new | u64::from(old.as_raw()) });
            assert_eq!(old_names, as_old, "{access:?}");
        }
    }

    #[test]
    fn reads_and_writes_match_the_masks() {
        for access in ALL {
            let mask = access.masks().1;
            assert_eq!(access.writes(), mask.intersects(writes()), "{access:?}");
            assert_eq!(access.reads(), !(mask & !writes()).is_empty(), "{access:?}");
        }
    }

    #[test]
    fn only_writes_are_made_available() {
        let range = BufferRange::new(vk::Buffer::null(), 16, 32);
        let war = BufferBarrier::new(range, Access::ComputeRead, Access::ComputeWrite);
        assert!(war.write_after_read());
        assert_eq!(war.vulkan().src_access_mask, vk::AccessFlags::empty());
        assert_eq!(war.vulkan2().src_access_mask, vk::AccessFlags2::NONE);
        assert_eq!(war.vulkan2().src_stage_mask, vk::PipelineStageFlags2::COMPUTE_SHADER);
        let raw = BufferBarrier::new(range, Access::ComputeReadWrite, Access::HostRead);
        assert!(!raw.write_after_read());
        assert_eq!(raw.vulkan().src_access_mask, vk::AccessFlags::SHADER_WRITE);
        assert_eq!(raw.vulkan2().src_access_mask, vk::AccessFlags2::SHADER_STORAGE_WRITE);
        assert_eq!((raw.vulkan().offset, raw.vulkan().size), (16, 32));
    }
}
