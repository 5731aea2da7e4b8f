//! The arguments of indirect dispatches, from counts that the device has. See `docs/kernels/dispatch_arguments.md`.

mod plan;

use std::fmt::Write as _;

use bytemuck::{Pod, Zeroable};
use serde::{Deserialize, Serialize};
use wavelane_device::Capabilities;
use wavelane_record::fold_groups;

pub use plan::{DispatchArgumentsBindings, DispatchArgumentsPlan};

use crate::shaders::dispatch_arguments::write as shader;
use crate::{Error, Path, PathChoice};

/// Makes the arguments of an indirect dispatch over as many elements as the device counted: so many workgroups that each takes its share. Plain
/// data; [`DispatchArguments::plan`] makes it ready for a device.
///
/// ```
/// use wavelane::DispatchArguments;
///
/// // A list with room for a million elements, which workgroups of 128 invocations take one each.
/// let arguments = DispatchArguments::new(128, 1_000_000);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DispatchArguments {
    /// Elements that a workgroup of the dispatch takes.
    pub elements_per_group: u32,
    /// The most elements that a list holds. What was counted beyond is told as lost, and not dispatched.
    pub capacity: u32,
    /// Lists of that capacity, each with a count and a record of its own.
    pub lists: u32,
}

/// What is written for each list, as it lies in memory.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct DispatchRecord {
    /// Group counts in x, y and z: a `VkDispatchIndirectCommand`. Folded as by [`fold_groups`]; [0, 1, 1] for no elements.
    pub groups: [u32; 3],
    /// Elements in the list: those counted, or its capacity.
    pub count: u32,
    /// Elements that were counted and did not fit; 0 where all did.
    pub lost: u32,
}

impl DispatchRecord {
    /// Bytes of a record.
    pub const BYTES: u64 = size_of::<Self>() as u64;
    /// Bytes of the group counts, which stand first.
    pub const ARGUMENTS_BYTES: u64 = 12;
    /// Where in a record the count stands, in bytes.
    pub const COUNT_OFFSET: u64 = 12;
    /// Bytes of a count.
    pub const COUNT_BYTES: u64 = 4;
}

/// What making the arguments does on a device. Plain data, computed from capabilities alone.
#[derive(Clone, Debug, PartialEq)]
pub struct DispatchArgumentsSchedule {
    /// What is made.
    pub arguments: DispatchArguments,
    /// The device it is for, by name.
    pub device: String,
    /// The path, its sizes and reasons. Invocations exchange nothing, so there is one.
    pub choice: PathChoice,
    /// Group counts of the one dispatch.
    pub groups: [u32; 3],
    /// Bytes of the counts.
    pub count_bytes: u64,
    /// Bytes that the binding of the records must have.
    pub record_bytes: u64,
    /// What the offset of every binding must be a multiple of.
    pub binding_alignment: u64,
    /// The device's `maxComputeWorkGroupCount` in x and y.
    most_groups: [u32; 2],
}

/// Invocations of a workgroup: lists are few.
const WORKGROUP_SIZE: u32 = 64;

impl DispatchArguments {
    /// The arguments of a dispatch over one list.
    pub fn new(elements_per_group: u32, capacity: u32) -> Self {
        Self { elements_per_group, capacity, lists: 1 }
    }

    /// As many lists instead, whose counts lie side by side.
    pub fn lists(mut self, lists: u32) -> Self {
        self.lists = lists;
        self
    }

    /// What a device would do, from its capabilities alone.
    ///
    /// # Errors
    /// [`Error::NoElementsPerGroup`], and [`Error::Unplannable`] where the device could not dispatch over a full list.
    pub fn schedule(&self, capabilities: &Capabilities) -> Result<DispatchArgumentsSchedule, Error> {
        if self.elements_per_group == 0 {
            return Err(Error::NoElementsPerGroup);
        }
        let limits = &capabilities.limits;
        let device = capabilities.shown_name();
        let unplannable = |what: String, limit: String| Error::Unplannable { what, device: device.clone(), limit };
        let [most_x, most_y, _] = limits.max_compute_work_group_count;
        let counts = format!("maxComputeWorkGroupCount is {:?}", limits.max_compute_work_group_count);
        let full = u64::from(self.capacity.div_ceil(self.elements_per_group));
        let dispatched = fold_groups(full, limits).filter(|&[_, _, z]| {
            // Padding adds less than a workgroup a row, for fewer elements too: no number may leave 32 bits.
            let rows = full.div_ceil(u64::from(most_x.max(1)));
            full + rows + u64::from(z) <= 1 << 32
        });
        if dispatched.is_none() {
            return Err(unplannable(format!("a dispatch of {full} workgroups by count"), counts));
        }

        let workgroup_size =
            WORKGROUP_SIZE.min(limits.max_compute_work_group_invocations).min(limits.max_compute_work_group_size[0]).max(1);
        let groups = self.lists.div_ceil(workgroup_size);
        if groups > most_x {
            return Err(unplannable(format!("a dispatch over {} lists", self.lists), counts));
        }
        let record_bytes = u64::from(self.lists) * DispatchRecord::BYTES;
        if record_bytes > u64::from(limits.max_storage_buffer_range) {
            let limit = format!("maxStorageBufferRange is {}", limits.max_storage_buffer_range);
            return Err(unplannable(format!("{record_bytes} bytes of dispatch arguments"), limit));
        }
        let reasons = vec!["invocations exchange nothing, so there is one path".into()];
        let choice =
            PathChoice { path: Path::SharedMemory, workgroup_size, subgroup_size: None, full_subgroups: false, max_subgroups: 1, reasons };
        Ok(DispatchArgumentsSchedule {
            arguments: *self,
            device,
            choice,
            groups: [groups, 1, 1],
            count_bytes: u64::from(self.lists) * DispatchRecord::COUNT_BYTES,
            record_bytes,
            binding_alignment: limits.min_storage_buffer_offset_alignment.max(4),
            most_groups: [most_x, most_y],
        })
    }
}

impl DispatchArgumentsSchedule {
    /// The schedule as text.
    pub fn explain(&self) -> String {
        let DispatchArguments { elements_per_group, capacity, lists } = self.arguments;
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = writeln!(text, "arguments     for {lists} lists of at most {capacity} elements, {elements_per_group} a workgroup");
        let _ = writeln!(text, "device        {}", self.device);
        let _ = writeln!(text, "path          {}", self.choice.path);
        for reason in &self.choice.reasons {
            let _ = writeln!(text, "  because     {reason}");
        }
        let _ = writeln!(text, "workgroup     {} invocations", self.choice.workgroup_size);
        let _ = writeln!(text, "dispatches    1, of {} workgroups", self.groups[0]);
        let _ = write!(text, "bytes moved   {}", self.count_bytes + self.record_bytes);
        text
    }

    fn constants(&self) -> shader::SpecializationConstants {
        shader::SpecializationConstants { local_size_x: self.choice.workgroup_size }
    }

    fn push_constants(&self, first_count: u32) -> shader::PushConstants {
        let DispatchArguments { elements_per_group, capacity, lists } = self.arguments;
        let [most_x, most_y] = self.most_groups;
        shader::PushConstants { lists, first_count, elements_per_group, capacity, most_x, most_y }
    }
}

#[cfg(test)]
mod tests;
