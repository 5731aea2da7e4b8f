//! Why a twin has no result.

use crate::reduce::Op;
use crate::scan::ScanOp;
use crate::values::Element;

/// Why a twin has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The reduction does not exist for the type.
    #[error("{} of {} is not defined", op.name(), element.name())]
    Type {
        /// The operation.
        op: Op,
        /// The element's type.
        element: Element,
    },
    /// The operation does not exist for the type.
    #[error("{operation} of {} is not defined", element.name())]
    Undefined {
        /// The operation's name.
        operation: &'static str,
        /// The element's type.
        element: Element,
    },
    /// A scan has no result that is wider than its elements.
    #[error("{} of {} has no wide form", op.name(), element.name())]
    Wide {
        /// The operation.
        op: ScanOp,
        /// The element's type.
        element: Element,
    },
    /// The axis is not one of the shape's.
    #[error("axis {axis} is out of range for an array of {dimensions} dimensions")]
    Axis {
        /// The axis.
        axis: usize,
        /// How many dimensions there are.
        dimensions: usize,
    },
    /// The shape and the data disagree.
    #[error("shape {shape:?} does not hold {len} elements")]
    Shape {
        /// The shape.
        shape: Vec<usize>,
        /// Elements that there are.
        len: usize,
    },
    /// Two shapes have no shape in common.
    #[error("shapes {a:?} and {b:?} do not broadcast")]
    Broadcast {
        /// The first shape.
        a: Vec<usize>,
        /// The second shape.
        b: Vec<usize>,
    },
    /// There is nothing to choose from.
    #[error("{} of an empty array has no value", op.name())]
    Empty {
        /// The operation.
        op: Op,
    },
    /// Nothing is left when NaN is ignored.
    #[error("{} of only NaN has no index when NaN is ignored", op.name())]
    AllNan {
        /// The operation.
        op: Op,
    },
    /// An argument is not one element of the wanted type.
    #[error("{what} has to be one {}, not {len} {}", element.name(), found.name())]
    One {
        /// What the argument is.
        what: &'static str,
        /// The type that it has to be of.
        element: Element,
        /// The type that it is of.
        found: Element,
        /// How many elements it has.
        len: usize,
    },
    /// Two arrays that belong together are of different types.
    #[error("{what} has to be {}, not {}", element.name(), found.name())]
    Mismatch {
        /// What the second array is.
        what: &'static str,
        /// The type that it has to be of.
        element: Element,
        /// The type that it is of.
        found: Element,
    },
    /// Two arrays that belong together are of different lengths.
    #[error("{what} has to have {wanted} elements, not {len}")]
    Length {
        /// What the second array is.
        what: &'static str,
        /// How many elements it has to have.
        wanted: usize,
        /// How many it has.
        len: usize,
    },
    /// Offsets of segments descend, reach beyond the array, or are none at all.
    #[error("offset {at} of the segments is missing, below the one before, or beyond {len} elements")]
    Offset {
        /// Which offset.
        at: usize,
        /// Elements that there are.
        len: usize,
    },
    /// Segments of no element have no end.
    #[error("segments of length 0 do not divide an array")]
    NoLength,
    /// An index is not one of the array's.
    #[error("index {index} (at {at}) is out of range for {len} elements")]
    Index {
        /// Where the index stands.
        at: usize,
        /// The index.
        index: u32,
        /// Elements that there are.
        len: usize,
    },
}
