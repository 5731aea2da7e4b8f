//! What the kernels share whose invocations have nothing to do with each other: fill, iota, convert, gather, scatter, transform.

use wavelane_device::Capabilities;

use crate::features::missing_feature;
use crate::limits::DeviceLimits;
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
        let limits = &capabilities.limits;
        let most = tuning.workgroup_size.min(limits.max_compute_work_group_invocations).min(limits.max_compute_work_group_size[0]);
        let mut reasons = vec!["invocations exchange nothing, so there is one path".to_owned()];
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
        let invocations = most_groups * u64::from(self.choice.workgroup_size);
        let dispatched = if elements.div_ceil(share) <= invocations { elements } else { self.aligned(invocations * share) };
        let length = reached.min(dispatched);
        if length == 0 && elements > 0 {
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
