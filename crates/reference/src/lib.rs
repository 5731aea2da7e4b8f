//! CPU twins of the Wavelane kernels: the same results, computed on the CPU in plain Rust, one value after the other, in exact integers or in
//! `f64`. They are written to be read and trusted, not to be fast, and they know nothing of Vulkan.
//!
//! ```
//! use wavelane_reference::{Nan, Op, Values, reduce};
//!
//! let heights = Values::F32(vec![3.0, 1.0, 2.0, 6.0, 5.0, 4.0]);
//! let highest = reduce(Op::Max, &heights, &[2, 3], Some(1), Nan::Propagate, false)?;
//! assert_eq!(highest, Values::F32(vec![3.0, 6.0]));
//! # Ok::<(), wavelane_reference::Error>(())
//! ```

mod bound;
mod convert;
mod dispatch_arguments;
mod elementwise_bound;
mod error;
mod fill;
mod gather;
mod histogram;
mod iota;
mod lines;
mod merge;
mod number;
mod order_statistics;
mod reduce;
mod rows;
mod run_length;
mod scan;
mod scatter;
mod search_sorted;
mod segmented;
mod select;
mod set_operation;
mod sort;
mod sum;
mod top_k;
mod transform;
mod unique;
mod values;

pub use bound::{reduce_bound, scan_bound, segmented_reduce_bound, segmented_scan_bound};
pub use convert::convert;
pub use dispatch_arguments::{DispatchRecord, dispatch_arguments};
pub use elementwise_bound::{iota_bound, transform_binary_bound, transform_unary_bound};
pub use error::Error;
pub use fill::fill;
pub use gather::gather;
pub use histogram::{bincount, even_edges, histogram, histogram_of_integers};
pub use iota::iota;
pub use merge::merge_places;
pub use order_statistics::{median, nth_element, partition_places, quantile};
pub use reduce::{Nan, Op, reduce};
pub use rows::{partition_in_rows, positions_in_rows, select_in_rows, unique_runs_in_rows};
pub use run_length::{run_length_decode, run_length_encode};
pub use scan::{ScanOp, ScanOptions, scan};
pub use scatter::scatter;
pub use search_sorted::{SearchOptions, search_sorted};
pub use segmented::{Segments, reduce_by_key, segment_bounds, segmented_reduce, segmented_scan};
pub use select::{Compare, matches, nonzero, partition, select};
pub use set_operation::{SetOp, set_operation};
pub use sort::{SortOptions, sort_places, sort_segment_places};
pub use top_k::top_k_places;
pub use transform::{BinaryOp, UnaryOp, transform_binary, transform_unary};
pub use unique::{Unique, unique, unique_runs};
pub use values::{Element, Values};
