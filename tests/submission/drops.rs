//! What may go away while the device works.

use std::sync::Arc;

use libtest_mimic::Failed;
use wavelane_device::{Buffer, Device, MemoryUse, QueueRole};
use wavelane_record::{Access, BufferRange, Completion, Recorder, RecorderOptions, Reuse, Sequence, Status, Submission};

use crate::gate::Gate;
use crate::harness::gpu::ensure;
use crate::multiply_add::{PATIENCE, buffer, counted, dispatch, holds, pipeline, written};

const COUNT: u32 = 1000;

/// What the recorder is asked to keep, beside what it uses.
type Kept = Arc<()>;

/// Work with a pipeline and a buffer whose handles are gone, behind whatever was done with `to` before.
fn recorded(device: &Arc<Device>, reuse: Reuse, kept: &Kept, to: &Buffer) -> Result<Recorder, Failed> {
    let (pipeline, from) = (pipeline(device, 1)?, counted(device, COUNT)?);
    let mut recorder = Recorder::with_options(device, &RecorderOptions { reuse, ..RecorderOptions::default() })?;
    recorder.keep(Arc::clone(kept) as _);
    recorder.barrier(&[written(to, Access::ComputeWrite)])?;
    dispatch(&mut recorder, &pipeline, BufferRange::whole(&from), BufferRange::whole(to), 3)?;
    recorder.barrier(&[written(to, Access::HostRead)])?;
    Ok(recorder)
}

/// Who is dropped, in which order, with the gate closed.
pub fn every_order(device: &Arc<Device>) -> Result<(), Failed> {
    type Drops = fn(Recorder, Submission);
    let orders: [(&str, Drops); 2] = [
        ("the recorder, then the submission", |recorder, submission| {
            drop(recorder);
            drop(submission);
        }),
        ("the submission, then the recorder", |recorder, submission| {
            drop(submission);
            drop(recorder);
        }),
    ];
    for (order, drops) in orders {
        dropping(device, order, |kept, to| {
            let mut recorder = recorded(device, Reuse::Once, kept, to)?;
            let (submission, completion) = (recorder.submit()?, recorder.completion());
            Ok((completion, Box::new(move || drops(recorder, submission))))
        })?;
    }
    type SequenceDrops = fn(Sequence, Submission);
    let orders: [(&str, SequenceDrops); 3] = [
        ("the sequence, then its submission", |sequence, submission| {
            drop(sequence);
            drop(submission);
        }),
        ("the submission, then its sequence", |sequence, submission| {
            drop(submission);
            drop(sequence);
        }),
        ("the recorder that a sequence became, then its submission", |sequence, submission| {
            drop(sequence.into_recorder());
            drop(submission);
        }),
    ];
    for (order, drops) in orders {
        dropping(device, order, |kept, to| {
            let sequence = recorded(device, Reuse::Simultaneous, kept, to)?.finish()?;
            let (submission, completion) = (sequence.submit()?, sequence.completion());
            // Twice in flight, once watched.
            drop(sequence.submit()?);
            Ok((completion, Box::new(move || drops(sequence, submission))))
        })?;
    }
    Ok(())
}

type Dropped = (Completion, Box<dyn FnOnce()>);

/// The drop waits for the device rather than free what that uses; then everything is free.
fn dropping(device: &Arc<Device>, order: &str, start: impl FnOnce(&Kept, &Buffer) -> Result<Dropped, Failed>) -> Result<(), Failed> {
    let to = buffer(device, COUNT, MemoryUse::Shared)?;
    let gate = Gate::closed(device, QueueRole::Compute)?;
    let kept = Kept::default();
    let before = device.memory_statistics().allocations;
    let (completion, drops) = start(&kept, &to)?;
    ensure(device.memory_statistics().allocations == before + 1, || format!("{order}: a buffer is gone before its work is done"))?;
    ensure(completion.status()? == Status::InFlight, || format!("{order}: done behind a closed gate"))?;
    let opening = gate.open_soon();
    drops();
    ensure(completion.status()? == Status::Done, || format!("{order}: dropped without waiting for the device"))?;
    ensure(opening.join().unwrap_or(false), || "the gate did not open".to_owned())?;
    ensure(device.memory_statistics().allocations == before, || format!("{order}: a buffer was left behind"))?;
    ensure(Arc::strong_count(&kept) == 1, || format!("{order}: what was to be kept is kept for ever"))?;
    completion.wait(PATIENCE)?;
    holds(&to, |i| i * 3 + 1)
}

/// Neither a reset nor a drop without a submission keeps anything.
pub fn handles(device: &Arc<Device>) -> Result<(), Failed> {
    let to = buffer(device, COUNT, MemoryUse::Shared)?;
    let before = device.memory_statistics().allocations;
    let live = || device.memory_statistics().allocations - before;
    let kept = Kept::default();
    let mut recorder = recorded(device, Reuse::Once, &kept, &to)?;
    ensure(live() == 1, || "the recorder does not keep what it recorded".to_owned())?;
    recorder.reset()?;
    ensure(live() == 0 && Arc::strong_count(&kept) == 1, || "a reset keeps what was recorded".to_owned())?;
    drop(recorder);
    drop(recorded(device, Reuse::Once, &kept, &to)?);
    ensure(live() == 0 && Arc::strong_count(&kept) == 1, || "a recorder that is gone keeps what was recorded".to_owned())?;
    // A submission alone keeps everything.
    let submission = recorded(device, Reuse::Once, &kept, &to)?.submit()?;
    ensure(live() == 1 && Arc::strong_count(&kept) == 2, || "the submission does not keep what it uses".to_owned())?;
    submission.wait(PATIENCE)?;
    ensure(live() == 1, || "let go before anyone said so".to_owned())?;
    drop(submission);
    ensure(live() == 0, || "a submission that is gone keeps what it used".to_owned())?;
    holds(&to, |i| i * 3 + 1)
}
