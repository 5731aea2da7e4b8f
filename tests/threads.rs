//! What goes from thread to thread, and threads that use one device at once.

mod gate;
mod harness;
mod multiply_add;

use std::process::ExitCode;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Barrier, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use gate::Gate;
use harness::Case;
use harness::gpu::{device, ensure};
use libtest_mimic::Failed;
use multiply_add::{PATIENCE, buffer, counted, dispatch, holds, pipeline, written};
use wavelane_device::{Buffer, Device, Image, Instance, MemoryUse, Profile, Queue, QueueRole, SyncPoint, vk};
use wavelane_record::{
    Access, BufferBarrier, BufferRange, Completion, ComputePipeline, Error, ImageBarrier, Readback, ReadbackBytes, Readbacks, Recorder,
    RecorderOptions, Reuse, Sequence, StagingRing, Submission, Trace,
};

const COUNT: u32 = 4000;

/// What this file states by compiling: the types that go from thread to thread, and that several threads can use at once. That is all of them. Recording takes
/// `&mut`, so that a recorder is one thread's at a time, whoever's; what Vulkan wants one thread at a time for besides is behind locks.
const fn shared_between_threads<T: Send + Sync>() {}

const _: () = {
    shared_between_threads::<Instance>();
    shared_between_threads::<Device>();
    shared_between_threads::<Queue>();
    shared_between_threads::<Buffer>();
    shared_between_threads::<Image>();
    shared_between_threads::<SyncPoint>();
    shared_between_threads::<ComputePipeline>();
    shared_between_threads::<BufferRange<'static>>();
    shared_between_threads::<BufferBarrier<'static>>();
    shared_between_threads::<ImageBarrier<'static>>();
    shared_between_threads::<Recorder>();
    shared_between_threads::<Sequence>();
    shared_between_threads::<Submission>();
    shared_between_threads::<Completion>();
    shared_between_threads::<StagingRing>();
    shared_between_threads::<Readbacks>();
    shared_between_threads::<Readback>();
    shared_between_threads::<ReadbackBytes>();
    shared_between_threads::<Trace>();
    shared_between_threads::<Error>();
};

fn main() -> ExitCode {
    type Run = fn(&Arc<Device>) -> Result<(), Failed>;
    let runs: [(&str, Run); 6] = [
        ("two_threads_record_at_once", two_record),
        ("a_recording_goes_from_thread_to_thread", handed_over),
        ("four_threads_share_a_queue", four_submit),
        ("a_queue_is_shared_with_its_owner", shared_with_the_caller),
        ("a_sequence_is_submitted_by_several_threads", sequence_of_many),
        ("waiting_does_not_spin", waiting),
    ];
    let mut cases = Vec::new();
    for (name, run) in runs {
        cases.push(Case::new(name, move |_| run(&device(None)?)));
        cases.push(Case::new(format!("{name}_on_vulkan_1_1"), move |_| run(&device(Some(Profile::named("minimal")?))?)));
    }
    harness::main(cases)
}

/// Runs `action` on so many threads that begin together, and gives the first thing that went wrong.
fn at_once(threads: u32, action: impl Fn(u32) -> Result<(), Failed> + Sync) -> Result<(), Failed> {
    let start = Barrier::new(threads as usize);
    let failures: Vec<String> = thread::scope(|scope| {
        let (start, action) = (&start, &action);
        let running: Vec<_> = (0..threads)
            .map(|thread| {
                scope.spawn(move || {
                    start.wait();
                    action(thread).map_err(|failed| failed.message().unwrap_or("failed").to_owned())
                })
            })
            .collect();
        let results = running.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err("a thread panicked".to_owned())));
        results.filter_map(Result::err).collect()
    });
    ensure(failures.is_empty(), || failures.join("\n"))
}

/// Both read the same buffer through the same pipeline, in many short recordings and one long one.
fn two_record(device: &Arc<Device>) -> Result<(), Failed> {
    let (pipeline, from) = (pipeline(device, 1)?, counted(device, COUNT)?);
    at_once(2, |thread| {
        let to = buffer(device, COUNT, MemoryUse::Shared)?;
        let mut recorder = Recorder::new(device)?;
        for factor in 1..30 {
            for _ in 0..if factor == 29 { 400 } else { 3 } {
                dispatch(&mut recorder, &pipeline, BufferRange::whole(&from), BufferRange::whole(&to), factor + thread)?;
                recorder.barrier(&[written(&to, Access::ComputeWrite)])?;
            }
            recorder.barrier(&[written(&to, Access::HostRead)])?;
            recorder.submit()?.wait(PATIENCE)?;
            holds(&to, |i| i * (factor + thread) + 1)?;
            recorder.reset()?;
        }
        Ok(())
    })
}

/// Begun on one thread, gone on with on the next, submitted by a third, waited for by a fourth.
fn handed_over(device: &Arc<Device>) -> Result<(), Failed> {
    let (pipeline, from, to) = (pipeline(device, 1)?, counted(device, COUNT)?, buffer(device, COUNT, MemoryUse::Shared)?);
    let recorder = Mutex::new(Recorder::new(device)?);
    let submission = Mutex::new(None);
    let poisoned = || Failed::from("a thread panicked");
    let record = |to_access| -> Result<(), Failed> {
        let mut recorder = recorder.lock().map_err(|_| poisoned())?;
        dispatch(&mut recorder, &pipeline, BufferRange::whole(&from), BufferRange::whole(&to), 3)?;
        Ok(recorder.barrier(&[written(&to, to_access)])?)
    };
    at_once(1, |_| record(Access::ComputeWrite))?;
    at_once(1, |_| record(Access::HostRead))?;
    at_once(1, |_| {
        *submission.lock().map_err(|_| poisoned())? = Some(recorder.lock().map_err(|_| poisoned())?.submit()?);
        Ok(())
    })?;
    at_once(1, |_| Ok(submission.lock().map_err(|_| poisoned())?.take().ok_or("nothing was submitted")?.wait(PATIENCE)?))?;
    holds(&to, |i| i * 3 + 1)
}

/// Each records, submits and waits by itself; each submission has its own place in the queue's order.
fn four_submit(device: &Arc<Device>) -> Result<(), Failed> {
    let (pipeline, from) = (pipeline(device, 1)?, counted(device, COUNT)?);
    let points = Mutex::new(Vec::new());
    at_once(4, |thread| {
        let to = buffer(device, COUNT, MemoryUse::Shared)?;
        let mut recorder = Recorder::new(device)?;
        let mut before = 0;
        for factor in 0..25 {
            dispatch(&mut recorder, &pipeline, BufferRange::whole(&from), BufferRange::whole(&to), factor + thread)?;
            recorder.barrier(&[written(&to, Access::HostRead)])?;
            let submission = recorder.submit()?;
            let point = submission.sync_point();
            ensure(point.value() > before, || format!("{point:?} after {before}"))?;
            before = point.value();
            points.lock().map_err(|_| "a thread panicked")?.push(point.value());
            // Some wait, some ask.
            if thread % 2 == 0 {
                submission.wait(PATIENCE)?;
            } else {
                let started = Instant::now();
                while !submission.is_done()? {
                    ensure(started.elapsed() < PATIENCE, || "never done".to_owned())?;
                    thread::sleep(Duration::from_micros(200));
                }
            }
            holds(&to, |i| i * (factor + thread) + 1)?;
            recorder.reset()?;
        }
        Ok(())
    })?;
    let mut points = points.into_inner().map_err(|_| "a thread panicked")?;
    points.sort_unstable();
    ensure(points == (1..=100).collect::<Vec<_>>(), || format!("100 submissions have the points {points:?}"))
}

/// Two threads of ours beside two of a caller's, who submits to the same queue by itself, within [`Queue::locked`].
fn shared_with_the_caller(device: &Arc<Device>) -> Result<(), Failed> {
    let (pipeline, from) = (pipeline(device, 1)?, counted(device, COUNT)?);
    let queue = device.queue(QueueRole::Compute);
    at_once(4, |thread| {
        let to = buffer(device, COUNT, MemoryUse::Shared)?;
        let mut recorder = Recorder::new(device)?;
        // SAFETY: the device is alive; the fence is destroyed when what signals it is done.
        let fence = unsafe { device.raw().create_fence(&vk::FenceCreateInfo::default(), None) }?;
        for factor in 0..20 {
            if thread >= 2 {
                // SAFETY: the queue is locked, and the fence neither signalled nor in use.
                queue.locked(|raw| unsafe { device.raw().queue_submit(raw, &[], fence) })?;
                // SAFETY: the fence was submitted.
                unsafe {
                    device.raw().wait_for_fences(&[fence], true, PATIENCE.as_nanos() as u64)?;
                    device.raw().reset_fences(&[fence])?;
                }
                continue;
            }
            dispatch(&mut recorder, &pipeline, BufferRange::whole(&from), BufferRange::whole(&to), factor)?;
            recorder.barrier(&[written(&to, Access::HostRead)])?;
            recorder.submit()?.wait(PATIENCE)?;
            holds(&to, |i| i * factor + 1)?;
            recorder.reset()?;
        }
        // SAFETY: the last submission with it was waited for.
        unsafe { device.raw().destroy_fence(fence, None) };
        Ok(())
    })
}

/// Recorded for use at once, every submission goes through; recorded for one at a time, those that come too early are told so.
fn sequence_of_many(device: &Arc<Device>) -> Result<(), Failed> {
    for reuse in [Reuse::Simultaneous, Reuse::Many] {
        let (pipeline, buffer) = (pipeline(device, 1)?, counted(device, COUNT)?);
        let whole = BufferRange::whole(&buffer);
        let mut recorder = Recorder::with_options(device, &RecorderOptions { reuse, ..RecorderOptions::default() })?;
        recorder.barrier(&[BufferBarrier::new(whole, Access::ComputeWrite, Access::ComputeReadWrite)])?;
        dispatch(&mut recorder, &pipeline, whole, whole, 3)?;
        recorder.barrier(&[written(&buffer, Access::HostRead)])?;
        let sequence = recorder.finish()?;
        let submitted = AtomicU32::new(0);
        at_once(4, |_| {
            for _ in 0..10 {
                match sequence.submit() {
                    Ok(submission) => {
                        submitted.fetch_add(1, Ordering::Relaxed);
                        submission.wait(PATIENCE)?;
                    }
                    Err(Error::InFlight) if reuse == Reuse::Many => thread::yield_now(),
                    Err(error) => return Err(error.into()),
                }
            }
            Ok(())
        })?;
        let submitted = submitted.into_inner();
        let fits = if reuse == Reuse::Many { (1..=40).contains(&submitted) } else { submitted == 40 };
        ensure(fits, || format!("{submitted} submissions of a sequence for {reuse:?}"))?;
        holds(&buffer, |i| (0..submitted).fold(i, |value, _| value.wrapping_mul(3).wrapping_add(1)))?;
    }
    Ok(())
}

/// The thread that waits sleeps. What it uses of the processor is measured by its own clock: a software device works on other threads.
fn waiting(device: &Arc<Device>) -> Result<(), Failed> {
    let waited = Duration::from_millis(200);
    let gate = Gate::closed(device, QueueRole::Compute)?;
    let mut recorder = Recorder::new(device)?;
    let submission = recorder.submit()?;
    let (started, before) = (Instant::now(), processor_time()?);
    let timed_out = submission.wait(waited);
    let (elapsed, used) = (started.elapsed(), processor_time()? - before);
    gate.open()?;
    submission.wait(PATIENCE)?;
    ensure(timed_out == Err(Error::Timeout { waited }), || format!("{timed_out:?}"))?;
    ensure(elapsed >= waited, || format!("a wait of {waited:?} was over after {elapsed:?}"))?;
    ensure(used < waited / 10, || format!("a wait of {waited:?} used {used:?} of the processor"))
}

/// What this thread has used of the processor; nothing where there is no clock for that.
#[cfg(not(unix))]
fn processor_time() -> Result<Duration, Failed> {
    Ok(Duration::ZERO)
}

/// What this thread has used of the processor.
#[cfg(unix)]
fn processor_time() -> Result<Duration, Failed> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the structure is written, and lives until the call returns.
    let result = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    ensure(result == 0, || "clock_gettime failed".to_owned())?;
    Ok(Duration::new(time.tv_sec as u64, time.tv_nsec as u32))
}
