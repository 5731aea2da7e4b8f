//! What a tracker is told: commands, what they use, and barriers.

use std::sync::Arc;

use super::event::Command;
use super::report::CommandKind;
use super::scope::Scopes;
use crate::access::Access;
use crate::barrier::TransferHalf;

/// A buffer or an image. The numbers must not be used again for others while the tracker knows them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ResourceId {
    /// A buffer.
    Buffer(u64),
    /// An image. What of it a byte stands for is for the caller to say; the recorder counts each layer of each mip level as one.
    Image(u64),
}

/// Some bytes of a buffer, or an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResourceRange {
    /// The buffer or image.
    pub resource: ResourceId,
    /// Where the bytes begin.
    pub offset: u64,
    /// How many they are.
    pub size: u64,
}

/// What a command does with some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use<'a> {
    /// The buffer or image.
    pub resource: ResourceId,
    /// Its name, for reports.
    pub name: &'a str,
    /// Where the bytes begin.
    pub offset: u64,
    /// How many they are. None are no use.
    pub size: u64,
    /// What is done with them.
    pub access: Access,
}

/// What a command is called in reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommandName<'a> {
    /// What it does.
    pub kind: CommandKind,
    /// Its number, by the caller's own count.
    pub index: u32,
    /// The pipeline's name, for one. It is shared, not copied.
    pub label: Option<&'a Arc<str>>,
}

/// A barrier as the tracker sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RangeBarrier {
    /// The bytes whose writes it makes available and visible; `None` for all bytes of everything, which is what a global memory barrier does.
    pub range: Option<ResourceRange>,
    /// What was done before.
    pub from: Access,
    /// What will be done after.
    pub to: Access,
    /// Whether it changes an image's layout, or takes the bytes over from another queue family: both leave new contents, visible to `to`.
    pub transition: bool,
    /// Which half of a change of ownership it is, if it is one: a release lets nothing wait for it here, and an acquire waits for nothing here.
    pub half: Option<TransferHalf>,
}

impl ResourceRange {
    /// An image as one whole, told of as nothing but that.
    pub const fn image(id: u64) -> Self {
        Self { resource: ResourceId::Image(id), offset: 0, size: 1 }
    }

    /// Some bytes of a buffer.
    pub const fn buffer(id: u64, offset: u64, size: u64) -> Self {
        Self { resource: ResourceId::Buffer(id), offset, size }
    }

    /// Where the bytes end.
    pub(super) const fn end(self) -> u64 {
        self.offset.saturating_add(self.size)
    }

    pub(super) fn overlaps(self, other: Self) -> bool {
        self.resource == other.resource && self.offset < other.end() && other.offset < self.end()
    }

    pub(super) fn contains(self, (resource, position): (ResourceId, u64)) -> bool {
        self.resource == resource && self.offset <= position && position < self.end()
    }
}

impl<'a> Use<'a> {
    /// A use of some bytes of a buffer.
    pub const fn buffer(id: u64, name: &'a str, offset: u64, size: u64, access: Access) -> Self {
        Self { resource: ResourceId::Buffer(id), name, offset, size, access }
    }

    /// A use of an image as one whole.
    pub const fn image(id: u64, name: &'a str, access: Access) -> Self {
        Self { resource: ResourceId::Image(id), name, offset: 0, size: 1, access }
    }

    /// Where the bytes end.
    pub(super) const fn end(&self) -> u64 {
        self.offset.saturating_add(self.size)
    }
}

impl RangeBarrier {
    /// A barrier on some bytes.
    pub const fn new(range: ResourceRange, from: Access, to: Access) -> Self {
        Self { range: Some(range), from, to, transition: false, half: None }
    }

    /// A global memory barrier.
    pub const fn memory(from: Access, to: Access) -> Self {
        Self { range: None, from, to, transition: false, half: None }
    }

    /// A barrier that changes an image's layout.
    pub const fn transition(range: ResourceRange, from: Access, to: Access) -> Self {
        Self { range: Some(range), from, to, transition: true, half: None }
    }

    /// A barrier that is half of a change of ownership between queue families.
    pub const fn transfer(range: ResourceRange, from: Access, to: Access, half: TransferHalf) -> Self {
        Self { half: Some(half), ..Self::transition(range, from, to) }
    }

    pub(super) const fn scopes(&self) -> Scopes {
        let both = Scopes::of(self.from, self.to);
        match self.half {
            None => both,
            Some(TransferHalf::Release) => both.without_second(),
            Some(TransferHalf::Acquire) => both.without_first(),
        }
    }
}

impl CommandName<'_> {
    pub(super) fn command(&self) -> Command {
        Command { kind: self.kind, index: self.index, label: self.label.map(Arc::clone) }
    }
}
