//! What comes first in the order of a row's keys, found without sorting them: see `docs/kernels/top_k.md`, which says how it runs.

mod compare;
mod decode;
mod digits;
mod parts;
mod planner;
mod rows;
mod table;
mod wanted;

use serde::{Deserialize, Serialize};

pub(crate) use planner::{Keys, Planner};
pub(crate) use wanted::{At, First, Wanted};

/// How the first keys of rows are found, or the keys at places of their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum OrderStrategy {
    /// Each key is compared with all of its row: for rows of up to 256 keys.
    Comparisons,
    /// A workgroup goes through a row of its own for each digit: for many rows, and short ones.
    Rows,
    /// All workgroups go through parts of a row for each digit: for few long rows.
    Parts,
}
