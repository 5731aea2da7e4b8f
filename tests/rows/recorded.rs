//! Arrays in rows on buffers of the caller: a count that the device has, and workgroups that are held up.

use libtest_mimic::Failed;
use wavelane::device::Buffer;
use wavelane::record::{BufferRange, Recorder};
use wavelane::{
    Compare, Condition, Context, DType, Kernel, MaskForm, Partition, Pipelines, Plan, Scalar, ScanStrategy, Select, Unique, UniqueBindings,
};
use wavelane_reference::{self as reference, Values};

use super::data::{Pattern, values};
use super::harness::Driver;
use super::harness::gpu::ensure;
use super::support::{self, Density, Runs, STRATEGIES, UNTOUCHED, finish, select_bindings, size, word};

fn unique_bindings(buffers: &[Buffer]) -> UniqueBindings<'_> {
    let whole = |index: usize| BufferRange::whole(&buffers[index]);
    UniqueBindings {
        input: whole(0),
        values: whole(1),
        scratch: Some(whole(2)),
        count: Some(whole(3)),
        found: whole(4),
        first: Some(whole(5)),
        counts: Some(whole(6)),
        inverse: Some(whole(7)),
        offsets: Some(whole(8)),
    }
}

/// What all buffers have in them after a kernel with these inputs.
fn ran<K: Kernel>(
    context: &Context,
    kernel: &K,
    contents: &[(&str, &[u8])],
    bind: impl for<'a> Fn(&'a [Buffer]) -> K::Bindings<'a>,
) -> Result<Vec<Vec<u8>>, Failed> {
    let device = context.device();
    let schedule = kernel.schedule(device.capabilities(), &[], None)?;
    let buffers = support::buffers(device, &schedule, contents)?;
    let mut recorder = Recorder::new(device)?;
    Plan::new(kernel.clone(), schedule.clone(), &Pipelines::new(device))?.record(&mut recorder, &bind(&buffers))?;
    finish(recorder, &schedule, &buffers)
}

/// That a buffer has these results, and nothing was written behind them.
fn only(label: &str, found: &[u8], want: &[u8]) -> Result<(), Failed> {
    ensure(found.starts_with(want), || format!("{label}: wrong"))?;
    ensure(found[want.len()..].iter().all(|&byte| byte == UNTOUCHED), || format!("{label}: written behind them"))
}

/// Offsets of as many rows, of which those behind the last with elements have none.
fn padded(mut offsets: Vec<u32>, rows: usize) -> Vec<u8> {
    offsets.resize(rows + 1, offsets.last().copied().unwrap_or(0));
    bytemuck::cast_slice(&offsets).to_vec()
}

const ROW: usize = 11;
const ROWS: usize = 901;
const LEN: usize = ROW * ROWS;

/// The device has the number of elements: from none to more than there is room for, at the end of rows and in their middle.
pub fn counted(context: &Context, driver: &Driver) -> Result<(), Failed> {
    for (turn, dtype) in [DType::U8, DType::F16, DType::U32, DType::I64].into_iter().enumerate() {
        let elements = values(dtype, LEN, Pattern::Random, false, 23);
        let mask = Density::Half.mask(LEN);
        let runs = Runs::Random.values(dtype, LEN);
        let counts = [0, 1, 4097, 4 * ROW, LEN - 1, LEN, usize::MAX];
        // Each type and strategy has pipelines of its own.
        for (count, (number, strategy)) in counts.into_iter().zip(STRATEGIES.into_iter().enumerate().cycle()) {
            if !driver.has_turn(turn + number) {
                continue;
            }
            let live = count.min(LEN);
            let label = format!("{count} of {LEN} {dtype}, {strategy:?}");
            let count = (count as u32).to_ne_bytes();
            selections(context, (dtype, strategy), &elements, &mask, live, &count).map_err(|failed| told(&label, failed))?;
            encoded(context, (dtype, strategy), &runs, live, &count).map_err(|failed| told(&label, failed))?;
        }
    }
    Ok(())
}

fn told(label: &str, failed: Failed) -> Failed {
    format!("{label}: {}", failed.message().unwrap_or_default()).into()
}

type Form = (DType, Option<ScanStrategy>);

fn selections(context: &Context, form: Form, elements: &Values, mask: &[bool], live: usize, count: &[u8]) -> Result<(), Failed> {
    let (dtype, strategy) = form;
    let bytes: Vec<u8> = mask.iter().map(|&set| u8::from(set)).collect();
    let contents: [(&str, &[u8]); 3] = [("input", &elements.to_bytes()), ("mask", &bytes), ("count", count)];
    let (there, set) = (elements.take(0..live), &mask[..live]);
    let condition = Condition::Mask(MaskForm::Bytes);
    let select = Select { strategy, ..Select::new(condition, dtype, LEN).counted().in_rows(ROW) };
    let (chosen, offsets) = reference::select_in_rows(&there, set, ROW)?;
    let offsets = padded(offsets, ROWS);
    let found = ran(context, &select, &contents, select_bindings)?;
    only("offsets", &found[6], &offsets)?;
    only("elements", &found[1], &chosen.to_bytes())?;
    ensure(word(&found[4]) as usize == chosen.len(), || format!("{} selected", word(&found[4])))?;
    let found = ran(context, &select.positions(), &contents, select_bindings)?;
    only("positions", &found[1], bytemuck::cast_slice(&reference::positions_in_rows(set, ROW)?.0))?;
    let partition = Partition { strategy, ..Partition::new(condition, dtype, LEN).counted().in_rows(ROW) };
    let found = ran(context, &partition, &contents, select_bindings)?;
    only("offsets of the partition", &found[6], &offsets)?;
    only("the partition", &found[1], &reference::partition_in_rows(&there, set, ROW)?.0.to_bytes())
}

fn encoded(context: &Context, form: Form, elements: &Values, live: usize, count: &[u8]) -> Result<(), Failed> {
    let (dtype, strategy) = form;
    let unique = Unique { strategy, ..Unique::runs(dtype, LEN).with_first().with_counts().with_inverse().counted().in_rows(ROW) };
    let contents: [(&str, &[u8]); 2] = [("input", &elements.to_bytes()), ("count", count)];
    let (want, offsets) = reference::unique_runs_in_rows(&elements.take(0..live), ROW)?;
    let found = ran(context, &unique, &contents, unique_bindings)?;
    only("offsets of runs", &found[8], &padded(offsets, ROWS))?;
    only("values", &found[1], &want.values.to_bytes())?;
    only("first", &found[5], bytemuck::cast_slice(&want.first))?;
    only("counts", &found[6], bytemuck::cast_slice(&want.counts))?;
    only("inverse", &found[7], bytemuck::cast_slice(&want.inverse))?;
    ensure(word(&found[4]) as usize * size(dtype) == want.values.to_bytes().len(), || format!("{} found", word(&found[4])))
}

/// A tile whose workgroup publishes nothing: another does its work, and it leaves the counts of its rows itself.
pub fn stalled_tile(context: &Context) -> Result<(), Failed> {
    let device = context.device();
    const LEN: usize = 60_000;
    let elements: Vec<u32> = (0..LEN as u32).map(|at| at.wrapping_mul(2_654_435_761)).collect();
    let mask: Vec<bool> = elements.iter().map(|&x| x < 0x6000_0000).collect();
    let condition = Condition::Compare(Compare::Lt, Scalar::from(0x6000_0000u32));
    let select = Select::new(condition, DType::U32, LEN).with_strategy(ScanStrategy::SinglePass).in_rows(25);
    let (want, offsets) = reference::select_in_rows(&Values::U32(elements.clone()), &mask, 25)?;
    let pipelines = Pipelines::new(device);
    for tile in [1, 5] {
        let mut schedule = select.schedule(device.capabilities(), device.quirks(), None)?;
        let tile_length = 16 * schedule.choice.workgroup_size as usize;
        schedule.hold_tile_back(tile);
        let buffers = support::buffers(device, &schedule, &[("input", bytemuck::cast_slice(&elements))])?;
        let plan = Plan::new(select.clone(), schedule.clone(), &pipelines)?;
        let mut recorder = Recorder::new(device)?;
        plan.record(&mut recorder, &select_bindings(&buffers))?;
        let found = finish(recorder, &schedule, &buffers)?;
        only("offsets", &found[6], bytemuck::cast_slice(&offsets))?;
        only("elements", &found[1], &want.to_bytes())?;
        // Behind four words, a status for each tile, and the ticket.
        let fallbacks = 4 * (4 + LEN.div_ceil(tile_length) + 1);
        ensure(word(&found[2][fallbacks..]) > 0, || "no workgroup did another's work".into())?;
    }
    Ok(())
}
