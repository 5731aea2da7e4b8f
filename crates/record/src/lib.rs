//! Recording compute work for Wavelane: pipelines, dispatches, barriers by access, submission and timestamps.
//!
//! ```no_run
//! use std::time::Duration;
//! use wavelane_device::{Buffer, Device};
//! use wavelane_record::{Access, BufferBarrier, BufferRange, ComputePipeline, Recorder};
//!
//! # fn example(device: &std::sync::Arc<Device>, scale: &ComputePipeline, buffer: &Buffer) -> Result<(), wavelane_record::Error> {
//! let data = BufferRange::whole(buffer);
//! let mut recorder = Recorder::new(device)?;
//! recorder.begin_timing("scale twice")?;
//! // SAFETY: the shader keeps to the 4096 elements that it is given.
//! unsafe { recorder.dispatch(scale, &[data.into()], &2.0f32.to_ne_bytes(), [64, 1, 1]) }?;
//! recorder.barrier(&[BufferBarrier::new(data, Access::ComputeWrite, Access::ComputeReadWrite)])?;
//! // SAFETY: as above.
//! unsafe { recorder.dispatch(scale, &[data.into()], &3.0f32.to_ne_bytes(), [64, 1, 1]) }?;
//! recorder.barrier(&[BufferBarrier::new(data, Access::ComputeWrite, Access::HostRead)])?;
//! recorder.end_timing()?;
//! let submission = recorder.submit()?;
//! submission.wait(Duration::from_secs(10))?;
//! println!("{:?}", submission.timings());
//! # Ok(())
//! # }
//! ```

mod access;
mod barrier;
mod binding;
mod check;
mod completion;
mod counters;
mod descriptors;
mod error;
mod fold;
pub mod hazard;
mod pipeline;
mod profile;
mod range;
mod recorder;
mod resources;
mod sequence;
mod statistics;
mod submission;
mod timing;
mod trace;

pub use access::Access;
pub use barrier::{BufferBarrier, ImageBarrier, OwnershipTransfer, TransferHalf};
pub use binding::{Binding, BindingDescription, BindingKind};
pub use completion::{Completion, Status};
pub use counters::ShaderCounters;
pub use error::Error;
pub use fold::fold_groups;
pub use pipeline::{ComputePipeline, ComputePipelineDescription, SpecializationConstant};
pub use profile::DispatchProfile;
pub use range::BufferRange;
pub use recorder::{HazardMode, Recorder, RecorderOptions, Reuse, SubmitOptions};
pub use sequence::Sequence;
pub use statistics::{ExecutableStatistics, ExecutableSummary, PipelineStatistics, Statistic, StatisticValue, StatisticsMissing};
pub use submission::Submission;
pub use timing::Timing;
pub use trace::{DeviceClock, DeviceSpan, DispatchRecord, Trace, measure_copy_rate};
