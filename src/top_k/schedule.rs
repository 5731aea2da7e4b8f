//! What a device does: the first keys of each row are found in the row's order, and sorted.

use wavelane_device::{Capabilities, Quirk};

use super::TopK;
use super::bindings::{INPUT, OUTPUT, POSITIONS, SCRATCH};
use crate::kernel::Kernel;
use crate::layout::Layout;
use crate::radix_select::{First, Keys, Planner, Wanted};
use crate::schedule::{BufferUse, Place, Schedule, ScheduleParts};
use crate::sort::{Payload, Sort, SortForm};
use crate::{DType, Error, Path, Tuning};

pub(super) fn of(
    top_k: &TopK,
    capabilities: &Capabilities,
    quirks: &[&'static Quirk],
    tuning: &Tuning,
    path: Option<Path>,
) -> Result<Schedule, Error> {
    let layout = Layout::of(&top_k.shape, top_k.axis())?;
    let (rows, row_length, k) = (layout.results(), layout.count, top_k.k as u64);
    if k > row_length {
        return Err(Error::TopKCount { k, row_length });
    }
    let keys = Keys { dtype: top_k.dtype, descending: !top_k.smallest, rows, row_length, input: Place::start(INPUT) };
    let mut planner = Planner::new(keys, SCRATCH, capabilities, quirks, tuning, path)?;
    let (size, results) = (top_k.dtype.size(), rows * k);
    let sorting = |sort: Sort, planner: &mut Planner<'_>, places: [Place; 2]| {
        let schedule = sort.schedule_tuned(capabilities, quirks, tuning, Some(planner.choice.path))?;
        let scratch = planner.take_scratch(schedule.bytes_of("scratch"));
        let [keys, positions] = places;
        // Sorts in place leave the input out, and none is counted or has values that stay.
        let places = [Place::start(INPUT), keys, scratch, scratch, positions, positions];
        planner.actions.extend(schedule.steps.into_iter().map(|step| step.action.placed(&places)));
        planner.bytes_moved += schedule.bytes_moved;
        Ok::<_, Error>(schedule.strategy)
    };
    let by_sort = |shape: &[usize]| Sort { descending: !top_k.smallest, ..Sort::new(top_k.dtype, shape) };
    let places = [OUTPUT, POSITIONS].map(Place::start);
    match () {
        () if results == 0 || !(top_k.keys || top_k.positions) => {}
        () if k == row_length => {
            let sort = by_sort(&[rows as usize, k as usize]);
            let payload = if top_k.positions { Payload::Positions } else { Payload::None };
            let strategy = sorting(Sort { keys: top_k.keys, payload, ..sort }, &mut planner, places)?;
            planner.strategy = format!("all keys are wanted, and sorted: {strategy}");
        }
        () => {
            let is_sorted = planner.sorts(top_k.strategy)? || k == 1;
            let keys = match (top_k.keys, is_sorted) {
                (true, _) => Some(places[0]),
                (false, true) => None,
                // Positions alone are sorted by keys that nobody wants.
                (false, false) => Some(planner.take_scratch(results * size)),
            };
            let first = First { count: k, around: None, keys, positions: top_k.positions.then_some(places[1]) };
            planner.find(&Wanted::First(first), top_k.strategy)?;
            if let (Some(keys), false) = (keys, is_sorted) {
                let payload = if top_k.positions { Payload::Values(DType::U32) } else { Payload::None };
                let sort = Sort { payload, form: SortForm::InPlace, ..by_sort(&[rows as usize, k as usize]) };
                let strategy = sorting(sort, &mut planner, [keys, places[1]])?;
                planner.strategy += &format!("; then {k} sorted of each: {strategy}");
            }
            let moved = u64::from(keys.is_some()) * size + u64::from(top_k.positions) * 4;
            planner.bytes_moved += results * moved;
        }
    }
    let used = |wanted: bool, bytes: u64| if wanted { results * bytes } else { 0 };
    let is_read = results > 0 && (top_k.keys || top_k.positions);
    let buffers = vec![
        planner.need("input", BufferUse::Input, if is_read { rows * row_length * size } else { 0 }),
        planner.need("output", BufferUse::Output, used(top_k.keys, size)),
        planner.need("scratch", BufferUse::Scratch, planner.scratch_bytes),
        planner.need("positions", BufferUse::Output, used(top_k.positions, 4)),
    ];
    let title = title(top_k);
    let Planner { limits, choice, actions, strategy, bytes_moved, .. } = planner;
    Schedule::new(ScheduleParts { kernel: "top_k", title, choice, strategy, buffers, actions, bytes_moved }, limits)
}

fn title(top_k: &TopK) -> String {
    let TopK { dtype, shape, k, smallest, flattened, keys, positions, .. } = top_k;
    let what = match (keys, positions) {
        (true, true) => "keys with positions",
        (true, false) => "keys",
        (false, _) => "positions of the keys",
    };
    let which = if *smallest { "smallest" } else { "largest" };
    let of = if !flattened && shape.len() > 1 { "each row of " } else { "" };
    format!("{k} {which} {what} of {of}{shape:?} {dtype}")
}
