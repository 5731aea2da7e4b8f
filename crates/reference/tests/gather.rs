//! Values taken from numpy 2.4, written down.

use wavelane_reference::{Error, Values, gather};

#[test]
fn elements_by_index() {
    let input = Values::U32(vec![10, 20, 30]);
    assert_eq!(gather(&input, &[2, 0, 2]), Ok(Values::U32(vec![30, 10, 30])));
    assert_eq!(gather(&input, &[]), Ok(Values::U32(vec![])));
    assert_eq!(gather(&input, &[0, 3]), Err(Error::Index { at: 1, index: 3, len: 3 }));
    let error = gather(&Values::F64(vec![]), &[u32::MAX]).unwrap_err();
    assert_eq!(error.to_string(), "index 4294967295 (at 0) is out of range for 0 elements");
}
