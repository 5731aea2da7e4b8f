//! A device's limits, as schedules meet them: what a descriptor reaches, where ranges may begin, how workgroups are counted.

use wavelane_device::Capabilities;
use wavelane_record::fold_groups;

use crate::schedule::StepRange;
use crate::{Error, PathChoice};

/// Indices are 32 bits wide in the shaders.
pub(crate) const MAX_ELEMENTS: u64 = u32::MAX as u64;

/// The most pieces that an array is cut into: a thousand times as many as the least device of Vulkan 1.1 needs for the largest array.
pub(crate) const MOST_PIECES: u64 = 1 << 18;

/// The limits of one device.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeviceLimits<'a> {
    pub(crate) capabilities: &'a Capabilities,
}

impl DeviceLimits<'_> {
    /// What a binding's offset must be a multiple of: the device's figure, and 16 for wide loads.
    pub(crate) fn alignment(&self) -> u64 {
        self.capabilities.limits.min_storage_buffer_offset_alignment.max(16)
    }

    /// The most bytes that a descriptor reaches.
    pub(crate) fn reach(&self) -> u64 {
        u64::from(self.capabilities.limits.max_storage_buffer_range) & !15
    }

    /// A descriptor must hold at least one value, wherever it lies, and reach across `bytes` in a bearable number of pieces. Vulkan promises a million times as much, but capabilities are data, and
    /// data can say anything.
    pub(crate) fn check_reach(&self, what: &str, bytes: u64) -> Result<(), Error> {
        let reach = self.reach().saturating_sub(self.alignment());
        if reach >= 16 && bytes / reach <= MOST_PIECES {
            return Ok(());
        }
        let limits = &self.capabilities.limits;
        let (range, alignment) = (limits.max_storage_buffer_range, limits.min_storage_buffer_offset_alignment);
        Err(self.unplannable(what.into(), format!("maxStorageBufferRange is {range}, and minStorageBufferOffsetAlignment {alignment}")))
    }

    /// Refuses a buffer of `bytes` that one descriptor has to reach across.
    pub(crate) fn check_whole(&self, what: &str, bytes: u64) -> Result<(), Error> {
        if bytes <= self.reach() {
            return Ok(());
        }
        Err(self.out_of_reach(format!("{what} of {bytes} bytes")))
    }

    /// How many neighbouring values of `size` bytes one descriptor reaches, of `total` in all: wherever they begin, unless all fit.
    pub(crate) fn capacity(&self, total: u64, size: u64) -> u64 {
        if (total * size).next_multiple_of(4) <= self.reach() { total.max(1) } else { self.reach().saturating_sub(self.alignment()) / size }
    }

    /// The descriptor's range for `count` values of `size` bytes from value `first` on, and where in it value `first` lies.
    pub(crate) fn range(&self, first: u64, count: u64, size: u64) -> (StepRange, u32) {
        let begin = first * size;
        let offset = begin - begin % self.alignment();
        let end = ((first + count) * size).next_multiple_of(4);
        // The base fits: it is less than the alignment.
        (StepRange { offset, size: end - offset }, ((begin - offset) / size) as u32)
    }

    /// Group counts of `groups` workgroups, folded into y and z where x does not reach.
    pub(crate) fn fold(&self, groups: u64) -> Result<[u32; 3], Error> {
        let limits = &self.capabilities.limits;
        fold_groups(groups.max(1), limits).ok_or_else(|| {
            let limit = format!("maxComputeWorkGroupCount is {:?}", limits.max_compute_work_group_count);
            self.unplannable(format!("a dispatch of {groups} workgroups"), limit)
        })
    }

    /// The most workgroups that [`DeviceLimits::fold`] accepts.
    pub(crate) fn most_groups(&self) -> u64 {
        let [most_x, most_y, _] = self.capabilities.limits.max_compute_work_group_count.map(u64::from);
        (most_x * most_y).min(u64::from(u32::MAX) - most_x.min(u64::from(u32::MAX) / 2))
    }

    /// Subgroups of a workgroup, as few as the driver may make of it: a shader counts what it finds, and the host must not assume more.
    pub(crate) fn subgroups_of_workgroup(&self, choice: &PathChoice) -> u64 {
        let subgroup = &self.capabilities.subgroup;
        let size = choice.subgroup_size.unwrap_or(subgroup.size.max(subgroup.max_size)).max(1);
        u64::from((choice.workgroup_size / size).max(1))
    }

    /// What a descriptor does not reach across.
    pub(crate) fn out_of_reach(&self, what: String) -> Error {
        let limit = format!("maxStorageBufferRange is {}", self.capabilities.limits.max_storage_buffer_range);
        self.unplannable(what, limit)
    }

    pub(crate) fn unplannable(&self, what: String, limit: String) -> Error {
        Error::Unplannable { what, device: self.capabilities.shown_name(), limit }
    }
}
