//! Taking times: by the device's timestamps, or by the host's clock where there are none.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use wavelane::device::{Buffer, BufferDescription, Device, DeviceType, MemoryUse};
use wavelane::record::{BufferRange, Recorder};

use super::case::{Ranges, Work};
use super::sets::{PATIENCE, Sets, full_barrier, recorder};
use crate::sample::Spread;

/// The longest that a submission with several samples shall take: some systems end those that take seconds.
const SUBMISSION: Duration = Duration::from_secs(1);
/// Samples of nothing.
const EMPTY_SAMPLES: usize = 30;
/// Recordings in front of the samples of a submission that are not timed, where they are short: a device that was idle is slow at first.
const LEAD: usize = 5;
/// How long a GPU works before it is timed. One that had nothing to do while the host checked results runs at a fraction of its clock: an H200 was seen at 540 of 1980 MHz,
/// and took tenths of a second to be faster.
const WARM_UP: Duration = Duration::from_millis(400);
/// Work that it is given at once in that time.
const WARM_UP_SUBMISSION: Duration = Duration::from_millis(10);

/// What times are taken by.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// Whether the compute queue writes timestamps.
    timestamps: bool,
    /// Nanoseconds that it shows for nothing: an empty pair of timestamps, or an empty submission.
    pub empty: Spread,
}

impl Clock {
    pub fn new(device: &Arc<Device>) -> Result<Self> {
        let clock = &device.capabilities().timestamps;
        let timestamps = clock.valid_bits > 0 && clock.period_ns > 0.0;
        let buffer = Buffer::new(device, &BufferDescription { size: 4, memory: MemoryUse::Device, name: "nothing" })?;
        let ranges = Ranges(vec![("nothing", BufferRange::whole(&buffer))]);
        let mut recorder = recorder(device)?;
        let unknown = Self { timestamps, empty: Spread::of(&mut []) };
        let mut times = Vec::new();
        if timestamps {
            (0..EMPTY_SAMPLES).try_for_each(|_| timed(&mut recorder, &ranges, |_| Ok(())))?;
            times = device_times(&mut recorder)?;
        } else {
            for _ in 0..EMPTY_SAMPLES {
                times.push(host_time(&mut recorder, |recorder| full_barrier(recorder, &ranges))?);
            }
        }
        Ok(Self { empty: Spread::of(&mut times), ..unknown })
    }

    /// The nanoseconds that the work took, one figure a sample. Sets take turns. Nothing is subtracted from what timestamps say; from the host's clock it is what an
    /// empty submission takes.
    pub fn measure(&self, work: &dyn Work, sets: &Sets, samples: usize) -> Result<Vec<f64>> {
        let mut recorder = recorder(sets.device())?;
        // Once with each set: memory is touched, pipelines are finished.
        let once = host_time(&mut recorder, |recorder| (0..sets.count()).try_for_each(|turn| untimed(recorder, work, sets, turn)))?;
        if !self.timestamps {
            let time = |turn| host_time(&mut recorder, |recorder| untimed(recorder, work, sets, turn));
            return (0..samples).map(time).map(|time| Ok((time? - self.empty.median).max(0.0))).collect();
        }
        let each = once / sets.count() as f64;
        if sets.device().capabilities().device_type != DeviceType::Cpu {
            warm_up(&mut recorder, work, sets, each)?;
        }
        let together = (SUBMISSION.as_nanos() as f64 / each).clamp(1.0, samples as f64) as usize;
        let lead = if together == samples { LEAD } else { 1 };
        let (mut times, mut turn) = (Vec::with_capacity(samples), 0);
        while times.len() < samples {
            for _ in 0..lead {
                untimed(&mut recorder, work, sets, turn)?;
                turn += 1;
            }
            for _ in 0..together.min(samples - times.len()) {
                let ranges = sets.ranges(turn);
                timed(&mut recorder, &ranges, |recorder| work.record(recorder, &ranges))?;
                turn += 1;
            }
            times.append(&mut device_times(&mut recorder)?);
        }
        Ok(times)
    }
}

impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Spread { low, median, high } = self.empty;
        if self.timestamps {
            write!(
                f,
                "the device's timestamps; an empty pair of them reads {median:.0} ns ({low:.0} to {high:.0}), which is not subtracted"
            )
        } else {
            write!(f, "the host's, from submitting to the end of the wait, as the device has no timestamps; ")?;
            write!(f, "an empty submission takes {median:.0} ns ({low:.0} to {high:.0}), which is subtracted")
        }
    }
}

/// Records between two timestamps, with full barriers around.
fn timed(recorder: &mut Recorder, ranges: &Ranges<'_>, record: impl FnOnce(&mut Recorder) -> Result<()>) -> Result<()> {
    full_barrier(recorder, ranges)?;
    recorder.begin_timing("sample")?;
    record(recorder)?;
    recorder.end_timing()?;
    full_barrier(recorder, ranges)
}

fn untimed(recorder: &mut Recorder, work: &dyn Work, sets: &Sets, turn: usize) -> Result<()> {
    let ranges = sets.ranges(turn);
    full_barrier(recorder, &ranges)?;
    work.record(recorder, &ranges)?;
    full_barrier(recorder, &ranges)
}

/// Has the device work, by recordings of `each` nanoseconds.
fn warm_up(recorder: &mut Recorder, work: &dyn Work, sets: &Sets, each: f64) -> Result<()> {
    let together = (WARM_UP_SUBMISSION.as_nanos() as f64 / each).clamp(1.0, 1000.0) as usize;
    let started = Instant::now();
    while started.elapsed() < WARM_UP {
        host_time(recorder, |recorder| (0..together).try_for_each(|turn| untimed(recorder, work, sets, turn)))?;
    }
    Ok(())
}

/// Submits, and gives what the timestamps said.
fn device_times(recorder: &mut Recorder) -> Result<Vec<f64>> {
    let submission = recorder.submit()?;
    submission.wait(PATIENCE)?;
    let times = submission.timings().iter().map(|timing| timing.nanoseconds).collect::<Option<_>>();
    drop(submission);
    recorder.reset()?;
    times.context("timestamps are missing")
}

/// Records, and gives the nanoseconds from submitting to the end of the wait.
fn host_time(recorder: &mut Recorder, record: impl FnOnce(&mut Recorder) -> Result<()>) -> Result<f64> {
    record(recorder)?;
    let started = Instant::now();
    let submission = recorder.submit()?;
    submission.wait(PATIENCE)?;
    let time = started.elapsed();
    drop(submission);
    recorder.reset()?;
    Ok(time.as_nanos() as f64)
}
