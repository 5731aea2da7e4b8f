//! Offsets of segments, as the host checks them.

use crate::context::check_input;
use crate::{DType, Error, Tensor};

/// Refuses offsets that are not `count` u32, do not ascend, or go beyond the last of `length` elements.
pub(crate) fn check_offsets(offsets: &Tensor, count: usize, length: usize) -> Result<(), Error> {
    if offsets.shape() == [0] {
        return Err(Error::Offsets { at: 0, found: "missing".into(), limit: "there is at least one" });
    }
    check_input((DType::U32, &[count]), offsets)?;
    let offsets: Vec<u32> = offsets.to_vec()?;
    for (at, &offset) in offsets.iter().enumerate() {
        if offset as usize > length {
            return Err(Error::Offsets { at, found: offset.to_string(), limit: "none is greater than the number of elements" });
        }
        if at > 0 && offset < offsets[at - 1] {
            return Err(Error::Offsets { at, found: offset.to_string(), limit: "none is less than the one before" });
        }
    }
    Ok(())
}

/// What tells where segments are, where a description says that something does.
pub(crate) fn told<'a>(name: &'static str, segments: Option<&'a Tensor>) -> Result<&'a Tensor, Error> {
    segments.ok_or(Error::BindingTooSmall { binding: name, size: 0, needed: 4 })
}
