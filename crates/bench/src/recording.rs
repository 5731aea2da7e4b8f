//! The cost of recording a dispatch.

use std::time::Instant;

use anyhow::Result;
use wavelane_device::vk;
use wavelane_record::{Recorder, RecorderOptions};

use crate::arguments::Arguments;
use crate::bare::BareRecorder;
use crate::report::Measure;
use crate::sample::compare;
use crate::workload::{DISPATCHES, Workload};

/// Sequences a sample, each in a command buffer of its own: so many that reading the clock costs nothing beside them.
const SEQUENCES: usize = 16;
/// What recording through Wavelane may cost, over the same calls in bare ash.
const BAR: f64 = 1.5;

/// Dispatches with their barriers. Beginning, ending and resetting are left out on both sides: they cost the driver much more than Wavelane.
pub fn dispatches(workload: &Workload, arguments: &Arguments) -> Result<Measure> {
    let mut recorders = recorders(workload, &RecorderOptions::default())?;
    let mut bare = (0..SEQUENCES).map(|_| BareRecorder::new(workload)).collect::<Result<Vec<_>>>()?;
    let comparison = compare(
        arguments,
        || record(workload, &mut recorders),
        || {
            for recorder in &mut bare {
                recorder.restart(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT)?;
            }
            let started = Instant::now();
            bare.iter_mut().for_each(BareRecorder::record);
            Ok(per_dispatch(started))
        },
    )?;
    Ok(Measure::new("record a dispatch and its barrier", comparison, Some(BAR)))
}

/// The same with checks for missing barriers, against the same without.
pub fn checks(_: &Workload, _: &Arguments) -> Result<Option<Measure>> {
    Ok(None)
}

fn recorders(workload: &Workload, options: &RecorderOptions<'_>) -> Result<Vec<Recorder>> {
    (0..SEQUENCES).map(|_| Ok(Recorder::with_options(&workload.device, options)?)).collect()
}

fn record(workload: &Workload, recorders: &mut [Recorder]) -> Result<f64> {
    for recorder in &mut *recorders {
        recorder.reset()?;
    }
    let started = Instant::now();
    for recorder in recorders {
        workload.record(recorder)?;
    }
    Ok(per_dispatch(started))
}

/// Nanoseconds for each dispatch of a sample.
fn per_dispatch(started: Instant) -> f64 {
    started.elapsed().as_nanos() as f64 / (SEQUENCES * DISPATCHES) as f64
}
