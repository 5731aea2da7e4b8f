//! The books, closing a device, and the report of what is left.

use std::sync::Arc;

use libtest_mimic::Failed;
use wavelane::{Context, ContextOptions, DType, Reduce, ReduceOp, Tensor};
use wavelane_device::{Buffer, BufferDescription, Device, ForeignBuffer, Image, ImageDescription, LeakReport, MemoryKind, MemoryUse, vk};
use wavelane_record::{BufferRange, Recorder};

use crate::harness::gpu::{ensure, instance};
use crate::multiply_add::PATIENCE;
use crate::support::readbacks;

const USES: [MemoryUse; 4] = [MemoryUse::Device, MemoryUse::Upload, MemoryUse::Readback, MemoryUse::Shared];

fn image(device: &Arc<Device>) -> Result<Image, Failed> {
    Ok(Image::new(device, &ImageDescription { extent: [64, 64, 1], format: vk::Format::R32_SFLOAT, name: "heights" })?)
}

pub fn named(device: &Arc<Device>) -> Result<(), Failed> {
    let make = |memory: MemoryUse| {
        let name = format!("{memory:?}");
        Buffer::new(device, &BufferDescription { size: 1000, memory, name: &name })
    };
    let buffers = USES.map(make).into_iter().collect::<Result<Vec<_>, _>>()?;
    let image = image(device)?;
    let description = ForeignBuffer { size: 500, usage: buffers[0].usage(), name: "lent", keep: None };
    // SAFETY: the buffer outlives this handle.
    let foreign = unsafe { Buffer::from_raw(device, buffers[0].raw(), &description) }?;
    let statistics = device.memory_statistics();
    for (memory, buffer) in USES.into_iter().zip(&buffers) {
        let kind = statistics.of(memory.into());
        let expected = (1000..=2048).contains(&kind.live_bytes) && kind.peak_bytes == kind.live_bytes && kind.count == 1;
        ensure(expected, || format!("{memory:?}: {kind:?} for {buffer:?}"))?;
    }
    ensure(statistics.of(MemoryKind::Image).live_bytes >= 64 * 64 * 4, || format!("{statistics:?}"))?;
    ensure(statistics.of(MemoryKind::Foreign).live_bytes == 500, || format!("{statistics:?}"))?;
    let own: u64 = MemoryKind::ALL.into_iter().filter(|kind| kind.is_own()).map(|kind| statistics.of(kind).live_bytes).sum();
    ensure(statistics.live_bytes == own && statistics.allocations == 5, || format!("{statistics:?}"))?;
    ensure(statistics.reserved_bytes >= statistics.live_bytes, || format!("{statistics:?}"))?;

    let resources = device.live_resources();
    let names: Vec<&str> = resources.iter().map(|resource| &*resource.name).collect();
    ensure(names == ["Device", "Upload", "Readback", "Shared", "heights", "lent"], || format!("{names:?}"))?;
    ensure(resources[4].image && resources[4].id == image.id() && !resources[5].image, || format!("{resources:?}"))?;
    let text = resources[5].to_string();
    ensure(text == "buffer `lent` (the caller's, 500 bytes)", || text.clone())?;
    drop((image, foreign, buffers));
    let after = device.memory_statistics();
    ensure(device.live_resources().is_empty() && after.live_bytes == 0, || format!("{:?}", device.live_resources()))?;
    ensure(after.peak_bytes == statistics.peak_bytes, || format!("{after:?} after {statistics:?}"))
}

pub fn close(device: Arc<Device>) -> Result<(), Failed> {
    let buffer = Buffer::new(&device, &BufferDescription { size: 64, memory: MemoryUse::Readback, name: "kept" })?;
    let pool = readbacks(&device, 4096);
    let mut recorder = Recorder::new(&device)?;
    recorder.fill(BufferRange::whole(&buffer), 1)?;
    recorder.submit()?.wait(PATIENCE)?;
    let Err(error) = device.close() else { return Err("a device in use was closed".into()) };
    let text = error.to_string();
    ensure(text.starts_with("the device is still in use by buffer `kept` (readback, "), || text.clone())?;
    ensure(error.resources.len() == 1 && error.handles >= 2 && text.contains("other handles"), || format!("{error:?}: {text}"))?;
    ensure(!text.contains('\n') && !error.advice().contains('\n'), || text.clone())?;
    // It works on as before.
    let device = error.device;
    recorder.reset()?;
    recorder.fill(BufferRange::whole(&buffer), 2)?;
    recorder.submit()?.wait(PATIENCE)?;
    drop((recorder, buffer));
    let Err(error) = device.close() else { return Err("a device in use was closed".into()) };
    ensure(error.resources.is_empty() && error.to_string() == "the device is still in use, and 1 other handle", || error.to_string())?;
    let device = error.device;
    drop(pool);
    device.close().map_err(|error| error.to_string().into())
}

/// What an engine would own.
struct Owner {
    _buffers: Vec<Buffer>,
    _device: Arc<Device>,
    report: LeakReport,
}

impl Owner {
    fn new(device: Arc<Device>) -> Result<(Self, Image), Failed> {
        let description = BufferDescription { size: 1 << 12, memory: MemoryUse::Device, name: "owned" };
        let image = image(&device)?;
        let report = LeakReport::new(&device);
        Ok((Self { _buffers: vec![Buffer::new(&device, &description)?], _device: device, report }, image))
    }
}

pub fn leak_report(device: Arc<Device>) -> Result<(), Failed> {
    let (owner, forgotten) = Owner::new(device)?;
    let text = owner.report.text().unwrap_or_default();
    ensure(text.contains("buffer `owned` (device, 4096 bytes)") && text.contains("image `heights`"), || text.clone())?;
    let watched = LeakReport::new(forgotten.device());
    drop(owner);
    let text = watched.text().unwrap_or_default();
    ensure(!text.contains("owned") && text.contains(" bytes are alive by image `heights` (image, "), || text.clone())?;
    drop(forgotten);
    ensure(watched.text().is_none(), || "something is reported of a device that is gone".to_owned())
}

/// Fails, so that what was logged is shown.
pub fn leak_log(device: Arc<Device>) -> Result<(), Failed> {
    let (owner, forgotten) = Owner::new(device)?;
    drop(owner);
    drop(forgotten);
    Err("on purpose".into())
}

/// The second call of a context uses what the first one made; a larger one makes larger buffers, and a failed one leaves nothing behind.
pub fn context() -> Result<(), Failed> {
    let context = Context::with_instance(&instance()?, &ContextOptions::default())?;
    let sum = |count: u32| -> Result<Vec<u64>, Failed> {
        let shape = [count as usize];
        let input = Tensor::from_slice(&(0..count).collect::<Vec<u32>>(), &shape)?;
        let outcome = context.reduce(&Reduce::new(ReduceOp::Sum, DType::U32, &shape), &input)?;
        let expected = (0..count).fold(0u32, u32::wrapping_add);
        let found: Vec<u32> = outcome.tensor.to_vec()?;
        ensure(found == [expected], || format!("{found:?} instead of {expected}"))?;
        Ok(context.device().live_resources().iter().map(|resource| resource.id).collect())
    };
    let first = sum(100_000)?;
    let peak = context.device().memory_statistics().peak_bytes;
    for count in [100_000, 1, 99_999, 0, 5000] {
        let again = sum(count)?;
        ensure(again.iter().all(|id| first.contains(id)), || format!("{count} elements: {again:?} after {first:?}"))?;
    }
    ensure(context.device().memory_statistics().peak_bytes == peak, || "smaller calls took more memory".to_owned())?;
    let larger = sum(1_000_000)?;
    ensure(larger.len() <= first.len() && larger != first, || format!("{larger:?} after {first:?}"))?;
    let report = LeakReport::new(context.device());
    drop(context);
    ensure(report.text().is_none(), || report.text().unwrap_or_default())
}
