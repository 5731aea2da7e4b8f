//! Values taken from numpy, written down: `np.sort` and `np.argsort` of `kind="stable"`; descending ones of keys that stand for the elements' ranks, negated.

use half::f16;
use wavelane_reference::{Error, SortOptions, Values, sort_places, sort_segment_places};

const FALLING: SortOptions = SortOptions { descending: true, bits: None, count: None };

fn order(values: &Values, options: &SortOptions) -> Vec<usize> {
    sort_places(values, &[values.len()], Some(0), options).expect("one row")
}

fn by_bits(begin: u32, end: u32) -> SortOptions {
    SortOptions { bits: Some([begin, end]), ..Default::default() }
}

#[test]
fn nan_come_last_and_zeros_are_one() {
    let floats = [0.5, f32::NAN, -0.0, f32::INFINITY, 0.0, f32::NEG_INFINITY, -0.0, 0.5, -f32::NAN, -2.0];
    assert_eq!(order(&Values::F32(floats.to_vec()), &SortOptions::default()), [5, 9, 2, 4, 6, 0, 7, 3, 1, 8]);
    assert_eq!(order(&Values::F32(floats.to_vec()), &FALLING), [1, 8, 3, 0, 7, 2, 4, 6, 9, 5]);
    let halves = Values::F16(floats.map(f16::from_f32).to_vec());
    assert_eq!(order(&halves, &SortOptions::default()), [5, 9, 2, 4, 6, 0, 7, 3, 1, 8]);
    let doubles = Values::F64(vec![1e300, -5e-324, 5e-324, -1e300, 0.0]);
    assert_eq!(order(&doubles, &SortOptions::default()), [3, 1, 4, 2, 0]);
}

#[test]
fn integers_by_their_sign() {
    let signed = Values::I32(vec![3, -1, i32::MAX, 3, i32::MIN, 0, -1]);
    assert_eq!(order(&signed, &SortOptions::default()), [4, 1, 6, 5, 0, 3, 2]);
    assert_eq!(order(&signed, &FALLING), [2, 0, 3, 5, 1, 6, 4]);
    let unsigned = Values::U64(vec![1 << 63, 1, u64::MAX, (1 << 63) - 1, 0]);
    assert_eq!(order(&unsigned, &SortOptions::default()), [4, 1, 3, 0, 2]);
    // By numpy 1.24: np.argsort(np.array([3, -1, -128, 127, -1], np.int8), kind="stable").
    assert_eq!(order(&Values::I8(vec![3, -1, -128, 127, -1]), &SortOptions::default()), [2, 1, 4, 0, 3]);
    assert_eq!(order(&Values::I16(vec![300, -300, 0]), &SortOptions::default()), [1, 2, 0]);
}

#[test]
fn along_each_axis_and_flat() {
    let bytes = Values::U8(vec![3, 1, 2, 2, 1, 3, 0, 9, 9, 0, 0, 0]);
    let sorted = |axis| {
        let places = sort_places(&bytes, &[2, 3, 2], axis, &SortOptions::default()).expect("an axis of the array");
        bytes.take(places)
    };
    assert_eq!(sorted(Some(0)), Values::U8(vec![0, 1, 2, 0, 0, 0, 3, 9, 9, 2, 1, 3]));
    assert_eq!(sorted(Some(1)), Values::U8(vec![1, 1, 2, 2, 3, 3, 0, 0, 0, 0, 9, 9]));
    assert_eq!(sorted(Some(2)), Values::U8(vec![1, 3, 2, 2, 1, 3, 0, 9, 0, 9, 0, 0]));
    assert_eq!(sorted(None), Values::U8(vec![0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 9, 9]));
    let whole = sort_places(&bytes, &[2, 3, 2], None, &SortOptions::default()).expect("the whole array");
    assert_eq!(whole, [6, 9, 10, 11, 1, 4, 2, 3, 0, 5, 7, 8]);
    // Places in the array, where numpy has positions along the axis.
    let columns = sort_places(&bytes, &[2, 3, 2], Some(1), &SortOptions::default()).expect("an axis of the array");
    assert_eq!(columns, [4, 1, 2, 3, 0, 5, 6, 9, 10, 11, 8, 7]);
    assert_eq!(sort_places(&bytes, &[2, 3, 2], Some(3), &SortOptions::default()).err(), Some(Error::Axis { axis: 3, dimensions: 3 }));
}

#[test]
fn by_some_bits() {
    let words = Values::U16(vec![0x1234, 0x1134, 0x2200, 0x0233, 0x12ff, 0xf134]);
    assert_eq!(order(&words, &by_bits(8, 12)), [1, 5, 0, 2, 3, 4]);
    assert_eq!(order(&words, &SortOptions { descending: true, ..by_bits(8, 12) }), [0, 2, 3, 4, 1, 5]);
    assert_eq!(order(&words, &by_bits(7, 7)), [0, 1, 2, 3, 4, 5]);
    // The bits of 1, -1, 0, -0, 2, -inf and NaN, of which the order's numbers are 0xbc00, 0x43ff, 0x8000, 0x8000, 0xc000, 0x3ff and 0xffff.
    let halves = [1.0, -1.0, 0.0, -0.0, 2.0, f32::NEG_INFINITY, f32::NAN].map(f16::from_f32);
    assert_eq!(order(&Values::F16(halves.to_vec()), &by_bits(15, 16)), [1, 5, 0, 2, 3, 4, 6]);
    assert_eq!(order(&Values::F16(halves.to_vec()), &by_bits(10, 15)), [2, 3, 5, 0, 1, 4, 6]);
}

#[test]
fn what_is_behind_the_count_stays() {
    let falling = Values::U32(vec![5, 4, 3, 2, 1]);
    let of = |count| order(&falling, &SortOptions { count: Some(count), ..Default::default() });
    assert_eq!(of(3), [2, 1, 0, 3, 4]);
    assert_eq!(of(0), [0, 1, 2, 3, 4]);
    assert_eq!(of(9), [4, 3, 2, 1, 0]);
}

#[test]
fn segments_each_by_itself() {
    let keys = Values::I32(vec![9, 3, 1, 2, 3, 3, 0, -1, 4, 0]);
    let places = |offsets: &[u32]| sort_segment_places(&keys, offsets, &SortOptions::default());
    // Key 0 is before the first, and keys 8 and 9 behind the last.
    assert_eq!(places(&[1, 4, 4, 5, 8]), Ok(vec![0, 2, 3, 1, 4, 7, 6, 5, 8, 9]));
    assert_eq!(places(&[0, 10]), Ok(vec![7, 6, 9, 2, 3, 1, 4, 5, 8, 0]));
    assert_eq!(places(&[3]), Ok((0..10).collect()));
    assert_eq!(places(&[3, 2]), Err(Error::Offset { at: 1, len: 10 }));
    assert_eq!(places(&[0, 11]), Err(Error::Offset { at: 1, len: 10 }));
}
