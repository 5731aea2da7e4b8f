//! Passes in which workgroups look back, on devices with large subgroups; on others the strategy is to go by tiles, and to be as right.

use libtest_mimic::Failed;
use wavelane::device::Capabilities;
use wavelane::{Context, DType, Kernel, Path, Pipelines, Plan, Sort, SortForm, SortStrategy};
use wavelane_reference::{SortOptions, Values, sort_places};

use super::harness::Case;
use super::harness::gpu::ensure;
use super::keys::Keys;
use super::recording::{Told, one, recorded_by};
use super::support::context;
use super::with_payload;

/// NVIDIA's PCI id, whose devices are known to go on with every workgroup that has begun.
const PROGRESSING_VENDOR: u32 = 0x10de;

pub fn cases() -> Vec<Case> {
    vec![
        Case::new("onesweep::forms", |_| forms(&context(None, None)?)),
        Case::new("onesweep::shuffle", |_| shuffle(&context(Some(Path::Shuffle), None)?)),
        Case::new("onesweep::a_tile_held_back", |_| held_back(&context(None, None)?)),
        Case::new("onesweep::a_ring_of_lines", |_| ring()),
    ]
}

fn sort(dtype: DType, length: usize) -> Sort {
    Sort::new(dtype, &[length]).with_strategy(SortStrategy::Onesweep)
}

/// Whether the device can look back at all: it has large subgroups that are known, ballots, and bindings enough.
fn looks_back(capabilities: &Capabilities) -> bool {
    capabilities.subgroup.min_size >= 16 && capabilities.limits.max_per_stage_descriptor_storage_buffers >= 5
}

/// Whether a schedule takes the strategy that the device has for it.
fn check_strategy(strategy: &str, capabilities: &Capabilities) -> Result<(), Failed> {
    let expected = if looks_back(capabilities) { "look back" } else { "counted and moved" };
    ensure(strategy.contains(expected), || format!("`{strategy}` without `{expected}`"))
}

/// Every width, with everything that moves, out of place, in place and between two buffers, counted or not; keys of one digit, that stay where they are, among them.
fn forms(context: &Context) -> Result<(), Failed> {
    let pipelines = Pipelines::new(context.device());
    let mut turn = 0;
    for dtype in [DType::U8, DType::F16, DType::U32, DType::F32, DType::I64] {
        for (length, keys) in [(300, Keys::Few), (4096, Keys::Random), (4097, Keys::Equal), (33_001, Keys::Few), (40_009, Keys::Random)] {
            turn += 1;
            let form = [SortForm::OutOfPlace, SortForm::InPlace, SortForm::DoubleBuffer][turn % 3];
            let sort = Sort { form, descending: turn % 4 == 1, ..with_payload(sort(dtype, length), turn) };
            let sort = if turn % 2 == 0 { sort.by_bits(3, dtype.size() as u32 * 5) } else { sort };
            check_strategy(
                &sort.schedule(context.device().capabilities(), &[], context.path())?.strategy,
                context.device().capabilities(),
            )?;
            let values = keys.values(dtype, length, 11);
            one(context, &pipelines, &sort, &values, None)?;
            if turn % 3 == 1 {
                for count in [0, 1, length / 2, length + 9] {
                    one(context, &pipelines, &sort.clone().counted(), &values, Some(count as u32))?;
                }
            }
        }
    }
    Ok(())
}

fn shuffle(context: &Context) -> Result<(), Failed> {
    let pipelines = Pipelines::new(context.device());
    let sort = sort(DType::F32, 40_009).with_values(DType::U64);
    one(context, &pipelines, &sort, &Keys::Few.values(DType::F32, 40_009, 12), None)
}

/// A workgroup publishes nothing, as if it were held back for ever. Where that can happen another does it in its place, and the results are right.
fn held_back(context: &Context) -> Result<(), Failed> {
    for (tile, keys) in [(0, Keys::Random), (3, Keys::Few), (7, Keys::Random)] {
        let sort = sort(DType::U32, 40_009).with_values(DType::U32);
        let mut schedule = sort.schedule(context.device().capabilities(), &[], context.path())?;
        check_strategy(&schedule.strategy, context.device().capabilities())?;
        schedule.hold_tile_back(tile);
        by(context, &sort, Plan::new(sort.clone(), schedule, &Pipelines::new(context.device()))?, &keys.values(DType::U32, 40_009, 13))?;
    }
    Ok(())
}

/// More tiles than scratch has lines for, so that they share some: as on a device whose workgroups may wait for each other.
fn ring() -> Result<(), Failed> {
    // lavapipe's workgroups run one after the other with one thread, and so none has to wait: its loops end after 65535 rounds, which is not for ever.
    // SAFETY: nothing else runs in this process yet that could read the environment.
    unsafe { std::env::set_var("LP_NUM_THREADS", "1") };
    let context = context(None, None)?;
    let mut capabilities = context.device().capabilities().clone();
    capabilities.vendor_id = PROGRESSING_VENDOR;
    for (dtype, bits, length) in [(DType::U32, 32, 500_009), (DType::U64, 20, 200_003), (DType::U16, 16, 400_001)] {
        let sort = sort(dtype, length).with_values(DType::U32).by_bits(0, bits);
        let schedule = sort.schedule(&capabilities, &[], context.path())?;
        check_strategy(&schedule.strategy, &capabilities)?;
        by(
            &context,
            &sort,
            Plan::new(sort.clone(), schedule, &Pipelines::new(context.device()))?,
            &Keys::Random.values(dtype, length, 14),
        )?;
    }
    Ok(())
}

fn by(context: &Context, sort: &Sort, plan: Plan<Sort>, keys: &Values) -> Result<(), Failed> {
    let options = SortOptions { descending: sort.descending, bits: sort.bits, count: None };
    let places = sort_places(keys, &sort.shape, sort.axis, &options)?;
    recorded_by(context, &plan, keys, Told { count: None, offsets: None }, Some(&places))
}
