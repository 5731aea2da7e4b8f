//! What can go wrong in the kernel library.

use crate::{DType, Path, ReduceOp, TransformOp};

/// What can go wrong. `Display` says what was asked and what stood in the way, in one line; [`Error::advice`] says what to do.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Instance, device or memory.
    #[error(transparent)]
    Device(#[from] wavelane_device::Error),
    /// Recording or submission.
    #[error(transparent)]
    Record(#[from] wavelane_record::Error),
    /// A path was asked for by a name that none has.
    #[error("there is no path `{text}`; there are: auto, subgroup, shuffle, lsm")]
    PathName {
        /// The name asked for.
        text: String,
    },
    /// A path was forced that the device cannot take.
    #[error("path {path} was asked for on {device}, but {missing}")]
    PathUnavailable {
        /// The path.
        path: Path,
        /// The device.
        device: String,
        /// What the device lacks.
        missing: String,
    },
    /// The device lacks a feature that an element type needs.
    #[error("{dtype} {op} needs {feature}, which {device} does not have")]
    TypeUnsupported {
        /// The operator.
        op: &'static str,
        /// The type.
        dtype: DType,
        /// Vulkan's name of the feature.
        feature: &'static str,
        /// The device.
        device: String,
    },
    /// The device lacks a feature that a kernel needs for an element type.
    #[error("{what} needs {feature}, which {device} does not have")]
    FeatureMissing {
        /// The kernel and the type.
        what: String,
        /// Vulkan's name of the feature.
        feature: &'static str,
        /// The device.
        device: String,
    },
    /// Elements that have to be of one type are of two.
    #[error("{what} takes elements of one type, and was given {first} and {second}")]
    TypesDiffer {
        /// The kernel.
        what: &'static str,
        /// One type.
        first: DType,
        /// The other.
        second: DType,
    },
    /// An elementwise operator is not defined for an element type.
    #[error("{op} is not defined for {dtype}")]
    TransformType {
        /// The operator.
        op: TransformOp,
        /// The type.
        dtype: DType,
    },
    /// An elementwise operator was given too few operands, or too many.
    #[error("{op} takes {} operand{}, and was given {found}", op.operands(), if op.operands() == 1 { "" } else { "s" })]
    OperandCount {
        /// The operator.
        op: TransformOp,
        /// How many there are.
        found: usize,
    },
    /// The shapes of operands do not stretch to a common one.
    #[error("shapes {first:?} and {second:?} do not broadcast: along each axis they need the same length, or one of them 1")]
    Broadcast {
        /// One shape.
        first: Vec<usize>,
        /// The other.
        second: Vec<usize>,
    },
    /// An operand has not one stride for each axis.
    #[error("an operand of {axes} axes was given {strides} strides")]
    StrideCount {
        /// Axes of its shape.
        axes: usize,
        /// Strides.
        strides: usize,
    },
    /// Strides lead to before the start of a buffer, or beyond what 32 bits count.
    #[error(
        "an operand of shape {shape:?} with strides {strides:?} and offset {offset} reaches from element {least} to {most}, and elements 0 to {limit} can be reached"
    )]
    OperandReach {
        /// Its shape.
        shape: Vec<usize>,
        /// Its strides.
        strides: Vec<i64>,
        /// Its offset.
        offset: u64,
        /// The least index.
        least: i128,
        /// The greatest.
        most: i128,
        /// The greatest there may be.
        limit: u64,
    },
    /// Operands have more axes that cannot be taken for one than a shader counts.
    #[error("operands of {found} axes that do not lie in a row were given, and at most {limit} are supported")]
    TooManyAxes {
        /// Axes that are left.
        found: usize,
        /// The most there may be.
        limit: usize,
    },
    /// A result cannot take its operand's place.
    #[error("the result cannot take the operand's place: {reason}")]
    NotInPlace {
        /// Why.
        reason: &'static str,
    },
    /// An operator is not defined for an element type.
    #[error("{op} is not defined for {dtype}: it combines the bits of integers")]
    OperatorType {
        /// The operator.
        op: &'static str,
        /// The type.
        dtype: DType,
    },
    /// A wide accumulator was asked for where there is none.
    #[error("a wide accumulator was asked for {op} of {dtype}; there is one for sum of u32 and i32")]
    WideUnsupported {
        /// The operator.
        op: &'static str,
        /// The type.
        dtype: DType,
    },
    /// The extreme of nothing was asked for.
    #[error("{op} of no elements (the reduced axis has length 0) has no value")]
    EmptyReduction {
        /// The operator.
        op: ReduceOp,
    },
    /// An axis that the array does not have.
    #[error("axis {axis} of an array of {rank} dimensions does not exist")]
    AxisOutOfRange {
        /// The axis asked for.
        axis: usize,
        /// How many axes there are.
        rank: usize,
    },
    /// More elements than a 32-bit index counts.
    #[error("shape {shape:?} has {count} elements, and at most {limit} are supported")]
    TooManyElements {
        /// The shape.
        shape: Vec<usize>,
        /// Its elements.
        count: String,
        /// The most there may be.
        limit: u64,
    },
    /// Data and shape do not fit each other.
    #[error("shape {shape:?} of {dtype} does not fit {bytes} bytes of data")]
    ShapeMismatch {
        /// The shape.
        shape: Vec<usize>,
        /// The type.
        dtype: DType,
        /// Bytes there are.
        bytes: u64,
    },
    /// An array of another type or shape than the plan is for.
    #[error("the plan is for {expected}, and the array is {found}")]
    InputMismatch {
        /// What the plan is for.
        expected: String,
        /// What was given.
        found: String,
    },
    /// An array that a plan takes beside others was left out.
    #[error("the plan takes {expected}, and none were given")]
    InputMissing {
        /// What the plan takes.
        expected: String,
    },
    /// Elements were asked for as another type than they are.
    #[error("elements were asked for as {asked}, and they are {found}")]
    ElementType {
        /// The type asked for.
        asked: DType,
        /// The type they are.
        found: DType,
    },
    /// One value was asked for, and there is not exactly one.
    #[error("one value was asked for, and the shape is {shape:?}")]
    NotScalar {
        /// The shape.
        shape: Vec<usize>,
    },
    /// A buffer bound to a plan is too small.
    #[error("the {binding} binding has {size} bytes, and the plan needs {needed}")]
    BindingTooSmall {
        /// Which binding.
        binding: &'static str,
        /// Bytes bound.
        size: u64,
        /// Bytes needed.
        needed: u64,
    },
    /// A buffer is bound at an offset that the plan cannot use.
    #[error("the {binding} binding starts at byte {offset}, which is not a multiple of {alignment}")]
    BindingMisaligned {
        /// Which binding.
        binding: &'static str,
        /// The offset.
        offset: u64,
        /// What it must be a multiple of.
        alignment: u64,
    },
    /// Workgroups that take no elements were asked to take all.
    #[error("dispatch arguments were asked for workgroups of 0 elements each")]
    NoElementsPerGroup,
    /// Two buffers bound to a plan share bytes, and it cannot work in place.
    #[error("the {first} and {second} bindings overlap")]
    BindingsOverlap {
        /// One binding.
        first: &'static str,
        /// The other.
        second: &'static str,
    },
    /// A strategy was asked for that cannot be taken.
    #[error("{strategy} was asked for, but {obstacle}")]
    StrategyUnavailable {
        /// The strategy.
        strategy: &'static str,
        /// What stands in the way.
        obstacle: &'static str,
    },
    /// Results are of another size than the elements that they are to replace.
    #[error("results of {result} cannot replace elements of {dtype}: they are of another size")]
    InPlaceSize {
        /// The type of the elements.
        dtype: DType,
        /// The type of the results.
        result: DType,
    },
    /// Segments without elements.
    #[error("segments were asked for of 0 elements each")]
    SegmentLength,
    /// Segments of one length, and another number of them than an array is made of.
    #[error("{segments} segments of {each} elements were asked for in an array of {length}")]
    SegmentCount {
        /// How many segments.
        segments: u64,
        /// Elements of the array.
        length: u64,
        /// Elements of a segment.
        each: u64,
    },
    /// Rows that an array is not made of.
    #[error("rows of {row_length} elements were asked for in an array of {length}, which is no whole number of them")]
    RowLength {
        /// Elements of the array.
        length: u64,
        /// Elements of a row.
        row_length: u64,
    },
    /// Bits that the keys of a sort do not have.
    #[error("a sort by bits {begin} to {end} was asked for, and keys of {dtype} have {bits}")]
    SortBits {
        /// The first bit.
        begin: u32,
        /// The one behind the last.
        end: u32,
        /// The keys' type.
        dtype: DType,
        /// Bits that they have.
        bits: u32,
    },
    /// Values that do not move with the keys of a sort.
    #[error("values of {dtype} were asked to move with the keys of a sort, which moves values of 4 and 8 bytes")]
    SortValues {
        /// Their type.
        dtype: DType,
    },
    /// A count beside the offsets of segments.
    #[error("a sort in segments was asked to take a count from the device, where the last offset tells how many keys there are")]
    SortCounted,
    /// Values that do not move with the keys of a merge.
    #[error("values of {dtype} were asked to move with the keys of a merge, which moves values of 4 and 8 bytes")]
    MergeValues {
        /// Their type.
        dtype: DType,
    },
    /// More keys of each row than it has.
    #[error("the first {k} keys were asked for of rows of {row_length}")]
    TopKCount {
        /// How many were asked for.
        k: u64,
        /// Keys of a row.
        row_length: u64,
    },
    /// A place that rows do not have.
    #[error("the key at place {place} was asked for of rows of {row_length}")]
    Place {
        /// The place.
        place: u64,
        /// Keys of a row.
        row_length: u64,
    },
    /// A quantile that there is none of.
    #[error("quantile {q} was asked for")]
    QuantileRange {
        /// What was asked for.
        q: f64,
    },
    /// Quantiles of nothing.
    #[error("a quantile was asked for of rows without keys")]
    EmptyQuantile,
    /// Sorted values of each row.
    #[error("sorted unique values were asked for in rows, and in rows only runs of neighbours are found")]
    SortedRows,
    /// An operator that equal keys' elements are not reduced by.
    #[error("{op} by key is not computed; there are: sum, prod, min, max, and, or, xor")]
    ByKeyOperator {
        /// The operator.
        op: ReduceOp,
    },
    /// Offsets of segments that do not divide the array.
    #[error("offset {at} is {found}; of the offsets of segments {limit}")]
    Offsets {
        /// Which offset.
        at: usize,
        /// What it is.
        found: String,
        /// What must hold.
        limit: &'static str,
    },
    /// A histogram without bins.
    #[error("a histogram of 0 bins was asked for")]
    NoBins,
    /// A histogram of more bins than a 32-bit index counts.
    #[error("a histogram of more than {limit} bins was asked for")]
    TooManyBins {
        /// The most there may be, of all channels and rows.
        limit: u64,
    },
    /// Bins of one width over what is no range.
    #[error("{low:?} to {high:?} is no range of {dtype} that bins divide")]
    BinRange {
        /// Where bins were to begin.
        low: f64,
        /// Where they were to end.
        high: f64,
        /// Type of the elements.
        dtype: DType,
    },
    /// Bins of one width that are so narrow that floats do not tell their edges apart.
    #[error("{bins} bins are too narrow for {dtype}: edges {at} and {} would both be {edge}", at + 1)]
    BinsTooNarrow {
        /// How many bins.
        bins: usize,
        /// The type of edges.
        dtype: DType,
        /// The first of two edges that are the same.
        at: usize,
        /// What it is.
        edge: f64,
    },
    /// Edges that no bins lie between.
    #[error("edge {at} of the bins is {found}, and {limit}")]
    BinEdges {
        /// Which edge.
        at: usize,
        /// What it is.
        found: String,
        /// What must hold.
        limit: &'static str,
    },
    /// Values that are no numbers of bins.
    #[error("bins by value are of integers, and elements are {dtype}")]
    BinsOfType {
        /// Type of the elements.
        dtype: DType,
    },
    /// A value that is no number of a bin.
    #[error("element {at} is {found}, and there is no bin of a negative value")]
    NegativeValue {
        /// Which element.
        at: usize,
        /// What it is.
        found: i64,
    },
    /// Weights of a type that is not summed.
    #[error("weights of {dtype} are not summed; there are: u32, i32, f32")]
    WeightType {
        /// Their type.
        dtype: DType,
    },
    /// More channels are to be counted than there are, or none.
    #[error("{counted} of {channels} channels were to be counted")]
    Channels {
        /// How many were to be.
        counted: usize,
        /// How many there are.
        channels: usize,
    },
    /// Rows that overlap.
    #[error("rows of {length} elements were said to begin {pitch} elements apart")]
    Rows {
        /// Elements of a row.
        length: u64,
        /// Elements from one to the next.
        pitch: u64,
    },
    /// Limits of the device leave no way to do the work.
    #[error("{what} does not fit {device}: {limit}")]
    Unplannable {
        /// What was asked.
        what: String,
        /// The device.
        device: String,
        /// The limit in the way.
        limit: String,
    },
}

impl Error {
    /// Whether the device was lost, so that only a new context can go on.
    pub fn is_device_lost(&self) -> bool {
        match self {
            Self::Device(error) => error.is_device_lost(),
            Self::Record(error) => error.is_device_lost(),
            _ => false,
        }
    }

    /// What to do about the error, in one line.
    pub fn advice(&self) -> String {
        match self {
            Self::Device(error) => error.advice(),
            Self::Record(error) => error.advice(),
            Self::PathName { .. } => "choose one of them; auto leaves the choice to Wavelane".into(),
            Self::PathUnavailable { .. } => "leave the choice to Wavelane (auto), or take lsm, which every device can".into(),
            Self::TypeUnsupported { dtype, .. } if dtype.size() == 8 => {
                "use a 32-bit type, or another device; `wavelane info` lists features".into()
            }
            Self::TypeUnsupported { .. } => "use another type or device; `wavelane info` lists features".into(),
            Self::FeatureMissing { .. } => "use another type or device; `wavelane info` lists features".into(),
            Self::TypesDiffer { .. } => "convert one of them: `Convert`".into(),
            Self::TransformType { op, .. } if op.needs_integers() => "use an integer type".into(),
            Self::TransformType { .. } => "convert the elements to a float type: `Convert`".into(),
            Self::OperandCount { .. } => "give one operand to unary operators, and two to binary ones".into(),
            Self::Broadcast { .. } => "give shapes that numpy would broadcast".into(),
            Self::StrideCount { .. } => "give a stride, in elements, for each axis".into(),
            Self::OperandReach { .. } => "check strides and offset: they count elements, from the start of the binding".into(),
            Self::TooManyAxes { .. } => "copy an operand into C order first, which merges axes".into(),
            Self::NotInPlace { .. } => "leave the result a buffer of its own".into(),
            Self::OperatorType { .. } => "use any or all for truth values, or an integer type".into(),
            Self::WideUnsupported { .. } => "leave the option out: 64-bit types and floats are as wide as they get".into(),
            Self::EmptyReduction { .. } => "give at least one element, or use an operator with an identity, such as sum".into(),
            Self::AxisOutOfRange { rank: 0, .. } => "leave the axis out: a single value has none".into(),
            Self::AxisOutOfRange { rank, .. } => format!("axes count from 0, so the last one is {}", rank - 1),
            Self::TooManyElements { .. } => "split the array, and treat its parts one by one".into(),
            Self::ShapeMismatch { .. } => "check the shape and the element type against the data".into(),
            Self::InputMismatch { .. } => "make a plan for the array's own type and shape".into(),
            Self::InputMissing { .. } => "give them, too, or describe the work without them".into(),
            Self::ElementType { .. } => "ask for the type that `dtype()` names".into(),
            Self::NotScalar { .. } => "use `to_vec` for arrays".into(),
            Self::BindingTooSmall { .. } => "bind at least the bytes that the plan's schedule states".into(),
            Self::BindingMisaligned { .. } => "move the data to such an offset; the schedule states the alignment".into(),
            Self::NoElementsPerGroup => "give the elements that a workgroup of the dispatch takes, at least 1".into(),
            Self::BindingsOverlap { .. } => "bind ranges that share no bytes".into(),
            Self::StrategyUnavailable { .. } => "leave the strategy out, or take another".into(),
            Self::InPlaceSize { .. } => "leave `in_place` out, and bind a buffer for the results".into(),
            Self::SegmentLength => "give the number of elements of a segment, 1 or more".into(),
            Self::SegmentCount { .. } => "let `SegmentedReduce::of_length` find how many there are".into(),
            Self::SortBits { .. } => "give the first bit and the one behind the last, of the bits that a key has".into(),
            Self::SortCounted => "leave out the count; the offsets may be written by the device, too".into(),
            Self::SortValues { .. } => "sort the positions, and gather the values by them".into(),
            Self::MergeValues { .. } => "merge the positions, and gather the values by them".into(),
            Self::TopKCount { row_length, .. } => format!("ask for {row_length} at most"),
            Self::Place { row_length: 0, .. } => "give rows with keys".into(),
            Self::Place { row_length, .. } => format!("places count from 0, so the last one is {}", row_length - 1),
            Self::QuantileRange { .. } => "give a number from 0 to 1".into(),
            Self::EmptyQuantile => "give at least one key for each row".into(),
            Self::RowLength { .. } => "give the length of the array's last axis, or pad the array".into(),
            Self::SortedRows => "use `Unique::runs` for the runs of rows, or `Unique` for one row at a time".into(),
            Self::ByKeyOperator { .. } => "find where the runs of keys begin, and reduce those segments: `SegmentedReduce`".into(),
            Self::Offsets { .. } => "give where each segment begins, ascending, and where the last one ends".into(),
            Self::NoBins => "give at least one bin, or two edges".into(),
            Self::TooManyBins { .. } => "use fewer bins, or sort the elements and count runs".into(),
            Self::BinRange { low, high, dtype } if low.is_finite() && high.is_finite() && low <= high => {
                let most = match dtype {
                    DType::F16 => "65504",
                    DType::F32 => "3.4e38",
                    _ => "1.7e308, and so wide",
                };
                format!("give numbers up to {most}, which is as far as the edges of bins reach for {dtype}")
            }
            Self::BinRange { .. } => "give two finite numbers, the lesser one first".into(),
            Self::BinsTooNarrow { .. } => "use fewer bins, a wider range, or f64".into(),
            Self::BinEdges { .. } => "give ascending edges, none of them NaN".into(),
            Self::BinsOfType { .. } => "give a range of even bins, or edges: `Bins::Even`, `Bins::Edges`".into(),
            Self::NegativeValue { .. } => "leave such values out, or give a range of even bins: `Bins::Even`".into(),
            Self::WeightType { .. } => "convert the weights to one of them: `Convert`".into(),
            Self::Channels { .. } => "count at least one channel, and no more than there are".into(),
            Self::Rows { .. } => "give at least the elements of a row, of all its channels".into(),
            Self::Unplannable { .. } => "split the array, or use another device".into(),
        }
    }
}
