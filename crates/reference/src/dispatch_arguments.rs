//! The CPU twin of the kernel that makes the arguments of an indirect dispatch from a count.

/// What the kernel writes for a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DispatchRecord {
    /// Group counts in x, y and z.
    pub groups: [u32; 3],
    /// Elements in the list.
    pub count: u32,
    /// Elements that were counted and did not fit.
    pub lost: u32,
}

/// The dispatch over a list to which `counted` elements were appended, of which `capacity` fit, by workgroups that take
/// `elements_per_group` each: the fewest layers that hold them within `most_groups`, then the fewest rows, then the shortest. Nothing if there
/// is no such dispatch.
pub fn dispatch_arguments(counted: u32, elements_per_group: u32, capacity: u32, most_groups: [u32; 3]) -> Option<DispatchRecord> {
    let count = counted.min(capacity);
    let needed = if count == 0 { 0 } else { u128::from(count.div_ceil(elements_per_group)) };
    let record = |groups| DispatchRecord { groups, count, lost: counted - count };
    if needed == 0 {
        return Some(record([0, 1, 1]));
    }
    let [most_x, most_y, most_z] = most_groups;
    let holds = |x: u32, y: u32, z: u32| u128::from(x) * u128::from(y) * u128::from(z) >= needed;
    let z = (1..=most_z).find(|&z| holds(most_x, most_y, z))?;
    let y = (1..=most_y).find(|&y| holds(most_x, y, z))?;
    let x = (1..=most_x).find(|&x| holds(x, y, z))?;
    Some(record([x, y, z]))
}
