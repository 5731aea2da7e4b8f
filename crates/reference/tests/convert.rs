//! Values taken from numpy 2.4, written down; those that numpy leaves to the processor (floats beyond an integer type) from Rust's `as`.

use half::f16;
use wavelane_reference::{Element, Values, convert};

#[test]
fn integers_lose_upper_bits() {
    let input = Values::I64(vec![(1 << 32) + 5, -1, 1 << 31]);
    assert_eq!(convert(&input, Element::I32), Values::I32(vec![5, -1, i32::MIN]));
    assert_eq!(convert(&input, Element::U32), Values::U32(vec![5, u32::MAX, 1 << 31]));
    assert_eq!(convert(&Values::I32(vec![-1]), Element::U64), Values::U64(vec![u64::MAX]));
    assert_eq!(convert(&Values::U32(vec![u32::MAX]), Element::I64), Values::I64(vec![4_294_967_295]));
}

#[test]
fn floats_saturate() {
    let input = Values::F32(vec![1.9, -1.9, 1e20, -1e20, f32::NAN]);
    assert_eq!(convert(&input, Element::I32), Values::I32(vec![1, -1, i32::MAX, i32::MIN, 0]));
    assert_eq!(convert(&input, Element::U32), Values::U32(vec![1, 0, u32::MAX, 0, 0]));
    assert_eq!(convert(&input, Element::I64), Values::I64(vec![1, -1, i64::MAX, i64::MIN, 0]));
    assert_eq!(convert(&Values::F16(vec![f16::INFINITY]), Element::U64), Values::U64(vec![u64::MAX]));
}

#[test]
fn integers_round_to_floats_once() {
    let input = Values::I64(vec![(1 << 24) + 1, (1 << 24) + 3, i64::MAX, i64::MIN, (1 << 54) + (1 << 30) + 1]);
    let want = [0x4b80_0000, 0x4b80_0002, 0x5f00_0000, 0xdf00_0000, 0x5a80_0001];
    assert_eq!(convert(&input, Element::F32), Values::F32(want.map(f32::from_bits).to_vec()));
    assert_eq!(convert(&Values::U64(vec![(1 << 53) + 1]), Element::F64), Values::F64(vec![9_007_199_254_740_992.0]));
    let halves = convert(&Values::U32(vec![65519, 65520, 2049, u32::MAX]), Element::F16);
    assert_eq!(halves.to_f64(), [65504.0, f64::INFINITY, 2048.0, f64::INFINITY]);
}

#[test]
fn doubles_round_to_halves_once() {
    let tiny = |exponent| 2f64.powi(exponent);
    let want = [
        (65519.99999, 0x7bff),
        (65_520.0, 0x7c00),
        (2049.0, 0x6800),
        (2051.0, 0x6802),
        (2049.0 + tiny(-30), 0x6801),
        (1.0 + tiny(-11), 0x3c00),
        (1.0 + tiny(-11) + tiny(-40), 0x3c01),
        (1.0 + tiny(-11) - tiny(-40), 0x3c00),
        (tiny(-25), 0x0000),
        (tiny(-25) * (1.0 + tiny(-35)), 0x0001),
        (tiny(-25) * -1.5, 0x8001),
        (5e-324, 0x0000),
        (-5e-324, 0x8000),
        (1e300, 0x7c00),
        (-1e300, 0xfc00),
    ];
    for (x, bits) in want {
        assert_eq!(convert(&Values::F64(vec![x]), Element::F16).bits(), [bits], "{x:e}");
    }
    assert!(convert(&Values::F64(vec![f64::NAN]), Element::F16).to_f64()[0].is_nan());
}

#[test]
fn the_same_type_is_the_same() {
    let signalling = Values::from_bits(Element::F32, [0x7f80_0001]);
    assert_eq!(convert(&signalling, Element::F32).bits(), [0x7f80_0001]);
    let floats = Values::F16([0.5, -0.0].map(f16::from_f32).to_vec());
    assert_eq!(convert(&convert(&floats, Element::F64), Element::F16).bits(), floats.bits());
    for element in Element::ALL {
        assert_eq!(convert(&Values::U32(vec![7, 0]), element).to_f64(), [7.0, 0.0]);
        assert_eq!(convert(&Values::U32(vec![7, 0]), element).element(), element);
    }
}

#[test]
fn small_signed_integers_keep_their_sign() {
    let input = Values::I8(vec![-1, i8::MIN, 127]);
    assert_eq!(convert(&input, Element::I64), Values::I64(vec![-1, -128, 127]));
    assert_eq!(convert(&input, Element::U16), Values::U16(vec![65_535, 65_408, 127]));
    assert_eq!(convert(&input, Element::F32), Values::F32(vec![-1.0, -128.0, 127.0]));
    assert_eq!(convert(&Values::I16(vec![-32_768, 300]), Element::I8), Values::I8(vec![0, 44]));
    assert_eq!(convert(&Values::F32(vec![-1.9, 1e9, -1e9, f32::NAN]), Element::I16), Values::I16(vec![-1, 32_767, -32_768, 0]));
}
