//! Who does what with a buffer, and the stages and accesses that this means to Vulkan.

use ash::vk;

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

impl Access {
    /// The accesses that write, of those in the table: what can be made available.
    pub(crate) const WRITES2: vk::AccessFlags2 = vk::AccessFlags2::from_raw(
        vk::AccessFlags2::SHADER_STORAGE_WRITE.as_raw()
            | vk::AccessFlags2::TRANSFER_WRITE.as_raw()
            | vk::AccessFlags2::HOST_WRITE.as_raw()
            | vk::AccessFlags2::COLOR_ATTACHMENT_WRITE.as_raw()
            | vk::AccessFlags2::MEMORY_WRITE.as_raw(),
    );

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

    /// What a queue must be able to do for barriers to name the access: any one of these. Nothing where every queue will do.
    pub const fn queue_flags(self) -> vk::QueueFlags {
        match self {
            Self::ComputeRead | Self::ComputeWrite | Self::ComputeReadWrite | Self::UniformRead | Self::SampledRead => {
                vk::QueueFlags::COMPUTE
            }
            Self::IndirectRead => vk::QueueFlags::from_raw(vk::QueueFlags::COMPUTE.as_raw() | vk::QueueFlags::GRAPHICS.as_raw()),
            Self::VertexAttributeRead
            | Self::IndexRead
            | Self::VertexShaderRead
            | Self::FragmentShaderRead
            | Self::ColorAttachmentWrite => vk::QueueFlags::GRAPHICS,
            Self::TransferRead | Self::TransferWrite | Self::HostRead | Self::HostWrite | Self::Anything => vk::QueueFlags::empty(),
        }
    }

    /// Whether it writes.
    #[inline]
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
    #[inline]
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

/// The accesses that a queue has, to be asked for each barrier.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AccessSet(u32);

impl AccessSet {
    pub(crate) fn of(flags: vk::QueueFlags) -> Self {
        let has = |access: &Access| access.queue_flags().is_empty() || flags.intersects(access.queue_flags());
        Self(Access::ALL.iter().filter(|access| has(access)).fold(0, |set, &access| set | 1 << access as u32))
    }

    #[inline]
    pub(crate) const fn has(self, access: Access) -> bool {
        self.0 >> access as u32 & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn writes() -> vk::AccessFlags {
        use vk::AccessFlags as A;
        A::SHADER_WRITE | A::TRANSFER_WRITE | A::HOST_WRITE | A::COLOR_ATTACHMENT_WRITE | A::MEMORY_WRITE
    }

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
            assert_eq!(access.writes(), access.masks2().1.intersects(Access::WRITES2), "{access:?}");
        }
    }
}
