//! Values taken from numpy, written down: `np.union1d`, `np.intersect1d`, `np.setdiff1d` and `np.setxor1d`; which of two zeros a result is follows from the order of the elements.

use half::f16;
use wavelane_reference::{Error, SetOp, Values, set_operation};

fn all(first: &Values, second: &Values) -> [Values; 4] {
    SetOp::ALL.map(|op| set_operation(op, first, second).expect("two arrays of one type"))
}

#[test]
fn each_once() {
    let of = |x: &[i32]| Values::I32(x.to_vec());
    let wanted = [&[-5, 0, 3, 7, 9][..], &[0, 7], &[-5, 3], &[-5, 3, 9]].map(of);
    assert_eq!(all(&of(&[-5, 0, 0, 3, 7, 7]), &of(&[0, 7, 7, 9, 9])), wanted);
    assert_eq!(all(&of(&[]), &of(&[1, 1])), [&[1][..], &[], &[], &[1]].map(of));
    assert_eq!(all(&of(&[1, 1]), &of(&[])), [&[1][..], &[], &[1], &[1]].map(of));
    assert_eq!(all(&of(&[]), &of(&[])), [(); 4].map(|()| of(&[])));
    let error = set_operation(SetOp::Union, &of(&[1]), &Values::U8(vec![1]));
    assert!(matches!(error, Err(Error::Mismatch { .. })), "{error:?}");
}

/// By their bits, as NaN do not equal each other.
fn same(got: [Values; 4], want: [&[f32]; 4]) {
    let bits = |values: &Values| values.to_f64().iter().map(|x| (x.is_nan(), x.to_bits() * u64::from(!x.is_nan()))).collect::<Vec<_>>();
    for (got, want) in got.iter().zip(want) {
        assert_eq!(bits(got), bits(&Values::F32(want.to_vec())), "{got:?} {want:?}");
    }
}

#[test]
fn nan_are_in_no_other_array() {
    const NAN: f32 = f32::NAN;
    let of = |x: &[f32]| Values::F32(x.to_vec());
    same(all(&of(&[1.0, NAN, NAN]), &of(&[2.0, NAN])), [&[1.0, 2.0, NAN], &[], &[1.0, NAN], &[1.0, 2.0, NAN, NAN]]);
    same(all(&of(&[NAN]), &of(&[NAN])), [&[NAN], &[], &[NAN], &[NAN, NAN]]);
    same(all(&of(&[1.0]), &of(&[NAN, NAN])), [&[1.0, NAN], &[], &[1.0], &[1.0, NAN]]);
    same(all(&of(&[-0.0, 0.0]), &of(&[0.0])), [&[-0.0], &[-0.0], &[], &[]]);
    let halves = |x: &[f32]| Values::F16(x.iter().map(|&x| f16::from_f32(x)).collect());
    same(all(&halves(&[-0.0, 0.0]), &halves(&[3.0, NAN])), [&[-0.0, 3.0, NAN], &[], &[-0.0], &[-0.0, 3.0, NAN]]);
}
