//! Values taken from numpy 2.4, written down.

use half::f16;
use wavelane_reference::{Compare, Error, Values, matches, nonzero, partition, select};

fn mask(compare: Compare, value: f32) -> [bool; 5] {
    let input = Values::F32(vec![1.0, f32::NAN, -0.0, 3.0, 2.0]);
    matches(&input, compare, &Values::F32(vec![value])).unwrap().try_into().unwrap()
}

#[test]
fn floats_compare_as_ieee_says() {
    let want = [
        (Compare::Lt, [1, 0, 1, 0, 0], [0, 0, 0, 0, 0]),
        (Compare::Le, [1, 0, 1, 0, 1], [0, 0, 1, 0, 0]),
        (Compare::Gt, [0, 0, 0, 1, 0], [1, 0, 0, 1, 1]),
        (Compare::Ge, [0, 0, 0, 1, 1], [1, 0, 1, 1, 1]),
        (Compare::Eq, [0, 0, 0, 0, 1], [0, 0, 1, 0, 0]),
        (Compare::Ne, [1, 1, 1, 1, 0], [1, 1, 0, 1, 1]),
    ];
    assert_eq!(want.map(|(compare, ..)| compare), Compare::ALL);
    for (compare, two, zero) in want {
        assert_eq!(mask(compare, 2.0), two.map(|set| set == 1), "{}", compare.name());
        assert_eq!(mask(compare, 0.0), zero.map(|set| set == 1), "{}", compare.name());
        assert_eq!(mask(compare, f32::NAN), [compare == Compare::Ne; 5], "{}", compare.name());
    }
}

#[test]
fn integers_compare_exactly() {
    let input = Values::U64(vec![(1 << 53) + 1, 1 << 53, u64::MAX]);
    assert_eq!(matches(&input, Compare::Gt, &Values::U64(vec![1 << 53])), Ok(vec![true, false, true]));
    assert_eq!(matches(&Values::I32(vec![-1, 1]), Compare::Lt, &Values::I32(vec![0])), Ok(vec![true, false]));
    let error = matches(&input, Compare::Gt, &Values::U32(vec![1])).unwrap_err();
    assert_eq!(error.to_string(), "value has to be one u64, not 1 u32");
    assert!(matches(&input, Compare::Gt, &Values::U64(vec![1, 2])).is_err());
}

#[test]
fn order_is_kept() {
    let input = Values::I32(vec![5, 6, 7, 8]);
    let mask = [false, true, false, true];
    assert_eq!(select(&input, &mask), Ok(Values::I32(vec![6, 8])));
    assert_eq!(partition(&input, &mask), Ok((Values::I32(vec![6, 8, 5, 7]), 2)));
    assert_eq!(select(&input, &[false; 4]), Ok(Values::I32(vec![])));
    assert_eq!(partition(&Values::F64(vec![]), &[]), Ok((Values::F64(vec![]), 0)));
    let error = Error::Length { what: "the mask", wanted: 4, len: 1 };
    assert_eq!(select(&input, &[true]), Err(error.clone()));
    assert_eq!(partition(&input, &[true]), Err(error));
}

#[test]
fn nan_is_not_zero() {
    assert_eq!(nonzero(&Values::F32(vec![1.0, f32::NAN, -0.0, 3.0, 2.0])), [0, 1, 3, 4]);
    assert_eq!(nonzero(&Values::I32(vec![0, 5, 0, -1])), [1, 3]);
    assert_eq!(nonzero(&Values::F16(vec![f16::ZERO, f16::from_bits(1)])), [1]);
    assert!(nonzero(&Values::U64(vec![])).is_empty());
}
