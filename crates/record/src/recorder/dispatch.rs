//! Dispatches.

use std::sync::Arc;

use ash::vk;
use wavelane_device::QueueRole;

use super::Recorder;
use super::hazards::{use_of, uses_of};
use crate::access::Access;
use crate::binding::Binding;
use crate::check::{self, Call};
use crate::descriptors::Descriptors;
use crate::error::Error;
use crate::hazard::CommandKind;
use crate::pipeline::ComputePipeline;
use crate::range::BufferRange;

/// Bytes of a `VkDispatchIndirectCommand`.
const INDIRECT_BYTES: u64 = 12;

impl Recorder {
    /// Records a dispatch: `bindings` are bound to bindings 0, 1, … of set 0. No workgroups in a dimension means no work, and nothing is recorded.
    ///
    /// # Errors
    ///
    /// A typed error for each limit of the device that the dispatch goes beyond; [`Error::Hazard`] where a barrier is missing and looked for; or what Vulkan
    /// returned.
    ///
    /// # Safety
    ///
    /// With these push constants and this many workgroups, the shader must not reach outside what is bound, nor run for ever. (A missing barrier is
    /// no danger to memory: what is read is undefined, and a shader that takes indices from it must keep them in bounds.)
    pub unsafe fn dispatch(
        &mut self,
        pipeline: &ComputePipeline,
        bindings: &[Binding<'_>],
        push_constants: &[u8],
        groups: [u32; 3],
    ) -> Result<(), Error> {
        self.check(pipeline, bindings, push_constants, groups)?;
        if groups.contains(&0) {
            return Ok(());
        }
        self.order(pipeline, bindings, None)?;
        self.prepare(pipeline, bindings, push_constants)?;
        self.command(pipeline, Some(groups), |device, commands| {
            // SAFETY: the command buffer is being recorded; pipeline and bindings fit each other, the counts are within the limits.
            unsafe { device.cmd_dispatch(commands, groups[0], groups[1], groups[2]) };
        })
    }

    /// Records a dispatch whose workgroups count from `base` instead of zero.
    ///
    /// # Errors
    ///
    /// As [`Recorder::dispatch`]; [`Error::DispatchBase`] where the pipeline was not made for it.
    ///
    /// # Safety
    ///
    /// As [`Recorder::dispatch`].
    pub unsafe fn dispatch_base(
        &mut self,
        pipeline: &ComputePipeline,
        bindings: &[Binding<'_>],
        push_constants: &[u8],
        base: [u32; 3],
        groups: [u32; 3],
    ) -> Result<(), Error> {
        if !pipeline.takes_base() {
            return Err(Error::DispatchBase { pipeline: pipeline.name().to_owned() });
        }
        // The limit is on the numbers that workgroups get, not on how many there are. An end past u32 is past every limit.
        let end = [0, 1, 2].map(|axis| base[axis].saturating_add(groups[axis]));
        self.check(pipeline, bindings, push_constants, end)?;
        if groups.contains(&0) {
            return Ok(());
        }
        self.order(pipeline, bindings, None)?;
        self.prepare(pipeline, bindings, push_constants)?;
        self.command(pipeline, Some(groups), |device, commands| {
            // SAFETY: as in `dispatch`; the pipeline was made to take a base.
            unsafe { device.cmd_dispatch_base(commands, base[0], base[1], base[2], groups[0], groups[1], groups[2]) };
        })
    }

    /// Records a dispatch whose counts the device reads from `arguments` when it comes to it: three `u32`, as
    /// `VkDispatchIndirectCommand`. A barrier to [`Access::IndirectRead`](crate::Access::IndirectRead) goes before it where the device wrote them.
    ///
    /// # Errors
    ///
    /// As [`Recorder::dispatch`]; [`Error::IndirectArguments`] where the range cannot hold arguments.
    ///
    /// # Safety
    ///
    /// As [`Recorder::dispatch`], whatever the counts turn out to be; and these must keep to `maxComputeWorkGroupCount`.
    pub unsafe fn dispatch_indirect(
        &mut self,
        pipeline: &ComputePipeline,
        bindings: &[Binding<'_>],
        push_constants: &[u8],
        arguments: BufferRange<'_>,
    ) -> Result<(), Error> {
        self.check(pipeline, bindings, push_constants, [1; 3])?;
        check::owner(&self.device, arguments.buffer())?;
        check::arguments(&arguments, INDIRECT_BYTES)?;
        self.order(pipeline, bindings, Some(&arguments))?;
        self.prepare(pipeline, bindings, push_constants)?;
        self.keep_buffer(arguments.buffer());
        self.command(pipeline, None, |device, commands| {
            // SAFETY: as in `dispatch`; the arguments lie within a living buffer for indirect arguments, at a multiple of 4.
            unsafe { device.cmd_dispatch_indirect(commands, arguments.raw(), arguments.offset()) };
        })
    }

    // One function with its caller, as are `order`, `prepare` and `command`: a call hands on more than it does.
    #[inline(always)]
    fn check(&self, pipeline: &ComputePipeline, bindings: &[Binding<'_>], push_constants: &[u8], groups: [u32; 3]) -> Result<(), Error> {
        self.check_recording()?;
        if !Arc::ptr_eq(pipeline.device(), &self.device) {
            return Err(Error::WrongDevice { pipeline: pipeline.name().to_owned() });
        }
        if self.queue == QueueRole::Transfer && !self.device.queue(self.queue).flags().contains(vk::QueueFlags::COMPUTE) {
            return Err(Error::QueueCannotCompute { pipeline: pipeline.name().to_owned() });
        }
        let call = Call {
            name: pipeline.name(),
            expected: pipeline.bindings(),
            push_constant_bytes: pipeline.push_constant_bytes(),
            device: &self.device,
        };
        check::dispatch(call, bindings, push_constants.len(), groups)
    }

    /// Sees to the order between this dispatch and what was recorded before.
    #[inline(always)]
    fn order(&mut self, pipeline: &ComputePipeline, bindings: &[Binding<'_>], arguments: Option<&BufferRange<'_>>) -> Result<(), Error> {
        if self.hazards.is_none() { Ok(()) } else { self.order_tracked(pipeline, bindings, arguments) }
    }

    fn order_tracked(
        &mut self,
        pipeline: &ComputePipeline,
        bindings: &[Binding<'_>],
        arguments: Option<&BufferRange<'_>>,
    ) -> Result<(), Error> {
        self.track_images(bindings);
        let mut uses = uses_of(bindings, pipeline.bindings().iter().map(|binding| binding.access));
        uses.extend(arguments.map(|range| use_of(range, Access::IndirectRead)));
        self.track(CommandKind::Dispatch, Some(pipeline.label()), &uses)
    }

    /// Binds everything, and keeps it alive.
    #[inline(always)]
    fn prepare(&mut self, pipeline: &ComputePipeline, bindings: &[Binding<'_>], push_constants: &[u8]) -> Result<(), Error> {
        self.keep_all(pipeline, bindings);
        if !bindings.is_empty() {
            let set = match self.device.push_descriptor() {
                Some(_) => vk::DescriptorSet::null(),
                None => self.lists.descriptors.next(&self.device, pipeline, bindings)?,
            };
            self.bind(pipeline, bindings, set);
        }
        let device = self.device.raw();
        // SAFETY: the command buffer is being recorded; pipeline, layout and sizes were checked against each other and the limits.
        unsafe {
            device.cmd_bind_pipeline(self.commands, vk::PipelineBindPoint::COMPUTE, pipeline.raw());
            if !push_constants.is_empty() {
                device.cmd_push_constants(self.commands, pipeline.layout(), vk::ShaderStageFlags::COMPUTE, 0, push_constants);
            }
        }
        Ok(())
    }

    #[inline]
    fn bind(&self, pipeline: &ComputePipeline, bindings: &[Binding<'_>], set: vk::DescriptorSet) {
        let (compute, layout) = (vk::PipelineBindPoint::COMPUTE, pipeline.layout());
        match self.device.push_descriptor() {
            Some(functions) => {
                let descriptors = Descriptors::of(bindings);
                // SAFETY: one write for each binding of the layout, which is of the push-descriptor kind; everything shown is alive.
                unsafe { functions.cmd_push_descriptor_set(self.commands, compute, layout, 0, &descriptors.writes(set, bindings)) };
            }
            // SAFETY: the set is of the pipeline's layout, and stays as it is until the recorder is reset.
            None => unsafe { self.device.raw().cmd_bind_descriptor_sets(self.commands, compute, layout, 0, &[set], &[]) },
        }
    }

    /// Records the command itself, within its span where there is a profile, and counts it.
    #[inline(always)]
    fn command(
        &mut self,
        pipeline: &ComputePipeline,
        groups: Option<[u32; 3]>,
        record: impl FnOnce(&ash::Device, vk::CommandBuffer),
    ) -> Result<(), Error> {
        let end = if self.profile { self.begin_dispatch(pipeline, groups)? } else { None };
        record(self.device.raw(), self.commands);
        if self.profile {
            self.end_dispatch(end);
        }
        self.last_dispatch = Some(pipeline.id());
        self.dispatches += 1;
        Ok(())
    }
}
