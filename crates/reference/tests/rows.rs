//! Rows by themselves: values worked out by hand.

use wavelane_reference::{Error, Unique, Values, partition_in_rows, positions_in_rows, select_in_rows, unique_runs_in_rows};

const MASK: [bool; 6] = [false, true, true, false, false, true];

#[test]
fn results_stand_back_to_back() {
    let input = Values::I32(vec![5, 6, 7, 8, 9, 10]);
    assert_eq!(select_in_rows(&input, &MASK, 3), Ok((Values::I32(vec![6, 7, 10]), vec![0, 2, 3])));
    assert_eq!(select_in_rows(&input, &MASK, 1).unwrap().1, [0, 0, 1, 2, 2, 2, 3]);
    assert_eq!(positions_in_rows(&MASK, 3), Ok((vec![1, 2, 2], vec![0, 2, 3])));
    assert_eq!(partition_in_rows(&input, &MASK, 3), Ok((Values::I32(vec![6, 7, 5, 10, 8, 9]), vec![0, 2, 3])));
    // The last row has what is left.
    assert_eq!(partition_in_rows(&input, &MASK, 4), Ok((Values::I32(vec![6, 7, 5, 8, 10, 9]), vec![0, 2, 3])));
}

#[test]
fn no_run_goes_on_in_the_next_row() {
    let (runs, offsets) = unique_runs_in_rows(&Values::U8(vec![4, 4, 4, 4, 7, 7]), 3).unwrap();
    let want = Unique { values: Values::U8(vec![4, 4, 7]), first: vec![0, 0, 1], counts: vec![3, 1, 2], inverse: vec![0, 0, 0, 1, 2, 2] };
    assert_eq!((runs, offsets), (want, vec![0, 1, 3]));
}

#[test]
fn rows_of_nothing_are_those_of_an_empty_array() {
    let none = Values::U64(vec![]);
    assert_eq!(select_in_rows(&none, &[], 0), Ok((none.clone(), vec![0])));
    assert_eq!(unique_runs_in_rows(&none, 5).unwrap().1, [0]);
    assert_eq!(positions_in_rows(&MASK, 0), Err(Error::NoLength));
    assert!(partition_in_rows(&none, &MASK, 3).is_err());
    assert!(select_in_rows(&none, &MASK, 3).is_err());
}
