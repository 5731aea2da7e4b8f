//! A chain recorded into one command buffer, submitted once, and compared with what the twins say.

use std::sync::Arc;
use std::time::Duration;

use libtest_mimic::Failed;
use wavelane::device::{Buffer, BufferDescription, Device, MemoryUse};
use wavelane::record::{Access, BufferBarrier, BufferRange, HazardMode, Recorder, RecorderOptions};
use wavelane_reference::Values;

use super::arena::Slot;
use super::chain::{Chain, Step};

/// Who sees to the barriers between kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Barriers {
    /// The recorder.
    Automatic,
    /// The chain, from what is documented of each kernel; the recorder refuses what lacks one.
    Checked,
    /// The chain; what lacks one is for the validation layer to notice.
    Unchecked,
}

impl Barriers {
    /// Each in turn.
    pub fn of(number: u64) -> Self {
        [Self::Automatic, Self::Checked, Self::Unchecked][(number % 3) as usize]
    }
}

/// What is done wrong on purpose, to see that it is noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    None,
    /// The barriers between kernels are left out.
    NoBarriers,
    /// The twin has another last result.
    WrongTwin,
}

/// Runs the chain; the error says what differs.
pub fn run(device: &Arc<Device>, chain: &Chain, barriers: Barriers, fault: Fault) -> Result<(), Failed> {
    let arrays = chain.arena.buffer(device)?;
    let scratch_bytes = chain.steps.iter().flat_map(|step| &step.planned.needs).filter(|need| need.is_scratch).map(|need| need.bytes).max();
    let size = scratch_bytes.unwrap_or(0).max(4);
    let scratch = Buffer::new(device, &BufferDescription { size, memory: MemoryUse::Shared, name: "scratch" })?;
    scratch.write(0, &vec![0xc3; size as usize])?;

    let hazards = match barriers {
        Barriers::Automatic => HazardMode::Automatic,
        Barriers::Checked => HazardMode::Checked,
        Barriers::Unchecked => HazardMode::Off,
    };
    let mut recording = Recording {
        recorder: Recorder::with_options(device, &RecorderOptions { name: "chain", hazards, ..RecorderOptions::default() })?,
        own_barriers: barriers != Barriers::Automatic && fault != Fault::NoBarriers,
        arrays: &arrays,
        scratch: &scratch,
        slots: chain.arena.slots.clone(),
        scratch_slot: Slot::default(),
    };
    for (number, step) in chain.steps.iter().enumerate() {
        recording.step(step).map_err(|error| format!("kernel {}: {}", number + 1, error.message().unwrap_or_default()))?;
    }
    let mut recorder = recording.finish()?;
    if fault == Fault::NoBarriers {
        // Validation needs only the record, and no device has to bear the fault.
        return Ok(());
    }
    recorder.submit()?.wait(Duration::from_secs(100))?;
    compare(chain, &arrays, fault)
}

struct Recording<'a> {
    recorder: Recorder,
    own_barriers: bool,
    arrays: &'a Buffer,
    scratch: &'a Buffer,
    slots: Vec<Slot>,
    scratch_slot: Slot,
}

impl Recording<'_> {
    fn step(&mut self, step: &Step) -> Result<(), Failed> {
        let scratch = BufferRange::whole(self.scratch);
        // What is not used may be anything.
        let mut ranges = [scratch; wavelane::MOST_BUFFERS];
        let mut ready = Vec::new();
        for ((range, slot), need) in ranges.iter_mut().zip(step.slots).zip(&step.planned.needs).filter(|(_, need)| need.bytes > 0) {
            let state = match slot {
                Some(slot) => {
                    *range = self.slots[slot].range(self.arrays)?;
                    &mut self.slots[slot]
                }
                None => &mut self.scratch_slot,
            };
            if range.offset() % need.alignment != 0 {
                return Err(format!("{} is bound at {}, and {} is its alignment", need.name, range.offset(), need.alignment).into());
            }
            ready.extend(state.make_ready(*range, &need.before));
        }
        if self.own_barriers && !ready.is_empty() {
            self.recorder.barrier(&ready)?;
        }
        (step.planned.record)(&mut self.recorder, &ranges)?;
        for (slot, need) in step.slots.iter().zip(&step.planned.needs).filter(|(_, need)| need.bytes > 0) {
            let state = slot.map_or(&mut self.scratch_slot, |slot| &mut self.slots[slot]);
            state.note(&need.after);
        }
        Ok(())
    }

    /// What the host is to read.
    fn finish(mut self) -> Result<Recorder, Failed> {
        let mut ready: Vec<BufferBarrier<'_>> = Vec::new();
        for slot in self.slots.iter_mut().filter(|slot| slot.is_written()) {
            let range = slot.range(self.arrays)?;
            ready.extend(slot.make_ready(range, &[Access::HostRead]));
        }
        if self.own_barriers && !ready.is_empty() {
            self.recorder.barrier(&ready)?;
        }
        for slot in self.slots.iter().filter(|slot| slot.is_written()) {
            self.recorder.hand_over(slot.range(self.arrays)?, Access::HostRead)?;
        }
        Ok(self.recorder)
    }
}

/// Every array that is still there, every count, and that nothing was written beside them.
fn compare(chain: &Chain, arrays: &Buffer, fault: Fault) -> Result<(), Failed> {
    let mut bytes = vec![0; arrays.size() as usize];
    arrays.read(0, &mut bytes)?;
    let at = |slot: usize| &bytes[chain.arena.slots[slot].offset as usize..];
    for (number, count) in chain.counts.iter().enumerate() {
        let got = u32::from_ne_bytes([0, 1, 2, 3].map(|byte| at(count.slot)[byte]));
        if got != count.value {
            return Err(format!("count {number} is {got}, and {} is right", count.value).into());
        }
    }
    for (number, array) in chain.kept() {
        let live = if fault == Fault::WrongTwin && number == chain.current { &wrong(&array.live) } else { &array.live };
        let size = array.dtype.size() as usize;
        let got = Values::from_bytes(live.element(), &at(array.slot)[..size * live.len()]).ok_or("no whole elements")?;
        let wrong = differences(&got, live);
        if let Some(&index) = wrong.first() {
            let (is, right) = (got.bits()[index], live.bits()[index]);
            let (differ, all) = (wrong.len(), live.len());
            return Err(format!("array {number}: element {index} is {is:#x}, and {right:#x} is right; {differ} of {all} are wrong").into());
        }
    }
    Ok(chain.arena.check_gaps(&bytes)?)
}

/// Where bits differ. Which NaN it is that a kernel gives is left open.
fn differences(got: &Values, want: &Values) -> Vec<usize> {
    let is_nan = |values: &Values| -> Vec<bool> {
        let is_float = values.element().is_float();
        values.to_f64().iter().map(|x| is_float && x.is_nan()).collect()
    };
    let (both, bits) = ((is_nan(got), is_nan(want)), (got.bits(), want.bits()));
    (0..want.len()).filter(|&at| bits.0[at] != bits.1[at] && !(both.0[at] && both.1[at])).collect()
}

/// The same with another last element.
fn wrong(values: &Values) -> Values {
    let mut bits = values.bits();
    if let Some(last) = bits.last_mut() {
        *last ^= 1;
    }
    Values::from_bits(values.element(), bits)
}
