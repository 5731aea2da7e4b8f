//! The same work in bare ash: the calls that Wavelane makes, in the same order, and nothing else.

use std::time::Duration;

use anyhow::{Result, bail};
use wavelane_device::{Device, QueueRole, Version, ash, vk};

use crate::workload::{DISPATCHES, GROUPS, Workload};

/// A command buffer with what its commands need.
pub struct BareRecorder<'a> {
    workload: &'a Workload,
    pool: vk::CommandPool,
    commands: vk::CommandBuffer,
    /// Without push descriptors: the set of even steps, and that of odd ones.
    sets: Option<(vk::DescriptorPool, [vk::DescriptorSet; 2])>,
}

impl<'a> BareRecorder<'a> {
    pub fn new(workload: &'a Workload) -> Result<Self> {
        let device = workload.device.raw();
        let family = workload.device.queue(QueueRole::Compute).family();
        // SAFETY: the device is alive; what is made is used by this value alone, and destroyed with it.
        unsafe {
            let pool = device.create_command_pool(&vk::CommandPoolCreateInfo::default().queue_family_index(family), None)?;
            let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
            let commands = device.allocate_command_buffers(&info)?[0];
            let sets = if workload.device.push_descriptor().is_some() { None } else { Some(sets(workload)?) };
            Ok(Self { workload, pool, commands, sets })
        }
    }

    /// Forgets what was recorded, and begins anew.
    pub fn restart(&mut self, flags: vk::CommandBufferUsageFlags) -> Result<()> {
        let device = self.workload.device.raw();
        // SAFETY: whoever submitted the command buffer has waited for it.
        unsafe {
            device.reset_command_pool(self.pool, vk::CommandPoolResetFlags::empty())?;
            device.begin_command_buffer(self.commands, &vk::CommandBufferBeginInfo::default().flags(flags))?;
        }
        Ok(())
    }

    /// The sequence of [`Workload::record`].
    pub fn record(&mut self) {
        let Workload { device, pipelines, buffers, push_constants } = self.workload;
        let (raw, compute) = (device.raw(), vk::PipelineBindPoint::COMPUTE);
        for step in 0..DISPATCHES {
            let (pipeline, layout) = (&pipelines[step % 2], pipelines[step % 2].layout());
            let (from, to) = (&buffers[step % 2], &buffers[(step + 1) % 2]);
            // SAFETY: the command buffer is being recorded, and everything fits the pipeline.
            unsafe {
                match (device.push_descriptor(), &self.sets) {
                    (Some(functions), _) => {
                        let shown = shown(from.raw(), to.raw(), from.size());
                        let writes = writes(vk::DescriptorSet::null(), &shown);
                        functions.cmd_push_descriptor_set(self.commands, compute, layout, 0, &writes);
                    }
                    (None, Some((_, sets))) => {
                        raw.cmd_bind_descriptor_sets(self.commands, compute, layout, 0, &sets[step % 2..=step % 2], &[])
                    }
                    (None, None) => {}
                }
                raw.cmd_bind_pipeline(self.commands, compute, pipeline.raw());
                raw.cmd_push_constants(self.commands, layout, vk::ShaderStageFlags::COMPUTE, 0, push_constants);
                raw.cmd_dispatch(self.commands, GROUPS[0], GROUPS[1], GROUPS[2]);
            }
            self.barrier(to.raw(), from.raw(), from.size());
        }
    }

    /// What was written may be read, what was read may be overwritten.
    fn barrier(&self, written: vk::Buffer, read: vk::Buffer, size: u64) {
        let ignored = vk::QUEUE_FAMILY_IGNORED;
        match self.workload.device.synchronization2() {
            Some(functions) => {
                use vk::{AccessFlags2 as A, PipelineStageFlags2 as S};
                let barrier = |buffer, from, to| {
                    vk::BufferMemoryBarrier2::default()
                        .src_stage_mask(S::COMPUTE_SHADER)
                        .src_access_mask(from)
                        .dst_stage_mask(S::COMPUTE_SHADER)
                        .dst_access_mask(to)
                        .src_queue_family_index(ignored)
                        .dst_queue_family_index(ignored)
                        .buffer(buffer)
                        .size(size)
                };
                let barriers =
                    [barrier(written, A::SHADER_STORAGE_WRITE, A::SHADER_STORAGE_READ), barrier(read, A::NONE, A::SHADER_STORAGE_WRITE)];
                let info = vk::DependencyInfo::default().buffer_memory_barriers(&barriers);
                // SAFETY: the command buffer is being recorded; synchronization2 is on.
                unsafe { functions.cmd_pipeline_barrier2(self.commands, &info) };
            }
            None => {
                use vk::AccessFlags as A;
                let barrier = |buffer, from, to| {
                    vk::BufferMemoryBarrier::default()
                        .src_access_mask(from)
                        .dst_access_mask(to)
                        .src_queue_family_index(ignored)
                        .dst_queue_family_index(ignored)
                        .buffer(buffer)
                        .size(size)
                };
                let barriers = [barrier(written, A::SHADER_WRITE, A::SHADER_READ), barrier(read, A::empty(), A::SHADER_WRITE)];
                let stage = vk::PipelineStageFlags::COMPUTE_SHADER;
                // SAFETY: the command buffer is being recorded.
                unsafe {
                    self.workload.device.raw().cmd_pipeline_barrier(
                        self.commands,
                        stage,
                        stage,
                        vk::DependencyFlags::empty(),
                        &[],
                        &barriers,
                        &[],
                    );
                }
            }
        }
    }

    pub fn end(&mut self) -> Result<()> {
        // SAFETY: the command buffer is being recorded.
        Ok(unsafe { self.workload.device.raw().end_command_buffer(self.commands) }?)
    }

    pub fn commands(&self) -> vk::CommandBuffer {
        self.commands
    }
}

impl Drop for BareRecorder<'_> {
    fn drop(&mut self) {
        let device = self.workload.device.raw();
        // SAFETY: whoever submitted the command buffer has waited for it.
        unsafe {
            device.destroy_command_pool(self.pool, None);
            if let Some((pool, _)) = self.sets {
                device.destroy_descriptor_pool(pool, None);
            }
        }
    }
}

fn shown(from: vk::Buffer, to: vk::Buffer, size: u64) -> [[vk::DescriptorBufferInfo; 1]; 2] {
    [from, to].map(|buffer| [vk::DescriptorBufferInfo { buffer, offset: 0, range: size }])
}

fn writes(set: vk::DescriptorSet, shown: &[[vk::DescriptorBufferInfo; 1]; 2]) -> [vk::WriteDescriptorSet<'_>; 2] {
    [0, 1].map(|binding| {
        vk::WriteDescriptorSet::default()
            .dst_set(set)
            .dst_binding(binding)
            .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
            .buffer_info(&shown[binding as usize])
    })
}

fn sets(workload: &Workload) -> Result<(vk::DescriptorPool, [vk::DescriptorSet; 2])> {
    let device = workload.device.raw();
    let sizes = [vk::DescriptorPoolSize { ty: vk::DescriptorType::STORAGE_BUFFER, descriptor_count: 4 }];
    let [even, odd] = &workload.buffers;
    // SAFETY: pool and sets are new; each has the layout of its pipeline, with two storage buffers.
    unsafe {
        let pool = device.create_descriptor_pool(&vk::DescriptorPoolCreateInfo::default().max_sets(2).pool_sizes(&sizes), None)?;
        let layouts = [workload.pipelines[0].set_layout(), workload.pipelines[1].set_layout()];
        let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
        let sets = device.allocate_descriptor_sets(&info)?;
        let sets = [sets[0], sets[1]];
        for (set, (from, to)) in sets.into_iter().zip([(even, odd), (odd, even)]) {
            let shown = shown(from.raw(), to.raw(), from.size());
            device.update_descriptor_sets(&writes(set, &shown), &[]);
        }
        Ok((pool, sets))
    }
}

/// Submits a command buffer and waits for it: by a timeline semaphore where the device has them, by a fence where not.
pub struct BareQueue<'a> {
    device: &'a Device,
    queue: vk::Queue,
    kind: Kind,
}

enum Kind {
    Timeline { semaphore: vk::Semaphore, value: u64, wait: vk::PFN_vkWaitSemaphores },
    Fence(vk::Fence),
}

impl<'a> BareQueue<'a> {
    pub fn new(device: &'a Device) -> Result<Self> {
        let kind = if device.capabilities().features.timeline_semaphore {
            let core = device.capabilities().api_version.min(device.instance().api_version()) >= Version::new(1, 2, 0);
            let wait = if core {
                device.raw().fp_v1_2().wait_semaphores
            } else {
                ash::khr::timeline_semaphore::Device::new(device.instance().raw(), device.raw()).fp().wait_semaphores_khr
            };
            let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
            // SAFETY: the device is alive and has timeline semaphores enabled.
            let semaphore = unsafe { device.raw().create_semaphore(&vk::SemaphoreCreateInfo::default().push_next(&mut kind), None) }?;
            Kind::Timeline { semaphore, value: 0, wait }
        } else {
            // SAFETY: the device is alive.
            Kind::Fence(unsafe { device.raw().create_fence(&vk::FenceCreateInfo::default(), None) }?)
        };
        // Nobody else submits while this is measured, so nothing is locked.
        Ok(Self { device, queue: device.queue(QueueRole::Compute).raw(), kind })
    }

    pub fn submit_and_wait(&mut self, commands: vk::CommandBuffer, timeout: Duration) -> Result<()> {
        let device = self.device.raw();
        let (commands, nanoseconds) = ([commands], timeout.as_nanos() as u64);
        // SAFETY: the command buffer is ended and not in flight; semaphore and fence are this value's own; the queue is used by nobody else.
        unsafe {
            match &mut self.kind {
                Kind::Timeline { semaphore, value, wait } => {
                    *value += 1;
                    let (semaphores, values) = ([*semaphore], [*value]);
                    let mut next = vk::TimelineSemaphoreSubmitInfo::default().signal_semaphore_values(&values);
                    let info = vk::SubmitInfo::default().command_buffers(&commands).signal_semaphores(&semaphores).push_next(&mut next);
                    device.queue_submit(self.queue, &[info], vk::Fence::null())?;
                    let info = vk::SemaphoreWaitInfo::default().semaphores(&semaphores).values(&values);
                    match wait(device.handle(), &raw const info, nanoseconds) {
                        vk::Result::SUCCESS => {}
                        result => bail!("vkWaitSemaphores: {result:?}"),
                    }
                }
                Kind::Fence(fence) => {
                    device.queue_submit(self.queue, &[vk::SubmitInfo::default().command_buffers(&commands)], *fence)?;
                    device.wait_for_fences(&[*fence], true, nanoseconds)?;
                    device.reset_fences(&[*fence])?;
                }
            }
        }
        Ok(())
    }
}

impl Drop for BareQueue<'_> {
    fn drop(&mut self) {
        // SAFETY: everything submitted was waited for.
        unsafe {
            match self.kind {
                Kind::Timeline { semaphore, .. } => self.device.raw().destroy_semaphore(semaphore, None),
                Kind::Fence(fence) => self.device.raw().destroy_fence(fence, None),
            }
        }
    }
}
