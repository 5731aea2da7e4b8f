//! Kernels on data in host memory, in one call.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use wavelane_device::{
    Buffer, BufferDescription, Device, DeviceChoice, DeviceOptions, Instance, InstanceOptions, MemoryUse, Profile, Validation,
    ValidationMessage, choose,
};
use wavelane_record::{Access, BufferBarrier, BufferRange, Recorder};

use crate::{Error, Path, Pipelines, Reduce, ReduceBindings, ReducePlan, ScratchState, Tensor};

/// How long a submission may take before it counts as hung.
const PATIENCE: Duration = Duration::from_secs(120);

/// The most bytes that are copied to or from a device's own memory at once, where the options do not say.
const STAGING_BYTES: u64 = 64 << 20;

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
    /// The most bytes that are copied at once to or from memory that the host does not reach: what the buffer for it takes. 64 MiB is the default.
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
    device: Arc<Device>,
    path: Option<Path>,
    staging_bytes: u64,
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
        // Copies begin at multiples of it, and Vulkan wants those in whole words where a queue only copies.
        let staging_bytes = options.staging_bytes.clamp(4, 1 << 30).next_multiple_of(4);
        Ok(Self { pipelines: Pipelines::new(&device), device, path, staging_bytes })
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
        let output = self.buffer("reduce output", schedule.output_bytes, MemoryUse::Device)?;
        let source = match schedule.input_bytes {
            0 => None,
            bytes => Some(self.upload("reduce input", bytes, input.bytes())?),
        };
        let scratch = match schedule.scratch_bytes {
            0 => None,
            bytes => Some(self.buffer("reduce scratch", bytes, MemoryUse::Device)?),
        };
        let bindings = ReduceBindings {
            input: BufferRange::whole(source.as_ref().unwrap_or(&output)),
            output: BufferRange::whole(&output),
            scratch: scratch.as_ref().map(BufferRange::whole),
            scratch_state: ScratchState::Unknown,
            count: None,
        };
        let mut recorder = Recorder::new(&self.device)?;
        recorder.begin_timing("reduce")?;
        plan.record(&mut recorder, &bindings)?;
        recorder.end_timing()?;
        let to = if output.is_mapped() { Access::HostRead } else { Access::TransferRead };
        recorder.barrier(&[BufferBarrier::new(bindings.output, Access::ComputeWrite, to)])?;
        let submission = recorder.submit()?;
        submission.wait(PATIENCE)?;
        let gpu_time_ns = submission.timings().first().and_then(|timing| timing.nanoseconds);
        let bytes = self.download(&output)?;
        Ok(Outcome { tensor: Tensor::new(result_dtype, result_shape, bytes)?, plan, gpu_time_ns, bytes_moved })
    }

    fn buffer(&self, name: &str, size: u64, memory: MemoryUse) -> Result<Buffer, Error> {
        Ok(Buffer::new(&self.device, &BufferDescription { size, memory, name })?)
    }

    /// A device buffer of `size` bytes that begins with `bytes`, ready for reading by compute shaders.
    fn upload(&self, name: &str, size: u64, bytes: &[u8]) -> Result<Buffer, Error> {
        let buffer = self.buffer(name, size, MemoryUse::Device)?;
        if buffer.is_mapped() {
            // What the host writes before a submission is visible to it.
            buffer.write(0, bytes)?;
            return Ok(buffer);
        }
        let staging = self.buffer("upload", size.min(self.staging_bytes), MemoryUse::Upload)?;
        for (index, part) in bytes.chunks(self.staging_bytes as usize).enumerate() {
            staging.write(0, part)?;
            let length = part.len() as u64;
            let target = BufferRange::new(&buffer, index as u64 * self.staging_bytes, length)?;
            let mut recorder = Recorder::new(&self.device)?;
            recorder.copy(BufferRange::new(&staging, 0, length)?, target)?;
            recorder.barrier(&[BufferBarrier::new(target, Access::TransferWrite, Access::ComputeRead)])?;
            recorder.submit()?.wait(PATIENCE)?;
        }
        Ok(buffer)
    }

    /// The bytes of a buffer that is ready for reading by the host, or by copies where the host cannot reach it.
    fn download(&self, buffer: &Buffer) -> Result<Vec<u8>, Error> {
        let mut bytes = vec![0; buffer.size() as usize];
        if buffer.is_mapped() {
            buffer.read(0, &mut bytes)?;
            return Ok(bytes);
        }
        let staging = self.buffer("readback", buffer.size().min(self.staging_bytes), MemoryUse::Readback)?;
        for (index, part) in bytes.chunks_mut(self.staging_bytes as usize).enumerate() {
            let length = part.len() as u64;
            let target = BufferRange::new(&staging, 0, length)?;
            let mut recorder = Recorder::new(&self.device)?;
            recorder.copy(BufferRange::new(buffer, index as u64 * self.staging_bytes, length)?, target)?;
            recorder.barrier(&[BufferBarrier::new(target, Access::TransferWrite, Access::HostRead)])?;
            recorder.submit()?.wait(PATIENCE)?;
            staging.read(0, part)?;
        }
        Ok(bytes)
    }
}

/// The path that the options force, or the environment.
fn forced_path(options: &ContextOptions) -> Result<Option<Path>, Error> {
    match options.path {
        Some(path) => Ok(Some(path)),
        None => Path::from_env(),
    }
}
