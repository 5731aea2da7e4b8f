//! Recording dispatches, barriers, fills and copies.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use ash::vk;
use wavelane_device::{Device, QuirkEffect};

use crate::access::BufferBarrier;
use crate::barrier::record_barrier;
use crate::check::{Shape, check_dispatch};
use crate::error::Error;
use crate::pipeline::ComputePipeline;
use crate::range::BufferRange;
use crate::resources::Resources;
use crate::submission::{Flight, Submission};
use crate::timing::{self, Query, Span, Timing};

/// Records into a command buffer: its own, to be submitted, or a caller's.
///
/// Nothing is recorded that was not asked for: dispatches that depend on each other need a [`Recorder::barrier`] between them, and results
/// that the host reads need one to [`Access::HostRead`](crate::Access::HostRead).
pub struct Recorder {
    device: Arc<Device>,
    commands: vk::CommandBuffer,
    resources: Arc<Resources>,
    foreign: bool,
    recording: bool,
    flight: Option<Arc<Flight>>,
    full_write_after_read: bool,
    spans: Vec<Span>,
    open: Vec<(usize, Option<Query>)>,
    dispatches: u32,
    barriers: u32,
    last_dispatch: Option<ComputePipeline>,
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder")
            .field("commands", &self.commands)
            .field("dispatches", &self.dispatches)
            .field("barriers", &self.barriers)
            .finish_non_exhaustive()
    }
}

impl Recorder {
    /// A recorder with a command buffer of its own, ready to record.
    ///
    /// # Errors
    ///
    /// What Vulkan returned.
    pub fn new(device: &Arc<Device>) -> Result<Self, Error> {
        let info = vk::CommandPoolCreateInfo::default().queue_family_index(device.queue().family());
        // SAFETY: the device is alive and has a queue of that family.
        let pool =
            unsafe { device.raw().create_command_pool(&info, None) }.map_err(|result| Error::vulkan("vkCreateCommandPool", result))?;
        // From here on, dropping the resources cleans up.
        let resources = Resources::new(device, pool);
        let info =
            vk::CommandBufferAllocateInfo::default().command_pool(pool).level(vk::CommandBufferLevel::PRIMARY).command_buffer_count(1);
        // SAFETY: the pool was just made, and is used by this recorder alone.
        let commands =
            unsafe { device.raw().allocate_command_buffers(&info) }.map_err(|result| Error::vulkan("vkAllocateCommandBuffers", result))?;
        let mut recorder = Self::over(device, commands.first().copied().unwrap_or_default(), resources, false);
        recorder.begin()?;
        Ok(recorder)
    }

    /// A recorder over a caller's command buffer. It only records: the caller ends and submits.
    ///
    /// # Errors
    ///
    /// None so far.
    ///
    /// # Safety
    ///
    /// The command buffer must be of the same device, of a queue family that can compute, in the recording state, outside of a render pass, and
    /// used by nobody else while the recorder records. The recorder owns descriptors, queries and pipeline handles that the commands
    /// use: it must be dropped only after the command buffer's execution is complete, or after the command buffer was reset or freed.
    pub unsafe fn foreign(device: &Arc<Device>, commands: vk::CommandBuffer) -> Result<Self, Error> {
        let resources = Resources::new(device, vk::CommandPool::null());
        let mut recorder = Self::over(device, commands, resources, true);
        recorder.recording = true;
        Ok(recorder)
    }

    fn over(device: &Arc<Device>, commands: vk::CommandBuffer, resources: Arc<Resources>, foreign: bool) -> Self {
        Self {
            device: Arc::clone(device),
            commands,
            resources,
            foreign,
            recording: false,
            flight: None,
            full_write_after_read: device.quirks().iter().any(|quirk| quirk.effect == QuirkEffect::FullBarrierForWriteAfterRead),
            spans: Vec::new(),
            open: Vec::new(),
            dispatches: 0,
            barriers: 0,
            last_dispatch: None,
        }
    }

    fn begin(&mut self) -> Result<(), Error> {
        let info = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        // SAFETY: the command buffer is this recorder's own and in the initial state.
        unsafe { self.device.raw().begin_command_buffer(self.commands, &info) }
            .map_err(|result| Error::vulkan("vkBeginCommandBuffer", result))?;
        self.recording = true;
        Ok(())
    }

    /// The device it records for.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// Vulkan's command buffer, in the recording state until [`Recorder::submit`].
    pub fn command_buffer(&self) -> vk::CommandBuffer {
        self.commands
    }

    /// Dispatches recorded so far.
    pub fn dispatches(&self) -> u32 {
        self.dispatches
    }

    /// Barriers recorded so far: calls of `vkCmdPipelineBarrier`, however many buffers each is about.
    pub fn barriers(&self) -> u32 {
        self.barriers
    }

    /// Keeps something alive until the work recorded so far is done and the recorder is reset or dropped: a buffer, for one.
    pub fn keep(&mut self, resource: Arc<dyn Any + Send + Sync>) {
        self.resources.lists().kept.push(resource);
    }

    /// Records a dispatch: `buffers` are bound to bindings 0, 1, … of set 0. No workgroups in a dimension means no work, and nothing is recorded.
    ///
    /// The buffers must stay alive until the work is done; the pipeline is kept alive by the recorder.
    ///
    /// # Errors
    ///
    /// A typed error for each limit of the device that the dispatch goes beyond, or what Vulkan returned.
    pub fn dispatch(
        &mut self,
        pipeline: &ComputePipeline,
        buffers: &[BufferRange],
        push_constants: &[u8],
        groups: [u32; 3],
    ) -> Result<(), Error> {
        self.check_recording()?;
        if !Arc::ptr_eq(pipeline.device(), &self.device) {
            return Err(Error::WrongDevice { pipeline: pipeline.name().to_owned() });
        }
        check_dispatch(
            &self.device.capabilities().limits,
            Shape { name: pipeline.name(), buffers: pipeline.storage_buffers(), push_constants: pipeline.push_constant_bytes() },
            buffers,
            push_constants.len(),
            groups,
        )?;
        if groups.contains(&0) {
            return Ok(());
        }
        if !buffers.is_empty() {
            self.bind(pipeline, buffers)?;
        }
        let device = self.device.raw();
        // SAFETY: the command buffer is being recorded; pipeline, layout, sizes and counts were checked against each other and the limits.
        unsafe {
            device.cmd_bind_pipeline(self.commands, vk::PipelineBindPoint::COMPUTE, pipeline.raw());
            if !push_constants.is_empty() {
                device.cmd_push_constants(self.commands, pipeline.layout(), vk::ShaderStageFlags::COMPUTE, 0, push_constants);
            }
            device.cmd_dispatch(self.commands, groups[0], groups[1], groups[2]);
        }
        // The same pipeline twice in a row needs one handle.
        if self.last_dispatch.as_ref().is_none_or(|last| last.raw() != pipeline.raw()) {
            self.resources.lists().pipelines.push(pipeline.clone());
            self.last_dispatch = Some(pipeline.clone());
        }
        self.dispatches += 1;
        Ok(())
    }

    fn bind(&mut self, pipeline: &ComputePipeline, buffers: &[BufferRange]) -> Result<(), Error> {
        let infos: Vec<_> = buffers
            .iter()
            .map(|range| [vk::DescriptorBufferInfo { buffer: range.buffer, offset: range.offset, range: range.size }])
            .collect();
        let set = match self.device.push_descriptor() {
            Some(_) => vk::DescriptorSet::null(),
            None => self.resources.lists().descriptors.allocate(&self.device, pipeline)?,
        };
        let writes: Vec<_> = (0u32..)
            .zip(&infos)
            .map(|(binding, info)| {
                vk::WriteDescriptorSet::default()
                    .dst_set(set)
                    .dst_binding(binding)
                    .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                    .buffer_info(info)
            })
            .collect();
        // SAFETY: one write for each binding of the layout; ranges were checked against the limits, and that they lie within living buffers
        // is the caller's promise; a set from the pool is new and not in use.
        unsafe {
            match self.device.push_descriptor() {
                Some(functions) => {
                    functions.cmd_push_descriptor_set(self.commands, vk::PipelineBindPoint::COMPUTE, pipeline.layout(), 0, &writes);
                }
                None => {
                    let device = self.device.raw();
                    device.update_descriptor_sets(&writes, &[]);
                    device.cmd_bind_descriptor_sets(self.commands, vk::PipelineBindPoint::COMPUTE, pipeline.layout(), 0, &[set], &[]);
                }
            }
        }
        Ok(())
    }

    /// Records one barrier for all of the given ranges. None given, none recorded.
    ///
    /// # Errors
    ///
    /// [`Error::NotRecording`].
    pub fn barrier(&mut self, barriers: &[BufferBarrier]) -> Result<(), Error> {
        self.check_recording()?;
        if barriers.is_empty() {
            return Ok(());
        }
        record_barrier(&self.device, self.commands, barriers, self.full_write_after_read);
        self.barriers += 1;
        Ok(())
    }

    /// Fills a range with a 32-bit value, as [`Access::TransferWrite`](crate::Access::TransferWrite).
    ///
    /// # Errors
    ///
    /// [`Error::FillMisaligned`] where offset or size is no multiple of 4.
    pub fn fill(&mut self, range: BufferRange, value: u32) -> Result<(), Error> {
        self.check_recording()?;
        if !range.offset.is_multiple_of(4) || !range.size.is_multiple_of(4) {
            return Err(Error::FillMisaligned { offset: range.offset, size: range.size });
        }
        if range.size > 0 {
            // SAFETY: the command buffer is being recorded, the range consists of whole words within a living buffer.
            unsafe { self.device.raw().cmd_fill_buffer(self.commands, range.buffer, range.offset, range.size, value) };
        }
        Ok(())
    }

    /// Copies a range to another, as [`Access::TransferRead`](crate::Access::TransferRead) and
    /// [`Access::TransferWrite`](crate::Access::TransferWrite).
    ///
    /// # Errors
    ///
    /// [`Error::CopySizes`] where the ranges differ in size, [`Error::CopyOverlap`] where they overlap.
    pub fn copy(&mut self, from: BufferRange, to: BufferRange) -> Result<(), Error> {
        self.check_recording()?;
        if from.size != to.size {
            return Err(Error::CopySizes { from: from.size, to: to.size });
        }
        if from.buffer == to.buffer && from.offset < to.offset.saturating_add(to.size) && to.offset < from.offset.saturating_add(from.size)
        {
            return Err(Error::CopyOverlap { from: from.offset, to: to.offset, size: from.size });
        }
        if from.size > 0 {
            let regions = [vk::BufferCopy { src_offset: from.offset, dst_offset: to.offset, size: from.size }];
            // SAFETY: the command buffer is being recorded; the ranges lie within living buffers and do not overlap.
            unsafe { self.device.raw().cmd_copy_buffer(self.commands, from.buffer, to.buffer, &regions) };
        }
        Ok(())
    }

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
        let clock = &self.device.capabilities().timestamps;
        let queries = if clock.valid_bits > 0 && self.device.queue().timestamp_valid_bits() > 0 {
            Some(self.resources.lists().queries.pair(&self.device, self.commands)?)
        } else {
            None
        };
        if let Some((begin, _)) = queries {
            timing::write(&self.device, self.commands, begin);
        }
        self.open.push((self.spans.len(), queries.map(|(_, end)| end)));
        self.spans.push(Span { label: label.to_owned(), queries });
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

    fn begin_label(&self, label: &str) {
        if let Some(functions) = self.device.debug_utils() {
            let bytes: Vec<u8> = label.bytes().filter(|&byte| byte != 0).collect();
            let label = std::ffi::CString::new(bytes).unwrap_or_default();
            // SAFETY: the command buffer is being recorded, the label lives until the call returns.
            unsafe {
                functions.cmd_begin_debug_utils_label(self.commands, &vk::DebugUtilsLabelEXT::default().label_name(&label));
            }
        }
    }

    fn end_label(&self) {
        if let Some(functions) = self.device.debug_utils() {
            // SAFETY: the command buffer is being recorded, and a label was begun in it.
            unsafe { functions.cmd_end_debug_utils_label(self.commands) };
        }
    }

    /// Ends the recording and submits it. Spans still open are ended with it.
    ///
    /// # Errors
    ///
    /// [`Error::Foreign`] for a caller's command buffer, [`Error::NotRecording`] when submitted already, [`Error::DeviceLost`], or what Vulkan returned.
    pub fn submit(&mut self) -> Result<Submission, Error> {
        if self.foreign {
            return Err(Error::Foreign { action: "submit" });
        }
        while !self.open.is_empty() {
            self.end_timing()?;
        }
        self.check_recording()?;
        let name = self.last_dispatch.as_ref().map(|pipeline| pipeline.name().to_owned());
        let named = |error: Error| if error.is_device_lost() { Error::DeviceLost { last_dispatch: name.clone() } } else { error };
        self.recording = false;
        // SAFETY: the command buffer is being recorded.
        unsafe { self.device.raw().end_command_buffer(self.commands) }
            .map_err(|result| named(Error::vulkan("vkEndCommandBuffer", result)))?;
        let flight = Flight::submit(&self.device, self.commands).map_err(named)?;
        let spans = std::mem::take(&mut self.spans);
        let submission = Submission::new(&self.device, &flight, &self.resources, spans, name);
        self.flight = Some(flight);
        Ok(submission)
    }

    /// Forgets what was recorded, lets go of what was kept for it, and starts a new recording. Pools are kept. Times of a submission that was
    /// not waited for before are lost.
    ///
    /// # Errors
    ///
    /// [`Error::InFlight`] while the device works on the last submission, [`Error::Foreign`] for a caller's command buffer, or what Vulkan returned.
    pub fn reset(&mut self) -> Result<(), Error> {
        if self.foreign {
            return Err(Error::Foreign { action: "reset" });
        }
        if self.flight.as_ref().is_some_and(|flight| !flight.done()) {
            return Err(Error::InFlight);
        }
        self.flight = None;
        self.recording = false;
        // SAFETY: the pool's only command buffer is this recorder's, and not in flight.
        unsafe { self.device.raw().reset_command_pool(self.resources.command_pool(), vk::CommandPoolResetFlags::empty()) }
            .map_err(|result| Error::vulkan("vkResetCommandPool", result))?;
        {
            let mut lists = self.resources.lists();
            lists.descriptors.reset(&self.device)?;
            lists.queries.restart();
            lists.pipelines.clear();
            lists.kept.clear();
        }
        self.spans.clear();
        self.open.clear();
        (self.dispatches, self.barriers) = (0, 0);
        self.last_dispatch = None;
        self.begin()
    }

    /// Times of the spans of a caller's command buffer. (A recorder's own are had from its [`Submission`].)
    ///
    /// # Safety
    ///
    /// The command buffer's execution must be complete.
    pub unsafe fn foreign_timings(&self) -> Vec<Timing> {
        timing::read(&self.device, &self.spans)
    }

    fn check_recording(&self) -> Result<(), Error> {
        if self.recording { Ok(()) } else { Err(Error::NotRecording) }
    }
}
