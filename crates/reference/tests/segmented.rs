//! Each segment as numpy would have it alone, written down.

use half::f16;
use wavelane_reference::{
    Element, Error, Nan, Op, ScanOp, ScanOptions, Segments, Values, reduce, reduce_bound, reduce_by_key, scan, segment_bounds,
    segmented_reduce, segmented_reduce_bound, segmented_scan, segmented_scan_bound,
};

fn reduced(op: Op, input: &Values, segments: Segments) -> Values {
    segmented_reduce(op, input, &segments, Nan::Propagate, false).unwrap()
}

#[test]
fn where_segments_begin_and_end() {
    assert_eq!(segment_bounds(&Segments::Offsets(&[1, 1, 4]), 5), Ok(vec![(1, 1), (1, 4)]));
    assert_eq!(segment_bounds(&Segments::Offsets(&[2]), 5), Ok(vec![]));
    assert_eq!(segment_bounds(&Segments::Flags(&[0, 0, 7, 1]), 4), Ok(vec![(0, 2), (2, 3), (3, 4)]));
    assert_eq!(segment_bounds(&Segments::Length(2), 5), Ok(vec![(0, 2), (2, 4), (4, 5)]));
    assert_eq!(segment_bounds(&Segments::Length(usize::MAX), 5), Ok(vec![(0, 5)]));
    let keys = Values::F32(vec![0.0, -0.0, f32::NAN, f32::NAN]);
    assert_eq!(segment_bounds(&Segments::Keys(&keys), 4), Ok(vec![(0, 1), (1, 2), (2, 4)]));
    for segments in [Segments::Flags(&[]), Segments::Length(3), Segments::Keys(&Values::U32(vec![])), Segments::Offsets(&[0])] {
        assert_eq!(segment_bounds(&segments, 0), Ok(vec![]));
    }
}

#[test]
fn segments_that_do_not_fit() {
    let of = |segments| segment_bounds(&segments, 3).unwrap_err();
    assert_eq!(of(Segments::Offsets(&[])), Error::Offset { at: 0, len: 3 });
    assert_eq!(of(Segments::Offsets(&[4])), Error::Offset { at: 0, len: 3 });
    assert_eq!(of(Segments::Offsets(&[0, 2, 1])), Error::Offset { at: 2, len: 3 });
    assert_eq!(of(Segments::Offsets(&[0, 4])), Error::Offset { at: 1, len: 3 });
    assert_eq!(of(Segments::Flags(&[1])).to_string(), "flags has to have 3 elements, not 1");
    assert_eq!(of(Segments::Length(0)), Error::NoLength);
    assert_eq!(of(Segments::Keys(&Values::U32(vec![1; 4]))), Error::Length { what: "keys", wanted: 3, len: 4 });
}

#[test]
fn scans_begin_again() {
    let input = Values::U32((0..8).collect());
    let of = |segments, options: &ScanOptions| segmented_scan(ScanOp::Sum, &input, &segments, options).unwrap();
    let inclusive = ScanOptions::default();
    let flags = [0, 0, 0, 1, 0, 1, 0, 0];
    assert_eq!(of(Segments::Flags(&flags), &inclusive), Values::U32(vec![0, 1, 3, 3, 7, 5, 11, 18]));
    assert_eq!(of(Segments::Offsets(&[1, 3, 3, 6]), &inclusive), Values::U32(vec![0, 1, 3, 3, 7, 12, 0, 0]));
    let options = ScanOptions { exclusive: true, reverse: true, initial: Some(Values::U32(vec![100])), wide: true };
    assert_eq!(of(Segments::Length(3), &options), Values::U64(vec![103, 102, 100, 109, 105, 100, 107, 100]));
    let last = segmented_scan(ScanOp::Last, &Values::I32(vec![1, 0, 0, 2, 0]), &Segments::Length(2), &inclusive);
    assert_eq!(last, Ok(Values::I32(vec![1, 1, 0, 2, 0])));
    let error = segmented_scan(ScanOp::Xor, &Values::F32(vec![]), &Segments::Length(2), &inclusive).unwrap_err();
    assert_eq!(error, Error::Undefined { operation: "xor", element: Element::F32 });
}

#[test]
fn nan_stays_in_its_segment() {
    let input = Values::F32(vec![2.0, f32::NAN, 1.0, 4.0, 3.0]);
    let got = segmented_scan(ScanOp::Min, &input, &Segments::Length(3), &ScanOptions::default()).unwrap();
    assert_eq!(got.bits(), Values::F32(vec![2.0, f32::NAN, f32::NAN, 4.0, 3.0]).bits());
}

#[test]
fn one_segment_is_the_array() {
    let input = Values::F32(vec![1.5, -2.0, 0.1, 4.0]);
    for op in [ScanOp::Sum, ScanOp::Prod, ScanOp::Min, ScanOp::Max, ScanOp::Last] {
        let options = ScanOptions { reverse: true, ..Default::default() };
        assert_eq!(segmented_scan(op, &input, &Segments::Length(4), &options), scan(op, &input, &[4], None, &options));
    }
    for op in Op::ALL.into_iter().filter(|op| !matches!(op, Op::And | Op::Or | Op::Xor)) {
        let whole = reduce(op, &input, &[4], None, Nan::Propagate, false);
        assert_eq!(segmented_reduce(op, &input, &Segments::Length(4), Nan::Propagate, false), whole);
        let bound = reduce_bound(op, &input, &[4], None, Nan::Propagate, Element::F32);
        assert_eq!(segmented_reduce_bound(op, &input, &Segments::Length(4), Nan::Propagate, Element::F32), bound);
    }
}

#[test]
fn segments_are_reduced() {
    let input = Values::I32(vec![5, 3, 4, 1, 9, 2, 8, 7]);
    let offsets = Segments::Offsets(&[0, 3, 5, 8]);
    assert_eq!(reduced(Op::Sum, &input, offsets), Values::I32(vec![12, 10, 17]));
    assert_eq!(reduced(Op::Min, &input, offsets), Values::I32(vec![3, 1, 2]));
    assert_eq!(reduced(Op::ArgMin, &input, offsets), Values::U32(vec![1, 0, 0]));
    assert_eq!(reduced(Op::ArgMax, &input, offsets), Values::U32(vec![0, 1, 1]));
    assert_eq!(reduced(Op::Mean, &input, offsets), Values::F64(vec![4.0, 5.0, 5.666666666666667]));
    assert_eq!(reduced(Op::Var, &input, Segments::Offsets(&[3, 5, 8])), Values::F64(vec![16.0, 6.888888888888889]));
    let wide = segmented_reduce(Op::Sum, &Values::U32(vec![u32::MAX, 1, 7]), &Segments::Length(2), Nan::Propagate, true);
    assert_eq!(wide, Ok(Values::U64(vec![4_294_967_296, 7])));
}

#[test]
fn an_empty_segment_changes_nothing() {
    let of = |op, input: &Values| reduced(op, input, Segments::Offsets(&[0, 0]));
    let integers = Values::I32(vec![]);
    let exact = [(Op::Sum, 0), (Op::Prod, 1), (Op::Min, i32::MAX), (Op::Max, i32::MIN), (Op::And, -1), (Op::Or, 0), (Op::Xor, 0)];
    for (op, want) in exact {
        assert_eq!(of(op, &integers), Values::I32(vec![want]));
    }
    for (op, want) in [(Op::Any, 0), (Op::All, 1), (Op::ArgMin, u32::MAX), (Op::ArgMax, u32::MAX)] {
        assert_eq!(of(op, &integers), Values::U32(vec![want]));
    }
    for op in [Op::Norm1, Op::Norm2] {
        assert_eq!(of(op, &integers), Values::F64(vec![0.0]));
    }
    for op in [Op::Mean, Op::Var] {
        assert!(of(op, &integers).to_f64()[0].is_nan());
    }
    for op in [Op::Min, Op::Max] {
        let got = of(op, &Values::F16(vec![]));
        assert!(matches!(&got, Values::F16(data) if data[0].is_nan()), "{got:?}");
        assert_eq!(of(op, &Values::U64(vec![])), Values::U64(vec![if op == Op::Min { u64::MAX } else { 0 }]));
    }
    assert_eq!(reduced(Op::Mean, &integers, Segments::Length(2)), Values::F64(vec![]));
}

#[test]
fn nan_that_is_ignored() {
    let input = Values::F32(vec![f32::NAN, 2.0, f32::NAN, f32::NAN]);
    let of = |op| segmented_reduce(op, &input, &Segments::Length(2), Nan::Ignore, false).unwrap();
    assert_eq!(of(Op::Sum), Values::F64(vec![2.0, 0.0]));
    assert_eq!(of(Op::ArgMin), Values::U32(vec![1, u32::MAX]));
    assert_eq!(of(Op::Max).bits(), Values::F32(vec![2.0, f32::NAN]).bits());
    assert_eq!(reduced(Op::ArgMax, &input, Segments::Length(2)), Values::U32(vec![0, 0]));
}

#[test]
fn by_key() {
    let keys = Values::F16([1.0, 1.0, 2.0, 1.0].map(f16::from_f32).to_vec());
    let input = Values::U32(vec![10, 20, 30, 40]);
    let of = |op, keys| reduce_by_key(op, keys, &input, Nan::Propagate, false);
    assert_eq!(of(Op::Sum, &keys), Ok((keys.take([0, 2, 3]), Values::U32(vec![30, 30, 40]))));
    assert!(matches!(of(Op::Sum, &Values::U32(vec![1])), Err(Error::Length { .. })));
    let none = reduce_by_key(Op::Max, &Values::I64(vec![]), &Values::F32(vec![]), Nan::Propagate, false);
    assert_eq!(none, Ok((Values::I64(vec![]), Values::F32(vec![]))));
}

#[test]
fn bounds_begin_again() {
    let input = Values::F32(vec![1.0, 2.0, 4.0, 8.0]);
    let (unit, small) = (2f64.powi(-24), f64::from(f32::MIN_POSITIVE));
    let got = segmented_scan_bound(ScanOp::Sum, &input, &Segments::Offsets(&[1, 3]), &ScanOptions::default(), Element::F32);
    assert_eq!(got, Ok(vec![0.0, 128.0 * unit + small, 384.0 * unit + small, 0.0]));
    let got = segmented_reduce_bound(Op::Sum, &input, &Segments::Offsets(&[1, 3, 3]), Nan::Propagate, Element::F32);
    assert_eq!(got, Ok(vec![96.0 * unit + small, small]));
}
