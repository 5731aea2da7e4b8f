//! The caller's host memory as buffers.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::sync::Arc;

use libtest_mimic::Failed;
use wavelane_device::{Buffer, Device, Error, HostMemory, MemoryKind, vk};
use wavelane_record::{Access, Binding, BufferBarrier, BufferRange, Recorder};

use crate::harness::gpu::ensure;
use crate::multiply_add::{self, PATIENCE, WORKGROUP, push_constants};

/// Whole pages of host memory.
struct Pages {
    pointer: *mut u8,
    layout: Layout,
}

// SAFETY: the memory belongs to whoever holds this, and to the device while that works.
unsafe impl Send for Pages {}
// SAFETY: as above; nothing is reached through a shared reference.
unsafe impl Sync for Pages {}

impl Pages {
    fn new(size: usize, alignment: u64) -> Result<Self, Failed> {
        let layout = Layout::from_size_align(size, alignment as usize)?;
        // SAFETY: the size is not 0.
        let pointer = unsafe { alloc_zeroed(layout) };
        if pointer.is_null() { Err("no host memory".into()) } else { Ok(Self { pointer, layout }) }
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: it was allocated with this layout.
        unsafe { dealloc(self.pointer, self.layout) };
    }
}

fn supported(device: &Device) -> bool {
    device.capabilities().features.external_memory_host
}

/// What the driver says of such buffers.
fn importable(device: &Device) -> bool {
    let usage = vk::BufferUsageFlags::STORAGE_BUFFER;
    let info =
        vk::PhysicalDeviceExternalBufferInfo::default().usage(usage).handle_type(vk::ExternalMemoryHandleTypeFlags::HOST_ALLOCATION_EXT);
    let mut found = vk::ExternalBufferProperties::default();
    // SAFETY: the physical device belongs to the living instance.
    unsafe { device.instance().raw().get_physical_device_external_buffer_properties(device.physical_device(), &info, &mut found) };
    found.external_memory_properties.external_memory_features.contains(vk::ExternalMemoryFeatureFlags::IMPORTABLE)
}

/// From one array of the host's to another, in place: neither is copied anywhere.
pub fn computes(device: &Arc<Device>) -> Result<(), Failed> {
    if !supported(device) {
        // The software drivers have it; a GPU without it has the case of its absence.
        let software = device.capabilities().device_type == wavelane_device::DeviceType::Cpu;
        return ensure(!software, || "VK_EXT_external_memory_host is missing".to_owned());
    }
    let alignment = device.capabilities().limits.min_imported_host_pointer_alignment;
    let size = (4 * alignment) as usize;
    let (from, to) = (Arc::new(Pages::new(size, alignment)?), Arc::new(Pages::new(size, alignment)?));
    let (source, result) = (from.pointer.cast::<u32>(), to.pointer.cast::<u32>());
    let count = size / 4;
    for i in 0..count {
        // SAFETY: within the pages, which nothing else uses yet.
        unsafe { source.add(i).write(i as u32) };
    }
    let import = |pages: &Arc<Pages>, name| {
        let keep = Arc::clone(pages);
        // SAFETY: the pages are kept with the buffer, and the host leaves them alone until the work is done.
        unsafe { Buffer::import_host(device, &HostMemory { pointer: pages.pointer, size: size as u64, name, keep: Some(keep) }) }
    };
    let imported = [import(&from, "from"), import(&to, "to")];
    if !importable(device) {
        // SwiftShader has the extension, and says that it imports no buffers.
        let text = "cannot be imported as buffer `from`: the driver imports no host memory for storage buffers";
        return imported.into_iter().take(1).try_for_each(|result| says(result, text));
    }
    let [from_buffer, to_buffer] = imported;
    let buffers = [from_buffer?, to_buffer?];
    drop((from, Arc::clone(&to)));
    ensure(buffers.iter().all(|buffer| !buffer.is_mapped() && buffer.size() == size as u64), || format!("{buffers:?}"))?;
    let statistics = device.memory_statistics();
    let imported = statistics.of(MemoryKind::Imported);
    ensure(imported.live_bytes == 2 * size as u64 && imported.count == 2, || format!("{statistics:?}"))?;
    ensure(statistics.live_bytes == 0, || format!("{statistics:?}: what is the caller's counts as ours"))?;

    let pipeline = multiply_add::pipeline(device, 1)?;
    let bindings: Vec<Binding<'_>> = buffers.iter().map(|buffer| BufferRange::whole(buffer).into()).collect();
    let mut recorder = Recorder::new(device)?;
    // SAFETY: both bindings have as many elements as are counted.
    unsafe { recorder.dispatch(&pipeline, &bindings, &push_constants(count as u32, 3), [(count as u32).div_ceil(WORKGROUP), 1, 1]) }?;
    recorder.barrier(&[BufferBarrier::new(BufferRange::whole(&buffers[1]), Access::ComputeWrite, Access::HostRead)])?;
    drop(bindings);
    drop(buffers);
    let submission = recorder.submit()?;
    submission.wait(PATIENCE)?;
    for i in 0..count {
        // SAFETY: the work is done; the recorder still keeps the pages.
        let value = unsafe { result.add(i).read() };
        ensure(value == i as u32 * 3 + 1, || format!("element {i} is {value}"))?;
    }
    drop((submission, recorder));
    let imported = device.memory_statistics().of(MemoryKind::Imported);
    ensure(imported.live_bytes == 0 && Arc::strong_count(&to) == 1, || format!("{imported:?} when all is gone"))
}

fn says(result: Result<Buffer, Error>, text: &str) -> Result<(), Failed> {
    let Err(error) = result else { return Err(format!("no error, where {text:?} was due").into()) };
    ensure(error.to_string().contains(text), || format!("{error:?} reads {error}, not {text:?}"))?;
    ensure(!error.advice().is_empty() && !format!("{error}{}", error.advice()).contains('\n'), || format!("{error:?}"))
}

pub fn errors(device: &Arc<Device>) -> Result<(), Failed> {
    if !supported(device) {
        return absent(device);
    }
    let alignment = device.capabilities().limits.min_imported_host_pointer_alignment;
    let pages = Arc::new(Pages::new(2 * alignment as usize, alignment)?);
    let import = |pointer: *mut u8, size: u64| {
        // SAFETY: none of these comes as far as a driver.
        unsafe { Buffer::import_host(device, &HostMemory { pointer, size, name: "odd", keep: None }) }
    };
    let text = format!("for buffer `odd` do not start and end at multiples of minImportedHostPointerAlignment, {alignment}");
    says(import(pages.pointer.wrapping_add(4), alignment), &text)?;
    says(import(pages.pointer, alignment + 4), &text)?;
    says(import(std::ptr::null_mut(), alignment), &text)?;
    says(import(pages.pointer, 0), "buffer `odd` was asked for with 0 bytes")?;
    ensure(device.live_resources().is_empty(), || format!("{:?}", device.live_resources()))
}

pub fn absent(device: &Arc<Device>) -> Result<(), Failed> {
    let pages = Pages::new(1 << 16, 1 << 16)?;
    let memory = HostMemory { pointer: pages.pointer, size: 1 << 16, name: "pages", keep: None };
    // SAFETY: it does not come as far as a driver.
    let result = unsafe { Buffer::import_host(device, &memory) };
    says(result, "host memory cannot be imported as buffer `pages`: the device lacks VK_EXT_external_memory_host")
}
