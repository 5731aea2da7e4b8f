//! Workgroups in one row, folded into the three dimensions of a dispatch.

use wavelane_device::Limits;

/// Group counts for at least `total` workgroups: layers as few as can be, then rows as few, then rows as short. So fewer workgroups are
/// added than there are rows.
///
/// A shader numbers workgroups as `(z · ny + y) · nx + x` (`glsl/include/group_number.glsl`), and passes over numbers from `total` on. No
/// workgroups are [0, 1, 1].
///
/// Nothing where the device's `maxComputeWorkGroupCount` does not hold as many, or where a number would not fit 32 bits.
///
/// ```
/// # use wavelane_record::fold_groups;
/// let limits = wavelane_device::Limits { max_compute_work_group_count: [65_535; 3], ..Default::default() };
/// assert_eq!(fold_groups(1000, &limits), Some([1000, 1, 1]));
/// assert_eq!(fold_groups(100_000, &limits), Some([50_000, 2, 1]));
/// assert_eq!(fold_groups(1 << 33, &limits), None);
/// ```
pub fn fold_groups(total: u64, limits: &Limits) -> Option<[u32; 3]> {
    let [most_x, most_y, most_z] = limits.max_compute_work_group_count.map(u64::from);
    if total == 0 {
        return Some([0, 1, 1]);
    }
    if most_x == 0 || most_y == 0 {
        return None;
    }
    let rows = total.div_ceil(most_x);
    let z = rows.div_ceil(most_y);
    if z > most_z {
        return None;
    }
    let y = rows.div_ceil(z);
    let x = total.div_ceil(y * z);
    // Each is within its limit, so the product cannot leave 96 bits; numbers must not leave 32.
    let padded = u128::from(x) * u128::from(y) * u128::from(z);
    (padded <= 1 << 32).then_some([x as u32, y as u32, z as u32])
}

#[cfg(test)]
mod tests {
    use super::fold_groups;
    use wavelane_device::Limits;

    fn fold(total: u64, most: [u32; 3]) -> Option<[u32; 3]> {
        fold_groups(total, &Limits { max_compute_work_group_count: most, ..Limits::default() })
    }

    #[test]
    fn what_fits_a_row_stays_one() {
        assert_eq!(fold(0, [7, 5, 3]), Some([0, 1, 1]));
        assert_eq!(fold(1, [7, 5, 3]), Some([1, 1, 1]));
        assert_eq!(fold(7, [7, 5, 3]), Some([7, 1, 1]));
    }

    #[test]
    fn rows_and_layers_are_used_in_turn() {
        assert_eq!(fold(8, [7, 5, 3]), Some([4, 2, 1]));
        assert_eq!(fold(35, [7, 5, 3]), Some([7, 5, 1]));
        assert_eq!(fold(36, [7, 5, 3]), Some([6, 3, 2]));
        assert_eq!(fold(105, [7, 5, 3]), Some([7, 5, 3]));
        assert_eq!(fold(106, [7, 5, 3]), None);
        assert_eq!(fold(65_536, [65_535; 3]), Some([32_768, 2, 1]));
    }

    /// Every total on small devices: enough workgroups, within each limit, and fewer to spare than rows.
    #[test]
    fn every_total_is_covered_within_the_limits() {
        for most in [[1, 1, 1], [1, 9, 4], [7, 5, 3], [5, 7, 1], [2, 2, 100], [64, 1, 3]] {
            let all = most.iter().map(|&n| u64::from(n)).product::<u64>();
            for total in 1..=all {
                let Some(groups) = fold(total, most) else { panic!("{total} of {most:?}") };
                let [x, y, z] = groups.map(u64::from);
                assert!((0..3).all(|axis| (1..=most[axis]).contains(&groups[axis])), "{total} of {most:?}: {groups:?}");
                assert!(x * y * z >= total && x * y * z - total < y * z, "{total} of {most:?}: {groups:?}");
            }
            assert_eq!(fold(all + 1, most), None);
        }
    }

    #[test]
    fn numbers_stay_within_32_bits() {
        assert_eq!(fold(1 << 32, [u32::MAX; 3]), Some([1 << 31, 2, 1]));
        assert_eq!(fold((1 << 32) + 1, [u32::MAX; 3]), None);
        // 65,534 workgroups of padding would wrap around to the first numbers.
        assert_eq!(fold(u64::from(u32::MAX), [65_535; 3]), None);
        assert_eq!(fold(4_294_836_225, [65_535; 3]), Some([65_535, 65_535, 1]));
        assert_eq!(fold(u64::MAX, [u32::MAX; 3]), None);
    }

    #[test]
    fn devices_that_cannot_be_hold_nothing() {
        assert_eq!(fold(1, [0, 1, 1]), None);
        assert_eq!(fold(1, [1, 0, 1]), None);
        assert_eq!(fold(1, [1, 1, 0]), None);
    }
}
