//! Values taken from numpy 2.4, written down.

use half::f16;
use wavelane_reference::{Element, Error, ScanOp, ScanOptions, Values, scan, scan_bound};

const NAN: f32 = f32::NAN;

fn with(op: ScanOp, input: Values, options: ScanOptions) -> Values {
    scan(op, &input, &[input.len()], None, &options).unwrap()
}

fn inclusive(op: ScanOp, input: Values) -> Values {
    with(op, input, ScanOptions::default())
}

fn exclusive() -> ScanOptions {
    ScanOptions { exclusive: true, ..Default::default() }
}

fn reverse() -> ScanOptions {
    ScanOptions { reverse: true, ..Default::default() }
}

fn beginning(initial: Values) -> ScanOptions {
    ScanOptions { initial: Some(initial), ..Default::default() }
}

fn halves(data: &[f32]) -> Values {
    Values::F16(data.iter().map(|&x| f16::from_f32(x)).collect())
}

/// Like `==`, with NaN equal to NaN and -0 unlike +0.
fn assert_bits(got: &Values, want: &Values) {
    assert_eq!((got.element(), got.bits()), (want.element(), want.bits()), "{got:?} {want:?}");
}

#[test]
fn integers_wrap_in_their_type() {
    assert_eq!(inclusive(ScanOp::Sum, Values::I32(vec![i32::MAX, 1, 1])), Values::I32(vec![i32::MAX, i32::MIN, -2_147_483_647]));
    assert_eq!(inclusive(ScanOp::Sum, Values::U32(vec![u32::MAX, 1, 1])), Values::U32(vec![u32::MAX, 0, 1]));
    assert_eq!(inclusive(ScanOp::Prod, Values::U32(vec![65536, 65537, 3])), Values::U32(vec![65536, 65536, 196_608]));
}

#[test]
fn wide_sums_do_not_wrap() {
    let wide = |initial| ScanOptions { wide: true, initial, ..Default::default() };
    assert_eq!(with(ScanOp::Sum, Values::U32(vec![u32::MAX, 1]), wide(None)), Values::U64(vec![4_294_967_295, 4_294_967_296]));
    let initial = Some(Values::I32(vec![-1]));
    assert_eq!(with(ScanOp::Sum, Values::I32(vec![i32::MIN, 1]), wide(initial)), Values::I64(vec![-2_147_483_649, -2_147_483_648]));
    for (op, input) in [(ScanOp::Prod, Values::U32(vec![1])), (ScanOp::Sum, Values::U64(vec![1])), (ScanOp::Sum, Values::F32(vec![1.0]))] {
        let element = input.element();
        assert_eq!(scan(op, &input, &[1], None, &wide(None)), Err(Error::Wide { op, element }));
    }
}

#[test]
fn along_each_axis() {
    let input = Values::I32((0..24).collect());
    let sums = |axis| scan(ScanOp::Sum, &input, &[2, 3, 4], axis, &ScanOptions::default()).unwrap();
    let want = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34];
    assert_eq!(sums(Some(0)), Values::I32(want.to_vec()));
    let want = [0, 1, 2, 3, 4, 6, 8, 10, 12, 15, 18, 21, 12, 13, 14, 15, 28, 30, 32, 34, 48, 51, 54, 57];
    assert_eq!(sums(Some(1)), Values::I32(want.to_vec()));
    let want = [0, 1, 3, 6, 4, 9, 15, 22, 8, 17, 27, 38, 12, 25, 39, 54, 16, 33, 51, 70, 20, 41, 63, 86];
    assert_eq!(sums(Some(2)), Values::I32(want.to_vec()));
    assert_eq!(sums(None), Values::I32((0..24).map(|n| n * (n + 1) / 2).collect()));
}

#[test]
fn exclusive_begins_with_the_identity() {
    let first = |op, input| with(op, input, exclusive()).take([0]);
    let of_integers = [(ScanOp::Sum, 0), (ScanOp::Prod, 1), (ScanOp::Min, i32::MAX), (ScanOp::Max, i32::MIN)];
    for (op, identity) in of_integers.into_iter().chain([(ScanOp::And, -1), (ScanOp::Or, 0), (ScanOp::Xor, 0), (ScanOp::Last, 0)]) {
        assert_eq!(first(op, Values::I32(vec![5, 6])), Values::I32(vec![identity]));
        assert_eq!(with(op, Values::I32(vec![5, 6]), exclusive()).take([1]), Values::I32(vec![5]));
    }
    assert_eq!(first(ScanOp::Min, Values::F32(vec![5.0])), Values::F32(vec![f32::INFINITY]));
    assert_eq!(first(ScanOp::Max, halves(&[5.0])), Values::F16(vec![f16::NEG_INFINITY]));
    assert_eq!(first(ScanOp::Prod, Values::F32(vec![5.0])), Values::F64(vec![1.0]));
    assert_eq!(first(ScanOp::Last, Values::F64(vec![5.0])), Values::F64(vec![0.0]));
}

#[test]
fn from_the_end_and_from_an_initial_value() {
    let input = || Values::F64(vec![1.0, 2.0, 3.0, 4.0]);
    assert_eq!(with(ScanOp::Sum, input(), reverse()), Values::F64(vec![10.0, 9.0, 7.0, 4.0]));
    assert_eq!(with(ScanOp::Prod, input(), reverse()), Values::F64(vec![24.0, 24.0, 12.0, 4.0]));
    let ten = Some(Values::F64(vec![10.0]));
    let options = ScanOptions { exclusive: true, initial: ten.clone(), ..Default::default() };
    assert_eq!(with(ScanOp::Sum, input(), options.clone()), Values::F64(vec![10.0, 11.0, 13.0, 16.0]));
    assert_eq!(with(ScanOp::Sum, input(), ScanOptions { reverse: true, ..options }), Values::F64(vec![19.0, 17.0, 14.0, 10.0]));
    assert_eq!(with(ScanOp::Min, input(), beginning(Values::F64(vec![2.5]))), Values::F64(vec![1.0; 4]));
    assert_eq!(with(ScanOp::Max, input(), beginning(Values::F64(vec![2.5]))), Values::F64(vec![2.5, 2.5, 3.0, 4.0]));
}

#[test]
fn bits() {
    let input = || Values::U32(vec![12, 10, 7, 9]);
    assert_eq!(inclusive(ScanOp::And, input()), Values::U32(vec![12, 8, 0, 0]));
    assert_eq!(inclusive(ScanOp::Or, input()), Values::U32(vec![12, 14, 15, 15]));
    assert_eq!(inclusive(ScanOp::Xor, input()), Values::U32(vec![12, 6, 1, 8]));
    let error = scan(ScanOp::And, &halves(&[1.0]), &[1], None, &ScanOptions::default()).unwrap_err();
    assert_eq!(error.to_string(), "and of f16 is not defined");
}

#[test]
fn extremes_keep_nan_and_tell_zeros_apart() {
    let input = || halves(&[3.0, -0.0, 0.0, -0.0, NAN, -7.0, f32::INFINITY]);
    assert_bits(&inclusive(ScanOp::Min, input()), &halves(&[3.0, -0.0, -0.0, -0.0, NAN, NAN, NAN]));
    assert_bits(&inclusive(ScanOp::Max, input()), &halves(&[3.0, 3.0, 3.0, 3.0, NAN, NAN, NAN]));
    assert_bits(&inclusive(ScanOp::Min, Values::F64(vec![0.0, -0.0, 0.0])), &Values::F64(vec![0.0, -0.0, -0.0]));
    assert_bits(&inclusive(ScanOp::Max, Values::F64(vec![-0.0, 0.0, -0.0])), &Values::F64(vec![-0.0, 0.0, 0.0]));
}

#[test]
fn sums_of_floats_carry_what_they_lose() {
    let want = [0.10000000149011612, 0.20000000298023224, 0.30000000447034836, 0.4000000059604645, 0.5000000074505806];
    assert_eq!(inclusive(ScanOp::Sum, Values::F32(vec![0.1; 5])), Values::F64(want.to_vec()));
    assert_eq!(inclusive(ScanOp::Sum, Values::F64(vec![1.0, 1e100, 1.0, -1e100])), Values::F64(vec![1.0, 1e100, 1e100, 2.0]));
    let got = inclusive(ScanOp::Sum, Values::F32(vec![1.0, f32::INFINITY, f32::NEG_INFINITY, 1.0])).to_f64();
    assert!(got[1] == f64::INFINITY && got[2].is_nan() && got[3].is_nan(), "{got:?}");
}

#[test]
fn the_last_that_is_not_zero_is_carried() {
    assert_eq!(inclusive(ScanOp::Last, Values::U32(vec![0, 3, 0, 0, 5, 0])), Values::U32(vec![0, 3, 3, 3, 5, 5]));
    assert_eq!(with(ScanOp::Last, Values::U32(vec![0, 3, 0, 0, 5, 0]), reverse()), Values::U32(vec![3, 3, 5, 5, 5, 0]));
    assert_eq!(with(ScanOp::Last, Values::I64(vec![0, 3, 0]), beginning(Values::I64(vec![9]))), Values::I64(vec![9, 3, 3]));
    assert_eq!(with(ScanOp::Last, Values::U32(vec![1, 0, 2]), exclusive()), Values::U32(vec![0, 1, 1]));
    let input = Values::F32(vec![-0.0, 2.0, -0.0, 0.0, NAN, 0.0]);
    assert_bits(&inclusive(ScanOp::Last, input), &Values::F32(vec![0.0, 2.0, 2.0, 2.0, NAN, NAN]));
}

#[test]
fn empty() {
    for op in ScanOp::ALL {
        let of = |shape, axis| scan(op, &Values::U32(vec![]), shape, axis, &ScanOptions::default());
        assert_eq!(of(&[0], None), Ok(Values::U32(vec![])));
        assert_eq!(of(&[0, usize::MAX], Some(0)), Ok(Values::U32(vec![])));
        assert_eq!(of(&[usize::MAX, 0], Some(1)), Ok(Values::U32(vec![])));
        assert!(matches!(of(&[0, usize::MAX, 2], Some(0)), Err(Error::Shape { .. })));
    }
    let five = Values::U32(vec![5]);
    assert_eq!(scan(ScanOp::Sum, &five, &[], None, &ScanOptions::default()), Ok(five));
}

#[test]
fn arguments_that_do_not_fit() {
    let input = Values::U32(vec![1, 2]);
    let of = |initial| scan(ScanOp::Sum, &input, &[2], None, &beginning(initial)).unwrap_err().to_string();
    assert_eq!(of(Values::F32(vec![1.0])), "initial has to be one u32, not 1 f32");
    assert_eq!(of(Values::U32(vec![])), "initial has to be one u32, not 0 u32");
    assert!(matches!(scan(ScanOp::Sum, &input, &[3], None, &exclusive()), Err(Error::Shape { .. })));
    assert_eq!(scan(ScanOp::Sum, &input, &[2], Some(1), &exclusive()), Err(Error::Axis { axis: 1, dimensions: 1 }));
}

#[test]
fn bounds_follow_the_prefix() {
    let unit = 2f64.powi(-24);
    let small = f64::from(f32::MIN_POSITIVE);
    let of = |op, data: &[f32], options: &ScanOptions| {
        scan_bound(op, &Values::F32(data.to_vec()), &[data.len()], None, options, Element::F32).unwrap()
    };
    let sums = of(ScanOp::Sum, &[1.0, -2.0, f32::INFINITY, 1.0], &beginning(Values::F32(vec![-4.0])));
    assert_eq!(sums, [64.0 * unit * 5.0 + small, 64.0 * unit * 7.0 + small, 0.0, 0.0]);
    assert_eq!(of(ScanOp::Sum, &[1.0, 2.0], &exclusive()), [small, 64.0 * unit + small]);
    assert_eq!(of(ScanOp::Sum, &[1.0, 2.0], &reverse()), [64.0 * unit * 3.0 + small, 64.0 * unit * 2.0 + small]);
    assert_eq!(of(ScanOp::Prod, &[2.0, -3.0, NAN], &ScanOptions::default()), [4.0 * unit + small, 18.0 * unit + small, 0.0]);
    assert_eq!(of(ScanOp::Min, &[2.0, 1.0], &ScanOptions::default()), [0.0, 0.0]);
    let exact = scan_bound(ScanOp::Sum, &Values::I32(vec![1, 2]), &[2], Some(0), &ScanOptions::default(), Element::F32);
    assert_eq!(exact, Ok(vec![0.0, 0.0]));
    let double = scan_bound(ScanOp::Sum, &Values::F64(vec![1.0]), &[1], None, &ScanOptions::default(), Element::F64).unwrap();
    assert_eq!(double, [64.0 * 2f64.powi(-53) + f64::MIN_POSITIVE]);
}

#[test]
fn small_signed_integers_are_computed_in_words() {
    let input = || Values::I8(vec![100, 100, -1]);
    assert_eq!(inclusive(ScanOp::Sum, input()), Values::I32(vec![100, 200, 199]));
    let from = ScanOptions { exclusive: true, ..beginning(Values::I8(vec![-5])) };
    assert_eq!(with(ScanOp::Min, input(), from), Values::I32(vec![-5, -5, -5]));
}
