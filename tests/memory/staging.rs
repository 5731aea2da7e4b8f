//! The staging ring.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use libtest_mimic::Failed;
use wavelane_device::{Device, ForeignBuffer, Image, ImageDescription, MemoryKind, MemoryUse, vk};
use wavelane_record::{
    Access, BufferBarrier, BufferRange, Error, ImageBarrier, Recorder, RecorderOptions, Reuse, StagingHolder, StagingRing, Upload,
};

use crate::counting::allocations;
use crate::harness::gpu::ensure;
use crate::multiply_add::{PATIENCE, says};
use crate::support::{Gate, buffer, contents, pattern, readbacks};

/// 100 MB in uneven parts through 1 MiB, and back through a pool of 4 MiB: the host's share stays as small as that.
pub fn pressure(device: &Arc<Device>) -> Result<(), Failed> {
    const TOTAL: u64 = 100_000_000;
    const RING: u64 = 1 << 20;
    const POOL: u64 = 4 << 20;
    let target = buffer(device, TOTAL, MemoryUse::Device)?;
    let mut ring = StagingRing::new(device, RING)?;
    let mut recorders = (0..3).map(|_| Recorder::new(device)).collect::<Result<Vec<_>, _>>()?;
    let (mut offset, mut turn) = (0, 0);
    while offset < TOTAL {
        let recorder = &mut recorders[turn % 3];
        if turn >= 3 {
            recorder.completion().wait(PATIENCE)?;
            recorder.reset()?;
        }
        // Two parts a recording, of sizes that meet the ring's end now and then.
        for size in [100_003 + (turn as u64 * 7919) % 90_000, 61] {
            let size = size.min(TOTAL - offset);
            ring.stage(recorder, BufferRange::new(&target, offset, size)?, &pattern(offset, size as usize), PATIENCE)?;
            offset += size;
        }
        recorder.submit()?;
        turn += 1;
    }
    let pool = readbacks(device, POOL);
    let mut recorder = Recorder::new(device)?;
    let mut offset = 0;
    while offset < TOTAL {
        let part = BufferRange::new(&target, offset, (1 << 20).min(TOTAL - offset))?;
        recorder.barrier(&[BufferBarrier::new(part, Access::TransferWrite, Access::TransferRead)])?;
        let readback = pool.read(&mut recorder, part)?;
        recorder.submit()?;
        let bytes = readback.wait(PATIENCE)?;
        ensure(bytes[..] == pattern(offset, bytes.len())[..], || format!("the bytes from {offset} on are others"))?;
        offset += bytes.len() as u64;
        recorder.reset()?;
    }
    let statistics = device.memory_statistics();
    let (up, down) = (statistics.of(MemoryKind::Upload), statistics.of(MemoryKind::Readback));
    ensure(up.peak_bytes <= ring.capacity().next_multiple_of(256) && up.count == 1, || format!("{up:?} for a ring of {RING}"))?;
    ensure(down.peak_bytes <= POOL && pool.statistics().peak_bytes <= POOL, || format!("{down:?} for a pool of {POOL}"))
}

/// Parts of one recording and of several land where they belong, and later ones over earlier ones; the ring is gone round many times.
pub fn order(device: &Arc<Device>) -> Result<(), Failed> {
    let target = buffer(device, 4096, MemoryUse::Device)?;
    let whole = BufferRange::whole(&target);
    let mut ring = StagingRing::new(device, 8192)?;
    let mut expected = vec![0; 4096];
    let mut recorder = Recorder::new(device)?;
    recorder.fill(whole, 0)?;
    let overwrite = BufferBarrier::new(whole, Access::TransferWrite, Access::TransferWrite);
    for round in 0..150usize {
        for part in 0..4usize {
            let (offset, length) = ((round * 331 + part * 977) % 3000, (round * 37 + part * 501) % 1090);
            let bytes = pattern((round * 7 + part) as u64, length);
            recorder.barrier(&[overwrite])?;
            ring.stage(&mut recorder, whole.slice(offset as u64, length as u64)?, &bytes, PATIENCE)?;
            expected[offset..offset + length].copy_from_slice(&bytes);
        }
        recorder.submit()?;
        // A new one each time: the ring knows of several recordings at once.
        recorder = Recorder::new(device)?;
    }
    drop(recorder);
    let found = contents(device, &target, Access::TransferWrite)?;
    let wrong = found.iter().zip(&expected).position(|(found, expected)| found != expected);
    ensure(wrong.is_none(), || format!("byte {wrong:?} is another"))
}

pub fn full(device: &Arc<Device>) -> Result<(), Failed> {
    let target = buffer(device, 8192, MemoryUse::Device)?;
    let range = |offset, size| BufferRange::new(&target, offset, size);
    let mut ring = StagingRing::new(device, 4096)?;
    let capacity = ring.capacity();
    let bytes = vec![1; 4096];
    let (mut first, mut second) = (Recorder::new(device)?, Recorder::new(device)?);
    ring.stage(&mut first, range(0, 3000)?, &bytes[..3000], PATIENCE)?;
    // Neither of these waits, however long it may: nothing would ever come of it.
    let text = format!("2000 bytes were to be staged, and 3008 of the ring's {capacity} are held, the oldest by this recording itself");
    let held = |result: &Result<(), Error>| matches!(result, Err(Error::StagingFull { held: 3008..=3328, .. }));
    let result = ring.stage(&mut first, range(4000, 2000)?, &bytes[..2000], PATIENCE);
    ensure(held(&result), || format!("{result:?}"))?;
    if ring.buffer().is_coherent() {
        says(result, &text)?;
    }
    let result = ring.stage(&mut second, range(4000, 2000)?, &bytes[..2000], PATIENCE);
    ensure(held(&result), || format!("{result:?}"))?;
    says(result, "the oldest by another recording that was not submitted yet")?;
    // What fits still fits.
    ring.stage(&mut second, range(4000, 500)?, &bytes[..500], PATIENCE)?;
    ensure(ring.waits() == 0, || format!("{} waits for nothing", ring.waits()))?;
    first.submit()?;
    ring.stage(&mut second, range(4500, 2000)?, &bytes[..2000], PATIENCE)?;
    second.submit()?.wait(PATIENCE)?;
    ring.reclaim()?;
    ensure(ring.held_bytes() == 0, || format!("{} bytes are held by nobody", ring.held_bytes()))
}

pub fn back_pressure(device: &Arc<Device>) -> Result<(), Failed> {
    let gate = Gate::new(device)?;
    let target = buffer(device, 4096, MemoryUse::Device)?;
    let whole = BufferRange::whole(&target);
    let mut ring = StagingRing::new(device, 4096)?;
    let (mut first, mut second) = (Recorder::new(device)?, Recorder::new(device)?);
    ring.stage(&mut first, whole, &pattern(0, 4096), PATIENCE)?;
    gate.submit(&mut first)?;
    second.barrier(&[BufferBarrier::new(whole, Access::TransferWrite, Access::TransferWrite)])?;
    let again = pattern(99, 4096);
    if !gate.closes() {
        // However far the device has come by now, there is room in the end, and the ring is gone round.
        for turn in 0..200 {
            ring.stage(&mut second, whole, &pattern(turn, 4096), PATIENCE)?;
            second.submit()?;
            second = Recorder::new(device)?;
            second.barrier(&[BufferBarrier::new(whole, Access::TransferWrite, Access::TransferWrite)])?;
        }
        return ensure(contents(device, &target, Access::TransferWrite)? == pattern(199, 4096), || "other bytes".to_owned());
    }
    let full = ring.try_stage(&mut second, whole, &again);
    ensure(matches!(full, Err(Error::StagingFull { by: StagingHolder::InFlight, .. })), || format!("{full:?}"))?;
    says(full, "the oldest by a submission in flight")?;
    let limit = Duration::from_millis(30);
    let started = Instant::now();
    let late = ring.stage(&mut second, whole, &again, limit);
    let waited = started.elapsed();
    ensure(late == Err(Error::Timeout { waited: limit }), || format!("{late:?}"))?;
    ensure(waited >= limit && waited < Duration::from_secs(20), || format!("waited for {waited:?} instead of {limit:?}"))?;
    // Nothing was recorded, and the same can be asked again.
    thread::scope(|scope| {
        let opener = scope.spawn(|| {
            thread::sleep(Duration::from_millis(50));
            gate.open()
        });
        ring.stage(&mut second, whole, &again, PATIENCE)?;
        opener.join().unwrap_or_else(|_| Err("a thread panicked".into()))
    })?;
    second.submit()?;
    let found = contents(device, &target, Access::TransferWrite)?;
    ensure(found == again, || "what was staged last is not there".to_owned())?;
    ensure(ring.waits() == 2, || format!("{} waits", ring.waits()))
}

pub fn abandoned(device: &Arc<Device>) -> Result<(), Failed> {
    let target = buffer(device, 4096, MemoryUse::Device)?;
    let mut ring = StagingRing::new(device, 4096)?;
    let mut recorder = Recorder::new(device)?;
    for turn in 0..500 {
        ring.stage(&mut recorder, BufferRange::whole(&target), &pattern(turn, 4096), Duration::ZERO)?;
        if turn % 2 == 0 { recorder.reset()? } else { recorder = Recorder::new(device)? }
    }
    let bytes = pattern(12_345, 4096);
    ring.stage(&mut recorder, BufferRange::whole(&target), &bytes, Duration::ZERO)?;
    recorder.submit()?;
    // A ring may go before the work that reads it.
    drop(ring);
    let found = contents(device, &target, Access::TransferWrite)?;
    ensure(found == bytes, || "the recording that was submitted brought other bytes".to_owned())
}

pub fn errors(device: &Arc<Device>) -> Result<(), Failed> {
    let target = buffer(device, 8192, MemoryUse::Device)?;
    let range = |size| BufferRange::new(&target, 0, size);
    let mut ring = StagingRing::new(device, 4096)?;
    let mut recorder = Recorder::new(device)?;
    let bytes = vec![0; 8192];
    says(
        ring.stage(&mut recorder, range(8192)?, &bytes, PATIENCE),
        &format!("8192 bytes were to be staged at once, and the ring has {}", ring.capacity()),
    )?;
    says(ring.stage(&mut recorder, range(8)?, &bytes[..4], PATIENCE), "a copy was given 4 bytes to read and 8 bytes to write")?;
    let mut many = Recorder::with_options(device, &RecorderOptions { reuse: Reuse::Many, ..RecorderOptions::default() })?;
    let text = "a recording that can be submitted more than once was to stage data";
    says(ring.stage(&mut many, range(4)?, &bytes[..4], PATIENCE), text)?;
    let nothing = ring.place(&recorder, &[], PATIENCE)?;
    ensure(nothing.size() == 0, || format!("{nothing:?}"))?;
    ensure(ring.held_bytes() == 0, || "refused bytes are held".to_owned())?;
    recorder.submit()?.wait(PATIENCE)?;
    says(ring.stage(&mut recorder, range(4)?, &bytes[..4], PATIENCE), "can record again only after a reset")
}

pub fn texels(device: &Arc<Device>) -> Result<(), Failed> {
    let (format, name) = (vk::Format::R32_UINT, "texels");
    let image = Image::new(device, &ImageDescription { extent: [16, 8, 1], format, name })?;
    let back = buffer(device, 512, MemoryUse::Device)?;
    let mut ring = StagingRing::new(device, 4096)?;
    let mut recorder = Recorder::new(device)?;
    let bytes = pattern(3, 512);
    recorder.barriers_of(&[], &[ImageBarrier::discard(&image, Access::TransferWrite)])?;
    // So that the texels do not start at the ring's start.
    ring.place(&recorder, &[0; 5], PATIENCE)?;
    let texels = ring.place(&recorder, &bytes, PATIENCE)?;
    ensure(texels.offset() > 0 && texels.offset().is_multiple_of(16), || format!("{texels:?}"))?;
    recorder.copy_to_image(texels, &image)?;
    recorder.barriers_of(&[], &[ImageBarrier::new(&image, Access::TransferWrite, Access::TransferRead)])?;
    recorder.copy_from_image(&image, BufferRange::whole(&back))?;
    recorder.submit()?;
    let found = contents(device, &back, Access::TransferWrite)?;
    ensure(found == bytes, || "the texels are others".to_owned())
}

/// Directly where the host reaches the buffer, else through the ring; both arrive with the barrier that is asked for.
pub fn idle(device: &Arc<Device>) -> Result<(), Failed> {
    let mapped = buffer(device, 1000, MemoryUse::Shared)?;
    let own = buffer(device, 1000, MemoryUse::Device)?;
    let foreign = ForeignBuffer { size: own.size(), usage: own.usage(), name: "not mapped", keep: Some(Arc::new(own.clone())) };
    // SAFETY: `own` is kept alive by the description.
    let unmapped = unsafe { wavelane_device::Buffer::from_raw(device, own.raw(), &foreign) }?;
    let mut ring = StagingRing::new(device, 4096)?;
    for (target, expected) in [(&mapped, Upload::Direct), (&unmapped, Upload::Staged)] {
        let mut recorder = Recorder::new(device)?;
        let bytes = pattern(5, 900);
        let part = BufferRange::new(target, 100, 900)?;
        says(ring.write_idle(&mut recorder, part, &bytes[1..], PATIENCE), "a copy was given 899 bytes to read and 900 bytes to write")?;
        let upload = ring.write_idle(&mut recorder, part, &bytes, PATIENCE)?;
        ensure(upload == expected, || format!("{} was written {upload:?}", target.name()))?;
        recorder.barrier(&[BufferBarrier::new(part, upload.access(), Access::TransferRead)])?;
        let readback = readbacks(device, 4096).read(&mut recorder, part)?;
        recorder.submit()?;
        ensure(readback.wait(PATIENCE)?[..] == bytes[..], || format!("{upload:?} brought other bytes"))?;
    }
    Ok(())
}

/// In steady state neither staging nor taking back allocates anything.
pub fn no_allocation(device: &Arc<Device>) -> Result<(), Failed> {
    let target = buffer(device, 4096, MemoryUse::Device)?;
    let mut ring = StagingRing::new(device, 1 << 16)?;
    let mut recorder = Recorder::new(device)?;
    let bytes = vec![7; 256];
    let mut counted = Vec::with_capacity(16);
    for _ in 0..16 {
        let before = allocations();
        for part in 0..16 {
            ring.stage(&mut recorder, BufferRange::new(&target, part * 256, 256)?, &bytes, PATIENCE)?;
        }
        counted.push(allocations() - before);
        recorder.submit()?.wait(PATIENCE)?;
        let before = allocations();
        ring.reclaim()?;
        recorder.reset()?;
        counted.push(allocations() - before);
    }
    ensure(counted[4..].iter().all(|&count| count == 0), || format!("allocations, by turns staging and resetting: {counted:?}"))
}
