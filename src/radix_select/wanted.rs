//! What is wanted of each row.

use crate::schedule::Place;

/// The first keys of each row: how many, 1 at least, and where they and their positions go, in their order in the row. Or all keys of each row around the one at a place of its order: those before it, those
/// equal to it, and the others, each in their order in the row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct First {
    pub(crate) count: u64,
    /// The place; all keys of the row are counted then.
    pub(crate) around: Option<u64>,
    pub(crate) keys: Option<Place>,
    pub(crate) positions: Option<Place>,
}

/// The keys at these places of each row's order, and where they go: those of all rows for the first place, then for the next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At<'a> {
    pub(crate) places: &'a [u64],
    pub(crate) keys: Place,
}

/// Either of them.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wanted<'a> {
    First(First),
    At(At<'a>),
}

impl Wanted<'_> {
    /// Results of each row.
    pub(super) fn results(&self) -> u64 {
        match self {
            Self::First(first) => first.count,
            Self::At(at) => at.places.len() as u64,
        }
    }

    /// The places whose keys are looked for.
    pub(super) fn places(&self) -> Vec<u64> {
        match self {
            Self::First(first) => vec![first.around.unwrap_or(first.count - 1)],
            Self::At(at) => at.places.to_vec(),
        }
    }

    pub(super) fn keys(&self) -> Option<Place> {
        match self {
            Self::First(first) => first.keys,
            Self::At(at) => Some(at.keys),
        }
    }
}
