//! The CPU twin of the conversion between element types, which means what `as` means in Rust.

use crate::number::Number;
use crate::values::{Element, Values, each_type, for_element};

/// Every element in another type. Floats become the nearest integer towards zero, the type's least or greatest value where that is beyond it, and 0
/// where they are NaN; integers lose their upper bits; what becomes a float is rounded once, to the nearest, ties to even. NaN stays NaN, with
/// other bits perhaps.
pub fn convert(input: &Values, to: Element) -> Values {
    if input.element() == to { input.clone() } else { for_element!(to, converted(input)) }
}

fn converted<T: Number>(input: &Values) -> Values {
    T::values(each_type!(input, data => data.iter().map(|x| T::from_scalar(x.scalar())).collect()))
}
