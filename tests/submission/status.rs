//! What is known about work while it is under way.

use std::sync::Arc;
use std::time::Duration;

use libtest_mimic::Failed;
use wavelane_device::{Device, MemoryUse, QueueRole};
use wavelane_record::{Access, BufferRange, Error, Recorder, RecorderOptions, Reuse, Status};

use crate::gate::Gate;
use crate::harness::gpu::ensure;
use crate::multiply_add::{PATIENCE, buffer, counted, dispatch, holds, pipeline, says, written};

const COUNT: u32 = 1000;

pub fn time_out(device: &Arc<Device>) -> Result<(), Failed> {
    let (pipeline, from, to) = (pipeline(device, 1)?, counted(device, COUNT)?, buffer(device, COUNT, MemoryUse::Shared)?);
    let gate = Gate::closed(device, QueueRole::Compute)?;
    let mut recorder = Recorder::new(device)?;
    dispatch(&mut recorder, &pipeline, BufferRange::whole(&from), BufferRange::whole(&to), 3)?;
    recorder.barrier(&[written(&to, Access::HostRead)])?;
    let completion = recorder.completion();
    let submission = recorder.submit()?;
    for waited in [Duration::ZERO, Duration::from_millis(10), Duration::from_nanos(1)] {
        ensure(submission.wait(waited) == Err(Error::Timeout { waited }), || "no time-out".to_owned())?;
        ensure(completion.wait(waited) == Err(Error::Timeout { waited }), || "no time-out".to_owned())?;
    }
    says(submission.wait(Duration::from_millis(2)), "the device was not done after 2ms")?;
    ensure(completion.status()? == Status::InFlight, || "a time-out changed the status".to_owned())?;
    says(recorder.reset(), "the last submission is still in flight")?;
    // Several waits at once, each over when the work is.
    let waits: Vec<Result<(), Error>> = std::thread::scope(|scope| {
        let waiting: Vec<_> = (0..3).map(|_| scope.spawn(|| submission.wait(PATIENCE))).collect();
        std::thread::sleep(Duration::from_millis(20));
        let opened = gate.open().map_err(|_| Error::NotRecording);
        let waited = waiting.into_iter().map(|thread| thread.join().unwrap_or(Err(Error::Abandoned)));
        waited.chain([opened]).collect()
    });
    ensure(waits.iter().all(Result::is_ok), || format!("{waits:?}"))?;
    ensure(submission.wait(Duration::ZERO).is_ok() && completion.status()? == Status::Done, || "not done".to_owned())?;
    holds(&to, |i| i * 3 + 1)?;
    Ok(recorder.reset()?)
}

/// What was not submitted yet cannot be waited for, and so is never taken to be done.
pub fn points(device: &Arc<Device>) -> Result<(), Failed> {
    let mut recorder = Recorder::new(device)?;
    let last = recorder.submit()?.sync_point();
    let point = |value| device.sync_point(QueueRole::Compute, value);
    ensure(point(last.value()) == Some(last), || "another point".to_owned())?;
    let others = [0, last.value() + 1, u64::MAX].map(point);
    ensure(others == [None; 3], || format!("{others:?}"))?;
    Ok(device.wait(last, PATIENCE)?)
}

pub fn completion(device: &Arc<Device>) -> Result<(), Failed> {
    let gate = Gate::closed(device, QueueRole::Compute)?;
    let mut recorder = Recorder::new(device)?;
    let first = recorder.completion();
    let is = |status: Status, completion: &wavelane_record::Completion| -> Result<(), Failed> {
        let found = completion.status()?;
        ensure(found == status, || format!("{found:?}, where {status:?} was due"))
    };
    is(Status::Recording, &first)?;
    ensure(first.sync_point().is_none(), || "a point before the submission".to_owned())?;
    says(first.wait(PATIENCE), "the recording was not submitted yet")?;
    let submission = recorder.submit()?;
    is(Status::InFlight, &first)?;
    is(Status::InFlight, &recorder.completion())?;
    ensure(first.sync_point() == Some(submission.sync_point()), || "another point".to_owned())?;
    let opening = gate.open_soon();
    first.wait(PATIENCE)?;
    ensure(opening.join().unwrap_or(false), || "the gate did not open".to_owned())?;
    is(Status::Done, &first)?;

    // The next recording is another one.
    recorder.reset()?;
    let second = recorder.completion();
    is(Status::Done, &first)?;
    is(Status::Recording, &second)?;
    recorder.reset()?;
    is(Status::Abandoned, &second)?;
    says(second.wait(PATIENCE), "the recording was reset or dropped without being submitted")?;
    let third = recorder.completion();
    drop(recorder);
    is(Status::Abandoned, &third)?;
    is(Status::Done, &first)?;

    // A sequence that was submitted again is what its last submission is.
    let mut recorder = Recorder::with_options(device, &RecorderOptions { reuse: Reuse::Many, ..RecorderOptions::default() })?;
    let fourth = recorder.completion();
    let word = buffer(device, 1, MemoryUse::Device)?;
    recorder.fill(BufferRange::whole(&word), 1)?;
    let sequence = recorder.finish()?;
    is(Status::Recording, &fourth)?;
    sequence.submit()?.wait(PATIENCE)?;
    is(Status::Done, &fourth)?;
    let closed = Gate::closed(device, QueueRole::Compute)?;
    // Behind what it did before, which is on the same queue.
    let again = sequence.submit_after(&[fourth.sync_point().ok_or("no point")?])?;
    is(Status::InFlight, &fourth)?;
    closed.open()?;
    again.wait(PATIENCE)?;
    drop(sequence);
    is(Status::Done, &fourth)
}

/// A recorder that was reset has taken its queries back: those who ask late get no time rather than another's.
pub fn timings_after_reset(device: &Arc<Device>) -> Result<(), Failed> {
    let (pipeline, from, to) = (pipeline(device, 1)?, counted(device, COUNT)?, buffer(device, COUNT, MemoryUse::Device)?);
    let mut recorder = Recorder::new(device)?;
    let record = |recorder: &mut Recorder, label: &str| -> Result<(), Error> {
        recorder.begin_timing(label)?;
        dispatch(recorder, &pipeline, BufferRange::whole(&from), BufferRange::whole(&to), 3)?;
        recorder.end_timing()
    };
    record(&mut recorder, "early")?;
    let early = recorder.submit()?;
    ensure(early.timings().iter().all(|timing| timing.nanoseconds.is_none()), || "a time before the wait".to_owned())?;
    device.wait_idle()?;
    recorder.reset()?;
    record(&mut recorder, "late")?;
    let late = recorder.submit()?;
    for submission in [&early, &late] {
        submission.wait(PATIENCE)?;
    }
    let has_clock = device.capabilities().timestamps.valid_bits > 0;
    let timings = [early.timings(), late.timings()];
    let labels = timings.each_ref().map(|timings| timings.iter().map(|timing| timing.label.as_str()).collect::<Vec<_>>());
    ensure(labels == [vec!["early"], vec!["late"]], || format!("{timings:?}"))?;
    ensure(timings[0][0].nanoseconds.is_none(), || format!("{timings:?} after a reset"))?;
    ensure(timings[1][0].nanoseconds.is_some() == has_clock, || format!("{timings:?}"))?;
    // What was read is kept.
    recorder.reset()?;
    late.wait(PATIENCE)?;
    ensure(late.timings() == timings[1], || format!("{:?} became {timings:?}", late.timings()))
}

/// Of a sequence submitted again before anyone asked, only the last submission has times.
pub fn timings_of_a_sequence(device: &Arc<Device>) -> Result<(), Failed> {
    let word = buffer(device, 1, MemoryUse::Device)?;
    let mut recorder = Recorder::with_options(device, &RecorderOptions { reuse: Reuse::Many, ..RecorderOptions::default() })?;
    recorder.begin_timing("fill")?;
    recorder.fill(BufferRange::whole(&word), 1)?;
    // Still open, and ended with the recording.
    let sequence = recorder.finish()?;
    let first = sequence.submit()?;
    device.wait_idle()?;
    let second = sequence.submit()?;
    first.wait(PATIENCE)?;
    second.wait(PATIENCE)?;
    let has_clock = device.capabilities().timestamps.valid_bits > 0;
    let times = [&first, &second].map(|submission| submission.timings().iter().filter(|timing| timing.nanoseconds.is_some()).count());
    ensure(times == [0, usize::from(has_clock)], || format!("times of the first and of the last: {times:?}"))?;

    let mut recorder = Recorder::with_options(device, &RecorderOptions { reuse: Reuse::Simultaneous, ..RecorderOptions::default() })?;
    recorder.begin_timing("untimed")?;
    recorder.fill(BufferRange::whole(&word), 1)?;
    recorder.end_timing()?;
    recorder.barrier(&[wavelane_record::BufferBarrier::new(BufferRange::whole(&word), Access::TransferWrite, Access::TransferWrite)])?;
    let submission = recorder.finish()?.submit()?;
    submission.wait(PATIENCE)?;
    ensure(submission.timings().iter().all(|timing| timing.nanoseconds.is_none()), || format!("{:?}", submission.timings()))
}
