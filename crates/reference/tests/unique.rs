//! Values taken from numpy 2.4 (`return_index`, `return_inverse`, `return_counts`), written down.

use half::f16;
use wavelane_reference::{Unique, Values, unique, unique_runs};

fn assert_unique(got: &Unique, values: &Values, first: &[u32], counts: &[u32], inverse: &[u32]) {
    assert_eq!((got.values.element(), got.values.bits()), (values.element(), values.bits()), "{got:?}");
    assert_eq!((&got.first[..], &got.counts[..], &got.inverse[..]), (first, counts, inverse));
}

#[test]
fn integers() {
    let got = unique(&Values::I64(vec![3, -1, 3, 7, -1]));
    assert_unique(&got, &Values::I64(vec![-1, 3, 7]), &[1, 0, 3], &[2, 2, 1], &[1, 0, 1, 2, 0]);
    assert_unique(&unique(&Values::U32(vec![])), &Values::U32(vec![]), &[], &[], &[]);
}

#[test]
fn nan_is_one_and_zeros_are_one() {
    let (nan, other_nan) = (f32::NAN, f32::from_bits(0xffc0_0001));
    let got = unique(&Values::F32(vec![2.0, nan, 0.0, -0.0, 2.0, f32::NEG_INFINITY, other_nan, -0.0]));
    let values = Values::F32(vec![f32::NEG_INFINITY, 0.0, 2.0, nan]);
    assert_unique(&got, &values, &[5, 2, 0, 1], &[1, 3, 2, 2], &[2, 3, 1, 1, 2, 0, 3, 1]);
    let got = unique(&Values::F16([-0.0, 0.0, 5.0].map(f16::from_f32).to_vec()));
    assert_unique(&got, &Values::F16([-0.0, 5.0].map(f16::from_f32).to_vec()), &[0, 2], &[2, 1], &[0, 0, 1]);
}

#[test]
fn runs_are_of_equal_bits() {
    let got = unique_runs(&Values::F32(vec![0.0, -0.0, f32::NAN, f32::NAN, 1.0, 1.0, 0.0]));
    let values = Values::F32(vec![0.0, -0.0, f32::NAN, 1.0, 0.0]);
    assert_unique(&got, &values, &[0, 1, 2, 4, 6], &[1, 1, 2, 2, 1], &[0, 1, 2, 2, 3, 3, 4]);
    assert_unique(&unique_runs(&Values::I32(vec![])), &Values::I32(vec![]), &[], &[], &[]);
}
