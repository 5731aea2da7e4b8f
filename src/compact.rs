//! Kernels that keep some of the elements, in their order: a scan of flags, and a move of the elements that are flagged. See `docs/kernels/select.md`,
//! `partition.md`, `unique.md` and `run_length.md`.

mod condition;
mod decode;
mod elements;
mod nonzero;
mod partition;
mod pass;
mod planner;
mod rows;
mod selection;
mod starts;
#[cfg(test)]
mod tests;
mod unique;
mod width;

pub use condition::{Compare, Condition, MaskForm};
pub use decode::{RunLengthDecode, RunLengthDecodeBindings};
pub use nonzero::{Nonzero, NonzeroBindings};
pub use partition::Partition;
pub use rows::InRows;
pub use selection::{Select, SelectBindings};
pub(crate) use starts::SegmentStarts;
pub use unique::{RunLengths, Unique, UniqueBindings, UniqueValues};
