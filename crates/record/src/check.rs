//! Checks of a dispatch against its pipeline and the device's limits.

use wavelane_device::Limits;

use crate::error::Error;
use crate::range::BufferRange;

/// What a pipeline expects of a dispatch.
#[derive(Clone, Copy)]
pub(crate) struct Shape<'a> {
    pub(crate) name: &'a str,
    pub(crate) buffers: u32,
    pub(crate) push_constants: u32,
}

/// Refuses what the device or the pipeline cannot take before a driver sees it.
pub(crate) fn check_dispatch(
    limits: &Limits,
    shape: Shape<'_>,
    buffers: &[BufferRange],
    push_constants: usize,
    groups: [u32; 3],
) -> Result<(), Error> {
    let pipeline = || shape.name.to_owned();
    if buffers.len() != shape.buffers as usize {
        return Err(Error::BindingCount { pipeline: pipeline(), given: buffers.len(), expected: shape.buffers });
    }
    if push_constants != shape.push_constants as usize {
        return Err(Error::PushConstantSize { pipeline: pipeline(), given: push_constants, expected: shape.push_constants });
    }
    for ((asked, limit), what) in
        groups.into_iter().zip(limits.max_compute_work_group_count).zip(["workgroups in x", "workgroups in y", "workgroups in z"])
    {
        if asked > limit {
            let (asked, limit) = (asked.into(), limit.into());
            return Err(Error::Limit { pipeline: pipeline(), what, asked, limit, limit_name: "maxComputeWorkGroupCount" });
        }
    }
    let alignment = limits.min_storage_buffer_offset_alignment.max(1);
    for (binding, range) in buffers.iter().enumerate() {
        if range.size == 0 {
            return Err(Error::RangeEmpty { pipeline: pipeline(), binding });
        }
        if range.size > u64::from(limits.max_storage_buffer_range) {
            let limit = limits.max_storage_buffer_range.into();
            let what = "bytes in one binding";
            return Err(Error::Limit { pipeline: pipeline(), what, asked: range.size, limit, limit_name: "maxStorageBufferRange" });
        }
        if !range.offset.is_multiple_of(alignment) {
            return Err(Error::RangeMisaligned { pipeline: pipeline(), binding, offset: range.offset, alignment });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use ash::vk;

    use super::*;

    const SHAPE: Shape<'static> = Shape { name: "sum", buffers: 2, push_constants: 8 };

    fn range(offset: u64, size: u64) -> BufferRange {
        BufferRange::new(vk::Buffer::null(), offset, size)
    }

    fn text(buffers: &[BufferRange], push_constants: usize, groups: [u32; 3]) -> Result<(), String> {
        check_dispatch(&Limits::default(), SHAPE, buffers, push_constants, groups).map_err(|error| error.to_string())
    }

    #[test]
    fn a_dispatch_within_the_limits_is_taken() {
        assert_eq!(text(&[range(0, 1 << 27), range(256, 4)], 8, [65_535, 65_535, 65_535]), Ok(()));
    }

    #[test]
    fn each_limit_is_named_with_both_figures() {
        let good = [range(0, 16), range(256, 16)];
        assert_eq!(text(&good[..1], 8, [1; 3]), Err("a dispatch of `sum` was given 1 buffers, and the pipeline has 2 bindings".into()));
        assert_eq!(text(&good, 4, [1; 3]), Err("a dispatch of `sum` was given 4 bytes of push constants, and the pipeline takes 8".into()));
        assert_eq!(
            text(&good, 8, [1, 65_536, 1]),
            Err("pipeline `sum` needs 65536 workgroups in y, and the device's maxComputeWorkGroupCount is 65535".into())
        );
        assert_eq!(
            text(&[range(0, (1 << 27) + 1), good[1]], 8, [1; 3]),
            Err("pipeline `sum` needs 134217729 bytes in one binding, and the device's maxStorageBufferRange is 134217728".into())
        );
        assert_eq!(text(&[good[0], range(0, 0)], 8, [1; 3]), Err("binding 1 of a dispatch of `sum` was given 0 bytes".into()));
        assert_eq!(
            text(&[good[0], range(100, 4)], 8, [1; 3]),
            Err("binding 1 of a dispatch of `sum` starts at offset 100, and minStorageBufferOffsetAlignment is 256".into())
        );
    }
}
