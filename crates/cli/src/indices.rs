//! Arrays of indices, as numpy takes them.

use std::path::Path;

use crate::npy::{Array, Kind};
use crate::numpy;
use crate::report::Failure;

/// The indices as the device takes them: counted from the start, and inside of `len` elements. What is not is refused, as numpy does.
pub fn within(path: &Path, array: &Array, len: usize) -> Result<Vec<u32>, Failure> {
    if matches!(array.kind, Kind::Bool | Kind::F16 | Kind::F32 | Kind::F64) {
        return Err(Failure::new(
            format!("--indices {} holds {}, and indices are integers", path.display(), array.kind.name()),
            "convert with array.astype(…), or use numpy.flatnonzero for truth values".to_owned(),
        ));
    }
    let inside = |(at, given): (usize, i128)| {
        let index = if given < 0 { given + len as i128 } else { given };
        match u32::try_from(index) {
            Ok(index) if (index as usize) < len => Ok(index),
            _ => Err(Failure::new(
                format!("--indices {}: index {given} (at {at}) is out of range for {len} elements", path.display()),
                match len {
                    0 => "give no indices: an array without elements has none to name".to_owned(),
                    _ => format!("use 0 to {}, or -{len} to -1", len - 1),
                },
            )),
        }
    };
    numpy::integers(array).into_iter().enumerate().map(inside).collect()
}

/// Has every index but the last of its kind name nothing, so that the value written last stays whatever the order.
pub fn only_last(indices: &mut [u32], len: usize) {
    let mut seen = vec![false; len];
    for index in indices.iter_mut().rev() {
        match seen.get_mut(*index as usize) {
            Some(seen) if !*seen => *seen = true,
            _ => *index = u32::MAX,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn within(array: &Array, len: usize) -> Result<Vec<u32>, Failure> {
        super::within(Path::new("i.npy"), array, len)
    }

    fn of(data: &[i64]) -> Array {
        Array { kind: Kind::I64, shape: vec![data.len()], bytes: data.iter().flat_map(|x| x.to_ne_bytes()).collect() }
    }

    #[test]
    fn negative_ones_count_from_the_end() {
        assert_eq!(within(&of(&[0, -1, 4, -5]), 5), Ok(vec![0, 4, 4, 0]));
        let bytes = Array { kind: Kind::I8, shape: vec![2], bytes: vec![0xfe, 1] };
        assert_eq!(within(&bytes, 5), Ok(vec![3, 1]));
    }

    #[test]
    fn others_are_refused() {
        for (index, len, advice) in [
            (5, 5, "use 0 to 4, or -5 to -1"),
            (-6, 5, "use 0 to 4, or -5 to -1"),
            (0, 0, "give no indices: an array without elements has none to name"),
        ] {
            let failure = within(&of(&[index]), len).unwrap_err();
            assert_eq!(
                (failure.what, failure.advice.as_str()),
                (format!("--indices i.npy: index {index} (at 0) is out of range for {len} elements"), advice)
            );
        }
        let truth = Array { kind: Kind::Bool, shape: vec![1], bytes: vec![1] };
        assert_eq!(within(&truth, 5).unwrap_err().what, "--indices i.npy holds bool, and indices are integers");
    }

    #[test]
    fn the_last_of_its_kind() {
        let mut indices = [3, 1, 3, 0, 1];
        only_last(&mut indices, 5);
        assert_eq!(indices, [u32::MAX, u32::MAX, 3, 0, 1]);
    }
}
