//! Readbacks: frames, buffers and errors.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use libtest_mimic::Failed;
use wavelane_device::{Device, MemoryUse};
use wavelane_record::{Access, BufferBarrier, BufferRange, Error, Readback, Recorder, RecorderOptions, Reuse, StagingRing};

use crate::harness::gpu::ensure;
use crate::multiply_add::{PATIENCE, says};
use crate::support::{Gate, buffer, pattern, readbacks};

/// 100 frames, three in flight: each is read by a later frame, in order, with its own contents.
pub fn frames(device: &Arc<Device>) -> Result<(), Failed> {
    const IN_FLIGHT: usize = 3;
    let target = buffer(device, 4096, MemoryUse::Device)?;
    let whole = BufferRange::whole(&target);
    let pool = readbacks(device, 1 << 20);
    let mut recorders = (0..IN_FLIGHT).map(|_| Recorder::new(device)).collect::<Result<Vec<_>, _>>()?;
    let mut waiting: VecDeque<(u32, Readback)> = VecDeque::new();
    let mut seen = Vec::new();
    let take = |(frame, readback): (u32, Readback), seen: &mut Vec<(u32, u64)>| -> Result<(), Failed> {
        let bytes = readback.poll()?.ok_or("not there, though the device is done")?;
        let right = bytes.len() == 4096 && bytes.chunks_exact(4).all(|word| word == frame.to_ne_bytes());
        ensure(right, || format!("frame {frame} brought {:?}…", &bytes[..8]))?;
        seen.push((frame, readback.latency_frames()));
        Ok(())
    };
    for frame in 0..100u32 {
        let recorder = &mut recorders[frame as usize % IN_FLIGHT];
        if frame as usize >= IN_FLIGHT {
            // The oldest frame, and never the newest.
            recorder.completion().wait(PATIENCE)?;
            recorder.reset()?;
            take(waiting.pop_front().ok_or("nothing is waited for")?, &mut seen)?;
        }
        recorder.barrier(&[BufferBarrier::new(whole, Access::TransferRead, Access::TransferWrite)])?;
        recorder.fill(whole, frame)?;
        recorder.barrier(&[BufferBarrier::new(whole, Access::TransferWrite, Access::TransferRead)])?;
        let readback = pool.read(recorder, whole)?;
        ensure(readback.latency_frames() == 0 && readback.size() == 4096, || format!("{readback:?}"))?;
        recorder.submit()?;
        waiting.push_back((frame, readback));
        pool.next_frame();
        let statistics = pool.statistics();
        ensure(waiting.len() <= IN_FLIGHT && statistics.buffers <= IN_FLIGHT, || format!("{statistics:?} in frame {frame}"))?;
    }
    device.wait_idle()?;
    waiting.into_iter().try_for_each(|last| take(last, &mut seen))?;
    ensure(seen.iter().map(|&(frame, _)| frame).eq(0..100), || format!("{seen:?}"))?;
    let steady = seen.iter().take(97).all(|&(_, latency)| latency == IN_FLIGHT as u64);
    ensure(steady, || format!("(frame, latency): {seen:?}"))?;
    let statistics = pool.statistics();
    ensure(statistics.in_use_bytes == 0 && statistics.live_bytes <= 3 * 4096, || format!("{statistics:?} at the end"))
}

/// A buffer whose handle is gone is not given out while the device may still write it.
pub fn dropped(device: &Arc<Device>) -> Result<(), Failed> {
    let gate = Gate::new(device)?;
    let source = buffer(device, 256, MemoryUse::Device)?;
    let whole = BufferRange::whole(&source);
    let pool = readbacks(device, 1 << 16);
    let read = |value: u32| -> Result<(Recorder, Readback), Failed> {
        let mut recorder = Recorder::new(device)?;
        recorder.barrier(&[BufferBarrier::new(whole, Access::TransferRead, Access::TransferWrite)])?;
        recorder.fill(whole, value)?;
        recorder.barrier(&[BufferBarrier::new(whole, Access::TransferWrite, Access::TransferRead)])?;
        let readback = pool.read(&mut recorder, whole)?;
        if value == 1 {
            gate.submit(&mut recorder)?
        } else {
            recorder.submit()?
        };
        Ok((recorder, readback))
    };
    let (_first, readback) = read(1)?;
    ensure(!gate.closes() || readback.poll()?.is_none(), || "it came through a closed gate".to_owned())?;
    drop(readback);
    let (_second, readback) = read(2)?;
    let buffers = if gate.closes() { 2..=2 } else { 1..=2 };
    let statistics = pool.statistics();
    ensure(buffers.contains(&statistics.buffers), || format!("{statistics:?}: a buffer that is written was given out"))?;
    gate.open()?;
    let bytes = readback.wait(PATIENCE)?;
    ensure(bytes.chunks_exact(4).all(|word| word == 2u32.to_ne_bytes()), || format!("{:?}", &bytes[..]))?;
    // Bytes outlive their handle, and hold the buffer.
    drop(readback);
    let (_third, other) = read(3)?;
    let others = other.wait(PATIENCE)?;
    ensure(bytes[0] == 2 && others[0] == 3 && pool.statistics().buffers == 2, || format!("{:?}", pool.statistics()))?;
    drop((bytes, others, other));
    let statistics = pool.statistics();
    ensure(statistics.in_use_bytes == 0 && statistics.buffers == 2, || format!("{statistics:?}"))?;
    pool.trim();
    ensure(pool.statistics().live_bytes == 0 && pool.statistics().peak_bytes == 512, || format!("{:?}", pool.statistics()))
}

pub fn limit(device: &Arc<Device>) -> Result<(), Failed> {
    let source = buffer(device, 8192, MemoryUse::Device)?;
    let range = |size| BufferRange::new(&source, 0, size);
    let pool = readbacks(device, 4096);
    let mut recorder = Recorder::new(device)?;
    recorder.fill(BufferRange::whole(&source), 5)?;
    recorder.barrier(&[BufferBarrier::new(BufferRange::whole(&source), Access::TransferWrite, Access::TransferRead)])?;
    says(pool.read(&mut recorder, range(4097)?), "4097 bytes were to be read back, and 0 of the pool's limit of 4096 are in use")?;
    let (one, two) = (pool.read(&mut recorder, range(2048)?)?, pool.read(&mut recorder, range(1024)?)?);
    says(pool.read(&mut recorder, range(2000)?), "2000 bytes were to be read back, and 3072 of the pool's limit of 4096 are in use")?;
    recorder.submit()?;
    ensure(one.wait(PATIENCE)?.len() + two.wait(PATIENCE)?.len() == 3072, || "other sizes".to_owned())?;
    drop((one, two));
    // Small buffers that are free make room for a large one.
    recorder.reset()?;
    let whole = pool.read(&mut recorder, range(4000)?)?;
    recorder.submit()?;
    ensure(whole.wait(PATIENCE)?.iter().step_by(4).all(|&byte| byte == 5), || "other bytes".to_owned())?;
    let statistics = pool.statistics();
    ensure(statistics.peak_bytes <= 4096 && statistics.buffers == 1, || format!("{statistics:?}"))
}

pub fn waits(device: &Arc<Device>) -> Result<(), Failed> {
    let gate = Gate::new(device)?;
    let source = buffer(device, 256, MemoryUse::Device)?;
    let pool = readbacks(device, 4096);
    let mut recorder = Recorder::new(device)?;
    recorder.fill(BufferRange::whole(&source), 9)?;
    recorder.barrier(&[BufferBarrier::new(BufferRange::whole(&source), Access::TransferWrite, Access::TransferRead)])?;
    let readback = pool.read(&mut recorder, BufferRange::whole(&source))?;
    // The recorder keeps what is read, the handle its pool.
    drop((source, pool));
    ensure(readback.poll()?.is_none(), || "it is there before it was submitted".to_owned())?;
    says(readback.wait(PATIENCE), "the recording was not submitted yet")?;
    gate.submit(&mut recorder)?;
    let limit = Duration::from_millis(20);
    let late = readback.wait(limit).map(|bytes| bytes.len());
    ensure(!gate.closes() || late == Err(Error::Timeout { waited: limit }), || format!("{late:?}"))?;
    gate.open()?;
    ensure(readback.wait(PATIENCE)?[..4] == 9u32.to_ne_bytes(), || "other bytes".to_owned())?;
    let again = readback.poll()?.ok_or("gone after it was read")?;
    ensure(again.len() == 256, || format!("{again:?}"))
}

pub fn nothing(device: &Arc<Device>) -> Result<(), Failed> {
    let source = buffer(device, 256, MemoryUse::Device)?;
    let pool = readbacks(device, 4096);
    let mut recorder = Recorder::new(device)?;
    let readback = pool.read(&mut recorder, BufferRange::new(&source, 256, 0)?)?;
    recorder.submit()?;
    ensure(readback.wait(PATIENCE)?.is_empty(), || "something came of nothing".to_owned())
}

pub fn abandoned(device: &Arc<Device>) -> Result<(), Failed> {
    let source = buffer(device, 256, MemoryUse::Device)?;
    let whole = BufferRange::whole(&source);
    let pool = readbacks(device, 4096);
    let text = "the recording was reset or dropped without being submitted";
    let mut recorder = Recorder::new(device)?;
    let by_reset = pool.read(&mut recorder, whole)?;
    recorder.reset()?;
    let by_drop = pool.read(&mut recorder, whole)?;
    drop(recorder);
    for readback in [by_reset, by_drop] {
        says(readback.poll(), text)?;
        says(readback.wait(PATIENCE), text)?;
    }
    ensure(pool.statistics().in_use_bytes == 0, || format!("{:?}", pool.statistics()))?;
    let mut many = Recorder::with_options(device, &RecorderOptions { reuse: Reuse::Many, ..RecorderOptions::default() })?;
    says(pool.read(&mut many, whole), "a recording that can be submitted more than once was to read data back")?;
    drop(many);

    // From here on the device counts as lost: what was seen stays, and nothing else comes.
    let mut recorder = Recorder::new(device)?;
    recorder.fill(whole, 3)?;
    recorder.barrier(&[BufferBarrier::new(whole, Access::TransferWrite, Access::TransferRead)])?;
    let (seen, unseen) = (pool.read(&mut recorder, whole)?, pool.read(&mut recorder, whole)?);
    let mut ring = StagingRing::new(device, 256)?;
    ring.place(&recorder, &[1; 256], PATIENCE)?;
    recorder.submit()?.wait(PATIENCE)?;
    ensure(seen.poll()?.is_some(), || "waited for, and not there".to_owned())?;
    // SAFETY: nothing is in flight.
    unsafe { device.set_lost() };
    ensure(seen.poll()?.is_some(), || "what was seen is gone with the device".to_owned())?;
    let lost = |result: Result<(), Error>| ensure(result.as_ref().is_err_and(Error::is_device_lost), || format!("{result:?}"));
    lost(unseen.poll().map(drop))?;
    lost(unseen.wait(PATIENCE).map(drop))?;
    lost(ring.place(&Recorder::new(device)?, &[1; 256], PATIENCE).map(drop))?;
    drop((seen, unseen));
    ensure(pool.statistics().live_bytes == 0, || format!("{:?} of a lost device", pool.statistics()))
}

pub fn in_place(device: &Arc<Device>) -> Result<(), Failed> {
    let source = buffer(device, 1024, MemoryUse::Shared)?;
    let part = BufferRange::new(&source, 100, 400)?;
    let pool = readbacks(device, 0);
    let mut recorder = Recorder::new(device)?;
    recorder.fill(part, 0x0404_0404)?;
    recorder.barrier(&[BufferBarrier::new(part, Access::TransferWrite, Access::HostRead)])?;
    // SAFETY: nothing writes the buffer after this recording.
    let readback = unsafe { pool.read_in_place(&recorder, part) }?;
    recorder.submit()?;
    let bytes = readback.wait(PATIENCE)?;
    ensure(bytes[..] == [4; 400] && pool.statistics().buffers == 0, || format!("{:?}", &bytes[..]))?;
    Ok(())
}

/// 10,000 times up and back: not a byte more is taken at the end than near the beginning.
pub fn flat(device: &Arc<Device>) -> Result<(), Failed> {
    let target = buffer(device, 1024, MemoryUse::Device)?;
    let whole = BufferRange::whole(&target);
    let pool = readbacks(device, 1 << 16);
    let mut ring = StagingRing::new(device, 8192)?;
    let mut recorders = [Recorder::new(device)?, Recorder::new(device)?];
    let mut settled = None;
    let mut waiting: [Option<(Vec<u8>, Readback)>; 2] = [None, None];
    for turn in 0..10_000usize {
        let recorder = &mut recorders[turn % 2];
        if let Some((expected, readback)) = waiting[turn % 2].take() {
            let bytes = readback.wait(PATIENCE)?;
            ensure(bytes[..] == expected[..], || format!("turn {turn} brought other bytes"))?;
            recorder.reset()?;
        }
        let bytes = pattern(turn as u64, 1024);
        recorder.barrier(&[BufferBarrier::new(whole, Access::TransferRead, Access::TransferWrite)])?;
        ring.stage(recorder, whole, &bytes, PATIENCE)?;
        recorder.barrier(&[BufferBarrier::new(whole, Access::TransferWrite, Access::TransferRead)])?;
        waiting[turn % 2] = Some((bytes, pool.read(recorder, whole)?));
        recorder.submit()?;
        match &settled {
            None if turn == 10 => settled = Some((device.memory_statistics(), pool.statistics().live_bytes, device.live_resources().len())),
            None => {}
            Some(settled) => {
                let now = (device.memory_statistics(), pool.statistics().live_bytes, device.live_resources().len());
                ensure(now == *settled, || format!("{now:?} in turn {turn}, after {settled:?}"))?;
            }
        }
    }
    Ok(())
}
