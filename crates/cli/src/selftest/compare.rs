//! Whether a device's result is the CPU twin's.

use wavelane_reference::{Values, convert};

/// Compares results, each within its bound (0: equal). The error says which differs and by how much.
pub fn compare(got: &Values, want: &Values, bounds: &[f64]) -> Result<(), String> {
    if got.len() != want.len() || bounds.len() != want.len() {
        return Err(format!("{} results where the CPU has {}", got.len(), want.len()));
    }
    if let (Some(mine), Some(theirs)) = (integers(got), integers(want)) {
        return match (0..mine.len()).find(|&at| mine[at] != theirs[at]) {
            None => Ok(()),
            Some(at) => Err(format!("result {at} is {} where the CPU has {}", mine[at], theirs[at])),
        };
    }
    // A value beyond a smaller type's range is infinite in it.
    let (mine, theirs, rounded) = (got.to_f64(), want.to_f64(), convert(want, got.element()).to_f64());
    let agrees = |at: usize| {
        let (mine, rounded) = (mine[at], rounded[at]);
        mine == rounded || (mine.is_nan() && rounded.is_nan()) || (mine - theirs[at]).abs() <= bounds[at]
    };
    match (0..want.len()).find(|&at| !agrees(at)) {
        None => Ok(()),
        Some(at) => Err(format!("result {at} is {:e} where the CPU has {:e}; they may differ by {:.2e}", mine[at], theirs[at], bounds[at])),
    }
}

/// Compares results that have to be of the same type, and the same bits: what is moved stays what it is, NaN and zeros included.
pub fn same_bits(got: &Values, want: &Values) -> Result<(), String> {
    if got.len() != want.len() || got.element() != want.element() {
        return Err(format!("{} {} where the CPU has {} {}", got.len(), got.element().name(), want.len(), want.element().name()));
    }
    let (mine, theirs) = (got.bits(), want.bits());
    match (0..mine.len()).find(|&at| mine[at] != theirs[at]) {
        None => Ok(()),
        Some(at) => Err(format!("result {at} has the bits {:#x} where the CPU has {:#x}", mine[at], theirs[at])),
    }
}

fn integers(values: &Values) -> Option<Vec<i128>> {
    match values {
        Values::U8(data) => Some(data.iter().map(|&x| i128::from(x)).collect()),
        Values::U16(data) => Some(data.iter().map(|&x| i128::from(x)).collect()),
        Values::I8(data) => Some(data.iter().map(|&x| i128::from(x)).collect()),
        Values::I16(data) => Some(data.iter().map(|&x| i128::from(x)).collect()),
        Values::U32(data) => Some(data.iter().map(|&x| i128::from(x)).collect()),
        Values::I32(data) => Some(data.iter().map(|&x| i128::from(x)).collect()),
        Values::U64(data) => Some(data.iter().map(|&x| i128::from(x)).collect()),
        Values::I64(data) => Some(data.iter().map(|&x| i128::from(x)).collect()),
        Values::F16(_) | Values::F32(_) | Values::F64(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_must_be_equal() {
        let want = Values::U64(vec![1, u64::MAX]);
        assert_eq!(compare(&want, &want, &[0.0; 2]), Ok(()));
        // As f64 both would be 2^64.
        let got = Values::U64(vec![1, u64::MAX - 1]);
        let text = "result 1 is 18446744073709551614 where the CPU has 18446744073709551615";
        assert_eq!(compare(&got, &want, &[9.0; 2]), Err(text.to_owned()));
        assert_eq!(compare(&Values::U64(vec![]), &want, &[0.0; 2]), Err("0 results where the CPU has 2".to_owned()));
    }

    #[test]
    fn floats_have_bounds() {
        let want = Values::F64(vec![1.0, 2.0]);
        assert_eq!(compare(&Values::F32(vec![1.0, 2.001]), &want, &[0.0, 0.01]), Ok(()));
        let error = compare(&Values::F32(vec![1.0, 2.5]), &want, &[0.0, 0.01]).unwrap_err();
        assert_eq!(error, "result 1 is 2.5e0 where the CPU has 2e0; they may differ by 1.00e-2");
    }

    #[test]
    fn bits_must_be_equal() {
        let want = Values::F32(vec![0.0, f32::NAN]);
        assert_eq!(same_bits(&want, &want), Ok(()));
        let error = same_bits(&Values::F32(vec![-0.0, f32::NAN]), &want).unwrap_err();
        assert_eq!(error, "result 0 has the bits 0x80000000 where the CPU has 0x0");
        assert_eq!(same_bits(&Values::U32(vec![1]), &want), Err("1 u32 where the CPU has 2 f32".to_owned()));
    }

    #[test]
    fn nan_and_infinity() {
        let one = |got: f32, want: f64| compare(&Values::F32(vec![got]), &Values::F64(vec![want]), &[1.0]).is_ok();
        assert!(one(f32::NAN, f64::NAN) && one(f32::INFINITY, f64::INFINITY) && one(f32::INFINITY, 1e39) && one(0.0, -0.0));
        assert!(!one(f32::NAN, 1.0) && !one(1.0, f64::NAN) && !one(f32::INFINITY, f64::NEG_INFINITY) && !one(f32::INFINITY, 1.0));
    }
}
