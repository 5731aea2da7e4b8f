//! Buffers: of Wavelane's own, a caller's, and a caller's host memory.

mod host;
mod import;

use std::any::Any;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use ash::vk;
use gpu_allocator::vulkan::Allocation;

use crate::accounts::MemoryKind;
use crate::device::Device;
use crate::error::Error;
use crate::memory::{MemoryUse, Owner, types_for};

pub use import::HostMemory;

/// How to make a [`Buffer`].
#[derive(Clone, Copy, Debug)]
pub struct BufferDescription<'a> {
    /// Size in bytes, at least 1.
    pub size: u64,
    /// What its memory is for.
    pub memory: MemoryUse,
    /// Name, for errors, profilers and validation messages.
    pub name: &'a str,
}

/// A caller's buffer, for [`Buffer::from_raw`].
#[derive(Clone, Default)]
pub struct ForeignBuffer<'a> {
    /// Size in bytes.
    pub size: u64,
    /// The usage it was created with.
    pub usage: vk::BufferUsageFlags,
    /// Name, for errors.
    pub name: &'a str,
    /// Kept until the last handle and the last submission that uses it are gone: what owns the buffer, for one.
    pub keep: Option<Arc<dyn Any + Send + Sync>>,
}

impl fmt::Debug for ForeignBuffer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ForeignBuffer")
            .field("size", &self.size)
            .field("usage", &self.usage)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// A storage buffer that can also be copied from and to, and hold indirect arguments; or a caller's buffer.
///
/// Cloning gives another handle to the same. The memory is freed with the last one, and recorders and submissions hold one of each buffer they use:
/// a handle may be dropped while the device works.
///
/// **Threads.** Handles to one buffer may be on any number of threads. The host reads and writes it one thread at a time, under a lock of the buffer's own; the order
/// between host and device is for submissions and waits to say.
#[derive(Clone)]
pub struct Buffer {
    inner: Arc<Inner>,
}

struct Inner {
    device: Arc<Device>,
    raw: vk::Buffer,
    id: u64,
    size: u64,
    usage: vk::BufferUsageFlags,
    name: Arc<str>,
    kind: MemoryKind,
    memory: Backing,
}

/// Where the memory comes from, and so who frees it.
enum Backing {
    /// Our own. Without an allocation only while it is being made.
    Own { allocation: Option<Allocation>, coherent: bool, host: Mutex<()> },
    /// The caller's host memory behind a buffer of our own, with what the caller wants kept. Null only while it is being made.
    Imported { memory: vk::DeviceMemory, _keep: Option<Arc<dyn Any + Send + Sync>> },
    /// The caller's, with what the caller wants kept.
    Foreign { _keep: Option<Arc<dyn Any + Send + Sync>> },
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Buffer").field("raw", &self.raw()).field("name", &self.name()).field("size", &self.size()).finish_non_exhaustive()
    }
}

impl Buffer {
    /// Makes a buffer. Its contents are undefined.
    ///
    /// # Errors
    ///
    /// [`Error::BufferEmpty`], [`Error::BufferTooLarge`], [`Error::OutOfMemory`], or what Vulkan returned.
    pub fn new(device: &Arc<Device>, description: &BufferDescription<'_>) -> Result<Self, Error> {
        let &BufferDescription { size, memory: wanted, name } = description;
        check_size(device, size, name)?;
        let capabilities = device.capabilities();
        let mut usage = USAGE;
        if capabilities.features.buffer_device_address {
            usage |= vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
        }
        let info = vk::BufferCreateInfo::default().size(size).usage(usage).sharing_mode(vk::SharingMode::EXCLUSIVE);
        let raw = create(device, &info, name)?;
        let memory = Backing::Own { allocation: None, coherent: true, host: Mutex::new(()) };
        // From here on, dropping the buffer cleans up.
        let mut inner = Inner::new(device, raw, (size, usage, name), wanted.into(), memory);

        // SAFETY: the buffer was just made.
        let mut requirements = unsafe { device.raw().get_buffer_memory_requirements(raw) };
        let types = types_for(&capabilities.memory, wanted, requirements.memory_type_bits);
        // Whole atoms, so that flushing one buffer never reaches outside its memory or into another's.
        let atom = capabilities.limits.non_coherent_atom_size.max(1);
        if atom.is_power_of_two() {
            requirements.alignment = requirements.alignment.max(atom);
        }
        requirements.size = requirements.size.next_multiple_of(atom);
        let allocation = device
            .with_memory(|pool| pool.allocate(inner.owner(), requirements, &types))
            .unwrap_or_else(|| Err(Error::NoMemoryType { name: name.to_owned(), wanted: wanted.name() }))?;
        // SAFETY: the memory object is only named.
        let (object, offset) = (unsafe { allocation.memory() }, allocation.offset());
        let coherent = allocation.memory_properties().contains(vk::MemoryPropertyFlags::HOST_COHERENT) && !device.assumes_non_coherent();
        inner.memory = Backing::Own { allocation: Some(allocation), coherent, host: Mutex::new(()) };
        // SAFETY: the memory is of a type that the buffer allows, large enough, aligned, and bound once.
        unsafe { device.raw().bind_buffer_memory(raw, object, offset) }.map_err(|result| Error::vulkan("vkBindBufferMemory", result))?;
        Ok(Self { inner: Arc::new(inner) })
    }

    /// A handle to a caller's buffer, which is never destroyed here. The host cannot read or write it through this handle.
    ///
    /// # Errors
    ///
    /// [`Error::BufferEmpty`] where the size is 0.
    ///
    /// # Safety
    ///
    /// The buffer must be of this device, of at least this size and with this usage, bound to memory, and stay so until the last handle and the last submission
    /// that uses it are gone; `keep` can see to that.
    pub unsafe fn from_raw(device: &Arc<Device>, raw: vk::Buffer, description: &ForeignBuffer<'_>) -> Result<Self, Error> {
        let &ForeignBuffer { size, usage, name, ref keep } = description;
        if size == 0 {
            return Err(Error::BufferEmpty { name: name.to_owned() });
        }
        let memory = Backing::Foreign { _keep: keep.clone() };
        let inner = Inner::new(device, raw, (size, usage, name), MemoryKind::Foreign, memory);
        device.with_memory(|pool| pool.accounts_mut().add(inner.owner().resource(size, false)));
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Vulkan's handle.
    pub fn raw(&self) -> vk::Buffer {
        self.inner.raw
    }

    /// A number that no other buffer or image of the process has had or will have, unlike the handle.
    pub fn id(&self) -> u64 {
        self.inner.id
    }

    /// Size in bytes.
    pub fn size(&self) -> u64 {
        self.inner.size
    }

    /// What it may be used for.
    pub fn usage(&self) -> vk::BufferUsageFlags {
        self.inner.usage
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// Whether the host can read and write it.
    pub fn is_mapped(&self) -> bool {
        self.inner.allocation().is_some_and(|(allocation, ..)| allocation.mapped_ptr().is_some())
    }

    /// Whether what the host writes needs no flush, and what it reads no invalidation. [`Buffer::write`] and [`Buffer::read`] see to both. False for a buffer
    /// that is not mapped.
    pub fn is_coherent(&self) -> bool {
        self.is_mapped() && self.inner.allocation().is_some_and(|(_, coherent, _)| coherent)
    }

    /// The device it belongs to.
    pub fn device(&self) -> &Arc<Device> {
        &self.inner.device
    }
}

/// What every buffer of Wavelane's own is made for.
const USAGE: vk::BufferUsageFlags = vk::BufferUsageFlags::from_raw(
    vk::BufferUsageFlags::STORAGE_BUFFER.as_raw()
        | vk::BufferUsageFlags::TRANSFER_SRC.as_raw()
        | vk::BufferUsageFlags::TRANSFER_DST.as_raw()
        | vk::BufferUsageFlags::INDIRECT_BUFFER.as_raw(),
);

impl Inner {
    fn new(
        device: &Arc<Device>,
        raw: vk::Buffer,
        (size, usage, name): (u64, vk::BufferUsageFlags, &str),
        kind: MemoryKind,
        memory: Backing,
    ) -> Self {
        Self { device: Arc::clone(device), raw, id: next_id(), size, usage, name: name.into(), kind, memory }
    }

    fn owner(&self) -> Owner<'_> {
        Owner { id: self.id, name: &self.name, kind: self.kind }
    }
}

/// A Vulkan buffer of this name, without memory so far.
fn create(device: &Device, info: &vk::BufferCreateInfo<'_>, name: &str) -> Result<vk::Buffer, Error> {
    // SAFETY: the device is alive; size and usage are within what it allows.
    let raw = unsafe { device.raw().create_buffer(info, None) }.map_err(|result| match result {
        vk::Result::ERROR_OUT_OF_DEVICE_MEMORY | vk::Result::ERROR_OUT_OF_HOST_MEMORY => {
            Error::OutOfMemory { name: name.to_owned(), size: info.size, live: device.memory_statistics().live_bytes }
        }
        result => Error::vulkan("vkCreateBuffer", result),
    })?;
    device.set_name(raw, name);
    Ok(raw)
}

/// A number for a new buffer or image.
pub(crate) fn next_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

fn check_size(device: &Device, size: u64, name: &str) -> Result<(), Error> {
    if size == 0 {
        return Err(Error::BufferEmpty { name: name.to_owned() });
    }
    let limits = &device.capabilities().limits;
    for (limit, limit_name) in [(limits.max_buffer_size, "maxBufferSize"), (limits.max_memory_allocation_size, "maxMemoryAllocationSize")] {
        if size > limit {
            return Err(Error::BufferTooLarge { name: name.to_owned(), size, limit, limit_name });
        }
    }
    Ok(())
}

impl Drop for Inner {
    fn drop(&mut self) {
        if !matches!(self.memory, Backing::Foreign { .. }) {
            // SAFETY: recorders and submissions hold handles to the buffers they use until the device is done, and this was the last handle.
            unsafe { self.device.raw().destroy_buffer(self.raw, None) };
        }
        match &mut self.memory {
            Backing::Own { allocation, .. } => {
                if let Some(allocation) = allocation.take() {
                    self.device.with_memory(|pool| pool.free(self.id, allocation));
                }
            }
            Backing::Imported { memory, .. } => {
                // SAFETY: the memory is this buffer's alone, which is gone; null is allowed.
                unsafe { self.device.raw().free_memory(*memory, None) };
                self.device.with_memory(|pool| pool.accounts_mut().remove(self.id));
            }
            Backing::Foreign { .. } => {
                self.device.with_memory(|pool| pool.accounts_mut().remove(self.id));
            }
        }
    }
}
