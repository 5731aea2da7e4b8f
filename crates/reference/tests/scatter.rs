//! Values taken from numpy 2.4, written down.

use wavelane_reference::{Error, Values, scatter};

#[test]
fn the_last_of_one_index_stays() {
    let into = Values::U32(vec![0; 4]);
    let input = Values::U32(vec![10, 20, 30]);
    assert_eq!(scatter(&input, &[3, 1, 3], &into), Ok(Values::U32(vec![0, 20, 0, 30])));
    assert_eq!(scatter(&Values::U32(vec![]), &[], &into), Ok(into.clone()));
    assert_eq!(scatter(&input, &[3, 4, 3], &into), Err(Error::Index { at: 1, index: 4, len: 4 }));
    assert_eq!(scatter(&input, &[3, 1], &into), Err(Error::Length { what: "indices", wanted: 3, len: 2 }));
    let error = scatter(&input, &[3, 1, 3], &Values::F32(vec![0.0; 4])).unwrap_err();
    assert_eq!(error.to_string(), "what is scattered into has to be u32, not f32");
}
