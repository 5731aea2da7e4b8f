//! The end of a recording: submitting it, or making a sequence of it.

use std::sync::{Arc, MutexGuard};

use smallvec::SmallVec;
use wavelane_device::{SemaphoreSignal, SemaphoreWait, Submit, SyncPoint, vk};

use super::{Recorder, Reuse};
use crate::error::Error;
use crate::pipeline::ComputePipeline;
use crate::resources::State;
use crate::sequence::Sequence;
use crate::submission::Submission;

/// What a submission waits for and signals.
#[derive(Clone, Copy, Debug, Default)]
pub struct SubmitOptions<'a> {
    /// Work of the same device that must be done before. What it wrote is visible then, without a barrier.
    pub after: &'a [SyncPoint],
    /// The caller's semaphores to wait for.
    pub waits: &'a [SemaphoreWait],
    /// The caller's semaphores to signal.
    pub signals: &'a [SemaphoreSignal],
    /// The caller's fence to signal; null for none.
    pub fence: vk::Fence,
}

impl Recorder {
    /// Ends the recording and submits it. Spans still open are ended with it.
    ///
    /// # Errors
    ///
    /// [`Error::Foreign`] for a caller's command buffer, [`Error::NotRecording`] when submitted already, [`Error::DeviceLost`], or what Vulkan returned.
    pub fn submit(&mut self) -> Result<Submission, Error> {
        self.submit_after(&[])
    }

    /// Ends the recording and submits it behind other work of the same device, on this queue or another.
    ///
    /// # Errors
    ///
    /// As [`Recorder::submit`].
    pub fn submit_after(&mut self, after: &[SyncPoint]) -> Result<Submission, Error> {
        // SAFETY: there are no semaphores and no fence of the caller's.
        unsafe { self.submit_with(&SubmitOptions { after, ..SubmitOptions::default() }) }
    }

    /// Ends the recording and submits it, waiting for and signalling the caller's semaphores.
    ///
    /// # Errors
    ///
    /// As [`Recorder::submit`].
    ///
    /// # Safety
    ///
    /// Semaphores and fence must be of the same device, stay alive until the submission is done, and be used as their kind allows: a binary semaphore is
    /// signalled by what was submitted before, a value to signal is larger than the semaphore's.
    pub unsafe fn submit_with(&mut self, options: &SubmitOptions<'_>) -> Result<Submission, Error> {
        self.end()?;
        // SAFETY: as the caller promises.
        unsafe { self.submit_ended(options) }
    }

    /// Ends several recordings and submits them in one call, in this order. They must be for one queue.
    ///
    /// The command buffers follow each other like parts of one: barriers in one are about what the ones before did.
    ///
    /// # Errors
    ///
    /// As [`Recorder::submit`]; [`Error::QueuesDiffer`]. Nothing is submitted then.
    pub fn submit_together(recorders: &mut [&mut Self], after: &[SyncPoint]) -> Result<Vec<Submission>, Error> {
        let Some(first) = recorders.first() else { return Ok(Vec::new()) };
        let (device, queue) = (Arc::clone(&first.device), first.queue);
        if recorders.iter().any(|recorder| recorder.queue != queue || !Arc::ptr_eq(&recorder.device, &device)) {
            return Err(Error::QueuesDiffer);
        }
        for recorder in recorders.iter_mut() {
            recorder.check_recording()?;
            recorder.check_own("submit")?;
        }
        for recorder in recorders.iter_mut() {
            recorder.end()?;
        }
        let commands: SmallVec<[vk::CommandBuffer; 8]> = recorders.iter().map(|recorder| recorder.commands).collect();
        let submit = Submit { command_buffers: &commands, after, ..Submit::default() };
        // SAFETY: the command buffers are ended, of the queue's family and not in flight; the recorders and submissions keep what they use.
        let point = unsafe { device.submit(queue, &submit) }.map_err(|error| {
            let last = recorders.last().and_then(|recorder| recorder.last_dispatch());
            Error::from(error).after(last.map(ComputePipeline::name))
        })?;
        Ok(recorders.iter().map(|recorder| recorder.submitted(recorder.resources.state(), point)).collect())
    }

    /// Ends the recording, to be submitted as often as its [`Reuse`] allows.
    ///
    /// # Errors
    ///
    /// As [`Recorder::submit`].
    pub fn finish(mut self) -> Result<Sequence, Error> {
        self.end()?;
        Ok(Sequence::new(self))
    }

    fn check_own(&self, action: &'static str) -> Result<(), Error> {
        if self.foreign { Err(Error::Foreign { action }) } else { Ok(()) }
    }

    fn end(&mut self) -> Result<(), Error> {
        self.check_own("submit")?;
        while !self.open.is_empty() {
            self.end_timing()?;
        }
        self.check_recording()?;
        self.recording = false;
        // SAFETY: the command buffer is being recorded.
        unsafe { self.device.raw().end_command_buffer(self.commands) }
            .map_err(|result| Error::vulkan("vkEndCommandBuffer", result).after(self.last_dispatch().map(ComputePipeline::name)))
    }

    /// Submits the ended command buffer, again if its [`Reuse`] allows.
    ///
    /// # Safety
    ///
    /// As [`Recorder::submit_with`].
    pub(crate) unsafe fn submit_ended(&self, options: &SubmitOptions<'_>) -> Result<Submission, Error> {
        let SubmitOptions { after, waits, signals, fence } = *options;
        let commands = [self.commands];
        let submit = Submit { command_buffers: &commands, after, waits, signals, fence };
        // Held until it is submitted, so that two threads cannot both find the sequence idle.
        let state = self.resources.state();
        match (self.reuse, state.last) {
            (Reuse::Once, Some(_)) => return Err(Error::SubmittedOnce),
            (Reuse::Many, Some(point)) if !self.device.is_done(point)? => return Err(Error::InFlight),
            _ => {}
        }
        // SAFETY: the command buffer is ended, of a pool of the queue's family, and not in flight unless made for that; recorder and submission
        // keep alive what it uses; the semaphores are the caller's promise.
        let submitted = unsafe { self.device.submit(self.queue, &submit) };
        let point = submitted.map_err(|error| Error::from(error).after(self.last_dispatch().map(ComputePipeline::name)))?;
        Ok(self.submitted(state, point))
    }

    fn submitted(&self, mut state: MutexGuard<'_, State>, point: SyncPoint) -> Submission {
        state.last = Some(point);
        // Before another thread submits the same sequence, whose point is the later one.
        self.completion.submitted(point, self.last_dispatch().map(ComputePipeline::label));
        drop(state);
        // Only a recording that is timed has something to share.
        let measured = (!self.measured.is_empty()).then(|| Arc::new(self.measured.clone()));
        Submission::new(&self.device, point, &self.resources, measured, self.last_dispatch().cloned())
    }
}
