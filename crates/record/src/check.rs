//! Checks of a dispatch against its pipeline and the device's limits.

use std::sync::Arc;

use wavelane_device::{Buffer, Device, Image, Limits, QueueRole, vk};

use crate::access::Access;
use crate::barrier::{OwnershipTransfer, TransferHalf};
use crate::binding::{Binding, BindingDescription, BindingKind};
use crate::error::Error;
use crate::range::BufferRange;

/// What a pipeline expects of a dispatch, and on which device.
#[derive(Clone, Copy)]
pub(crate) struct Call<'a> {
    pub(crate) name: &'a str,
    pub(crate) expected: &'a [BindingDescription],
    pub(crate) push_constant_bytes: u32,
    pub(crate) device: &'a Arc<Device>,
}

/// Refuses what the device or the pipeline cannot take before a driver sees it.
#[inline(always)]
pub(crate) fn dispatch(call: Call<'_>, bindings: &[Binding<'_>], push_constants: usize, groups: [u32; 3]) -> Result<(), Error> {
    if fits(call, bindings, push_constants, groups) { Ok(()) } else { refuse(call, bindings, push_constants, groups) }
}

/// Whether there is nothing to refuse: the same as [`refuse`], without a word about what it is.
#[inline(always)]
fn fits(call: Call<'_>, bindings: &[Binding<'_>], push_constants: usize, groups: [u32; 3]) -> bool {
    let limits = &call.device.capabilities().limits;
    let most = limits.max_compute_work_group_count;
    bindings.len() == call.expected.len()
        && push_constants == call.push_constant_bytes as usize
        && (groups[0] <= most[0] && groups[1] <= most[1] && groups[2] <= most[2])
        && bindings.iter().zip(call.expected).all(|(binding, expected)| match binding {
            Binding::Buffer(range) => {
                expected.kind == BindingKind::StorageBuffer
                    && Arc::ptr_eq(range.buffer().device(), call.device)
                    && range.buffer().usage().contains(vk::BufferUsageFlags::STORAGE_BUFFER)
                    && within(limits, range.offset(), range.size())
            }
            Binding::Image(image) => expected.kind == BindingKind::StorageImage && Arc::ptr_eq(image.device(), call.device),
        })
}

/// Whether a descriptor can have this offset and size.
#[inline]
fn within(limits: &Limits, offset: u64, size: u64) -> bool {
    // Most ranges begin with their buffers, and a division takes longer than the rest of the checks.
    let aligned = offset == 0 || offset.is_multiple_of(limits.min_storage_buffer_offset_alignment.max(1));
    size > 0 && size <= u64::from(limits.max_storage_buffer_range) && aligned
}

#[cold]
fn refuse(call: Call<'_>, bindings: &[Binding<'_>], push_constants: usize, groups: [u32; 3]) -> Result<(), Error> {
    let limits = &call.device.capabilities().limits;
    let pipeline = || call.name.to_owned();
    if bindings.len() != call.expected.len() {
        return Err(Error::BindingCount { pipeline: pipeline(), given: bindings.len(), expected: call.expected.len() as u32 });
    }
    if push_constants != call.push_constant_bytes as usize {
        return Err(Error::PushConstantSize { pipeline: pipeline(), given: push_constants, expected: call.push_constant_bytes });
    }
    group_counts(limits, call.name, groups)?;
    for (index, (binding, expected)) in bindings.iter().zip(call.expected).enumerate() {
        if binding.kind() != expected.kind {
            let (given, expected) = (binding.kind().name(), expected.kind.name());
            return Err(Error::BindingKind { pipeline: pipeline(), binding: index, given, expected });
        }
        match binding {
            Binding::Buffer(range) => {
                owner(call.device, range.buffer())?;
                usage(range.buffer(), vk::BufferUsageFlags::STORAGE_BUFFER)?;
                extent(limits, call.name, index, range.offset(), range.size())?;
            }
            Binding::Image(image) => image_owner(call.device, image)?,
        }
    }
    Ok(())
}

/// Refuses a range that cannot hold arguments of an indirect dispatch.
pub(crate) fn arguments(range: &BufferRange<'_>, bytes: u64) -> Result<(), Error> {
    if range.size() < bytes || !range.offset().is_multiple_of(4) {
        let (offset, size) = (range.offset(), range.size());
        return Err(Error::IndirectArguments { name: range.buffer().name().to_owned(), offset, size });
    }
    usage(range.buffer(), vk::BufferUsageFlags::INDIRECT_BUFFER)
}

/// Refuses a buffer of another device.
pub(crate) fn owner(device: &Arc<Device>, buffer: &Buffer) -> Result<(), Error> {
    if Arc::ptr_eq(buffer.device(), device) { Ok(()) } else { Err(Error::OtherDevice { name: buffer.name().to_owned() }) }
}

/// Refuses an image of another device.
pub(crate) fn image_owner(device: &Arc<Device>, image: &Image) -> Result<(), Error> {
    if Arc::ptr_eq(image.device(), device) { Ok(()) } else { Err(Error::OtherDevice { name: image.name().to_owned() }) }
}

/// Refuses a buffer that was not made for this.
pub(crate) fn usage(buffer: &Buffer, usage: vk::BufferUsageFlags) -> Result<(), Error> {
    if buffer.usage().contains(usage) { Ok(()) } else { Err(Error::Usage { name: buffer.name().to_owned(), usage }) }
}

/// Refuses a barrier whose accesses the queue does not have, or whose families or layouts there are not.
pub(crate) fn barrier(
    device: &Device,
    queue: QueueRole,
    (from, to): (Access, Access),
    transfer: Option<OwnershipTransfer>,
    new_layout: Option<vk::ImageLayout>,
) -> Result<(), Error> {
    let (has, here) = (device.queue(queue).flags(), device.queue(queue).family());
    let changes = transfer.filter(OwnershipTransfer::changes);
    let half = changes.map(|transfer| transfer.half);
    // What happens on the other family's queue is not this one's to have.
    let sides = [(from, half == Some(TransferHalf::Acquire)), (to, half == Some(TransferHalf::Release))];
    for (access, elsewhere) in sides {
        let needed = access.queue_flags();
        if !elsewhere && !needed.is_empty() && !has.intersects(needed) {
            return Err(Error::QueueAccess { access, queue: has });
        }
    }
    if let Some(transfer) = transfer {
        // SAFETY: the physical device belongs to the device's living instance.
        let families = unsafe { device.instance().raw().get_physical_device_queue_family_properties2_len(device.physical_device()) };
        for family in [transfer.from_family, transfer.to_family] {
            if family as usize >= families && family != vk::QUEUE_FAMILY_EXTERNAL {
                return Err(Error::QueueFamily { family, families });
            }
        }
    }
    if let Some(OwnershipTransfer { from_family, to_family, half }) = changes {
        let family = if half == TransferHalf::Release { from_family } else { to_family };
        if family != here {
            return Err(Error::TransferElsewhere { half, family, here });
        }
    }
    if let Some(layout @ (vk::ImageLayout::UNDEFINED | vk::ImageLayout::PREINITIALIZED)) = new_layout {
        return Err(Error::NewLayout { layout });
    }
    Ok(())
}

fn group_counts(limits: &Limits, name: &str, groups: [u32; 3]) -> Result<(), Error> {
    for ((asked, limit), what) in
        groups.into_iter().zip(limits.max_compute_work_group_count).zip(["workgroups in x", "workgroups in y", "workgroups in z"])
    {
        if asked > limit {
            let (asked, limit) = (asked.into(), limit.into());
            return Err(Error::Limit { pipeline: name.to_owned(), what, asked, limit, limit_name: "maxComputeWorkGroupCount" });
        }
    }
    Ok(())
}

/// Refuses offsets and sizes that a storage buffer's descriptor cannot have.
fn extent(limits: &Limits, name: &str, binding: usize, offset: u64, size: u64) -> Result<(), Error> {
    let pipeline = || name.to_owned();
    if size == 0 {
        return Err(Error::RangeEmpty { pipeline: pipeline(), binding });
    }
    if size > u64::from(limits.max_storage_buffer_range) {
        let limit = limits.max_storage_buffer_range.into();
        let what = "bytes in one binding";
        return Err(Error::Limit { pipeline: pipeline(), what, asked: size, limit, limit_name: "maxStorageBufferRange" });
    }
    let alignment = limits.min_storage_buffer_offset_alignment.max(1);
    if !offset.is_multiple_of(alignment) {
        return Err(Error::RangeMisaligned { pipeline: pipeline(), binding, offset, alignment });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(result: Result<(), Error>) -> Result<(), String> {
        result.map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_within_the_limits_is_taken() {
        let limits = Limits::default();
        assert_eq!(group_counts(&limits, "sum", [65_535, 65_535, 65_535]), Ok(()));
        assert_eq!(extent(&limits, "sum", 0, 0, 1 << 27), Ok(()));
        assert_eq!(extent(&limits, "sum", 1, 256, 4), Ok(()));
    }

    #[test]
    fn each_limit_is_named_with_both_figures() {
        let limits = Limits::default();
        assert_eq!(
            text(group_counts(&limits, "sum", [1, 65_536, 1])),
            Err("pipeline `sum` needs 65536 workgroups in y, and the device's maxComputeWorkGroupCount is 65535".into())
        );
        assert_eq!(
            text(extent(&limits, "sum", 0, 0, (1 << 27) + 1)),
            Err("pipeline `sum` needs 134217729 bytes in one binding, and the device's maxStorageBufferRange is 134217728".into())
        );
        assert_eq!(text(extent(&limits, "sum", 1, 0, 0)), Err("binding 1 of a dispatch of `sum` was given 0 bytes".into()));
        assert_eq!(
            text(extent(&limits, "sum", 1, 100, 4)),
            Err("binding 1 of a dispatch of `sum` starts at offset 100, and minStorageBufferOffsetAlignment is 256".into())
        );
    }
}
