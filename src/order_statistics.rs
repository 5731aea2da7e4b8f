//! Keys at places of the order of rows, and what is computed of them: medians, quantiles; and all keys around such a place. See `docs/kernels/order_statistics.md`.

mod interpolate;
mod nth_element;
mod partition_at;
mod quantile;
#[cfg(test)]
mod tests;

pub use nth_element::{NthElement, NthElementBindings};
pub use partition_at::{PartitionAt, PartitionAtBindings, PartitionedAt};
pub use quantile::{Median, Quantile};
