//! Keys that were found, as elements: `glsl/radix_select/decode.comp`.

use super::planner::Planner;
use super::table::Table;
use super::wanted::At;
use crate::Error;
use crate::schedule::{Place, dispatch};

/// Gives the keys of a table's lines, as many places at once as a descriptor reaches the results of.
pub(super) fn record(wanted: &At<'_>, first_row: u64, table: &Table, at: Place, planner: &mut Planner<'_>) -> Result<(), Error> {
    let (all_rows, size, places) = (planner.keys.rows, planner.width.bytes(), wanted.places.len() as u64);
    let reach = planner.limits.capacity(all_rows * places, size);
    if reach < table.rows {
        return Err(planner.limits.out_of_reach(format!("results of {} rows", table.rows)));
    }
    // From the first place's first row to the last one's last.
    let at_once = ((reach - table.rows) / all_rows + 1).min(places);
    for (first_place, places) in crate::split::blocks(places, at_once) {
        let (range, base) = planner.limits.range(first_place * all_rows + first_row, (places - 1) * all_rows + table.rows, size);
        let (_, mut push) = planner.bound_keys(0, 0);
        (push.rows, push.lines, push.first_row) = (table.rows as u32, table.lines as u32, first_row as u32);
        (push.first_part, push.dispatch_parts) = (first_place as u32, places as u32);
        push.first_key = (first_place * all_rows + first_row - u64::from(base)) as u32;
        let action = dispatch!(
            radix_select::decode,
            planner.width.name().into(),
            shader::SpecializationConstants { workgroup_size: planner.choice.workgroup_size },
            bytemuck::cast(push),
            planner.limits.fold((table.rows * places).div_ceil(u64::from(planner.choice.workgroup_size)))?,
            vec![at.bytes(table.range()), wanted.keys.bytes(range)]
        );
        planner.actions.push(action);
    }
    Ok(())
}
