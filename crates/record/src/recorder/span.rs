//! Spans: parts of a recording that are timed and labelled.

use std::ffi::CString;

use ash::vk;

use super::Recorder;
use crate::error::Error;
use crate::timing::{self, Span, Timing};

impl Recorder {
    /// Begins a span whose time on the device is measured, and which profilers show under its label. Spans may nest.
    ///
    /// Its time runs from when everything recorded before is done to when everything in it is done, so that work in it that needs no barrier may have
    /// begun before its time does.
    ///
    /// # Errors
    ///
    /// [`Error::NotRecording`], or what Vulkan returned.
    pub fn begin_timing(&mut self, label: &str) -> Result<(), Error> {
        self.check_recording()?;
        self.begin_label(label);
        let queries = self.queries()?;
        if let Some((begin, _)) = queries {
            timing::write(&self.device, self.commands, begin);
        }
        self.open.push((self.measured.spans.len(), queries.map(|(_, end)| end)));
        self.measured.spans.push(Span { label: label.to_owned(), queries });
        Ok(())
    }

    /// Ends the span begun last. Does nothing where none is open.
    ///
    /// # Errors
    ///
    /// [`Error::NotRecording`].
    pub fn end_timing(&mut self) -> Result<(), Error> {
        self.check_recording()?;
        if let Some((_, end)) = self.open.pop() {
            if let Some(end) = end {
                timing::write(&self.device, self.commands, end);
            }
            self.end_label();
        }
        Ok(())
    }

    pub(super) fn begin_label(&self, label: &str) {
        if let Some(functions) = self.device.debug_utils() {
            let bytes: Vec<u8> = label.bytes().filter(|&byte| byte != 0).collect();
            let label = CString::new(bytes).unwrap_or_default();
            // SAFETY: the command buffer is being recorded, the label lives until the call returns.
            unsafe {
                functions.cmd_begin_debug_utils_label(self.commands, &vk::DebugUtilsLabelEXT::default().label_name(&label));
            }
        }
    }

    pub(super) fn end_label(&self) {
        if let Some(functions) = self.device.debug_utils() {
            // SAFETY: the command buffer is being recorded, and a label was begun in it.
            unsafe { functions.cmd_end_debug_utils_label(self.commands) };
        }
    }

    /// Times of the spans of a caller's command buffer. (A recorder's own are had from its [`Submission`](crate::Submission).)
    ///
    /// # Safety
    ///
    /// The command buffer's execution must be complete.
    pub unsafe fn foreign_timings(&self) -> Vec<Timing> {
        timing::read(&self.device, &self.measured.spans)
    }

    /// Says that a caller's command buffer is done, for those who hold its [`Recorder::completion`]. Does nothing for a recorder's own, which knows.
    ///
    /// # Safety
    ///
    /// The command buffer's execution must be complete.
    pub unsafe fn foreign_done(&mut self) {
        if self.foreign {
            self.recording = false;
            self.completion.done();
        }
    }
}
