//! Kernels on data in host memory, in one call.

mod transfer;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use wavelane_device::{
    Buffer, BufferDescription, Device, DeviceChoice, DeviceOptions, Instance, InstanceOptions, LeakReport, MemoryUse, Profile, Validation,
    ValidationMessage, choose,
};
use wavelane_record::{Access, BufferBarrier, BufferRange, Recorder};

use transfer::Transfers;

use crate::{Error, Path, Pipelines, Reduce, ReduceBindings, ReducePlan, ScratchState, Tensor};

/// How long a submission may take before it counts as hung.
const PATIENCE: Duration = Duration::from_secs(120);

/// The most bytes that are copied to or from a device's own memory at once, where the options do not say.
const STAGING_BYTES: u64 = 64 << 20;

/// The largest buffer that is kept for the next call.
const KEPT_BYTES: u64 = 64 << 20;

/// How a [`Context`] is made. The default takes the best device and leaves everything else to Wavelane.
#[derive(Clone, Debug)]
pub struct ContextOptions {
    /// Which device; the default asks `WAVELANE_DEVICE`, then takes the best.
    pub device: Option<DeviceChoice>,
    /// A device to simulate.
    pub profile: Option<Profile>,
    /// Whether the validation layer watches.
    pub validation: Validation,
    /// The path that every kernel must take; the default asks `WAVELANE_PATH`, then leaves it to selection.
    pub path: Option<Path>,
    /// A folder to keep compiled pipelines in, so that later starts are quicker; see [`DeviceOptions::pipeline_cache`].
    pub pipeline_cache: Option<PathBuf>,
    /// The most host memory that copies to device memory take which the host does not reach, and copies from it: 64 MiB each way is the default. Less than 512
    /// bytes is never taken.
    pub staging_bytes: u64,
}

impl Default for ContextOptions {
    fn default() -> Self {
        Self { device: None, profile: None, validation: Validation::Off, path: None, pipeline_cache: None, staging_bytes: STAGING_BYTES }
    }
}

/// A device with everything that kernels need, for data in host memory. An engine with a device of its own uses plans instead.
#[derive(Debug)]
pub struct Context {
    // Before the device, so that they go first.
    pipelines: Pipelines,
    /// What the last call left for the next, unless a call is using it.
    kept: Mutex<Kept>,
    device: Arc<Device>,
    path: Option<Path>,
    staging_bytes: u64,
    // Last: what is left by then was forgotten somewhere.
    _leaks: LeakReport,
}

/// What a call can use again, as long as it is not large.
#[derive(Debug, Default)]
struct Kept {
    recorder: Option<Recorder>,
    transfers: Option<Transfers>,
    input: Option<Buffer>,
    output: Option<Buffer>,
    scratch: Option<Buffer>,
}

/// What a kernel on host data gives.
#[derive(Debug)]
pub struct Outcome {
    /// The results.
    pub tensor: Tensor,
    /// What was done.
    pub plan: ReducePlan,
    /// Time the dispatches took on the device, in nanoseconds; nothing where the device has no usable timestamps.
    pub gpu_time_ns: Option<f64>,
    /// Bytes that the dispatches read and wrote.
    pub bytes_moved: u64,
}

impl Context {
    /// Opens a device.
    ///
    /// # Errors
    /// No loader, driver or such device; a path name in `WAVELANE_PATH` that there is not.
    pub fn new(options: &ContextOptions) -> Result<Self, Error> {
        let path = forced_path(options)?;
        let instance = Instance::new(&InstanceOptions { application_name: "wavelane".into(), validation: options.validation })?;
        Self::open(&instance, options, path)
    }

    /// Opens a device of an instance that there is already. Whether calls are validated was decided when the instance was made;
    /// [`ContextOptions::validation`] changes nothing here.
    ///
    /// # Errors
    /// No driver or such device; a path name in `WAVELANE_PATH` that there is not.
    pub fn with_instance(instance: &Arc<Instance>, options: &ContextOptions) -> Result<Self, Error> {
        Self::open(instance, options, forced_path(options)?)
    }

    fn open(instance: &Arc<Instance>, options: &ContextOptions, path: Option<Path>) -> Result<Self, Error> {
        let adapters = instance.adapters()?;
        let choice = options.device.clone().unwrap_or_else(DeviceChoice::from_env);
        let device_options =
            DeviceOptions { profile: options.profile.clone(), pipeline_cache: options.pipeline_cache.clone(), ..Default::default() };
        let device = Device::new(choose(&adapters, &choice)?, &device_options)?;
        let staging_bytes = options.staging_bytes.min(1 << 30);
        let (pipelines, leaks) = (Pipelines::new(&device), LeakReport::new(&device));
        Ok(Self { pipelines, kept: Mutex::default(), device, path, staging_bytes, _leaks: leaks })
    }

    /// The device.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// The path that every kernel must take, if one is forced.
    pub fn path(&self) -> Option<Path> {
        self.path
    }

    /// Forces a path from now on, or leaves it to selection.
    pub fn set_path(&mut self, path: Option<Path>) {
        self.path = path;
    }

    /// The validation layer's warnings and errors so far.
    pub fn validation_messages(&self) -> Vec<ValidationMessage> {
        self.device.instance().validation_messages()
    }

    /// Reduces an array: all of it, whether or not the reduction is counted.
    ///
    /// # Errors
    /// [`Error::InputMismatch`] if `input` is not what `reduce` describes; what [`Reduce::plan`] says; memory, submission, device loss.
    pub fn reduce(&self, reduce: &Reduce, input: &Tensor) -> Result<Outcome, Error> {
        if (input.dtype(), input.shape()) != (reduce.dtype, reduce.shape.as_slice()) {
            return Err(Error::InputMismatch {
                expected: format!("{} {:?}", reduce.dtype, reduce.shape),
                found: format!("{} {:?}", input.dtype(), input.shape()),
            });
        }
        // The host knows what it hands over.
        let plan = Reduce { counted: false, ..reduce.clone() }.plan_with(&self.pipelines, self.path)?;
        let schedule = plan.schedule();
        let (result_dtype, result_shape, bytes_moved) = (schedule.result_dtype, schedule.result_shape.clone(), schedule.bytes_moved);
        if schedule.output_bytes == 0 {
            let tensor = Tensor::new(result_dtype, result_shape, Vec::new())?;
            return Ok(Outcome { tensor, plan, gpu_time_ns: None, bytes_moved });
        }
        // A call beside this one, or after one that failed, starts from nothing.
        let mut kept = std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner));
        let output = self.buffer(&mut kept.output, "reduce output", schedule.output_bytes)?;
        let source = match schedule.input_bytes {
            0 => None,
            bytes => {
                let source = self.buffer(&mut kept.input, "reduce input", bytes)?;
                self.upload(&mut kept, &source, input.bytes())?;
                Some(source)
            }
        };
        let scratch = match schedule.scratch_bytes {
            0 => None,
            bytes => Some(self.buffer(&mut kept.scratch, "reduce scratch", bytes)?),
        };
        let bindings = ReduceBindings {
            input: BufferRange::whole(source.as_ref().unwrap_or(&output)),
            output: BufferRange::whole(&output),
            scratch: scratch.as_ref().map(BufferRange::whole),
            scratch_state: ScratchState::Unknown,
            count: None,
        };
        let mut recorder = match kept.recorder.take() {
            Some(mut recorder) => {
                recorder.reset()?;
                recorder
            }
            None => Recorder::new(&self.device)?,
        };
        recorder.begin_timing("reduce")?;
        plan.record(&mut recorder, &bindings)?;
        recorder.end_timing()?;
        let to = if output.is_mapped() { Access::HostRead } else { Access::TransferRead };
        recorder.barrier(&[BufferBarrier::new(bindings.output, Access::ComputeWrite, to)])?;
        let submission = recorder.submit()?;
        submission.wait(PATIENCE)?;
        let gpu_time_ns = submission.timings().first().and_then(|timing| timing.nanoseconds);
        let mut bytes = vec![0; schedule.output_bytes as usize];
        self.download(&mut kept, &output, &mut bytes)?;
        let small = |buffer: &Buffer| buffer.size() <= KEPT_BYTES;
        // A recorder holds the buffers that it used until it is reset.
        let all_small = [&source, &scratch].into_iter().flatten().chain([&output]).all(small);
        kept.recorder = all_small.then_some(recorder);
        if let Some(transfers) = &mut kept.transfers {
            transfers.settle()?;
        }
        kept.input = source.filter(small).or(kept.input);
        kept.output = Some(output).filter(small);
        kept.scratch = scratch.filter(small).or(kept.scratch);
        *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = kept;
        Ok(Outcome { tensor: Tensor::new(result_dtype, result_shape, bytes)?, plan, gpu_time_ns, bytes_moved })
    }

    /// The buffer that was kept, where it is large enough, or a new one.
    fn buffer(&self, kept: &mut Option<Buffer>, name: &str, size: u64) -> Result<Buffer, Error> {
        match kept.take() {
            Some(buffer) if buffer.size() >= size => Ok(buffer),
            _ => Ok(Buffer::new(&self.device, &BufferDescription { size, memory: MemoryUse::Device, name })?),
        }
    }

    /// Copies `bytes` to the beginning of a buffer that nothing uses, ready for reading by compute shaders.
    fn upload(&self, kept: &mut Kept, buffer: &Buffer, bytes: &[u8]) -> Result<(), Error> {
        if buffer.is_mapped() {
            // What the host writes before a submission is visible to it.
            return Ok(buffer.write(0, bytes)?);
        }
        self.transfers(kept)?.upload(buffer, bytes)
    }

    /// Copies from the beginning of a buffer that is ready for reading by the host, or by copies where the host cannot reach it.
    fn download(&self, kept: &mut Kept, buffer: &Buffer, into: &mut [u8]) -> Result<(), Error> {
        if buffer.is_mapped() {
            return Ok(buffer.read(0, into)?);
        }
        self.transfers(kept)?.download(buffer, into)
    }

    fn transfers<'a>(&self, kept: &'a mut Kept) -> Result<&'a mut Transfers, Error> {
        let transfers = kept.transfers.take().map_or_else(|| Transfers::new(&self.device, self.staging_bytes), Ok)?;
        Ok(kept.transfers.insert(transfers))
    }
}

/// The path that the options force, or the environment.
fn forced_path(options: &ContextOptions) -> Result<Option<Path>, Error> {
    match options.path {
        Some(path) => Ok(Some(path)),
        None => Path::from_env(),
    }
}
