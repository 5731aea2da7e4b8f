//! Values taken from numpy 2.4, written down.

use half::f16;
use wavelane_reference::{BinaryOp, Element, Error, UnaryOp, Values, transform_binary, transform_unary};

fn unary(op: UnaryOp, input: Values) -> Values {
    transform_unary(op, &input).unwrap()
}

fn binary(op: BinaryOp, a: Values, b: Values) -> Values {
    transform_binary(op, &a, &[a.len()], &b, &[b.len()]).unwrap().0
}

fn near(got: Values, want: &[f64]) {
    assert_eq!(got.element(), Element::F64);
    for (a, b) in got.to_f64().iter().zip(want) {
        // Libraries differ in the last bit of transcendental functions.
        assert!(a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() < 1e-15, "{got:?} {want:?}");
    }
}

#[test]
fn integers_wrap() {
    let input = || Values::I32(vec![7, -7, i32::MIN]);
    assert_eq!(unary(UnaryOp::Neg, input()), Values::I32(vec![-7, 7, i32::MIN]));
    assert_eq!(unary(UnaryOp::Abs, input()), Values::I32(vec![7, 7, i32::MIN]));
    assert_eq!(unary(UnaryOp::Not, input()), Values::I32(vec![-8, 6, i32::MAX]));
    assert_eq!(unary(UnaryOp::Floor, input()), input());
    assert_eq!(unary(UnaryOp::Neg, Values::U32(vec![1, 0])), Values::U32(vec![u32::MAX, 0]));
    assert_eq!(binary(BinaryOp::Sub, Values::U32(vec![1]), Values::U32(vec![2])), Values::U32(vec![u32::MAX]));
    assert_eq!(binary(BinaryOp::Add, Values::I64(vec![i64::MAX]), Values::I64(vec![1])), Values::I64(vec![i64::MIN]));
}

#[test]
fn exact_results_of_floats_keep_the_type() {
    let halves = |data: [f32; 3]| Values::F16(data.map(f16::from_f32).to_vec());
    let bits = |op| unary(op, halves([1.5, -1.5, -0.5])).bits();
    assert_eq!(bits(UnaryOp::Floor), halves([1.0, -2.0, -1.0]).bits());
    assert_eq!(bits(UnaryOp::Ceil), halves([2.0, -1.0, -0.0]).bits());
    assert_eq!(bits(UnaryOp::Neg), halves([-1.5, 1.5, 0.5]).bits());
    assert_eq!(bits(UnaryOp::Abs), halves([1.5, 1.5, 0.5]).bits());
}

#[test]
fn others_come_in_f64() {
    near(unary(UnaryOp::Sqrt, Values::F32(vec![5.0, -1.0])), &[2.23606797749979, f64::NAN]);
    near(unary(UnaryOp::Sqrt, Values::I32(vec![5])), &[2.23606797749979]);
    near(unary(UnaryOp::Exp, Values::F32(vec![2.0])), &[7.38905609893065]);
    near(unary(UnaryOp::Log, Values::F32(vec![3.0, 0.0])), &[1.0986122886681098, f64::NEG_INFINITY]);
    near(unary(UnaryOp::Sin, Values::F64(vec![1.0])), &[0.8414709848078965]);
    near(unary(UnaryOp::Cos, Values::F64(vec![1.0])), &[0.5403023058681398]);
    near(unary(UnaryOp::Tanh, Values::F64(vec![1.0])), &[0.7615941559557649]);
    let f32s = |x| Values::F32(vec![x]);
    assert_eq!(binary(BinaryOp::Add, f32s(0.1), f32s(0.2)), Values::F64(vec![0.30000000447034836]));
    assert_eq!(binary(BinaryOp::Div, f32s(1.0), f32s(3.0)), Values::F64(vec![0.3333333333333333]));
    assert_eq!(binary(BinaryOp::Div, f32s(1.0), f32s(0.0)), Values::F64(vec![f64::INFINITY]));
}

#[test]
fn integers_divide_downwards() {
    let (a, b) = (Values::I32(vec![7, -7, 7, -7, 5, i32::MIN]), Values::I32(vec![2, 2, -2, -2, 0, -1]));
    assert_eq!(binary(BinaryOp::Div, a, b), Values::I32(vec![3, -4, -4, 3, 0, i32::MIN]));
    assert_eq!(binary(BinaryOp::Div, Values::U64(vec![u64::MAX, 1]), Values::U64(vec![2, 0])), Values::U64(vec![u64::MAX / 2, 0]));
}

#[test]
fn extremes_keep_nan() {
    let (a, b) = (Values::F32(vec![1.0, f32::NAN, 3.0, 0.0]), Values::F32(vec![2.0, 2.0, f32::NAN, -0.0]));
    let want = |x: [f32; 4]| Values::F32(x.to_vec()).bits();
    assert_eq!(binary(BinaryOp::Min, a.clone(), b.clone()).bits(), want([1.0, f32::NAN, f32::NAN, -0.0]));
    assert_eq!(binary(BinaryOp::Max, a, b).bits(), want([2.0, f32::NAN, f32::NAN, 0.0]));
}

#[test]
fn shapes_broadcast() {
    let of = |op, a: &Values, a_shape: &[usize], b: &Values, b_shape: &[usize]| transform_binary(op, a, a_shape, b, b_shape);
    let got = of(BinaryOp::Add, &Values::I32(vec![0, 1, 2]), &[3, 1], &Values::I32(vec![10, 20]), &[2]);
    assert_eq!(got, Ok((Values::I32(vec![10, 20, 11, 21, 12, 22]), vec![3, 2])));
    let got = of(BinaryOp::Mul, &Values::U32((0..6).collect()), &[2, 1, 3], &Values::U32(vec![1, 2]), &[2, 1]);
    assert_eq!(got, Ok((Values::U32(vec![0, 1, 2, 0, 2, 4, 3, 4, 5, 6, 8, 10]), vec![2, 2, 3])));
    let got = of(BinaryOp::Xor, &Values::U32(vec![6]), &[], &Values::U32(vec![3]), &[]);
    assert_eq!(got, Ok((Values::U32(vec![5]), vec![])));
    let got = of(BinaryOp::Sub, &Values::F32(vec![]), &[0, 3], &Values::F32(vec![1.0; 3]), &[1, 3]);
    assert_eq!(got, Ok((Values::F64(vec![]), vec![0, 3])));
    let error = of(BinaryOp::Add, &Values::U32(vec![1; 3]), &[3], &Values::U32(vec![1; 2]), &[2]).unwrap_err();
    assert_eq!(error.to_string(), "shapes [3] and [2] do not broadcast");
    let error = of(BinaryOp::Add, &Values::U32(vec![1; 3]), &[2], &Values::U32(vec![1; 2]), &[2]).unwrap_err();
    assert_eq!(error, Error::Shape { shape: vec![2], len: 3 });
}

#[test]
fn what_is_not_defined() {
    let float = Values::F32(vec![1.0]);
    assert_eq!(transform_unary(UnaryOp::Not, &float).unwrap_err().to_string(), "not of f32 is not defined");
    let error = transform_binary(BinaryOp::Or, &float, &[1], &float, &[1]).unwrap_err();
    assert_eq!(error, Error::Undefined { operation: "or", element: Element::F32 });
    let error = transform_binary(BinaryOp::Add, &float, &[1], &Values::U32(vec![1]), &[1]).unwrap_err();
    assert_eq!(error.to_string(), "the second array has to be f32, not u32");
}

#[test]
fn shifts_by_too_much_leave_the_sign() {
    let ints = |data: [i32; 4]| Values::I32(data.to_vec());
    assert_eq!(binary(BinaryOp::Shl, ints([1, 1, 1, -5]), ints([31, 32, -1, 1])), ints([i32::MIN, 0, 0, -10]));
    assert_eq!(binary(BinaryOp::Shr, ints([-8, -8, 8, 8]), ints([1, 40, -1, 2])), ints([-4, -1, 0, 2]));
    assert_eq!(binary(BinaryOp::Shl, Values::U8(vec![200, 1]), Values::U8(vec![1, 8])), Values::U8(vec![144, 0]));
    assert_eq!(binary(BinaryOp::Shr, Values::U64(vec![u64::MAX; 2]), Values::U64(vec![63, 64])), Values::U64(vec![1, 0]));
}

#[test]
fn comparisons_of_nan_fail() {
    let (a, b) = (|| Values::F32(vec![-0.0, 1.0, f32::NAN, f32::NAN]), || Values::F32(vec![0.0, 2.0, f32::NAN, 1.0]));
    for (op, want) in [
        (BinaryOp::Eq, [1, 0, 0, 0]),
        (BinaryOp::Ne, [0, 1, 1, 1]),
        (BinaryOp::Lt, [0, 1, 0, 0]),
        (BinaryOp::Le, [1, 1, 0, 0]),
        (BinaryOp::Gt, [0, 0, 0, 0]),
        (BinaryOp::Ge, [1, 0, 0, 0]),
    ] {
        assert_eq!(binary(op, a(), b()), Values::U32(want.to_vec()), "{}", op.name());
    }
    assert_eq!(binary(BinaryOp::Lt, Values::U16(vec![3]), Values::U16(vec![40_000])), Values::U32(vec![1]));
}

/// By numpy 1.24, of int8.
#[test]
fn small_signed_integers_wrap_in_their_type() {
    let (a, b) = (|| Values::I8(vec![-7, -128, 100, 7]), || Values::I8(vec![2, -1, 3, -2]));
    assert_eq!(binary(BinaryOp::Div, a(), b()), Values::I8(vec![-4, -128, 33, -4]));
    assert_eq!(binary(BinaryOp::Add, a(), b()), Values::I8(vec![-5, 127, 103, 5]));
    assert_eq!(binary(BinaryOp::Mul, a(), b()), Values::I8(vec![-14, -128, 44, -14]));
    let by = || Values::I8(vec![1, 7, 8, 2]);
    assert_eq!(binary(BinaryOp::Shl, a(), by()), Values::I8(vec![-14, 0, 0, 28]));
    assert_eq!(binary(BinaryOp::Shr, a(), by()), Values::I8(vec![-4, -1, 0, 1]));
    assert_eq!(unary(UnaryOp::Neg, a()), Values::I8(vec![7, -128, -100, -7]));
    assert_eq!(unary(UnaryOp::Abs, a()), Values::I8(vec![7, -128, 100, 7]));
    assert_eq!(binary(BinaryOp::Lt, Values::I16(vec![-1]), Values::I16(vec![1])), Values::U32(vec![1]));
}
