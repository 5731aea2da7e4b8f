//! What can go wrong while recording and submitting.

use std::time::Duration;

use ash::vk;

use crate::access::Access;
use crate::barrier::TransferHalf;
use crate::hazard::Hazard;
use crate::staging::StagingHolder;

/// What can go wrong while recording and submitting. `Display` says what was asked and what stood in the way, in one line;
/// [`Error::advice`] says what to do about it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The device layer failed.
    #[error(transparent)]
    Device(wavelane_device::Error),
    /// The device was lost: it hung, was reset or went away.
    #[error("the device was lost; the last dispatch recorded was {}", last_dispatch.as_deref().unwrap_or("none"))]
    DeviceLost {
        /// Name of the pipeline dispatched last, if any was.
        last_dispatch: Option<String>,
    },
    /// The words given are no SPIR-V module.
    #[error("pipeline `{pipeline}` was given {words} words that are no SPIR-V module")]
    NotSpirv {
        /// Name of the pipeline.
        pipeline: String,
        /// How many words were given.
        words: usize,
    },
    /// The driver refused to make a pipeline.
    #[error("the driver could not make pipeline `{pipeline}`: {result:?}")]
    PipelineRefused {
        /// Name of the pipeline.
        pipeline: String,
        /// What Vulkan returned.
        result: vk::Result,
    },
    /// A pipeline, or a dispatch of it, needs more than the device allows.
    #[error("pipeline `{pipeline}` needs {asked} {what}, and the device's {limit_name} is {limit}")]
    Limit {
        /// Name of the pipeline.
        pipeline: String,
        /// What is counted: `storage buffers`, `workgroups in x`, …
        what: &'static str,
        /// How much was asked for.
        asked: u64,
        /// How much the device allows.
        limit: u64,
        /// Vulkan's name of the limit.
        limit_name: &'static str,
    },
    /// A pipeline requires a subgroup size that the device does not offer.
    #[error("pipeline `{pipeline}` requires subgroups of {asked} lanes, and the device offers {offered}")]
    SubgroupSize {
        /// Name of the pipeline.
        pipeline: String,
        /// The size required.
        asked: u32,
        /// What can be required, in words.
        offered: String,
    },
    /// A pipeline requires full subgroups, which the device does not offer.
    #[error("pipeline `{pipeline}` requires full subgroups, and the device lacks computeFullSubgroups")]
    FullSubgroups {
        /// Name of the pipeline.
        pipeline: String,
    },
    /// A pipeline of one device was dispatched on another.
    #[error("pipeline `{pipeline}` belongs to another device than the recorder")]
    WrongDevice {
        /// Name of the pipeline.
        pipeline: String,
    },
    /// A buffer or image of another device was recorded.
    #[error("`{name}` belongs to another device than the recorder")]
    OtherDevice {
        /// Name of the buffer or image.
        name: String,
    },
    /// A buffer was put to a use that it was not created for.
    #[error("buffer `{name}` was not created with usage {usage:?}")]
    Usage {
        /// Name of the buffer.
        name: String,
        /// The usage it lacks.
        usage: vk::BufferUsageFlags,
    },
    /// A barrier names an access that the queue cannot have.
    #[error("a barrier names {access:?}, which a queue that can {queue:?} does not have")]
    QueueAccess {
        /// The access.
        access: Access,
        /// What the queue can do.
        queue: vk::QueueFlags,
    },
    /// A change of ownership names a queue family that there is not.
    #[error("a change of ownership names queue family {family}, and the device has {families}")]
    QueueFamily {
        /// The family.
        family: u32,
        /// How many there are.
        families: usize,
    },
    /// Half of a change of ownership was recorded for a queue of another family than gives, or takes.
    #[error("the {half:?} half of a change of ownership belongs on queue family {family}, and was recorded for family {here}")]
    TransferElsewhere {
        /// The half.
        half: TransferHalf,
        /// The family that gives or takes.
        family: u32,
        /// The recorder's.
        here: u32,
    },
    /// An image was to be brought into a layout that none can be brought into.
    #[error("a barrier brings an image into layout {layout:?}, which is only one to come from")]
    NewLayout {
        /// The layout.
        layout: vk::ImageLayout,
    },
    /// A dispatch on a queue that only copies.
    #[error("pipeline `{pipeline}` was dispatched on a transfer queue, which cannot compute")]
    QueueCannotCompute {
        /// Name of the pipeline.
        pipeline: String,
    },
    /// A dispatch from a base with a pipeline that was not made for it.
    #[error("pipeline `{pipeline}` was not made to be dispatched from a base")]
    DispatchBase {
        /// Name of the pipeline.
        pipeline: String,
    },
    /// A range that cannot hold the arguments of an indirect dispatch.
    #[error("{size} bytes at offset {offset} of buffer `{name}` cannot hold the 12 bytes of indirect arguments at a multiple of 4")]
    IndirectArguments {
        /// Name of the buffer.
        name: String,
        /// The range's offset.
        offset: u64,
        /// The range's size.
        size: u64,
    },
    /// A binding was declared with an access that is not a shader's.
    #[error("binding {binding} of pipeline `{pipeline}` was declared with access {access:?}, which is none of a shader's")]
    BindingAccess {
        /// Name of the pipeline.
        pipeline: String,
        /// The binding.
        binding: usize,
        /// The access declared.
        access: Access,
    },
    /// A buffer was bound where an image belongs, or the other way round.
    #[error("binding {binding} of a dispatch of `{pipeline}` was given {given}, and it is {expected}")]
    BindingKind {
        /// Name of the pipeline.
        pipeline: String,
        /// The binding.
        binding: usize,
        /// What was given.
        given: &'static str,
        /// What it is.
        expected: &'static str,
    },
    /// Texels in a buffer do not fit the image they are copied to or from.
    #[error("{size} bytes at offset {offset} do not fit the texels of image `{name}` of {format:?}, which take {} bytes", expected.map_or_else(|| "an unknown number of".to_owned(), |bytes| bytes.to_string()))]
    TexelBytes {
        /// Name of the image.
        name: String,
        /// Its format.
        format: vk::Format,
        /// Bytes of its texels; `None` for a format that such copies do not know.
        expected: Option<u64>,
        /// Offset of the bytes in their buffer.
        offset: u64,
        /// Bytes given.
        size: u64,
    },
    /// A dispatch has more or fewer bindings than its pipeline has bindings.
    #[error("a dispatch of `{pipeline}` was given {given} bindings, and the pipeline has {expected} bindings")]
    BindingCount {
        /// Name of the pipeline.
        pipeline: String,
        /// Bindings given.
        given: usize,
        /// Bindings there are.
        expected: u32,
    },
    /// A dispatch has push constants of another size than its pipeline.
    #[error("a dispatch of `{pipeline}` was given {given} bytes of push constants, and the pipeline takes {expected}")]
    PushConstantSize {
        /// Name of the pipeline.
        pipeline: String,
        /// Bytes given.
        given: usize,
        /// Bytes expected.
        expected: u32,
    },
    /// Push constants that are no whole 32-bit words.
    #[error("pipeline `{pipeline}` was declared with {bytes} bytes of push constants, which are no whole words of 4 bytes")]
    PushConstantWords {
        /// Name of the pipeline.
        pipeline: String,
        /// Bytes declared.
        bytes: u32,
    },
    /// A range of no bytes was bound.
    #[error("binding {binding} of a dispatch of `{pipeline}` was given 0 bytes")]
    RangeEmpty {
        /// Name of the pipeline.
        pipeline: String,
        /// The binding.
        binding: usize,
    },
    /// A range starts where no storage buffer may be bound.
    #[error(
        "binding {binding} of a dispatch of `{pipeline}` starts at offset {offset}, and minStorageBufferOffsetAlignment is {alignment}"
    )]
    RangeMisaligned {
        /// Name of the pipeline.
        pipeline: String,
        /// The binding.
        binding: usize,
        /// The range's offset.
        offset: u64,
        /// What it must be a multiple of.
        alignment: u64,
    },
    /// A part of a range does not lie within it.
    #[error("{size} bytes at offset {offset} do not lie within a range of {of} bytes")]
    RangeOutside {
        /// Offset of the part.
        offset: u64,
        /// Size of the part.
        size: u64,
        /// Size of the range.
        of: u64,
    },
    /// A fill does not cover whole 32-bit words.
    #[error("a fill of {size} bytes at offset {offset} does not cover whole words of 4 bytes")]
    FillMisaligned {
        /// Offset of the fill.
        offset: u64,
        /// Size of the fill.
        size: u64,
    },
    /// The two sides of a copy differ in size.
    #[error("a copy was given {from} bytes to read and {to} bytes to write")]
    CopySizes {
        /// Bytes to read.
        from: u64,
        /// Bytes to write.
        to: u64,
    },
    /// The two sides of a copy overlap.
    #[error("a copy of {size} bytes within one buffer, from offset {from} to {to}, overlaps itself")]
    CopyOverlap {
        /// Offset of what is read.
        from: u64,
        /// Offset of what is written.
        to: u64,
        /// Size of the copy.
        size: u64,
    },
    /// Something was recorded or submitted after the recording had been submitted or finished, or after a submission that failed.
    #[error("the recording was ended, and the recorder can record again only after a reset")]
    NotRecording,
    /// A sequence that was recorded to be submitted once was submitted again.
    #[error("the sequence was recorded to be submitted once, and was submitted")]
    SubmittedOnce,
    /// Recorders submitted together are not for one queue of one device.
    #[error("recorders for different queues cannot be submitted together")]
    QueuesDiffer,
    /// Something waits for a recording that was not submitted.
    #[error("the recording was not submitted yet")]
    NotSubmitted,
    /// Something waits for a recording that was reset or dropped without being submitted.
    #[error("the recording was reset or dropped without being submitted")]
    Abandoned,
    /// A recorder was reset or a sequence submitted while the device still works on what it recorded.
    #[error("the last submission is still in flight")]
    InFlight,
    /// Two commands use the same bytes with no barrier to order them.
    #[error("{0}")]
    Hazard(Box<Hazard>),
    /// A recorder of a caller's command buffer was submitted or reset.
    #[error("a recorder of a caller's command buffer was asked to {action}")]
    Foreign {
        /// What was asked: `submit` or `reset`.
        action: &'static str,
    },
    /// More bytes than a staging ring has were to be staged at once.
    #[error("{asked} bytes were to be staged at once, and the ring has {capacity}")]
    StagingTooLarge {
        /// Bytes asked for.
        asked: u64,
        /// Bytes of the ring.
        capacity: u64,
    },
    /// A staging ring has no room, and waiting would not, or was not to, make any.
    #[error("{asked} bytes were to be staged, and {held} of the ring's {capacity} are held, the oldest by {by}")]
    StagingFull {
        /// Bytes asked for.
        asked: u64,
        /// Bytes of the ring.
        capacity: u64,
        /// Bytes held.
        held: u64,
        /// Who holds the oldest.
        by: StagingHolder,
    },
    /// Data was to be staged or read back in a recording that can be submitted more than once.
    #[error("a recording that can be submitted more than once was to {action}")]
    NotOnce {
        /// What was to be done.
        action: &'static str,
    },
    /// A pool of readback buffers has reached its limit.
    #[error("{asked} bytes were to be read back, and {in_use} of the pool's limit of {limit} are in use")]
    ReadbacksFull {
        /// Bytes asked for.
        asked: u64,
        /// Bytes of the buffers that handles hold, or the device still writes.
        in_use: u64,
        /// The most bytes the pool may have.
        limit: u64,
    },
    /// The thread that wakes futures could not be started.
    #[error("the thread that wakes futures could not be started: {cause}")]
    WaiterThread {
        /// What the system says.
        cause: String,
    },
    /// The device was not done in time. Nothing is lost: it can be waited for again.
    #[error("the device was not done after {waited:?}")]
    Timeout {
        /// How long was waited.
        waited: Duration,
    },
}

impl From<wavelane_device::Error> for Error {
    fn from(error: wavelane_device::Error) -> Self {
        match error {
            wavelane_device::Error::Timeout { waited } => Self::Timeout { waited },
            error => Self::Device(error),
        }
    }
}

impl Error {
    /// The error of a Vulkan call that returned `result`.
    pub(crate) fn vulkan(call: &'static str, result: vk::Result) -> Self {
        Self::Device(wavelane_device::Error::vulkan(call, result))
    }

    /// Device loss, named after the last dispatch recorded; any other error as it is.
    pub(crate) fn after(self, last_dispatch: Option<&str>) -> Self {
        match self {
            lost if lost.is_device_lost() => Self::DeviceLost { last_dispatch: last_dispatch.map(str::to_owned) },
            other => other,
        }
    }

    /// Whether the device was lost, so that only a new one can go on.
    pub fn is_device_lost(&self) -> bool {
        matches!(self, Self::DeviceLost { .. } | Self::Device(wavelane_device::Error::DeviceLost { .. }))
    }

    /// What to do about the error, in one line.
    pub fn advice(&self) -> String {
        let text = match self {
            Self::Device(error) => return error.advice(),
            Self::Hazard(hazard) => return hazard.advice(),
            Self::DeviceLost { .. } => {
                "make a new device: nothing of the lost one can be used; if it happens again, dispatch less work at once and run with validation"
            }
            Self::NotSpirv { .. } => "give the module's words as they are in the file, beginning with the magic number 0x07230203",
            Self::PipelineRefused { .. } => {
                "force another path (WAVELANE_PATH=lsm is the safest); run with validation to see whether the module is at fault"
            }
            Self::Limit { .. } => "split the work so that each dispatch keeps to the limit",
            Self::SubgroupSize { .. } => "leave the size to the driver, or choose one that the device offers",
            Self::FullSubgroups { .. } => "write the kernel so that it does not need them, or force the shared-memory path",
            Self::WrongDevice { .. } => "make the pipeline for the recorder's device",
            Self::BindingCount { .. } => "give one range for each binding, in the order of the bindings",
            Self::PushConstantSize { .. } => "give the whole push-constant structure, as it was declared with the pipeline",
            Self::PushConstantWords { .. } => "pad the push-constant structure to a multiple of 4 bytes",
            Self::RangeEmpty { .. } => "bind at least one byte, or leave the dispatch out",
            Self::RangeMisaligned { .. } => {
                "start the range at a multiple of the alignment, and pass the rest as an offset in the push constants"
            }
            Self::RangeOutside { .. } => "check offset and size against the range",
            Self::FillMisaligned { .. } => "make offset and size multiples of 4",
            Self::CopySizes { .. } => "give two ranges of the same size",
            Self::CopyOverlap { .. } => "copy through another buffer",
            Self::OtherDevice { .. } => "make it on the recorder's device, or adopt that of the caller's there",
            Self::Usage { .. } => "create the buffer with that usage",
            Self::QueueAccess { .. } => "name it on a queue that has it; between queue families, make it one half of a change of ownership",
            Self::QueueFamily { .. } => "take the families from Queue::family, or from where the caller's queues were made",
            Self::TransferElsewhere { .. } => "release on the family that gives, and acquire on the one that takes",
            Self::NewLayout { .. } => "bring it into vk::ImageLayout::GENERAL, which every use here takes",
            Self::QueueCannotCompute { .. } => "record it for the compute queue, and wait for its submission in this one",
            Self::DispatchBase { .. } => "set dispatch_base in the pipeline's description",
            Self::IndirectArguments { .. } => "give a range of at least 12 bytes that starts at a multiple of 4",
            Self::BindingAccess { .. } => "declare ComputeRead, ComputeWrite or ComputeReadWrite",
            Self::BindingKind { .. } => "give buffers and images in the order of the pipeline's bindings",
            Self::TexelBytes { .. } => "give exactly the bytes of all texels, tightly packed, at a multiple of 4 and of a texel's size",
            Self::SubmittedOnce => "record it with Reuse::Many or Reuse::Simultaneous",
            Self::QueuesDiffer => "submit those of each queue by themselves, behind each other by their sync points",
            Self::NotSubmitted => "submit the recording first",
            Self::Abandoned => "record it again",
            Self::NotRecording => "call reset, once a submission has been waited for",
            Self::InFlight => "wait for the submission first, or use another recorder",
            Self::Foreign { .. } => "whoever owns the command buffer ends, submits and resets it",
            Self::StagingTooLarge { .. } => {
                "stage parts of at most the ring's capacity, each in a recording of its own, or make a larger ring"
            }
            Self::StagingFull { by: StagingHolder::InFlight, .. } => "wait with stage, or try again when the oldest submission is done",
            Self::StagingFull { .. } => "submit what holds the ring before staging more, or make a larger ring",
            Self::NotOnce { .. } => "record it with Reuse::Once: what is staged is there for one submission, and a handle reads one result",
            Self::ReadbacksFull { .. } => "drop handles and bytes that were read, wait for the oldest, or give the pool a larger limit",
            Self::WaiterThread { .. } => "poll the handle, or wait for it, instead of awaiting it",
            Self::Timeout { .. } => "wait again, or give less work to one submission",
        };
        text.into()
    }
}
