//! Who does what with a buffer, and the stages and accesses that this means to Vulkan.

use ash::vk;

use crate::range::BufferRange;

/// What a command does with a buffer or image. Barriers are named by the access before and the access after.
///
/// | access                 | stage                     | access mask                                                              |
/// |------------------------|---------------------------|--------------------------------------------------------------------------|
/// | `ComputeRead`          | `COMPUTE_SHADER`          | `SHADER_STORAGE_READ` (Vulkan 1.1: `SHADER_READ`)                        |
/// | `ComputeWrite`         | `COMPUTE_SHADER`          | `SHADER_STORAGE_WRITE` (Vulkan 1.1: `SHADER_WRITE`)                      |
/// | `ComputeReadWrite`     | `COMPUTE_SHADER`          | both                                                                     |
/// | `UniformRead`          | `COMPUTE_SHADER`          | `UNIFORM_READ`                                                           |
/// | `SampledRead`          | `COMPUTE_SHADER`          | `SHADER_SAMPLED_READ` (Vulkan 1.1: `SHADER_READ`)                        |
/// | `IndirectRead`         | `DRAW_INDIRECT`           | `INDIRECT_COMMAND_READ`                                                  |
/// | `TransferRead`         | `TRANSFER`                | `TRANSFER_READ`                                                          |
/// | `TransferWrite`        | `TRANSFER`                | `TRANSFER_WRITE`                                                         |
/// | `HostRead`             | `HOST`                    | `HOST_READ`                                                              |
/// | `HostWrite`            | `HOST`                    | `HOST_WRITE`                                                             |
/// | `VertexAttributeRead`  | `VERTEX_INPUT`            | `VERTEX_ATTRIBUTE_READ`                                                  |
/// | `IndexRead`            | `VERTEX_INPUT`            | `INDEX_READ`                                                             |
/// | `VertexShaderRead`     | `VERTEX_SHADER`           | `UNIFORM_READ`, `SHADER_SAMPLED_READ`, `SHADER_STORAGE_READ` (Vulkan 1.1: `UNIFORM_READ`, `SHADER_READ`) |
/// | `FragmentShaderRead`   | `FRAGMENT_SHADER`         | as for the vertex shader                                                 |
/// | `ColorAttachmentWrite` | `COLOR_ATTACHMENT_OUTPUT` | `COLOR_ATTACHMENT_READ`, `COLOR_ATTACHMENT_WRITE`                        |
/// | `Anything`             | `ALL_COMMANDS`            | `MEMORY_READ`, `MEMORY_WRITE`                                            |
///
/// As the access *before* a barrier only writes go into the mask: reads have nothing to make available, and the stage alone
/// makes what follows wait for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Access {
    /// A compute shader reads a storage buffer or storage image.
    ComputeRead,
    /// A compute shader writes a storage buffer or storage image.
    ComputeWrite,
    /// A compute shader reads and writes a storage buffer or storage image, atomics included.
    ComputeReadWrite,
    /// A compute shader reads a uniform buffer.
    UniformRead,
    /// A compute shader reads an image through a sampler, or as a sampled image.
    SampledRead,
    /// A dispatch or draw takes its counts from the buffer.
    IndirectRead,
    /// A copy reads it.
    TransferRead,
    /// A copy, fill or update writes it.
    TransferWrite,
    /// The host reads mapped memory.
    HostRead,
    /// The host writes mapped memory. Writes before a submission are visible to it without a barrier.
    HostWrite,
    /// A draw takes vertices from the buffer.
    VertexAttributeRead,
    /// A draw takes indices from the buffer.
    IndexRead,
    /// A vertex shader reads it, as uniform, storage or sampled.
    VertexShaderRead,
    /// A fragment shader reads it, as uniform, storage or sampled.
    FragmentShaderRead,
    /// A draw has it as a colour attachment. Loading and blending read it, too.
    ColorAttachmentWrite,
    /// Any command of the device reads or writes it. The host is no command: what it reads and writes needs its own barrier.
    Anything,
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
    /// All of them.
    pub const ALL: [Self; 16] = [
        Self::ComputeRead,
        Self::ComputeWrite,
        Self::ComputeReadWrite,
        Self::UniformRead,
        Self::SampledRead,
        Self::IndirectRead,
        Self::TransferRead,
        Self::TransferWrite,
        Self::HostRead,
        Self::HostWrite,
        Self::VertexAttributeRead,
        Self::IndexRead,
        Self::VertexShaderRead,
        Self::FragmentShaderRead,
        Self::ColorAttachmentWrite,
        Self::Anything,
    ];

    /// Whether it writes.
    pub const fn writes(self) -> bool {
        match self {
            Self::ComputeWrite | Self::ComputeReadWrite | Self::TransferWrite | Self::HostWrite => true,
            Self::ColorAttachmentWrite | Self::Anything => true,
            Self::ComputeRead | Self::UniformRead | Self::SampledRead | Self::IndirectRead | Self::TransferRead | Self::HostRead => false,
            Self::VertexAttributeRead | Self::IndexRead | Self::VertexShaderRead | Self::FragmentShaderRead => false,
        }
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
            Self::UniformRead => (S::COMPUTE_SHADER, A::UNIFORM_READ),
            Self::SampledRead => (S::COMPUTE_SHADER, A::SHADER_SAMPLED_READ),
            Self::IndirectRead => (S::DRAW_INDIRECT, A::INDIRECT_COMMAND_READ),
            Self::TransferRead => (S::ALL_TRANSFER, A::TRANSFER_READ),
            Self::TransferWrite => (S::ALL_TRANSFER, A::TRANSFER_WRITE),
            Self::HostRead => (S::HOST, A::HOST_READ),
            Self::HostWrite => (S::HOST, A::HOST_WRITE),
            Self::VertexAttributeRead => (S::VERTEX_INPUT, A::VERTEX_ATTRIBUTE_READ),
            Self::IndexRead => (S::VERTEX_INPUT, A::INDEX_READ),
            Self::VertexShaderRead => (S::VERTEX_SHADER, A::UNIFORM_READ | A::SHADER_SAMPLED_READ | A::SHADER_STORAGE_READ),
            Self::FragmentShaderRead => (S::FRAGMENT_SHADER, A::UNIFORM_READ | A::SHADER_SAMPLED_READ | A::SHADER_STORAGE_READ),
            Self::ColorAttachmentWrite => (S::COLOR_ATTACHMENT_OUTPUT, A::COLOR_ATTACHMENT_READ | A::COLOR_ATTACHMENT_WRITE),
            Self::Anything => (S::ALL_COMMANDS, A::MEMORY_READ | A::MEMORY_WRITE),
        }
    }

    /// Stage and access mask for Vulkan 1.1.
    pub fn masks(self) -> (vk::PipelineStageFlags, vk::AccessFlags) {
        use vk::{AccessFlags as A, PipelineStageFlags as S};
        match self {
            Self::ComputeRead | Self::SampledRead => (S::COMPUTE_SHADER, A::SHADER_READ),
            Self::ComputeWrite => (S::COMPUTE_SHADER, A::SHADER_WRITE),
            Self::ComputeReadWrite => (S::COMPUTE_SHADER, A::SHADER_READ | A::SHADER_WRITE),
            Self::UniformRead => (S::COMPUTE_SHADER, A::UNIFORM_READ),
            Self::IndirectRead => (S::DRAW_INDIRECT, A::INDIRECT_COMMAND_READ),
            Self::TransferRead => (S::TRANSFER, A::TRANSFER_READ),
            Self::TransferWrite => (S::TRANSFER, A::TRANSFER_WRITE),
            Self::HostRead => (S::HOST, A::HOST_READ),
            Self::HostWrite => (S::HOST, A::HOST_WRITE),
            Self::VertexAttributeRead => (S::VERTEX_INPUT, A::VERTEX_ATTRIBUTE_READ),
            Self::IndexRead => (S::VERTEX_INPUT, A::INDEX_READ),
            Self::VertexShaderRead => (S::VERTEX_SHADER, A::UNIFORM_READ | A::SHADER_READ),
            Self::FragmentShaderRead => (S::FRAGMENT_SHADER, A::UNIFORM_READ | A::SHADER_READ),
            Self::ColorAttachmentWrite => (S::COLOR_ATTACHMENT_OUTPUT, A::COLOR_ATTACHMENT_READ | A::COLOR_ATTACHMENT_WRITE),
            Self::Anything => (S::ALL_COMMANDS, A::MEMORY_READ | A::MEMORY_WRITE),
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

/// The writes among the access masks of the table: what can be made available.
fn writes2() -> vk::AccessFlags2 {
    use vk::AccessFlags2 as A;
    A::SHADER_STORAGE_WRITE | A::TRANSFER_WRITE | A::HOST_WRITE | A::COLOR_ATTACHMENT_WRITE | A::MEMORY_WRITE
}

fn writes() -> vk::AccessFlags {
    use vk::AccessFlags as A;
    A::SHADER_WRITE | A::TRANSFER_WRITE | A::HOST_WRITE | A::COLOR_ATTACHMENT_WRITE | A::MEMORY_WRITE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_tables_say_the_same() {
        for access in Access::ALL {
            let (stage, mask) = access.masks();
            let (stage2, mask2) = access.masks2();
            assert_eq!(u64::from(stage.as_raw()), stage2.as_raw(), "{access:?}");
            let old_names = u64::from(mask.as_raw());
            // Synchronization2 tells apart what Vulkan 1.1 calls SHADER_READ and SHADER_WRITE.
            let shader = [
                (vk::AccessFlags2::SHADER_SAMPLED_READ.as_raw(), vk::AccessFlags::SHADER_READ),
                (vk::AccessFlags2::SHADER_STORAGE_READ.as_raw(), vk::AccessFlags::SHADER_READ),
                (vk::AccessFlags2::SHADER_STORAGE_WRITE.as_raw(), vk::AccessFlags::SHADER_WRITE),
            ];
            let as_old = shader
                .iter()
                .fold(mask2.as_raw(), |bits, &(new, old)| if bits & new == 0 { bits } else { bits & !new | u64::from(old.as_raw()) });
            assert_eq!(old_names, as_old, "{access:?}");
        }
    }

    #[test]
    fn reads_and_writes_match_the_masks() {
        for access in Access::ALL {
            let mask = access.masks().1;
            assert_eq!(access.writes(), mask.intersects(writes()), "{access:?}");
            assert_eq!(access.reads(), !(mask & !writes()).is_empty(), "{access:?}");
            assert_eq!(access.writes(), access.masks2().1.intersects(writes2()), "{access:?}");
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
        let all = BufferBarrier::new(range, Access::Anything, Access::Anything);
        assert_eq!(all.vulkan().src_access_mask, vk::AccessFlags::MEMORY_WRITE);
        assert_eq!(all.vulkan2().dst_access_mask, vk::AccessFlags2::MEMORY_READ | vk::AccessFlags2::MEMORY_WRITE);
    }
}
