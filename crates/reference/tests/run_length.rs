//! Runs, written down.

use wavelane_reference::{Error, Values, run_length_decode, run_length_encode};

#[test]
fn there_and_back() {
    let input = Values::U32(vec![7, 7, 9, 9, 9, 7]);
    let (values, lengths) = run_length_encode(&input);
    assert_eq!((&values, &lengths[..]), (&Values::U32(vec![7, 9, 7]), &[2, 3, 1][..]));
    assert_eq!(run_length_decode(&values, &lengths), Ok(input));
    let floats = Values::F64(vec![f64::NAN, f64::NAN, -0.0, 0.0]);
    let (values, lengths) = run_length_encode(&floats);
    assert_eq!(lengths, [2, 1, 1]);
    assert_eq!(run_length_decode(&values, &lengths).unwrap().bits(), floats.bits());
}

#[test]
fn lengths_may_be_zero() {
    assert_eq!(run_length_decode(&Values::I32(vec![7, 8, 9]), &[2, 0, 3]), Ok(Values::I32(vec![7, 7, 9, 9, 9])));
    assert_eq!(run_length_encode(&Values::I32(vec![])), (Values::I32(vec![]), vec![]));
    assert_eq!(run_length_decode(&Values::I32(vec![7]), &[]), Err(Error::Length { what: "lengths", wanted: 1, len: 0 }));
}
