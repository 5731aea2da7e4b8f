//! Values taken from numpy 2.4, written down.

use half::f16;
use wavelane_reference::{Element, Values, iota};

#[test]
fn integers_wrap() {
    let got = iota(Element::U32, 4, &Values::U32(vec![4_294_967_290]), &Values::U32(vec![3]));
    assert_eq!(got, Ok(Values::U32(vec![4_294_967_290, 4_294_967_293, 0, 3])));
    let got = iota(Element::I32, 3, &Values::I32(vec![i32::MAX - 1]), &Values::I32(vec![1]));
    assert_eq!(got, Ok(Values::I32(vec![i32::MAX - 1, i32::MAX, i32::MIN])));
    let got = iota(Element::I64, 3, &Values::I64(vec![1]), &Values::I64(vec![-2]));
    assert_eq!(got, Ok(Values::I64(vec![1, -1, -3])));
}

#[test]
fn floats_are_rounded_once() {
    let got = iota(Element::F32, 5, &Values::F32(vec![1.0]), &Values::F32(vec![0.1]));
    assert_eq!(got, Ok(Values::F32(vec![1.0, 1.1, 1.2, 1.3, 1.4])));
    let half = |x| Values::F16(vec![f16::from_f32(x)]);
    let got = iota(Element::F16, 4, &half(1000.0), &half(0.3)).unwrap();
    assert_eq!((got.element(), got.to_f64()), (Element::F16, vec![1000.0, 1000.5, 1000.5, 1001.0]));
}

#[test]
fn start_and_step_are_of_the_type() {
    let error = iota(Element::F32, 1, &Values::U32(vec![1]), &Values::F32(vec![1.0])).unwrap_err();
    assert_eq!(error.to_string(), "start has to be one f32, not 1 u32");
    let error = iota(Element::F32, 1, &Values::F32(vec![1.0]), &Values::F32(vec![])).unwrap_err();
    assert_eq!(error.to_string(), "step has to be one f32, not 0 f32");
}
