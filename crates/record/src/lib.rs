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
//! recorder.dispatch(scale, &[data], &2.0f32.to_ne_bytes(), [64, 1, 1])?;
//! recorder.barrier(&[BufferBarrier { range: data, from: Access::ComputeWrite, to: Access::ComputeReadWrite }])?;
//! recorder.dispatch(scale, &[data], &3.0f32.to_ne_bytes(), [64, 1, 1])?;
//! recorder.barrier(&[BufferBarrier { range: data, from: Access::ComputeWrite, to: Access::HostRead }])?;
//! recorder.end_timing()?;
//! let submission = recorder.submit()?;
//! submission.wait(Duration::from_secs(10))?;
//! println!("{:?}", submission.timings());
//! # Ok(())
//! # }
//! ```

mod access;
mod barrier;
mod check;
mod descriptors;
mod error;
mod fold;
mod pipeline;
mod range;
mod recorder;
mod resources;
mod submission;
mod timing;

pub use access::{Access, BufferBarrier};
pub use error::Error;
pub use fold::fold_groups;
pub use pipeline::{ComputePipeline, ComputePipelineDescription, SpecializationConstant};
pub use range::BufferRange;
pub use recorder::Recorder;
pub use submission::Submission;
pub use timing::Timing;
