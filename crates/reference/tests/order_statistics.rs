//! Values taken from numpy 1.24, written down: `np.partition`, `np.median` and `np.quantile`.

use half::f16;
use wavelane_reference::{Error, Values, median, nth_element, partition_places, quantile};

#[test]
fn keys_at_places() {
    let floats = Values::F32(vec![0.5, -f32::NAN, -0.0, f32::INFINITY, -2.0]);
    let at = |places: &[usize]| nth_element(&floats, &[5], Some(0), places).expect("one row").bits();
    assert_eq!(at(&[0, 1, 3]), [-2.0f32, 0.0, f32::INFINITY].map(|x| u64::from(x.to_bits())));
    assert_eq!(at(&[4]), [0x7fff_ffff]);
    let bytes = Values::U8(vec![3, 1, 2, 2, 1, 3, 0, 9, 9, 0, 0, 0]);
    assert_eq!(nth_element(&bytes, &[4, 3], Some(1), &[2, 0]), Ok(Values::U8(vec![3, 3, 9, 0, 1, 1, 0, 0])));
    assert_eq!(nth_element(&bytes, &[2, 3, 2], Some(1), &[1]), Ok(Values::U8(vec![2, 2, 0, 0])));
    assert_eq!(nth_element(&bytes, &[12], Some(1), &[0]), Err(Error::Axis { axis: 1, dimensions: 1 }));
}

/// What `np.partition` guarantees, and within it the order that this library adds: smaller keys, equal ones and larger ones in theirs.
#[test]
fn keys_around_places() {
    let floats = Values::F32(vec![0.5, -f32::NAN, -0.0, f32::INFINITY, -2.0, f32::NAN, 0.0]);
    let around = |place| partition_places(&floats, &[7], Some(0), place).expect("one row");
    assert_eq!(around(0), [4, 0, 1, 2, 3, 5, 6]);
    assert_eq!(around(1), [4, 2, 6, 0, 1, 3, 5]);
    assert_eq!(around(2), around(1));
    assert_eq!(around(3), [2, 4, 6, 0, 1, 3, 5]);
    assert_eq!(around(5), [0, 2, 3, 4, 6, 1, 5]);
    let bytes = Values::U8(vec![3, 1, 2, 2, 1, 3, 0, 9, 9, 0, 0, 0]);
    assert_eq!(partition_places(&bytes, &[4, 3], Some(1), 1), Ok(vec![1, 2, 0, 4, 3, 5, 6, 7, 8, 9, 10, 11]));
    assert_eq!(partition_places(&bytes, &[2, 6], Some(0), 0), Ok(vec![6, 0, 1, 7, 2, 8, 9, 3, 10, 4, 11, 5]));
    assert_eq!(partition_places(&bytes, &[12], Some(1), 0), Err(Error::Axis { axis: 1, dimensions: 1 }));
}

#[test]
fn medians() {
    let of = |values: Values| median(&values, &[values.len()], None).expect("the whole array");
    assert_eq!(of(Values::U8(vec![255, 254])), Values::F64(vec![254.5]));
    assert_eq!(of(Values::U64(vec![u64::MAX, u64::MAX])), Values::F64(vec![18_446_744_073_709_551_616.0]));
    assert_eq!(of(Values::F32(vec![3e38, 3e38])), Values::F32(vec![f32::INFINITY]));
    assert_eq!(of(Values::F16(vec![f16::MAX, f16::MAX])), Values::F16(vec![f16::MAX]));
    assert_eq!(of(Values::F64(vec![0.1, 0.7, 0.2])), Values::F64(vec![0.2]));
    for values in [Values::F32(vec![1.0, f32::NAN, 2.0]), Values::F32(Vec::new())] {
        let Values::F32(found) = of(values) else { panic!("another type") };
        assert!(found.len() == 1 && found[0].is_nan());
    }
    assert_eq!(median(&Values::I32(vec![1, 2, 3, 5]), &[2, 2], Some(1)), Ok(Values::F64(vec![1.5, 4.0])));
}

#[test]
fn quantiles() {
    let of = |values: Values, q: f64| match quantile(&values, &[values.len()], None, &[q]) {
        Ok(Values::F64(found)) => found[0],
        other => panic!("{other:?}"),
    };
    assert_eq!(of(Values::U8(vec![1, 255]), 0.25), 64.5);
    assert_eq!(of(Values::F32(vec![0.4, 0.1]), 0.1), 0.130_000_002_682_209_01);
    assert_eq!(of(Values::F64(vec![0.1, 0.4]), 0.9), 0.37);
    assert_eq!(of(Values::F16(vec![f16::from_f32(0.1), f16::from_f32(1000.0)]), 0.5), 500.0);
    assert_eq!(of(Values::I64(vec![-9_007_199_254_740_993, 9_007_199_254_740_993]), 0.5), 0.0);
    assert_eq!(of(Values::I64(vec![7]), 0.3), 7.0);
    assert!(of(Values::F32(vec![1.0, f32::NAN]), 0.0).is_nan());
    // From an infinity to the same one there is no number.
    assert!(of(Values::F64(vec![1.0, f64::INFINITY, f64::INFINITY]), 0.75).is_nan());
    let rows = quantile(&Values::I32(vec![1, 2, 3, 5]), &[2, 2], Some(1), &[0.5, 1.0]);
    assert_eq!(rows, Ok(Values::F64(vec![1.5, 4.0, 2.0, 5.0])));
}
