//! Short rows, whose keys are all compared with each other: `glsl/radix_select/compare.comp`.

use super::planner::{AT, MOST_ROUNDS, Planner, Push};
use super::wanted::Wanted;
use crate::Error;
use crate::compact::width::Width;
use crate::schedule::{StepRange, dispatch};
use crate::split::blocks;

/// The longest row.
const MOST_KEYS: u64 = 256;

/// Keys of a workgroup, for each of its invocations, where rows are as short.
const KEYS_EACH: u64 = 2;

/// Keys, and rows, that shared memory has room for.
fn slots(planner: &Planner<'_>) -> u64 {
    (KEYS_EACH * u64::from(planner.choice.workgroup_size)).max(MOST_KEYS)
}

fn words(width: Width) -> u64 {
    if width == Width::W64 { 2 } else { 1 }
}

pub(super) fn can(planner: &Planner<'_>) -> bool {
    let (length, size) = (planner.keys.row_length, u64::from(planner.choice.workgroup_size));
    let has_room =
        4 * (words(planner.width) + 1) * slots(planner) <= u64::from(planner.limits.capabilities.limits.max_compute_shared_memory_size);
    length <= MOST_KEYS && has_room && slots(planner).div_ceil(size) * (2 * length + 2) <= MOST_ROUNDS
}

pub(super) fn record(wanted: &Wanted<'_>, planner: &mut Planner<'_>) -> Result<(), Error> {
    let (all_rows, length) = (planner.keys.rows, planner.keys.row_length);
    let rows_each = slots(planner) / length;
    let reach = planner.limits.capacity(all_rows * length, planner.width.bytes()) / length;
    let at_once = reach.min(planner.rows_of_results(wanted)?);
    let places = if let Wanted::At(at) = wanted { at.places.len() as u64 } else { 1 };
    planner.check_dispatches(all_rows.div_ceil(at_once).saturating_mul(places))?;
    for (first_row, rows) in blocks(all_rows, at_once) {
        let (keys, mut push) = planner.bound_keys(first_row * length, rows * length);
        (push.rows, push.first_row, push.rows_each) = (rows as u32, first_row as u32, rows_each as u32);
        match wanted {
            Wanted::First(first) => {
                let [key_results, positions] = planner.bound_results(first, first_row * first.count, rows * first.count, &mut push);
                dispatch(push, first.around.is_some(), vec![keys, key_results, positions], planner)?;
            }
            Wanted::At(at) => {
                push.options |= AT;
                for (number, &place) in (0..).zip(at.places) {
                    let (range, base) = planner.limits.range(number * all_rows + first_row, rows, planner.width.bytes());
                    // Results of a place are bound where those of the first one would be.
                    (push.first_results, push.first_key) = (place as u32, (first_row as u32).wrapping_sub(base));
                    let results = at.keys.bytes(range);
                    dispatch(push, false, vec![keys, results, results], planner)?;
                }
            }
        }
    }
    planner.strategy = format!("each key is compared with its row, {} rows to a workgroup", rows_each.min(all_rows));
    planner.bytes_moved += places * all_rows * length * planner.width.bytes();
    Ok(())
}

fn dispatch(push: Push, is_around: bool, bindings: Vec<(usize, StepRange)>, planner: &mut Planner<'_>) -> Result<(), Error> {
    let action = dispatch!(
        radix_select::compare,
        planner.width.name().into(),
        shader::SpecializationConstants {
            workgroup_size: planner.choice.workgroup_size,
            key_slots: (words(planner.width) * slots(planner)) as u32,
            row_slots: if is_around { slots(planner) as u32 } else { 1 },
        },
        bytemuck::cast(push),
        planner.limits.fold(u64::from(push.rows).div_ceil(u64::from(push.rows_each)))?,
        bindings
    );
    planner.actions.push(action);
    Ok(())
}
