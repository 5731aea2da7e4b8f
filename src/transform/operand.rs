//! Where operands lie: shapes that stretch to a common one, strides, and the fewest axes that say the same.

use serde::{Deserialize, Serialize};

use crate::Error;
use crate::layout::Layout;
use crate::limits::MAX_ELEMENTS;

/// The most axes that the shader counts.
pub(super) const MOST_AXES: usize = 6;

/// An array as an operator takes it: the element at an index stands where the index times the strides says, from the offset on. All counted in elements.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Operand {
    /// Length of each axis. A length of 1 stretches to the other operand's, as do axes that are missing in front.
    pub shape: Vec<usize>,
    /// From one element to the next along each axis. 0 repeats one, a negative stride goes backwards.
    pub strides: Vec<i64>,
    /// Where the element at index 0 stands.
    pub offset: u64,
}

impl Operand {
    /// An array in C order without gaps.
    pub fn contiguous(shape: &[usize]) -> Self {
        let mut stride = 1i64;
        let mut strides = vec![0; shape.len()];
        for (to, &extent) in strides.iter_mut().zip(shape).rev() {
            *to = stride;
            // Where this leaves 64 bits, the shape is refused for its elements.
            stride = stride.saturating_mul(extent.try_into().unwrap_or(i64::MAX));
        }
        Self { shape: shape.to_vec(), strides, offset: 0 }
    }

    /// An array that lies in any other way.
    pub fn strided(shape: &[usize], strides: &[i64], offset: u64) -> Self {
        Self { shape: shape.to_vec(), strides: strides.to_vec(), offset }
    }

    /// The same array with its axes the other way around.
    pub fn transposed(mut self) -> Self {
        self.shape.reverse();
        self.strides.reverse();
        self
    }

    /// The stride along an axis of the common shape, which has `rank` axes.
    fn stride(&self, axis: usize, rank: usize) -> i64 {
        match (axis + self.shape.len()).checked_sub(rank) {
            Some(own) if self.shape[own] != 1 => self.strides[own],
            _ => 0,
        }
    }

    /// The elements that a buffer has to have: up to the last one that is reached.
    pub(super) fn reach(&self) -> Result<u64, Error> {
        if self.shape.len() != self.strides.len() {
            return Err(Error::StrideCount { axes: self.shape.len(), strides: self.strides.len() });
        }
        if self.shape.contains(&0) {
            return Ok(0);
        }
        let (mut least, mut most) = (i128::from(self.offset), i128::from(self.offset));
        for (&extent, &stride) in self.shape.iter().zip(&self.strides) {
            let far = (extent as i128 - 1).saturating_mul(i128::from(stride));
            let end = if far < 0 { &mut least } else { &mut most };
            *end = end.saturating_add(far);
        }
        if least < 0 || most >= i128::from(MAX_ELEMENTS) {
            let Self { shape, strides, offset } = self.clone();
            return Err(Error::OperandReach { shape, strides, offset, least, most, limit: MAX_ELEMENTS - 1 });
        }
        Ok(most as u64 + 1)
    }
}

/// The shape that operands stretch to.
pub(super) fn broadcast(operands: &[Operand]) -> Result<Vec<usize>, Error> {
    let mut shape: Vec<usize> = Vec::new();
    for operand in operands {
        let (first, second) = (shape, &operand.shape);
        let rank = first.len().max(second.len());
        let extent = |of: &[usize], axis: usize| (axis + of.len()).checked_sub(rank).map_or(1, |axis| of[axis]);
        let common = (0..rank).map(|axis| match (extent(&first, axis), extent(second, axis)) {
            (a, b) if a == b => Some(a),
            (1, other) | (other, 1) => Some(other),
            _ => None,
        });
        match common.collect() {
            Some(common) => shape = common,
            None => return Err(Error::Broadcast { first, second: second.clone() }),
        }
    }
    Layout::of(&shape, None)?;
    Ok(shape)
}

/// The axes of an operation, the one that varies fastest first, as few as say the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Axes {
    pub(super) extents: Vec<u64>,
    /// One list for each operand.
    pub(super) strides: Vec<Vec<i64>>,
}

impl Axes {
    /// Of operands that stretch to `shape`.
    pub(super) fn of(operands: &[Operand], shape: &[usize]) -> Self {
        let mut axes = Self { extents: Vec::new(), strides: vec![Vec::new(); operands.len()] };
        for axis in (0..shape.len()).rev().filter(|&axis| shape[axis] != 1) {
            let strides: Vec<i64> = operands.iter().map(|operand| operand.stride(axis, shape.len())).collect();
            axes.push(shape[axis] as u64, &strides);
        }
        axes
    }

    /// An axis around the others: one with the last where every operand goes on from there as it went along it.
    fn push(&mut self, extent: u64, strides: &[i64]) {
        if let Some(last) = self.extents.last_mut() {
            let goes_on = |(own, &stride): (&Vec<i64>, &i64)| {
                own.last().is_some_and(|&inner| i128::from(inner) * i128::from(*last) == i128::from(stride))
            };
            if self.strides.iter().zip(strides).all(goes_on) {
                *last *= extent;
                return;
            }
        }
        self.extents.push(extent);
        for (own, &stride) in self.strides.iter_mut().zip(strides) {
            own.push(stride);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axes(operands: &[Operand]) -> Axes {
        Axes::of(operands, &broadcast(operands).unwrap_or_default())
    }

    #[test]
    fn arrays_without_gaps_are_one_axis() {
        let both = axes(&[Operand::contiguous(&[2, 3, 4]), Operand::contiguous(&[2, 3, 4])]);
        assert_eq!(both, Axes { extents: vec![24], strides: vec![vec![1], vec![1]] });
        let one = axes(&[Operand::contiguous(&[2, 3, 4]), Operand::contiguous(&[])]);
        assert_eq!(one, Axes { extents: vec![24], strides: vec![vec![1], vec![0]] });
        assert_eq!(axes(&[Operand::contiguous(&[1, 1])]), Axes { extents: vec![], strides: vec![vec![]] });
    }

    #[test]
    fn axes_merge_where_all_operands_go_on() {
        let rows = axes(&[Operand::contiguous(&[5, 3, 4]), Operand::contiguous(&[3, 4])]);
        assert_eq!(rows, Axes { extents: vec![12, 5], strides: vec![vec![1, 12], vec![1, 0]] });
        let columns = axes(&[Operand::contiguous(&[5, 3, 4]), Operand::contiguous(&[5, 1, 1])]);
        assert_eq!(columns, Axes { extents: vec![12, 5], strides: vec![vec![1, 12], vec![0, 1]] });
        let turned = axes(&[Operand::contiguous(&[4, 3]).transposed()]);
        assert_eq!(turned, Axes { extents: vec![4, 3], strides: vec![vec![3, 1]] });
    }

    #[test]
    fn shapes_stretch_as_numpys() {
        let shapes = |a: &[usize], b: &[usize]| broadcast(&[Operand::contiguous(a), Operand::contiguous(b)]);
        assert_eq!(shapes(&[4, 1, 3], &[2, 1]), Ok(vec![4, 2, 3]));
        assert_eq!(shapes(&[0, 3], &[1]), Ok(vec![0, 3]));
        assert_eq!(shapes(&[], &[]), Ok(vec![]));
        assert_eq!(shapes(&[2, 3], &[2]), Err(Error::Broadcast { first: vec![2, 3], second: vec![2] }));
        assert!(matches!(shapes(&[1 << 20, 1], &[1 << 20]), Err(Error::TooManyElements { .. })));
    }

    #[test]
    fn reach() {
        assert_eq!(Operand::contiguous(&[3, 4]).reach(), Ok(12));
        assert_eq!(Operand::strided(&[3, 4], &[-4, 1], 8).reach(), Ok(12));
        assert_eq!(Operand::strided(&[3], &[0], 7).reach(), Ok(8));
        assert_eq!(Operand::contiguous(&[usize::MAX, 0, usize::MAX]).reach(), Ok(0));
        assert!(matches!(Operand::strided(&[3], &[-4], 7).reach(), Err(Error::OperandReach { least: -1, most: 7, .. })));
        assert!(matches!(Operand::strided(&[2], &[i64::MAX], 0).reach(), Err(Error::OperandReach { .. })));
        assert!(matches!(Operand::strided(&[2], &[], 0).reach(), Err(Error::StrideCount { axes: 1, strides: 0 })));
    }
}
