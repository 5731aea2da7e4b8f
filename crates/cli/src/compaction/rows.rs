//! Rows along an array's last axis, each of which is treated by itself, and where the results of each begin.

use std::path::PathBuf;

use clap::Args;
use wavelane::Tensor;

use super::{Input, positions};
use crate::npy::{self, Array};
use crate::report::Failure;

/// Whether an array is taken in rows.
#[derive(Debug, Args)]
pub struct InRows {
    /// Treat each row along the last axis by itself
    #[arg(long)]
    pub rows: bool,
    /// Write where each row's results begin, and where the last one's end
    #[arg(long, value_name = "O.npy", requires = "rows")]
    pub out_offsets: Option<PathBuf>,
}

/// The rows of an array.
pub struct Rows {
    /// Elements of each.
    pub length: usize,
    count: usize,
}

impl InRows {
    /// The rows of an array, if it is to be taken in rows.
    pub(super) fn of(&self, input: &Input) -> Result<Option<Rows>, Failure> {
        let [others @ .., length] = input.shape.as_slice() else { return if self.rows { Err(flat(input)) } else { Ok(None) } };
        match (self.rows, others) {
            (false, _) => Ok(None),
            (true, []) => Err(flat(input)),
            // Rows of nothing are as many as the header says.
            (true, _) => match others.iter().try_fold(1usize, |count, &axis| count.checked_mul(axis)) {
                Some(count) if u32::try_from(count).is_ok() => Ok(Some(Rows { length: *length, count })),
                _ => Err(Failure::new(
                    format!("the array has the shape {}, and at most 4294967295 rows are supported", npy::shape_text(&input.shape)),
                    "give fewer rows at once".to_owned(),
                )),
            },
        }
    }
}

fn flat(input: &Input) -> Failure {
    Failure::unfit(
        format!("--rows takes an array of 2 dimensions or more, and this one has the shape {}", npy::shape_text(&input.shape)),
        "leave --rows out, or give the array another shape: a.reshape(rows, -1)".to_owned(),
    )
}

impl Rows {
    /// The offsets, as they are written.
    pub fn offsets(&self, offsets: &Tensor) -> Array {
        let mut array = positions(offsets);
        // The device knows of no rows without elements.
        array.bytes.resize(8 * (self.count + 1), 0);
        Array { shape: vec![self.count + 1], ..array }
    }
}
