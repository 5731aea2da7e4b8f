//! Short rows, whose keys are all compared with each other: `glsl/radix_select/compare.comp`.

use super::planner::{First, MOST_ROUNDS, Planner};
use crate::Error;
use crate::compact::width::Width;
use crate::schedule::dispatch;
use crate::split::blocks;

/// The longest row.
const MOST_KEYS: u64 = 256;

/// Keys of a workgroup, for each of its invocations, where rows are as short.
const KEYS_EACH: u64 = 2;

/// Keys that shared memory has room for.
fn slots(planner: &Planner<'_>) -> u64 {
    (KEYS_EACH * u64::from(planner.choice.workgroup_size)).max(MOST_KEYS)
}

fn words(width: Width) -> u64 {
    if width == Width::W64 { 2 } else { 1 }
}

pub(super) fn can(planner: &Planner<'_>) -> bool {
    let (length, size) = (planner.keys.row_length, u64::from(planner.choice.workgroup_size));
    let has_room =
        4 * words(planner.width) * slots(planner) <= u64::from(planner.limits.capabilities.limits.max_compute_shared_memory_size);
    length <= MOST_KEYS && has_room && slots(planner).div_ceil(size) * (length + 2) <= MOST_ROUNDS
}

pub(super) fn record(first: &First, planner: &mut Planner<'_>) -> Result<(), Error> {
    let (rows, length) = (planner.keys.rows, planner.keys.row_length);
    let rows_each = slots(planner) / length;
    let reach = planner.limits.capacity(rows * length, planner.width.bytes()) / length;
    let at_once = reach.min(planner.rows_of_results(first)?);
    planner.check_dispatches(rows.div_ceil(at_once))?;
    for (first_row, rows) in blocks(rows, at_once) {
        let (keys, mut push) = planner.bound_keys(first_row * length, rows * length);
        let [key_results, positions] = planner.bound_results(first, first_row, rows, &mut push);
        (push.rows, push.first_row, push.rows_each) = (rows as u32, first_row as u32, rows_each as u32);
        let action = dispatch!(
            radix_select::compare,
            planner.width.name().into(),
            shader::SpecializationConstants {
                workgroup_size: planner.choice.workgroup_size,
                key_slots: (words(planner.width) * slots(planner)) as u32,
                ..Default::default()
            },
            bytemuck::cast(push),
            planner.limits.fold(rows.div_ceil(rows_each))?,
            vec![keys, key_results, positions]
        );
        planner.actions.push(action);
    }
    planner.strategy = format!("each key is compared with its row, {} rows to a workgroup", rows_each.min(rows));
    planner.bytes_moved += rows * length * planner.width.bytes();
    Ok(())
}
