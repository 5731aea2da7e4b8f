//! What every kernel asks of the ranges that are bound to it.

use wavelane_record::BufferRange;

use crate::error::Error;

/// Refuses a range that is too small, or does not begin where it must.
pub(crate) fn check(binding: &'static str, range: &BufferRange<'_>, needed: u64, alignment: u64) -> Result<(), Error> {
    if range.size() < needed {
        return Err(Error::BindingTooSmall { binding, size: range.size(), needed });
    }
    if !range.offset().is_multiple_of(alignment) {
        return Err(Error::BindingMisaligned { binding, offset: range.offset(), alignment });
    }
    Ok(())
}
