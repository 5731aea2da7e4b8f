//! Values taken from numpy, written down.

use half::f16;
use wavelane_reference::{Element, Error, Values, bincount, even_edges, histogram, histogram_of_integers};

fn counts(values: &Values, bins: usize, low: f64, high: f64) -> Vec<u32> {
    let edges = even_edges(values.element(), bins, low, high);
    let Ok(Values::U32(counts)) = histogram(values, &edges, None, false) else { panic!("no counts") };
    counts
}

#[test]
fn the_last_bin_has_its_right_edge() {
    let values = Values::F32(vec![0.0, 0.25, 0.5, 0.75, 1.0, 1.0001, -0.0, -0.1, f32::NAN, f32::INFINITY]);
    assert_eq!(counts(&values, 4, 0.0, 1.0), [2, 1, 1, 2]);
    assert_eq!(counts(&Values::I32(vec![-3, 0, 1, 2, 3, 4]), 3, 0.0, 3.0), [1, 1, 2]);
    assert_eq!(counts(&Values::U8(vec![0, 127, 128, 255]), 2, 0.0, 255.0), [2, 2]);
    assert_eq!(counts(&Values::U8(vec![]), 2, 0.0, 255.0), [0, 0]);
}

#[test]
fn edges_are_numbers_of_the_elements_type() {
    assert_eq!(even_edges(Element::F32, 10, 0.0, 1.0)[3], f64::from(0.3f32));
    assert_eq!(even_edges(Element::U8, 10, 0.0, 1.0)[3], 0.1 * 3.0);
    assert_eq!(even_edges(Element::I32, 2, 5.0, 5.0), [4.5, 5.0, 5.5]);
    // 0.1 as a half is a little less than 0.1.
    assert_eq!(even_edges(Element::F16, 10, 0.0, 1.0)[1], f16::from_f32(0.1).to_f64());
    let tenths = Values::F32((0..=10).map(|tenth| tenth as f32 / 10.0).collect());
    assert_eq!(counts(&tenths, 10, 0.0, 1.0), [1, 1, 1, 1, 1, 1, 1, 1, 1, 2]);
}

#[test]
fn edges_that_are_the_same_have_an_empty_bin_between_them() {
    let values = Values::F32(vec![0.0, 1.0, 1.0, 1.5, 2.0]);
    assert_eq!(histogram(&values, &[0.0, 1.0, 1.0, 2.0], None, false), Ok(Values::U32(vec![1, 0, 4])));
    assert_eq!(histogram(&values, &[1.0, 1.0], None, false), Ok(Values::U32(vec![2])));
    assert_eq!(histogram(&values, &[f64::NEG_INFINITY, 1.0, f64::INFINITY], None, false), Ok(Values::U32(vec![1, 4])));
}

#[test]
fn weights_are_summed() {
    let values = Values::U8(vec![0, 1, 1, 3]);
    let weights = Values::F32(vec![0.5, 0.25, -1.0, 2.0]);
    assert_eq!(bincount(&values, 4, Some(&weights)), Ok(Values::F64(vec![0.5, -0.75, 0.0, 2.0])));
    assert_eq!(histogram(&values, &[0.0, 2.0, 4.0], Some(&weights), false), Ok(Values::F32(vec![-0.25, 2.0])));
    let weights = Values::I32(vec![1, i32::MAX, 1, -5]);
    assert_eq!(histogram(&values, &[0.0, 1.0, 4.0], Some(&weights), false), Ok(Values::I32(vec![1, i32::MAX - 4])));
    assert_eq!(bincount(&values, 4, Some(&weights)), Ok(Values::F64(vec![1.0, 2_147_483_648.0, 0.0, -5.0])));
}

#[test]
fn values_are_bins() {
    assert_eq!(bincount(&Values::I32(vec![2, 0, 2, -1, 9]), 4, None), Ok(Values::U32(vec![1, 0, 2, 0])));
    assert_eq!(bincount(&Values::U64(vec![u64::MAX, 1]), 2, None), Ok(Values::U32(vec![0, 1])));
    assert_eq!(bincount(&Values::F32(vec![1.0]), 2, None), Err(Error::Undefined { operation: "bincount", element: Element::F32 }));
    let short = bincount(&Values::U8(vec![1, 2]), 3, Some(&Values::F32(vec![1.0])));
    assert_eq!(short, Err(Error::Length { what: "the weights", wanted: 2, len: 1 }));
}

#[test]
fn small_signed_integers_have_bins() {
    let bytes = Values::I8(vec![2, -1, 0, 2, -128]);
    assert_eq!(bincount(&bytes, 3, None), Ok(Values::U32(vec![1, 0, 2])));
    assert_eq!(histogram(&bytes, &[-128.0, -1.0, 2.0], None, false), Ok(Values::U32(vec![1, 4])));
}

/// What f64 does not tell apart: `np.histogram` of integers with edges of their type.
#[test]
fn integers_are_compared_with_integers_exactly() {
    let near = 1i64 << 53;
    let values = Values::I64(vec![near, near + 1, near + 2, i64::MIN, i64::MAX, 0, 5]);
    let edges = [i64::MIN, 0, near, near + 1, near + 2, i64::MAX].map(i128::from);
    assert_eq!(histogram_of_integers(&values, &edges, None, false), Ok(Values::U32(vec![1, 2, 1, 1, 2])));
    let floats = histogram_of_integers(&Values::F32(vec![1.0]), &edges, None, false);
    assert_eq!(floats, Err(Error::Undefined { operation: "a histogram between integers", element: Element::F32 }));
}
