//! How a long run of work is shared by several workgroups.

/// Parts of a run of `work` units: how many, and how long each but the last is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Split {
    pub(crate) parts: u64,
    pub(crate) length: u64,
}

impl Split {
    /// One part.
    pub(crate) fn whole(work: u64) -> Self {
        Self { parts: 1, length: work.max(1) }
    }

    /// Up to `wanted` parts of a multiple of `grain` units each.
    pub(crate) fn of(work: u64, wanted: u64, grain: u64) -> Self {
        let parts = wanted.min(work / grain).max(1);
        if parts == 1 {
            return Self::whole(work);
        }
        let length = work.div_ceil(parts).next_multiple_of(grain);
        Self { parts: work.div_ceil(length), length }
    }
}

/// Start and length of blocks of `length` units that cover `work` units.
pub(crate) fn blocks(work: u64, length: u64) -> impl Iterator<Item = (u64, u64)> + Clone {
    let length = length.max(1);
    (0..work.div_ceil(length)).map(move |block| (block * length, length.min(work - block * length)))
}

#[cfg(test)]
mod tests {
    use super::{Split, blocks};

    #[test]
    fn blocks_cover_the_work_without_overlap() {
        for work in [0, 1, 7, 8, 9] {
            let mut next = 0;
            for (start, length) in blocks(work, 4) {
                assert_eq!(start, next);
                assert!((1..=4).contains(&length));
                next += length;
            }
            assert_eq!(next, work);
        }
    }

    #[test]
    fn parts_cover_the_work_and_none_is_empty() {
        for work in [0, 1, 7, 8, 9, 63, 64, 65, 1000, 1_000_003] {
            for wanted in [1, 2, 3, 16, 1000] {
                for grain in [1, 8, 128] {
                    let split = Split::of(work, wanted, grain);
                    assert!(split.parts * split.length >= work, "{work} {wanted} {grain}: {split:?}");
                    assert!(split.parts == 1 || (split.parts - 1) * split.length < work, "{work} {wanted} {grain}: {split:?}");
                    assert!(split.parts <= wanted, "{work} {wanted} {grain}: {split:?}");
                }
            }
        }
    }
}
