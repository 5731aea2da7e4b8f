//! The CPU twins of what keeps some of the elements, in their order.

use crate::error::Error;
use crate::number::{Number, one};
use crate::values::{Values, each_type};

/// How a value is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compare {
    /// Less.
    Lt,
    /// Less or equal.
    Le,
    /// Greater.
    Gt,
    /// Greater or equal.
    Ge,
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
}

impl Compare {
    /// Every comparison.
    pub const ALL: [Compare; 6] = [Compare::Lt, Compare::Le, Compare::Gt, Compare::Ge, Compare::Eq, Compare::Ne];

    /// Short name: `lt`, `ne`, …
    pub fn name(self) -> &'static str {
        match self {
            Compare::Lt => "lt",
            Compare::Le => "le",
            Compare::Gt => "gt",
            Compare::Ge => "ge",
            Compare::Eq => "eq",
            Compare::Ne => "ne",
        }
    }

    fn holds<T: Number>(self, a: T, b: T) -> bool {
        match self {
            Compare::Lt => a < b,
            Compare::Le => a <= b,
            Compare::Gt => a > b,
            Compare::Ge => a >= b,
            Compare::Eq => a == b,
            Compare::Ne => a != b,
        }
    }
}

/// Whether each element compares so with `value`, one element of the same type. With NaN nothing but `Ne` holds; -0 and +0 are equal.
pub fn matches(input: &Values, compare: Compare, value: &Values) -> Result<Vec<bool>, Error> {
    fn typed<T: Number>(data: &[T], compare: Compare, value: &Values) -> Result<Vec<bool>, Error> {
        let value = one::<T>("value", value)?;
        Ok(data.iter().map(|&x| compare.holds(x, value)).collect())
    }
    each_type!(input, data => typed(data, compare, value))
}

/// The elements whose mask is set, in their order: `input[mask]`.
pub fn select(input: &Values, mask: &[bool]) -> Result<Values, Error> {
    check_mask(input, mask)?;
    Ok(input.take(positions(mask, true)))
}

/// The elements whose mask is set and after them the others, both in their order, and how many are set.
pub fn partition(input: &Values, mask: &[bool]) -> Result<(Values, usize), Error> {
    check_mask(input, mask)?;
    let parted = input.take(positions(mask, true).chain(positions(mask, false)));
    Ok((parted, positions(mask, true).count()))
}

/// The positions of the elements that are not zero, in the flattened array: `np.flatnonzero`. NaN is not zero.
pub fn nonzero(input: &Values) -> Vec<u32> {
    let mask: Vec<bool> = each_type!(input, data => data.iter().map(|x| !x.is_zero()).collect());
    positions(&mask, true).map(|at| at as u32).collect()
}

fn check_mask(input: &Values, mask: &[bool]) -> Result<(), Error> {
    match mask.len() == input.len() {
        true => Ok(()),
        false => Err(Error::Length { what: "the mask", wanted: input.len(), len: mask.len() }),
    }
}

fn positions(mask: &[bool], wanted: bool) -> impl Iterator<Item = usize> {
    mask.iter().enumerate().filter(move |&(_, &set)| set == wanted).map(|(at, _)| at)
}
