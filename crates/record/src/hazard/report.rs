//! Findings, and their text.

use std::fmt;

use super::event::Command;
use super::{RangeBarrier, ResourceId};
use crate::access::Access;

/// What kind of command it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CommandKind {
    /// A dispatch, of any form.
    Dispatch,
    /// A copy between buffers or images.
    Copy,
    /// A fill of a buffer or a clear of an image.
    Fill,
    /// An update with bytes from the command buffer.
    Update,
    /// A change of an image's layout, by a barrier. Its index is that of the call that recorded the barrier.
    Transition,
    /// A release of ownership to another queue family, by a barrier. Its index is that of the call that recorded the barrier.
    Release,
    /// Work of the host, before the recording is submitted or once it is done.
    Host,
    /// Something before the recording, declared with [`Tracker::assume`](super::Tracker::assume).
    Before,
    /// Anything else.
    Other,
}

/// What is wrong between two commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HazardKind {
    /// What was written is not visible to who reads it.
    ReadAfterWrite,
    /// A write may overtake the reads before it.
    WriteAfterRead,
    /// Of two writes either may be last.
    WriteAfterWrite,
}

/// Two commands that use the same bytes with no barrier to order them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hazard {
    /// What is wrong.
    pub kind: HazardKind,
    /// The command recorded before.
    pub earlier: Command,
    /// The command that was to be recorded.
    pub later: Command,
    /// The buffer or image.
    pub resource: ResourceId,
    /// Its name.
    pub name: String,
    /// Where the bytes begin that both use.
    pub offset: u64,
    /// How many they are.
    pub size: u64,
    /// What the earlier command does with them.
    pub from: Access,
    /// What the later command does with them.
    pub to: Access,
}

impl Hazard {
    /// What to add, in one line.
    pub fn advice(&self) -> String {
        let Self { offset, size, name, from, to, later, .. } = self;
        if later.kind == CommandKind::Transition {
            return format!("let the barrier that changes the layout of `{name}` be from Access::{from:?}, which is what it must wait for");
        }
        if self.earlier.kind == CommandKind::Release {
            return format!("release the ownership of `{name}` behind its last use, or acquire it again in a later submission");
        }
        let end = offset.saturating_add(*size);
        // What the host does is in no recording: its barrier goes to the end of one.
        let place = if later.kind == CommandKind::Host { "at the end of the recording".to_owned() } else { format!("before the {later}") };
        match self.resource {
            ResourceId::Buffer(_) => format!(
                "{place}, add `recorder.barrier(&[BufferBarrier::new(range, Access::{from:?}, Access::{to:?})])`, \
                 where `range` is bytes {offset}..{end} of `{name}`"
            ),
            ResourceId::Image(_) => format!(
                "{place}, add an ImageBarrier for `{name}` from Access::{from:?} to Access::{to:?}, with the layout it is in as both layouts"
            ),
        }
    }

    /// The barrier to add.
    pub const fn barrier(&self) -> RangeBarrier {
        let range = super::ResourceRange { resource: self.resource, offset: self.offset, size: self.size };
        RangeBarrier::new(range, self.from, self.to)
    }
}

impl std::error::Error for Hazard {}

impl fmt::Display for Hazard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, earlier, later, from, to, .. } = self;
        let part = Part { resource: self.resource, name: &self.name, range: (self.offset, self.size) };
        let (does, did) = match kind {
            HazardKind::ReadAfterWrite => ("reads", "wrote"),
            HazardKind::WriteAfterRead => ("writes", "reads"),
            HazardKind::WriteAfterWrite => ("writes", "wrote"),
        };
        let missing = match kind {
            HazardKind::WriteAfterRead => "no barrier makes the write wait",
            HazardKind::ReadAfterWrite | HazardKind::WriteAfterWrite => "no barrier between them makes the first write visible",
        };
        write!(f, "{kind}: the {later} {does} {part} ({to:?}) that the {earlier} {did} ({from:?}), and {missing}")
    }
}

impl fmt::Display for HazardKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ReadAfterWrite => "read-after-write",
            Self::WriteAfterRead => "write-after-read",
            Self::WriteAfterWrite => "write-after-write",
        })
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            CommandKind::Dispatch => "dispatch",
            CommandKind::Copy => "copy",
            CommandKind::Fill => "fill",
            CommandKind::Update => "update",
            CommandKind::Transition => "layout change of barrier call",
            CommandKind::Release => "release of ownership by barrier call",
            CommandKind::Other => "command",
            CommandKind::Host => return f.write_str("host"),
            CommandKind::Before => return f.write_str("work before this recording"),
        };
        write!(f, "{what} {}", self.index)?;
        match &self.label {
            Some(label) => write!(f, " `{label}`"),
            None => Ok(()),
        }
    }
}

/// "bytes 0..16 of buffer `sums`".
pub(super) struct Part<'a> {
    pub(super) resource: ResourceId,
    pub(super) name: &'a str,
    pub(super) range: (u64, u64),
}

impl fmt::Display for Part<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (offset, size) = self.range;
        match self.resource {
            ResourceId::Buffer(_) => write!(f, "bytes {offset}..{} of buffer `{}`", offset.saturating_add(size), self.name),
            ResourceId::Image(_) => write!(f, "image `{}`", self.name),
        }
    }
}
