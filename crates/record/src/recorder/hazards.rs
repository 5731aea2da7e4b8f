//! What the recorder does about hazards: nothing, an error, or the barrier that is missing.

use std::sync::Arc;

use ash::vk;
use smallvec::SmallVec;

use super::Recorder;
use super::subresources::{positions, subresources};
use crate::access::Access;
use crate::barrier::{BufferBarrier, ImageBarrier, OwnershipTransfer, RawBarrier};
use crate::binding::Binding;
use crate::check;
use crate::error::Error;
use crate::hazard::{CommandKind, CommandName, RangeBarrier, RedundantBarrier, ResourceId, ResourceRange, Tracker, Use};
use crate::range::BufferRange;

/// What a recorder does about commands that use the same bytes with no barrier to order them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HazardMode {
    /// Nothing, at no cost: the caller's barriers are right.
    Off,
    /// Recording such a command is an error that names both, and the barrier to add.
    Checked,
    /// The least barriers are inserted.
    Automatic,
}

/// Checked in debug builds, off in release builds.
impl Default for HazardMode {
    fn default() -> Self {
        if cfg!(debug_assertions) { Self::Checked } else { Self::Off }
    }
}

/// The uses of one command.
pub(super) type Uses<'a> = SmallVec<[Use<'a>; 8]>;

/// A tracker, and what it takes to turn its findings into barriers.
pub(super) struct Hazards {
    automatic: bool,
    tracker: Tracker,
    needed: Vec<RangeBarrier>,
    told: Vec<RangeBarrier>,
    /// The images used, and which aspects of them barriers are about.
    images: Vec<(vk::Image, vk::ImageAspectFlags)>,
}

impl Hazards {
    pub(super) fn of(mode: HazardMode) -> Option<Box<Self>> {
        let automatic = match mode {
            HazardMode::Off => return None,
            HazardMode::Checked => false,
            HazardMode::Automatic => true,
        };
        let (needed, told, images) = (Vec::new(), Vec::new(), Vec::new());
        Some(Box::new(Self { automatic, tracker: Tracker::new(), needed, told, images }))
    }

    pub(super) fn clear(&mut self) {
        self.tracker.clear();
        self.images.clear();
    }

    /// Takes notice of barriers that are about to be recorded.
    fn barriers(&mut self, buffers: &[BufferBarrier<'_>], images: &[ImageBarrier<'_>]) -> Result<(), Error> {
        self.told.clear();
        let half = |transfer: Option<OwnershipTransfer>| transfer.filter(OwnershipTransfer::changes).map(|transfer| transfer.half);
        for barrier in buffers {
            let &BufferBarrier { range, from, to, transfer } = barrier;
            let told = ResourceRange::buffer(vk::Handle::as_raw(range.raw()), range.offset(), range.size());
            // A change of owner uses the bytes itself, like a change of layout.
            self.told.push(match half(transfer) {
                Some(half) => RangeBarrier::transfer(told, from, to, half),
                None => RangeBarrier::new(told, from, to),
            });
        }
        for barrier in images {
            let &ImageBarrier { image, from, to, transfer, .. } = barrier;
            let resource = ResourceId::Image(vk::Handle::as_raw(image.raw()));
            let changes = barrier.discards() || barrier.old_layout != barrier.new_layout;
            for (offset, size) in positions(image.range()) {
                let told = ResourceRange { resource, offset, size };
                self.told.push(match half(transfer) {
                    Some(half) => RangeBarrier::transfer(told, from, to, half),
                    None if changes => RangeBarrier::transition(told, from, to),
                    None => RangeBarrier::new(told, from, to),
                });
            }
        }
        self.tracker.barrier(&self.told).map_err(|hazard| Error::Hazard(Box::new(hazard)))
    }

    /// A barrier that the tracker calls for, by handles.
    fn raw(&self, barrier: &RangeBarrier) -> Option<RawBarrier> {
        let RangeBarrier { range, from, to, .. } = *barrier;
        let ResourceRange { resource, offset, size } = range?;
        match resource {
            ResourceId::Buffer(handle) => Some(RawBarrier::Buffer { raw: vk::Handle::from_raw(handle), offset, size, from, to }),
            ResourceId::Image(handle) => {
                let raw: vk::Image = vk::Handle::from_raw(handle);
                let (_, aspects) = self.images.iter().find(|(known, _)| *known == raw)?;
                let range = subresources(*aspects, offset, size);
                Some(RawBarrier::Image { raw, range, from, to })
            }
        }
    }
}

/// While the recording lives its buffers do, so handles tell them apart, also where two of ours stand for the same.
pub(super) fn use_of<'a>(range: &BufferRange<'a>, access: Access) -> Use<'a> {
    Use::buffer(vk::Handle::as_raw(range.raw()), range.buffer().name(), range.offset(), range.size(), access)
}

pub(super) fn uses_of<'a>(bindings: &[Binding<'a>], accesses: impl Iterator<Item = Access>) -> Uses<'a> {
    let mut uses = Uses::new();
    for (binding, access) in bindings.iter().zip(accesses) {
        match binding {
            Binding::Buffer(range) => uses.push(use_of(range, access)),
            Binding::Image(image) => {
                let (resource, name) = (ResourceId::Image(vk::Handle::as_raw(image.raw())), image.name());
                uses.extend(positions(image.range()).map(|(offset, size)| Use { resource, name, offset, size, access }));
            }
        }
    }
    uses
}

impl Recorder {
    /// Says that something was done with a range before this recording that no barrier orders yet: by the caller's own commands, or in an earlier
    /// submission. Only the checked and the automatic mode take notice, and of buffers of this device only. The recorder keeps the buffer alive.
    pub fn assume(&mut self, range: BufferRange<'_>, access: Access) {
        if self.hazards.is_none() || check::owner(&self.device, range.buffer()).is_err() {
            return;
        }
        self.keep_buffer(range.buffer());
        if let Some(hazards) = &mut self.hazards {
            let handle = vk::Handle::as_raw(range.raw());
            hazards.tracker.assume(ResourceRange::buffer(handle, range.offset(), range.size()), access);
        }
    }

    /// Says that a range will be used after this recording or between its commands by what the recorder does not see: the host, or the caller's own
    /// commands. The checked mode refuses where a barrier to that access is missing, the automatic mode inserts it.
    ///
    /// # Errors
    ///
    /// [`Error::Hazard`], [`Error::NotRecording`], [`Error::OtherDevice`].
    pub fn hand_over(&mut self, range: BufferRange<'_>, access: Access) -> Result<(), Error> {
        self.check_recording()?;
        check::owner(&self.device, range.buffer())?;
        // The barrier that is inserted names it.
        self.keep_buffer(range.buffer());
        let kind = match access {
            Access::HostRead | Access::HostWrite => CommandKind::Host,
            _ => CommandKind::Other,
        };
        self.track(kind, None, &[use_of(&range, access)])
    }

    /// Barriers recorded so far that nothing needed. Empty where hazards are not tracked.
    ///
    /// See [`Tracker::redundant`](crate::hazard::Tracker::redundant) for what counts as needed. In the automatic mode these are the caller's own.
    pub fn redundant_barriers(&self) -> Vec<RedundantBarrier> {
        let mut redundant = self.hazards.as_ref().map(|hazards| hazards.tracker.redundant()).unwrap_or_default();
        // Those without a range were added for a fault of the driver, which the tracker knows nothing of.
        redundant.retain(|found| found.barrier.range.is_some());
        redundant
    }

    /// Checks a command, or orders it, before it is recorded.
    pub(super) fn track(&mut self, kind: CommandKind, label: Option<&Arc<str>>, uses: &[Use<'_>]) -> Result<(), Error> {
        let Some(hazards) = &mut self.hazards else { return Ok(()) };
        let index = if kind == CommandKind::Dispatch { self.dispatches } else { self.transfers };
        let name = CommandName { kind, index, label };
        if !hazards.automatic {
            return hazards.tracker.command(name, uses).map_err(|hazard| Error::Hazard(Box::new(hazard)));
        }
        hazards.tracker.needed_barriers(uses, &mut hazards.needed);
        if !hazards.needed.is_empty() {
            let raw = hazards.needed.iter().filter_map(|barrier| hazards.raw(barrier));
            let global = self.barrier_recorder.record_raw(&self.device, self.commands, raw);
            if global {
                hazards.needed.push(RangeBarrier::memory(Access::ComputeReadWrite, Access::ComputeReadWrite));
            }
            self.barriers += 1;
            // Barriers between buffers change no layout, so they cannot be refused.
            let _ = hazards.tracker.barrier(&hazards.needed);
        }
        hazards.tracker.record(name, uses);
        Ok(())
    }

    /// Tells the tracker of the images that a command binds, so that it can be made to wait for them.
    pub(super) fn track_images(&mut self, bindings: &[Binding<'_>]) {
        let Some(hazards) = &mut self.hazards else { return };
        for binding in bindings {
            if let Binding::Image(image) = binding
                && !hazards.images.iter().any(|(known, _)| *known == image.raw())
            {
                hazards.images.push((image.raw(), image.range().aspect_mask));
            }
        }
    }

    /// Tells the tracker of barriers that are about to be recorded.
    #[inline]
    pub(super) fn track_barriers(&mut self, buffers: &[BufferBarrier<'_>], images: &[ImageBarrier<'_>]) -> Result<(), Error> {
        match &mut self.hazards {
            None => Ok(()),
            Some(hazards) => hazards.barriers(buffers, images),
        }
    }

    /// A global barrier between compute shaders was added to what was recorded.
    pub(super) fn track_global(&mut self) {
        if let Some(hazards) = &mut self.hazards {
            // It changes no layout, so it cannot be refused.
            let _ = hazards.tracker.barrier(&[RangeBarrier::memory(Access::ComputeReadWrite, Access::ComputeReadWrite)]);
        }
    }
}
