//! Hazards: uses of the same bytes by two commands with no barrier to order them.
//!
//! A [`Tracker`] is told of each command and each barrier in the order in which they are recorded. It finds read-after-write, write-after-read and
//! write-after-write hazards ([`Tracker::command`]), computes the least barriers that a command needs ([`Tracker::needed_barriers`]), and
//! says which barriers nothing needed ([`Tracker::redundant`]). It is plain data and knows no device.
//!
//! ```
//! use wavelane_record::Access;
//! use wavelane_record::hazard::{CommandKind, CommandName, RangeBarrier, ResourceRange, Tracker, Use};
//!
//! let mut tracker = Tracker::new();
//! let dispatch = |index| CommandName { kind: CommandKind::Dispatch, index, label: None };
//! tracker.command(dispatch(0), &[Use::buffer(1, "sums", 0, 64, Access::ComputeWrite)])?;
//!
//! let reads = [Use::buffer(1, "sums", 0, 32, Access::ComputeRead)];
//! let hazard = tracker.command(dispatch(1), &reads).unwrap_err();
//! println!("{hazard}\n{}", hazard.advice());
//!
//! tracker.barrier(&[RangeBarrier::new(ResourceRange::buffer(1, 0, 64), Access::ComputeWrite, Access::ComputeRead)])?;
//! tracker.command(dispatch(1), &reads)?;
//! # Ok::<(), wavelane_record::hazard::Hazard>(())
//! ```
//!
//! # Rules
//!
//! They are Vulkan's, of one queue:
//!
//! - A barrier orders **execution** between stages, of all commands before it and all after it, whichever bytes it names. Waiting for a stage
//!   waits for the stages before it in the pipeline, too (`COMPUTE_SHADER` for `DRAW_INDIRECT`), and when a stage waits, so do those after it.
//! - It makes writes **available** that its first access names, and **visible** to its second access what is available: of the bytes it names only.
//! - Barriers **chain**: what one lets a stage wait for, a later one that waits for this stage waits for. A write that was made available before is
//!   made visible by it. Entries of one call do not chain.
//! - A read needs the last write to be visible to it. A write needs the reads since the last write to be done, for which execution is enough; if
//!   there were none, the last write must be visible to it as to a read, which is what synchronization validation asks for.
//! - What the host writes before a submission is visible to all of it. What the host reads afterwards needs a barrier to
//!   [`Access::HostRead`](crate::Access::HostRead); its execution is ordered by its waiting for the submission.
//!
//! Vulkan 1.1 merges the stages of all entries of one call, so that they may order more than by these rules, never less.
//!
//! # Cost
//!
//! A use takes a binary search among the ranges known of its buffer, and a little for each range that it touches. Nothing is allocated once the
//! lists have grown: [`Tracker::clear`] keeps them. Names are copied when a buffer is first used and when something is reported.

mod event;
mod needed;
mod order;
mod overlap;
mod redundant;
mod report;
mod scope;
mod spans;
mod state;
#[cfg(test)]
mod tests;
mod trace;
mod tracker;
mod uses;

pub use event::Command;
pub use overlap::SelfOverlap;
pub use redundant::{Redundancy, RedundantBarrier};
pub use report::{CommandKind, Hazard, HazardKind};
pub use tracker::Tracker;
pub use uses::{CommandName, RangeBarrier, ResourceId, ResourceRange, Use};

/// When something was recorded: the number of the event.
type Tick = u32;

/// The tick of what has not happened.
const NEVER: Tick = Tick::MAX;
