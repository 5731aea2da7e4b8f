//! A barrier is forgotten, and the recorder says so: which dispatches, which bytes, and what to add. Then it is added, and then left to the recorder.
//!
//! `cargo run --example missing_barrier`. With `--unchecked` the barrier is missing and nothing looks: what the validation layer is for.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use wavelane::device::{Buffer, BufferDescription, Device, DeviceChoice, DeviceOptions, Instance, InstanceOptions, MemoryUse, choose};
use wavelane::record::{Access, BufferBarrier, BufferRange, Error as RecordError, HazardMode, Recorder, RecorderOptions};
use wavelane::{DType, Error, Reduce, ReduceBindings, ReduceOp, ReducePlan, ScratchState};

const ROWS: usize = 300;
const COLUMNS: usize = 400;

/// The largest of the sums of rows: one reduction reads what another wrote.
struct Job {
    device: Arc<Device>,
    sums: ReducePlan,
    largest: ReducePlan,
    table: Buffer,
    row_sums: Buffer,
    result: Buffer,
}

fn main() -> anyhow::Result<()> {
    let unchecked = std::env::args().any(|argument| argument == "--unchecked");
    let instance = Instance::new(&InstanceOptions::default())?;
    let adapters = instance.adapters()?;
    let device = Device::new(choose(&adapters, &DeviceChoice::from_env())?, &DeviceOptions::default())?;
    println!("{}", device.capabilities().device_name);
    let job = Job::new(&device)?;

    if unchecked {
        job.run(HazardMode::Off, false)?;
        println!("without a barrier, unchecked: whatever comes out is undefined");
        return Ok(());
    }
    match job.run(HazardMode::Checked, false) {
        Err(Error::Record(missing @ RecordError::Hazard(_))) => println!("\nwithout a barrier:\n  {missing}\n  {}", missing.advice()),
        Err(error) => return Err(error.into()),
        Ok(_) => bail!("the missing barrier went unnoticed"),
    }
    let expected = job.expected();
    let (result, barriers) = job.run(HazardMode::Checked, true)?;
    ensure(result, expected)?;
    println!("\nwith the barrier: {result} as expected, {barriers} barriers in all");
    let (result, barriers) = job.run(HazardMode::Automatic, false)?;
    ensure(result, expected)?;
    println!("left to the recorder: {result} as expected, {barriers} barriers in all");
    Ok(())
}

fn ensure(result: u32, expected: u32) -> anyhow::Result<()> {
    ensure!(result == expected, "{result} and not {expected}");
    Ok(())
}

impl Job {
    fn new(device: &Arc<Device>) -> anyhow::Result<Self> {
        let sums = Reduce::new(ReduceOp::Sum, DType::U32, &[ROWS, COLUMNS]).along(1).plan(device, None)?;
        let largest = Reduce::new(ReduceOp::Max, DType::U32, &[ROWS]).plan(device, None)?;
        // Small plans need no scratch, which keeps this short.
        ensure!(sums.schedule().scratch_bytes + largest.schedule().scratch_bytes == 0, "scratch is needed");
        let buffer = |name, size| Buffer::new(device, &BufferDescription { size, memory: MemoryUse::Shared, name });
        let table = buffer("table", sums.schedule().input_bytes)?;
        let row_sums = buffer("row sums", sums.schedule().output_bytes)?;
        let result = buffer("result", largest.schedule().output_bytes).context("no room for the result")?;
        table.write(0, bytemuck::cast_slice(&elements()))?;
        Ok(Self { device: Arc::clone(device), sums, largest, table, row_sums, result })
    }

    /// The result, and how many barriers it took.
    fn run(&self, hazards: HazardMode, with_barrier: bool) -> Result<(u32, u32), Error> {
        let [table, row_sums, result] = [&self.table, &self.row_sums, &self.result].map(BufferRange::whole);
        let bind = |input, output| ReduceBindings { input, output, scratch: None, scratch_state: ScratchState::Unknown, count: None };
        let mut recorder = Recorder::with_options(&self.device, &RecorderOptions { hazards, ..RecorderOptions::default() })?;
        self.sums.record(&mut recorder, &bind(table, row_sums))?;
        if with_barrier {
            recorder.barrier(&[BufferBarrier::new(row_sums, Access::ComputeWrite, Access::ComputeRead)])?;
        }
        self.largest.record(&mut recorder, &bind(row_sums, result))?;
        match hazards {
            HazardMode::Automatic => recorder.hand_over(result, Access::HostRead)?,
            _ => recorder.barrier(&[BufferBarrier::new(result, Access::ComputeWrite, Access::HostRead)])?,
        }
        let barriers = recorder.barriers();
        recorder.submit()?.wait(Duration::from_secs(10))?;
        let mut bytes = [0; 4];
        self.result.read(0, &mut bytes)?;
        Ok((u32::from_ne_bytes(bytes), barriers))
    }

    fn expected(&self) -> u32 {
        elements().chunks(COLUMNS).map(|row| row.iter().sum()).max().unwrap_or_default()
    }
}

fn elements() -> Vec<u32> {
    (0..(ROWS * COLUMNS) as u32).map(|index| index.wrapping_mul(2_654_435_761) >> 20).collect()
}
