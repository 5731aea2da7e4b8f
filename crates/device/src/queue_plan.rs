//! Which queues to make of a device.

use ash::vk;

use crate::adapter::QueueFamilyChoice;
use crate::instance::Instance;

/// The queues of a new device, and which serves which role.
pub(crate) struct QueuePlan {
    /// Family and index; the first is the compute queue.
    queues: Vec<(u32, u32)>,
    properties: Vec<vk::QueueFamilyProperties>,
    roles: [u32; 3],
}

impl QueuePlan {
    pub(crate) fn of(instance: &Instance, physical: vk::PhysicalDevice, compute: QueueFamilyChoice, single: bool) -> Self {
        // SAFETY: the physical device belongs to the living instance.
        let families = unsafe { instance.raw().get_physical_device_queue_family_properties(physical) };
        Self::among(&families, compute.family, single)
    }

    fn among(families: &[vk::QueueFamilyProperties], compute: u32, single: bool) -> Self {
        let mut plan = Self { queues: Vec::new(), properties: Vec::new(), roles: [0; 3] };
        plan.add(families, compute, 0);
        if single {
            return plan;
        }
        let can = |family: &vk::QueueFamilyProperties, flags| family.queue_flags.intersects(flags) && family.queue_count > 0;
        let find = |test: &dyn Fn(u32, &vk::QueueFamilyProperties) -> bool| {
            (0u32..).zip(families).find(|&(index, family)| test(index, family)).map(|(index, _)| index)
        };
        // A second queue of the same family shares buffers without any transfer of ownership.
        let several = families.get(compute as usize).is_some_and(|family| family.queue_count > 1);
        let beside = if several {
            Some((compute, 1))
        } else {
            find(&|index, family| index != compute && can(family, vk::QueueFlags::COMPUTE)).map(|family| (family, 0))
        };
        if let Some((family, index)) = beside {
            plan.roles[1] = plan.add(families, family, index);
        }
        let more = vk::QueueFlags::COMPUTE | vk::QueueFlags::GRAPHICS;
        // Video queues can copy too, but are not for copies.
        let video = vk::QueueFlags::VIDEO_DECODE_KHR | vk::QueueFlags::from_raw(0x40);
        if let Some(family) = find(&|_, family| can(family, vk::QueueFlags::TRANSFER) && !can(family, more | video)) {
            plan.roles[2] = plan.add(families, family, 0);
        }
        plan
    }

    fn add(&mut self, families: &[vk::QueueFamilyProperties], family: u32, index: u32) -> u32 {
        self.queues.push((family, index));
        self.properties.push(families.get(family as usize).copied().unwrap_or_default());
        self.queues.len() as u32 - 1
    }

    /// Family and index of each queue.
    pub(crate) fn queues(&self) -> &[(u32, u32)] {
        &self.queues
    }

    /// The properties of each queue's family.
    pub(crate) fn properties(&self) -> &[vk::QueueFamilyProperties] {
        &self.properties
    }

    /// The queue of each role, by its place.
    pub(crate) fn roles(&self) -> [u32; 3] {
        self.roles
    }

    /// What to ask a new device for: each family once.
    pub(crate) fn create_infos(&self) -> Vec<vk::DeviceQueueCreateInfo<'static>> {
        const PRIORITIES: [f32; 3] = [1.0; 3];
        let mut infos: Vec<vk::DeviceQueueCreateInfo<'static>> = Vec::new();
        for &(family, index) in &self.queues {
            let priorities = &PRIORITIES[..=index as usize];
            match infos.iter_mut().find(|info| info.queue_family_index == family) {
                Some(info) => *info = info.queue_priorities(priorities),
                None => infos.push(vk::DeviceQueueCreateInfo::default().queue_family_index(family).queue_priorities(priorities)),
            }
        }
        infos
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRAPHICS: vk::QueueFlags =
        vk::QueueFlags::from_raw(vk::QueueFlags::GRAPHICS.as_raw() | vk::QueueFlags::COMPUTE.as_raw() | vk::QueueFlags::TRANSFER.as_raw());
    const COMPUTE: vk::QueueFlags = vk::QueueFlags::from_raw(vk::QueueFlags::COMPUTE.as_raw() | vk::QueueFlags::TRANSFER.as_raw());

    /// Family and index of each queue, the queue of each role, and what is asked for: a count a family.
    type Made = (Vec<(u32, u32)>, [u32; 3], Vec<(u32, u32)>);

    fn plan(families: &[(vk::QueueFlags, u32)], compute: u32, single: bool) -> Made {
        let families: Vec<_> = families
            .iter()
            .map(|&(queue_flags, queue_count)| vk::QueueFamilyProperties { queue_flags, queue_count, ..Default::default() })
            .collect();
        let plan = QueuePlan::among(&families, compute, single);
        let asked = plan.create_infos().iter().map(|info| (info.queue_family_index, info.queue_count)).collect();
        (plan.queues.clone(), plan.roles, asked)
    }

    #[test]
    fn a_device_with_one_queue_shares_it() {
        assert_eq!(plan(&[(GRAPHICS, 1)], 0, false), (vec![(0, 0)], [0, 0, 0], vec![(0, 1)]));
    }

    #[test]
    fn a_second_queue_of_the_family_comes_first() {
        let nvidia =
            [(GRAPHICS, 16), (vk::QueueFlags::TRANSFER, 2), (COMPUTE, 8), (vk::QueueFlags::TRANSFER | vk::QueueFlags::VIDEO_DECODE_KHR, 1)];
        assert_eq!(plan(&nvidia, 2, false), (vec![(2, 0), (2, 1), (1, 0)], [0, 1, 2], vec![(2, 2), (1, 1)]));
        assert_eq!(plan(&nvidia, 2, true), (vec![(2, 0)], [0, 0, 0], vec![(2, 1)]));
    }

    #[test]
    fn another_family_can_compute_beside() {
        let families = [(GRAPHICS, 1), (COMPUTE, 1), (vk::QueueFlags::TRANSFER, 0)];
        assert_eq!(plan(&families, 1, false), (vec![(1, 0), (0, 0)], [0, 1, 0], vec![(1, 1), (0, 1)]));
    }
}
