//! Who does what with a buffer, and the stages and accesses that this means to Vulkan.

use ash::vk;

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

impl Access {
    /// The accesses that write, of those in the table.
    pub(crate) const WRITES2: vk::AccessFlags2 = vk::AccessFlags2::from_raw(
        vk::AccessFlags2::SHADER_STORAGE_WRITE.as_raw() | vk::AccessFlags2::TRANSFER_WRITE.as_raw() | vk::AccessFlags2::HOST_WRITE.as_raw(),
    );

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

    fn writes() -> vk::AccessFlags {
        vk::AccessFlags::SHADER_WRITE | vk::AccessFlags::TRANSFER_WRITE | vk::AccessFlags::HOST_WRITE
    }

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
}
