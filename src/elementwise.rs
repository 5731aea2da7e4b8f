//! What the kernels share whose invocations have nothing to do with each other: fill, iota, convert, gather, scatter, transform.

mod count;

use wavelane_device::Capabilities;

pub(crate) use count::Count;

use crate::features::missing_feature;
use crate::limits::{DeviceLimits, MOST_PIECES};
use crate::schedule::{BufferNeed, BufferUse, StepRange};
use crate::split::blocks;
use crate::{DType, Error, Path, PathChoice, Tuning};

/// Elements that an invocation of the kernels without gaps takes (`BLOCK` in `glsl/include/elementwise/block.glsl`).
pub(crate) const BLOCK: u64 = 4;

/// Bytes that an invocation of the kernels that only write takes.
pub(crate) const QUAD_BYTES: u64 = 16;

/// One device, and how invocations are counted there.
pub(crate) struct Elementwise<'a> {
    pub(crate) limits: DeviceLimits<'a>,
    pub(crate) choice: PathChoice,
}

impl<'a> Elementwise<'a> {
    pub(crate) fn new(capabilities: &'a Capabilities, tuning: &Tuning, forced: Option<Path>) -> Self {
        Self::because("invocations exchange nothing, so there is one path", capabilities, tuning, forced)
    }

    /// For a kernel that has one path for another reason.
    pub(crate) fn because(reason: &str, capabilities: &'a Capabilities, tuning: &Tuning, forced: Option<Path>) -> Self {
        let limits = &capabilities.limits;
        let most = tuning.workgroup_size.min(limits.max_compute_work_group_invocations).min(limits.max_compute_work_group_size[0]);
        let mut reasons = vec![reason.to_owned()];
        reasons.extend(forced.map(|path| format!("{path} is forced, which makes no difference")));
        let choice = PathChoice {
            path: Path::SharedMemory,
            workgroup_size: 1 << most.max(1).ilog2(),
            subgroup_size: None,
            full_subgroups: false,
            max_subgroups: 1,
            reasons,
        };
        Self { limits: DeviceLimits { capabilities }, choice }
    }

    /// Start and length of pieces of `elements`, each of which one descriptor reaches in arrays of up to `widest` bytes an element, and one dispatch holds
    /// where an invocation takes `share` of them. All but the first begin at offsets that every descriptor may have.
    pub(crate) fn pieces(
        &self,
        what: &str,
        elements: u64,
        widest: u64,
        share: u64,
    ) -> Result<impl Iterator<Item = (u64, u64)> + Clone, Error> {
        self.limits.check_reach(what, elements * widest)?;
        let bytes = (elements * widest).next_multiple_of(4);
        let reached = if bytes <= self.limits.reach() { elements } else { self.aligned(self.limits.reach() / widest) };
        let most_groups = self.limits.most_groups();
        let invocations = most_groups.saturating_mul(u64::from(self.choice.workgroup_size));
        let dispatched = if elements.div_ceil(share) <= invocations { elements } else { self.aligned(invocations.saturating_mul(share)) };
        let length = reached.min(dispatched);
        // As with what descriptors reach, capabilities are data and can say anything.
        if elements > 0 && elements.div_ceil(length.max(1)) > MOST_PIECES {
            let limits = &self.limits.capabilities.limits;
            let limit = format!(
                "maxStorageBufferRange is {}, minStorageBufferOffsetAlignment {}, and maxComputeWorkGroupCount {:?}",
                limits.max_storage_buffer_range, limits.min_storage_buffer_offset_alignment, limits.max_compute_work_group_count
            );
            return Err(self.limits.unplannable(what.to_owned(), limit));
        }
        Ok(blocks(elements, length))
    }

    /// The most elements, at most `count`, behind which a piece may begin, whatever their size.
    fn aligned(&self, count: u64) -> u64 {
        count - count % self.limits.alignment()
    }

    /// Group counts for so many invocations.
    pub(crate) fn groups(&self, invocations: u64) -> Result<[u32; 3], Error> {
        self.limits.fold(invocations.div_ceil(u64::from(self.choice.workgroup_size)))
    }

    /// A buffer of `count` elements that is bound at offsets for loads of 16 bytes.
    pub(crate) fn need(&self, name: &'static str, usage: BufferUse, count: u64, size: u64) -> BufferNeed {
        BufferNeed { name, usage, bytes: array_bytes(count, size), alignment: self.limits.alignment() }
    }

    /// The same for loads of words.
    pub(crate) fn need_words(&self, name: &'static str, usage: BufferUse, count: u64, size: u64) -> BufferNeed {
        let alignment = self.limits.capabilities.limits.min_storage_buffer_offset_alignment.max(4);
        BufferNeed { alignment, ..self.need(name, usage, count, size) }
    }

    /// Refuses a buffer that is reached anywhere and that one descriptor does not reach across. `what` ends in what is done with it.
    pub(crate) fn check_whole(&self, what: &str, bytes: u64) -> Result<(), Error> {
        self.limits.check_whole(&format!("{what}, which one binding has to hold,"), bytes)
    }

    /// Refuses a type whose module asks for a feature that the device does not have.
    pub(crate) fn check_features(&self, kernel: &str, dtype: DType, module: &[&str]) -> Result<(), Error> {
        match missing_feature(module, self.limits.capabilities) {
            Some(feature) => {
                Err(Error::FeatureMissing { what: format!("{kernel} of {dtype}"), feature, device: self.limits.capabilities.shown_name() })
            }
            None => Ok(()),
        }
    }
}

/// Bytes of an array, up to the end of its last word.
pub(crate) fn array_bytes(count: u64, size: u64) -> u64 {
    (count * size).next_multiple_of(4)
}

/// The bytes of a piece.
pub(crate) fn piece_range(first: u64, count: u64, size: u64) -> StepRange {
    StepRange { offset: first * size, size: array_bytes(count, size) }
}

/// Bytes of an element as a power of two, as the shaders take them.
pub(crate) fn size_log2(dtype: DType) -> u32 {
    dtype.size().ilog2()
}

#[cfg(test)]
mod tests {
    use wavelane_device::{Limits, Profile};

    use super::*;
    use crate::DeviceClass;

    fn device(range: u32, alignment: u64, groups: [u32; 3]) -> Capabilities {
        let limits = Limits {
            max_storage_buffer_range: range,
            min_storage_buffer_offset_alignment: alignment,
            max_compute_work_group_count: groups,
            ..Limits::default()
        };
        Capabilities { device_name: "tested".into(), limits, ..Capabilities::default() }
    }

    fn tuning() -> Tuning {
        Tuning::of(DeviceClass::Software)
    }

    /// Every element once, at offsets that every descriptor may have, within what it reaches and what one dispatch holds.
    #[test]
    fn pieces_cover_the_elements() -> Result<(), Error> {
        let most = [65_535; 3];
        for capabilities in [device(4096, 16, most), device(5000, 256, most), device(1 << 14, 1024, most), device(1 << 27, 64, [7, 3, 1])] {
            let work = Elementwise::new(&capabilities, &tuning(), None);
            let alignment = work.limits.alignment();
            for (widest, share) in [(1, 16), (2, 4), (4, 1), (4, 4), (8, 4), (8, 1)] {
                for elements in [0, 1, 5, 511, 512, 4095, 4097, 100_003] {
                    let mut next = 0;
                    for (first, count) in work.pieces("a test", elements, widest, share)? {
                        assert_eq!(first, next);
                        assert!(count > 0 && first % alignment == 0, "{first} {count}");
                        let range = piece_range(first, count, widest);
                        assert!(range.size <= u64::from(capabilities.limits.max_storage_buffer_range), "{range:?}");
                        let [x, y, z] = work.groups(count.div_ceil(share))?;
                        let most = capabilities.limits.max_compute_work_group_count;
                        assert!(x <= most[0] && y <= most[1] && z <= most[2], "{count} by {share}");
                        next = first + count;
                    }
                    assert_eq!(next, elements);
                }
            }
        }
        Ok(())
    }

    #[test]
    fn devices_that_cannot_be_are_an_error() {
        for capabilities in [device(0, 0, [1; 3]), device(300, 256, [1; 3]), device(2048, 1024, [1; 3]), device(1 << 27, 16, [0, 1, 1])] {
            let work = Elementwise::new(&capabilities, &tuning(), None);
            let pieces = work.pieces("a test", 1 << 20, 8, 1).map(|_| ());
            assert!(matches!(pieces, Err(Error::Unplannable { .. })), "{:?}", capabilities.limits);
        }
    }

    #[test]
    fn a_forced_path_makes_no_difference() -> Result<(), Error> {
        for name in Profile::names() {
            let capabilities = Profile::named(name).map_err(Error::Device)?.capabilities;
            for path in Path::ALL {
                let forced = Elementwise::new(&capabilities, &tuning(), Some(path)).choice;
                let free = Elementwise::new(&capabilities, &tuning(), None).choice;
                assert_eq!((forced.path, forced.workgroup_size), (free.path, free.workgroup_size), "{name}");
                assert!(forced.reasons.last().is_some_and(|reason| reason.contains("forced")));
                assert!(free.workgroup_size <= capabilities.limits.max_compute_work_group_invocations);
            }
        }
        Ok(())
    }
}
