//! Kernels on data in host memory, in one call.

mod execute;
mod transfer;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use wavelane_device::{
    Buffer, Device, DeviceChoice, DeviceOptions, Instance, InstanceOptions, LeakReport, Profile, Validation, ValidationMessage, choose,
};
use wavelane_record::{Access, BufferRange, Recorder};

use execute::HostBuffer;
pub(crate) use execute::check_input;
use transfer::Transfers;

use crate::schedule::MOST_BUFFERS;
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
    buffers: [Option<Buffer>; MOST_BUFFERS],
}

/// What a kernel on host data gives: results of type `T`, by a plan of type `P`.
#[derive(Debug)]
pub struct Outcome<P = ReducePlan, T = Tensor> {
    /// The results.
    pub tensor: T,
    /// What was done.
    pub plan: P,
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
        check_input((reduce.dtype, &reduce.shape), input)?;
        // The host knows what it hands over.
        let plan = Reduce { counted: false, ..reduce.clone() }.plan_with(&self.pipelines, self.path)?;
        let schedule = plan.schedule();
        let (result_dtype, result_shape, bytes_moved) = (schedule.result_dtype, schedule.result_shape.clone(), schedule.bytes_moved);
        if schedule.output_bytes == 0 {
            let tensor = Tensor::new(result_dtype, result_shape, Vec::new())?;
            return Ok(Outcome { tensor, plan, gpu_time_ns: None, bytes_moved });
        }
        let mut needs = [HostBuffer::default(); MOST_BUFFERS];
        let used = |name, bytes| HostBuffer { name, bytes, ..HostBuffer::default() };
        needs[0] = HostBuffer { upload: Some(input.bytes()), ..used("input", schedule.input_bytes) };
        needs[1] = HostBuffer { written: Some(Access::ComputeWrite), ..used("output", schedule.output_bytes) };
        needs[2] = used("scratch", schedule.scratch_bytes);
        let record = |recorder: &mut Recorder, ranges: &[Option<BufferRange<'_>>; MOST_BUFFERS]| {
            // There are results, so there is an output.
            let Some(output) = ranges[1] else { return Ok(()) };
            let input = ranges[0].unwrap_or(output);
            plan.record(recorder, &ReduceBindings { input, output, scratch: ranges[2], scratch_state: ScratchState::Unknown, count: None })
        };
        let (bytes, gpu_time_ns) = self.execute("reduce", &needs, record, |downloads| downloads.bytes(1, schedule.output_bytes))?;
        Ok(Outcome { tensor: Tensor::new(result_dtype, result_shape, bytes)?, plan, gpu_time_ns, bytes_moved })
    }

    /// What the last call left, for this one alone.
    fn take_kept(&self) -> Kept {
        std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn keep(&self, kept: Kept) {
        *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = kept;
    }
}

/// The path that the options force, or the environment.
fn forced_path(options: &ContextOptions) -> Result<Option<Path>, Error> {
    match options.path {
        Some(path) => Ok(Some(path)),
        None => Path::from_env(),
    }
}
