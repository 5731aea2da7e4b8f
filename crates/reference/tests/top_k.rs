//! Values taken from numpy, written down: the beginnings of `np.argsort` of `kind="stable"`; of the largest, those of keys that stand for the elements' ranks, negated.

use wavelane_reference::{Error, Values, top_k_places};

fn first(values: &Values, k: usize, smallest: bool) -> Vec<usize> {
    top_k_places(values, &[values.len()], Some(0), k, smallest).expect("one row")
}

#[test]
fn nan_are_the_largest_and_ties_are_taken_from_the_front() {
    let floats = Values::F32(vec![0.5, f32::NAN, -0.0, f32::INFINITY, 0.0, f32::NEG_INFINITY, -0.0, 0.5, -f32::NAN, -2.0]);
    assert_eq!(first(&floats, 4, true), [5, 9, 2, 4]);
    assert_eq!(first(&floats, 9, true), [5, 9, 2, 4, 6, 0, 7, 3, 1]);
    assert_eq!(first(&floats, 1, false), [1]);
    assert_eq!(first(&floats, 4, false), [1, 8, 3, 0]);
    assert_eq!(first(&floats, 0, false), [0; 0]);
    let signed = Values::I64(vec![3, -1, i64::MAX, 3, i64::MIN, 0, -1]);
    assert_eq!(first(&signed, 3, true), [4, 1, 6]);
    assert_eq!(first(&signed, 3, false), [2, 0, 3]);
}

#[test]
fn along_each_axis_and_flat() {
    let bytes = Values::U8(vec![3, 1, 2, 2, 1, 3, 0, 9, 9, 0, 0, 0]);
    let of = |axis| top_k_places(&bytes, &[2, 3, 2], axis, 1, false);
    assert_eq!(of(Some(2)), Ok(vec![0, 2, 5, 7, 8, 10]));
    assert_eq!(of(Some(1)), Ok(vec![0, 5, 8, 7]));
    assert_eq!(of(None), Ok(vec![7]));
    assert_eq!(of(Some(3)), Err(Error::Axis { axis: 3, dimensions: 3 }));
    // As many as there are.
    assert_eq!(top_k_places(&bytes, &[6, 2], Some(1), 5, true).map(|places| places.len()), Ok(12));
}
