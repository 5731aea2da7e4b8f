//! Missing barriers: each barrier of each kernel is left out in turn, and what the recorder notices is compared with what synchronization
//! validation notices.

mod harness;
#[path = "hazards/kernels.rs"]
mod kernels;

use std::process::ExitCode;
use std::sync::Arc;

use harness::gpu::{device, ensure};
use harness::{Case, take_messages};
use kernels::{Kernel, kernels};
use libtest_mimic::Failed;
use wavelane::device::{Device, Profile};
use wavelane::record::{Access, BufferBarrier, BufferRange, HazardMode, Recorder, RecorderOptions};

fn main() -> ExitCode {
    harness::main(vec![
        // Recorder and validation are above the driver, and what it makes of recordings is not looked at.
        Case::new("every_barrier_that_validation_misses_is_missed", |_| omissions(None)).above_drivers(),
        // What differs from the other is how barriers are recorded, not the driver.
        Case::new("every_barrier_that_validation_misses_is_missed_on_vulkan_1_1", |_| omissions(Some(Profile::named("minimal")?)))
            .narrowed(),
        Case::new("kernels_have_no_barrier_too_many", |_| redundant(&device(None)?)).above_drivers(),
        Case::new("automatic_barriers_do_for_every_kernel", |_| automatic(&device(None)?)).above_drivers(),
    ])
}

/// Records a kernel and the barrier for the host. Says whether the recorder refused for a hazard.
fn record(device: &Arc<Device>, kernel: &Kernel, options: &RecorderOptions<'_>) -> Result<(Recorder, bool), Failed> {
    let mut recorder = Recorder::with_options(device, options)?;
    let mut steps = || -> Result<(), wavelane::Error> {
        (kernel.record)(&mut recorder)?;
        let result = BufferRange::whole(&kernel.result);
        recorder.barrier(&[BufferBarrier::new(result, Access::ComputeWrite, Access::HostRead)])?;
        Ok(recorder.hand_over(result, Access::HostRead)?)
    };
    match steps() {
        Ok(()) => Ok((recorder, false)),
        Err(wavelane::Error::Record(wavelane::record::Error::Hazard(hazard))) => {
            eprintln!("{}: {hazard}", kernel.name);
            Ok((recorder, true))
        }
        Err(error) => Err(error.into()),
    }
}

fn omissions(profile: Option<Profile>) -> Result<(), Failed> {
    let (mut barriers, mut ours, mut layers) = (0, 0, 0);
    for maker in kernels() {
        // The layer stops at ten messages of a kind, so each kernel has a layer of its own.
        let device = &device(profile.clone())?;
        let Some(kernel) = maker(device)? else { continue };
        let (whole, refused) = record(device, &kernel, &RecorderOptions { hazards: HazardMode::Checked, ..Default::default() })?;
        ensure(!refused, || format!("{} is refused as it is", kernel.name))?;
        for number in 0..whole.barriers() {
            let options = |hazards| RecorderOptions { hazards, omit_barrier: Some(number), ..Default::default() };
            let (_, noticed) = record(device, &kernel, &options(HazardMode::Checked))?;
            let said_before = take_messages();
            ensure(said_before.is_empty(), || format!("{}: a refused recording reached validation: {said_before:?}", kernel.name))?;
            record(device, &kernel, &options(HazardMode::Off))?;
            let said = take_messages();
            ensure(said.iter().all(|message| message.contains("SYNC-HAZARD")), || format!("{said:?}"))?;
            eprintln!("{}: without barrier {number}: checked mode {noticed}, validation {}", kernel.name, !said.is_empty());
            ensure(noticed || said.is_empty(), || {
                format!("{}: without barrier {number} validation says {}, and checked mode nothing", kernel.name, said[0])
            })?;
            (barriers, ours, layers) = (barriers + 1, ours + u32::from(noticed), layers + u32::from(!said.is_empty()));
        }
    }
    eprintln!("{barriers} barriers left out, one at a time: checked mode noticed {ours}, synchronization validation {layers}");
    // What only the host relies on, the layer does not see.
    ensure(ours == barriers, || format!("{ours} of {barriers} were noticed"))?;
    ensure(layers > 0, || "validation noticed nothing: it is not looking".to_owned())
}

fn redundant(device: &Arc<Device>) -> Result<(), Failed> {
    for maker in kernels() {
        let Some(kernel) = maker(device)? else { continue };
        let (recorder, _) = record(device, &kernel, &RecorderOptions { hazards: HazardMode::Checked, ..Default::default() })?;
        let found = recorder.redundant_barriers();
        ensure(found.is_empty(), || format!("{}: {}", kernel.name, found[0]))?;
    }
    Ok(())
}

/// Each of a kernel's own barriers left to the recorder in turn: none too few, as validation says, and not many more than the kernel has.
fn automatic(device: &Arc<Device>) -> Result<(), Failed> {
    for maker in kernels() {
        let Some(kernel) = maker(device)? else { continue };
        let by_hand = record(device, &kernel, &RecorderOptions { hazards: HazardMode::Checked, ..Default::default() })?.0.barriers();
        for number in 0..by_hand {
            let options = RecorderOptions { hazards: HazardMode::Automatic, omit_barrier: Some(number), ..Default::default() };
            let (mut recorder, refused) = record(device, &kernel, &options)?;
            // The one left out is counted, and inserted again: for each of the dispatches that rely on it, as that knows only its own bytes.
            let most = by_hand + recorder.dispatches();
            ensure(!refused && recorder.barriers() <= most, || format!("{}: {} barriers of {by_hand}", kernel.name, recorder.barriers()))?;
            recorder.submit()?.wait(std::time::Duration::from_secs(60))?;
        }
    }
    Ok(())
}
