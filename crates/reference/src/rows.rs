//! The CPU twins of what keeps some of the elements of each row of an array: what the others say of each row alone, one behind the other.

use std::ops::Range;

use crate::error::Error;
use crate::select::{partition, select};
use crate::unique::{Unique, unique_runs};
use crate::values::Values;

/// The rows of an array of `len` elements; the last one may be shorter.
fn rows(len: usize, row_length: usize) -> Result<Vec<Range<usize>>, Error> {
    match row_length {
        0 if len > 0 => Err(Error::NoLength),
        _ => Ok((0..len).step_by(row_length.max(1)).map(|begin| begin..(begin + row_length).min(len)).collect()),
    }
}

/// Where each row's results begin, and where the last one's end.
fn offsets(counts: impl Iterator<Item = usize>) -> Vec<u32> {
    let mut offsets = vec![0];
    let mut end = 0;
    offsets.extend(counts.map(|count| {
        end += count as u32;
        end
    }));
    offsets
}

/// The elements of each row whose mask is set, and where each row's begin.
pub fn select_in_rows(input: &Values, mask: &[bool], row_length: usize) -> Result<(Values, Vec<u32>), Error> {
    let rows = rows(mask.len(), row_length)?;
    Ok((select(input, mask)?, offsets(rows.into_iter().map(|row| mask[row].iter().filter(|&&set| set).count()))))
}

/// The places in its row of each row's elements whose mask is set, and where each row's begin.
pub fn positions_in_rows(mask: &[bool], row_length: usize) -> Result<(Vec<u32>, Vec<u32>), Error> {
    let of_row = |row: Range<usize>| (0..).zip(&mask[row]).filter(|&(_, &set)| set).map(|(at, _)| at).collect::<Vec<u32>>();
    let found: Vec<Vec<u32>> = rows(mask.len(), row_length)?.into_iter().map(of_row).collect();
    Ok((found.concat(), offsets(found.iter().map(Vec::len))))
}

/// Each row with the elements first whose mask is set, and how many are set before each row, and in all.
pub fn partition_in_rows(input: &Values, mask: &[bool], row_length: usize) -> Result<(Values, Vec<u32>), Error> {
    if mask.len() != input.len() {
        return Err(Error::Length { what: "the mask", wanted: input.len(), len: mask.len() });
    }
    let (mut order, mut counts) = (Vec::new(), Vec::new());
    for row in rows(mask.len(), row_length)? {
        let places = Values::U32(row.clone().map(|at| at as u32).collect());
        let (parted, selected) = partition(&places, &mask[row])?;
        order.extend(parted.bits().into_iter().map(|at| at as usize));
        counts.push(selected);
    }
    Ok((input.take(order), offsets(counts.into_iter())))
}

/// The runs of each row, with first positions in the row, and where each row's runs begin. The inverse counts the runs of all rows.
pub fn unique_runs_in_rows(input: &Values, row_length: usize) -> Result<(Unique, Vec<u32>), Error> {
    let mut all = Unique { values: input.take(0..0), first: Vec::new(), counts: Vec::new(), inverse: Vec::new() };
    let (mut begins, mut counts) = (Vec::new(), Vec::new());
    for row in rows(input.len(), row_length)? {
        let runs = unique_runs(&input.take(row.clone()));
        let before = all.first.len() as u32;
        begins.extend(runs.first.iter().map(|&at| row.start + at as usize));
        all.inverse.extend(runs.inverse.iter().map(|&number| before + number));
        counts.push(runs.first.len());
        all.first.extend(runs.first);
        all.counts.extend(runs.counts);
    }
    all.values = input.take(begins);
    Ok((all, offsets(counts.into_iter())))
}
