//! Keeping alive what a recording uses.

use wavelane_device::{Buffer, Image};

use super::Recorder;
use crate::binding::Binding;
use crate::pipeline::ComputePipeline;
use crate::resources::Lists;

impl Recorder {
    #[inline]
    pub(super) fn keep_buffer(&mut self, buffer: &Buffer) {
        if !self.recent.resource(buffer.id()) {
            self.resources.lists().kept.buffer(buffer);
        }
    }

    #[inline]
    pub(super) fn keep_image(&mut self, image: &Image) {
        if !self.recent.resource(image.id()) {
            self.resources.lists().kept.image(image);
        }
    }

    /// What a dispatch uses, with the lists locked at most once.
    #[inline]
    pub(super) fn keep_all(&mut self, pipeline: &ComputePipeline, bindings: &[Binding<'_>]) {
        let mut lists = None;
        if !self.recent.pipeline(pipeline.id()) {
            lists.get_or_insert_with(|| self.resources.lists()).kept.pipeline(pipeline);
        }
        for binding in bindings {
            match binding {
                Binding::Buffer(range) if !self.recent.resource(range.buffer().id()) => {
                    lists.get_or_insert_with(|| self.resources.lists()).kept.buffer(range.buffer());
                }
                Binding::Image(image) if !self.recent.resource(image.id()) => {
                    lists.get_or_insert_with(|| self.resources.lists()).kept.image(image);
                }
                _ => {}
            }
        }
    }

    /// The pipeline dispatched last: what the device may have died of.
    pub(super) fn last_dispatch(&self, lists: &Lists) -> Option<ComputePipeline> {
        self.last_dispatch.and_then(|id| lists.kept.pipeline_with(id)).cloned()
    }
}
