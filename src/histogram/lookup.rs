//! How devices find the bin of an element, and what they look up for it.

use super::bins::Bins;
use super::keys::{least_from, least_from_integer, most_to, most_to_integer};
use crate::limits::MAX_ELEMENTS;
use crate::{DType, Error};

/// How a bin is found (`FIND_*`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Find {
    Shift = 0,
    Table = 1,
    Even = 2,
    Search = 3,
}

/// The most keys that have their bins in a table.
const MOST_IN_TABLE: u64 = 4096;

/// What a device needs to find bins.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Lookup {
    pub(super) find: Find,
    /// What is in the buffer.
    pub(super) words: Vec<u32>,
    /// Keys that are in a bin.
    pub(super) least: u64,
    pub(super) most: u64,
    /// Keys of a bin, as a power of two.
    pub(super) shift: u32,
    /// Bins that elements of the type can be in are among the first of them.
    pub(super) live: u32,
    pub(super) low: f32,
    pub(super) scale: f32,
}

impl Lookup {
    /// For elements of a type; nothing where none of them can be in a bin.
    pub(super) fn of(bins: &Bins, dtype: DType) -> Result<Option<Self>, Error> {
        if let Bins::Values { bins } = bins {
            return Self::of_values(*bins as u64, dtype).map(Some);
        }
        let edges = bins.edges(dtype)?;
        let (Some(&last), count) = (edges.last(), bins.count()) else { return Ok(None) };
        let (keys, most): (Vec<u64>, _) = match bins {
            Bins::IntegerEdges(edges) if !dtype.is_float() => {
                (edges[..count].iter().map_while(|&edge| least_from_integer(edge, dtype)).collect(), most_to_integer(edges[count], dtype))
            }
            _ => (edges[..count].iter().map_while(|&edge| least_from(edge, dtype)).collect(), most_to(last, dtype)),
        };
        let (Some(&least), Some(most)) = (keys.first(), most) else { return Ok(None) };
        if most < least {
            return Ok(None);
        }
        let none = Self { find: Find::Shift, words: Vec::new(), least, most, shift: 0, live: keys.len() as u32, low: 0.0, scale: 0.0 };
        if let Some(shift) = even_keys(&keys).filter(|_| most - least <= u64::from(u32::MAX)) {
            return Ok(Some(Self { shift, ..none }));
        }
        let narrow = dtype.size() < 8;
        if narrow && most - least < MOST_IN_TABLE {
            let bin = |key: u64| keys.partition_point(|&first| first <= key) as u32 - 1;
            return Ok(Some(Self { find: Find::Table, words: (least..=most).map(bin).collect(), ..none }));
        }
        let words = match narrow {
            true => keys.iter().map(|&key| key as u32).collect(),
            false => keys.iter().flat_map(|&key| [key as u32, (key >> 32) as u32]).collect(),
        };
        Ok(Some(match bins {
            Bins::Even { .. } if narrow => {
                let scale = count as f64 / (last - edges[0]);
                Self { find: Find::Even, words, low: edges[0] as f32, scale: scale as f32, ..none }
            }
            _ => Self { find: Find::Search, words, ..none },
        }))
    }

    /// For the values that are numbers of bins.
    fn of_values(bins: u64, dtype: DType) -> Result<Self, Error> {
        if bins == 0 {
            return Err(Error::NoBins);
        }
        if bins > MAX_ELEMENTS {
            return Err(Error::TooManyBins { limit: MAX_ELEMENTS });
        }
        let keys = least_from(0.0, dtype).zip(most_to((bins - 1) as f64, dtype)).filter(|_| !dtype.is_float());
        let (least, most) = keys.ok_or(Error::BinsOfType { dtype })?;
        let live = (most - least + 1) as u32;
        Ok(Self { find: Find::Shift, words: Vec::new(), least, most, shift: 0, live, low: 0.0, scale: 0.0 })
    }

    pub(super) fn describe(&self) -> &'static str {
        match self.find {
            Find::Shift => "bins by shift",
            Find::Table => "bins by table",
            Find::Even => "bins by a guess and the edges beside it",
            Find::Search => "bins by binary search",
        }
    }
}

/// How many keys a bin has, as a power of two, if all have as many; the last may have more.
fn even_keys(keys: &[u64]) -> Option<u32> {
    let [first, second, ..] = keys else { return Some(0) };
    let width = second - first;
    let even = width.is_power_of_two() && keys.windows(2).all(|pair| pair[1] - pair[0] == width);
    even.then(|| width.ilog2()).filter(|&shift| shift < u32::BITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(bins: Bins, dtype: DType) -> Option<Find> {
        Lookup::of(&bins, dtype).ok().flatten().map(|lookup| lookup.find)
    }

    #[test]
    fn the_cheapest_way_is_taken() {
        let even = |bins, low, high| Bins::Even { bins, low, high };
        assert_eq!(find(even(256, 0.0, 256.0), DType::U8), Some(Find::Shift));
        assert_eq!(find(even(255, 0.0, 255.0), DType::U8), Some(Find::Shift));
        assert_eq!(find(even(1024, 0.0, 4_294_967_296.0), DType::U32), Some(Find::Shift));
        assert_eq!(find(even(10, 0.0, 256.0), DType::U8), Some(Find::Table));
        assert_eq!(find(even(10, 0.0, 1.0), DType::F32), Some(Find::Even));
        assert_eq!(find(even(10, 0.0, 1.0), DType::F64), Some(Find::Search));
        assert_eq!(find(Bins::Edges(vec![0.0, 0.5, 5.0]), DType::F32), Some(Find::Search));
        assert_eq!(find(Bins::Values { bins: 1 << 20 }, DType::I64), Some(Find::Shift));
        let values = Lookup::of(&Bins::Values { bins: 7 }, DType::I32);
        assert!(values.is_ok_and(|found| found.is_some_and(|found| (found.most - found.least, found.live) == (6, 7))));
        let bytes = Lookup::of(&Bins::Values { bins: u32::MAX as usize }, DType::U8);
        assert!(bytes.is_ok_and(|found| found.is_some_and(|found| (found.most, found.live) == (255, 256))));
        assert!(Lookup::of(&Bins::Values { bins: 1 << 32 }, DType::U8).is_err_and(|error| error.to_string().contains("4294967295 bins")));
        // Nothing of the type is there.
        for (low, high) in [(256.0, 300.0), (-5.0, -1.0), (0.25, 0.75)] {
            assert_eq!(find(even(3, low, high), DType::U8), None, "{low} {high}");
        }
    }

    #[test]
    fn bins_beyond_the_type_are_not_searched() -> Result<(), Error> {
        let bins = Bins::Even { bins: 1000, low: -1000.0, high: 1000.0 };
        let lookup = Lookup::of(&bins, DType::U8)?.ok_or(Error::NoBins)?;
        assert_eq!((lookup.least, lookup.most, lookup.live), (0, 255, 628));
        // Bins of two values each, of which the first begins at 0.
        assert_eq!((lookup.words[0], lookup.words[1], lookup.words[255]), (500, 500, 627));
        Ok(())
    }
}
