//! One value, many times.

use half::f16;
use wavelane_reference::{Values, fill};

#[test]
fn one_value_many_times() {
    assert_eq!(fill(&Values::F16(vec![f16::ONE]), 3), Ok(Values::F16(vec![f16::ONE; 3])));
    assert_eq!(fill(&Values::I64(vec![-5]), 0), Ok(Values::I64(vec![])));
    let error = fill(&Values::U32(vec![1, 2]), 3).unwrap_err();
    assert_eq!(error.to_string(), "value has to be one u32, not 2 u32");
    assert!(fill(&Values::U32(vec![]), 3).is_err());
}
