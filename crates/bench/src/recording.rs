//! The cost of recording a dispatch.

use std::time::Instant;

use anyhow::Result;
use wavelane_device::vk;
use wavelane_record::{HazardMode, Recorder, RecorderOptions};

use crate::arguments::Recording;
use crate::bare::BareRecorder;
use crate::report::Measure;
use crate::sample::compare;
use crate::workload::{DISPATCHES, Workload};

/// Sequences a sample, each in a command buffer of its own: so many that reading the clock costs nothing beside them.
const SEQUENCES: usize = 16;
/// What recording through Wavelane may cost, over the same calls in bare ash.
const BAR: f64 = 1.5;

/// What a sample is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// All but the end, which Wavelane leaves to submitting: resetting, beginning, recording.
    All,
    /// The dispatches and barriers alone. What a driver does to begin hides nothing of what Wavelane does then.
    Dispatches,
}

/// A recording, for each of its dispatches.
pub fn whole(name: &'static str, workload: &Workload, arguments: &Recording) -> Result<Measure> {
    against_bare(name, workload, arguments, Part::All)
}

/// A dispatch with its barrier.
pub fn dispatches(name: &'static str, workload: &Workload, arguments: &Recording) -> Result<Measure> {
    against_bare(name, workload, arguments, Part::Dispatches)
}

fn against_bare(name: &'static str, workload: &Workload, arguments: &Recording, part: Part) -> Result<Measure> {
    let mut recorders = recorders(workload, HazardMode::Off)?;
    let mut bare = (0..SEQUENCES).map(|_| BareRecorder::new(workload)).collect::<Result<Vec<_>>>()?;
    let comparison = compare(
        arguments,
        || record(workload, &mut recorders, part),
        || {
            let begun = Instant::now();
            for recorder in &mut bare {
                recorder.restart(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT)?;
            }
            let started = if part == Part::All { begun } else { Instant::now() };
            bare.iter_mut().for_each(BareRecorder::record);
            Ok(per_dispatch(started))
        },
    )?;
    // What an engine pays is a recording. Its dispatches alone are shown beside it, and to no bar: bare ash costs next to nothing there on drivers that only
    // put commands on a list.
    Ok(Measure::new(name, "bare ash", comparison, (part == Part::All).then_some(BAR)))
}

/// As [`mode`], with errors for missing barriers.
pub fn checked(name: &'static str, workload: &Workload, arguments: &Recording) -> Result<Measure> {
    mode(name, workload, HazardMode::Checked, arguments)
}

/// As [`mode`], with missing barriers inserted.
pub fn automatic(name: &'static str, workload: &Workload, arguments: &Recording) -> Result<Measure> {
    mode(name, workload, HazardMode::Automatic, arguments)
}

/// The same with hazards tracked, against the same without: what the checks cost beside what they are free of when off. The automatic mode has nothing to add,
/// as all barriers are there.
fn mode(name: &'static str, workload: &Workload, mode: HazardMode, arguments: &Recording) -> Result<Measure> {
    let mut tracked = recorders(workload, mode)?;
    let mut plain = recorders(workload, HazardMode::Off)?;
    let comparison =
        compare(arguments, || record(workload, &mut tracked, Part::Dispatches), || record(workload, &mut plain, Part::Dispatches))?;
    Ok(Measure::new(name, "no checks", comparison, None))
}

fn recorders(workload: &Workload, hazards: HazardMode) -> Result<Vec<Recorder>> {
    let options = RecorderOptions { hazards, ..RecorderOptions::default() };
    (0..SEQUENCES).map(|_| Ok(Recorder::with_options(&workload.device, &options)?)).collect()
}

fn record(workload: &Workload, recorders: &mut [Recorder], part: Part) -> Result<f64> {
    let begun = Instant::now();
    for recorder in &mut *recorders {
        recorder.reset()?;
    }
    let started = if part == Part::All { begun } else { Instant::now() };
    for recorder in recorders {
        workload.record(recorder)?;
    }
    Ok(per_dispatch(started))
}

/// Nanoseconds for each dispatch of a sample.
fn per_dispatch(started: Instant) -> f64 {
    started.elapsed().as_nanos() as f64 / (SEQUENCES * DISPATCHES) as f64
}
