//! Keeping alive what a recording uses.

use wavelane_device::{Buffer, Image};

use super::Recorder;
use crate::binding::Binding;
use crate::pipeline::ComputePipeline;

impl Recorder {
    #[inline]
    pub(super) fn keep_buffer(&mut self, buffer: &Buffer) {
        if !self.recent.resource(buffer.id()) {
            self.lists.kept.buffer(buffer);
        }
    }

    #[inline]
    pub(super) fn keep_image(&mut self, image: &Image) {
        if !self.recent.resource(image.id()) {
            self.lists.kept.image(image);
        }
    }

    /// What a dispatch uses.
    #[inline]
    pub(super) fn keep_all(&mut self, pipeline: &ComputePipeline, bindings: &[Binding<'_>]) {
        if !self.recent.pipeline(pipeline.id()) {
            self.lists.kept.pipeline(pipeline);
        }
        for binding in bindings {
            match binding {
                Binding::Buffer(range) => self.keep_buffer(range.buffer()),
                Binding::Image(image) => self.keep_image(image),
            }
        }
    }

    /// The pipeline dispatched last: what the device may have died of.
    pub(super) fn last_dispatch(&self) -> Option<&ComputePipeline> {
        self.last_dispatch.and_then(|id| self.lists.kept.pipeline_with(id))
    }
}
