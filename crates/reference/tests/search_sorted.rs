//! Values taken from numpy, written down: `np.searchsorted`; descending ones as its results for elements and values that were negated.

use half::f16;
use wavelane_reference::{Error, SearchOptions, Values, search_sorted};

const RIGHT: SearchOptions = SearchOptions { right: true, descending: false };
const FALLING: SearchOptions = SearchOptions { right: false, descending: true };

fn find(array: Values, values: Values, options: SearchOptions) -> Vec<u32> {
    search_sorted(&array, &values, 1, options).expect("one row of each")
}

#[test]
fn before_and_behind_equal_elements() {
    let (array, values) = (Values::I32(vec![-5, 0, 0, 0, 7, 9]), Values::I32(vec![0, -6, -5, 8, 9, 10]));
    assert_eq!(find(array.clone(), values.clone(), SearchOptions::default()), [1, 0, 0, 5, 5, 6]);
    assert_eq!(find(array, values, RIGHT), [4, 0, 1, 5, 6, 6]);
    let (falling, values) = (Values::I32(vec![9, 7, 0, 0, 0, -5]), Values::I32(vec![0, -6, -5, 8, 9, 10]));
    assert_eq!(find(falling.clone(), values.clone(), FALLING), [2, 6, 5, 1, 0, 0]);
    assert_eq!(find(falling, values, SearchOptions { right: true, descending: true }), [5, 6, 6, 1, 1, 0]);
}

#[test]
fn nan_come_last_and_zeros_are_one() {
    let sorted = [f32::NEG_INFINITY, -1.5, -0.0, 0.0, -0.0, 2.0, f32::INFINITY, f32::NAN, -f32::NAN];
    let values = [f32::NAN, 0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, 3.0];
    assert_eq!(find(Values::F32(sorted.to_vec()), Values::F32(values.to_vec()), SearchOptions::default()), [7, 2, 2, 6, 0, 6]);
    assert_eq!(find(Values::F32(sorted.to_vec()), Values::F32(values.to_vec()), RIGHT), [9, 5, 5, 7, 1, 6]);
    let halves = |x: &[f32]| Values::F16(x.iter().map(|&x| f16::from_f32(x)).collect());
    assert_eq!(find(halves(&sorted), halves(&values), RIGHT), [9, 5, 5, 7, 1, 6]);
}

#[test]
fn empty_arrays_and_unsigned_numbers() {
    assert_eq!(find(Values::U8(vec![]), Values::U8(vec![0, 255]), RIGHT), [0, 0]);
    assert_eq!(find(Values::U64(vec![1, u64::MAX]), Values::U64(vec![1 << 63, u64::MAX, 0]), SearchOptions::default()), [1, 1, 0]);
    assert!(find(Values::U64(vec![1]), Values::U64(vec![]), RIGHT).is_empty());
}

#[test]
fn each_row_in_its_own() {
    let (array, values) = (Values::U16(vec![1, 2, 3, 7, 8, 9]), Values::U16(vec![2, 9, 2, 9]));
    assert_eq!(search_sorted(&array, &values, 2, SearchOptions::default()), Ok(vec![1, 3, 0, 2]));
    assert_eq!(search_sorted(&array, &Values::U16(vec![]), 0, RIGHT), Err(Error::Shape { shape: vec![0], len: 6 }));
    assert_eq!(search_sorted(&array, &Values::U16(vec![1; 3]), 2, RIGHT), Err(Error::Shape { shape: vec![2], len: 3 }));
    assert!(matches!(search_sorted(&array, &Values::U8(vec![1, 2]), 1, RIGHT), Err(Error::Mismatch { .. })));
}
