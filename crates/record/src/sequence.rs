//! A recording that is submitted again and again.

use std::fmt;

use ash::vk;
use wavelane_device::SyncPoint;

use crate::completion::Completion;
use crate::error::Error;
use crate::recorder::{Recorder, SubmitOptions};
use crate::submission::Submission;

/// A finished recording, from [`Recorder::finish`]. Submitting it costs no recording.
///
/// **Threads.** Several may submit it. Under [`Reuse::Many`](crate::Reuse::Many) one that comes while the device still works on another's submission is told
/// [`Error::InFlight`].
pub struct Sequence {
    recorder: Recorder,
}

impl fmt::Debug for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sequence").field("recorder", &self.recorder).finish()
    }
}

impl Sequence {
    pub(crate) fn new(recorder: Recorder) -> Self {
        Self { recorder }
    }

    /// Submits it.
    ///
    /// # Errors
    ///
    /// [`Error::InFlight`] while the device works on the last submission, unless it was recorded for
    /// [`Reuse::Simultaneous`](crate::Reuse::Simultaneous); [`Error::SubmittedOnce`] for the second time under
    /// [`Reuse::Once`](crate::Reuse::Once); [`Error::DeviceLost`], or what Vulkan returned.
    pub fn submit(&self) -> Result<Submission, Error> {
        self.submit_after(&[])
    }

    /// Submits it behind other work of the same device.
    ///
    /// # Errors
    ///
    /// As [`Sequence::submit`].
    pub fn submit_after(&self, after: &[SyncPoint]) -> Result<Submission, Error> {
        // SAFETY: there are no semaphores and no fence of the caller's.
        unsafe { self.submit_with(&SubmitOptions { after, ..SubmitOptions::default() }) }
    }

    /// Submits it, waiting for and signalling the caller's semaphores.
    ///
    /// # Errors
    ///
    /// As [`Sequence::submit`].
    ///
    /// # Safety
    ///
    /// As [`Recorder::submit_with`].
    pub unsafe fn submit_with(&self, options: &SubmitOptions<'_>) -> Result<Submission, Error> {
        // SAFETY: as the caller promises.
        unsafe { self.recorder.submit_ended(options) }
    }

    /// Vulkan's command buffer, in the executable state.
    pub fn command_buffer(&self) -> vk::CommandBuffer {
        self.recorder.command_buffer()
    }

    /// How far it has come since it was last submitted.
    pub fn completion(&self) -> Completion {
        self.recorder.completion()
    }

    /// Dispatches in it.
    pub fn dispatches(&self) -> u32 {
        self.recorder.dispatches()
    }

    /// Barriers in it.
    pub fn barriers(&self) -> u32 {
        self.recorder.barriers()
    }

    /// Back to a recorder, which records anew after a [`Recorder::reset`].
    pub fn into_recorder(self) -> Recorder {
        self.recorder
    }
}
