//! Values taken from numpy 1.24, written down.

use half::f16;
use wavelane_reference::{Error, Nan, Op, Values, reduce};

const NAN: f64 = f64::NAN;

fn whole(op: Op, input: Values) -> Values {
    let len = input.len();
    reduce(op, &input, &[len], None, Nan::Propagate, false).unwrap()
}

fn ignoring(op: Op, input: Values) -> Result<Values, Error> {
    let len = input.len();
    reduce(op, &input, &[len], None, Nan::Ignore, false)
}

/// Like `==`, with NaN equal to NaN.
fn assert_same(got: Values, want: &[f64]) {
    let got = got.to_f64();
    assert_eq!(got.len(), want.len(), "{got:?} {want:?}");
    for (a, b) in got.iter().zip(want) {
        assert!(a == b || (a.is_nan() && b.is_nan()), "{got:?} {want:?}");
    }
}

fn twenty_four() -> Values {
    Values::I32((0..24).collect())
}

fn along(op: Op, input: &Values, shape: &[usize], axis: usize) -> Values {
    reduce(op, input, shape, Some(axis), Nan::Propagate, false).unwrap()
}

#[test]
fn integers_wrap_in_their_type() {
    assert_eq!(whole(Op::Sum, Values::I32(vec![i32::MAX, 1])), Values::I32(vec![i32::MIN]));
    assert_eq!(whole(Op::Prod, Values::U32(vec![65536, 65537])), Values::U32(vec![65536]));
    assert_eq!(whole(Op::Prod, Values::I32(vec![-3, 100_000, 70_000])), Values::I32(vec![474_836_480]));
    assert_eq!(whole(Op::Sum, Values::U64(vec![u64::MAX, 2])), Values::U64(vec![1]));
}

#[test]
fn wide_results_do_not_wrap() {
    let wide = |op, input: Values| reduce(op, &input, &[2], None, Nan::Propagate, true).unwrap();
    assert_eq!(wide(Op::Sum, Values::I32(vec![i32::MIN, -1])), Values::I64(vec![-2_147_483_649]));
    assert_eq!(wide(Op::Sum, Values::U32(vec![u32::MAX, 1])), Values::U64(vec![1 << 32]));
    assert_eq!(wide(Op::Prod, Values::U32(vec![65536, 65537])), Values::U64(vec![4_295_032_832]));
    assert_eq!(wide(Op::Min, Values::U32(vec![7, 5])), Values::U32(vec![5]));
    assert_eq!(wide(Op::Sum, Values::I64(vec![7, 5])), Values::I64(vec![12]));
}

#[test]
fn along_each_axis() {
    let input = twenty_four();
    let shape = [2, 3, 4];
    assert_eq!(along(Op::Sum, &input, &shape, 1), Values::I32(vec![12, 15, 18, 21, 48, 51, 54, 57]));
    assert_eq!(along(Op::Max, &input, &shape, 0), Values::I32((12..24).collect()));
    assert_eq!(along(Op::Min, &input, &shape, 2), Values::I32(vec![0, 4, 8, 12, 16, 20]));
    assert_eq!(along(Op::ArgMax, &input, &shape, 1), Values::U32(vec![2; 8]));
    assert_eq!(along(Op::Var, &input, &shape, 2), Values::F64(vec![1.25; 6]));
    assert_eq!(along(Op::Mean, &input, &shape, 0), Values::F64((6..18).map(f64::from).collect()));
}

#[test]
fn moments_and_norms() {
    assert_eq!(whole(Op::Var, twenty_four()), Values::F64(vec![47.916666666666664]));
    assert_eq!(whole(Op::Var, Values::F32(vec![1.5, 2.5, 4.0, 8.0])), Values::F64(vec![6.125]));
    assert_eq!(whole(Op::Mean, Values::F16([1.0, 2.0, 3.0].map(f16::from_f32).to_vec())), Values::F64(vec![2.0]));
    assert_eq!(whole(Op::Norm2, Values::F64(vec![3.0, -4.0, 12.0])), Values::F64(vec![13.0]));
    assert_eq!(whole(Op::Norm1, Values::I32(vec![i32::MIN, -1])), Values::F64(vec![2_147_483_649.0]));
    assert_eq!(whole(Op::Mean, Values::U64(vec![u64::MAX, u64::MAX])), Values::F64(vec![18_446_744_073_709_551_615.0]));
}

#[test]
fn variance_far_from_zero_is_not_lost() {
    let far: Vec<f32> = (0..1000).map(|k| 16_000_000.0 + (k % 2) as f32).collect();
    assert_eq!(whole(Op::Var, Values::F32(far)), Values::F64(vec![0.25]));
}

#[test]
fn sums_of_floats_carry_what_they_lose() {
    assert_eq!(whole(Op::Sum, Values::F64(vec![1.0, 1e100, 1.0, -1e100])), Values::F64(vec![2.0]));
    assert_same(whole(Op::Sum, Values::F64(vec![1.0, f64::INFINITY])), &[f64::INFINITY]);
    assert_same(whole(Op::Sum, Values::F64(vec![f64::NEG_INFINITY, f64::INFINITY])), &[NAN]);
}

#[test]
fn bits() {
    assert_eq!(whole(Op::Xor, Values::U32(vec![12, 10, 7])), Values::U32(vec![1]));
    assert_eq!(whole(Op::And, Values::I32(vec![-4, 6])), Values::I32(vec![4]));
    assert_eq!(whole(Op::Or, Values::I64(vec![-4, 6])), Values::I64(vec![-2]));
    let error = reduce(Op::And, &Values::F32(vec![1.0]), &[1], None, Nan::Propagate, false).unwrap_err();
    assert_eq!(error.to_string(), "and of f32 is not defined");
}

#[test]
fn nan_comes_through() {
    let input = || Values::F64(vec![1.0, NAN, -3.0, NAN]);
    for op in [Op::Sum, Op::Prod, Op::Min, Op::Max, Op::Mean, Op::Var, Op::Norm1, Op::Norm2] {
        assert_same(whole(op, input()), &[NAN]);
    }
    assert_eq!(whole(Op::ArgMax, input()), Values::U32(vec![1]));
    assert_eq!(whole(Op::ArgMin, input()), Values::U32(vec![1]));
    assert_eq!(whole(Op::Any, Values::F64(vec![NAN])), Values::U32(vec![1]));
    assert_eq!(whole(Op::All, Values::F64(vec![NAN, 1.0])), Values::U32(vec![1]));
}

#[test]
fn nan_is_ignored() {
    let input = || Values::F64(vec![NAN, 2.0, NAN, -3.0, 0.5]);
    let want = [
        (Op::Sum, -0.5),
        (Op::Prod, -3.0),
        (Op::Min, -3.0),
        (Op::Max, 2.0),
        (Op::Mean, -0.16666666666666666),
        (Op::Var, 4.388888888888888),
        (Op::Norm1, 5.5),
        (Op::ArgMin, 3.0),
        (Op::ArgMax, 1.0),
        (Op::All, 1.0),
    ];
    for (op, value) in want {
        assert_same(ignoring(op, input()).unwrap(), &[value]);
    }
}

#[test]
fn only_nan_ignored() {
    let input = || Values::F32(vec![f32::NAN, f32::NAN]);
    let want = [
        (Op::Sum, 0.0),
        (Op::Prod, 1.0),
        (Op::Min, NAN),
        (Op::Max, NAN),
        (Op::Mean, NAN),
        (Op::Var, NAN),
        (Op::Norm1, 0.0),
        (Op::Norm2, 0.0),
        (Op::Any, 0.0),
        (Op::All, 1.0),
    ];
    for (op, value) in want {
        assert_same(ignoring(op, input()).unwrap(), &[value]);
    }
    assert_eq!(ignoring(Op::ArgMax, input()), Err(Error::AllNan { op: Op::ArgMax }));
}

#[test]
fn first_of_equals() {
    assert_eq!(whole(Op::ArgMax, Values::U32(vec![3, 1, 3])), Values::U32(vec![0]));
    assert_eq!(whole(Op::ArgMin, Values::F32(vec![0.0, -0.0])), Values::U32(vec![0]));
    assert_eq!(whole(Op::ArgMin, Values::I64(vec![2, i64::MIN, i64::MIN])), Values::U32(vec![1]));
}

#[test]
fn empty() {
    let floats = || Values::F32(vec![]);
    let want = [
        (Op::Sum, 0.0),
        (Op::Prod, 1.0),
        (Op::Any, 0.0),
        (Op::All, 1.0),
        (Op::Norm1, 0.0),
        (Op::Norm2, 0.0),
        (Op::Mean, NAN),
        (Op::Var, NAN),
    ];
    for (op, value) in want {
        assert_same(whole(op, floats()), &[value]);
        assert_same(whole(op, Values::I32(vec![])), &[value]);
    }
    assert_eq!(whole(Op::And, Values::U32(vec![])), Values::U32(vec![u32::MAX]));
    assert_eq!(whole(Op::And, Values::I64(vec![])), Values::I64(vec![-1]));
    assert_eq!(whole(Op::Xor, Values::I32(vec![])), Values::I32(vec![0]));
    for op in [Op::Min, Op::Max, Op::ArgMin, Op::ArgMax] {
        assert_eq!(reduce(op, &floats(), &[0], None, Nan::Propagate, false), Err(Error::Empty { op }));
        assert_eq!(reduce(op, &floats(), &[5, 0], Some(1), Nan::Ignore, false), Err(Error::Empty { op }));
        assert_eq!(reduce(op, &floats(), &[0, 5], Some(1), Nan::Propagate, false).map(|values| values.len()), Ok(0));
    }
    assert_same(along(Op::Mean, &floats(), &[2, 0], 1), &[NAN, NAN]);
    assert_same(along(Op::Prod, &floats(), &[2, 0], 1), &[1.0, 1.0]);
}

#[test]
fn no_dimension_is_one_value() {
    let five = Values::U32(vec![5]);
    assert_eq!(reduce(Op::Sum, &five, &[], None, Nan::Propagate, false), Ok(Values::U32(vec![5])));
    assert_eq!(reduce(Op::Sum, &five, &[], Some(0), Nan::Propagate, false), Err(Error::Axis { axis: 0, dimensions: 0 }));
}

#[test]
fn shapes_that_do_not_hold() {
    let input = Values::U32(vec![1, 2, 3]);
    let error = reduce(Op::Sum, &input, &[2, 2], None, Nan::Propagate, false).unwrap_err();
    assert_eq!(error.to_string(), "shape [2, 2] does not hold 3 elements");
    let error = reduce(Op::Sum, &input, &[usize::MAX, 2], None, Nan::Propagate, false).unwrap_err();
    assert!(matches!(error, Error::Shape { .. }));
}

/// As documented: numpy's minimum and maximum of zeros of both signs depend on their order.
#[test]
fn zeros_are_ordered_by_their_sign() {
    for line in [[0.0, -0.0], [-0.0, 0.0]] {
        let input = Values::F32(line.to_vec());
        for nan in [Nan::Propagate, Nan::Ignore] {
            let bits = |op| reduce(op, &input, &[2], None, nan, false).unwrap().bits();
            assert_eq!((bits(Op::Min), bits(Op::Max)), (vec![0x8000_0000], vec![0]), "{line:?}");
            assert_eq!((bits(Op::ArgMin), bits(Op::ArgMax)), (vec![0], vec![0]), "{line:?}");
        }
    }
}

#[test]
fn small_signed_integers_are_computed_in_words() {
    let input = || Values::I8(vec![100, 100, -1]);
    assert_eq!(whole(Op::Sum, input()), Values::I32(vec![199]));
    assert_eq!(reduce(Op::Sum, &input(), &[3], None, Nan::Propagate, true), Ok(Values::I64(vec![199])));
    assert_eq!(whole(Op::Min, Values::I16(vec![300, -32_768])), Values::I32(vec![-32_768]));
    assert_eq!(whole(Op::ArgMin, input()), Values::U32(vec![2]));
}
