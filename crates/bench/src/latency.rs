//! The time from submitting until the wait is over.

use std::time::{Duration, Instant};

use anyhow::Result;
use wavelane_device::vk;
use wavelane_record::{HazardMode, Recorder, RecorderOptions, Reuse};

use crate::arguments::Recording;
use crate::bare::{BareQueue, BareRecorder};
use crate::report::Measure;
use crate::sample::compare;
use crate::workload::Workload;

const PATIENCE: Duration = Duration::from_secs(10);
/// What submitting and waiting through Wavelane may cost, over the same calls in bare ash.
const BAR: f64 = 1.1;

/// Ending, submitting and waiting for what was just recorded.
pub fn recorded(name: &'static str, workload: &Workload, arguments: &Recording) -> Result<Measure> {
    let mut recorder = recorder(workload, Reuse::Once)?;
    let mut bare = BareRecorder::new(workload)?;
    let mut queue = BareQueue::new(&workload.device)?;
    let comparison = compare(
        arguments,
        || {
            recorder.reset()?;
            workload.record(&mut recorder)?;
            let started = Instant::now();
            let submission = recorder.submit()?;
            submission.wait(PATIENCE)?;
            drop(submission);
            Ok(nanoseconds(started))
        },
        || {
            bare.restart(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT)?;
            bare.record();
            let started = Instant::now();
            bare.end()?;
            queue.submit_and_wait(bare.commands(), PATIENCE)?;
            Ok(nanoseconds(started))
        },
    )?;
    Ok(Measure::new(name, "bare ash", comparison, Some(BAR)))
}

/// Submitting and waiting for what was recorded once.
pub fn sequence(name: &'static str, workload: &Workload, arguments: &Recording) -> Result<Measure> {
    let mut recorder = recorder(workload, Reuse::Many)?;
    workload.record(&mut recorder)?;
    let sequence = recorder.finish()?;
    let mut bare = BareRecorder::new(workload)?;
    bare.restart(vk::CommandBufferUsageFlags::empty())?;
    bare.record();
    bare.end()?;
    let mut queue = BareQueue::new(&workload.device)?;
    let comparison = compare(
        arguments,
        || {
            let started = Instant::now();
            let submission = sequence.submit()?;
            submission.wait(PATIENCE)?;
            drop(submission);
            Ok(nanoseconds(started))
        },
        || {
            let started = Instant::now();
            queue.submit_and_wait(bare.commands(), PATIENCE)?;
            Ok(nanoseconds(started))
        },
    )?;
    Ok(Measure::new(name, "bare ash", comparison, Some(BAR)))
}

fn recorder(workload: &Workload, reuse: Reuse) -> Result<Recorder> {
    let options = RecorderOptions { reuse, hazards: HazardMode::Off, ..RecorderOptions::default() };
    Ok(Recorder::with_options(&workload.device, &options)?)
}

fn nanoseconds(started: Instant) -> f64 {
    started.elapsed().as_nanos() as f64
}
