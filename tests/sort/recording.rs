//! Sorts in command buffers of the caller: forms, counts, offsets, and what is refused.

use libtest_mimic::Failed;
use wavelane::{Context, DType, Kernel, Path, Payload, Pipelines, Plan, Sort, SortBindings, SortForm};
use wavelane_reference::{self as reference, SortOptions, Values};

use super::data::element;
use super::guarded::{Memory, refused};
use super::harness::Case;
use super::keys::Keys;
use super::support::{context, difference};
use super::{STRATEGIES, payload_type, with_payload};

const INPUT: usize = 0;
const OUTPUT: usize = 1;
const COUNT: usize = 3;
const VALUES: usize = 4;
const OUTPUT_VALUES: usize = 5;
const OFFSETS: usize = 6;

pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for path in Path::ALL {
        cases.push(
            Case::new(format!("recording::forms::{path}"), move |_| forms(&context(Some(path), None)?))
                .without_subgroups(path == Path::SharedMemory),
        );
    }
    cases.push(Case::new("recording::counted", |_| counted(&context(None, None)?)));
    cases.push(Case::new("recording::bindings_that_do_not_fit_are_refused", |_| refusals(&context(None, None)?)));
    cases
}

fn bindings(memory: &Memory) -> Result<SortBindings<'_>, Failed> {
    Ok(SortBindings {
        offsets: memory.range(OFFSETS)?,
        input: memory.range(INPUT)?,
        output: memory.range(OUTPUT)?,
        scratch: memory.range(2)?,
        count: memory.range(COUNT)?,
        values: memory.range(VALUES)?,
        output_values: memory.range(OUTPUT_VALUES)?,
    })
}

/// Out of place, in place and between two buffers, with everything that moves, and nothing written beside it.
fn forms(context: &Context) -> Result<(), Failed> {
    let pipelines = Pipelines::new(context.device());
    let mut turn = 0;
    for dtype in [DType::U8, DType::F16, DType::U32, DType::F32, DType::I64] {
        for (number, length) in [1, 5, 255, 2049, 9001].into_iter().enumerate() {
            for form in [SortForm::OutOfPlace, SortForm::InPlace, SortForm::DoubleBuffer] {
                turn += 1;
                // Two and three digits, and one.
                let strategy = Some(STRATEGIES[(turn / 3 + number) % 3]);
                let sort = Sort { form, strategy, ..with_payload(Sort::new(dtype, &[length]), turn) };
                let sort = if turn % 3 == 0 { sort.by_bits(0, dtype.size() as u32 * 5 / 2) } else { sort };
                one(context, &pipelines, &sort, &Keys::Few.values(dtype, length, 3), None)?;
            }
        }
    }
    Ok(())
}

/// One recording: keys and values in, keys and values out, where the form has them.
pub fn one(context: &Context, pipelines: &Pipelines, sort: &Sort, keys: &Values, count: Option<u32>) -> Result<(), Failed> {
    let length = keys.len();
    let live = count.map_or(length, |count| (count as usize).min(length));
    let options = SortOptions { descending: sort.descending, bits: sort.bits, count: Some(live) };
    let places = &reference::sort_places(keys, &sort.shape, sort.axis, &options)?[..live];
    recorded(context, pipelines, sort, keys, Told { count, offsets: None }, Some(places))
}

/// What the device reads of keys.
#[derive(Clone, Copy, Debug)]
pub struct Told<'a> {
    pub count: Option<u32>,
    pub offsets: Option<&'a [u32]>,
}

/// One recording, of which the first results are told; where none are, what they are does not matter.
pub fn recorded(
    context: &Context,
    pipelines: &Pipelines,
    sort: &Sort,
    keys: &Values,
    told: Told<'_>,
    places: Option<&[usize]>,
) -> Result<(), Failed> {
    recorded_by(context, &sort.plan_with(pipelines, context.path())?, keys, told, places)
}

/// The same with a plan.
pub fn recorded_by(context: &Context, plan: &Plan<Sort>, keys: &Values, told: Told<'_>, places: Option<&[usize]>) -> Result<(), Failed> {
    let sort = plan.kernel();
    let memory = Memory::new(context, plan)?;
    let moved = Values::from_bits(element(payload_type(sort)), (0..keys.len() as u64).map(|at| at << 3 | 5));
    let in_place = sort.form == SortForm::InPlace;
    memory.write(if in_place && sort.keys { OUTPUT } else { INPUT }, &keys.to_bytes())?;
    if matches!(sort.payload, Payload::Values(_)) {
        memory.write(if in_place { OUTPUT_VALUES } else { VALUES }, &moved.to_bytes())?;
    }
    if let Some(count) = told.count {
        memory.write(COUNT, &count.to_ne_bytes())?;
    }
    if let Some(offsets) = told.offsets {
        memory.write(OFFSETS, &offsets.iter().flat_map(|offset| offset.to_ne_bytes()).collect::<Vec<u8>>())?;
    }
    memory.run(context, plan, &bindings(&memory)?)?;
    let Some(places) = places else { return memory.check_guards() };
    let is_second = sort.form != SortForm::DoubleBuffer || sort.is_swapped()?;
    let same = |what: &str, buffer: usize, want: Vec<u8>, size: u64| -> Result<(), Failed> {
        let got = memory.read(buffer)?;
        match difference(&got[..want.len()], &want, size as usize) {
            None => Ok(()),
            Some(why) => Err(format!("{sort:?} of {told:.200?}: {what}: {why}\n{}", plan.explain()).into()),
        }
    };
    if sort.keys {
        same("keys", if is_second { OUTPUT } else { INPUT }, keys.take(places.iter().copied()).to_bytes(), sort.dtype.size())?;
    }
    let values = if is_second { OUTPUT_VALUES } else { VALUES };
    match sort.payload {
        Payload::None => {}
        Payload::Positions => same("positions", values, places.iter().flat_map(|&at| (at as u32).to_ne_bytes()).collect(), 4)?,
        Payload::Values(dtype) => same("values", values, moved.take(places.iter().copied()).to_bytes(), dtype.size())?,
    }
    memory.check_guards()
}

/// Lengths that the device counts, also ones longer than planned for.
fn counted(context: &Context) -> Result<(), Failed> {
    let pipelines = Pipelines::new(context.device());
    let mut turn = 0;
    for (dtype, most) in [(DType::U32, 9001), (DType::U8, 1031), (DType::F64, 515)] {
        for count in [0, 1, 2, most as u32 / 3, most as u32 - 1, most as u32, most as u32 + 1, u32::MAX] {
            for form in [SortForm::OutOfPlace, SortForm::InPlace, SortForm::DoubleBuffer] {
                turn += 1;
                let strategy = Some(STRATEGIES[turn / 3 % 3]);
                let sort = Sort { form, strategy, ..with_payload(Sort::new(dtype, &[most]), turn) }.counted();
                one(context, &pipelines, &sort, &Keys::Random.values(dtype, most, 5), Some(count))?;
            }
        }
    }
    Ok(())
}

/// Buffers that are too small or left out: an error that says which, and nothing recorded.
fn refusals(context: &Context) -> Result<(), Failed> {
    let plan: Plan<Sort> = Sort::new(DType::U32, &[5000]).with_values(DType::U32).counted().plan(context.device(), None)?;
    let memory = Memory::new(context, &plan)?;
    let good = bindings(&memory)?;
    let refuse = |bindings: SortBindings<'_>, binding| refused(context, &plan, &bindings, binding);
    refuse(SortBindings { input: None, ..good }, "input")?;
    refuse(SortBindings { output: None, ..good }, "output")?;
    refuse(SortBindings { scratch: None, ..good }, "scratch")?;
    refuse(SortBindings { count: None, ..good }, "count")?;
    refuse(SortBindings { values: None, ..good }, "values")?;
    refuse(SortBindings { output_values: None, ..good }, "output values")?;
    refuse(SortBindings { output: good.input, ..good }, "input and output")
}
