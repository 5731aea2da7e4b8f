//! Wavelane: GPU kernels on Vulkan that choose, at run time and per device, between shared memory and subgroups.
//!
//! The kernel library an engine links. A kernel is described ([`Reduce`]), planned for a device, and recorded into a command
//! buffer with its barriers; [`Context`] does all of it in one call for data in host memory.
//!
//! ```no_run
//! use wavelane::{Context, Reduce, ReduceOp, Tensor};
//!
//! # fn main() -> Result<(), wavelane::Error> {
//! let context = Context::new(&Default::default())?;
//! let heights = Tensor::from_slice(&[236.0f32, 1076.0, 531.0], &[3])?;
//! let highest = context.reduce(&Reduce::new(ReduceOp::Max, heights.dtype(), heights.shape()), &heights)?;
//! println!("{} by {}", highest.tensor.to_scalar::<f32>()?, highest.plan.explain());
//! # Ok(())
//! # }
//! ```

mod binding;
mod compact;
mod context;
mod convert;
mod dispatch_arguments;
mod dtype;
mod elementwise;
mod error;
mod features;
mod fill;
mod gather;
mod histogram;
mod iota;
mod kernel;
mod layout;
mod limits;
mod merge;
mod offsets;
mod order_statistics;
mod path;
mod pipelines;
mod radix_select;
mod reduce;
mod scalar;
mod scan;
mod scatter;
mod schedule;
mod search_sorted;
mod segmented_reduce;
mod select;
mod set_operation;
pub mod shader;
mod sort;
mod split;
mod tensor;
mod top_k;
mod transform;
mod tuning;

/// Typed bindings of the shader modules, generated from `glsl/` and proved against it.
pub mod shaders {
    include!(concat!(env!("OUT_DIR"), "/shaders.rs"));
}

pub use compact::{
    Compare, Condition, InRows, MaskForm, Nonzero, NonzeroBindings, Partition, RunLengthDecode, RunLengthDecodeBindings, RunLengths,
    Select, SelectBindings, Unique, UniqueBindings, UniqueValues,
};
pub use context::{Context, ContextOptions, Outcome};
pub use convert::{Convert, ConvertBindings};
pub use dispatch_arguments::{
    DispatchArguments, DispatchArgumentsBindings, DispatchArgumentsPlan, DispatchArgumentsSchedule, DispatchRecord,
};
pub use dtype::{DType, Element};
pub use error::Error;
pub use fill::{Fill, FillBindings};
pub use gather::{Gather, GatherBindings};
pub use histogram::{Bins, Histogram, HistogramBindings, HistogramStrategy};
pub use iota::{Iota, IotaBindings};
pub use kernel::{Bindings, Kernel, Plan};
pub use merge::{Merge, MergeBindings, MergeStrategy, Merged};
pub use order_statistics::{Median, NthElement, NthElementBindings, PartitionAt, PartitionAtBindings, PartitionedAt, Quantile};
pub use path::Path;
pub use pipelines::Pipelines;
pub use radix_select::OrderStrategy;
pub use reduce::{
    FloatResult, NanPolicy, Reduce, ReduceBindings, ReduceOp, ReducePlan, ReduceSchedule, ReduceStep, ReduceStrategy, ScratchState,
};
pub use scalar::Scalar;
pub use scan::{
    ReduceByKey, ReduceByKeyBindings, ReducedByKey, Scan, ScanBindings, ScanOp, ScanStrategy, SegmentSource, SegmentedScan,
    SegmentedScanBindings,
};
pub use scatter::{Scatter, ScatterBindings};
pub use schedule::{BufferNeed, BufferUse, DispatchStep, MOST_BUFFERS, Schedule, Step, StepAction, StepBarrier, StepRange};
pub use search_sorted::{SearchSide, SearchSorted, SearchSortedBindings};
pub use segmented_reduce::{SegmentForm, SegmentedReduce, SegmentedReduceBindings};
pub use select::{PathChoice, PathNeeds, select};
pub use set_operation::{SetOp, SetOperation, SetOperationBindings};
pub use sort::{Payload, Sort, SortBindings, SortForm, SortStrategy, Sorted};
pub use tensor::Tensor;
pub use top_k::{TopK, TopKBindings, TopKeys};
pub use transform::{Operand, Transform, TransformBindings, TransformOp};
pub use tuning::{DeviceClass, Tuning};
pub use wavelane_device as device;
pub use wavelane_record as record;

/// The examples of the README and of the pages in `docs/`, compiled as tests.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../README.md")]
    struct Readme;
    #[doc = include_str!("../docs/kernels/convert.md")]
    struct Convert;
    #[doc = include_str!("../docs/kernels/dispatch_arguments.md")]
    struct DispatchArguments;
    #[doc = include_str!("../docs/kernels/partition.md")]
    struct Partition;
    #[doc = include_str!("../docs/kernels/run_length.md")]
    struct RunLength;
    #[doc = include_str!("../docs/kernels/select.md")]
    struct Select;
    #[doc = include_str!("../docs/kernels/unique.md")]
    struct Unique;
    #[doc = include_str!("../docs/kernels/fill.md")]
    struct Fill;
    #[doc = include_str!("../docs/kernels/gather.md")]
    struct Gather;
    #[doc = include_str!("../docs/kernels/histogram.md")]
    struct Histogram;
    #[doc = include_str!("../docs/kernels/iota.md")]
    struct Iota;
    #[doc = include_str!("../docs/kernels/merge.md")]
    struct Merge;
    #[doc = include_str!("../docs/kernels/scan.md")]
    struct Scan;
    #[doc = include_str!("../docs/kernels/order_statistics.md")]
    struct OrderStatistics;
    #[doc = include_str!("../docs/kernels/reduce.md")]
    struct Reduce;
    #[doc = include_str!("../docs/kernels/reduce_by_key.md")]
    struct ReduceByKey;
    #[doc = include_str!("../docs/kernels/segmented_reduce.md")]
    struct SegmentedReduce;
    #[doc = include_str!("../docs/kernels/segmented_scan.md")]
    struct SegmentedScan;
    #[doc = include_str!("../docs/kernels/scatter.md")]
    struct Scatter;
    #[doc = include_str!("../docs/kernels/search_sorted.md")]
    struct SearchSorted;
    #[doc = include_str!("../docs/kernels/set_operation.md")]
    struct SetOperation;
    #[doc = include_str!("../docs/kernels/sort.md")]
    struct Sort;
    #[doc = include_str!("../docs/kernels/top_k.md")]
    struct TopK;
    #[doc = include_str!("../docs/kernels/transform.md")]
    struct Transform;
    #[doc = include_str!("../docs/profiling.md")]
    struct Profiling;
    #[doc = include_str!("../docs/raw-control.md")]
    struct RawControl;
}
