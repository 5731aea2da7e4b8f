//! Which elements of a sorted array are results: `glsl/set_operation/marks.comp`.

use crate::Error;
use crate::compact::width::{Kind, Width};
use crate::elementwise::{Elementwise, array_bytes, piece_range};
use crate::schedule::{Place, StepAction, StepRange, dispatch};
use crate::split::blocks;

/// Bytes of a mark.
pub(super) const MARK_BYTES: u64 = 4;

/// The most dispatches, of which each has a piece of the elements and one of the other array.
const MOST_DISPATCHES: usize = 1 << 14;

/// Bits of `options` (`OPTION_*`).
const COMMON: u32 = 1;
const GOES_ON: u32 = 2;
const EACH_NAN: u32 = 4;
const COUNTED_FIRST: u32 = 8;
const COUNTED_SECOND: u32 = 16;
const COUNTED_OTHER: u32 = 32;
const KIND_SHIFT: u32 = 8;

/// Elements of an array, or of one part of it, at most, and which word has their count, if the device has it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Length {
    pub(super) most: u64,
    pub(super) count: Option<u32>,
}

/// The marks of a sorted array, which may be two that were merged.
#[derive(Clone, Copy, Debug)]
pub(super) struct Marks {
    pub(super) width: Width,
    pub(super) kind: Kind,
    pub(super) elements: Place,
    pub(super) parts: [Length; 2],
    /// The array that results are in or not in.
    pub(super) other: Place,
    pub(super) other_length: Length,
    /// Whether results are those that are in it.
    pub(super) common: bool,
    /// Whether NaN are results one by one.
    pub(super) each_nan: bool,
    /// Two words of counts.
    pub(super) counts: Option<Place>,
    pub(super) to: Place,
}

impl Marks {
    pub(super) fn record(&self, device: &Elementwise<'_>, actions: &mut Vec<StepAction>) -> Result<(), Error> {
        let total = self.parts[0].most + self.parts[1].most;
        let other = self.other_length.most;
        let size = self.width.bytes();
        device.limits.check_reach("a set operation", total.max(other) * size.max(MARK_BYTES))?;
        let reach = device.limits.capacity(other, size);
        let before = actions.len();
        for (first, count) in blocks(total, self.piece_length(total, device)?) {
            if other == 0 {
                actions.push(self.step(device, (first, count), None)?);
            }
            for piece in blocks(other, reach) {
                if actions.len() - before >= MOST_DISPATCHES {
                    return Err(device.limits.out_of_reach(format!("a set operation of {total} elements with {other}")));
                }
                actions.push(self.step(device, (first, count), Some(piece))?);
            }
        }
        Ok(())
    }

    /// Elements of a dispatch: all, or as many as a binding reaches with the one before them, wherever they begin.
    fn piece_length(&self, total: u64, device: &Elementwise<'_>) -> Result<u64, Error> {
        let widest = self.width.bytes().max(MARK_BYTES);
        let alignment = device.limits.alignment();
        let invocations = device.limits.most_groups().saturating_mul(u64::from(device.choice.workgroup_size));
        let aligned = |count: u64| count - count % alignment;
        let is_whole = array_bytes(total, widest) <= device.limits.reach();
        let reached = if is_whole { total } else { aligned(device.limits.reach().saturating_sub(2 * alignment) / widest) };
        let length = if total <= invocations { reached } else { reached.min(aligned(invocations)) };
        if length == 0 && total > 0 || total.div_ceil(length.max(1)) > MOST_DISPATCHES as u64 {
            return Err(device.limits.out_of_reach(format!("a set operation of {total} elements")));
        }
        Ok(length)
    }

    /// One dispatch: some elements, and a piece of the other array.
    fn step(&self, device: &Elementwise<'_>, (first, count): (u64, u64), piece: Option<(u64, u64)>) -> Result<StepAction, Error> {
        let size = self.width.bytes();
        // The element before the first, too.
        let before = u64::from(first > 0);
        let (range, base) = device.limits.range(first - before, count + before, size);
        let elements = self.elements.bytes(range);
        let (other, piece_first, piece_end, piece_base) = match piece {
            Some((first, length)) => {
                let (range, base) = device.limits.range(first, length, size);
                (self.other.bytes(range), first, first + length, first - u64::from(base))
            }
            None => (elements, 0, 0, 0),
        };
        let [own, second] = self.parts;
        let mut options = (self.kind as u32) << KIND_SHIFT;
        for (option, is_set) in [
            (COMMON, self.common),
            (GOES_ON, piece_first > 0),
            (EACH_NAN, self.each_nan),
            (COUNTED_FIRST, own.count.is_some()),
            (COUNTED_SECOND, second.count.is_some()),
            (COUNTED_OTHER, self.other_length.count.is_some()),
        ] {
            options |= if is_set { option } else { 0 };
        }
        Ok(dispatch!(
            set_operation::marks,
            self.width.name().into(),
            shader::SpecializationConstants { workgroup_size: device.choice.workgroup_size },
            shader::PushConstants {
                elements: count as u32,
                first: first as u32,
                element_base: (first - before - u64::from(base)) as u32,
                first_most: own.most as u32,
                second_most: second.most as u32,
                first_count: own.count.unwrap_or(0),
                second_count: second.count.unwrap_or(0),
                other_length: self.other_length.most as u32,
                other_count: self.other_length.count.unwrap_or(0),
                piece_first: piece_first as u32,
                piece_end: piece_end as u32,
                piece_base: piece_base as u32,
                options,
            },
            device.groups(count)?,
            vec![
                elements,
                other,
                self.to.bytes(piece_range(first, count, MARK_BYTES)),
                self.counts.map_or(elements, |counts| counts.bytes(StepRange::first(crate::merge::Counts::BYTES))),
            ]
        ))
    }
}
