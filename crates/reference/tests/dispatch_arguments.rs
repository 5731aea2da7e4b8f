//! Counts and the dispatches over them, worked out by hand.

use wavelane_reference::{DispatchRecord, dispatch_arguments};

fn record(groups: [u32; 3], count: u32, lost: u32) -> Option<DispatchRecord> {
    Some(DispatchRecord { groups, count, lost })
}

#[test]
fn counts_are_divided_up() {
    let at = |counted| dispatch_arguments(counted, 64, 1000, [65_535; 3]);
    assert_eq!(at(0), record([0, 1, 1], 0, 0));
    assert_eq!(at(1), record([1, 1, 1], 1, 0));
    assert_eq!(at(64), record([1, 1, 1], 64, 0));
    assert_eq!(at(65), record([2, 1, 1], 65, 0));
    assert_eq!(at(1000), record([16, 1, 1], 1000, 0));
}

#[test]
fn what_does_not_fit_is_told() {
    assert_eq!(dispatch_arguments(1001, 64, 1000, [65_535; 3]), record([16, 1, 1], 1000, 1));
    assert_eq!(dispatch_arguments(u32::MAX, 1000, 0, [65_535; 3]), record([0, 1, 1], 0, u32::MAX));
}

#[test]
fn rows_and_layers_fold() {
    assert_eq!(dispatch_arguments(8, 1, 100, [7, 5, 3]), record([4, 2, 1], 8, 0));
    assert_eq!(dispatch_arguments(36, 1, 100, [7, 5, 3]), record([6, 3, 2], 36, 0));
    assert_eq!(dispatch_arguments(u32::MAX, 1 << 12, u32::MAX, [65_535; 3]), record([61_681, 17, 1], u32::MAX, 0));
    assert_eq!(dispatch_arguments(106, 1, 106, [7, 5, 3]), None);
}
