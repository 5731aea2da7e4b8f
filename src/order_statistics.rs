//! Keys at places of the order of rows, and what is computed of them: medians, quantiles. See `docs/kernels/order_statistics.md`.

mod interpolate;
mod nth_element;
mod quantile;
#[cfg(test)]
mod tests;

pub use nth_element::{NthElement, NthElementBindings};
pub use quantile::{Median, Quantile};
