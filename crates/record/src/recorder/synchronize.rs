//! Barriers.

use super::Recorder;
use crate::barrier::{BufferBarrier, ImageBarrier};
use crate::error::Error;

impl Recorder {
    /// Records one barrier for all of the given ranges. None given, none recorded.
    ///
    /// # Errors
    ///
    /// [`Error::NotRecording`].
    pub fn barrier(&mut self, barriers: &[BufferBarrier<'_>]) -> Result<(), Error> {
        self.barriers_of(barriers, &[])
    }

    /// Records one barrier for all of the given ranges and images. None given, none recorded.
    ///
    /// # Errors
    ///
    /// [`Error::NotRecording`].
    pub fn barriers_of(&mut self, buffers: &[BufferBarrier<'_>], images: &[ImageBarrier<'_>]) -> Result<(), Error> {
        self.check_recording()?;
        if buffers.is_empty() && images.is_empty() {
            return Ok(());
        }
        {
            let mut lists = self.resources.lists();
            buffers.iter().for_each(|barrier| lists.kept.buffer(barrier.range.buffer()));
            images.iter().for_each(|barrier| lists.kept.image(barrier.image));
        }
        self.barrier_recorder.record(&self.device, self.commands, buffers, images);
        self.barriers += 1;
        Ok(())
    }
}
