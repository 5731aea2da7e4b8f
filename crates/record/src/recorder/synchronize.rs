//! Barriers.

use super::Recorder;
use crate::access::Access;
use crate::barrier::{BufferBarrier, ImageBarrier};
use crate::check;
use crate::error::Error;

impl Recorder {
    /// Records one barrier for all of the given ranges. None given, none recorded.
    ///
    /// # Errors
    ///
    /// As [`Recorder::barriers_of`].
    pub fn barrier(&mut self, barriers: &[BufferBarrier<'_>]) -> Result<(), Error> {
        self.barriers_of(barriers, &[])
    }

    /// Records one barrier for all of the given ranges and images. None given, none recorded; ranges of no bytes are left out.
    ///
    /// # Errors
    ///
    /// [`Error::NotRecording`]; [`Error::OtherDevice`]; [`Error::QueueAccess`], [`Error::QueueFamily`] and [`Error::NewLayout`]; [`Error::Hazard`] where a change of an image's layout does not wait for what was done with the image before.
    pub fn barriers_of(&mut self, buffers: &[BufferBarrier<'_>], images: &[ImageBarrier<'_>]) -> Result<(), Error> {
        self.check_recording()?;
        if images.is_empty() && buffers.iter().all(|barrier| barrier.range.size() == 0) {
            return Ok(());
        }
        let new = self.device.synchronization2().is_some();
        self.barrier_recorder.begin();
        // What is refused was gathered in vain: nothing is recorded before the end.
        for barrier in buffers {
            check::owner(&self.device, barrier.range.buffer())?;
            if barrier.transfer.is_some() || !self.accesses.has(barrier.from) || !self.accesses.has(barrier.to) {
                check::barrier(&self.device, self.queue, (barrier.from, barrier.to), barrier.transfer, None)?;
            }
            if barrier.range.size() > 0 {
                self.keep_buffer(barrier.range.buffer());
                self.barrier_recorder.buffer(new, barrier);
            }
        }
        for barrier in images {
            check::image_owner(&self.device, barrier.image)?;
            // Where the contents do not matter, what was done before does not either.
            let from = if barrier.discards() { Access::HostRead } else { barrier.from };
            check::barrier(&self.device, self.queue, (from, barrier.to), barrier.transfer, Some(barrier.new_layout))?;
            self.keep_image(barrier.image);
            self.barrier_recorder.image(new, barrier);
        }
        if self.omit_barrier == Some(self.barriers) {
            self.barriers += 1;
            return Ok(());
        }
        self.track_barriers(buffers, images)?;
        if self.barrier_recorder.flush(&self.device, self.commands) {
            self.track_global();
        }
        self.barriers += 1;
        Ok(())
    }
}
