//! Plans in command buffers of the caller: offsets, counts, tiles held back, and what is refused.

use libtest_mimic::Failed;
use wavelane::record::{BufferRange, Recorder};
use wavelane::{DType, DeviceClass, Error, Kernel, Path, Pipelines, Plan, Scan, ScanBindings, ScanOp, ScanStrategy, StepAction, Tuning};
use wavelane_reference::{self as reference, Values};

use super::check::options;
use super::data::{Pattern, element, values};
use super::guarded::{GUARD, Memory};
use super::harness::Case;
use super::harness::gpu::{FORBIDS, ensure};
use super::twin::{compare, scan_operator};
use super::{context, data};

pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for path in Path::ALL {
        cases.push(
            Case::new(format!("recording::a_tile_held_back::{path}"), move |_| held_back(path))
                .without_subgroups(path == Path::SharedMemory),
        );
        cases.push(Case::new(format!("recording::counted::{path}"), move |_| counted(path)).without_subgroups(path == Path::SharedMemory));
    }
    cases.push(Case::new("recording::offsets_and_nothing_beyond", |_| guarded()));
    cases.push(Case::new("recording::strategies_that_cannot_be_taken_are_refused", |_| strategies()));
    cases.push(Case::new("recording::bindings_that_do_not_fit_are_refused", |_| refusals()));
    cases
}

fn bindings(memory: &Memory) -> Result<ScanBindings<'_>, Failed> {
    Ok(ScanBindings { input: memory.range(0)?, output: memory.needed(1)?, scratch: memory.range(2)?, count: memory.range(3)? })
}

fn expected(scan: &Scan, values: &Values) -> Result<(Values, Vec<f64>), Failed> {
    let (op, options) = (scan_operator(scan.op), options(scan));
    let right = reference::scan(op, values, &scan.shape, scan.axis, &options)?;
    let bounds = reference::scan_bound(op, values, &scan.shape, scan.axis, &options, element(scan.result_dtype()?))?;
    Ok((right, bounds))
}

/// One workgroup publishes nothing, as if it were held back for ever. Another does it in its place, and the results are right.
fn held_back(path: Path) -> Result<(), Failed> {
    let context = context(Some(path), None)?;
    for (op, tile) in [(ScanOp::Sum, 1), (ScanOp::Last, 7), (ScanOp::Max, 0)] {
        let scan = Scan::new(op, DType::U32, &[100_003]).with_strategy(ScanStrategy::SinglePass);
        let mut schedule = scan.schedule(context.device().capabilities(), &[], Some(path))?;
        schedule.hold_tile_back(tile);
        // Statuses, tickets, and last of all the word that counts who did another's work.
        let mut fills = schedule.steps.iter().filter_map(|step| match &step.action {
            StepAction::Fill { range, .. } => Some(*range),
            _ => None,
        });
        let cleared = fills.next().ok_or("a single pass clears its statuses")?;
        let plan = Plan::new(scan.clone(), schedule, &Pipelines::new(context.device()))?;
        let memory = Memory::new(&context, &plan)?;
        let values = values(DType::U32, 100_003, Pattern::Random, false, 3);
        memory.write(0, &values.to_bytes())?;
        memory.run(&context, &plan, &bindings(&memory)?)?;
        let scratch = memory.read(2)?;
        let fallbacks: u32 = bytemuck::pod_read_unaligned(&scratch[cleared.offset as usize + cleared.size as usize - 4..][..4]);
        ensure(fallbacks > 0, || format!("{op}: nobody did the work of tile {tile}"))?;
        let (right, bounds) = expected(&scan, &values)?;
        let got = wavelane::Tensor::new(DType::U32, scan.shape.clone(), memory.read(1)?)?;
        compare(&got, &right, &bounds).map_err(|why| format!("{op}: {why}"))?;
        memory.check_guards()?;
    }
    Ok(())
}

/// Lengths that the device counts: the results of as many elements, and the others' bytes as they were.
fn counted(path: Path) -> Result<(), Failed> {
    let context = context(Some(path), None)?;
    let pipelines = Pipelines::new(context.device());
    for (shape, axis) in
        [(vec![10_007], None), (vec![37, 41], Some(1)), (vec![5, 3001], Some(1)), (vec![301, 5], Some(0)), (vec![2, 5000, 3], Some(1))]
    {
        for (reverse, strategy) in [(false, None), (true, None), (false, Some(ScanStrategy::SinglePass))] {
            let scan = Scan { axis, reverse, strategy, ..Scan::new(ScanOp::Sum, DType::U32, &shape) }.counted();
            let plan = scan.plan_with(&pipelines, Some(path))?;
            let most = axis.map_or(shape[0], |axis| shape[axis]);
            let elements: usize = shape.iter().product();
            let inner: usize = axis.map_or(1, |axis| shape[axis + 1..].iter().product());
            let Values::U32(all) = values(DType::U32, elements, Pattern::Random, false, 5) else { return Err("not u32".into()) };
            for count in [0, 1, most / 3, most - 1, most, most + 9] {
                let memory = Memory::new(&context, &plan)?;
                memory.write(0, bytemuck::cast_slice(&all))?;
                memory.write(3, bytemuck::bytes_of(&(count as u32)))?;
                memory.run(&context, &plan, &bindings(&memory)?)?;
                let got: Vec<u32> = bytemuck::pod_collect_to_vec(&memory.read(1)?);
                // The twin scans elements that the count leaves out as zeros, which change no sum.
                let is_live = |at: usize| at / inner % most < count;
                let kept = Values::U32((0..elements).map(|at| if is_live(at) { all[at] } else { 0 }).collect());
                let Values::U32(right) = expected(&scan, &kept)?.0 else { return Err("not u32".into()) };
                let untouched = u32::from_ne_bytes([GUARD; 4]);
                let wrong = (0..elements).find(|&at| got[at] != if is_live(at) { right[at] } else { untouched });
                ensure(wrong.is_none(), || format!("{scan:?} of {count}: result {wrong:?}\n{}", plan.explain()))?;
                memory.check_guards()?;
            }
        }
    }
    Ok(())
}

/// Every binding at an offset, and nothing written beside the results, whatever the length.
fn guarded() -> Result<(), Failed> {
    for path in Path::ALL {
        let context = context(Some(path), None)?;
        let pipelines = Pipelines::new(context.device());
        for (dtype, in_place) in [(DType::U32, false), (DType::F16, false), (DType::F32, true)] {
            for length in [1, 2, 3, 5, 127, 1021, 2049, 9001] {
                for reverse in [false, true] {
                    let scan = Scan { in_place, reverse, ..Scan::new(ScanOp::Sum, dtype, &[length]) };
                    let plan = scan.plan_with(&pipelines, Some(path))?;
                    let memory = Memory::new(&context, &plan)?;
                    let values = values(dtype, length, Pattern::Random, false, 13);
                    memory.write(usize::from(in_place), &values.to_bytes())?;
                    memory.run(&context, &plan, &bindings(&memory)?)?;
                    memory.check_guards()?;
                    let (right, bounds) = expected(&scan, &values)?;
                    let got = wavelane::Tensor::new(scan.result_dtype()?, vec![length], memory.read(1)?)?;
                    compare(&got, &right, &bounds).map_err(|why| format!("{scan:?}: {why}"))?;
                }
            }
        }
    }
    Ok(())
}

/// A single pass is not taken in place, for floats, or where a quirk or the tuning forbids it; and the errors say why.
fn strategies() -> Result<(), Failed> {
    let context = context(None, None)?;
    let capabilities = context.device().capabilities();
    let sum = |dtype| Scan::new(ScanOp::Sum, dtype, &[100_003]);
    let single = |scan: Scan| scan.with_strategy(ScanStrategy::SinglePass);
    let error = |scan: &Scan, quirks: &[&'static wavelane::device::Quirk]| match scan.schedule(capabilities, quirks, None) {
        Err(error @ Error::StrategyUnavailable { .. }) => Ok(error.to_string()),
        other => Err(Failed::from(format!("{scan:?}: {other:?}"))),
    };
    let texts = [
        error(&single(sum(DType::U32).in_place()), &[])?,
        error(&single(sum(DType::F32)), &[])?,
        error(&single(sum(DType::U32)), &[&FORBIDS])?,
    ];
    let right = [
        "a single pass was asked for, but results replace the elements that another workgroup may have to read",
        "a single pass was asked for, but sums and products of floats would depend on which workgroup is done first",
        "a single pass was asked for, but workgroups of this device cannot rely on what others write in the same dispatch",
    ];
    ensure(texts == right, || format!("{texts:?}"))?;
    // What float sums may not, those in any order may, and extremes of floats.
    single(sum(DType::F32).in_any_order()).schedule(capabilities, &[], None)?;
    single(Scan::new(ScanOp::Max, DType::F32, &[100_003])).schedule(capabilities, &[], None)?;

    let class = Tuning::of(DeviceClass::of(capabilities));
    for (look_back, quirks, passes) in [(true, &[][..], 1), (false, &[], 2), (true, &[&FORBIDS], 2)] {
        let tuning = Tuning { look_back, ..class.clone() };
        let schedule = sum(DType::U32).schedule_tuned(capabilities, quirks, &tuning, None)?;
        ensure(schedule.dispatches().count() == passes, || format!("look-back {look_back}:\n{}", schedule.explain()))?;
        let floats = sum(DType::F32).schedule_tuned(capabilities, quirks, &tuning, None)?;
        ensure(floats.dispatches().count() == 2, || floats.explain())?;
    }
    Ok(())
}

/// Buffers that are too small or at the wrong offset: an error that says which, and nothing recorded.
fn refusals() -> Result<(), Failed> {
    let context = context(None, None)?;
    let plan = Scan::new(ScanOp::Sum, DType::U32, &[100_003]).counted().plan(context.device(), None)?;
    let memory = Memory::new(&context, &plan)?;
    let good = bindings(&memory)?;
    let refuse = |bindings: ScanBindings<'_>, binding: &str| -> Result<(), Failed> {
        let mut recorder = Recorder::new(context.device())?;
        let error = plan.record(&mut recorder, &bindings);
        let right = match &error {
            Err(Error::BindingTooSmall { binding: found, .. } | Error::BindingMisaligned { binding: found, .. }) => *found == binding,
            Err(Error::BindingsOverlap { first, second }) => binding.split(' ').eq([*first, *second]),
            _ => false,
        };
        ensure(right && recorder.dispatches() == 0, || format!("{binding}: {error:?} after {} dispatches", recorder.dispatches()))
    };
    let input = good.input.ok_or("there is no input")?;
    refuse(ScanBindings { input: None, ..good }, "input")?;
    refuse(ScanBindings { input: Some(input.slice(0, input.size() - 4)?), ..good }, "input")?;
    refuse(ScanBindings { input: Some(BufferRange::new(&memory.buffer, 4, input.size())?), ..good }, "input")?;
    refuse(ScanBindings { output: good.output.slice(0, 4)?, ..good }, "output")?;
    refuse(ScanBindings { output: input, ..good }, "input output")?;
    refuse(ScanBindings { scratch: None, ..good }, "scratch")?;
    refuse(ScanBindings { scratch: Some(good.output), ..good }, "output scratch")?;
    refuse(ScanBindings { count: None, ..good }, "count")?;
    refuse(ScanBindings { count: Some(input.slice(0, 4)?), ..good }, "count")
        .or_else(|_| refuse(ScanBindings { count: Some(good.output.slice(0, 4)?), ..good }, "output count"))?;
    let mut recorder = Recorder::new(context.device())?;
    plan.record(&mut recorder, &good)?;
    let planned = plan.schedule().dispatches().count() as u32;
    ensure(u64::from(recorder.dispatches()) == u64::from(planned), || "the good bindings were not recorded".into())?;
    let other = data::tensor(DType::U32, &[7], &Values::U32(vec![0; 7]))?;
    let error = context.scan(&Scan::new(ScanOp::Sum, DType::U32, &[8]), &other).err();
    ensure(matches!(error, Some(Error::InputMismatch { .. })), || format!("{error:?}"))?;
    let error = Scan::new(ScanOp::Sum, DType::U32, &[8]).with_initial(1.0f32).plan(context.device(), None).err();
    ensure(matches!(error, Some(Error::ElementType { .. })), || format!("{error:?}"))?;
    let error = Scan::new(ScanOp::Sum, DType::U32, &[8]).along(1).plan(context.device(), None).err();
    ensure(matches!(error, Some(Error::AxisOutOfRange { axis: 1, rank: 1 })), || format!("{error:?}"))
}
