//! Values taken from numpy, written down: `np.argsort(np.concatenate([a, b]), kind="stable")`; descending ones of elements that were negated.

use half::f16;
use wavelane_reference::{Error, Values, merge_places};

#[test]
fn equal_elements_of_the_first_array_come_first() {
    let (a, b) = (Values::I32(vec![-5, 0, 0, 7]), Values::I32(vec![-6, 0, 7, 7, 9]));
    assert_eq!(merge_places(&a, &b, false), Ok(vec![4, 0, 1, 2, 5, 3, 6, 7, 8]));
    let (a, b) = (Values::I32(vec![7, 0, 0, -5]), Values::I32(vec![9, 7, 7, 0, -6]));
    assert_eq!(merge_places(&a, &b, true), Ok(vec![4, 0, 5, 6, 1, 2, 7, 3, 8]));
}

#[test]
fn nan_come_last_and_zeros_are_one() {
    let a = [f32::NEG_INFINITY, 0.0, 1.0, f32::NAN, -f32::NAN];
    let b = [-1.0, -0.0, 0.0, f32::INFINITY, f32::NAN];
    let halves = |x: [f32; 5]| Values::F16(x.map(f16::from_f32).to_vec());
    assert_eq!(merge_places(&Values::F32(a.to_vec()), &Values::F32(b.to_vec()), false), Ok(vec![0, 5, 1, 6, 7, 2, 8, 3, 4, 9]));
    assert_eq!(merge_places(&halves(a), &halves(b), false), Ok(vec![0, 5, 1, 6, 7, 2, 8, 3, 4, 9]));
}

#[test]
fn empty_arrays_and_types() {
    let (none, two) = (Values::U64(vec![]), Values::U64(vec![1, u64::MAX]));
    assert_eq!(merge_places(&none, &two, false), Ok(vec![0, 1]));
    assert_eq!(merge_places(&two, &none, false), Ok(vec![0, 1]));
    assert_eq!(merge_places(&none, &none, true), Ok(vec![]));
    assert!(matches!(merge_places(&none, &Values::U8(vec![1]), false), Err(Error::Mismatch { .. })));
}
