//! Stages and accesses as small sets, and which of them each [`Access`] and each barrier is about.

use crate::access::Access;

/// Pipeline stages that the tracker tells apart, as positions in [`Stages`].
pub(super) mod stage {
    pub(in super::super) const INDIRECT: usize = 0;
    pub(in super::super) const VERTEX_INPUT: usize = 1;
    pub(in super::super) const VERTEX_SHADER: usize = 2;
    pub(in super::super) const FRAGMENT_SHADER: usize = 3;
    pub(in super::super) const COLOR_OUTPUT: usize = 4;
    pub(in super::super) const COMPUTE: usize = 5;
    pub(in super::super) const TRANSFER: usize = 6;
    pub(in super::super) const HOST: usize = 7;
    /// How many there are.
    pub(in super::super) const COUNT: usize = 8;
}

/// A set of stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stages(u8);

impl Stages {
    pub(super) const ALL: Self = Self(!0);
    const NONE: Self = Self(0);
    /// `ALL_COMMANDS`: the host is none of them.
    const COMMANDS: Self = Self(!(1 << stage::HOST));

    const fn of(stage: usize) -> Self {
        Self(1 << stage)
    }

    pub(super) const fn contains(self, stage: usize) -> bool {
        self.0 & (1 << stage) != 0
    }

    pub(super) fn iter(self) -> impl Iterator<Item = usize> {
        bits(self.0.into())
    }

    /// With the stages that come earlier in the same pipelines: waiting for a stage waits for these, too.
    const fn with_earlier(self) -> Self {
        let mut all = self.0;
        if self.contains(stage::COMPUTE) {
            all |= 1 << stage::INDIRECT;
        }
        // The graphics stages are numbered in their order.
        let mut next = stage::VERTEX_INPUT;
        while next <= stage::COLOR_OUTPUT {
            if self.contains(next) {
                all |= (1 << next) - 1;
            }
            next += 1;
        }
        Self(all)
    }

    /// With the stages that come later in the same pipelines: when a stage waits, these do, too.
    const fn with_later(self) -> Self {
        let mut all = self.0;
        if self.contains(stage::INDIRECT) {
            all |= 1 << stage::COMPUTE;
        }
        let mut next = stage::INDIRECT;
        while next < stage::COLOR_OUTPUT {
            if self.contains(next) {
                let mut later = next + 1;
                while later <= stage::COLOR_OUTPUT {
                    all |= 1 << later;
                    later += 1;
                }
            }
            next += 1;
        }
        Self(all)
    }
}

/// A set of accesses, each of one stage: what a memory dependency makes available, and what it makes that visible to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Accesses(u16);

impl Accesses {
    pub(super) const NONE: Self = Self(0);
    /// How many accesses there are.
    pub(super) const COUNT: usize = 15;
    const HOST: Self = Self(1 << 13 | 1 << 14);
    /// All that commands of the device do.
    const COMMANDS: Self = Self((1 << 13) - 1);

    /// What of that writes.
    pub(super) const COMMAND_WRITES: Self = Self(1 << 1 | 1 << 3 | 1 << 5);

    const fn of(access: u16) -> Self {
        Self(1 << access)
    }

    pub(super) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(super) const fn contains(self, other: Self) -> bool {
        other.0 & !self.0 == 0
    }

    pub(super) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The positions of its members, each less than [`Accesses::COUNT`].
    pub(super) fn iter(self) -> impl Iterator<Item = usize> {
        bits(self.0)
    }
}

/// The positions of the bits that are set.
fn bits(mut set: u16) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let position = set.trailing_zeros() as usize;
        // Takes the lowest bit away.
        let rest = set & set.checked_sub(1)?;
        set = rest;
        Some(position)
    })
}

/// What a command does with bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Footprint {
    pub(super) stages: Stages,
    pub(super) reads: Accesses,
    pub(super) writes: Accesses,
}

impl Footprint {
    pub(super) const fn of(access: Access) -> Self {
        const fn reads(stage: usize, access: u16) -> Footprint {
            Footprint { stages: Stages::of(stage), reads: Accesses::of(access), writes: Accesses::NONE }
        }
        const fn writes(stage: usize, access: u16) -> Footprint {
            Footprint { stages: Stages::of(stage), reads: Accesses::NONE, writes: Accesses::of(access) }
        }
        const fn both(stage: usize, read: u16, write: u16) -> Footprint {
            Footprint { stages: Stages::of(stage), reads: Accesses::of(read), writes: Accesses::of(write) }
        }
        match access {
            Access::ComputeRead => reads(stage::COMPUTE, 0),
            Access::ComputeWrite => writes(stage::COMPUTE, 1),
            Access::ComputeReadWrite => both(stage::COMPUTE, 0, 1),
            Access::TransferRead => reads(stage::TRANSFER, 2),
            Access::TransferWrite => writes(stage::TRANSFER, 3),
            Access::ColorAttachmentWrite => both(stage::COLOR_OUTPUT, 4, 5),
            Access::UniformRead => reads(stage::COMPUTE, 6),
            Access::SampledRead => reads(stage::COMPUTE, 7),
            Access::IndirectRead => reads(stage::INDIRECT, 8),
            Access::VertexAttributeRead => reads(stage::VERTEX_INPUT, 9),
            Access::IndexRead => reads(stage::VERTEX_INPUT, 10),
            Access::VertexShaderRead => reads(stage::VERTEX_SHADER, 11),
            Access::FragmentShaderRead => reads(stage::FRAGMENT_SHADER, 12),
            Access::HostRead => reads(stage::HOST, 13),
            Access::HostWrite => writes(stage::HOST, 14),
            Access::Anything => Self {
                stages: Stages::COMMANDS,
                reads: Accesses::COMMANDS.without(Accesses::COMMAND_WRITES),
                writes: Accesses::COMMAND_WRITES,
            },
        }
    }

    /// Whether it is the host that does it.
    pub(super) const fn is_host(self) -> bool {
        self.stages.contains(stage::HOST)
    }

    /// What an earlier write must be visible to.
    pub(super) const fn all(self) -> Accesses {
        self.reads.or(self.writes)
    }
}

/// The two scopes of a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scopes {
    /// Stages it waits for, with those earlier in the pipeline.
    pub(super) from: Stages,
    /// Writes it makes available.
    pub(super) available: Accesses,
    /// Stages that wait for it, with those later in the pipeline.
    pub(super) to: Stages,
    /// Accesses that it makes available writes visible to.
    pub(super) visible: Accesses,
}

impl Scopes {
    pub(super) const fn of(from: Access, to: Access) -> Self {
        let (from, to) = (Footprint::of(from), Footprint::of(to));
        // What the host sees it may also overwrite.
        let visible = if to.is_host() { Accesses::HOST } else { to.all() };
        Self { from: from.stages.with_earlier(), available: from.writes, to: to.stages.with_later(), visible }
    }

    /// It waits for nothing.
    pub(super) const fn without_first(self) -> Self {
        Self { from: Stages::NONE, available: Accesses::NONE, ..self }
    }

    /// Nothing waits for it.
    pub(super) const fn without_second(self) -> Self {
        Self { to: Stages::NONE, visible: Accesses::NONE, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn footprints_agree_with_the_table_of_masks() {
        for access in Access::ALL {
            let footprint = Footprint::of(access);
            assert_eq!(!footprint.reads.is_empty(), access.reads(), "{access:?}");
            assert_eq!(!footprint.writes.is_empty(), access.writes(), "{access:?}");
            for other in Access::ALL {
                let same_stage = access.masks2().0 == other.masks2().0;
                assert_eq!(footprint.stages == Footprint::of(other).stages, same_stage, "{access:?} {other:?}");
            }
        }
        let commands = Access::ALL.into_iter().filter(|&access| access != Access::Anything && !Footprint::of(access).is_host());
        let all = commands.fold(Accesses::NONE, |all, access| all.or(Footprint::of(access).all()));
        assert_eq!(Footprint::of(Access::Anything).all(), all);
    }

    #[test]
    fn stages_of_a_pipeline_come_in_their_order() {
        let from = |access| Scopes::of(access, Access::HostRead).from.iter().collect::<Vec<_>>();
        let to = |access| Scopes::of(Access::HostWrite, access).to.iter().collect::<Vec<_>>();
        use stage::{COLOR_OUTPUT, COMPUTE, FRAGMENT_SHADER, INDIRECT, TRANSFER, VERTEX_INPUT, VERTEX_SHADER};
        assert_eq!(from(Access::ComputeWrite), [INDIRECT, COMPUTE]);
        assert_eq!(to(Access::ComputeWrite), [COMPUTE]);
        assert_eq!(from(Access::IndirectRead), [INDIRECT]);
        assert_eq!(to(Access::IndirectRead), [INDIRECT, VERTEX_INPUT, VERTEX_SHADER, FRAGMENT_SHADER, COLOR_OUTPUT, COMPUTE]);
        assert_eq!(from(Access::FragmentShaderRead), [INDIRECT, VERTEX_INPUT, VERTEX_SHADER, FRAGMENT_SHADER]);
        assert_eq!(to(Access::FragmentShaderRead), [FRAGMENT_SHADER, COLOR_OUTPUT]);
        assert_eq!((from(Access::TransferRead), to(Access::TransferRead)), (vec![TRANSFER], vec![TRANSFER]));
        assert!(!from(Access::Anything).contains(&stage::HOST));
    }
}
