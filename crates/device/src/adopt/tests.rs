use ash::vk::Handle;

use super::*;
use crate::QueueRole;

const EVERYTHING: vk::QueueFlags = vk::QueueFlags::from_raw(0x7);

fn family(flags: vk::QueueFlags, queue_count: u32) -> vk::QueueFamilyProperties {
    vk::QueueFamilyProperties { queue_flags: flags, queue_count, timestamp_valid_bits: 64, ..Default::default() }
}

fn queue(raw: u64, family: u32, index: u32, role: QueueRole) -> AdoptedQueue {
    AdoptedQueue { queue: vk::Queue::from_raw(raw), family, index, role, lock: None }
}

/// A family for everything, one for compute, one for copies, one for video.
fn check(queues: &[AdoptedQueue]) -> Result<Vec<(u32, QueueRole)>, Error> {
    let families = [
        family(EVERYTHING, 1),
        family(vk::QueueFlags::COMPUTE, 4),
        family(vk::QueueFlags::TRANSFER, 2),
        family(vk::QueueFlags::VIDEO_DECODE_KHR, 1),
    ];
    Ok(check_queues(&families, queues)?.into_iter().map(|(place, role, _)| (place.family, role)).collect())
}

#[test]
fn queues_may_come_in_any_order() {
    use QueueRole::{AsyncCompute, Compute, Transfer};
    let queues = [queue(3, 2, 1, Transfer), queue(1, 0, 0, Compute), queue(2, 1, 3, AsyncCompute)];
    assert_eq!(check(&queues), Ok(vec![(0, Compute), (1, AsyncCompute), (2, Transfer)]));
    assert_eq!(check(&[queue(9, 1, 0, Compute), queue(3, 0, 0, Transfer)]), Ok(vec![(1, Compute), (0, Transfer)]));
}

#[test]
fn queues_that_cannot_be_are_errors() {
    use QueueRole::{AsyncCompute, Compute, Transfer};
    let text = |queues: &[AdoptedQueue]| check(queues).map_err(|error| error.to_string());
    let says = |text: &str| Err(text.to_owned());
    assert_eq!(text(&[]), says("a device was lent without a queue of role Compute"));
    assert_eq!(text(&[queue(3, 2, 0, Transfer)]), says("a device was lent without a queue of role Compute"));
    assert_eq!(
        text(&[queue(1, 2, 0, Compute)]),
        says("the queue lent as Compute (family 2, index 0) cannot be used: its family cannot compute (it has no VK_QUEUE_COMPUTE_BIT)")
    );
    assert_eq!(
        text(&[queue(1, 0, 0, Compute), queue(2, 2, 0, AsyncCompute)]),
        says(
            "the queue lent as AsyncCompute (family 2, index 0) cannot be used: its family cannot compute (it has no VK_QUEUE_COMPUTE_BIT)"
        )
    );
    assert_eq!(
        text(&[queue(1, 3, 0, Transfer)]),
        says(
            "the queue lent as Transfer (family 3, index 0) cannot be used: its family cannot copy \
             (it has none of VK_QUEUE_TRANSFER_BIT, VK_QUEUE_COMPUTE_BIT and VK_QUEUE_GRAPHICS_BIT)"
        )
    );
    assert_eq!(
        text(&[queue(1, 4, 0, Compute)]),
        says("the queue lent as Compute (family 4, index 0) cannot be used: the device has only 4 queue families")
    );
    assert_eq!(
        text(&[queue(1, 1, 4, Compute)]),
        says("the queue lent as Compute (family 1, index 4) cannot be used: the family has only 4 queues")
    );
    assert_eq!(text(&[queue(0, 0, 0, Compute)]), says("the queue lent as Compute (family 0, index 0) cannot be used: its handle is null"));
    for second in [queue(1, 1, 0, Transfer), queue(2, 0, 0, Transfer)] {
        let family = second.family;
        assert_eq!(
            text(&[queue(1, 0, 0, Compute), second]),
            Err(format!("the queue lent as Transfer (family {family}, index 0) cannot be used: it is lent as Compute, too"))
        );
    }
    assert_eq!(
        text(&[queue(1, 0, 0, Compute), queue(2, 1, 0, Compute)]),
        says("the queue lent as Compute (family 1, index 0) cannot be used: another queue has that role")
    );
}
