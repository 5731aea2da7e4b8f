//! Recording: the recorder, and how it begins, ends and begins again.

mod dispatch;
mod hazards;
mod keep;
mod profile;
mod span;
mod submit;
mod subresources;
mod synchronize;
mod transfer;

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use ash::vk;
use wavelane_device::{Device, QueueRole, QuirkEffect};

use crate::access::AccessSet;
use crate::barrier::BarrierRecorder;
use crate::completion::Completion;
use crate::error::Error;
use crate::profile::Measured;
use crate::resources::{Lists, Recent, Resources};
use crate::timing::Query;

pub use hazards::HazardMode;
use hazards::Hazards;
pub use submit::SubmitOptions;

/// How often what is recorded is submitted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reuse {
    /// Once.
    #[default]
    Once,
    /// Many times, each when the one before is done.
    Many,
    /// Many times, also while the one before is in flight. Whether the work may overlap with itself is for barriers and buffers to say. Spans are not
    /// timed.
    Simultaneous,
}

/// How to make a [`Recorder`].
#[derive(Clone, Copy, Debug, Default)]
pub struct RecorderOptions<'a> {
    /// Name, for profilers and validation messages.
    pub name: &'a str,
    /// The queue to submit to.
    pub queue: QueueRole,
    /// How often what is recorded is submitted. Of no meaning for a caller's command buffer.
    pub reuse: Reuse,
    /// What to do about missing barriers.
    pub hazards: HazardMode,
    /// Leaves out the barrier with this number, counted from 0 over the calls that record barriers. For tests: that a barrier is needed, and that its lack is
    /// noticed.
    pub omit_barrier: Option<u32>,
    /// Whether each dispatch gets a timestamp before and behind it, to be read by [`Submission::profile`](crate::Submission::profile), and its pipeline's name as
    /// a label that profilers show. It costs some time on the device, and more where dispatches would have overlapped.
    pub profile: bool,
}

/// Records into a command buffer: its own, to be submitted, or a caller's.
///
/// Nothing is recorded that was not asked for: dispatches that depend on each other need a [`Recorder::barrier`] between them, and results
/// that the host reads need one to [`Access::HostRead`](crate::Access::HostRead). Under [`HazardMode::Checked`] a missing one is an error, under
/// [`HazardMode::Automatic`] it is inserted.
///
/// What the recording uses (buffers, images, pipelines) is kept alive until it is done, so handles may be dropped at any time.
///
/// **Threads.** A recorder goes from thread to thread, and all that records takes `&mut`: one thread at a time records with it. Each has pools of its own, so two threads
/// with a recorder each record at once, with the same pipelines and buffers, and without waiting for each other.
pub struct Recorder {
    device: Arc<Device>,
    commands: vk::CommandBuffer,
    queue: QueueRole,
    reuse: Reuse,
    foreign: bool,
    recording: bool,
    barrier_recorder: BarrierRecorder,
    accesses: AccessSet,
    hazards: Option<Box<Hazards>>,
    omit_barrier: Option<u32>,
    profile: bool,
    measured: Measured,
    open: Vec<(usize, Option<Query>)>,
    dispatches: u32,
    transfers: u32,
    barriers: u32,
    barriers_at_dispatch: u32,
    /// The number of the pipeline dispatched last, which is kept.
    last_dispatch: Option<u64>,
    recent: Recent,
    lists: Lists,
    completion: Completion,
    // Last, so that what it uses goes after everything else.
    resources: Arc<Resources>,
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
    /// A recorder for the compute queue with a command buffer of its own, ready to record and to be submitted once.
    ///
    /// # Errors
    ///
    /// What Vulkan returned.
    pub fn new(device: &Arc<Device>) -> Result<Self, Error> {
        Self::with_options(device, &RecorderOptions::default())
    }

    /// A recorder with a command buffer of its own, ready to record.
    ///
    /// # Errors
    ///
    /// What Vulkan returned.
    pub fn with_options(device: &Arc<Device>, options: &RecorderOptions<'_>) -> Result<Self, Error> {
        let info = vk::CommandPoolCreateInfo::default().queue_family_index(device.queue(options.queue).family());
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
        let commands = commands.first().copied().unwrap_or_default();
        let name = if options.name.is_empty() { "wavelane recorder" } else { options.name };
        device.set_name(pool, name);
        device.set_name(commands, name);
        let mut recorder = Self::over(device, commands, resources, options, false);
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
    /// The command buffer must be of the same device, of the family of the queue in the options, in the recording state, outside of a render pass, and
    /// used by nobody else while the recorder records. The recorder owns descriptors, queries and handles to what the commands
    /// use: it must be dropped only after the command buffer's execution is complete, or after the command buffer was reset or freed.
    pub unsafe fn foreign(device: &Arc<Device>, commands: vk::CommandBuffer, options: &RecorderOptions<'_>) -> Result<Self, Error> {
        let resources = Resources::new(device, vk::CommandPool::null());
        let mut recorder = Self::over(device, commands, resources, options, true);
        recorder.recording = true;
        Ok(recorder)
    }

    fn over(
        device: &Arc<Device>,
        commands: vk::CommandBuffer,
        resources: Arc<Resources>,
        options: &RecorderOptions<'_>,
        foreign: bool,
    ) -> Self {
        let full_write_after_read = device.quirks().iter().any(|quirk| quirk.effect == QuirkEffect::FullBarrierForWriteAfterRead);
        Self {
            device: Arc::clone(device),
            commands,
            queue: options.queue,
            reuse: options.reuse,
            foreign,
            recording: false,
            barrier_recorder: BarrierRecorder::new(full_write_after_read),
            accesses: AccessSet::of(device.queue(options.queue).flags()),
            hazards: Hazards::of(options.hazards),
            omit_barrier: options.omit_barrier,
            profile: options.profile,
            measured: Measured::default(),
            open: Vec::new(),
            dispatches: 0,
            transfers: 0,
            barriers: 0,
            barriers_at_dispatch: 0,
            last_dispatch: None,
            recent: Recent::default(),
            lists: Lists::default(),
            completion: Completion::new(device, options.queue),
            resources,
        }
    }

    fn begin(&mut self) -> Result<(), Error> {
        let flags = match self.reuse {
            Reuse::Once => vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT,
            Reuse::Many => vk::CommandBufferUsageFlags::empty(),
            Reuse::Simultaneous => vk::CommandBufferUsageFlags::SIMULTANEOUS_USE,
        };
        // SAFETY: the command buffer is this recorder's own and in the initial state.
        unsafe { self.device.raw().begin_command_buffer(self.commands, &vk::CommandBufferBeginInfo::default().flags(flags)) }
            .map_err(|result| Error::vulkan("vkBeginCommandBuffer", result))?;
        self.recording = true;
        Ok(())
    }

    /// The device it records for.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// The queue it is submitted to.
    pub fn queue(&self) -> QueueRole {
        self.queue
    }

    /// How often what is recorded is submitted.
    pub fn reuse(&self) -> Reuse {
        self.reuse
    }

    /// Refuses what only a recording that is submitted once can have. (A caller's command buffer is the caller's to see to.)
    pub(crate) fn check_once(&self, action: &'static str) -> Result<(), Error> {
        self.check_recording()?;
        if self.foreign || self.reuse == Reuse::Once { Ok(()) } else { Err(Error::NotOnce { action }) }
    }

    /// Vulkan's command buffer, in the recording state until it is submitted or finished. What a caller records into it is the caller's to
    /// synchronise; the recorder binds everything anew for each dispatch.
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

    /// How far what is being recorded now has come, to be asked at any later time. A [`Recorder::reset`] ends it, and begins another.
    pub fn completion(&self) -> Completion {
        self.completion.clone()
    }

    /// Keeps something alive until the work recorded so far is done and the recorder is reset or dropped. (Buffers, images and pipelines that are
    /// recorded are kept anyway.)
    pub fn keep(&mut self, resource: Arc<dyn Any + Send + Sync>) {
        self.lists.kept.other(resource);
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
        let mut state = self.resources.state();
        if let Some(point) = state.last
            && !self.device.is_done(point)?
        {
            return Err(Error::InFlight);
        }
        state.last = None;
        self.recording = false;
        // SAFETY: the pool's only command buffer is this recorder's, and not in flight.
        unsafe { self.device.raw().reset_command_pool(self.resources.command_pool(), vk::CommandPoolResetFlags::empty()) }
            .map_err(|result| Error::vulkan("vkResetCommandPool", result))?;
        drop(state);
        self.lists.descriptors.restart(&self.device)?;
        self.lists.queries.restart();
        self.lists.kept.clear();
        self.measured.clear();
        self.open.clear();
        (self.dispatches, self.transfers) = (0, 0);
        (self.barriers, self.barriers_at_dispatch) = (0, 0);
        if let Some(hazards) = &mut self.hazards {
            hazards.clear();
        }
        self.last_dispatch = None;
        self.recent = Recent::default();
        self.completion.renew();
        self.begin()
    }

    fn check_recording(&self) -> Result<(), Error> {
        if self.recording { Ok(()) } else { Err(Error::NotRecording) }
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.completion.abandon();
        // Submissions may need them for longer; the last to go frees them.
        self.resources.state().left = std::mem::take(&mut self.lists);
    }
}
