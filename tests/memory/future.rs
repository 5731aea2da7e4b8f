//! Readbacks that are awaited, by an executor that knows nothing of them.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use libtest_mimic::Failed;
use wavelane_device::{Buffer, Device, MemoryUse};
use wavelane_record::{Access, BufferBarrier, BufferRange, Error, Readback, Readbacks, Recorder};

use crate::harness::gpu::ensure;
use crate::multiply_add::PATIENCE;
use crate::support::{Gate, buffer, readbacks};

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Polls, and sleeps until it is woken: without a waker that is called, for ever.
fn block_on<F: Future>(future: F) -> F::Output {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}

fn record(recorder: &mut Recorder, pool: &Readbacks, buffer: &Buffer, value: u32) -> Result<Readback, Failed> {
    let whole = BufferRange::whole(buffer);
    recorder.barrier(&[BufferBarrier::new(whole, Access::TransferRead, Access::TransferWrite)])?;
    recorder.fill(whole, value)?;
    recorder.barrier(&[BufferBarrier::new(whole, Access::TransferWrite, Access::TransferRead)])?;
    Ok(pool.read(recorder, whole)?)
}

/// Threads of this process that wake futures, with the processor time that they took.
#[cfg(target_os = "linux")]
fn waking_threads() -> Result<Vec<Duration>, Failed> {
    let mut found = Vec::new();
    for task in std::fs::read_dir("/proc/self/task")? {
        let folder = task?.path();
        // A thread may end between the listing and this.
        let Ok(name) = std::fs::read_to_string(folder.join("comm")) else { continue };
        if name.starts_with("wavelane-readba") {
            let text = std::fs::read_to_string(folder.join("schedstat")).unwrap_or_default();
            found.push(Duration::from_nanos(text.split(' ').next().and_then(|ns| ns.parse().ok()).unwrap_or_default()));
        }
    }
    Ok(found)
}

pub fn awaited(device: &Arc<Device>) -> Result<(), Failed> {
    let source = buffer(device, 256, MemoryUse::Device)?;
    let pool = readbacks(device, 1 << 16);
    let value = |bytes: &[u8]| u32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);

    // Done before it is awaited: no thread is needed.
    let mut recorder = Recorder::new(device)?;
    let readback = record(&mut recorder, &pool, &source, 1)?;
    recorder.submit()?.wait(PATIENCE)?;
    ensure(value(&block_on(readback)?) == 1, || "other bytes".to_owned())?;
    #[cfg(target_os = "linux")]
    ensure(waking_threads()?.is_empty(), || "a thread was started for what is done".to_owned())?;

    // Awaited before it is submitted, and while the device is held up.
    let gate = Gate::new(device)?;
    let (mut first, mut second) = (Recorder::new(device)?, Recorder::new(device)?);
    let readbacks = [record(&mut first, &pool, &source, 2)?, record(&mut second, &pool, &source, 3)?];
    let started = Instant::now();
    thread::scope(|scope| {
        let threads = readbacks.map(|readback| scope.spawn(move || block_on(readback).map(|bytes| (value(&bytes), started.elapsed()))));
        thread::sleep(Duration::from_millis(150));
        #[cfg(target_os = "linux")]
        {
            let times = waking_threads()?;
            ensure(times.len() == 1, || format!("{} threads for one pool", times.len()))?;
            ensure(times[0] < Duration::from_millis(50), || format!("{times:?} of processor time for 150 ms of sleep"))?;
        }
        gate.submit(&mut first)?;
        second.submit()?;
        thread::sleep(Duration::from_millis(150));
        #[cfg(target_os = "linux")]
        {
            let times = waking_threads()?;
            ensure(times.len() == 1 && times[0] < Duration::from_millis(100), || {
                format!("{times:?} of processor time for 300 ms of sleep")
            })?;
        }
        gate.open()?;
        for (thread, expected) in threads.into_iter().zip([2, 3]) {
            let (value, waited) = thread.join().map_err(|_| "a thread panicked")??;
            ensure(value == expected, || format!("{value} instead of {expected}"))?;
            let least = Duration::from_millis(if gate.closes() { 300 } else { 150 });
            ensure(waited >= least, || format!("it came after {waited:?}, before the gate was open"))?;
        }
        Ok::<(), Failed>(())
    })?;

    // A future that is given up is forgotten, and the thread ends by itself.
    let mut recorder = Recorder::new(device)?;
    let mut given_up = record(&mut recorder, &pool, &source, 4)?;
    let pending = std::pin::Pin::new(&mut given_up).poll(&mut Context::from_waker(Waker::noop())).is_pending();
    ensure(pending, || "it is there before it was submitted".to_owned())?;
    drop((given_up, recorder));
    #[cfg(target_os = "linux")]
    {
        let started = Instant::now();
        while !waking_threads()?.is_empty() {
            ensure(started.elapsed() < Duration::from_secs(20), || "the thread does not end".to_owned())?;
            thread::sleep(Duration::from_millis(50));
        }
    }
    // And another one starts when it is needed again.
    let mut recorder = Recorder::new(device)?;
    let again = record(&mut recorder, &pool, &source, 5)?;
    thread::scope(|scope| {
        let waiting = scope.spawn(move || block_on(again).map(|bytes| value(&bytes)));
        thread::sleep(Duration::from_millis(20));
        recorder.submit()?;
        let value = waiting.join().map_err(|_| "a thread panicked")??;
        ensure(value == 5, || format!("{value} instead of 5"))
    })
}

pub fn errors(device: &Arc<Device>) -> Result<(), Failed> {
    let source = buffer(device, 256, MemoryUse::Device)?;
    let pool = readbacks(device, 1 << 16);
    let wait_for = |action: &dyn Fn(Recorder) -> Result<(), Failed>| -> Result<Error, Failed> {
        let mut recorder = Recorder::new(device)?;
        let readback = record(&mut recorder, &pool, &source, 1)?;
        thread::scope(|scope| {
            let waiting = scope.spawn(move || block_on(readback).map(|bytes| bytes.len()));
            thread::sleep(Duration::from_millis(20));
            action(recorder)?;
            let result = waiting.join().map_err(|_| "a thread panicked")?;
            result.err().ok_or_else(|| "it came back".into())
        })
    };
    let dropped = wait_for(&|recorder| {
        drop(recorder);
        Ok(())
    })?;
    ensure(dropped == Error::Abandoned, || format!("{dropped:?} of a recorder that was dropped"))?;
    let reset = wait_for(&|mut recorder| Ok(recorder.reset()?))?;
    ensure(reset == Error::Abandoned, || format!("{reset:?} of a recorder that was reset"))?;

    let gate = Gate::new(device)?;
    let mut recorder = Recorder::new(device)?;
    let readback = record(&mut recorder, &pool, &source, 2)?;
    let submission = gate.submit(&mut recorder)?;
    let lost = thread::scope(|scope| {
        let waiting = scope.spawn(move || block_on(readback).map(|bytes| bytes.len()));
        thread::sleep(Duration::from_millis(20));
        // SAFETY: what is in flight is done before anything of it goes, below.
        unsafe { device.set_lost() };
        waiting.join().map_err(|_| "a thread panicked")
    })?;
    let held = gate.closes();
    // It is not lost in truth, and must be idle before anything goes.
    drop(gate);
    drop(submission);
    ensure(!held || lost.as_ref().is_err_and(Error::is_device_lost), || format!("{lost:?} of a lost device"))
}
