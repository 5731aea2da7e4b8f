use ash::vk;

/// What can go wrong below the kernels. `Display` says what was asked and what stood in the way, in one line;
/// [`Error::advice`] says what to do about it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no Vulkan loader on this system.
    #[error("the Vulkan loader could not be opened: {cause}")]
    LoaderMissing {
        /// What the dynamic linker says.
        cause: String,
    },
    /// The loader knows Vulkan 1.0 only.
    #[error("the Vulkan loader supports Vulkan {found} only, and at least 1.1 is needed")]
    LoaderTooOld {
        /// The loader's version.
        found: crate::Version,
    },
    /// There is a loader, but no driver that it can use.
    #[error("no Vulkan driver was found ({cause})")]
    NoDriver {
        /// What Vulkan answered.
        cause: String,
    },
    /// Validation was asked for, and the layer is not installed.
    #[error("validation was asked for, but the layer {layer} is not installed")]
    LayerMissing {
        /// Name of the layer.
        layer: &'static str,
    },
    /// The drivers offer no device with Vulkan 1.1 and a compute queue.
    #[error("no Vulkan device with Vulkan 1.1 and a compute queue was found")]
    NoDevice,
    /// A device supports Vulkan 1.0 only.
    #[error("{device} supports Vulkan {found} only, and at least 1.1 is needed")]
    DeviceTooOld {
        /// Name of the device.
        device: String,
        /// The device's version.
        found: crate::Version,
    },
    /// A device has no queue family that can compute.
    #[error("{device} has no compute queue")]
    NoComputeQueue {
        /// Name of the device.
        device: String,
    },
    /// A physical device does not belong to the instance.
    #[error("the physical device does not belong to the instance")]
    ForeignPhysicalDevice,
    /// An instance was made for Vulkan 1.0.
    #[error("the instance was made for Vulkan {found}, and at least 1.1 is needed")]
    InstanceTooOld {
        /// The version that the instance was made for.
        found: crate::Version,
    },
    /// On a device that was lent, the memory model is enabled without device scope, which forbids shaders that scope.
    #[error("on {device} vulkanMemoryModel is enabled without vulkanMemoryModelDeviceScope, and kernels need device scope")]
    MemoryModelWithoutDeviceScope {
        /// Name of the device.
        device: String,
    },
    /// None of the queues lent is for compute.
    #[error("a device was lent without a queue of role Compute")]
    NoAdoptedQueue,
    /// A queue that was lent cannot be what it is said to be.
    #[error("the queue lent as {role:?} (family {family}, index {index}) cannot be used: {fault}")]
    AdoptedQueue {
        /// The role that it was to have.
        role: crate::QueueRole,
        /// The family that it is said to be of.
        family: u32,
        /// Its index in the family.
        index: u32,
        /// What is wrong with it.
        fault: crate::QueueFault,
    },
    /// A device was asked for by an index that there is not.
    #[error("device {index} was asked for, but there are only: {}", available.join(", "))]
    DeviceIndex {
        /// The index asked for.
        index: usize,
        /// What there is, as `index name`.
        available: Vec<String>,
    },
    /// A device was asked for by a name that none has.
    #[error("no device's name contains `{name}`; there are: {}", available.join(", "))]
    DeviceName {
        /// The part of a name asked for.
        name: String,
        /// What there is, as `index name`.
        available: Vec<String>,
    },
    /// A device was asked for by a name that several have.
    #[error("`{name}` is part of more than one device's name: {}", matches.join(", "))]
    DeviceNameAmbiguous {
        /// The part of a name asked for.
        name: String,
        /// The devices that match, as `index name`.
        matches: Vec<String>,
    },
    /// A profile was asked for by a name that none has.
    #[error("there is no profile `{name}`; there are: {}", known.join(", "))]
    ProfileUnknown {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: Vec<&'static str>,
    },
    /// A profile's text cannot be understood.
    #[error("the profile {origin} cannot be read: {cause}")]
    ProfileInvalid {
        /// Where the profile comes from.
        origin: String,
        /// What is wrong with it.
        cause: String,
    },
    /// A buffer of no bytes was asked for, which Vulkan does not allow.
    #[error("buffer `{name}` was asked for with 0 bytes")]
    BufferEmpty {
        /// Name of the buffer.
        name: String,
    },
    /// A buffer larger than the device allows was asked for.
    #[error("buffer `{name}` needs {size} bytes, and the device's {limit_name} is {limit}")]
    BufferTooLarge {
        /// Name of the buffer.
        name: String,
        /// Bytes asked for.
        size: u64,
        /// Bytes allowed.
        limit: u64,
        /// Vulkan's name of the limit.
        limit_name: &'static str,
    },
    /// The device or the host ran out of memory.
    #[error("out of memory for {size} bytes of buffer `{name}` ({live} bytes are live)")]
    OutOfMemory {
        /// Name of the buffer.
        name: String,
        /// Bytes asked for.
        size: u64,
        /// Bytes held by this device's buffers at that time.
        live: u64,
    },
    /// No memory type suits a buffer.
    #[error("the device has no memory type for buffer `{name}` (use: {wanted})")]
    NoMemoryType {
        /// Name of the buffer.
        name: String,
        /// The use asked for.
        wanted: &'static str,
    },
    /// The memory allocator failed for another reason.
    #[error("memory for buffer `{name}` could not be allocated: {cause}")]
    Allocator {
        /// Name of the buffer.
        name: String,
        /// The allocator's own words.
        cause: String,
    },
    /// The device does not take such a storage image.
    #[error("image `{name}` of {extent:?} texels of {format:?} is not supported: {cause}")]
    ImageUnsupported {
        /// Name of the image.
        name: String,
        /// Width, height and depth.
        extent: [u32; 3],
        /// The format.
        format: vk::Format,
        /// What stands in the way.
        cause: String,
    },
    /// A buffer that the host cannot reach was read or written from the host.
    #[error("buffer `{name}` is not mapped, so the host cannot read or write it")]
    NotMapped {
        /// Name of the buffer.
        name: String,
    },
    /// A host access ran out of a buffer.
    #[error("{length} bytes at offset {offset} do not lie within buffer `{name}` of {size} bytes")]
    OutOfBounds {
        /// Name of the buffer.
        name: String,
        /// Offset of the access.
        offset: u64,
        /// Length of the access.
        length: u64,
        /// Size of the buffer.
        size: u64,
    },
    /// A sync point of another device was waited for.
    #[error("the sync point is of another device")]
    ForeignSyncPoint,
    /// The device was not done in time. Nothing is lost: it can be waited for again.
    #[error("the device was not done after {waited:?}")]
    Timeout {
        /// How long was waited.
        waited: std::time::Duration,
    },
    /// The device was lost: it hung, was reset or went away.
    #[error("the device was lost (noticed in {call})")]
    DeviceLost {
        /// The Vulkan call that noticed.
        call: &'static str,
    },
    /// Another Vulkan call failed.
    #[error("{call} failed: {result:?}")]
    Vulkan {
        /// The call.
        call: &'static str,
        /// What it returned.
        result: vk::Result,
    },
}

impl Error {
    /// The error of a Vulkan call that returned `result`; device loss becomes its own variant.
    pub fn vulkan(call: &'static str, result: vk::Result) -> Self {
        match result {
            vk::Result::ERROR_DEVICE_LOST => Self::DeviceLost { call },
            result => Self::Vulkan { call, result },
        }
    }

    /// Whether the device was lost, so that only a new one can go on.
    pub fn is_device_lost(&self) -> bool {
        matches!(self, Self::DeviceLost { .. })
    }

    /// What to do about the error, in one line.
    pub fn advice(&self) -> String {
        match self {
            Self::LoaderMissing { .. } if cfg!(target_os = "android") => {
                "the device must run Android 7 or newer, and libvulkan.so must not be hidden from the app's linker namespace".into()
            }
            Self::LoaderMissing { .. } => {
                "install the loader and a driver: on Debian and Ubuntu `apt install libvulkan1 mesa-vulkan-drivers` \
                 (software and AMD, Intel), or the GPU vendor's driver"
                    .into()
            }
            Self::LoaderTooOld { .. } => "update the Vulkan loader (package libvulkan1 on Debian and Ubuntu)".into(),
            Self::NoDriver { .. } | Self::NoDevice => {
                "install a driver: `apt install mesa-vulkan-drivers` on Debian and Ubuntu (lavapipe needs no GPU), \
                 or the GPU vendor's; if VK_DRIVER_FILES or VK_ICD_FILENAMES is set, check that it names existing files"
                    .into()
            }
            Self::DeviceTooOld { .. } | Self::NoComputeQueue { .. } => "choose another device, or update its driver".into(),
            Self::ForeignPhysicalDevice => "give the instance that the physical device was enumerated from".into(),
            Self::InstanceTooOld { .. } => "set VkApplicationInfo::apiVersion to 1.1 or more (1.3 is best), and give the same here".into(),
            Self::MemoryModelWithoutDeviceScope { .. } => {
                "enable vulkanMemoryModelDeviceScope too, or leave vulkanMemoryModel off: Wavelane does not need it".into()
            }
            Self::NoAdoptedQueue => "lend a queue of a family with VK_QUEUE_COMPUTE_BIT, with the role Compute".into(),
            Self::AdoptedQueue { .. } => {
                "give family and index as they were given to vkGetDeviceQueue, and each queue once, under one role".into()
            }
            Self::LayerMissing { .. } => {
                "install it (package vulkan-validationlayers on Debian and Ubuntu), or point VK_LAYER_PATH to its folder".into()
            }
            Self::DeviceIndex { .. } | Self::DeviceName { .. } => {
                "choose one of the devices listed, by its index or a part of its name".into()
            }
            Self::DeviceNameAmbiguous { .. } => "give a longer part of the name, or the index".into(),
            Self::ProfileUnknown { .. } => "choose one of the profiles listed, or give the path of a profile in JSON".into(),
            Self::ProfileInvalid { .. } => "write it like the profiles in crates/device/profiles: name, source and capabilities".into(),
            Self::BufferEmpty { .. } => "ask for at least one byte, or leave the buffer out".into(),
            Self::BufferTooLarge { .. } => "split the data over several buffers".into(),
            Self::OutOfMemory { .. } => "free other buffers, work in parts, or choose a device with more memory".into(),
            Self::NoMemoryType { .. } => "choose another use for the buffer; `wavelane info` lists the device's memory types".into(),
            Self::Allocator { .. } => "run with validation to see what the driver objects to".into(),
            Self::ImageUnsupported { .. } => "choose another format, R32 and RGBA32 ones being the safest, or a smaller image".into(),
            Self::NotMapped { .. } => "copy through a buffer for upload or readback".into(),
            Self::OutOfBounds { .. } => "check the offset and length against the buffer's size".into(),
            Self::ForeignSyncPoint => {
                "wait for it on the device that gave it; between devices, share a semaphore or wait on the host".into()
            }
            Self::Timeout { .. } => "wait again, or longer; a dispatch that never ends hangs the device until the driver resets it".into(),
            Self::DeviceLost { .. } => {
                "make a new device: nothing of the lost one can be used; if it happens again, dispatch less work at once \
                 and run with validation"
                    .into()
            }
            Self::Vulkan { result: vk::Result::ERROR_OUT_OF_HOST_MEMORY | vk::Result::ERROR_OUT_OF_DEVICE_MEMORY, .. } => {
                "free other resources, or choose a device with more memory".into()
            }
            Self::Vulkan { .. } => "run with validation to see what the driver objects to".into(),
        }
    }
}
