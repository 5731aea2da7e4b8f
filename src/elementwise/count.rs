//! How many elements a kernel treats: as many as its description says, or as a buffer of the device does when the work runs.

use super::Elementwise;
use crate::schedule::{BufferNeed, BufferUse, COUNT_BYTES, StepRange};

/// Where the number of elements comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Count {
    counted: bool,
    buffer: usize,
}

impl Count {
    /// From buffer `buffer` of the schedule if `counted`; without elements there is nothing to count.
    pub(crate) fn new(counted: bool, most: u64, buffer: usize) -> Self {
        Self { counted: counted && most > 0, buffer }
    }

    /// Whether the device has it.
    pub(crate) fn on_device(self) -> bool {
        self.counted
    }

    /// What `COUNTED` is in `glsl/include/elementwise/count.glsl`.
    pub(crate) fn constant(self) -> u32 {
        u32::from(self.counted)
    }

    /// What is bound where the shader has the count. Where the device has none, something else that the dispatch reads is, as every descriptor needs a buffer.
    pub(crate) fn binding(self, otherwise: (usize, StepRange)) -> (usize, StepRange) {
        if self.counted { self.of_device() } else { otherwise }
    }

    /// The count's own range.
    pub(crate) fn of_device(self) -> (usize, StepRange) {
        (self.buffer, StepRange::first(COUNT_BYTES))
    }

    /// The buffer among the kernel's bindings; it may be left out where the device has no count.
    pub(crate) fn need(self, device: &Elementwise<'_>) -> BufferNeed {
        device.need_words("count", BufferUse::Input, u64::from(self.counted), COUNT_BYTES)
    }

    /// Bytes that are read of it, once.
    pub(crate) fn bytes(self) -> u64 {
        if self.counted { COUNT_BYTES } else { 0 }
    }

    /// The end of a title.
    pub(crate) fn title(self) -> &'static str {
        if self.counted { ", as many as the device counts" } else { "" }
    }
}

#[cfg(test)]
mod tests {
    use wavelane_device::{Capabilities, Profile};
    use wavelane_record::Access;

    use super::*;
    use crate::schedule::{Schedule, legal};
    use crate::{Convert, DType, Error, Fill, Gather, Iota, Kernel, Operand, Scatter, Transform, TransformOp};

    /// Each kernel as it is and counted: which of its buffers it writes, how, and its schedules.
    fn schedules(device: &Capabilities) -> Result<Vec<(usize, Access, [Schedule; 2])>, Error> {
        fn both<K: Kernel>(device: &Capabilities, kernel: &K, counted: &K) -> Result<[Schedule; 2], Error> {
            Ok([kernel.schedule(device, &[], None)?, counted.schedule(device, &[], None)?])
        }
        let mut all = Vec::new();
        for dtype in [DType::U8, DType::F16, DType::F32] {
            let fill = Fill::new(crate::Scalar::zero(dtype), &[5003]);
            all.push((0, Access::ComputeWrite, both(device, &fill, &fill.clone().counted())?));
            let convert = Convert::new(dtype, DType::I64, &[5003]);
            all.push((1, Access::ComputeWrite, both(device, &convert, &convert.clone().counted())?));
            for gather in
                [Gather::new(dtype, &[301], &[5003]), Gather::new(dtype, &[5, 20, 5], &[300]).along(1), Gather::new(dtype, &[0], &[9])]
            {
                all.push((2, Access::ComputeWrite, both(device, &gather, &gather.clone().counted())?));
            }
            for scatter in [Scatter::new(dtype, &[301], 5003), Scatter::new(dtype, &[301], 5003).repeating(3)] {
                all.push((2, Access::ComputeReadWrite, both(device, &scatter, &scatter.clone().counted())?));
            }
            let turned = Operand::contiguous(&[23, 31]).transposed();
            for transform in [
                Transform::unary(TransformOp::Neg, dtype, &[5003]),
                Transform::binary(TransformOp::Add, dtype, &[5003], &[]),
                Transform::new(TransformOp::Neg, dtype, vec![turned]),
            ] {
                all.push((2, Access::ComputeWrite, both(device, &transform, &transform.clone().counted())?));
            }
            let in_place = Transform::unary(TransformOp::Neg, dtype, &[5003]).in_place();
            all.push((0, Access::ComputeReadWrite, both(device, &in_place, &in_place.clone().counted())?));
        }
        for iota in [Iota::new(0u8, 1, 5003), Iota::new(0u32, 1, 5003)] {
            all.push((0, Access::ComputeWrite, both(device, &iota, &iota.counted())?));
        }
        Ok(all)
    }

    /// A count is bound where there is one, and changes nothing else: neither the pieces, nor the barriers, nor what is said to be done with other buffers.
    #[test]
    fn a_count_is_one_more_binding() -> Result<(), Error> {
        for name in Profile::names() {
            let mut device = Profile::named(name).map_err(Error::Device)?.capabilities;
            for range in [device.limits.max_storage_buffer_range, 1 << 12] {
                device.limits.max_storage_buffer_range = range;
                for (written, access, [plain, counted]) in schedules(&device)? {
                    legal::check(&plain, &device);
                    legal::check(&counted, &device);
                    let label = || format!("{} {} on {name}", counted.kernel, counted.title);
                    let count = plain.buffers.len() - 1;
                    assert_eq!((plain.bytes_of("count"), counted.bytes_of("count")), (0, COUNT_BYTES), "{}", label());
                    assert_eq!(plain.buffers[..count], counted.buffers[..count], "{}", label());
                    assert_eq!((plain.written_by(written), counted.written_by(written)), (Some(access), Some(access)), "{}", label());
                    assert_eq!((plain.written_by(count), counted.written_by(count)), (None, None), "{}", label());
                    assert_eq!(plain.steps.len(), counted.steps.len(), "{}", label());
                    for ((plain, counted), steps) in
                        plain.dispatches().zip(counted.dispatches()).zip(plain.steps.iter().zip(&counted.steps))
                    {
                        assert_eq!(steps.0.barriers, steps.1.barriers, "{}", label());
                        assert_eq!(plain.groups, counted.groups, "{}", label());
                        assert!(plain.bindings.iter().all(|&(buffer, _)| buffer < count), "{}", label());
                        let (last, others) = counted.bindings.split_last().unzip();
                        assert_eq!(last, Some(&(count, StepRange::first(COUNT_BYTES))), "{}", label());
                        assert!(others.is_some_and(|others| plain.bindings.starts_with(others)), "{}", label());
                    }
                }
            }
        }
        Ok(())
    }

    /// Without elements there is nothing to count, and nothing to bind.
    #[test]
    fn nothing_is_not_counted() -> Result<(), Error> {
        let device = Profile::named("minimal").map_err(Error::Device)?.capabilities;
        let schedules = [
            Fill::new(1u8, &[0]).counted().schedule(&device, &[], None)?,
            Iota::new(0u8, 1, 0).counted().schedule(&device, &[], None)?,
            Convert::new(DType::U8, DType::F32, &[0]).counted().schedule(&device, &[], None)?,
            Gather::new(DType::U8, &[3], &[0]).counted().schedule(&device, &[], None)?,
            Scatter::new(DType::U8, &[3], 4).repeating(0).counted().schedule(&device, &[], None)?,
            Transform::unary(TransformOp::Neg, DType::U8, &[0]).counted().schedule(&device, &[], None)?,
        ];
        for schedule in schedules {
            assert!(schedule.steps.is_empty() && schedule.buffers.iter().all(|need| need.name != "count" || need.bytes == 0));
        }
        Ok(())
    }

    #[test]
    fn descriptions_from_before_there_were_counts_are_read() {
        let told = serde_json::from_str::<Convert>(r#"{"from":"f32","to":"u8","shape":[3]}"#);
        assert_eq!(told.ok(), Some(Convert::new(DType::F32, DType::U8, &[3])));
    }
}
